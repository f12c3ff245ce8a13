//! `required_arena`: how much a model needs, before it runs.

use alloc::vec;

use crate::arena::ALIGNMENT;
use crate::error::{Error, Result};
use crate::interpreter::Loaded;
use crate::ops::OpRegistration;
use crate::plan::Planner;
use crate::sizes::Sizes;

/// The largest arena that is tried.
const MOST: usize = 1 << 30;

/// What a model needs of an arena on this machine, to the byte. It is made ready in memory from the heap, twice as much each time.
///
/// # Errors
/// Why the model cannot be made ready, in an arena of a gibibyte.
pub fn required_arena(model: &[u8], ops: &[OpRegistration], planner: Planner) -> Result<Sizes> {
    let mut bytes = 1usize << 16;
    loop {
        let mut block = vec![0u8; bytes];
        match Loaded::new(model, ops, &mut block)
            .and_then(Loaded::prepare)
            .and_then(|model| model.plan(planner))
        {
            Ok(interpreter) => return Ok(interpreter.sizes()),
            Err(Error::Arena { needed, .. }) if needed <= MOST && bytes <= MOST => {
                bytes = (bytes * 2).max(needed + ALIGNMENT);
            }
            Err(error) => return Err(error),
        }
    }
}
