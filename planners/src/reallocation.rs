//! Which records may share memory for any order of independent operations.
//!
//! ```text
//!       ┌► 2 ►┐
//! 0 ► 1 ┤     ├► 4        4 may reuse 1: it is computed from both 2 and 3, so all readers of 1 have run.
//!       └► 3 ►┘           3 may not reuse 2: they may be computed at the same time.
//! ```
//!
//! Defined by: tflite/delegates/gpu/common/memory_management/types.cc (`ReallocationGraph`).

use alloc::vec;
use alloc::vec::Vec;
use arenite_abi::prelude::*;

use crate::order;
use crate::work::WorkLimit;

/// For each record, the records that it may share memory with, ascending: `a` and `b` may share memory if `b` is
/// computed from every record that is computed from `a`, or the other way round. `dependencies` lists for each record
/// the records that are computed from it.
///
/// Takes O(e (n + e)) for e dependencies.
///
/// # Errors
/// A dependency names a record that does not exist, or after 2³² steps.
pub fn graph(dependencies: &[Vec<u32>]) -> Result<Vec<Vec<u32>>> {
    check(dependencies, dependencies.len())?;
    let mut graph = vec![Vec::new(); dependencies.len()];
    let mut work = WorkLimit::of(1 << 32);
    // For each record, the number of readers of one record from which it is reached, and the last of them.
    let mut reached = vec![0; dependencies.len()];
    let mut reached_by = vec![u64::MAX; dependencies.len()];
    let mut walk = 0;
    for (record, readers) in dependencies.iter().enumerate().filter(|(_, readers)| !readers.is_empty()) {
        let mut seen = Vec::new();
        for &reader in readers {
            let mut queue = vec![reader];
            reached_by[reader as usize] = walk;
            while let Some(at) = queue.pop() {
                let next = &dependencies[at as usize];
                work.spend(1 + next.len());
                for &next in next
                    .iter()
                    .filter(|&&next| core::mem::replace(&mut reached_by[next as usize], walk) != walk)
                {
                    reached[next as usize] += 1;
                    seen.push(next);
                    queue.push(next);
                }
            }
            walk += 1;
            ensure!(!work.is_spent(), "the reallocation graph needs more than 2^32 steps");
        }
        for other in seen {
            if core::mem::take(&mut reached[other as usize]) == readers.len() {
                graph[record].push(other);
                graph[other as usize].push(record as u32);
            }
        }
    }
    graph.iter_mut().for_each(|others| {
        order::sort_by_key(others, |other| other);
        others.dedup();
    });
    Ok(graph)
}

/// The edges in reverse.
pub(crate) fn transposed(graph: &[Vec<u32>], records: usize) -> Result<Vec<Vec<u32>>> {
    check(graph, records)?;
    let mut transposed = vec![Vec::new(); records];
    for (from, to) in (0..).zip(graph) {
        to.iter().for_each(|&to| transposed[to as usize].push(from));
    }
    Ok(transposed)
}

fn check(graph: &[Vec<u32>], records: usize) -> Result<()> {
    ensure!(graph.len() == records, "the graph has {} records, expected {records}", graph.len());
    for (record, others) in graph.iter().enumerate() {
        if let Some(other) = others.iter().find(|&&other| other as usize >= records) {
            return Err(invalid!(
                "record {record} has an edge to record {other}, but there are {records} records"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From types_test.cc.
    #[test]
    fn classic_cases() {
        assert!(graph(&[]).unwrap().is_empty());
        assert_eq!(graph(&[vec![1], vec![]]).unwrap(), [vec![], vec![]]);
        let chain = graph(&[vec![1], vec![2], vec![3], vec![4], vec![]]).unwrap();
        assert_eq!(chain, [vec![2, 3, 4], vec![3, 4], vec![0, 4], vec![0, 1], vec![0, 1, 2]]);
        let complex: [&[u32]; 12] =
            [&[1], &[2, 3, 4], &[7], &[5], &[7], &[6], &[7], &[8, 9], &[10], &[10], &[11], &[]];
        let expected: [&[u32]; 12] = [
            &[2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
            &[7, 8, 9, 10, 11],
            &[0, 8, 9, 10, 11],
            &[0, 6, 7, 8, 9, 10, 11],
            &[0, 8, 9, 10, 11],
            &[0, 7, 8, 9, 10, 11],
            &[0, 3, 8, 9, 10, 11],
            &[0, 1, 3, 5, 10, 11],
            &[0, 1, 2, 3, 4, 5, 6, 11],
            &[0, 1, 2, 3, 4, 5, 6, 11],
            &[0, 1, 2, 3, 4, 5, 6, 7],
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        ];
        assert_eq!(graph(&complex.map(<[u32]>::to_vec)).unwrap(), expected.map(<[u32]>::to_vec));
    }

    #[test]
    fn cycles_do_not_hang() {
        assert_eq!(graph(&[vec![1], vec![2], vec![0]]).unwrap().len(), 3);
        assert_eq!(graph(&[vec![0]]).unwrap().len(), 1);
    }

    #[test]
    fn refusals() {
        let error = graph(&[vec![1], vec![2]]).unwrap_err();
        assert_eq!(error.message(), "record 1 has an edge to record 2, but there are 2 records");
        assert_eq!(transposed(&[], 1).unwrap_err().message(), "the graph has 0 records, expected 1");
    }
}
