//! Copies data from the runtime into a kernel's structs before each call, and back after it.

use std::ffi::c_void;

use arenite::abi::{EvalContext, PrepareContext, Result, ensure, invalid};

use super::Prepared;
use super::node::{KernelMemory, Key, Node};
use super::scene::{Io, Scene};
use crate::arrays::numbers;
use crate::common::{TfLiteTensorDataFree, bits, bytes_of};
use crate::describe::set_shape;
use crate::table::{bytes, shape};
use crate::types::*;

impl Scene {
    /// Passes to the runtime what a kernel's `prepare` wrote into the structs: shapes, temporaries and scratch buffers.
    ///
    /// # Errors
    /// If a tensor does not exist, or a shape or size is not valid.
    pub(crate) fn after_prepare(
        &mut self,
        node: *mut Node,
        io: Io<'_>,
        cx: &mut PrepareContext<'_>,
    ) -> Result<Prepared> {
        let mut dynamic = Vec::with_capacity(io.outputs.len());
        for (i, &index) in io.outputs.iter().enumerate() {
            dynamic.push(index >= 0 && self.tell_output(i, index, cx)?);
        }
        // SAFETY: the node belongs to this scene, and its kernel is not running.
        let node = unsafe { &mut *node };
        let mut temporaries = Vec::new();
        // SAFETY: the array is owned by the node.
        for &index in unsafe { numbers(node.raw.temporaries) } {
            let entry = *self.entry(index)?;
            let size = bytes_needed(&entry)?;
            match entry.allocation_type {
                kTfLiteArenaRw => temporaries.push((index as usize, cx.scratch_aligned(size, 64)?)),
                kTfLiteArenaRwPersistent => keep(node, index as usize, size),
                _ => {}
            }
            self.entry(index)?.bytes = size;
        }
        let scratch = node.scratch.iter().map(|&size| cx.scratch_aligned(size, 64)).collect::<Result<_>>()?;
        Ok(Prepared { temporaries, scratch, dynamic })
    }

    /// Passes an output's shape to the runtime. Returns true if the output is dynamic, so that its shape is known only
    /// after `invoke`.
    fn tell_output(&mut self, i: usize, index: i32, cx: &mut PrepareContext<'_>) -> Result<bool> {
        let entry = *self.entry(index)?;
        if entry.allocation_type == kTfLiteDynamic {
            cx.set_output_dynamic(i)?;
            return Ok(true);
        }
        // SAFETY: the tensor's shape and data are not changed during this call.
        let (dims, data) = unsafe { (shape(&entry), bytes(&entry)) };
        cx.set_output_shape(i, dims)?;
        if entry.allocation_type == kTfLitePersistentRo {
            cx.set_output_constant(i, data)?;
        }
        Ok(false)
    }

    /// Fills in the tensors of a node before its `invoke`.
    ///
    /// # Errors
    /// If a tensor does not exist or the node was not prepared.
    pub(crate) fn before_eval(
        &mut self,
        key: Key,
        io: Io<'_>,
        prepared: &Prepared,
        cx: &EvalContext<'_>,
    ) -> Result<*mut Node> {
        for (i, &index) in io.inputs.iter().enumerate() {
            let Some(tensor) = cx.optional_input(i)? else { continue };
            self.show(index, &tensor)?;
        }
        for (i, &index) in io.outputs.iter().enumerate() {
            if index < 0 {
                continue;
            }
            let entry = self.entry(index)?;
            // SAFETY: the tensor belongs to this scene, and no kernel is running.
            unsafe { TfLiteTensorDataFree(entry) };
            if prepared.dynamic[i] {
                (entry.allocation_type, entry.bytes) = (kTfLiteDynamic, 0);
                continue;
            }
            let output = cx.output(i)?;
            set_shape(entry, output.shape());
            let bytes = output.into_bytes();
            (entry.allocation_type, entry.bytes) = (kTfLiteArenaRw, bytes.len());
            entry.data = bytes.as_mut_ptr().cast();
        }
        self.place_memory(key, prepared, cx)
    }

    /// Sets the addresses of temporaries and scratch buffers.
    fn place_memory(&mut self, key: Key, prepared: &Prepared, cx: &EvalContext<'_>) -> Result<*mut Node> {
        let node = self.known(key)?;
        for (index, scratch) in &prepared.temporaries {
            self.entry(*index as i32)?.data = cx.scratch(scratch)?.as_mut_ptr().cast();
        }
        // SAFETY: the node belongs to this scene, and its kernel is not running.
        let parts = unsafe { &mut *node };
        for (&index, (_, memory)) in &mut parts.kept {
            self.entry(index as i32)?.data = memory.as_mut_ptr();
        }
        parts.for_call.clear();
        parts.scratch_at.clear();
        for scratch in &prepared.scratch {
            parts.scratch_at.push(cx.scratch(scratch)?.as_mut_ptr().cast::<c_void>());
        }
        Ok(node)
    }

    /// Copies dynamic outputs, whose shape `invoke` has set, to the runtime.
    ///
    /// # Errors
    /// The size of an output does not match its shape.
    pub(crate) fn after_eval(&mut self, io: Io<'_>, prepared: &Prepared, cx: &EvalContext<'_>) -> Result<()> {
        for (i, &index) in io.outputs.iter().enumerate().filter(|(i, _)| prepared.dynamic[*i]) {
            let entry = *self.entry(index)?;
            // SAFETY: the tensor's shape and data are not changed during this call.
            let (dims, data) = unsafe { (shape(&entry), bytes(&entry)) };
            let output = cx.resize_string_output(i, dims, data.len())?.into_bytes();
            ensure!(
                output.len() == data.len(),
                "output {i} of shape {dims:?} needs {} bytes, but the op provided {}",
                output.len(),
                data.len()
            );
            output.copy_from_slice(data);
            // SAFETY: the tensor belongs to this scene, and no kernel is running.
            unsafe { TfLiteTensorDataFree(self.entry(index)?) };
        }
        Ok(())
    }
}

/// The size of a temporary tensor in bytes, from its type and shape.
fn bytes_needed(entry: &TfLiteTensor) -> Result<usize> {
    if bits(entry.kind).is_none() {
        return Ok(entry.bytes);
    }
    // SAFETY: the tensor's shape is not changed during this call.
    let dims = unsafe { shape(entry) };
    bytes_of(entry.kind, dims).ok_or_else(|| invalid!("a temporary tensor has the invalid shape {dims:?}"))
}

/// Provides memory for a temporary tensor that keeps its value. It is reallocated only when its size changes.
fn keep(node: &mut Node, index: usize, bytes: usize) {
    if node.kept.get(&index).is_none_or(|(before, _)| *before != bytes) {
        node.kept.insert(index, (bytes, KernelMemory::zeroed(bytes)));
    }
}
