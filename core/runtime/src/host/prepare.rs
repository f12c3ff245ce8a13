//! The host's side of `prepare`: what an op or a partition says of its outputs and asks memory for.

use std::ffi::c_void;

use arenite_abi::raw::{
    ASSIGNMENT_OFFSETS, ArAssignmentV1, ArConstantsV1, ArHeader, ArLayoutV1, ArPlanRequestV1, ArPrepareV1,
    ArSpan, ArStatus, TENSOR_CONSTANT, TENSOR_DYNAMIC, TENSOR_VARIABLE, slice,
};
use arenite_abi::{Status, UsageRecord};

use super::called;
use super::shapes::{check_new_shape, element_type};
use super::{Refused, finish, invalid, out_of_memory};
use crate::arena::ALIGNMENT;
use crate::planning::plan::PlanLimits;
use crate::run::Run;
use crate::stages::Site;
use crate::stages::memory::Memory;
use crate::stages::step::{Phase, ScratchRequest, Share};

#[derive(Clone, Copy, PartialEq, Eq)]
enum OutputState {
    Unset,
    Shape,
    Dynamic,
    Constant,
}

pub(crate) struct PrepareHost<'a, 'm> {
    outputs: &'a [i32],
    input_count: usize,
    set: Vec<OutputState>,
    persistent_spans: Vec<ArSpan>,
    scratch: Vec<ScratchRequest>,
    shares: Vec<Share>,
    site: &'a mut Site<'m>,
}

/// What a `prepare` that succeeded has said.
pub(crate) struct Found {
    /// The shape of an output becomes known when the step runs.
    pub dynamic: bool,
    /// All outputs are constants.
    pub constant: bool,
    pub persistent: Vec<ArSpan>,
    pub scratch: Vec<ScratchRequest>,
    pub shares: Vec<Share>,
}

impl<'a, 'm> PrepareHost<'a, 'm> {
    pub fn new(outputs: &'a [i32], input_count: usize, site: &'a mut Site<'m>) -> Self {
        PrepareHost {
            outputs,
            input_count,
            set: vec![OutputState::Unset; outputs.len()],
            persistent_spans: Vec::new(),
            scratch: Vec::new(),
            shares: Vec::new(),
            site,
        }
    }

    /// As it crosses; it borrows this, which must not move until the call returns.
    pub fn as_raw(&mut self) -> ArPrepareV1 {
        ArPrepareV1 {
            header: ArHeader::of::<ArPrepareV1>(),
            context: (&raw mut *self).cast(),
            set_output_shape,
            set_output_dynamic,
            set_output_constant,
            request_persistent,
            request_scratch,
            share_memory,
            plan,
            query: called::query_in_prepare,
        }
    }

    /// What was said, if that is complete.
    pub fn finish(self) -> Result<Found, String> {
        let PrepareHost { outputs, set, persistent_spans, scratch, shares, .. } = self;
        if let Some(i) = (0..outputs.len()).find(|&i| set[i] == OutputState::Unset && outputs[i] >= 0) {
            return Err(format!("its prepare set no shape for output {i}; this is a defect of the plugin"));
        }
        Ok(Found {
            dynamic: set.contains(&OutputState::Dynamic),
            constant: !set.is_empty() && set.iter().all(|&s| s == OutputState::Constant),
            persistent: persistent_spans,
            scratch,
            shares,
        })
    }

    /// The call that this `prepare` is part of, and what it is for.
    pub fn run_in_progress(&self) -> (&Run<'_>, Phase) {
        (self.site.run, self.site.phase)
    }

    /// # Safety
    /// `context` is the one that the host gave to the call in progress.
    unsafe fn run(context: *mut c_void, f: impl FnOnce(&mut Self) -> Result<(), Refused>) -> ArStatus {
        // SAFETY: the caller's promise; the call in progress is the only user.
        let this = unsafe { &mut *context.cast::<Self>() };
        finish(f(this))
    }

    /// Bytes that one tensor, or one scratch buffer, may have.
    fn limit(&self) -> u64 {
        self.site.run.settings.quota.bytes
    }

    fn tensor(&self, output: u32) -> Result<usize, Refused> {
        let t = self.outputs.get(output as usize).copied().unwrap_or(-1);
        usize::try_from(t).map_err(|_| {
            invalid(format!("output {output} is not there, the node has {}", self.outputs.len()))
        })
    }

