//! `required_arena`: how much a model needs, before it runs.

use alloc::vec;

use crate::arena::{ALIGNMENT, Arena};
use crate::elsewhere::Elsewhere;
use crate::error::{Error, Result};
use crate::interpreter::Loaded;
use crate::ops::{OpRegistration, Ops};
use crate::plan::Planner;
use crate::sizes::{Recording, Sizes};
use crate::target::Target;

/// The largest arena that is tried.
const MOST: usize = 1 << 30;

/// What a model needs of an arena on this machine, to the byte. It is made ready in memory from the heap, twice as much each time.
///
/// # Errors
/// Why the model cannot be made ready, in an arena of a gibibyte.
pub fn required_arena(model: &[u8], ops: &[OpRegistration], planner: Planner) -> Result<Sizes> {
    with_room(|block| {
        let prepared = Loaded::new(model, ops, block)?.prepare()?;
        Ok(prepared.plan(planner)?.sizes())
    })
}

/// The same for another machine.
///
/// # Errors
/// As [`required_arena`], and models with several subgraphs: what lies in their memory while one calls another is counted on the machine
/// alone.
pub fn required_arena_on(
    target: Target,
    model: &[u8],
    ops: &[OpRegistration],
    planner: Planner,
) -> Result<Recording> {
    with_room(|block| {
        let elsewhere = Elsewhere::new(target);
        let loaded = Loaded::over(model, Ops::List(ops), Arena::on_behalf(block, &elsewhere))?;
        let ready = loaded.prepare()?.plan(planner)?;
        if ready.has_subgraphs() {
            return Err(Error::Phase("sizes for another machine are told of models with one subgraph"));
        }
        drop(ready);
        Ok(elsewhere.recording())
    })
}

/// Tries with a block that is twice as large each time.
fn with_room<T>(mut make: impl FnMut(&mut [u8]) -> Result<T>) -> Result<T> {
    let mut bytes = 1usize << 16;
    loop {
        match make(&mut vec![0u8; bytes]) {
            Err(Error::Arena { needed, .. }) if needed <= MOST && bytes <= MOST => {
                bytes = (bytes * 2).max(needed + ALIGNMENT);
            }
            done => return done,
        }
    }
}
