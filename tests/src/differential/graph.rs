//! A random graph: a model as plain data, the data of its inputs, and the properties of its nodes.

use std::collections::BTreeMap;
use std::fmt;

use arenite::ElementType::{self, F32};
use arenite_model::writer::ModelBuilder;
use serde::{Deserialize, Serialize};

use super::call::Call;

/// The element types of an op, by which a delegate accepts or refuses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// The type of the main input.
    Of(ElementType),
    /// `f32`, with constant weights of this type: the input is quantized at run time.
    Hybrid(ElementType),
    /// `f32`, with constant weights of this type and a DEQUANTIZE.
    Behind(ElementType),
    /// A conversion from the first type to the second.
    To(ElementType, ElementType),
}

impl Form {
    /// The main input's type.
    pub fn ty(self) -> ElementType {
        match self {
            Form::Of(ty) | Form::To(ty, _) => ty,
            Form::Hybrid(_) | Form::Behind(_) => F32,
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Of(ty) => write!(f, "{ty}"),
            Form::Hybrid(ty) => write!(f, "FLOAT32 × {ty}"),
            Form::Behind(ty) => write!(f, "FLOAT32 × dequantized {ty}"),
            Form::To(from, to) => write!(f, "{from} → {to}"),
        }
    }
}

/// An op of the schema on elements of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// The op's name.
    pub op: &'static str,
    /// Its element types.
    pub form: Form,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.op, self.form)
    }
}

/// `real = scale · (q − zero_point)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quant {
    /// Positive.
    pub scale: f32,
    /// A value of the type.
    pub zero_point: i64,
}

/// How results may differ; see [`bounds`](super::bounds).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Selects elements of the inputs, or the largest or smallest of some.
    Moves,
    /// The largest elements, which move no further than the elements themselves, and their places, which may differ.
    Top,
    /// Computes integers from integers.
    Integers,
    /// Has steps: small differences in the inputs may lead to large ones in the results.
    Step,
    /// A function with a slope of at most `slope`, which may be infinite, computed within this many units in the last
    /// place of its result, and additionally of its argument or of 1.
    Function { slope: f64, ulps: f64, floor: f64 },
    /// e^x.
    Exp,
    /// sin x or cos x.
    Sinusoid,
    /// √x.
    Root,
    /// 1 / √x.
    InverseRoot,
    /// a ± b.
    Sum,
    /// a · b.
    Product,
    /// a / b.
    Quotient,
    /// (a − b)².
    Square,
    /// Sums of `depth` products of these inputs' elements; `winograd` if a Winograd convolution may compute them.
    Products { main: usize, weights: usize, bias: usize, depth: usize, winograd: bool },
    /// The same, with the first operand quantized first.
    Hybrid,
    /// Sums of `count` elements, divided by `count` for means.
    Fold { count: usize, mean: bool },
    /// Fourier transforms, in double precision.
    Transform,
    /// Weighted means of neighbours.
    Blend,
    /// Softmax of `beta · x`.
    Softmax { beta: f64 },
    /// Its logarithm.
    LogSoftmax,
    /// A recurrent layer with results between -1 and 1; `hybrid` if its products are dynamic-range quantized.
    Loop { hybrid: bool },
    /// An LSTM layer with this number of time steps and of products per gate. Its states come from earlier invocations.
    Lstm { times: usize, depth: usize },
    /// SVDF: sums of `terms` numbers, from this and earlier invocations, which are sums of `depth` products.
    Memory { depth: usize, terms: usize },
    /// Quantizes.
    Quantize,
    /// Dequantizes.
    Dequantize,
}

impl Rule {
    /// The rule for results of this type: a spoilt graph may compute floats where integers were drawn. `None` if no
    /// bound is known.
    pub fn of_results(self, op: &str, ty: ElementType) -> Option<Rule> {
        match (self, ty, op) {
            (Rule::Integers, F32, "CAST") => Some(Rule::Integers),
            (Rule::Integers, F32, "MAXIMUM" | "MINIMUM" | "MAX_POOL_2D" | "REDUCE_MAX" | "REDUCE_MIN") => {
                Some(Rule::Moves)
            }
            (Rule::Integers, F32, "ADD" | "SUB") => Some(Rule::Sum),
            (Rule::Integers, F32, "MUL") => Some(Rule::Product),
            (Rule::Integers, F32, "RESIZE_BILINEAR") => Some(Rule::Blend),
            (Rule::Integers, F32, _) => None,
            _ => Some(self),
        }
    }
}

