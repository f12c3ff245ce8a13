//! Delegate partitioning in rounds: the nodes that one delegate claims for kernels of several kinds.

use super::partition::{PartitionInput, Subset, partition};

/// Cuts the graph into subsets. A node with a round is claimed in it. Rounds are cut one after the other, in ascending
/// order; each sees the claimed subsets of earlier rounds as single nodes that it does not claim. `claimed` of the
/// graph is not read.
pub(crate) fn partition_in_rounds(graph: &PartitionInput<'_>, rounds: &[Option<u32>]) -> Vec<Subset> {
    let mut order: Vec<u32> = rounds.iter().flatten().copied().collect();
    order.sort_unstable();
    order.dedup();
    if order.len() < 2 {
        let claimed: Vec<bool> = rounds.iter().map(Option::is_some).collect();
        return partition(&PartitionInput { claimed: &claimed, ..*graph });
    }
    let single = |(i, (inputs, outputs)): (usize, &(&[i32], &[i32]))| Subset {
        claimed: false,
        nodes: vec![i],
        inputs: inputs.to_vec(),
        outputs: outputs.to_vec(),
    };
    let mut items: Vec<Subset> = graph.nodes.iter().enumerate().map(single).collect();
    for round in order {
        let is_in = |item: &Subset| !item.claimed && rounds[item.nodes[0]] == Some(round);
        let claimed: Vec<bool> = items.iter().map(is_in).collect();
        let subsets = cut(graph, &items, &claimed);
        items = merge(items, subsets);
    }
    items
}

/// Cuts a graph whose nodes are `items`.
fn cut(graph: &PartitionInput<'_>, items: &[Subset], claimed: &[bool]) -> Vec<Subset> {
    let any = |of: &[bool]| -> Vec<bool> {
        items.iter().map(|item| item.nodes.iter().any(|&node| of[node])).collect()
    };
    let nodes: Vec<(&[i32], &[i32])> =
        items.iter().map(|item| (&item.inputs[..], &item.outputs[..])).collect();
    let weights: Vec<bool> = items.iter().map(|item| !item.claimed && graph.weights[item.nodes[0]]).collect();
    partition(&PartitionInput {
        nodes: &nodes,
        claimed,
        stateful: &any(graph.stateful),
        updates: &any(graph.updates),
        weights: &weights,
        ..*graph
    })
}

/// Replaces the items of each claimed subset by one item.
fn merge(items: Vec<Subset>, subsets: Vec<Subset>) -> Vec<Subset> {
    let mut items: Vec<Option<Subset>> = items.into_iter().map(Some).collect();
    let mut merged = Vec::with_capacity(items.len());
    for mut subset in subsets {
        let members: Vec<Subset> = subset.nodes.iter().filter_map(|&i| items[i].take()).collect();
        if !subset.claimed {
            merged.extend(members);
            continue;
        }
        subset.nodes = members.into_iter().flat_map(|member| member.nodes).collect();
        subset.nodes.sort_unstable();
        merged.push(subset);
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0: x → a, 1: x → b, 2: a → c, 3: b, c → y.
    const FAN: &[(&[i32], &[i32])] = &[(&[0], &[1]), (&[0], &[2]), (&[1], &[3]), (&[2, 3], &[4])];

    /// Claimed or not, nodes, inputs and outputs.
    type Parts = (bool, Vec<usize>, Vec<i32>, Vec<i32>);

    fn cut_fan(rounds: &[Option<u32>]) -> Vec<Parts> {
        let none = [false; 4];
        let graph = PartitionInput {
            tensor_count: 5,
            nodes: FAN,
            outputs: &[4],
            claimed: &[],
            stateful: &none,
            updates: &none,
            is_variable: &|_| false,
            weights: &none,
        };
        let subsets = partition_in_rounds(&graph, rounds);
        subsets.into_iter().map(|s| (s.claimed, s.nodes, s.inputs, s.outputs)).collect()
    }

    #[test]
    fn one_round_is_a_plain_partition() {
        let subsets = cut_fan(&[Some(3), None, Some(3), None]);
        assert_eq!(subsets[0], (true, vec![0, 2], vec![0], vec![3]));
        assert_eq!(subsets[1], (false, vec![1, 3], vec![0, 3], vec![4]));
    }

    #[test]
    fn nodes_of_two_rounds_share_no_subset() {
        let subsets = cut_fan(&[Some(0), Some(1), Some(0), None]);
        let want = [
            (true, vec![0, 2], vec![0], vec![3]),
            (true, vec![1], vec![0], vec![2]),
            (false, vec![3], vec![2, 3], vec![4]),
        ];
        assert_eq!(subsets, want);
    }

    #[test]
    fn a_later_round_sees_an_earlier_subset_as_one_node() {
        // Round 0 joins nodes 1 and 2, so that node 3 waits for node 0 and cannot join it.
        let subsets = cut_fan(&[Some(1), Some(0), Some(0), Some(1)]);
        let nodes: Vec<_> = subsets.iter().map(|(claimed, nodes, ..)| (*claimed, nodes.clone())).collect();
        assert_eq!(nodes, [(true, vec![0]), (true, vec![1, 2]), (true, vec![3])]);
    }
}
