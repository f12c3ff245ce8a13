//! Every op with every element type, and with every number of inputs and outputs, against the table `nodes.txt`.
//!
//! A line of the table is a node that the op serves, `op | attributes | inputs | outputs`, then `| a..b > c..d`, how
//! many inputs and outputs it takes, then `| tensors: types; …`: the types that these tensors may all have instead,
//! where they are not their own alone. A type `t>u` needs output 0 to be a `u`. All else must be refused, in one of the
//! forms of [`FORMS`], not by a panic.
//!
//! An attribute is `n=2`, `n=0.5`, `n=true`, `n='text'`, `n=:F32`, `n=(1,2)` or `n=<2,3>`, a shape; an input is
//! `F32[2]{1,2}`, or `List[2]`, a tensor list of two lists of one number.

use std::collections::HashSet;

use arenite_abi::Status;
use arenite_abi::prelude::*;
use arenite_abi::testing::Tensor;

use super::Subject;
use super::{cases, tables};
use crate::kit::write::Attribute;

/// A line of the table.
struct Line {
    op: Subject,
    text: [&'static str; 6],
    attributes: Vec<(&'static str, Attribute<'static>)>,
    inputs: Vec<Tensor>,
    outputs: Vec<ElementType>,
}

/// How many nodes were refused, and how.
#[derive(Default)]
struct Seen {
    types: usize,
    counts: usize,
    forms: HashSet<String>,
}

/// What types are refused with, `#` standing for a name, a type or a number.
const FORMS: &[&str] = &[
    "# # has # elements, which do not fit #",
    "# has no order",
    "# is # # is # both must be #",
    "# is # # is # they must agree",
    "# is # integers are needed",
    "# is # not #",
    "# is # numbers of # or # bits are made",
    "# is # output is # they must agree",
    "# is # the list's elements are #",
    "# is # the output is # they must agree",
    "# is # which has no order",
    "# is # which is neither subtracted nor ordered",
    "# is # which this op does not serve",
    "# is # whose elements are not compared",
    "# is no shape; sizes must not be negative, and at most # axes are served",
    "# is not an element type of this op",
    "axis # does not exist in a tensor of rank #",
    "delta is #",
    "input # is # output # is # complex numbers to reals are needed",
    "input # is # output # is # one type of complex numbers is needed",
    "input # is # output # is # reals to complex numbers are needed",
    "input # is # output # is # they must agree",
    "input # is # output is # they must agree",
    "input # is # which this op does not serve",
    "input is # output # is # it must be #",
    "inputs # # and # # must be of one type, and not complex",
    "inputs # and # are # and # they must agree",
    "inputs are # output # is # they must agree",
    "inputs are # which this op does not serve",
    "output # is # it must be #",
    "output # is # which this op does not give",
    "output # is # which this op does not serve",
    "the element shape is the scalar # a list of sizes, or # is needed",
    "the list's elements are # output # is #",
    "weights are complex numbers",
];

fn type_of(name: &str) -> ElementType {
    let found = ElementType::ALL.iter().find(|ty| format!("{ty:?}") == name);
    *found.unwrap_or_else(|| panic!("'{name}' is no type"))
}

fn numbers(text: &str) -> &'static [i64] {
    let numbers: Vec<i64> = text.split(',').filter(|x| !x.is_empty()).map(|x| x.parse().unwrap()).collect();
    numbers.leak()
}

fn attribute(text: &'static str) -> (&'static str, Attribute<'static>) {
    let (name, value) = text.split_once('=').unwrap();
    let inner = &value[1..value.len().max(2) - 1];
    let value = match value.as_bytes()[0] {
        b'\'' => Attribute::Text(inner),
        b'(' => Attribute::Ints(numbers(inner)),
        b'<' => Attribute::Shape(numbers(inner)),
        b':' => Attribute::Type(type_of(&value[1..])),
        _ if value == "true" || value == "false" => Attribute::Bool(value == "true"),
        _ if value.contains('.') => Attribute::Float(value.parse().unwrap()),
        _ => Attribute::Int(value.parse().unwrap()),
    };
    (name, value)
}

/// A tensor of any type; data that is no number becomes the first numbers.
fn tensor(ty: ElementType, shape: &[i32], data: &[&str]) -> Tensor {
    let real = |(i, x): (usize, &&str)| x.parse().unwrap_or(i as f64);
    match ty {
        ElementType::String => Tensor::strings(shape, data),
        ElementType::Variant => {
            let list = tables::list(F32, None, &[Some(tables::floats(&[1.0])), Some(tables::floats(&[2.0]))]);
            Tensor::raw(ty, shape, list.bytes())
        }
        I8
        | U8
        | I16
        | U16
        | I32
        | U32
        | I64
        | U64
        | F16
        | BF16
        | F32
        | F64
        | C64
        | C128
        | ElementType::Bool => cases::of(ty, shape, &data.iter().enumerate().map(real).collect::<Vec<_>>()),
        _ => Tensor::raw(ty, shape, &vec![0; (data.len() * ty.bits() as usize).div_ceil(8)]),
    }
}

