//! One step of the execution plan, and the calls that cross into a plugin for it.
//!
//! All `prepare` and `eval` calls of the runtime are here: the host's callbacks, the structs they get, and the
//! translation of what comes back.

use std::ffi::c_void;
use std::time::Duration;

use arenite_abi::raw::{
    ASSIGNMENT_OFFSETS, ArAssignmentV1, ArConstantsV1, ArEvalV1, ArHeader, ArLayoutV1, ArNodeV1, ArOpV1,
    ArPlanRequestV1, ArPrepareV1, ArProfileV1, ArSpan, ArStatus, ArStr, OP_STATEFUL, TENSOR_CONSTANT,
    TENSOR_DYNAMIC, TENSOR_VARIABLE,
};
use arenite_abi::{ElementType, Status, UsageRecord};

use crate::arena::{ALIGNMENT, Block, Persistent};
use crate::host;
use crate::model_calls;
use crate::partition_kernel::PartitionKernel;
use crate::plan::PlanLimits;
use crate::profile::ProfileRow;
use crate::quota::Budget;
use crate::run::Run;
use crate::tensors::{MAX_RANK, TensorTable};

/// A node, or a delegate's partition, ready to be prepared and run.
pub(crate) struct Step {
    pub raw: ArNodeV1,
    /// The node in the graph; `None` for a macro node.
    pub node: Option<usize>,
    pub kernel: Kernel,
    pub persistent: Vec<ArSpan>,
    /// Of a stateful op: copies of `persistent` as `prepare` left it.
    initial: Vec<*const u8>,
    pub scratch_requests: Vec<ScratchRequest>,
    pub scratch: Vec<ArSpan>,
    pub shares: Vec<Share>,
    pub outcome: Outcome,
    /// It was prepared with subgraphs that are not ready: see [`Run::infer`].
    pub shown: bool,
}

/// What runs a step.
pub(crate) enum Kernel {
    /// Not prepared, or no registration serves it.
    None,
    Op {
        op: &'static ArOpV1,
        state: *mut c_void,
    },
    Partition(Box<PartitionKernel>),
}

/// What is known of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Unprepared,
    /// All output shapes are known.
    Static,
    /// The shape of an output becomes known when the step has run.
    Dynamic,
    /// Its outputs are constants: it does not run.
    Folded,
    /// It panicked, and is not called again.
    Poisoned,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ScratchRequest {
    pub bytes: u64,
    pub alignment: u64,
}

/// An output that may lie in an input's memory, or around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    pub output: u32,
    pub input: u32,
    /// `SHARE_*`.
    pub kind: u32,
    /// Offset of a part, or distance to what lies behind; else 0.
    pub bytes: u64,
}

/// What a call into a plugin gave, other than success.
pub(crate) struct Failure {
    pub status: Status,
    pub message: String,
}

impl Failure {
    fn poisoned() -> Self {
        let message =
            "it panicked before and is not called again; call allocate() for a new instance".to_owned();
        Failure { status: Status::Panicked, message }
    }

    fn of(status: ArStatus) -> Self {
        let status = match Status::from_raw(status) {
            Status::Ok => Status::Internal,
            other => other,
        };
        let silent = match status {
            Status::Unsupported => "it is not supported, the plugin does not say why",
            Status::Cancelled => "it was cancelled",
            Status::Panicked => "the plugin panicked",
            _ => "it failed without a message",
        };
        Failure { status, message: host::take_message(silent) }
    }
}

impl Step {
    pub fn new(raw: ArNodeV1, node: Option<usize>) -> Self {
        Step {
            raw,
            node,
            kernel: Kernel::None,
            persistent: Vec::new(),
            initial: Vec::new(),
            scratch_requests: Vec::new(),
            scratch: Vec::new(),
            shares: Vec::new(),
            outcome: Outcome::Unprepared,
            shown: false,
        }
    }

    /// Tensor indices of the inputs.
    pub fn inputs(&self) -> &[i32] {
        // SAFETY: the lists are boxed in the graph or in the partition, which outlive the step.
        unsafe { list(self.raw.inputs, self.raw.input_count) }
    }

    /// Tensor indices of the outputs.
    pub fn outputs(&self) -> &[i32] {
        // SAFETY: as for `inputs`.
        unsafe { list(self.raw.outputs, self.raw.output_count) }
    }

