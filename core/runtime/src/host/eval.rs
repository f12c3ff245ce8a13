//! The host's side of `eval`: shapes that become known, time per part, and whether to stop.

use std::ffi::c_void;
use std::time::Duration;

use arenite_abi::Status;
use arenite_abi::raw::{ArEvalV1, ArHeader, ArProfileV1, ArSpan, ArStatus, ArStr, slice};

use super::called;
use super::shapes::{check_new_shape, element_type};
use super::{Refused, finish, invalid, out_of_memory};
use crate::profile::ProfileRow;
use crate::run::Run;
use crate::stages::memory::Memory;

pub(crate) struct EvalHost<'a> {
    pub memory: &'a mut Memory,
    pub run: &'a Run<'a>,
    /// Outputs of the node in progress.
    pub outputs: &'a [i32],
    /// The row of the node in progress, if somebody asked for a profile.
    pub profile: Option<&'a mut ProfileRow>,
}

impl EvalHost<'_> {
    /// As it crosses; it borrows this, which must not move until the call returns.
    pub fn as_raw(&mut self, persistent: &[ArSpan], scratch: &[ArSpan]) -> ArEvalV1 {
        ArEvalV1 {
            header: ArHeader::of::<ArEvalV1>(),
            context: (&raw mut *self).cast(),
            threads: self.run.settings.threads,
            persistent: persistent.as_ptr(),
            persistent_count: persistent.len(),
            scratch: scratch.as_ptr(),
            scratch_count: scratch.len(),
            resize_output,
            is_cancelled,
            query: called::query_in_eval,
        }
    }

    /// Gives output `output` a shape and memory.
    fn resize(&mut self, output: u32, dims: &[i32], bytes: u64) -> Result<(), Refused> {
        let t = self.outputs.get(output as usize).and_then(|&t| usize::try_from(t).ok());
        let t = t.ok_or_else(|| invalid(format!("output {output} is not there")))?;
        let tensors = &mut self.memory.table;
        if !tensors.is_dynamic(t) {
            return Err(invalid(format!(
                "output {output} is resized, but its prepare did not set it dynamic"
            )));
        }
        // Once per call: a view of the first shape may be in use, and its memory must not move.
        if !tensors.get(t).data.is_null() {
            return Err(invalid(format!(
                "output {output} has shape {:?} by an earlier call, it cannot get {dims:?}; resize it once",
                tensors.shape(t)
            )));
        }
        let limit = self.run.settings.quota.bytes;
        check_new_shape(tensors, t, output, dims, limit)?;
        let ty = element_type(tensors, t);
        let bytes = ty.bytes_of(arenite_abi::tensor::element_count(dims)).map_or(bytes, |bytes| bytes as u64);
        let needed = usize::try_from(bytes).ok().filter(|_| bytes <= limit).ok_or_else(|| {
            (Status::OutOfMemory, format!("output {output} needs {bytes} bytes, the quota is {limit}"))
        })?;
        // Memory first: a refused change leaves the tensor as it was, without data.
        let data = self.memory_for(t, output, needed)?;
        let tensors = &mut self.memory.table;
        tensors.set_shape(t, dims, ty);
        tensors.set_bytes(t, bytes);
        tensors.set_data(t, data);
        Ok(())
    }

    /// So many bytes for tensor `t`, which is output `output`: those that were lent to it, or its own.
    fn memory_for(&mut self, t: usize, output: u32, needed: usize) -> Result<*mut u8, Refused> {
        let Memory { dynamic, lent, generation, budget, .. } = &mut *self.memory;
        match lent.get(&t) {
            Some(lent) if lent.len() >= needed => Ok(lent.as_ptr()),
            Some(lent) => {
                let has = lent.len();
                let message = format!(
                    "output {output} needs {needed} bytes, the memory lent to it has {has}: lend more, or take it back"
                );
                Err((Status::OutOfMemory, message))
            }
            None => {
                let moved = dynamic[t].grow(needed, budget, "a tensor of dynamic shape");
                *generation += u64::from(moved.map_err(out_of_memory)?);
                Ok(dynamic[t].as_ptr())
            }
        }
    }
}

/// Where delegates tell the times of their steps.
pub(crate) static PROFILE: ArProfileV1 = ArProfileV1 { header: ArHeader::of::<ArProfileV1>(), note };

unsafe extern "C" fn note(context: *mut c_void, number: u32, name: ArStr, tensor: i32, nanoseconds: u64) {
    // SAFETY: the context is the `EvalHost` of the call in progress; `name` is readable for the call, by the contract.
    let (host, name) = unsafe { (&mut *context.cast::<EvalHost<'_>>(), name.as_str()) };
    let tensors = &host.memory.table;
    let output = || match usize::try_from(tensor) {
        // SAFETY: names live in the graph, which outlives the tensor table.
        Ok(t) if t < tensors.len() => unsafe { tensors.get(t).name.as_str().to_owned() },
        _ => String::new(),
    };
    if let Some(row) = &mut host.profile {
        let time = Duration::from_nanos(nanoseconds);
        row.note_part(number as usize, time, || (name.to_owned(), output()));
    }
}

unsafe extern "C" fn resize_output(
    context: *mut c_void,
    output: u32,
    dims: *const i32,
    rank: u32,
    bytes: u64,
) -> ArStatus {
    // SAFETY: the context is the `EvalHost` of the call in progress; `dims` has `rank` elements, by the contract.
    unsafe {
        let dims = slice(dims, rank as usize);
        finish((*context.cast::<EvalHost<'_>>()).resize(output, dims, bytes))
    }
}

unsafe extern "C" fn is_cancelled(context: *mut c_void) -> u8 {
    // SAFETY: the context is the `EvalHost` of the call in progress.
    u8::from(unsafe { (*context.cast::<EvalHost<'_>>()).run.is_over() })
}
