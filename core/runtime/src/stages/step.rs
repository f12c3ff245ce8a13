//! One step of the execution plan: a node, or the nodes that a delegate runs as one.

use std::ffi::c_void;
use std::rc::Rc;
use std::sync::Arc;

use arenite_abi::Status;
pub(crate) use arenite_abi::host_side::Share;
use arenite_abi::raw::{ArNodeV1, ArPrepareV1, ArSpan, ArStatus, OP_STATEFUL, OP_USER_DATA, SHARE_IN_PLACE};

use crate::graph::Graph;
use crate::host::eval::EvalHost;
use crate::host::message::{self, Refused};
use crate::host::prepare::{PrepareHost, PrepareResult, ScratchRequest};
use crate::plugins::registration::OpRegistration;
use crate::profile::{ProfileRow, StepKey};
pub(crate) use crate::stages::failure::Failure;
use crate::stages::memory::Memory;
use crate::stages::partition_kernel::PartitionKernel;
use crate::stages::site::Site;
use crate::stages::values::VariableValue;
use arenite_abi::raw::slice;

/// A step that can be prepared and run.
pub(crate) struct Step {
    pub raw: ArNodeV1,
    /// The node in the graph; `None` for a macro node.
    pub node: Option<usize>,
    pub kernel: Kernel,
    /// The shape of an output becomes known when the step has run.
    pub dynamic: bool,
    /// The output shapes were inferred by ops, and a delegate must declare the same ones; false for a node.
    pub shapes_are_inferred: bool,
    /// It panicked, and is not called again.
    pub poisoned: bool,
    /// It ran since it was prepared.
    pub has_run: bool,
    pub persistent: Vec<ArSpan>,
    /// Of a stateful op: copies of `persistent` as `prepare` left it.
    initial: Vec<*const u8>,
    pub scratch_requests: Vec<ScratchRequest>,
    pub scratch: Vec<ArSpan>,
    pub shares: Vec<Share>,
    /// The values that `prepare` gave to variables among the outputs; the variables get them after each run.
    values: Vec<VariableValue>,
}

/// The code that runs a step.
pub(crate) enum Kernel {
    Unprepared,
    Op {
        op: OpRegistration,
        state: *mut c_void,
    },
    /// Its results are constants, which this op computed: it does not run.
    Constant(OpRegistration),
    Partition(Rc<PartitionKernel>),
    /// A partition of a preview, which is never prepared.
    Claimed(Rc<Claimed>),
}

/// A delegate's claim in a preview: nodes, by their positions in the graph, and the tensors that they read and write.
pub(crate) struct Claimed {
    pub delegate: String,
    pub members: Vec<usize>,
    pub inputs: Box<[i32]>,
    pub outputs: Box<[i32]>,
}

impl Step {
    pub(crate) fn new(raw: ArNodeV1, node: Option<usize>) -> Self {
        Step {
            raw,
            node,
            kernel: Kernel::Unprepared,
            dynamic: false,
            poisoned: false,
            has_run: false,
            persistent: Vec::new(),
            initial: Vec::new(),
            scratch_requests: Vec::new(),
            scratch: Vec::new(),
            shares: Vec::new(),
            values: Vec::new(),
            shapes_are_inferred: false,
        }
    }

    /// Tensor indices of the inputs.
    pub(crate) fn inputs(&self) -> &[i32] {
        // SAFETY: the lists are boxed in the graph or in the partition, which outlive the step.
        unsafe { slice(self.raw.inputs, self.raw.input_count) }
    }

    /// Tensor indices of the outputs.
    pub(crate) fn outputs(&self) -> &[i32] {
        // SAFETY: as for `inputs`.
        unsafe { slice(self.raw.outputs, self.raw.output_count) }
    }

    /// The nodes of the graph that it runs.
    pub(crate) fn members(&self) -> &[usize] {
        match (&self.node, &self.kernel) {
            (Some(node), _) => std::slice::from_ref(node),
            (None, Kernel::Partition(kernel)) => &kernel.members,
            (None, Kernel::Claimed(claimed)) => &claimed.members,
            (None, _) => &[],
        }
    }