    /// Whether all inputs that are the tensor which `share` names may share memory with that output: `ADD(x, x)` reads
    /// `x` in two ways.
    pub fn shares_all_uses(&self, share: &Share) -> bool {
        let tensor = self.inputs().get(share.input as usize);
        let mut uses = self.inputs().iter().enumerate().filter(|&(_, t)| Some(t) == tensor);
        let shared = |i: usize| {
            self.shares.iter().any(|s| (s.output, s.input as usize, s.kind) == (share.output, i, share.kind))
        };
        uses.all(|(i, _)| shared(i))
    }

    /// How far behind the tensor that `share` names its output may begin: behind all uses of it.
    pub fn distance(&self, share: &Share) -> u64 {
        let tensor = |share: &Share| self.inputs().get(share.input as usize);
        let same = |other: &&Share| {
            (other.output, other.kind, tensor(other)) == (share.output, share.kind, tensor(share))
        };
        self.shares.iter().filter(same).map(|share| share.bytes).max().unwrap_or(share.bytes)
    }

    /// Forgets what `prepare` made, and drops the op's state. A compiled partition stays.
    pub fn unprepare(&mut self) {
        if let Kernel::Op { op, state } = self.kernel {
            if let (Some(drop), true) = (op.drop, self.outcome != Outcome::Poisoned) {
                // SAFETY: the state was prepared by this op, and is not used again.
                unsafe { drop(state) };
            }
            self.kernel = Kernel::None;
        }
        self.persistent.clear();
        self.initial.clear();
        self.scratch_requests.clear();
        self.scratch.clear();
        self.shares.clear();
        if self.outcome != Outcome::Poisoned || !matches!(self.kernel, Kernel::Partition(_)) {
            self.outcome = Outcome::Unprepared;
        }
    }

    /// Prepares the step with this op.
    pub fn prepare_op(&mut self, op: &'static ArOpV1, memory: &mut Memory<'_>) -> Result<(), Failure> {
        let mark = memory.persistent.mark();
        let state = memory
            .persistent
            .take(op.state_size as usize, (op.state_align as usize).max(1), memory.budget)
            .map_err(|e| Failure { status: Status::OutOfMemory, message: e.to_string() })?
            .cast::<c_void>();
        let raw = self.raw;
        // SAFETY: the structs are valid for the call; the state has the size and alignment of the registration.
        let mut done = self.prepare_with(memory, |prepare| unsafe { (op.prepare)(prepare, &raw, state) });
        if done.is_ok() {
            self.kernel = Kernel::Op { op, state };
            if op.flags & OP_STATEFUL != 0 {
                done = self.keep_initial(memory);
            }
        }
        if done.is_err() {
            self.unprepare();
            memory.persistent.release(mark, memory.budget);
        }
        done
    }

    fn keep_initial(&mut self, memory: &mut Memory<'_>) -> Result<(), Failure> {
        for span in &self.persistent {
            let bytes = span.bytes as usize;
            let copy = memory
                .persistent
                .take(bytes, 1, memory.budget)
                .map_err(|e| Failure { status: Status::OutOfMemory, message: e.to_string() })?;
            // SAFETY: two pieces of persistent memory, each of `bytes` bytes.
            unsafe { std::ptr::copy_nonoverlapping(span.data.cast::<u8>(), copy, bytes) };
            self.initial.push(copy);
        }
        Ok(())
    }

    /// Gives the states of a stateful op the values that they had after `prepare`.
    pub fn reset_state(&mut self) {
        for (span, &copy) in self.persistent.iter().zip(&self.initial) {
            // SAFETY: as in `keep_initial`; no call is in progress, so that nobody else looks at the memory.
            unsafe { std::ptr::copy_nonoverlapping(copy, span.data.cast::<u8>(), span.bytes as usize) };
        }
    }

    /// Prepares a compiled partition for the present shapes. One that panicked is not called again.
    pub fn prepare_partition(&mut self, memory: &mut Memory<'_>) -> Result<(), Failure> {
        if self.outcome == Outcome::Poisoned {
            return Err(Failure::poisoned());
        }
        let Kernel::Partition(partition) = &mut self.kernel else {
            return Err(Failure { status: Status::Internal, message: "it is no partition".into() });
        };
        let (kernel, delegate) = (partition.kernel, partition.delegate);
        let raw_partition = partition.as_raw();
        // SAFETY: the kernel came from this delegate's `compile`; the structs are valid for the call.
        let done = self
            .prepare_with(memory, |prepare| unsafe { (delegate.prepare)(kernel, prepare, raw_partition) });
        if let Err(Failure { status: Status::Panicked, .. }) = done {
            self.outcome = Outcome::Poisoned;
        }
        done
    }