/// The type, shape and data of an input.
fn input(text: &'static str) -> (ElementType, Vec<i32>, Vec<&'static str>) {
    let (ty, rest) = text.split_once('[').unwrap();
    if ty == "List" {
        return (ElementType::Variant, Vec::new(), vec!["1"]);
    }
    let (shape, data) = rest.split_once(']').unwrap();
    let shape: Vec<i32> = numbers(shape).iter().map(|&d| d as i32).collect();
    let data = &data[1..data.len() - 1];
    let data = if shape.contains(&0) { Vec::new() } else { data.split(',').collect() };
    (type_of(ty), shape, data)
}

fn lines() -> Vec<Line> {
    let lines: Vec<Line> = include_str!("nodes.txt")
        .lines()
        .zip(crate::OPS)
        .map(|(line, &op)| {
            let text: Vec<&str> = line.split(" | ").map(str::trim).collect();
            let text: [&str; 6] = text.try_into().unwrap_or_else(|_| panic!("'{line}' has six parts"));
            assert_eq!(text[0], op.name);
            let inputs = text[2].split_whitespace().map(|x| {
                let (ty, shape, data) = input(x);
                tensor(ty, &shape, &data)
            });
            let attributes = text[1].split_whitespace().filter(|x| *x != "-").map(attribute).collect();
            Line {
                op,
                text,
                attributes,
                inputs: inputs.collect(),
                outputs: text[3].split_whitespace().map(type_of).collect(),
            }
        })
        .collect();
    assert_eq!(
        (lines.len(), include_str!("nodes.txt").lines().count()),
        (crate::OPS.len(), crate::OPS.len())
    );
    lines
}

impl Line {
    fn run(&self, inputs: &[Tensor], outputs: &[ElementType]) -> Result<Vec<Tensor>> {
        let got = self.op.fed(&self.attributes, inputs, outputs);
        if let Err(error) = &got {
            let refused = matches!(error.status(), Status::Invalid | Status::Unsupported | Status::Internal);
            assert!(refused, "{} of {inputs:?}: {:?}, {}", self.op.name, error.status(), error.message());
        }
        got
    }

    /// Tensors by number, inputs first, of which each set changes its type at once.
    fn sets(&self) -> Vec<(String, Vec<usize>)> {
        let types: Vec<ElementType> =
            self.inputs.iter().map(Tensor::ty).chain(self.outputs.iter().copied()).collect();
        let mut sets: Vec<(String, Vec<usize>)> = Vec::new();
        for (i, ty) in types.iter().enumerate() {
            let all: Vec<usize> = (0..types.len()).filter(|&k| types[k] == *ty).collect();
            if all[0] == i && all.len() > 1 {
                sets.push((format!("{ty:?}"), all));
            }
            let inputs = self.inputs.len();
            // The memory of strings and variants is the op's own affair: `eval` asks for it.
            if i >= inputs && ty.bits() == 0 {
                continue;
            }
            let name = if i < inputs { format!("in{i}") } else { format!("out{}", i - inputs) };
            sets.push((name, vec![i]));
        }
        sets
    }

    /// Runs the node with the type `ty` for the tensors of a set, and output 0 as `out`.
    fn with(&self, set: &[usize], ty: ElementType, out: Option<ElementType>) -> Result<Vec<Tensor>> {
        let (mut inputs, mut outputs) = (self.inputs.clone(), self.outputs.clone());
        for &i in set {
            match i.checked_sub(inputs.len()) {
                Some(i) => outputs[i] = ty,
                None => {
                    let (_, shape, data) = input(self.text[2].split_whitespace().nth(i).unwrap());
                    inputs[i] = tensor(ty, &shape, &data);
                }
            }
        }
        if let (Some(out), Some(output)) = (out, outputs.first_mut()) {
            *output = out;
        }
        self.run(&inputs, &outputs)
    }

    /// The types that a set of tensors may have.
    fn served(&self, set: &[usize], seen: &mut Seen) -> Vec<String> {
        let mut served = Vec::new();
        // Output 0 has a type of its own.
        let free = !set.contains(&self.inputs.len())
            && self.inputs.iter().all(|x| Some(&x.ty()) != self.outputs.first());
        let fixed = |ty: &&ElementType| ty.bits() != 0 || set[0] < self.inputs.len();
        for &ty in ElementType::ALL.iter().filter(fixed) {
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
            assert!(FORMS.contains(&&*form), "{} says '{}' of {ty}", self.op.name, error.message());
            if form.ends_with("does not serve") && (0..self.inputs.len()).all(|i| set.contains(&i)) {
                assert!(error.message().contains(ty.name()), "{}: {}", self.op.name, error.message());
            }
            seen.forms.insert(form);
        }
        served
    }