    /// The op, or the delegate that runs it.
    pub(crate) fn op<'a>(&'a self, graph: &'a Graph) -> &'a str {
        match (self.node, &self.kernel) {
            (Some(node), _) => graph.nodes[node].key.as_str(),
            (None, Kernel::Partition(kernel)) => &kernel.owner.name,
            (None, _) => "DELEGATE",
        }
    }

    /// The op and the name of the first output, for listings.
    pub(crate) fn names(&self, graph: &Graph) -> (String, String) {
        let op = match (self.node, &self.kernel) {
            (Some(node), _) => graph.op_name(node),
            (None, Kernel::Partition(kernel)) => format!("delegate {}", kernel.owner.name),
            (None, _) => "DELEGATE".to_owned(),
        };
        let output = Graph::present(self.outputs()).next().map(|t| graph.tensors[t].name.to_string());
        (op, output.unwrap_or_default())
    }

    /// Identifies the step within its subgraph, even after it was built again.
    pub(crate) fn key(&self) -> StepKey {
        let members = self.members();
        (members.first().copied().unwrap_or(usize::MAX), members.len(), self.node.is_some())
    }

    /// Whether it has nothing to do when the plan runs.
    pub(crate) fn is_constant(&self) -> bool {
        matches!(self.kernel, Kernel::Constant(_))
    }

    /// Whether all inputs that are the tensor which `share` names may share memory with that output: `ADD(x, x)` reads
    /// `x` in two ways.
    pub(crate) fn shares_all_uses(&self, share: &Share) -> bool {
        let tensor = self.inputs().get(share.input as usize);
        let mut uses = self.inputs().iter().enumerate().filter(|&(_, t)| Some(t) == tensor);
        let shared = |i: usize| {
            self.shares.iter().any(|s| (s.output, s.input as usize, s.kind) == (share.output, i, share.kind))
        };
        uses.all(|(i, _)| shared(i))
    }

    /// The distance in bytes from the tensor that `share` names to the start of its output: the largest over all its
    /// uses.
    pub(crate) fn distance(&self, share: &Share) -> u64 {
        let tensor = |share: &Share| self.inputs().get(share.input as usize);
        let same = |other: &&Share| {
            (other.output, other.kind, tensor(other)) == (share.output, share.kind, tensor(share))
        };
        self.shares.iter().filter(same).map(|share| share.bytes).max().unwrap_or(share.bytes)
    }

    /// Drops the op's state and the requests that `prepare` made.
    fn unprepare(&mut self) {
        if let Kernel::Op { op, state } = std::mem::replace(&mut self.kernel, Kernel::Unprepared)
            && let (Some(drop), false) = (op.drop, self.poisoned)
        {
            // SAFETY: the state was prepared by this op, and is not used again.
            unsafe { drop(state) };
        }
        self.persistent.clear();
        self.initial.clear();
        self.scratch_requests.clear();
        self.scratch.clear();
        self.shares.clear();
        self.values.clear();
        self.dynamic = false;
        self.has_run = false;
    }

    /// Marks its outputs as constants and releases the op's state.
    pub(crate) fn become_constant(&mut self) {
        if let Kernel::Op { op, .. } = &self.kernel {
            let op = Arc::clone(op);
            self.unprepare();
            self.kernel = Kernel::Constant(op);
        }
    }

