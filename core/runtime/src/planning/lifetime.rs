//! Lifetimes: from the execution plan to the interval in which each tensor is in use, and to the planner's records.
//!
//! Defined by: tflite/arena_planner.cc, `PlanAllocations`.

use std::collections::BTreeMap;

use arenite_abi::UsageRecord;

/// The interval of the execution plan in which a tensor's memory is in use, both ends inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// The node that writes it; the first node for tensors that have a value before.
    pub first: u32,
    /// The node that reads it last; [`UsageRecord::FOREVER`] for tensors that are kept or never read.
    pub last: u32,
}

/// Extends lifetimes beyond the last reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lifetimes {
    /// Lets no two tensors share memory, so that every tensor that a node wrote, and every input, can be read after
    /// an invocation. This does not include tensors inside a delegate's partition, which have no memory in the
    /// interpreter. Needs as much memory as all tensors together.
    pub preserve_all: bool,
    /// When the lifetimes of outputs begin.
    pub outputs: OutputLifetimeStart,
}

/// When the lifetime of a subgraph's output begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputLifetimeStart {
    /// At the node that writes it; earlier nodes may use its memory.
    #[default]
    Producer,
    /// At the first node, so that its memory is never shared. The memory of outputs of dynamic shape never is.
    Start,
}

/// The part of an execution plan that [`lifetimes`] analyses.
pub struct LifetimeInput<'a> {
    /// Inputs and outputs of each node, in execution order; −1 for absent ones.
    pub nodes: &'a mut dyn Iterator<Item = (&'a [i32], &'a [i32])>,
    /// The number of the first node.
    pub first: u32,
    /// Tensors that have a value before the first node runs.
    pub given: &'a [i32],
    /// Whether a tensor is read after these nodes: by the caller or by the next invocation.
    pub is_kept: &'a dyn Fn(i32) -> bool,
    /// Whether the lifetime of a tensor that a node writes begins at the first node.
    pub is_early: &'a dyn Fn(i32) -> bool,
}

/// The lifetime of each tensor that the nodes write, or that has a value before they run.
///
/// A lifetime begins at the first writer and ends at the last reader. Tensors that are kept or never read live forever,
/// so their memory is never reused.
pub fn lifetimes(graph: LifetimeInput<'_>) -> BTreeMap<i32, Lifetime> {
    let at = |first: u32| Lifetime { first, last: UsageRecord::FOREVER };
    let mut lives: BTreeMap<i32, Lifetime> =
        graph.given.iter().filter(|&&t| t >= 0).map(|&t| (t, at(graph.first))).collect();
    let mut readers: BTreeMap<i32, u32> = BTreeMap::new();
    for (node, (inputs, outputs)) in (graph.first..).zip(graph.nodes) {
        for &t in outputs.iter().filter(|&&t| t >= 0) {
            lives.entry(t).or_insert(at(if (graph.is_early)(t) { graph.first } else { node }));
        }
        readers.extend(inputs.iter().map(|&t| (t, node)));
    }
    for (t, life) in &mut lives {
        if let (Some(&reader), false) = (readers.get(t), (graph.is_kept)(*t)) {
            life.last = reader.max(life.first);
        }
    }
    lives
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(nodes: &[(&[i32], &[i32])], given: &[i32], kept: &[i32]) -> Vec<String> {
        run_with(nodes, given, kept, &[])
    }

    fn run_with(nodes: &[(&[i32], &[i32])], given: &[i32], kept: &[i32], early: &[i32]) -> Vec<String> {
        let lives = lifetimes(LifetimeInput {
            nodes: &mut nodes.iter().copied(),
            first: 0,
            given,
            is_kept: &|t| kept.contains(&t),
            is_early: &|t| early.contains(&t),
        });
        let show = |t: i32| match lives.get(&t) {
            None => "-".to_owned(),
            Some(Lifetime { first, last: UsageRecord::FOREVER }) => format!("{first}.."),
            Some(Lifetime { first, last }) => format!("{first}..={last}"),
        };
        (0..6).map(show).collect()
    }

    #[test]
    fn a_chain_frees_each_tensor_after_its_reader() {
        let nodes: &[(&[i32], &[i32])] = &[(&[0, 5], &[1]), (&[1], &[2]), (&[2, 1, -1], &[3])];
        assert_eq!(run(nodes, &[0], &[0, 3]), ["0..", "0..=2", "1..=2", "2..", "-", "-"]);
    }

    #[test]
    fn what_is_early_lives_from_the_first_node_on() {
        let nodes: &[(&[i32], &[i32])] = &[(&[0], &[1]), (&[1], &[2]), (&[2], &[3])];
        assert_eq!(run_with(nodes, &[0], &[3], &[3]), ["0..=0", "0..=1", "1..=2", "0..", "-", "-"]);
        assert_eq!(run_with(nodes, &[0], &[], &[2, 5]), ["0..=0", "0..=1", "0..=2", "2..", "-", "-"]);
    }

    #[test]
    fn outputs_variables_and_unread_tensors_live_on() {
        let nodes: &[(&[i32], &[i32])] = &[(&[0, 4], &[1, 2]), (&[1], &[3])];
        assert_eq!(run(nodes, &[0, 4], &[0, 1, 3, 4]), ["0..", "0..", "0..", "1..", "0..", "-"]);
    }
}
