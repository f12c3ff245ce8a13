//! A drawn graph: a model as plain data, what its inputs are fed, and what is known of its nodes.

use std::collections::BTreeMap;
use std::fmt;

use arenite::ElementType;
use arenite_model::writer::ModelBuilder;
use serde::{Deserialize, Serialize};

use super::call::Call;

/// Which elements an op works on: what a delegate claims or leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// The main input's.
    Of(ElementType),
    /// `f32` by constant weights of this type: the input is quantized while the model runs.
    Hybrid(ElementType),
    /// `f32` by weights of this type behind a DEQUANTIZE.
    Behind(ElementType),
    /// The first type is converted to the second.
    To(ElementType, ElementType),
}

impl Form {
    /// The main input's type.
    pub fn ty(self) -> ElementType {
        match self {
            Form::Of(ty) | Form::To(ty, _) => ty,
            Form::Hybrid(_) | Form::Behind(_) => ElementType::F32,
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
    /// Its name.
    pub op: &'static str,
    /// Its elements.
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

/// How results differ at most; see [`bounds`](super::bounds).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Elements of the inputs, or the largest or the smallest of some.
    Moves,
    /// Whole numbers from whole numbers.
    Integers,
    /// Steps: where inputs differ a little, results may differ much.
    Step,
    /// A function that grows by `slope` at most, and is computed within so many units in the last place of its result, and of its argument or 1.
    Function { slope: f64, ulps: f64, floor: f64 },
    /// e^x.
    Exp,
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
    /// Sums of `depth` products of elements of these inputs; `winograd` if they may be computed by its transforms.
    Products { main: usize, weights: usize, bias: usize, depth: usize, winograd: bool },
    /// The same, the first operand quantized first.
    Hybrid,
    /// Sums of `count` elements, divided by it if they are means.
    Fold { count: usize, mean: bool },
    /// Weighted means of neighbours.
    Blend,
    /// Softmax of `beta · x`.
    Softmax { beta: f64 },
    /// Its logarithm.
    LogSoftmax,
    /// A recurrent layer, whose results lie between -1 and 1; products of dynamic range are `hybrid`.
    Loop { hybrid: bool },
    /// To bytes.
    Quantize,
    /// From bytes.
    Dequantize,
}

/// What an input is fed.
#[derive(Clone, Debug, PartialEq)]
pub enum Feed {
    /// Multiples of an eighth, so that sums are exact; small whole numbers.
    Grid,
    /// Numbers of this magnitude.
    Real(f32),
    /// The same, a few of which are infinite or no numbers.
    Special,
    /// The same, a few of which are the largest or the smallest there are.
    Extreme,
    /// From 0 to below this, and now and then outside.
    Below(i64),
    /// These.
    Numbers(Vec<i64>),
}

/// What an invocation hands to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The input that the value goes to.
    pub before: i32,
    /// The tensor that it comes from,
    pub after: i32,
    /// and its place among the outputs.
    pub output: usize,
    /// Each byte of the first value.
    pub zero: u8,
}

/// A drawn graph.
#[derive(Clone, Debug)]
pub struct Graph {
    /// What it was drawn from.
    pub seed: u64,
    /// The model.
    pub model: ModelBuilder,
    /// Per operator.
    pub notes: Vec<(Kind, Rule)>,
    /// Per input, by tensor.
    pub feeds: BTreeMap<i32, Feed>,
    /// Shapes of inputs in the second invocation, by tensor.
    pub resizes: BTreeMap<i32, Vec<i32>>,
    /// What was made wrong.
    pub spoilt: Option<String>,
    /// Of an [unrolled](super::variables::unrolled) graph: what was a variable.
    pub states: Vec<State>,
}

impl Graph {
    /// How often it is run: variables need a third time to show that the second one's values came from the first.
    pub fn invocations(&self) -> u64 {
        if self.states.is_empty() && !super::variables::any(self) { 2 } else { 3 }
    }

    /// Makes an output of each result that nobody reads: what is not asked for, is not computed, nor refused.
    pub fn ask_for_all(&mut self) {
        let main = &mut self.model.subgraphs[0];
        let read: Vec<i32> = main.operators.iter().flat_map(|node| &node.inputs).copied().collect();
        let results = main.operators.iter().flat_map(|node| &node.outputs);
        let unread = results.filter(|result| !read.contains(result) && !main.outputs.contains(result));
        let unread: Vec<i32> = unread.copied().collect();
        main.outputs.extend(unread);
    }
}

/// What a graph is run with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The delegate's name.
    pub delegate: String,
    /// The instruction set of the delegate `cpu`; `None`: the best there is.
    pub isa: Option<String>,
    /// Threads.
    pub threads: usize,
    /// Whether convolutions may round as Winograd's do.
    pub winograd: bool,
    /// What calls the graph.
    pub call: Call,
}

impl Setting {
    /// Whether a GPU's delegate runs the graph: it computes with floats, whatever the model has.
    pub fn is_of_gpu(&self) -> bool {
        self.delegate != CPU
    }
}

/// The delegate that graphs are drawn for.
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