    /// Prepares the step with this op. After an error it is as before.
    pub(crate) fn prepare_op(&mut self, op: &OpRegistration, site: &mut Site<'_>) -> Result<(), Failure> {
        let mark = site.memory.persistent.mark();
        let Memory { persistent, budget, .. } = &mut *site.memory;
        let state = persistent
            .take(op.state_size as usize, (op.state_align as usize).max(1), budget)
            .map_err(Failure::memory)?
            .cast::<c_void>();
        if op.flags & OP_USER_DATA != 0 {
            // SAFETY: the state is larger than a pointer and aligned for one, which was checked when the op was
            // registered.
            unsafe { state.cast::<*mut c_void>().write(op.user_data()) };
        }
        let raw = self.raw;
        // SAFETY: the structs are valid for the call; the state has the size and alignment of the registration.
        let mut done = self.prepare_with(site, |prepare| unsafe { (op.prepare)(prepare, &raw, state) });
        if let Ok(all_constant) = done {
            self.kernel = Kernel::Op { op: Arc::clone(op), state };
            if let Err(failure) = self.check_in_place(site.graph) {
                done = Err(failure);
            } else if all_constant {
                self.become_constant();
            } else if op.flags & OP_STATEFUL != 0 {
                done = self.keep_initial(site).map(|()| false);
            }
        }
        if done.is_err() {
            self.unprepare();
            site.memory.persistent.release(mark, &mut site.memory.budget);
        }
        done.map(drop)
    }

    /// Refuses a node that writes a variable which it also reads, unless its op declared that it works in place.
    fn check_in_place(&self, graph: &Graph) -> Result<(), Failure> {
        for (o, &t) in self.outputs().iter().enumerate().filter(|(_, t)| **t >= 0) {
            let allowed = |i: usize| {
                let same =
                    |s: &Share| (s.output as usize, s.input as usize, s.kind) == (o, i, SHARE_IN_PLACE);
                self.shares.iter().any(same)
            };
            let mut reads = self.inputs().iter().enumerate().filter(|(_, input)| **input == t);
            if reads.any(|(i, _)| !allowed(i)) {
                let name = graph.tensors.get(t as usize).map_or("", |tensor| tensor.name.as_str());
                let message = format!(
                    "it reads variable '{name}' and writes it, but does not work in place here; write to another \
                     tensor, and to the variable from there"
                );
                return Err(Failure { status: Status::Invalid, message });
            }
        }
        Ok(())
    }

    fn keep_initial(&mut self, site: &mut Site<'_>) -> Result<(), Failure> {
        for span in &self.persistent {
            let bytes = span.bytes as usize;
            let copy =
                site.memory.persistent.take(bytes, 1, &mut site.memory.budget).map_err(Failure::memory)?;
            // SAFETY: two pieces of persistent memory, each of `bytes` bytes.
            unsafe { std::ptr::copy_nonoverlapping(span.data.cast::<u8>(), copy, bytes) };
            self.initial.push(copy);
        }
        Ok(())
    }

    /// Resets the state of a stateful op to its value after `prepare`.
    pub(crate) fn reset_state(&mut self) {
        for (span, &copy) in self.persistent.iter().zip(&self.initial) {
            // SAFETY: as in `keep_initial`; no call is in progress, so no op accesses the memory.
            unsafe { std::ptr::copy_nonoverlapping(copy, span.data.cast::<u8>(), span.bytes as usize) };
        }
    }

    /// The state that a stateful op keeps between calls; empty for other ops.
    pub(crate) fn state(&self) -> Vec<Vec<u8>> {
        let kept = if self.initial.is_empty() { &[][..] } else { &self.persistent };
        // SAFETY: persistent memory of the step, initialised; no call is in progress.
        kept.iter()
            .map(|span| unsafe { slice(span.data.cast::<u8>(), span.bytes as usize) }.to_vec())
            .collect()
    }

    /// Restores a stateful op's state from another step for the same node, if the sizes match.
    pub(crate) fn set_state(&mut self, state: &[Vec<u8>]) {
        let sizes = self.persistent.iter().map(|span| span.bytes);
        if self.initial.is_empty() || !sizes.eq(state.iter().map(|bytes| bytes.len() as u64)) {
            return;
        }
        for (span, bytes) in self.persistent.iter().zip(state) {
            // SAFETY: as in `state`; the sizes are the same.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), span.data.cast::<u8>(), bytes.len()) };
        }
    }

