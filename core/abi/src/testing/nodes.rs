//! Tests every op of a plugin with every element type and every number of inputs and outputs, against a table.
//!
//! A line of the table is a valid node, `op | options | inputs | outputs`, followed by `| a..b > c..d`, the numbers of
//! inputs and outputs the op takes, and `| tensors: types; …`, the other types that these tensors may have at the same
//! time. A type `t>u` means that output 0 must then be a `u`. Everything else must be rejected with one of some forms
//! of messages, without a panic. Lines whose outputs all have shapes are also complete models; [`nodes`] reads them.
//!
//! An input is `F32[2]{1,2}`, whose data is repeated as needed. `{}` are zeros, instead of which any other values work
//! too. In strings `_` is a space. The prefix `=` makes an input a constant, `~` a variable, `%` an intermediate
//! tensor, and `-` is an absent input. An output is its type, with its shape if the model file has one; `none` means no
//! tensors. Both may be followed by their quantization, `@0.5,3`, or with a dimension `@1;0.5,0;0,2`.

use std::collections::HashMap;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use super::{OpTest, Spec, Tensor};
use crate::ElementType::{self, *};
use crate::{Plugin, Result, Status};
use text::{abridged, form, listed, output_of, parts, quantized};
pub use text::{fields, numbers, output, tensor, type_of};

mod text;

/// Creates a tensor from a type, a shape and data.
pub type Make<'a> = &'a dyn Fn(ElementType, &[i32], &[&str]) -> Tensor;

/// Runs a node, given the op's index, options, inputs and outputs.
pub type RunNode<'a> = &'a dyn Fn(usize, &'static str, &[Operand], &[Spec]) -> Result<Vec<Tensor>>;

/// A table with the functions that run its nodes.
pub struct Nodes<'a> {
    /// The lines. All lines of an op are consecutive.
    pub table: &'static str,
    /// The ops, in the order of the table. Each has at least one line.
    pub ops: &'a [&'static str],
    /// The allowed messages for rejected types, with `#` for a name, a type or a number.
    pub forms: &'a [&'static str],
    /// The messages that need not name the type.
    pub unnamed: &'a [&'static str],
    /// Creates a tensor; [`tensor`] supports all types but VARIANT.
    pub tensor: Make<'a>,
    /// Runs the op's node with these options.
    pub run: RunNode<'a>,
}

/// A node of a table.
#[derive(Clone, Debug)]
pub struct Node {
    /// The op's name.
    pub op: &'static str,
    /// The options as text; `-` without options.
    pub options: &'static str,
    /// The inputs, then the intermediate tensors.
    pub inputs: Vec<Operand>,
    /// The outputs.
    pub outputs: Vec<Spec>,
}

/// An input or an intermediate tensor of a node.
#[derive(Clone, Debug)]
pub enum Operand {
    /// An absent input.
    Absent,
    /// An input of zeros, which is known in `eval`. The node runs with other values too.
    Any(Tensor),
    /// An input whose data is known in `eval`.
    Fed(Tensor),
    /// An input whose data is known in `prepare`.
    Constant(Tensor),
    /// An input that `eval` may write.
    Variable(Tensor),
    /// An intermediate tensor, which only has quantization parameters.
    Intermediate(Spec),
}

/// The number of rejected nodes.
#[derive(Debug, PartialEq)]
pub struct Refusals {
    /// Nodes rejected because of a type.
    pub types: usize,
    /// Nodes rejected because of the number of tensors.
    pub counts: usize,
}

/// A line of the table.
struct Line<'a> {
    nodes: &'a Nodes<'a>,
    op: usize,
    text: [&'static str; 6],
    inputs: Vec<Operand>,
    intermediates: Vec<Operand>,
    outputs: Vec<Spec>,
}

#[derive(Default)]
struct Coverage {
    types: usize,
    counts: usize,
    /// Each form with the first message in which it was seen.
    forms: HashMap<String, String>,
}