    fn prepare_with(
        &mut self,
        memory: &mut Memory<'_>,
        call: impl FnOnce(*const ArPrepareV1) -> ArStatus,
    ) -> Result<(), Failure> {
        let outputs = self.outputs().to_vec();
        let mut host_side = PrepareHost {
            outputs: &outputs,
            input_count: self.raw.input_count,
            set: vec![OutputState::Unset; outputs.len()],
            persistent_spans: Vec::new(),
            scratch: Vec::new(),
            shares: Vec::new(),
            memory,
        };
        let prepare = ArPrepareV1 {
            header: ArHeader::of::<ArPrepareV1>(),
            context: (&raw mut host_side).cast(),
            set_output_shape,
            set_output_dynamic,
            set_output_constant,
            request_persistent,
            request_scratch,
            share_memory,
            plan,
            query: model_calls::query_in_prepare,
        };
        host::clear_message();
        let status = call(&prepare);
        if status != Status::Ok as ArStatus {
            return Err(Failure::of(status));
        }
        if let Some(i) =
            (0..outputs.len()).find(|&i| host_side.set[i] == OutputState::Unset && outputs[i] >= 0)
        {
            let message = format!("its prepare set no shape for output {i}; this is a defect of the plugin");
            return Err(Failure { status: Status::Internal, message });
        }
        let PrepareHost { set, persistent_spans, scratch, shares, .. } = host_side;
        self.outcome = if set.contains(&OutputState::Dynamic) {
            Outcome::Dynamic
        } else if !set.is_empty() && set.iter().all(|&s| s == OutputState::Constant) {
            Outcome::Folded
        } else {
            Outcome::Static
        };
        self.persistent = persistent_spans;
        self.scratch_requests = scratch;
        self.shares = shares;
        Ok(())
    }

    /// Runs the step.
    pub fn eval(&mut self, cx: &mut EvalHost<'_>) -> Result<(), Failure> {
        if self.outcome == Outcome::Poisoned {
            return Err(Failure::poisoned());
        }
        host::clear_message();
        cx.outputs = (self.raw.outputs, self.raw.output_count);
        let eval = ArEvalV1 {
            header: ArHeader::of::<ArEvalV1>(),
            context: (&raw mut *cx).cast(),
            threads: cx.run.settings.threads,
            persistent: self.persistent.as_ptr(),
            persistent_count: self.persistent.len(),
            scratch: self.scratch.as_ptr(),
            scratch_count: self.scratch.len(),
            resize_output,
            is_cancelled,
            query: model_calls::query_in_eval,
        };
        let status = match &self.kernel {
            Kernel::None => {
                return Err(Failure { status: Status::Internal, message: "it was not prepared".into() });
            }
            // SAFETY: the state was prepared by this op; the structs are valid for the call.
            Kernel::Op { op, state } => unsafe { (op.eval)(&eval, &self.raw, *state) },
            // SAFETY: the kernel came from this delegate's `compile` and was prepared.
            Kernel::Partition(p) => unsafe { (p.delegate.invoke)(p.kernel, &eval, p.as_raw(), &self.raw) },
        };
        if status == Status::Ok as ArStatus {
            return Ok(());
        }
        let failure = Failure::of(status);
        if failure.status == Status::Panicked {
            self.outcome = Outcome::Poisoned;
        }
        Err(failure)
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        self.unprepare();
    }
}

// SAFETY: the pointers lead into the graph and the interpreter's memory, which move together with the step; op states
// are `Send` by the contract (`eval` may run on any thread).
unsafe impl Send for Step {}

/// What `prepare` may take from.
pub(crate) struct Memory<'a> {
    pub tensors: &'a mut TensorTable,
    pub persistent: &'a mut Persistent,
    pub budget: &'a mut Budget,
    pub run: &'a Run<'a>,
}

impl Memory<'_> {
    /// Bytes that one tensor may have.
    fn tensor_limit(&self) -> u64 {
        self.run.settings.quota.bytes
    }
}

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
    memory: &'a mut Memory<'m>,
}

impl PrepareHost<'_, '_> {
    /// # Safety
    /// `context` is the one that the host gave to the call in progress.
    unsafe fn run(
        context: *mut c_void,
        f: impl FnOnce(&mut Self) -> Result<(), (Status, String)>,
    ) -> ArStatus {
        // SAFETY: the caller's promise; the call in progress is the only user.
        let this = unsafe { &mut *context.cast::<Self>() };
        finish(f(this))
    }

