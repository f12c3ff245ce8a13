//! `greedy-in-order`: a record reuses the free object whose size differs least from its own; the object grows if
//! necessary. A new object is only made if none is free.
//!
//! ```text
//! free      ▇▇▇▇    ▇▇▇▇▇▇▇    ▇▇▇▇▇▇▇▇▇▇▇▇        record  ▇▇▇▇▇▇  reuses the second, which wastes 1;
//!            4         7            12                       6     the first would have to grow by 2
//! ```
//!
//! Defined by: tflite/delegates/gpu/common/memory_management/greedy_in_order_assignment.h. Records are assigned by
//! first node. If a larger and a smaller object differ by the same amount, the larger one is used; of equal ones, the
//! lowest number if they are large enough, else the highest. Takes O(n log n).
//!
//! There are two more forms: [`assign_reallocating`] for operations that run in any order, [`assign_textures`] for
//! sizes of several extents.

use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::vec::Vec;
use arenite_abi::planner::Assign;
use arenite_abi::prelude::*;

use crate::in_use::ObjectsInUse;
use crate::objects::{self, Objects};
use crate::reallocation;
use crate::shared;
use crate::usage::{self, Usage};
use crate::validate;

/// The planner `greedy-in-order`.
pub struct GreedyInOrder;

impl Planner for GreedyInOrder {
    const NAME: &'static str = "greedy-in-order";

    const ASSIGN: Option<Assign> = Some(|request, objects| match (request.extents, request.readers) {
        (1, Some(readers)) => {
            let graph = reallocation::graph(&shared::lists(readers))?;
            shared::write(
                &assign_reallocating(&shared::records(request), &graph)?,
                |size| [size, 1, 1],
                objects,
            )
        }
        (1, None) => shared::bytes(request, objects, assign),
        _ => shared::any(request, objects, assign_textures),
    });

    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()> {
        objects::answer(request, assignment, assign)
    }
}

/// Shared objects for `records`.
///
/// # Errors
/// A record is malformed.
pub fn assign(records: &[UsageRecord]) -> Result<Objects> {
    in_order(records, |i, pool| {
        let size = records[i].size;
        let smaller = pool.waiting.range(..(size, 0)).next_back();
        let larger = pool.waiting.range((size, 0)..).next();
        let chosen = match (smaller, larger) {
            (Some(smaller), Some(larger)) if size - smaller.0 < larger.0 - size => Some(smaller),
            (smaller, larger) => larger.or(smaller),
        };
        chosen.map(|&(_, object)| object)
    })
}

/// Shared objects for `records` where a record may reuse an object only after one that `graph` connects it with: the
/// result of [`reallocation::graph`] for operations that run in any order. Of objects that differ by the same amount
/// the smaller one is used, then the lowest number.
///
/// Takes O(n log n + e) for e edges.
///
/// # Errors
/// A record is malformed or `graph` is not a list of record numbers per record.
pub fn assign_reallocating(records: &[UsageRecord], graph: &[Vec<u32>]) -> Result<Objects> {
    let givers = reallocation::transposed(graph, records.len())?;
    in_order(records, |i, pool| {
        let waiting = givers[i].iter().filter_map(|&giver| {
            let object = *pool.objects.ids.get(giver as usize)?;
            let waits = records[giver as usize].last_node < records[i].first_node;
            (waits && pool.last_user.get(object as usize) == Some(&giver)).then_some(object)
        });
        let room = |object: u32| pool.objects.sizes[object as usize];
        waiting.min_by_key(|&object| (room(object).abs_diff(records[i].size), room(object), object))
    })
}

/// The objects during the assignment.
struct Pool {
    objects: Objects,
    in_use: ObjectsInUse,
    /// The size and number of each free object.
    waiting: BTreeSet<(u64, u32)>,
    /// For each object, the last record that was assigned to it.
    last_user: Vec<u32>,
}

/// Assigns the records by first node; `choose` picks a free object for a record, if it is to reuse one.
fn in_order(records: &[UsageRecord], choose: impl Fn(usize, &Pool) -> Option<u32>) -> Result<Objects> {
    validate::records(records)?;
    let objects = Objects::for_records(records.len());
    let mut pool =
        Pool { objects, in_use: ObjectsInUse::default(), waiting: BTreeSet::new(), last_user: Vec::new() };
    for i in usage::by_first_node(&usage::of_records(records)) {
        let UsageRecord { size, first_node, last_node, .. } = records[i as usize];
        while let Some(released) = pool.in_use.take_before(first_node) {
            pool.waiting.insert((pool.objects.sizes[released as usize], released));
        }
        let object = match choose(i as usize, &pool) {
            Some(object) => {
                pool.waiting.remove(&(pool.objects.sizes[object as usize], object));
                pool.objects.put(i, object, size);
                pool.last_user[object as usize] = i;
                object
            }
            None => {
                pool.last_user.push(i);
                pool.objects.add(i, size)
            }
        };
        pool.in_use.insert(last_node, object);
    }
    Ok(pool.objects)
}

