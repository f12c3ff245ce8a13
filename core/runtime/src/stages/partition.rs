//! Delegate partitioning: which claimed nodes can run as one.
//!
//! Defined by: tflite/graph_info.cc, `PartitionGraphIntoIndependentNodeSubsets`.

use std::collections::{BTreeSet, HashMap};

/// Consecutive work for one backend: nodes in execution order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subset {
    /// Whether the delegate claimed these nodes.
    pub claimed: bool,
    /// Positions in the execution plan, ascending.
    pub nodes: Vec<usize>,
    /// Tensors that come from outside, constants included; ascending.
    pub inputs: Vec<i32>,
    /// Tensors that nodes outside read, and the graph's outputs among those written here; ascending.
    pub outputs: Vec<i32>,
}

/// The input of [`partition`]: a view of the graph.
pub struct PartitionInput<'a> {
    /// Number of tensors.
    pub tensor_count: usize,
    /// Inputs and outputs of each node, in execution order; −1 for absent ones.
    pub nodes: &'a [(&'a [i32], &'a [i32])],
    /// The graph's outputs.
    pub outputs: &'a [i32],
    /// Per node, whether the delegate takes it.
    pub claimed: &'a [bool],
    /// Per node, whether it has effects besides its outputs, or reads or writes a variable: such nodes keep their
    /// order.
    pub stateful: &'a [bool],
    /// Per node, whether it may change the variables among its inputs, as an LSTM changes its state.
    pub updates: &'a [bool],
    /// Whether a tensor keeps its value from one invocation to the next.
    pub is_variable: &'a dyn Fn(usize) -> bool,
    /// Per node, whether it reads only constants. If claimed, such a node joins the subset that first reads its
    /// results.
    pub weights: &'a [bool],
}

/// Cuts the graph into subsets, each claimed or not as a whole, in an order in which they can run. Takes O(n log n) in
/// the nodes and their operands; the number of tensors does not matter.
///
/// The first node that can run decides whether a subset is claimed. Then sweeps over the plan add every node of that
/// kind whose inputs are ready, until a sweep adds none. With SIN claimed, `f(x) = sin(x) + x + sin(2x)` gives these
/// subsets: `{SIN} {ADD, MUL} {SIN} {ADD}`.
///
/// Variables always cross the border of a claimed subset, and each has one value inside it. So a node goes to a later
/// subset if it writes a variable that the subset already reads or writes, or reads one that the subset changed in
/// place.
pub fn partition(graph: &PartitionInput<'_>) -> Vec<Subset> {
    let n = graph.nodes.len();
    let mut ready =
        ReadyNodes { deps: Dependencies::of(graph), claimed: graph.claimed, sets: Default::default() };
    let mut subset_of = vec![usize::MAX; n];
    let mut subsets: Vec<Subset> = Vec::new();
    let (with_readers, first): (Vec<usize>, Vec<usize>) = (0..n)
        .filter(|&i| ready.deps.counts[i] == 0)
        .partition(|&i| graph.claimed[i] && graph.weights[i] && !ready.deps.dependents[i].is_empty());
    first.into_iter().for_each(|i| ready.insert(i));
    with_readers.iter().for_each(|&i| ready.free_dependents(i));
    while let Some(first) = ready.sets.iter().filter_map(|set| set.first()).min().copied() {
        let claimed = graph.claimed[first];
        let mut nodes = Vec::new();
        let mut variables = VariableUses::default();
        let mut later = Vec::new();
        while let Some(i) = ready.sets[usize::from(claimed)].pop_first() {
            if claimed && !variables.admit(graph, i) {
                later.push(i);
                continue;
            }
            subset_of[i] = subsets.len();
            nodes.push(i);
            ready.free_dependents(i);
        }
        later.into_iter().for_each(|i| ready.insert(i));
        subsets.push(Subset { claimed, nodes, inputs: Vec::new(), outputs: Vec::new() });
    }
    for i in with_readers {
        let readers = ready.deps.dependents[i].iter().map(|&reader| subset_of[reader]);
        subset_of[i] = readers.min().unwrap_or(0);
        subsets[subset_of[i]].nodes.push(i);
    }
    subsets.iter_mut().for_each(|subset| subset.nodes.sort_unstable());
    find_borders(graph, &subset_of, &mut subsets);
    subsets
}

