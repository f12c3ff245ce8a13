//! States of streaming models that are inputs and outputs: after each step of `--each`, the output becomes the input.

use std::collections::BTreeSet;
use std::str::FromStr;

use arenite::Tensor;
use serde::Serialize;

use crate::answer::{Failure, Result};
use crate::logging;
use crate::session::Session;
use crate::text;
use arenite_common::values::{quantized, reals};

/// An output that the next step takes as an input.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CarriedOutput {
    #[serde(rename = "input")]
    pub input_name: String,
    #[serde(rename = "output")]
    pub output_name: String,
    #[serde(skip)]
    pub input: usize,
    #[serde(skip)]
    output: usize,
}

/// A pair that is given with `--state`, or `none`.
#[derive(Clone, Debug)]
pub(crate) enum StatePair {
    None,
    Named(String, String),
}

impl FromStr for StatePair {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            _ if text == "none" => Ok(StatePair::None),
            Some((input, output)) if !input.is_empty() && !output.is_empty() => {
                Ok(StatePair::Named(input.to_owned(), output.to_owned()))
            }
            _ => Err("write IN=OUT, an input and an output by position or name, or none".to_owned()),
        }
    }
}

/// The pairs to carry: the given ones, or without any those whose names match. Inputs with a sequence are never
/// carried.
pub(crate) fn pairs(
    session: &Session<'_>,
    given: &[StatePair],
    is_fed: &[bool],
) -> Result<Vec<CarriedOutput>> {
    if given.is_empty() {
        return matching(session, is_fed);
    }
    let mut pairs: Vec<CarriedOutput> = Vec::new();
    for pair in given {
        let StatePair::Named(input, output) = pair else { continue };
        let (input, output) = (session.find_input(input)?, session.find_output(output)?);
        if is_fed.get(input) == Some(&true) || pairs.iter().any(|known| known.input == input) {
            let name = session.inputs().get(input).map(String::as_str).unwrap_or_default();
            let name = text::shorten(name, 60);
            return Err(Failure::new(format!(
                "input {input} '{name}' of --state gets its values elsewhere as well"
            )));
        }
        let carried = carried(session, input, output);
        check(&session.input(input)?, &session.output(output)?, &carried)?;
        pairs.push(carried);
    }
    Ok(pairs)
}

fn carried(session: &Session<'_>, input: usize, output: usize) -> CarriedOutput {
    let name = |names: &[String], i: usize| names.get(i).cloned().unwrap_or_default();
    CarriedOutput {
        input_name: name(session.inputs(), input),
        output_name: name(session.outputs(), output),
        input,
        output,
    }
}

fn check(input: &Tensor<'_>, output: &Tensor<'_>, pair: &CarriedOutput) -> Result<()> {
    if have_same_form(input, output) {
        return Ok(());
    }
    let describe = |tensor: &Tensor<'_>| format!("{} {}", tensor.ty, text::shape(tensor.shape));
    let (from, to) = (text::shorten(&pair.output_name, 60), text::shorten(&pair.input_name, 60));
    Err(Failure::new(format!(
        "output '{from}' ({}) cannot become input '{to}' ({}); a state keeps its type and shape",
        describe(output),
        describe(input)
    )))
}

fn have_same_form(input: &Tensor<'_>, output: &Tensor<'_>) -> bool {
    (input.ty, input.shape) == (output.ty, output.shape) && input.ty.bits() > 0
}

/// The pairs of the same type and shape whose names have the same words, not counting words such as `in` and `next`.
fn matching(session: &Session<'_>, is_fed: &[bool]) -> Result<Vec<CarriedOutput>> {
    let mut pairs = Vec::new();
    for input in (0..session.inputs().len()).filter(|&i| is_fed.get(i) == Some(&false)) {
        let tensor = session.input(input)?;
        if tensor.is_constant() {
            continue;
        }
        let mut fitting = Vec::new();
        for output in 0..session.outputs().len() {
            if have_same_form(&tensor, &session.output(output)?) {
                fitting.push(output);
            }
        }
        let wanted = session.inputs().get(input).map(|name| words(name)).unwrap_or_default();
        let same = |output: &usize| session.outputs().get(*output).is_some_and(|name| words(name) == wanted);
        let named: Vec<usize> = fitting.iter().copied().filter(same).collect();
        match (&named[..], &fitting[..]) {
            (&[output], _) if !wanted.is_empty() => pairs.push(carried(session, input, output)),
            (_, &[output]) => {
                let CarriedOutput { input_name, output_name, .. } = carried(session, input, output);
                logging::note(format_args!(
                    "input {input} '{}' has the form of output {output} '{}'; if it is the model's state, add --state \
                     {input}={output}",
                    text::shorten(&input_name, 60),
                    text::shorten(&output_name, 60)
                ));
            }
            _ => {}
        }
    }
    Ok(pairs)
}

/// Words for a side of a step, and words of converters; they do not identify a state.
const SIDES: [&str; 27] = [
    "in",
    "input",
    "inputs",
    "out",
    "output",
    "outputs",
    "raw",
    "init",
    "initial",
    "prev",
    "previous",
    "next",
    "new",
    "old",
    "past",
    "present",
    "last",
    "cur",
    "current",
    "final",
    "updated",
    "serving",
    "default",
    "stateful",
    "partitioned",
    "call",
    "statefulpartitionedcall",
];

/// The words of a name that identify a state, in order; empty if none has a letter.
fn words(name: &str) -> BTreeSet<String> {
    let name = name.split(':').next().unwrap_or_default().to_lowercase();
    let parts = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: BTreeSet<String> = parts.filter(|word| !SIDES.contains(word)).map(str::to_owned).collect();
    let is_named = words.iter().any(|word| word.contains(char::is_alphabetic));
    if is_named { words } else { BTreeSet::new() }
}

/// Copies the outputs of a step to the inputs of the next. All are read before any is written, because an output may be
/// an input that the model passes through.
pub(crate) fn carry(session: &mut Session<'_>, pairs: &[CarriedOutput]) -> Result<()> {
    let states = pairs.iter().map(|pair| state(session, pair)).collect::<Result<Vec<_>>>()?;
    for (pair, bytes) in pairs.iter().zip(states) {
        session.input_mut(pair.input)?.copy_from_bytes(&bytes)?;
    }
    Ok(())
}

/// The output, in the type and quantization of the input.
fn state(session: &Session<'_>, pair: &CarriedOutput) -> Result<Vec<u8>> {
    let (input, output) = (session.input(pair.input)?, session.output(pair.output)?);
    check(&input, &output, pair)?;
    if (input.scales, input.zero_points) == (output.scales, output.zero_points) {
        return Ok(output.bytes()?.to_vec());
    }
    let numbers: Vec<f32> = reals(&output, output.bytes()?).into_iter().map(|value| value as f32).collect();
    Ok(quantized(&input, &numbers).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_state_match_without_their_sides() {
        let same = |a: &str, b: &str| !words(a).is_empty() && words(a) == words(b);
        assert!(same("state_in", "state_out"));
        assert!(same("raw_inputs/init_lstm_c", "raw_outputs/lstm_c"));
        assert!(same("serving_default_past_key_3:0", "StatefulPartitionedCall/present_key_3:1"));
        assert!(!same("lstm_h", "lstm_c"));
        assert!(!same("input_1", "output_1"), "a number alone does not name a state");
        assert!(!same("past_key_3", "present_key_4"));
    }
}
