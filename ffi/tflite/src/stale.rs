//! Buffer handles as the program sees them, in the tensors of the main subgraph.

use std::ffi::c_int;

use arenite::Error;

use crate::delegate::callbacks;
use crate::delegate::types::TfLiteDelegate;
use crate::handles::{BufferHandle, make_readable};
use crate::kernel::Stage;
use crate::state::{Ports, State};
use crate::types::*;

impl State {
    /// Before an invocation: reads the handles that the program sees, and makes inputs readable for everything but
    /// their delegate.
    ///
    /// # Errors
    /// A stale input cannot be copied.
    pub(crate) fn give_handles(&mut self, stage: &Stage, ports: &Ports) -> arenite::Result<()> {
        if !stage.handles.is_used() {
            return Ok(());
        }
        let table = self.table(0)?;
        for index in 0..table.len() {
            // SAFETY: this call holds the state's lock, and no other reference to the struct is in use in it.
            stage.handles.set((0, index), BufferHandle::of(unsafe { table.get(index) }));
        }
        for index in ports.inputs.iter().filter_map(|&index| usize::try_from(index).ok()) {
            let handle = stage.handles.get((0, index));
            if handle.is_stale && stage.handles.is_read_elsewhere(&stage.model, (0, index), handle.delegate) {
                self.make_readable(stage, index)?;
            }
        }
        Ok(())
    }

    /// After an invocation: shows the program the handles that kernels wrote.
    pub(crate) fn take_handles(&mut self, stage: &Stage) -> arenite::Result<()> {
        if stage.handles.is_used() {
            let table = self.table(0)?;
            for index in 0..table.len() {
                // SAFETY: this call holds the state's lock, and no other reference to the struct is in use in it.
                stage.handles.get((0, index)).write(unsafe { table.get(index) });
            }
        }
        Ok(())
    }

    /// Copies the value of a tensor of the main subgraph to host memory if it is stale.
    ///
    /// # Errors
    /// The value cannot be copied.
    pub(crate) fn make_readable(&mut self, stage: &Stage, index: usize) -> arenite::Result<()> {
        let entry = self.table(0)?.at(index as i32);
        // SAFETY: the context is the scene's own, the entry exists and has the runtime's data, and a delegate outlives
        // its interpreters. Nothing else uses the entry during the call.
        unsafe {
            stage.with(0, |scene| make_readable(scene.shown_context(), entry)).map_err(Error::State)?;
            stage.handles.set((0, index), BufferHandle::of(&*entry));
        }
        Ok(())
    }

    /// Frees the handles of tensors of which `keeps` is false, and removes them from what the program sees.
    pub(crate) fn forget_handles(&mut self, stage: &Stage, keeps: impl Fn(usize) -> bool) {
        for ((subgraph, index), handle) in stage.handles.forget(keeps) {
            if subgraph == 0
                && let Ok(table) = self.table(0)
                && index < table.len()
            {
                // SAFETY: this call holds the state's lock, and no other reference to the struct is in use in it.
                BufferHandle::NONE.write(unsafe { table.get(index) });
            }
            free(stage, handle);
        }
    }

    /// Gives a tensor of the main subgraph a handle in place of the one it has.
    ///
    /// # Errors
    /// The tensor belongs to another delegate, or the delegate is null.
    pub(crate) fn set_handle(
        &mut self,
        stage: &Stage,
        tensor: *mut TfLiteTensor,
        delegate: *mut TfLiteDelegate,
        number: c_int,
    ) -> arenite::Result<()> {
        let table = self.table(0)?;
        let index = (0..table.len()).find(|&index| table.at(index as i32) == tensor);
        let fail = |why: &str| Err(Error::State(format!("cannot set a buffer handle: {why}")));
        let Some(index) = index else {
            return fail("the tensor is not one of the interpreter's main subgraph");
        };
        if delegate.is_null() {
            return fail("the delegate is null");
        }
        // SAFETY: this call holds the state's lock, and no other reference to the struct is in use in it.
        let entry = unsafe { table.get(index) };
        let before = BufferHandle::of(entry);
        if !before.delegate.is_null() && before.delegate != delegate {
            return fail("the tensor belongs to another delegate");
        }
        free(stage, before);
        let handle = BufferHandle { delegate, number, is_stale: before.is_stale };
        handle.write(entry);
        stage.handles.set((0, index), handle);
        Ok(())
    }
}

/// Frees a handle in its delegate.
fn free(stage: &Stage, handle: BufferHandle) {
    if !handle.delegate.is_null() && handle.number != kTfLiteNullBufferHandle {
        stage.with(0, |scene| {
            // SAFETY: the context is the scene's own, and a delegate outlives its interpreters.
            unsafe { callbacks::free(scene.shown_context(), handle.delegate, handle.number) }
        });
    }
}
