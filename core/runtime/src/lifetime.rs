//! Lifetimes: from the execution plan to usage intervals, and to the planner's records.
//!
//! Defined by: tflite/arena_planner.cc, `PlanAllocations`.

use arenite_abi::UsageRecord;

/// Interval of the execution plan in which a tensor's memory is its own; both ends inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// The node that writes it; 0 for inputs and variables.
    pub first: u32,
    /// The node that reads it last; [`UsageRecord::FOREVER`] for inputs, outputs and variables, and for tensors that
    /// nothing reads.
    pub last: u32,
}

/// What [`lifetimes`] needs of a graph.
pub struct LifetimeInput<'a> {
    /// Number of tensors.
    pub tensor_count: usize,
    /// Inputs and outputs of each node, in execution order; −1 for absent ones.
    pub nodes: &'a mut dyn Iterator<Item = (&'a [i32], &'a [i32])>,
    /// Tensors that the caller writes.
    pub inputs: &'a [i32],
    /// Whether they are kept after their last reader.
    pub keep_inputs: bool,
    /// Tensors that the caller reads: they are never overwritten.
    pub outputs: &'a [i32],
    /// Tensors that keep their value.
    pub variables: &'a [i32],
}

/// The lifetime of each tensor; `None` for tensors that nobody writes, such as constants.
///
/// Inputs (unless they are not to be kept), outputs and variables hold a reference of their own, so that their memory is
/// never given to another tensor.
/// A tensor is allocated by its first producer and released after its last reader.
pub fn lifetimes(graph: LifetimeInput<'_>) -> Vec<Option<Lifetime>> {
    let mut lives: Vec<Option<Lifetime>> = vec![None; graph.tensor_count];
    let mut pinned = vec![false; graph.tensor_count];
    let valid = |&&t: &&i32| t >= 0 && (t as usize) < graph.tensor_count;
    for &t in graph.variables.iter().chain(graph.inputs).filter(valid) {
        lives[t as usize] = Some(Lifetime { first: 0, last: UsageRecord::FOREVER });
    }
    let kept = if graph.keep_inputs { graph.inputs } else { &[] };
    for &t in graph.variables.iter().chain(kept).chain(graph.outputs).filter(valid) {
        pinned[t as usize] = true;
    }
    let mut readers: Vec<Option<u32>> = vec![None; graph.tensor_count];
    for (i, (inputs, outputs)) in graph.nodes.enumerate() {
        for &t in outputs.iter().filter(valid) {
            lives[t as usize].get_or_insert(Lifetime { first: i as u32, last: UsageRecord::FOREVER });
        }
        for &t in inputs.iter().filter(valid) {
            readers[t as usize] = Some(i as u32);
        }
    }
    for (t, life) in lives.iter_mut().enumerate() {
        if let (Some(life), false, Some(reader)) = (life, pinned[t], readers[t]) {
            life.last = reader.max(life.first);
        }
    }
    lives
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(nodes: &[(&[i32], &[i32])], inputs: &[i32], outputs: &[i32], variables: &[i32]) -> Vec<String> {
        let input = LifetimeInput {
            tensor_count: 6,
            nodes: &mut nodes.iter().copied(),
            inputs,
            keep_inputs: true,
            outputs,
            variables,
        };
        let show = |life: Option<Lifetime>| match life {
            None => "-".to_owned(),
            Some(Lifetime { first, last: UsageRecord::FOREVER }) => format!("{first}.."),
            Some(Lifetime { first, last }) => format!("{first}..={last}"),
        };
        lifetimes(input).into_iter().map(show).collect()
    }

    #[test]
    fn a_chain_frees_each_tensor_after_its_reader() {
        let nodes: &[(&[i32], &[i32])] = &[(&[0, 5], &[1]), (&[1], &[2]), (&[2, 1, -1], &[3])];
        assert_eq!(run(nodes, &[0], &[3], &[]), ["0..", "0..=2", "1..=2", "2..", "-", "-"]);
    }

    #[test]
    fn outputs_variables_and_unread_tensors_live_on() {
        let nodes: &[(&[i32], &[i32])] = &[(&[0, 4], &[1, 2]), (&[1], &[3])];
        assert_eq!(run(nodes, &[0], &[1, 3], &[4]), ["0..", "0..", "0..", "1..", "0..", "-"]);
    }
}
