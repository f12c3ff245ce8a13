//! Every op of a plugin with every element type, and with every number of inputs and outputs, against a table.
//!
//! A line of the table is a node that the op serves, `op | options | inputs | outputs`, then `| a..b > c..d`, how
//! many inputs and outputs it takes, then `| tensors: types; …`: the types that these tensors may all have instead,
//! where they are not their own alone. A type `t>u` needs output 0 to be a `u`. All else must be refused, in one of some
//! forms, not by a panic.
//!
//! An input is `F32[2]{1,2}`, data being repeated as needed, with `=` in front if it is constant, `~` if it is a variable, `-` if it is absent; an output is its
//! type, and its shape if the model file gives it; `none` stands for no tensors. Behind both may stand their quantization, `@0.5,3`.

use std::collections::HashMap;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use super::{OpTest, Spec, Tensor};
use crate::ElementType::{self, *};
use crate::{Plugin, Result, Status};
use text::{abridged, form, listed, output, parts, quantized};
pub use text::{numbers, tensor, type_of};

mod text;

/// Makes a tensor of a type, a shape and data.
pub type Make<'a> = &'a dyn Fn(ElementType, &[i32], &[&str]) -> Tensor;

/// Runs a node: the op's number, options, inputs, outputs.
pub type RunNode<'a> = &'a dyn Fn(usize, &'static str, &[Operand], &[Spec]) -> Result<Vec<Tensor>>;

/// A table, and what runs its nodes.
pub struct Nodes<'a> {
    /// The lines, those of an op behind one another.
    pub table: &'static str,
    /// The ops, in the order of the table; each has a line.
    pub ops: &'a [&'static str],
    /// What types are refused with, `#` standing for a name, a type or a number.
    pub forms: &'a [&'static str],
    /// Those of them that need not name the type.
    pub unnamed: &'a [&'static str],
    /// Makes a tensor; [`tensor`] knows all types but VARIANT.
    pub tensor: Make<'a>,
    /// Runs the op's node with these options.
    pub run: RunNode<'a>,
}

/// An input.
#[derive(Clone, Debug)]
pub enum Operand {
    /// Left out.
    Absent,
    /// Known in `eval`.
    Fed(Tensor),
    /// Known in `prepare`.
    Constant(Tensor),
    /// Written by `eval`.
    Variable(Tensor),
}

/// What was seen.
#[derive(Debug, PartialEq)]
pub struct Refusals {
    /// Nodes refused for a type.
    pub types: usize,
    /// Nodes refused for the number of their tensors.
    pub counts: usize,
}

/// A line of the table.
struct Line<'a> {
    nodes: &'a Nodes<'a>,
    op: usize,
    text: [&'static str; 6],
    inputs: Vec<Operand>,
    outputs: Vec<Spec>,
}

#[derive(Default)]
struct Seen {
    types: usize,
    counts: usize,
    /// Each with what it was first seen in.
    forms: HashMap<String, String>,
}

impl Operand {
    /// The tensor, if there is one.
    pub fn tensor(&self) -> Option<&Tensor> {
        match self {
            Operand::Absent => None,
            Operand::Fed(tensor) | Operand::Constant(tensor) | Operand::Variable(tensor) => Some(tensor),
        }
    }
}

impl OpTest<Plugin> {
    /// As [`new`](OpTest::new), of a plugin's op `i`.
    ///
    /// # Panics
    /// If the plugin has no such op.
    pub fn registered(plugin: &'static Plugin, i: usize) -> Self {
        let (op, name) = plugin.op(i).unwrap_or_else(|| panic!("the plugin has no op {i}"));
        Self::of(op, name)
    }
}

impl<T> OpTest<T> {
    /// The next input.
    pub fn operand(self, operand: &Operand) -> Self {
        match operand.clone() {
            Operand::Absent => self.absent(),
            Operand::Fed(tensor) => self.input(tensor),
            Operand::Constant(tensor) => self.constant(tensor),
            Operand::Variable(tensor) => self.variable(tensor),
        }
    }
}