    /// The last part of the line, as it is.
    fn types(&self, seen: &mut Seen) -> String {
        let mut parts = Vec::new();
        let types: Vec<ElementType> =
            self.inputs.iter().map(Tensor::ty).chain(self.outputs.iter().copied()).collect();
        for (name, set) in self.sets() {
            let served = self.served(&set, seen);
            if served != [format!("{:?}", types[set[0]])] {
                parts.push(format!("{name}: {}", abridged(served).join(" ")));
            }
        }
        if parts.is_empty() { "-".into() } else { parts.join("; ") }
    }

    /// How many inputs and outputs the op takes, by what it says to none of them and to too many.
    fn counts(&self, seen: &mut Seen) -> String {
        let range = |[few, many]: [Result<Vec<Tensor>>; 2]| {
            let text = [few, many].into_iter().find_map(|got| {
                let message = got.err()?.message().to_owned();
                message.starts_with("it has ").then_some(message)
            })?;
            let words: Vec<&str> = text.split(' ').collect();
            let end = |k: usize| words[words.len() - k].parse::<usize>().ok();
            Some((end(3)?, end(1)?))
        };
        const MANY: usize = 70;
        let filler = |n: usize| vec![self.inputs.first().cloned().unwrap_or_else(|| cases::real(1.0)); n];
        let inputs = range([0, MANY].map(|n| self.run(&filler(n), &self.outputs)));
        let outputs = range([0, MANY].map(|n| self.run(&self.inputs, &vec![F32; n])));
        for n in 0..8 {
            if let Some((least, most)) = inputs.filter(|(least, most)| !(*least..=*most).contains(&n)) {
                seen.counts += 1;
                let message = self.run(&filler(n), &self.outputs).unwrap_err().message().to_owned();
                assert_eq!(
                    message,
                    format!("it has {n} inputs, this op takes {least} to {most}"),
                    "{}",
                    self.op.name
                );
            }
            if let Some((least, most)) = outputs.filter(|(least, most)| !(*least..=*most).contains(&n)) {
                seen.counts += 1;
                let message = self.run(&self.inputs, &vec![F32; n]).unwrap_err().message().to_owned();
                assert_eq!(
                    message,
                    format!("it has {n} outputs, this op gives {least} to {most}"),
                    "{}",
                    self.op.name
                );
            }
        }
        let text = |range: Option<(usize, usize)>| match range {
            Some((least, most)) if most > MANY => format!("{least}.."),
            Some((least, most)) => format!("{least}..{most}"),
            None => "any".into(),
        };
        format!("{} > {}", text(inputs), text(outputs))
    }
}

/// Sets of types by their names.
const SETS: &[(&str, &[&str])] = &[
    ("reals", &["F16", "BF16", "F32", "F64"]),
    ("integers", &["I8", "U8", "I16", "U16", "I32", "U32", "I64", "U64"]),
    ("complex", &["C64", "C128"]),
    ("fixed", &["reals", "integers", "complex", "Bool", "Resource", "F8E4M3", "F8E5M2"]),
];

/// Types, with the names of the sets in place of what they hold.
fn abridged(mut types: Vec<String>) -> Vec<String> {
    for (name, set) in SETS {
        if set.iter().all(|ty| types.iter().any(|x| x == ty)) {
            types.retain(|ty| !set.contains(&&**ty));
            types.insert(0, (*name).into());
        }
    }
    types
}

/// A message with `#` for each name, type and number.
fn form(message: &str) -> String {
    let known = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let number = !bare.is_empty() && bare.bytes().all(|b| b.is_ascii_digit());
        number || word.starts_with(['\'', '[']) || ElementType::ALL.iter().any(|ty| ty.name() == bare)
    };
    let words = message.split(' ').map(|word| if known(word) { "#" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn every_type_and_number_of_tensors() {
    let mut seen = Seen::default();
    let mut wrong = Vec::new();
    for line in lines() {
        let served = line.run(&line.inputs, &line.outputs);
        assert!(served.is_ok(), "{}: {}", line.text.join(" | "), served.unwrap_err().message());
        let (counts, types) = (line.counts(&mut seen), line.types(&mut seen));
        if [line.text[4], line.text[5]] != [counts.as_str(), types.as_str()] {
            wrong.push(format!("{} | {counts} | {types}", line.text[..4].join(" | ")));
        }
    }
    assert!(wrong.is_empty(), "these lines would be true:\n{}", wrong.join("\n"));
    assert_eq!((seen.types, seen.counts, seen.forms.len()), (20_086, 4_124, FORMS.len()));
}
