//! `naive`: each record has its own object. No memory is reused, so every value can be inspected after its last use,
//! and a planner's bug can be distinguished from a kernel's.
//!
//! Defined by: tflite/delegates/gpu/common/memory_management/naive_assignment.h. Takes O(n).

use alloc::vec::Vec;
use arenite_abi::planner::Assign;
use arenite_abi::prelude::*;

use crate::objects::{self, Objects};
use crate::shared;
use crate::usage::{self, Usage};
use crate::validate;

/// The planner `naive`.
pub struct Naive;

impl Planner for Naive {
    const NAME: &'static str = "naive";

    const SHARES_MEMORY: bool = false;

    const ASSIGN: Option<Assign> = Some(|request, objects| shared::apart(request, objects, assign_any));

    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()> {
        objects::answer(request, assignment, assign)
    }
}

/// Object `i` for record `i`.
///
/// # Errors
/// A record is malformed.
pub fn assign(records: &[UsageRecord]) -> Result<Objects> {
    validate::records(records)?;
    assign_any(&usage::of_records(records))
}

/// Object `i` for usage `i`, with any kind of size.
///
/// # Errors
/// A lifetime ends before it starts.
pub fn assign_any<S: Copy>(usages: &[Usage<S>]) -> Result<Objects<S>> {
    validate::usages(usages)?;
    let sizes: Vec<S> = usages.iter().map(|usage| usage.size).collect();
    Ok(Objects { ids: (0..sizes.len() as u32).collect(), sizes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic;

    #[test]
    fn classic_cases() {
        let ids = [0, 1, 2, 3, 4, 5, 6, 7, 8];
        classic::check(assign, &classic::CHAIN, &ids[..5], &[16, 8, 64, 32, 8]);
        classic::check(assign, &classic::COMPLEX, &ids, &[32, 32, 8, 16, 8, 64, 8, 8, 16]);
        classic::check_small(assign);
        classic::check_any(assign_any, &classic::TEXTURES, &ids, &classic::TEXTURES.map(|usage| usage.size));
        classic::check_any(assign_any, &classic::VOLUMES, &ids, &classic::VOLUMES.map(|usage| usage.size));
    }
}