/// Nodes that can run and are in no subset yet.
struct ReadyNodes<'a> {
    deps: Dependencies,
    claimed: &'a [bool],
    /// Unclaimed and claimed ones, smallest position first.
    sets: [BTreeSet<usize>; 2],
}

impl ReadyNodes<'_> {
    fn insert(&mut self, i: usize) {
        self.sets[usize::from(self.claimed[i])].insert(i);
    }

    /// Records that node `i` is in a subset, so no node waits for it.
    fn free_dependents(&mut self, i: usize) {
        for k in 0..self.deps.dependents[i].len() {
            let next = self.deps.dependents[i][k];
            self.deps.counts[next] -= 1;
            if self.deps.counts[next] == 0 {
                self.insert(next);
            }
        }
    }
}

/// The nodes that each node waits for.
struct Dependencies {
    /// How many earlier nodes each node waits for.
    counts: Vec<usize>,
    dependents: Vec<Vec<usize>>,
}

impl Dependencies {
    fn of(graph: &PartitionInput<'_>) -> Self {
        let n = graph.nodes.len();
        let mut producer: HashMap<usize, usize> = HashMap::new();
        let mut deps = Dependencies { counts: vec![0; n], dependents: vec![Vec::new(); n] };
        let mut last_stateful: Option<usize> = None;
        for (i, (inputs, outputs)) in graph.nodes.iter().enumerate() {
            let mut before: Vec<usize> =
                valid(inputs, graph.tensor_count).filter_map(|t| producer.get(&t).copied()).collect();
            if graph.stateful[i] {
                before.extend(last_stateful.replace(i));
            }
            before.sort_unstable();
            before.dedup();
            deps.counts[i] = before.len();
            for p in before {
                deps.dependents[p].push(i);
            }
            producer.extend(valid(outputs, graph.tensor_count).map(|t| (t, i)));
        }
        deps
    }
}

/// How the nodes of one claimed subset use a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum VariableUse {
    Read,
    /// A node has it as an output; later reads in the subset see that value.
    Written,
    /// A node may have changed it in place.
    Updated,
}

#[derive(Default)]
struct VariableUses(HashMap<usize, VariableUse>);

impl VariableUses {
    /// Adds node `i`, unless the subset would then hold two values of one variable.
    fn admit(&mut self, graph: &PartitionInput<'_>, i: usize) -> bool {
        let (inputs, outputs) = graph.nodes[i];
        let variables = |list| valid(list, graph.tensor_count).filter(|&t| (graph.is_variable)(t));
        let reads_old = |t| match self.0.get(&t) {
            None => true,
            Some(VariableUse::Read | VariableUse::Written) => !graph.updates[i],
            Some(VariableUse::Updated) => false,
        };
        if !variables(inputs).all(reads_old) || variables(outputs).any(|t| self.0.contains_key(&t)) {
            return false;
        }
        let read = if graph.updates[i] { VariableUse::Updated } else { VariableUse::Read };
        variables(inputs).for_each(|t| _ = self.0.entry(t).or_insert(read));
        variables(outputs).for_each(|t| _ = self.0.insert(t, VariableUse::Written));
        true
    }
}

fn find_borders(graph: &PartitionInput<'_>, subset_of: &[usize], subsets: &mut [Subset]) {
    // A variable's producer is the last node that wrote it; before the first write, the previous invocation.
    let mut producer: HashMap<usize, usize> = HashMap::new();
    for (i, (_, outputs)) in graph.nodes.iter().enumerate() {
        let own = valid(outputs, graph.tensor_count).filter(|&t| !(graph.is_variable)(t));
        producer.extend(own.map(|t| (t, subset_of[i])));
    }
    for (i, (inputs, outputs)) in graph.nodes.iter().enumerate() {
        for t in valid(inputs, graph.tensor_count) {
            let from = producer.get(&t).copied();
            if from != Some(subset_of[i]) {
                subsets[subset_of[i]].inputs.push(t as i32);
                from.into_iter().for_each(|from| subsets[from].outputs.push(t as i32));
            }
        }
        for t in valid(outputs, graph.tensor_count).filter(|&t| (graph.is_variable)(t)) {
            producer.insert(t, subset_of[i]);
            subsets[subset_of[i]].outputs.push(t as i32);
        }
    }
    for t in valid(graph.outputs, graph.tensor_count) {
        if let Some(&from) = producer.get(&t) {
            subsets[from].outputs.push(t as i32);
        }
    }
    for subset in subsets {
        for list in [&mut subset.inputs, &mut subset.outputs] {
            list.sort_unstable();
            list.dedup();
        }
    }
}