/// Shared objects for textures: an object must cover a record in each extent, and never grows. Of several, the one with
/// the fewest elements is used, then the one that was released first.
///
/// Takes O(n (d + log n)) for d different sizes.
///
/// # Errors
/// A lifetime ends before it starts.
pub fn assign_textures<E: Extent, const N: usize>(usages: &[Usage<[E; N]>]) -> Result<Objects<[E; N]>> {
    validate::usages(usages)?;
    let mut objects = Objects::for_records(usages.len());
    let mut in_use = ObjectsInUse::default();
    // The free objects of one size, each with its position in the order of all releases.
    let mut waiting: BTreeMap<[E; N], VecDeque<(u64, u32)>> = BTreeMap::new();
    let mut releases = 0;
    for i in usage::by_first_node(usages) {
        let Usage { size, life: (first, last) } = usages[i as usize];
        while let Some(released) = in_use.take_before(first) {
            waiting.entry(objects.sizes[released as usize]).or_default().push_back((releases, released));
            releases += 1;
        }
        // Sizes that cover this one come after it in sort order.
        let covering =
            waiting.range_mut(size..).filter(|(room, queue)| covers(room, &size) && !queue.is_empty());
        let best = covering.min_by_key(|(room, queue)| (elements(room), queue.front().copied()));
        let object = match best.and_then(|(_, queue)| queue.pop_front()) {
            Some((_, object)) => object,
            None => objects.add(i, size),
        };
        objects.ids[i as usize] = object;
        in_use.insert(last, object);
    }
    Ok(objects)
}

/// Elements along an axis.
pub trait Extent: Ord + Copy + Into<u128> {}
impl Extent for u32 {}
impl Extent for u64 {}

fn covers<E: Extent, const N: usize>(room: &[E; N], size: &[E; N]) -> bool {
    room.iter().zip(size).all(|(room, size)| room >= size)
}

fn elements<E: Extent, const N: usize>(size: &[E; N]) -> u128 {
    size.iter().fold(1, |product: u128, &extent| product.saturating_mul(extent.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic;

    #[test]
    fn classic_cases() {
        classic::check(assign, &classic::CHAIN, &[0, 1, 0, 1, 0], &[64, 32]);
        classic::check(assign, &classic::COMPLEX, &[0, 1, 0, 2, 3, 1, 3, 2, 0], &[32, 64, 16, 8]);
        classic::check_small(assign);
    }

    /// `UInt2Records` and `UInt3Records`.
    #[test]
    fn textures() {
        let sizes = [[2, 8], [2, 8], [1, 12], [8, 2]];
        classic::check_any(assign_textures, &classic::TEXTURES, &[0, 1, 2, 0, 3, 1, 2, 0, 3], &sizes);
        let sizes = [[1, 2, 8], [4, 3, 2], [2, 4, 1], [8, 1, 2]];
        classic::check_any(assign_textures, &classic::VOLUMES, &[0, 1, 0, 2, 1, 3, 2, 0, 1], &sizes);
    }

    /// 2³² · 2³² elements overflow 64 bits to 0.
    #[test]
    fn elements_do_not_overflow() {
        let usages = [
            Usage::new([u32::MAX; 4], 0, 0),
            Usage::new([u32::MAX, 1, 1, 1], 0, 0),
            Usage::new([9, 1, 1, 1], 1, 1),
        ];
        assert_eq!(assign_textures(&usages).unwrap().ids, [0, 1, 1]);
    }

    #[test]
    fn of_equal_differences_the_larger_object_is_used() {
        // 10 and 14 are free: 12 reuses the larger one, 11 the smaller one, which grows.
        classic::check(assign, &[(10, 0, 0), (14, 0, 0), (12, 1, 1)], &[0, 1, 1], &[10, 14]);
        classic::check(assign, &[(10, 0, 0), (14, 0, 0), (11, 1, 1)], &[0, 1, 0], &[11, 14]);
        // Of equal objects, the first is used if they are large enough, else the last.
        classic::check(assign, &[(10, 0, 0), (10, 0, 0), (9, 1, 1)], &[0, 1, 0], &[10, 10]);
        classic::check(assign, &[(10, 0, 0), (10, 0, 0), (11, 1, 1)], &[0, 1, 1], &[10, 11]);
    }

    /// The chain's operations in any order: a tensor reuses the memory of one at least two before it.
    #[test]
    fn reallocation() {
        let dependencies = [vec![1], vec![2], vec![3], vec![4], vec![]];
        let graph = reallocation::graph(&dependencies).unwrap();
        let chain = classic::records(&classic::CHAIN);
        let objects = assign_reallocating(&chain, &graph).unwrap();
        assert_eq!(objects, Objects { ids: vec![0, 1, 0, 1, 0], sizes: vec![64, 32] });
        // 2 may not reuse the memory of 0, so it gets its own; 3 may reuse only 0's.
        let graph = [vec![3], vec![4], vec![], vec![0], vec![1]];
        let objects = assign_reallocating(&chain, &graph).unwrap();
        assert_eq!(objects, Objects { ids: vec![0, 1, 2, 0, 1], sizes: vec![32, 8, 64] });
        // 10 and 14 are free and both may be reused. The smaller one is, and grows.
        let records = classic::records(&[(10, 0, 0), (14, 0, 0), (12, 1, 1)]);
        let objects = assign_reallocating(&records, &[vec![2], vec![2], vec![0, 1]]).unwrap();
        assert_eq!(objects, Objects { ids: vec![0, 1, 0], sizes: vec![12, 14] });
        let error = assign_reallocating(&records, &[vec![2], vec![2]]).unwrap_err();
        assert_eq!(error.message(), "the graph has 2 records, expected 3");
    }
}