    fn tensor(&self, output: u32) -> Result<usize, (Status, String)> {
        let t = self.outputs.get(output as usize).copied().unwrap_or(-1);
        usize::try_from(t).map_err(|_| {
            invalid(format!("output {output} is not there, the node has {}", self.outputs.len()))
        })
    }

    /// Once per call: views of the call in progress may show the shape from before, see [`TensorTable`].
    fn set_shape(&mut self, output: u32, dims: &[i32]) -> Result<(), (Status, String)> {
        let t = self.tensor(output)?;
        if self.set[output as usize] != OutputState::Unset {
            let present = self.memory.tensors.shape(t);
            if present == dims {
                return Ok(());
            }
            return Err(invalid(format!(
                "output {output} has shape {present:?} by an earlier call, it cannot get {dims:?}; set it once"
            )));
        }
        check_new_shape(self.memory.tensors, t, output, dims, self.memory.tensor_limit())?;
        let ty = element_type(self.memory.tensors, t);
        self.memory.tensors.set_shape(t, dims, ty);
        self.set[output as usize] = OutputState::Shape;
        Ok(())
    }
}

impl PrepareHost<'_, '_> {
    fn share(&mut self, share: Share) -> Result<(), (Status, String)> {
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

    /// The call that this `prepare` is part of.
    pub fn run_in_progress(&self) -> &Run<'_> {
        self.memory.run
    }
}

pub(crate) fn finish(result: Result<(), (Status, String)>) -> ArStatus {
    match result {
        Ok(()) => Status::Ok as ArStatus,
        Err((status, message)) => {
            host::keep_message(&message);
            status as ArStatus
        }
    }
}

fn invalid(message: String) -> (Status, String) {
    (Status::Invalid, message)
}

fn element_type(tensors: &TensorTable, t: usize) -> ElementType {
    ElementType::from_raw(tensors.get(t).element_type).unwrap_or(ElementType::F32)
}

/// Checks a shape that a plugin gives to an output: rank, signs, size, and that a variable keeps its size.
fn check_new_shape(
    tensors: &TensorTable,
    t: usize,
    output: u32,
    dims: &[i32],
    limit: u64,
) -> Result<(), (Status, String)> {
    if dims.len() > MAX_RANK {
        return Err(invalid(format!(
            "output {output} would have rank {}, the highest is {MAX_RANK}",
            dims.len()
        )));
    }
    if dims.iter().any(|&d| d < 0) {
        return Err(invalid(format!("output {output} would have shape {dims:?}; a dimension is negative")));
    }
    let raw = tensors.get(t);
    if raw.flags & TENSOR_CONSTANT != 0 {
        return Err(invalid(format!("output {output} is constant")));
    }
    let ty = element_type(tensors, t);
    if ty.bits() == 0 {
        return Ok(());
    }
    let bytes = Some(arenite_abi::tensor::element_count(dims))
        .filter(|&n| n != usize::MAX)
        .and_then(|n| ty.bytes_of(n));
    match bytes {
        Some(bytes) if bytes as u64 <= limit => {}
        Some(bytes) => {
            return Err((
                Status::OutOfMemory,
                format!(
                    "output {output} of shape {dims:?} needs {bytes} bytes, the quota is {limit}; raise `bytes` in [quota] if that is right"
                ),
            ));
        }
        None => {
            return Err(invalid(format!(
                "output {output} of shape {dims:?} has more bytes than can be counted"
            )));
        }
    }
    if raw.flags & TENSOR_VARIABLE != 0 && bytes != Some(raw.bytes as usize) {
        return Err(invalid(format!(
            "output {output} is a variable of {} bytes, the op writes {}",
            raw.bytes,
            bytes.unwrap_or(0)
        )));
    }
    Ok(())
}