fn valid(list: &[i32], count: usize) -> impl Iterator<Item = usize> + '_ {
    list.iter().filter_map(move |&t| usize::try_from(t).ok().filter(|&t| t < count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes_of(nodes: &[(&[i32], &[i32])], claimed: &[bool], outputs: &[i32]) -> Vec<(bool, Vec<usize>)> {
        let graph = PartitionInput {
            tensor_count: 16,
            nodes,
            outputs,
            claimed,
            stateful: &vec![false; nodes.len()],
            updates: &vec![false; nodes.len()],
            is_variable: &|_| false,
            weights: &vec![false; nodes.len()],
        };
        partition(&graph).into_iter().map(|s| (s.claimed, s.nodes)).collect()
    }

    /// t1 = sin(x), t2 = t1 + x, t3 = 2·x (tensor 9 is the 2), t4 = sin(t3), t5 = t2 + t4.
    const SUM_OF_SINES: &[(&[i32], &[i32])] =
        &[(&[0], &[1]), (&[1, 0], &[2]), (&[0, 9], &[3]), (&[3], &[4]), (&[2, 4], &[5])];

    #[test]
    fn sum_of_sines_gives_four_subsets() {
        let claimed = [true, false, false, true, false];
        let subsets = nodes_of(SUM_OF_SINES, &claimed, &[5]);
        assert_eq!(
            subsets,
            [(true, vec![0]), (false, vec![1, 2]), (true, vec![3]), (false, vec![4])],
            "{{SIN}} {{ADD, MUL}} {{SIN}} {{ADD}}"
        );
    }

    #[test]
    fn borders_hold_constants_and_graph_outputs_but_no_inner_tensors() {
        let graph = PartitionInput {
            tensor_count: 16,
            nodes: SUM_OF_SINES,
            outputs: &[5, 1],
            claimed: &[true, false, false, true, false],
            stateful: &[false; 5],
            updates: &[false; 5],
            is_variable: &|_| false,
            weights: &[false; 5],
        };
        let subsets = partition(&graph);
        assert_eq!((&subsets[0].inputs[..], &subsets[0].outputs[..]), (&[0][..], &[1][..]));
        assert_eq!((&subsets[1].inputs[..], &subsets[1].outputs[..]), (&[0, 1, 9][..], &[2, 3][..]));
        assert_eq!((&subsets[3].inputs[..], &subsets[3].outputs[..]), (&[2, 4][..], &[5][..]));
    }

    #[test]
    fn all_claimed_is_one_subset_and_absent_tensors_are_skipped() {
        let nodes: &[(&[i32], &[i32])] = &[(&[0, -1], &[1]), (&[1], &[2]), (&[2], &[3])];
        assert_eq!(nodes_of(nodes, &[true; 3], &[3, -1]), [(true, vec![0, 1, 2])]);
    }

    #[test]
    fn stateful_nodes_keep_their_order() {
        let nodes: &[(&[i32], &[i32])] = &[(&[0], &[1]), (&[0], &[2]), (&[0], &[3])];
        let claimed = [true, false, true];
        let graph = PartitionInput {
            tensor_count: 4,
            nodes,
            outputs: &[1, 2, 3],
            claimed: &claimed,
            stateful: &[true; 3],
            updates: &[false; 3],
            is_variable: &|_| false,
            weights: &[false; 3],
        };
        let kinds: Vec<_> = partition(&graph).into_iter().map(|s| s.nodes).collect();
        assert_eq!(kinds, [[0], [1], [2]]);
    }

    type SubsetParts = (Vec<usize>, Vec<i32>, Vec<i32>);

    /// Nodes, inputs and outputs of each subset. Tensor 9 is a variable; all nodes are claimed.
    fn with_a_variable(nodes: &[(&[i32], &[i32])], outputs: &[i32], updates: &[bool]) -> Vec<SubsetParts> {
        let touches = |(inputs, outputs): &(&[i32], &[i32])| inputs.contains(&9) || outputs.contains(&9);
        let graph = PartitionInput {
            tensor_count: 16,
            nodes,
            outputs,
            claimed: &vec![true; nodes.len()],
            stateful: &nodes.iter().map(touches).collect::<Vec<_>>(),
            updates,
            is_variable: &|t| t == 9,
            weights: &vec![false; nodes.len()],
        };
        partition(&graph).into_iter().map(|s| (s.nodes, s.inputs, s.outputs)).collect()
    }

    #[test]
    fn a_variable_is_read_before_it_is_written_in_another_subset() {
        // y = v + x; v = |y|
        let subsets = with_a_variable(&[(&[9, 0], &[1]), (&[1], &[9])], &[1], &[false; 2]);
        assert_eq!(subsets, [(vec![0], vec![0, 9], vec![1]), (vec![1], vec![1], vec![9])]);
    }

    #[test]
    fn a_written_variable_is_read_in_the_same_subset_and_leaves_it() {
        // v = x + x; y = |v|
        let subsets = with_a_variable(&[(&[0, 0], &[9]), (&[9], &[1])], &[1], &[false; 2]);
        assert_eq!(subsets, [(vec![0, 1], vec![0], vec![1, 9])]);
    }

    #[test]
    fn each_write_of_a_variable_has_a_subset_of_its_own() {
        // v = x + x; v = |x|; y = v + x
        let subsets = with_a_variable(&[(&[0], &[9]), (&[0], &[9]), (&[9, 0], &[1])], &[1], &[false; 3]);
        assert_eq!(subsets, [(vec![0], vec![0], vec![9]), (vec![1, 2], vec![0], vec![1, 9])]);
    }

    #[test]
    fn what_an_op_changed_in_place_is_read_in_a_later_subset() {
        // LSTM(x, v) ─► y; z = |v|
        let subsets = with_a_variable(&[(&[0, 9], &[1]), (&[9], &[2])], &[1, 2], &[true, false]);
        assert_eq!(subsets, [(vec![0], vec![0, 9], vec![1]), (vec![1], vec![9], vec![2])]);
    }

    /// Tensors 10 and 11 are made of constants; the node between their readers is the host's.
    #[test]
    fn weights_go_where_they_are_read() {
        let nodes: &[(&[i32], &[i32])] =
            &[(&[8], &[10]), (&[9], &[11]), (&[0], &[1]), (&[1, 10], &[2]), (&[2], &[3]), (&[3, 11], &[4])];
        let of = |claimed: &[bool]| {
            let (stateful, weights) = (&[false; 6], &[true, true, false, false, false, false]);
            let updates = stateful;
            let is_variable = &|_| false;
            let graph = PartitionInput {
                tensor_count: 16,
                nodes,
                outputs: &[4],
                claimed,
                stateful,
                updates,
                is_variable,
                weights,
            };
            partition(&graph).into_iter().map(|s| (s.claimed, s.nodes, s.outputs)).collect::<Vec<_>>()
        };
        let want = [
            (false, vec![2], vec![1]),
            (true, vec![0, 3], vec![2]),
            (false, vec![4], vec![3]),
            (true, vec![1, 5], vec![4]),
        ];
        assert_eq!(of(&[true, true, false, true, false, true]), want);
        // Weight nodes that are not claimed run in the first subset that can hold them.
        let want = [(false, vec![0, 1, 2], vec![1, 10, 11]), (true, vec![3, 4, 5], vec![4])];
        assert_eq!(of(&[false, false, false, true, true, true]), want);
    }

    #[test]
    fn a_hundred_thousand_alternating_nodes_take_linear_time() {
        let n = 100_000;
        let lists: Vec<[i32; 1]> = (0..=n).map(|t| [t]).collect();
        let nodes: Vec<(&[i32], &[i32])> =
            (0..n as usize).map(|i| (&lists[i][..], &lists[i + 1][..])).collect();
        let claimed: Vec<bool> = (0..n).map(|i| i % 2 == 0).collect();
        let graph = PartitionInput {
            tensor_count: n as usize + 1,
            nodes: &nodes,
            outputs: &[n],
            claimed: &claimed,
            stateful: &vec![false; n as usize],
            updates: &vec![false; n as usize],
            is_variable: &|_| false,
            weights: &vec![false; n as usize],
        };
        assert_eq!(partition(&graph).len(), n as usize);
    }
}