impl Nodes<'_> {
    /// Runs each line as it is, with each type for each of its tensors, and with other numbers of them.
    ///
    /// # Panics
    /// If a line is not true, with all lines as they would be; or if something is refused in no known form; or if a form is
    /// not seen.
    pub fn check(&self) -> Refusals {
        let mut seen = Seen::default();
        let mut wrong = Vec::new();
        for line in self.lines() {
            let served = line.run(&line.inputs, &line.outputs);
            assert!(served.is_ok(), "{}: {}", line.text.join(" | "), served.unwrap_err().message());
            let (counts, types) = (line.counts(&mut seen), line.types(&mut seen));
            if [line.text[4], line.text[5]] != [counts.as_str(), types.as_str()] {
                wrong.push(format!("{} | {counts} | {types}", line.text[..4].join(" | ")));
            }
        }
        assert!(wrong.is_empty(), "these lines would be true:\n{}", wrong.join("\n"));
        let mut new: Vec<_> = seen.forms.iter().filter(|(form, _)| !self.forms.contains(&&***form)).collect();
        new.sort();
        assert!(new.is_empty(), "forms that are not listed: {new:#?}");
        let gone: Vec<_> = self.forms.iter().filter(|form| !seen.forms.contains_key(**form)).collect();
        assert!(gone.is_empty(), "forms that are not seen: {gone:#?}");
        Refusals { types: seen.types, counts: seen.counts }
    }

    fn lines(&self) -> Vec<Line<'_>> {
        let mut lines: Vec<Line<'_>> = Vec::new();
        for line in self.table.lines() {
            let text: Vec<&str> = line.split(" | ").map(str::trim).collect();
            let text: [&str; 6] = text.try_into().unwrap_or_else(|_| panic!("'{line}' has six parts"));
            let op = match lines.last() {
                None => 0,
                Some(last) => last.op + usize::from(last.text[0] != text[0]),
            };
            assert_eq!(Some(&text[0]), self.ops.get(op), "the ops are in order");
            let inputs = listed(text[2]).into_iter().map(|x| self.input(x, None)).collect();
            let outputs = listed(text[3]).into_iter().map(|y| output(y, None)).collect();
            lines.push(Line { nodes: self, op, text, inputs, outputs });
        }
        assert_eq!(lines.last().map_or(0, |line| line.op + 1), self.ops.len(), "each op has a line");
        lines
    }

    /// The input that `text` describes, of that type or its own.
    fn input(&self, text: &str, ty: Option<ElementType>) -> Operand {
        if text == "-" {
            return Operand::Absent;
        }
        let (own, shape, data) = parts(text);
        let tensor = quantized(text, (self.tensor)(ty.unwrap_or_else(|| type_of(own)), &shape, &data));
        match text.as_bytes()[0] {
            b'=' => Operand::Constant(tensor),
            b'~' => Operand::Variable(tensor),
            _ => Operand::Fed(tensor),
        }
    }
}

impl Line<'_> {
    fn run(&self, inputs: &[Operand], outputs: &[Spec]) -> Result<Vec<Tensor>> {
        let got = (self.nodes.run)(self.op, self.text[1], inputs, outputs);
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

    /// Tensors by number, inputs first, of which each set changes its type at once.
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

    /// Runs the node with the type `ty` for the tensors of a set, and output 0 as `out`.
    fn with(&self, set: &[usize], ty: ElementType, out: Option<ElementType>) -> Result<Vec<Tensor>> {
        let (mut inputs, mut outputs) = (self.inputs.clone(), self.outputs.clone());
        for &i in set {
            match i.checked_sub(inputs.len()) {
                Some(i) => outputs[i] = output(listed(self.text[3])[i], Some(ty)),
                None => inputs[i] = self.nodes.input(listed(self.text[2])[i], Some(ty)),
            }
        }
        if let (Some(_), Some(first)) = (out, outputs.first_mut()) {
            *first = output(listed(self.text[3])[0], out);
        }
        self.run(&inputs, &outputs)
    }

    /// The types that a set of tensors may have.
    fn served(&self, set: &[usize], seen: &mut Seen) -> Vec<String> {
        let mut served = Vec::new();
        let (types, inputs) = (self.tensors(), self.inputs.len());
        // Output 0 has a type of its own.
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
            let all = (0..inputs).all(|i| set.contains(&i)) && form.ends_with("does not serve");
            if all || !self.nodes.unnamed.contains(&&*form) {
                assert!(error.message().contains(ty.name()), "{op} refuses {ty}: {}", error.message());
            }
            seen.forms.entry(form).or_insert_with(|| format!("{op}, {set:?} {ty}: {}", error.message()));
        }
        served
    }

    /// The last part of the line, as it is.
    fn types(&self, seen: &mut Seen) -> String {
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

    /// How many inputs and outputs the op takes, by what it says to none of them and to too many.
    fn counts(&self, seen: &mut Seen) -> String {
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

/// More tensors than any op takes, but for those that take any number.
const MANY: usize = 70;

fn range_text(range: Option<(usize, usize)>) -> String {
    match range {
        Some((least, most)) if most > MANY => format!("{least}.."),
        Some((least, most)) => format!("{least}..{most}"),
        None => "any".into(),
    }
}

/// `n` of these, over and over; `other` if there are none.
fn repeated<T: Clone>(all: &[T], other: &T, n: usize) -> Vec<T> {
    (0..n).map(|i| all.get(i % all.len().max(1)).unwrap_or(other).clone()).collect()
}
