//! `required_arena`: dry runs that measure the arena of a model.

use alloc::vec;

use super::ledger::TargetLedger;
use super::target::Target;
use crate::arena::{ALIGNMENT, Arena, Recording, Sizes};
use crate::error::{Error, Result};
use crate::ops::{OpRegistration, Ops};
use crate::phases::LoadedModel;
use crate::phases::Planner;
use crate::work::message::OwnHost;

/// The largest arena that is tried: one gibibyte.
const MOST: usize = 1 << 30;

/// How much arena a model needs on this machine, exact to the byte. Prepares and plans the model in heap memory.
///
/// # Errors
/// The model cannot be loaded, prepared or planned in an arena of one gibibyte.
pub fn required_arena(model: &[u8], ops: &[OpRegistration], planner: Planner) -> Result<Sizes> {
    let _host = OwnHost::new();
    with_room(|block| {
        let prepared = LoadedModel::new(model, ops, block)?.prepare()?;
        Ok(prepared.plan(planner)?.sizes())
    })
}

/// How much arena a model needs on another machine.
///
/// # Errors
/// As for [`required_arena`], and for models with several subgraphs, whose nested temporaries can only be counted on
/// the machine itself.
pub fn required_arena_on(
    target: Target,
    model: &[u8],
    ops: &[OpRegistration],
    planner: Planner,
) -> Result<Recording> {
    let _host = OwnHost::new();
    with_room(|block| {
        let ledger = TargetLedger::new(target);
        let loaded = LoadedModel::over(model, Ops::List(ops), Arena::with_ledger(block, &ledger))?;
        let ready = loaded.prepare()?.plan(planner)?;
        if ready.has_subgraphs() {
            return Err(Error::Phase(
                "sizes for another machine are supported for models with one subgraph only",
            ));
        }
        drop(ready);
        Ok(ledger.recording())
    })
}

/// Calls `make` with larger and larger blocks until one suffices.
pub(crate) fn with_room<T>(mut make: impl FnMut(&mut [u8]) -> Result<T>) -> Result<T> {
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
