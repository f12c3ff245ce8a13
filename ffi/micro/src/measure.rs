//! Costs of a model: the arena by category, and a profiler for nodes.

use core::ffi::c_void;

use arenite_micro::{Category, NodeObserver, RunningNode, Sizes, Stage};

use crate::calls::micro;
use crate::lent::refuse;
use crate::micro::{ArMicro, Phase, wrong};
use crate::status::{self, ArMicroStatus};

/// `ArMicroSizes` of the header.
#[repr(C)]
pub(crate) struct ArMicroSizes {
    pub(crate) arena: usize,
    head: usize,
    bookkeeping: usize,
    ops: usize,
    variables: usize,
    constants: usize,
}

/// `ArMicroRecord` of the header.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct ArMicroRecord {
    pub(crate) planned: usize,
    pub(crate) persistent: usize,
    pub(crate) scratch: usize,
    pub(crate) tensors: usize,
    nodes: usize,
    shapes: usize,
    subgraphs: usize,
    op_states: usize,
    op_buffers: usize,
    first_values: usize,
    variables: usize,
    resources: usize,
    constants: usize,
}

/// Reports how much arena the model needs.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_sizes(
    micro: *const ArMicro,
    sizes: *mut ArMicroSizes,
) -> ArMicroStatus {
    // SAFETY: the header requires a null pointer or an `ArMicro` that only one thread uses at a time.
    let phase = unsafe { micro.as_ref() }.and_then(ArMicro::phase);
    let ready = phase.filter(|phase| phase.stage() == Stage::Ready);
    let Some(recording) = ready.map(Phase::recording) else {
        return wrong("it is not ready to run", phase);
    };
    if sizes.is_null() || !sizes.is_aligned() {
        return refuse("the place for the sizes");
    }
    let Sizes { arena, head, bookkeeping, ops, variables, constants } = recording.sizes();
    // SAFETY: `sizes` is not null here, and the header requires it to be writable.
    unsafe { sizes.write(ArMicroSizes { arena, head, bookkeeping, ops, variables, constants }) };
    status::OK
}

/// Reports the use of the arena by category.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_record(
    micro: *const ArMicro,
    record: *mut ArMicroRecord,
) -> ArMicroStatus {
    // SAFETY: the header requires a null pointer or an `ArMicro` that only one thread uses at a time.
    let phase = unsafe { micro.as_ref() }.and_then(ArMicro::phase);
    let ready = phase.filter(|phase| phase.stage() == Stage::Ready);
    let Some(recording) = ready.map(Phase::recording) else {
        return wrong("it is not ready to run", phase);
    };
    if record.is_null() || !record.is_aligned() {
        return refuse("the place for the record");
    }
    let of = |category| recording.of(category);
    let values = ArMicroRecord {
        planned: recording.planned,
        persistent: recording.persistent,
        scratch: recording.scratch,
        tensors: of(Category::Tensors),
        nodes: of(Category::Nodes),
        shapes: of(Category::Shapes),
        subgraphs: of(Category::Subgraphs),
        op_states: of(Category::OpData),
        op_buffers: of(Category::Persistent),
        first_values: of(Category::Initial),
        variables: of(Category::Variables),
        resources: of(Category::Resources),
        constants: of(Category::Constants),
    };
    // SAFETY: `record` is not null here, and the header requires it to be writable.
    unsafe { record.write(values) };
    status::OK
}

/// The function that a profiler calls.
type NodeCallback = unsafe extern "C" fn(user: *mut c_void, subgraph: usize, node: usize, builtin_code: i32);

/// `ArMicroProfiler` of the header.
#[repr(C)]
pub(crate) struct ArMicroProfiler {
    pub(crate) begin: Option<NodeCallback>,
    pub(crate) end: Option<NodeCallback>,
    pub(crate) user: *mut c_void,
}

impl ArMicroProfiler {
    fn call(&self, function: Option<NodeCallback>, running: RunningNode) {
        let RunningNode { subgraph, node, code } = running;
        if let Some(function) = function {
            // SAFETY: the header requires functions that can be called with `user`.
            unsafe { function(self.user, subgraph, node, code) };
        }
    }
}

impl NodeObserver for ArMicroProfiler {
    fn begin(&self, node: RunningNode) {
        self.call(self.begin, node);
    }

    fn end(&self, node: RunningNode) {
        self.call(self.end, node);
    }
}

/// Sets or removes the profiler.
///
/// # Safety
/// The rules for ownership and threads in `arenite_micro.h`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ar_micro_set_profiler(
    micro: *mut ArMicro,
    profiler: *const ArMicroProfiler,
) -> ArMicroStatus {
    match micro!(micro).ready() {
        Ok(mut model) => {
            // SAFETY: the header requires null or a profiler that stays where it is until it is replaced or the
            // interpreter is closed.
            let profiler = unsafe { profiler.as_ref() };
            model.set_observer(profiler.map(|profiler| profiler as &dyn NodeObserver));
            status::OK
        }
        Err(status) => status,
    }
}
