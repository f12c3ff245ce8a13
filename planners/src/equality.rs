//! `equality`: a record reuses a free object of exactly its size; if several are free, the one that was released last.
//!
//! Defined by: tflite/delegates/gpu/common/memory_management/equality_assignment.h (`EqualityAssignmentWithHash`).
//! Records are assigned by first node. Objects are released by last node, then by number. Takes O(n log n).

use alloc::vec::Vec;
use arenite_abi::planner::Assign;
use arenite_abi::prelude::*;

use crate::in_use::{FreeObjects, Latest, ObjectsInUse};
use crate::objects::{self, Objects};
use crate::shared;
use crate::usage::{self, Usage};
use crate::validate;

/// The planner `equality`.
pub struct Equality;

impl Planner for Equality {
    const NAME: &'static str = "equality";

    const ASSIGN: Option<Assign> = Some(|request, objects| shared::any(request, objects, assign_any));

    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()> {
        objects::answer(request, assignment, assign)
    }
}

/// Shared objects for `records`.
///
/// # Errors
/// A record is malformed.
pub fn assign(records: &[UsageRecord]) -> Result<Objects> {
    validate::records(records)?;
    assign_any(&usage::of_records(records))
}

/// Shared objects for sizes of any kind: bytes, shapes, textures.
///
/// # Errors
/// A lifetime ends before it starts.
pub fn assign_any<S: Ord + Copy>(usages: &[Usage<S>]) -> Result<Objects<S>> {
    assign_waiting::<S, Latest>(usages)
}

/// The same with any rule for choosing among the free objects.
pub(crate) fn assign_waiting<S: Ord + Copy, W: FreeObjects>(usages: &[Usage<S>]) -> Result<Objects<S>> {
    validate::usages(usages)?;
    let (class, count) = usage::classes(usages);
    let mut waiting = alloc::vec![W::default(); count];
    let mut in_use = ObjectsInUse::default();
    let mut objects = Objects::for_records(usages.len());
    let mut class_of = Vec::new();
    for i in usage::by_first_node(usages) {
        let Usage { size, life: (first, last) } = usages[i as usize];
        while let Some(released) = in_use.take_before(first) {
            waiting[class_of[released as usize] as usize].put(released);
        }
        let class = class[i as usize];
        let object = match waiting[class as usize].take() {
            Some(object) => object,
            None => {
                class_of.push(class);
                objects.add(i, size)
            }
        };
        objects.ids[i as usize] = object;
        in_use.insert(last, object);
    }
    Ok(objects)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic;

    #[test]
    fn classic_cases() {
        classic::check(assign, &classic::CHAIN, &[0, 1, 2, 3, 1], &[16, 8, 64, 32]);
        classic::check(assign, &classic::COMPLEX, &[0, 1, 2, 3, 4, 5, 4, 2, 3], &[32, 32, 8, 16, 8, 64]);
        classic::check_small(assign);
    }

    /// `BHWCRecords`: shapes of 16 elements. TensorFlow Lite assigns six objects by shape; their bytes need three.
    #[test]
    fn shapes_are_assigned_by_their_bytes() {
        let lives = [(0, 1), (1, 2), (2, 4), (3, 5), (4, 5), (5, 7), (6, 8), (7, 8), (8, 9)];
        let list = lives.map(|(first, last)| (16 * 4, first, last));
        classic::check(assign, &list, &[0, 1, 0, 1, 2, 0, 2, 1, 0], &[64; 3]);
    }

    /// Objects 0, 1, 2 are released in the order 2, 0, 1: the next record reuses 1.
    #[test]
    fn released_last_is_used_first() {
        let list = [(8, 0, 2), (8, 0, 3), (8, 0, 1), (8, 4, 4), (8, 4, 4), (8, 4, 4)];
        classic::check(assign, &list, &[0, 1, 2, 1, 0, 2], &[8, 8, 8]);
    }

    /// The record that starts at node 0 is assigned first though its number is 1.
    #[test]
    fn records_in_any_order() {
        classic::check(assign, &[(8, 3, 4), (8, 0, 1), (8, 2, 3), (9, 2, 3)], &[2, 0, 0, 1], &[8, 9, 8]);
    }
}