impl Operand {
    /// The tensor; `None` for an absent input and for an intermediate tensor.
    pub fn tensor(&self) -> Option<&Tensor> {
        match self {
            Operand::Absent | Operand::Intermediate(_) => None,
            Operand::Any(x) | Operand::Fed(x) | Operand::Constant(x) | Operand::Variable(x) => Some(x),
        }
    }

    /// The input described by `text`, with this type or its own.
    ///
    /// # Panics
    /// The text has another form.
    pub fn parse(text: &str, ty: Option<ElementType>, make: Make<'_>) -> Self {
        match text.as_bytes()[0] {
            b'-' => return Operand::Absent,
            b'%' => return Operand::Intermediate(output_of(&text[1..], ty)),
            _ => {}
        }
        let (own, shape, data) = parts(text);
        let tensor = quantized(text, make(ty.unwrap_or_else(|| type_of(own)), &shape, &data));
        match text.as_bytes()[0] {
            b'=' => Operand::Constant(tensor),
            b'~' => Operand::Variable(tensor),
            _ if text.contains("{}") => Operand::Any(tensor),
            _ => Operand::Fed(tensor),
        }
    }
}

/// The nodes of a table that have outputs, all with shapes. The last two columns may be missing.
///
/// # Panics
/// A line does not have the table's form.
pub fn nodes<'a>(table: &'static str, make: Make<'a>) -> impl Iterator<Item = Node> + 'a {
    table.lines().filter_map(move |line| {
        let text: Vec<&str> = line.split(" | ").map(str::trim).collect();
        let [op, options, inputs, outputs, ..] = text[..] else { panic!("'{line}' must have four parts") };
        let shaped = outputs != "none" && listed(outputs).into_iter().all(|y| y.contains('['));
        shaped.then(|| {
            let inputs = listed(inputs).into_iter().map(|x| Operand::parse(x, None, make)).collect();
            let outputs = listed(outputs).into_iter().map(output).collect();
            Node { op, options, inputs, outputs }
        })
    })
}

/// The parts of a line.
fn text_of(line: &'static str) -> [&'static str; 6] {
    let text: Vec<&str> = line.split(" | ").map(str::trim).collect();
    text.try_into().unwrap_or_else(|_| panic!("'{line}' must have six parts"))
}

impl OpTest<Plugin> {
    /// Like [`new`](OpTest::new), for op `i` of a plugin.
    ///
    /// # Panics
    /// The plugin has no such op.
    pub fn registered(plugin: &'static Plugin, i: usize) -> Self {
        let (op, name) = plugin.op(i).unwrap_or_else(|| panic!("the plugin has no op {i}"));
        Self::of(op, name)
    }
}

impl<T> OpTest<T> {
    /// Adds an input.
    pub fn operand(self, operand: &Operand) -> Self {
        match operand.clone() {
            Operand::Absent => self.absent(),
            Operand::Any(tensor) | Operand::Fed(tensor) => self.input(tensor),
            Operand::Constant(tensor) => self.constant(tensor),
            Operand::Variable(tensor) => self.variable(tensor),
            Operand::Intermediate(spec) => self.intermediate(spec),
        }
    }
}