unsafe extern "C" fn set_output_shape(
    context: *mut c_void,
    output: u32,
    dims: *const i32,
    rank: u32,
) -> ArStatus {
    // SAFETY: the context is ours; `dims` has `rank` elements, by the contract.
    unsafe {
        let dims = list(dims, rank as usize);
        PrepareHost::run(context, |this| {
            let t = this.tensor(output)?;
            if element_type(this.memory.tensors, t).bits() == 0 {
                let ty = element_type(this.memory.tensors, t);
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
    unsafe {
        PrepareHost::run(context, |this| {
            let t = this.tensor(output)?;
            let flags = this.memory.tensors.get(t).flags;
            if flags & (TENSOR_CONSTANT | TENSOR_VARIABLE) != 0 {
                return Err(invalid(format!(
                    "output {output} is constant or a variable, it cannot be dynamic"
                )));
            }
            this.memory.tensors.set_flags(t, flags | TENSOR_DYNAMIC);
            this.memory.tensors.set_data(t, std::ptr::null_mut());
            this.set[output as usize] = OutputState::Dynamic;
            Ok(())
        })
    }
}

unsafe extern "C" fn set_output_constant(
    context: *mut c_void,
    output: u32,
    data: *const c_void,
    bytes: u64,
) -> ArStatus {
    // SAFETY: the context is ours; `data` has that many bytes, by the contract.
    unsafe {
        PrepareHost::run(context, |this| {
            let t = this.tensor(output)?;
            let raw = this.memory.tensors.get(t);
            if this.set[output as usize] != OutputState::Shape {
                return Err(invalid(format!("output {output} gets a value before its shape")));
            }
            if raw.bytes != bytes || raw.flags & TENSOR_VARIABLE != 0 {
                return Err(invalid(format!(
                    "output {output} has {} bytes, its value has {bytes}",
                    raw.bytes
                )));
            }
            let memory = this
                .memory
                .persistent
                .take(bytes as usize, ALIGNMENT, this.memory.budget)
                .map_err(|e| (Status::OutOfMemory, e.to_string()))?;
            if bytes > 0 {
                std::ptr::copy_nonoverlapping(data.cast::<u8>(), memory, bytes as usize);
            }
            this.memory.tensors.set_data(t, memory);
            this.memory.tensors.set_flags(t, raw.flags | TENSOR_CONSTANT);
            this.set[output as usize] = OutputState::Constant;
            Ok(())
        })
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
            let (size, align) = sized(bytes, alignment)?;
            let memory = this
                .memory
                .persistent
                .take(size, align, this.memory.budget)
                .map_err(|e| (Status::OutOfMemory, e.to_string()))?;
            *index = this.persistent_spans.len() as u32;
            *data = memory.cast();
            this.persistent_spans.push(ArSpan { data: memory.cast(), bytes });
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
            sized(bytes, alignment)?;
            if bytes > this.memory.tensor_limit() {
                let limit = this.memory.tensor_limit();
                return Err((
                    Status::OutOfMemory,
                    format!("it needs {bytes} bytes of scratch, the quota is {limit}"),
                ));
            }
            *index = this.scratch.len() as u32;
            this.scratch.push(ScratchRequest { bytes, alignment });
            Ok(())
        })
    }
}

fn sized(bytes: u64, alignment: u64) -> Result<(usize, usize), (Status, String)> {
    if !alignment.is_power_of_two() || alignment > ALIGNMENT as u64 {
        return Err(invalid(format!(
            "it asks for alignment {alignment}; at most {ALIGNMENT}, a power of two"
        )));
    }
    let size = usize::try_from(bytes).ok().filter(|&b| b <= isize::MAX as usize);
    Ok((size.ok_or_else(|| invalid(format!("it asks for {bytes} bytes")))?, alignment as usize))
}

unsafe extern "C" fn share_memory(context: *mut c_void, output: u32, input: u32, kind: u32) -> ArStatus {
    // SAFETY: the context is ours.
    unsafe { PrepareHost::run(context, |this| this.share(Share { output, input, kind, bytes: 0 })) }
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
            numbers.cast::<[u64; 4]>().write_unaligned(this.memory.run.origin());
            Ok(())
        })
    }
}

unsafe extern "C" fn release(context: *mut c_void, tensor: i32) -> ArStatus {
    // SAFETY: the context is ours.
    unsafe {
        PrepareHost::run(context, |this| {
            let tensors = &this.memory.tensors;
            let t = usize::try_from(tensor).ok().filter(|&t| t < tensors.len());
            let raw = t.map(|t| tensors.get(t)).filter(|raw| raw.flags & TENSOR_CONSTANT != 0);
            let raw =
                raw.ok_or_else(|| invalid(format!("tensor {tensor} is no constant, it cannot be released")))?;
            // A constant's bytes are readable for as long as the interpreter lives.
            this.memory.run.release(list(raw.data.cast::<u8>(), raw.bytes as usize));
            Ok(())
        })
    }
}