    /// Prepares a compiled partition for the current shapes.
    pub(crate) fn prepare_partition(&mut self, site: &mut Site<'_>) -> Result<(), Failure> {
        let Kernel::Partition(partition) = &self.kernel else {
            return Err(Failure { status: Status::Internal, message: "it is not a partition".into() });
        };
        let partition = Rc::clone(partition);
        partition.forget_objects();
        let outputs: Vec<usize> = Graph::present(self.outputs()).collect();
        let inferred: Vec<_> = outputs.iter().map(|&t| site.memory.table.shape(t).to_vec()).collect();
        let mut done = self
            // SAFETY: the kernel came from this delegate's `compile`; the structs are valid for the call.
            .prepare_with(site, |prepare| unsafe {
                (partition.delegate.prepare)(partition.kernel, prepare, partition.as_raw())
            });
        if let Err(Failure { status: Status::Panicked, .. }) = done {
            self.poison();
        }
        let changed = |pair: &(&usize, &Vec<i32>)| {
            let (&t, inferred) = *pair;
            !site.memory.table.is_dynamic(t) && *inferred != site.memory.table.shape(t)
        };
        if let (Ok(_), true, Some((&t, inferred))) =
            (&done, self.shapes_are_inferred, outputs.iter().zip(&inferred).find(changed))
        {
            let (name, given) = (&site.graph.tensors[t].name, site.memory.table.shape(t));
            let message = format!("its prepare gives '{name}' the shape {given:?}, but it is {inferred:?}");
            done = Err(Failure { status: Status::Internal, message });
        }
        done.map(drop)
    }

    /// Returns whether all outputs are constants now.
    fn prepare_with(
        &mut self,
        site: &mut Site<'_>,
        call: impl FnOnce(*const ArPrepareV1) -> ArStatus,
    ) -> Result<bool, Failure> {
        let outputs = self.outputs().to_vec();
        let partition = match &self.kernel {
            Kernel::Partition(partition) => Some(Rc::clone(partition)),
            _ => None,
        };
        let of = (self.node, partition.as_deref());
        let mut host_side = PrepareHost::new(&outputs, self.raw.input_count, of, site);
        message::clear_message();
        let status = call(&host_side.as_raw());
        if status != Status::Ok as ArStatus {
            return Err(Failure::of(status));
        }
        let found = host_side.finish().map_err(|Refused { status, message }| Failure { status, message })?;
        let PrepareResult { dynamic, constant, persistent, scratch, shares, values } = found;
        (self.dynamic, self.persistent) = (dynamic, persistent);
        self.scratch_requests = scratch;
        self.shares = shares;
        self.values = values;
        Ok(constant)
    }

    /// Runs the step.
    pub(crate) fn eval(
        &mut self,
        site: &mut Site<'_>,
        profile: Option<&mut ProfileRow>,
    ) -> Result<(), Failure> {
        if self.poisoned {
            return Err(Failure::poisoned());
        }
        message::clear_message();
        // SAFETY: as for `outputs`.
        let outputs = unsafe { slice(self.raw.outputs, self.raw.output_count) };
        let partition = match &self.kernel {
            Kernel::Partition(partition) => Some(partition),
            _ => None,
        };
        let mut host_side = EvalHost { memory: site.memory, run: site.run, outputs, partition, profile };
        let eval = host_side.as_raw(&self.persistent, &self.scratch);
        let status = match &self.kernel {
            Kernel::Unprepared | Kernel::Constant(_) | Kernel::Claimed(_) => {
                return Err(Failure { status: Status::Internal, message: "it was not prepared".into() });
            }
            // SAFETY: the state was prepared by this op; the structs are valid for the call.
            Kernel::Op { op, state } => unsafe { (op.eval)(&eval, &self.raw, *state) },
            // SAFETY: the kernel came from this delegate's `compile` and was prepared.
            Kernel::Partition(p) => unsafe { (p.delegate.invoke)(p.kernel, &eval, p.as_raw(), &self.raw) },
        };
        if status == Status::Ok as ArStatus {
            self.values.iter().for_each(|value| value.write(site.memory));
            return Ok(());
        }
        let failure = Failure::of(status);
        if failure.status == Status::Panicked {
            self.poison();
        }
        Err(failure)
    }

    fn poison(&mut self) {
        self.poisoned = true;
        if let Kernel::Partition(partition) = &self.kernel {
            partition.poisoned.set(true);
        }
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