    /// Once per call: views of the call in progress may show the shape from before, see [`TensorTable`](crate::stages::table::TensorTable).
    fn set_shape(&mut self, output: u32, dims: &[i32]) -> Result<(), Refused> {
        let t = self.tensor(output)?;
        if self.set[output as usize] != OutputState::Unset {
            let present = self.site.memory.table.shape(t);
            if present == dims {
                return Ok(());
            }
            return Err(invalid(format!(
                "output {output} has shape {present:?} by an earlier call, it cannot get {dims:?}; set it once"
            )));
        }
        check_new_shape(&self.site.memory.table, t, output, dims, self.limit())?;
        let ty = element_type(&self.site.memory.table, t);
        self.site.memory.table.set_shape(t, dims, ty);
        self.set[output as usize] = OutputState::Shape;
        Ok(())
    }

    fn set_dynamic(&mut self, output: u32) -> Result<(), Refused> {
        let t = self.tensor(output)?;
        let flags = self.site.memory.table.get(t).flags;
        if flags & (TENSOR_CONSTANT | TENSOR_VARIABLE) != 0 {
            return Err(invalid(format!("output {output} is constant or a variable, it cannot be dynamic")));
        }
        self.site.memory.table.set_flags(t, flags | TENSOR_DYNAMIC);
        self.site.memory.table.set_data(t, std::ptr::null_mut());
        self.set[output as usize] = OutputState::Dynamic;
        Ok(())
    }

    fn set_constant(&mut self, output: u32, value: &[u8]) -> Result<(), Refused> {
        let t = self.tensor(output)?;
        let raw = self.site.memory.table.get(t);
        if self.set[output as usize] != OutputState::Shape {
            return Err(invalid(format!("output {output} gets a value before its shape")));
        }
        if raw.bytes != value.len() as u64 || raw.flags & TENSOR_VARIABLE != 0 {
            return Err(invalid(format!(
                "output {output} has {} bytes, its value has {}",
                raw.bytes,
                value.len()
            )));
        }
        let Memory { table, constants, budget, .. } = &mut *self.site.memory;
        constants.set(t, table, value, budget).map_err(out_of_memory)?;
        self.set[output as usize] = OutputState::Constant;
        Ok(())
    }

    fn share(&mut self, share: Share) -> Result<(), Refused> {
        self.tensor(share.output)?;
        if share.input as usize >= self.input_count {
            return Err(invalid(format!(
                "output {} cannot share memory with input {}, which is not there",
                share.output, share.input
            )));
        }
        self.shares.push(share);
        Ok(())
    }

    fn take_persistent(&mut self, bytes: u64, alignment: u64) -> Result<(u32, *mut c_void), Refused> {
        let (size, align) = sized(bytes, alignment)?;
        let Memory { persistent, budget, .. } = &mut *self.site.memory;
        let data = persistent.take(size, align, budget).map_err(out_of_memory)?.cast::<c_void>();
        self.persistent_spans.push(ArSpan { data, bytes });
        Ok((self.persistent_spans.len() as u32 - 1, data))
    }

    fn note_scratch(&mut self, bytes: u64, alignment: u64) -> Result<u32, Refused> {
        sized(bytes, alignment)?;
        let limit = self.limit();
        if bytes > limit {
            let message = format!("it needs {bytes} bytes of scratch, the quota is {limit}");
            return Err((Status::OutOfMemory, message));
        }
        self.scratch.push(ScratchRequest { bytes, alignment });
        Ok(self.scratch.len() as u32 - 1)
    }

    /// # Safety
    /// The request's records are readable; the assignment has room for an offset each.
    unsafe fn plan(&self, request: &ArPlanRequestV1, assignment: &mut ArAssignmentV1) -> Result<(), Refused> {
        if request.record_stride != size_of::<UsageRecord>() || assignment.offsets.is_null() {
            return Err(invalid("the plan request has another layout".into()));
        }
        // SAFETY: the caller's promise.
        let records = unsafe { slice(request.records, request.record_count) };
        let planner = &self.site.run.settings.planner;
        let plan = planner.plan(records, &PlanLimits::default()).map_err(|e| invalid(e.to_string()))?;
        assignment.kind = ASSIGNMENT_OFFSETS;
        assignment.optimal = u8::from(plan.optimal);
        // SAFETY: the caller's promise.
        unsafe {
            std::ptr::copy_nonoverlapping(plan.offsets.as_ptr(), assignment.offsets, plan.offsets.len());
        }
        Ok(())
    }

    fn release(&self, tensor: i32) -> Result<(), Refused> {
        let tensors = &self.site.memory.table;
        let t = usize::try_from(tensor).ok().filter(|&t| t < tensors.len());
        let constant = t.filter(|&t| tensors.is_constant(t));
        let t = constant
            .ok_or_else(|| invalid(format!("tensor {tensor} is no constant, it cannot be released")))?;
        self.site.run.release(tensors.constant_bytes(t));
        Ok(())
    }
}