unsafe extern "C" fn plan(
    context: *mut c_void,
    request: *const ArPlanRequestV1,
    assignment: *mut ArAssignmentV1,
) -> ArStatus {
    // SAFETY: the context is ours; both structs and their arrays are valid for the call, by the contract.
    unsafe {
        PrepareHost::run(context, |this| {
            let (request, assignment) = (&*request, &mut *assignment);
            if request.record_stride != size_of::<UsageRecord>() || assignment.offsets.is_null() {
                return Err(invalid("the plan request has another layout".into()));
            }
            let records = list(request.records, request.record_count);
            let plan = this
                .memory
                .run
                .settings
                .planner
                .plan(records, &PlanLimits::default())
                .map_err(|e| invalid(e.to_string()))?;
            assignment.kind = ASSIGNMENT_OFFSETS;
            assignment.optimal = u8::from(plan.optimal);
            std::ptr::copy_nonoverlapping(plan.offsets.as_ptr(), assignment.offsets, plan.offsets.len());
            Ok(())
        })
    }
}

/// The host's side of `eval`.
pub(crate) struct EvalHost<'a> {
    pub tensors: &'a mut TensorTable,
    /// Memory of dynamic tensors, by tensor index.
    pub dynamic: &'a mut [Block],
    pub budget: &'a mut Budget,
    pub run: &'a Run<'a>,
    /// Outputs of the node in progress.
    pub outputs: (*const i32, usize),
    /// The row of the node in progress, if somebody asked for a profile.
    pub profile: Option<&'a mut ProfileRow>,
}

impl EvalHost<'_> {
    /// Gives tensor `t` a shape and, for dynamic ones, memory.
    fn resize(&mut self, output: u32, dims: &[i32], bytes: u64) -> Result<(), (Status, String)> {
        // SAFETY: the node in progress keeps its lists alive.
        let outputs = unsafe { list(self.outputs.0, self.outputs.1) };
        let t = outputs.get(output as usize).and_then(|&t| usize::try_from(t).ok());
        let t = t.ok_or_else(|| invalid(format!("output {output} is not there")))?;
        if !self.tensors.is_dynamic(t) {
            return Err(invalid(format!(
                "output {output} is resized, but its prepare did not set it dynamic"
            )));
        }
        // Once per call: a view of the first shape may be in use, and its memory must not move.
        if !self.tensors.get(t).data.is_null() {
            return Err(invalid(format!(
                "output {output} has shape {:?} by an earlier call, it cannot get {dims:?}; resize it once",
                self.tensors.shape(t)
            )));
        }
        let limit = self.run.settings.quota.bytes;
        check_new_shape(self.tensors, t, output, dims, limit)?;
        let ty = element_type(self.tensors, t);
        let bytes = ty.bytes_of(arenite_abi::tensor::element_count(dims)).map_or(bytes, |bytes| bytes as u64);
        let needed = usize::try_from(bytes).ok().filter(|_| bytes <= limit).ok_or_else(|| {
            (Status::OutOfMemory, format!("output {output} needs {bytes} bytes, the quota is {limit}"))
        })?;
        // Memory first: a refused change leaves the tensor as it was, without data.
        self.dynamic[t]
            .grow(needed, self.budget, "a tensor of dynamic shape")
            .map_err(|e| (Status::OutOfMemory, e.to_string()))?;
        self.tensors.set_shape(t, dims, ty);
        self.tensors.set_bytes(t, bytes);
        self.tensors.set_data(t, self.dynamic[t].as_ptr());
        Ok(())
    }
}

/// Where delegates tell the times of their steps.
pub(crate) static PROFILE: ArProfileV1 = ArProfileV1 { header: ArHeader::of::<ArProfileV1>(), note };

unsafe extern "C" fn note(context: *mut c_void, number: u32, name: ArStr, tensor: i32, nanoseconds: u64) {
    // SAFETY: the context is the `EvalHost` of the call in progress; `name` is readable for the call, by the contract.
    let (host, name) = unsafe { (&mut *context.cast::<EvalHost<'_>>(), name.as_str()) };
    let tensors = &*host.tensors;
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
        let dims = list(dims, rank as usize);
        finish((*context.cast::<EvalHost<'_>>()).resize(output, dims, bytes))
    }
}

unsafe extern "C" fn is_cancelled(context: *mut c_void) -> u8 {
    // SAFETY: the context is the `EvalHost` of the call in progress.
    u8::from(unsafe { (*context.cast::<EvalHost<'_>>()).run.is_over() })
}

/// # Safety
/// `data` is null or points to `count` elements that live for `'a`.
pub(crate) unsafe fn list<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if data.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(data, count) }
}
