//! Tensors of a segment that are outside of the arena: in lent memory, or in the memory of tied inputs.

use std::collections::BTreeMap;

use arenite_abi::raw::{SHARE_IN_PLACE, TENSOR_CONSTANT, TENSOR_DYNAMIC, TENSOR_VARIABLE};

use super::lent::TiedPair;
use super::pending::PendingNodes;
use super::site::Site;
use super::step::Step;
use crate::error::Result;
use crate::planning::lifetime::Lifetime;

/// The tensors among these that are in lent memory, after checking that it is large enough. Constants and tensors of
/// dynamic shape are not.
pub(super) fn lent_tensors(site: &Site<'_>, lives: &BTreeMap<i32, Lifetime>) -> Result<Vec<usize>> {
    let mut tensors = Vec::new();
    for (&t, lent) in &site.memory.lent {
        let raw = site.memory.table.get(t);
        if raw.flags & TENSOR_DYNAMIC != 0 || !lives.contains_key(&(t as i32)) {
            continue;
        }
        lent.check(&site.graph.tensors[t].name, raw.bytes)?;
        if raw.flags & (TENSOR_CONSTANT | TENSOR_VARIABLE) == 0 {
            tensors.push(t);
        }
    }
    Ok(tensors)
}

/// A tied output that a step writes over its input.
#[derive(Clone, Copy)]
pub(crate) struct Overwrite {
    pub pair: TiedPair,
    /// Position of the step in the segment.
    pub step: usize,
}

/// The tied outputs that a step of the segment can write over their inputs: it works in place, it alone writes the
/// output, and no later step reads the input.
pub(super) fn overwrites(site: &Site<'_>, steps: &[Step], after: &PendingNodes) -> Vec<Overwrite> {
    let pairs = site.memory.tied.iter();
    pairs.filter_map(|&pair| Some(Overwrite { pair, step: overwriter(site, steps, after, pair)? })).collect()
}

fn overwriter(site: &Site<'_>, steps: &[Step], after: &PendingNodes, pair: TiedPair) -> Option<usize> {
    let TiedPair { output, input } = pair;
    let raw = site.memory.table.get(output);
    if raw.flags & (TENSOR_CONSTANT | TENSOR_VARIABLE | TENSOR_DYNAMIC) != 0
        || raw.bytes != site.memory.table.get(input).bytes
        || site.graph.is_output(input)
        || after.reads(site.graph, input)
        || after.writes(site.graph, output)
    {
        return None;
    }
    let has = |list: &[i32], t: usize| list.contains(&(t as i32));
    let mut writers = steps.iter().enumerate().filter(|(_, step)| has(step.outputs(), output));
    let (at, step) = writers.next()?;
    let is_alone = writers.next().is_none() && !steps.iter().any(|step| has(step.outputs(), input));
    let is_last = !steps[at + 1..].iter().any(|step| has(step.inputs(), input));
    let is_in_place = step.shares.iter().any(|share| {
        share.kind == SHARE_IN_PLACE
            && step.outputs().get(share.output as usize) == Some(&(output as i32))
            && step.inputs().get(share.input as usize) == Some(&(input as i32))
            && step.shares_all_uses(share)
    });
    (is_alone && is_last && is_in_place).then_some(at)
}
