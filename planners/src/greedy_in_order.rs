//! `greedy-in-order`: a record takes over the object, among those whose record has died, whose size differs least from
//! its own; the object grows if it must. No object is made while one waits.
//!
//! ```text
//! waiting   ▇▇▇▇    ▇▇▇▇▇▇▇    ▇▇▇▇▇▇▇▇▇▇▇▇        record  ▇▇▇▇▇▇  takes the second, which wastes 1;
//!            4         7            12                       6     the first would have to grow by 2
//! ```
//!
//! Defined by: tflite/delegates/gpu/common/memory_management/greedy_in_order_assignment.h. Records are taken by first
//! node. Of a larger and a smaller object that differ as much the larger is taken; of equal ones, if they are large
//! enough, that with the lowest number, else that with the highest. Takes O(n log n).
//!
//! Two forms besides: [`assign_reallocating`] for operations that run in any order, [`assign_textures`] for sizes of
//! several extents.

use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::vec::Vec;
use arenite_abi::planner::Assign;
use arenite_abi::prelude::*;

use crate::in_use::InUse;
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

/// Shared objects for `records`. An error if a record is malformed.
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

/// Shared objects for `records` where a record may take over an object only from one that `graph` joins it with: what
/// [`reallocation::graph`] gives for operations that run in any order. Of objects that
/// differ as much the smaller is taken, then that with the lowest number. An error if a record is malformed or `graph`
/// is not a list of record numbers per record.
///
/// Takes O(n log n + e) for e edges.
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

/// Objects while records get theirs.
struct Pool {
    objects: Objects,
    in_use: InUse,
    /// Size and number of those that are not in use.
    waiting: BTreeSet<(u64, u32)>,
    /// Per object the last record that got it.
    last_user: Vec<u32>,
}

/// Takes the records by first node; `choose` names the waiting object for a record, if it is to have one.
fn in_order(records: &[UsageRecord], choose: impl Fn(usize, &Pool) -> Option<u32>) -> Result<Objects> {
    validate::records(records)?;
    let objects = Objects::for_records(records.len());
    let mut pool =
        Pool { objects, in_use: InUse::default(), waiting: BTreeSet::new(), last_user: Vec::new() };
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

/// Shared objects for textures: an object must cover a record in each of its extents, and never grows. Of those that do,
/// the one with the fewest elements is taken, then that which was released first. An error if a life ends before it
/// begins.
///
/// Takes O(n (d + log n)) for d different sizes.
pub fn assign_textures<E: Extent, const N: usize>(usages: &[Usage<[E; N]>]) -> Result<Objects<[E; N]>> {
    validate::usages(usages)?;
    let mut objects = Objects::for_records(usages.len());
    let mut in_use = InUse::default();
    // Objects of one size, each with its place in the order of all releases.
    let mut waiting: BTreeMap<[E; N], VecDeque<(u64, u32)>> = BTreeMap::new();
    let mut releases = 0;
    for i in usage::by_first_node(usages) {
        let Usage { size, life: (first, last) } = usages[i as usize];
        while let Some(released) = in_use.take_before(first) {
            waiting.entry(objects.sizes[released as usize]).or_default().push_back((releases, released));
            releases += 1;
        }
        // What covers a size does not come before it in their order.
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

    /// 2³² · 2³² elements are more than 64 bits tell apart from none.
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
    fn larger_and_smaller_objects() {
        // 10 and 14 wait: 12 takes the larger, 11 the smaller, which grows.
        classic::check(assign, &[(10, 0, 0), (14, 0, 0), (12, 1, 1)], &[0, 1, 1], &[10, 14]);
        classic::check(assign, &[(10, 0, 0), (14, 0, 0), (11, 1, 1)], &[0, 1, 0], &[11, 14]);
        // Of equal ones the first if they are large enough, the last if not.
        classic::check(assign, &[(10, 0, 0), (10, 0, 0), (9, 1, 1)], &[0, 1, 0], &[10, 10]);
        classic::check(assign, &[(10, 0, 0), (10, 0, 0), (11, 1, 1)], &[0, 1, 1], &[10, 11]);
    }

    /// The chain's operations in any order: a tensor takes over from those at least two before it.
    #[test]
    fn reallocation() {
        let dependencies = [vec![1], vec![2], vec![3], vec![4], vec![]];
        let graph = reallocation::graph(&dependencies).unwrap();
        let chain = classic::records(&classic::CHAIN);
        let objects = assign_reallocating(&chain, &graph).unwrap();
        assert_eq!(objects, Objects { ids: vec![0, 1, 0, 1, 0], sizes: vec![64, 32] });
        // 2 may not take over from 0: it waits for nobody, and 3 from 0 only.
        let graph = [vec![3], vec![4], vec![], vec![0], vec![1]];
        let objects = assign_reallocating(&chain, &graph).unwrap();
        assert_eq!(objects, Objects { ids: vec![0, 1, 2, 0, 1], sizes: vec![32, 8, 64] });
        // 10 and 14 wait and may both be taken: the smaller is, which must grow.
        let records = classic::records(&[(10, 0, 0), (14, 0, 0), (12, 1, 1)]);
        let objects = assign_reallocating(&records, &[vec![2], vec![2], vec![0, 1]]).unwrap();
        assert_eq!(objects, Objects { ids: vec![0, 1, 0], sizes: vec![12, 14] });
        let error = assign_reallocating(&records, &[vec![2], vec![2]]).unwrap_err();
        assert_eq!(error.message(), "a graph of 2 records, there are 3");
    }
}