impl Nodes<'_> {
    /// Runs each line unchanged, with each type for each of its tensors, and with other numbers of tensors.
    ///
    /// # Panics
    /// A line is wrong (the message has all lines corrected), a node is rejected with a message of unknown form, or a
    /// form is never seen.
    pub fn check(&self) -> Refusals {
        let mut seen = Coverage::default();
        let mut wrong = Vec::new();
        for line in self.lines() {
            let served = line.run(&line.inputs, &line.outputs);
            assert!(served.is_ok(), "{}: {}", line.text.join(" | "), served.unwrap_err().message());
            let (counts, types) = (line.counts(&mut seen), line.types(&mut seen));
            if [line.text[4], line.text[5]] != [counts.as_str(), types.as_str()] {
                wrong.push(format!("{} | {counts} | {types}", line.text[..4].join(" | ")));
            }
        }
        assert!(wrong.is_empty(), "the corrected lines:\n{}", wrong.join("\n"));
        let mut new: Vec<_> = seen.forms.iter().filter(|(form, _)| !self.forms.contains(&&***form)).collect();
        new.sort();
        assert!(new.is_empty(), "forms that are not listed: {new:#?}");
        let gone: Vec<_> = self.forms.iter().filter(|form| !seen.forms.contains_key(**form)).collect();
        assert!(gone.is_empty(), "forms that never occurred: {gone:#?}");
        Refusals { types: seen.types, counts: seen.counts }
    }

    fn lines(&self) -> Vec<Line<'_>> {
        let mut lines: Vec<Line<'_>> = Vec::new();
        for line in self.table.lines() {
            let text = text_of(line);
            let op = match lines.last() {
                None => 0,
                Some(last) => last.op + usize::from(last.text[0] != text[0]),
            };
            assert_eq!(Some(&text[0]), self.ops.get(op), "the ops must be in order");
            let operands = listed(text[2]).into_iter().map(|x| Operand::parse(x, None, self.tensor));
            let is_input = |x: &Operand| !matches!(x, Operand::Intermediate(_));
            let (inputs, intermediates) = operands.partition(is_input);
            let outputs = listed(text[3]).into_iter().map(output).collect();
            lines.push(Line { nodes: self, op, text, inputs, intermediates, outputs });
        }
        assert_eq!(lines.last().map_or(0, |line| line.op + 1), self.ops.len(), "each op must have a line");
        lines
    }
}