fn sized(bytes: u64, alignment: u64) -> Result<(usize, usize), Refused> {
    if !alignment.is_power_of_two() || alignment > ALIGNMENT as u64 {
        return Err(invalid(format!(
            "it asks for alignment {alignment}; at most {ALIGNMENT}, a power of two"
        )));
    }
    let size = usize::try_from(bytes).ok().filter(|&b| b <= isize::MAX as usize);
    Ok((size.ok_or_else(|| invalid(format!("it asks for {bytes} bytes")))?, alignment as usize))
}

unsafe extern "C" fn set_output_shape(
    context: *mut c_void,
    output: u32,
    dims: *const i32,
    rank: u32,
) -> ArStatus {
    // SAFETY: the context is ours; `dims` has `rank` elements, by the contract.
    unsafe {
        let dims = slice(dims, rank as usize);
        PrepareHost::run(context, |this| {
            let t = this.tensor(output)?;
            let ty = element_type(&this.site.memory.table, t);
            if ty.bits() == 0 {
                return Err(invalid(format!(
                    "output {output} is {ty}, whose size depends on its contents; it must be set dynamic"
                )));
            }
            this.set_shape(output, dims)
        })
    }
}

unsafe extern "C" fn set_output_dynamic(context: *mut c_void, output: u32) -> ArStatus {
    // SAFETY: the context is ours.
    unsafe { PrepareHost::run(context, |this| this.set_dynamic(output)) }
}

unsafe extern "C" fn set_output_constant(
    context: *mut c_void,
    output: u32,
    data: *const c_void,
    bytes: u64,
) -> ArStatus {
    // SAFETY: the context is ours; `data` has that many bytes, by the contract.
    unsafe {
        let value = slice(data.cast::<u8>(), usize::try_from(bytes).unwrap_or(0));
        PrepareHost::run(context, |this| this.set_constant(output, value))
    }
}

unsafe extern "C" fn request_persistent(
    context: *mut c_void,
    bytes: u64,
    alignment: u64,
    index: *mut u32,
    data: *mut *mut c_void,
) -> ArStatus {
    // SAFETY: the context is ours; both results are writable, by the contract.
    unsafe {
        PrepareHost::run(context, |this| {
            (*index, *data) = this.take_persistent(bytes, alignment)?;
            Ok(())
        })
    }
}

unsafe extern "C" fn request_scratch(
    context: *mut c_void,
    bytes: u64,
    alignment: u64,
    index: *mut u32,
) -> ArStatus {
    // SAFETY: the context is ours; the result is writable, by the contract.
    unsafe {
        PrepareHost::run(context, |this| {
            *index = this.note_scratch(bytes, alignment)?;
            Ok(())
        })
    }
}

unsafe extern "C" fn share_memory(context: *mut c_void, output: u32, input: u32, kind: u32) -> ArStatus {
    // SAFETY: the context is ours.
    unsafe { PrepareHost::run(context, |this| this.share(Share { output, input, kind, bytes: 0 })) }
}

unsafe extern "C" fn plan(
    context: *mut c_void,
    request: *const ArPlanRequestV1,
    assignment: *mut ArAssignmentV1,
) -> ArStatus {
    // SAFETY: the context is ours; both structs and their arrays are valid for the call, by the contract.
    unsafe { PrepareHost::run(context, |this| this.plan(&*request, &mut *assignment)) }
}

/// More kinds of sharing than `share_memory` takes.
pub(crate) static LAYOUT: ArLayoutV1 = ArLayoutV1 { header: ArHeader::of::<ArLayoutV1>(), share_part };

unsafe extern "C" fn share_part(
    context: *mut c_void,
    output: u32,
    input: u32,
    kind: u32,
    bytes: u64,
) -> ArStatus {
    // SAFETY: the context is ours.
    unsafe { PrepareHost::run(context, |this| this.share(Share { output, input, kind, bytes })) }
}

/// What delegates say of constants.
pub(crate) static CONSTANTS: ArConstantsV1 =
    ArConstantsV1 { header: ArHeader::of::<ArConstantsV1>(), release, origin };

unsafe extern "C" fn origin(context: *mut c_void, numbers: *mut u64) -> ArStatus {
    // SAFETY: the context is ours; four numbers are writable, by the contract.
    unsafe {
        PrepareHost::run(context, |this| {
            numbers.cast::<[u64; 4]>().write_unaligned(this.site.run.origin());
            Ok(())
        })
    }
}

unsafe extern "C" fn release(context: *mut c_void, tensor: i32) -> ArStatus {
    // SAFETY: the context is ours.
    unsafe { PrepareHost::run(context, |this| this.release(tensor)) }
}
