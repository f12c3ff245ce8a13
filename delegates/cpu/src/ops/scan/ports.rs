//! The values that a loop carries from round to round.

use arenite_abi::prelude::*;
use arenite_layers::{Id, Source, Value};

use super::counting::{Affine, MOST_ROUNDS, RoundCounts};

/// A carried value before it is classified.
pub(super) struct Port<'v, 'a> {
    /// Outside, before and after the loop.
    pub ends: [(Id, &'v Value<'a>); 2],
    /// In the body, before and after a round.
    pub tensors: [i32; 2],
    /// Its number in each round, if it is a counter.
    pub counter: Option<Affine>,
}

/// The values that a node carries through its body.
pub(super) fn read<'v, 'a>(x: &'v Source<'_, 'a>, body: &GraphView<'a>) -> Result<Vec<Port<'v, 'a>>> {
    let (inputs, outputs) = (body.inputs(), body.outputs());
    let count = x.node.input_count();
    ensure!(
        [inputs.len(), outputs.len(), x.node.output_count()] == [count; 3],
        "it carries {count} values, its body takes {} and gives {}",
        inputs.len(),
        outputs.len()
    );
    let mut ports = Vec::with_capacity(count);
    for i in 0..count {
        ensure!(!inputs[..i].contains(&inputs[i]), "two inputs of its body are one");
        let ends = [x.input(i)?, x.output(i)?];
        let (from, to) = (ends[0].1, ends[1].1);
        if from.bytes() != to.bytes() || from.ty != to.ty {
            return Err(unsupported!("{from} changes its size in the loop"));
        }
        ports.push(Port { ends, tensors: [inputs[i], outputs[i]], counter: None });
    }
    Ok(ports)
}

/// Finds counters: ports that start at a constant and grow by a constant each round.
pub(super) fn find_counters(body: &GraphView<'_>, ports: &mut [Port<'_, '_>]) {
    for port in ports {
        let [before, after] = port.tensors;
        let initial = port.ends[0].1;
        let Ok(Some(&[base])) = initial.elements::<i32>() else { continue };
        // If the result grows by one whenever the number does, it is the number plus a constant.
        let mut counting = RoundCounts::of(*body, 0);
        counting.set(before, vec![Affine { base: base.into(), step: 1 }]);
        body.nodes().for_each(|node| {
            counting.follow(&node);
        });
        if let Some(Affine { base: next, step: 1 }) = counting.number(after) {
            port.counter = Some(Affine { base: base.into(), step: next - i64::from(base) });
        }
    }
}

/// How often the body runs.
pub(super) fn rounds(condition: &GraphView<'_>, ports: &[Port<'_, '_>]) -> Result<usize> {
    let mut counting = RoundCounts::of(*condition, 0);
    let inputs = condition.inputs();
    ensure!(inputs.len() == ports.len(), "its condition takes {} values", inputs.len());
    for (&input, port) in inputs.iter().zip(ports) {
        if let Some(counter) = port.counter {
            counting.set(input, vec![counter]);
        }
    }
    condition.nodes().for_each(|node| {
        counting.follow(&node);
    });
    let &[output] = condition.outputs() else {
        return Err(invalid!("its condition has {} outputs", condition.outputs().len()));
    };
    match counting.rounds_of(output) {
        Some(rounds) if rounds <= MOST_ROUNDS && counting.all_fit(rounds + 1) => Ok(rounds),
        _ => Err(unsupported!("how often it runs is not known before")),
    }
}