/// The data of an input.
#[derive(Clone, Debug, PartialEq)]
pub enum Feed {
    /// Multiples of an eighth, so that sums are exact; small integers.
    Grid,
    /// Numbers of this magnitude.
    Real(f32),
    /// The same, a few of them infinite or NaN.
    Special,
    /// The same, a few of them the largest or smallest floats.
    Extreme,
    /// Integers from 0 to below this, and occasionally outside.
    Below(i64),
    /// These values.
    Numbers(Vec<i64>),
}

/// A value that an invocation passes to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The input that receives the value.
    pub before: i32,
    /// The tensor with the value,
    pub after: i32,
    /// and its position among the outputs.
    pub output: usize,
    /// Each byte of the initial value.
    pub zero: u8,
}

/// A random graph.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The seed.
    pub seed: u64,
    /// The model.
    pub model: ModelBuilder,
    /// The kind and rule of each operator.
    pub notes: Vec<(Kind, Rule)>,
    /// The data of each input, by tensor.
    pub feeds: BTreeMap<i32, Feed>,
    /// Shapes of inputs in the second invocation, by tensor.
    pub resizes: BTreeMap<i32, Vec<i32>>,
    /// A description of the defect.
    pub spoilt: Option<String>,
    /// Whether the type of a tensor was changed. Ops may set another one, which a [caller](super::call) would not know.
    pub retyped: bool,
    /// In an [unrolled](super::variables::unrolled) graph: the former variables.
    pub states: Vec<State>,
}

impl Graph {
    /// The number of invocations. With variables, the third one shows that the second one's values came from the first.
    pub fn invocations(&self) -> u64 {
        if self.states.is_empty() && !super::variables::any(self) { 2 } else { 3 }
    }

    /// Makes every unread result an output: results that are not needed are neither computed nor checked.
    pub fn ask_for_all(&mut self) {
        let main = &mut self.model.subgraphs[0];
        let read: Vec<i32> = main.operators.iter().flat_map(|node| &node.inputs).copied().collect();
        let results = main.operators.iter().flat_map(|node| &node.outputs);
        let unread = results.filter(|result| !read.contains(result) && !main.outputs.contains(result));
        let unread: Vec<i32> = unread.copied().collect();
        main.outputs.extend(unread);
    }
}

/// The settings of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The delegate's name.
    pub delegate: String,
    /// The instruction set of the delegate `cpu`; `None` for the best one.
    pub isa: Option<String>,
    /// Threads.
    pub threads: usize,
    /// Whether convolutions may round like Winograd convolutions.
    pub winograd: bool,
    /// How the graph is called.
    pub call: Call,
}

impl Setting {
    /// Whether a GPU delegate runs the graph: these compute with floats, whatever types the model has.
    pub fn is_of_gpu(&self) -> bool {
        self.delegate != CPU
    }
}

/// The delegate for which graphs are drawn.
pub const CPU: &str = "cpu";

impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let graph = &self.model.subgraphs[0];
        let tensor = |index: i32| -> String {
            let Some(tensor) = usize::try_from(index).ok().and_then(|i| graph.tensors.get(i)) else {
                return "absent".to_owned();
            };
            let ty = ElementType::from_raw(tensor.element_type as u32).map_or("?", ElementType::name);
            let quant = tensor.quantization.as_ref().map_or(String::new(), |q| match &q.scale[..] {
                [scale] => format!(" @{scale},{}", q.zero_point.first().unwrap_or(&0)),
                scales => format!(" @{} scales", scales.len()),
            });
            let constant = match tensor.is_variable {
                true => "variable ",
                false if tensor.buffer > 0 => "=",
                false => "",
            };
            format!("{constant}{index}: {ty} {:?}{quant}", tensor.shape)
        };
        let list = |indices: &[i32]| indices.iter().map(|&i| tensor(i)).collect::<Vec<_>>().join("; ");
        writeln!(f, "graph {}, outputs {:?}", self.seed, graph.outputs)?;
        for (&index, feed) in &self.feeds {
            let resize = self.resizes.get(&index).map_or(String::new(), |s| format!(", then {s:?}"));
            writeln!(f, "  input {}: {feed:?}{resize}", tensor(index))?;
        }
        for (operator, (kind, _)) in graph.operators.iter().zip(&self.notes) {
            let version = self.model.operator_codes[operator.opcode_index as usize].version;
            writeln!(f, "  {kind} v{version} ({}) → {}", list(&operator.inputs), list(&operator.outputs))?;
            let unions = operator.options.iter().chain(&operator.options_2);
            for (_, options) in unions.filter(|(_, options)| !options.slots.is_empty()) {
                writeln!(f, "    {:?}", options.slots)?;
            }
        }
        match &self.spoilt {
            Some(what) => writeln!(f, "  spoilt: {what}"),
            None => Ok(()),
        }
    }
}