impl Line<'_> {
    fn run(&self, inputs: &[Operand], outputs: &[Spec]) -> Result<Vec<Tensor>> {
        let operands = [inputs, &self.intermediates].concat();
        let got = (self.nodes.run)(self.op, self.text[1], &operands, outputs);
        if let Err(error) = &got {
            let refused = matches!(error.status(), Status::Invalid | Status::Unsupported | Status::Internal);
            let (op, message) = (self.text[0], error.message());
            assert!(refused, "{op} of {inputs:?}: {:?}, {message}", error.status());
            assert!(!message.is_empty(), "{op} of {inputs:?} is refused without a message");
        }
        got
    }

    /// Types of the inputs, then of the outputs.
    fn tensors(&self) -> Vec<Option<ElementType>> {
        let inputs = self.inputs.iter().map(|x| x.tensor().map(Tensor::ty));
        inputs.chain(self.outputs.iter().map(|y| Some(y.ty()))).collect()
    }

    /// Sets of tensors whose types are changed together; tensors are numbered, inputs first.
    fn sets(&self) -> Vec<(String, Vec<usize>)> {
        let types = self.tensors();
        let mut sets: Vec<(String, Vec<usize>)> = Vec::new();
        for (i, ty) in types.iter().enumerate() {
            let Some(ty) = ty else { continue };
            let all: Vec<usize> = (0..types.len()).filter(|&k| types[k] == Some(*ty)).collect();
            if all[0] == i && all.len() > 1 {
                sets.push((format!("{ty:?}"), all));
            }
            let inputs = self.inputs.len();
            let name = if i < inputs { format!("in{i}") } else { format!("out{}", i - inputs) };
            sets.push((name, std::vec![i]));
        }
        sets
    }

    /// Runs the node with the type `ty` for the tensors of a set, and `out` for output 0.
    fn with(&self, set: &[usize], ty: ElementType, out: Option<ElementType>) -> Result<Vec<Tensor>> {
        let (mut inputs, mut outputs) = (self.inputs.clone(), self.outputs.clone());
        for &i in set {
            match i.checked_sub(inputs.len()) {
                Some(i) => outputs[i] = output_of(listed(self.text[3])[i], Some(ty)),
                None => inputs[i] = Operand::parse(listed(self.text[2])[i], Some(ty), self.nodes.tensor),
            }
        }
        if let (Some(_), Some(first)) = (out, outputs.first_mut()) {
            *first = output_of(listed(self.text[3])[0], out);
        }
        self.run(&inputs, &outputs)
    }

    /// The types that a set of tensors may have.
    fn served(&self, set: &[usize], seen: &mut Coverage) -> Vec<String> {
        let mut served = Vec::new();
        let (types, inputs) = (self.tensors(), self.inputs.len());
        // Output 0 has its own type.
        let free =
            !set.contains(&inputs) && types.len() > inputs && !types[..inputs].contains(&types[inputs]);
        for &ty in ElementType::ALL {
            let error = match self.with(set, ty, None) {
                Ok(_) => {
                    served.push(format!("{ty:?}"));
                    continue;
                }
                Err(error) => error,
            };
            let results = [F32, F64, C64, C128, I32, I64];
            let result = |&out: &ElementType| free && ty.bits() != 0 && self.with(set, ty, Some(out)).is_ok();
            if let Some(out) = results.into_iter().find(result) {
                served.push(format!("{ty:?}>{out:?}"));
                continue;
            }
            seen.types += 1;
            let form = form(error.message());
            let op = self.text[0];
            let all = (0..inputs).all(|i| set.contains(&i)) && form.ends_with("does not support");
            if all || !self.nodes.unnamed.contains(&&*form) {
                assert!(error.message().contains(ty.name()), "{op} refuses {ty}: {}", error.message());
            }
            seen.forms.entry(form).or_insert_with(|| format!("{op}, {set:?} {ty}: {}", error.message()));
        }
        served
    }

    /// The last part of the corrected line.
    fn types(&self, seen: &mut Coverage) -> String {
        let mut parts = Vec::new();
        let types = self.tensors();
        for (name, set) in self.sets() {
            let served = self.served(&set, seen);
            if types[set[0]].map(|ty| format!("{ty:?}")).as_slice() != served {
                parts.push(format!("{name}: {}", abridged(served).join(" ")));
            }
        }
        if parts.is_empty() { "-".into() } else { parts.join("; ") }
    }

    /// The numbers of inputs and outputs the op takes, from its messages for none and for too many.
    fn counts(&self, seen: &mut Coverage) -> String {
        let range = |tensors: &str, [few, many]: [Result<Vec<Tensor>>; 2]| {
            let text = [few, many].into_iter().find_map(|got| {
                let message = got.err()?.message().to_string();
                (message.starts_with("it has ") && message.contains(tensors)).then_some(message)
            })?;
            let words: Vec<&str> = text.split(' ').collect();
            let end = |k: usize| words[words.len() - k].parse::<usize>().ok();
            Some((end(3)?, end(1)?))
        };
        let one = Operand::Fed(tensor(F32, &[], &["1"]));
        let filler = |n| repeated(&self.inputs, &one, n);
        let spare = |n| repeated(&self.outputs, &Spec::f32(), n);
        let inputs = range(" inputs, ", [0, MANY].map(|n| self.run(&filler(n), &self.outputs)));
        let outputs = range(" outputs, ", [0, MANY].map(|n| self.run(&self.inputs, &spare(n))));
        for n in 0..8 {
            let runs = [
                (inputs, self.run(&filler(n), &self.outputs), "inputs"),
                (outputs, self.run(&self.inputs, &spare(n)), "outputs"),
            ];
            for (range, got, words) in runs {
                let Some((least, most)) = range.filter(|(least, most)| !(*least..=*most).contains(&n)) else {
                    continue;
                };
                seen.counts += 1;
                let op = self.text[0];
                let Err(error) = got else { panic!("{op} takes {n} {words} {least} to {most}") };
                let message = error.message();
                let counted = message.starts_with(&format!("it has {n} {words}, "))
                    && message.ends_with(&most.to_string());
                assert!(counted || message.ends_with(" is absent, this op needs it"), "{op}: {message}");
            }
        }
        format!("{} > {}", range_text(inputs), range_text(outputs))
    }
}

/// More tensors than any op takes that does not take any number.
const MANY: usize = 70;

fn range_text(range: Option<(usize, usize)>) -> String {
    match range {
        Some((least, most)) if most > MANY => format!("{least}.."),
        Some((least, most)) => format!("{least}..{most}"),
        None => "any".into(),
    }
}

/// `n` of these, repeated; `other` if the list is empty.
fn repeated<T: Clone>(all: &[T], other: &T, n: usize) -> Vec<T> {
    (0..n).map(|i| all.get(i % all.len().max(1)).unwrap_or(other).clone()).collect()
}
