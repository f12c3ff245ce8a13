//! Verifies signatures: indices of subgraphs and tensors, and that names of inputs and outputs are unique. Several
//! signatures can have the same key, as in TFLite; the first one has it.

use core::cmp::Ordering;

use super::check::{Check, check_index};
use crate::detail::detail;
use crate::error::ModelError;
use crate::path::Path;
use crate::schema::{ModelTable, SignatureDef, Tables, TensorMap};

/// Verifies all signatures. `scratch` has one entry per name of the longest list.
pub(super) fn verify(root: ModelTable<'_>, scratch: &mut [u32]) -> Check {
    let signatures = root.signature_defs();
    for (index, signature) in signatures.iter().enumerate() {
        let path = Path::root().entry("signature_defs", index);
        verify_one(root, signature, path, scratch)?;
    }
    Ok(())
}

fn verify_one(root: ModelTable<'_>, signature: SignatureDef<'_>, path: Path, scratch: &mut [u32]) -> Check {
    if signature.signature_key().is_none() {
        return Err(ModelError::Missing { path: path.field("signature_key") });
    }
    let (subgraph, count) = (i64::from(signature.subgraph_index()), root.subgraphs().len());
    let subgraph = check_index(subgraph, count, "subgraph", "model", || path.field("subgraph_index"))?;
    let tensors = root.subgraphs().get(subgraph).map_or(0, |graph| graph.tensors().len());
    names(signature.inputs(), tensors, "inputs", path, scratch)?;
    names(signature.outputs(), tensors, "outputs", path, scratch)
}

fn names<'a>(
    list: Tables<'a, TensorMap<'a>>,
    tensors: usize,
    field: &'static str,
    path: Path,
    scratch: &mut [u32],
) -> Check {
    for (index, entry) in list.iter().enumerate() {
        let at = || path.entry(field, index);
        if entry.name().is_none() {
            return Err(ModelError::Missing { path: at().field("name") });
        }
        let tensor = i64::from(entry.tensor_index());
        check_index(tensor, tensors, "tensor", "subgraph", || at().field("tensor_index"))?;
    }
    let name = |index| list.get(index).and_then(|entry| entry.name()).unwrap_or("");
    unique(list.len(), &name, &|index| path.entry(field, index).field("name"), scratch)
}

/// Checks that no name occurs twice: sorts the indices by name, then compares neighbours.
fn unique<'a>(
    count: usize,
    name: &dyn Fn(usize) -> &'a str,
    path: &dyn Fn(usize) -> Path,
    scratch: &mut [u32],
) -> Check {
    let needed = ModelError::ScratchTooSmall { given: detail(scratch.len()), needed: count };
    let order = scratch.get_mut(..count).ok_or(needed)?;
    order.iter_mut().zip(0..).for_each(|(entry, index)| *entry = index);
    sort(order, &|a, b| name(a as usize).cmp(name(b as usize)).then(a.cmp(&b)));
    for pair in order.windows(2) {
        if let &[first, second] = pair
            && name(first as usize) == name(second as usize)
        {
            return Err(ModelError::DuplicateName {
                path: path(second as usize),
                first: detail(first as usize),
            });
        }
    }
    Ok(())
}

#[cfg(feature = "alloc")]
fn sort(list: &mut [u32], compare: &dyn Fn(u32, u32) -> Ordering) {
    list.sort_unstable_by(|&a, &b| compare(a, b));
}

/// Heapsort for small machines: half as fast as the standard library's sort, but a hundred bytes of code instead of
/// thousands.
///
/// Invariant: entries after `sorted` are in order and not less than those before it, which form a heap: no entry i is
/// less than its children 2i + 1 and 2i + 2.
#[cfg(any(test, not(feature = "alloc")))]
fn heap_sort(list: &mut [u32], compare: &dyn Fn(u32, u32) -> Ordering) {
    let count = list.len();
    for step in (0..count + count / 2).rev() {
        let (root, sorted) = if step < count { (0, step) } else { (step - count, count) };
        if step < count {
            list.swap(0, step);
        }
        sift(&mut list[..sorted], root, compare);
    }
}

#[cfg(not(feature = "alloc"))]
use heap_sort as sort;

/// Restores the heap property at entry `root`.
#[cfg(any(test, not(feature = "alloc")))]
fn sift(heap: &mut [u32], mut root: usize, compare: &dyn Fn(u32, u32) -> Ordering) {
    let is_below = |a: u32, b: u32| compare(a, b).is_lt();
    loop {
        let children = 2 * root + 1..(2 * root + 3).min(heap.len());
        let Some(largest) = children.reduce(|a, b| if is_below(heap[a], heap[b]) { b } else { a }) else {
            return;
        };
        if !is_below(heap[root], heap[largest]) {
            return;
        }
        heap.swap(root, largest);
        root = largest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_all_lengths_are_sorted() {
        let mut random = 1u32;
        for count in 0..100 {
            let mut list: Vec<u32> = (0..count)
                .map(|_| {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    random >> 28
                })
                .collect();
            let mut expected = list.clone();
            expected.sort_unstable();
            heap_sort(&mut list, &|a, b| a.cmp(&b));
            assert_eq!(list, expected);
        }
    }
}
