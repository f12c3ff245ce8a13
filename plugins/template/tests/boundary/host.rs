//! A small host that keeps messages, and records the requests of `prepare`.

use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

use arenite_abi::Status;
use arenite_abi::raw::*;
use arenite_abi::schema::op;

thread_local! {
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

unsafe extern "C" fn set_error(message: ArStr) {
    // SAFETY: readable for the call.
    MESSAGE.set(unsafe { message.as_str() }.to_owned());
}

unsafe extern "C" fn log(_: u32, _: ArStr, _: ArStr) {}

unsafe extern "C" fn parallel_for(
    count: usize,
    _: usize,
    _: u32,
    body: ArRangeFn,
    argument: *mut c_void,
) -> ArStatus {
    // SAFETY: the body fits its argument.
    unsafe { (body.call)(argument, 0, count) };
    0
}

unsafe extern "C" fn no_interface(_: u64) -> *const c_void {
    null()
}

pub(crate) static HOST: ArHostV1 =
    ArHostV1 { header: ArHeader::of::<ArHostV1>(), set_error, log, parallel_for, query: no_interface };

/// A graph of nodes with one input and one output each; tensor `t` is named after its index.
pub(crate) struct Graph {
    pub tensors: Vec<ArTensorV1>,
    pub nodes: Vec<ArNodeV1>,
}

pub(crate) const F32: u32 = 0;
pub(crate) const I32: u32 = 2;

impl Graph {
    /// All tensors are `[length]` of f32; a node is an op name and its tensors. Leaked, so that it lives until the
    /// process ends.
    pub(crate) fn new(length: i32, tensor_count: usize, nodes: &[(&'static str, i32, i32)]) -> Graph {
        let dims: &'static [i32] = vec![length].leak();
        let tensors: Vec<ArTensorV1> = (0..tensor_count)
            .map(|_| ArTensorV1 {
                element_type: F32,
                rank: 1,
                dims: dims.as_ptr(),
                data: null_mut(),
                bytes: length as u64 * 4,
                quantization: null(),
                flags: 0,
                memory_kind: 0,
                handle: 0,
                name: ArStr::new("tensor"),
            })
            .collect();
        let nodes =
            nodes.iter().enumerate().map(|(i, &(name, x, y))| node(name, i, vec![x].leak(), vec![y].leak()));
        Graph { nodes: nodes.collect(), tensors }
    }

    pub(crate) fn raw(&mut self) -> ArGraphV1 {
        for node in &mut self.nodes {
            (node.tensors, node.tensor_count) = (self.tensors.as_ptr(), self.tensors.len());
        }
        ArGraphV1 {
            header: ArHeader::of::<ArGraphV1>(),
            tensors: self.tensors.as_ptr(),
            tensor_stride: size_of::<ArTensorV1>(),
            tensor_count: self.tensors.len(),
            nodes: self.nodes.as_ptr(),
            node_stride: size_of::<ArNodeV1>(),
            node_count: self.nodes.len(),
            inputs: null(),
            input_count: 0,
            outputs: null(),
            output_count: 0,
        }
    }
}

pub(crate) fn node(
    name: &'static str,
    index: usize,
    inputs: &'static [i32],
    outputs: &'static [i32],
) -> ArNodeV1 {
    ArNodeV1 {
        header: ArHeader::of::<ArNodeV1>(),
        builtin_code: if name == "SIN" { op::SIN } else { BUILTIN_CUSTOM },
        version: 1,
        custom_name: if name == "SIN" { ArStr::new("") } else { ArStr::new(name) },
        index: index as u32,
        subgraph: 0,
        tensors: null(),
        tensor_stride: size_of::<ArTensorV1>(),
        tensor_count: 0,
        inputs: inputs.as_ptr(),
        input_count: inputs.len(),
        outputs: outputs.as_ptr(),
        output_count: outputs.len(),
        intermediates: null(),
        intermediate_count: 0,
        options: ArTable::NONE,
        options_2: ArTable::NONE,
        custom_options: ArBytes::EMPTY,
    }
}

/// The requests of `prepare`.
#[derive(Default)]
pub(crate) struct Prepared {
    pub shapes: RefCell<Vec<(u32, Vec<i32>)>>,
    pub shared: RefCell<Vec<(u32, u32, u32)>>,
    pub planned: RefCell<Vec<(u32, u32)>>,
    pub scratch_bytes: RefCell<u64>,
}

unsafe extern "C" fn set_output_shape(
    context: *mut c_void,
    output: u32,
    dims: *const i32,
    rank: u32,
) -> ArStatus {
    // SAFETY: the context of `prepare`; the dimensions are readable.
    let (prepared, dims) =
        unsafe { (&*context.cast::<Prepared>(), std::slice::from_raw_parts(dims, rank as usize)) };
    prepared.shapes.borrow_mut().push((output, dims.to_vec()));
    0
}

unsafe extern "C" fn share_memory(context: *mut c_void, output: u32, input: u32, kind: u32) -> ArStatus {
    // SAFETY: the context of `prepare`.
    unsafe { &*context.cast::<Prepared>() }.shared.borrow_mut().push((output, input, kind));
    0
}

unsafe extern "C" fn request_scratch(context: *mut c_void, bytes: u64, _: u64, index: *mut u32) -> ArStatus {
    // SAFETY: the context of `prepare`; the result is writable.
    unsafe {
        *(*context.cast::<Prepared>()).scratch_bytes.borrow_mut() = bytes;
        *index = 0;
    }
    0
}

/// A plan with two lanes: even records at offset 0, odd ones after them.
unsafe extern "C" fn plan(
    context: *mut c_void,
    request: *const ArPlanRequestV1,
    answer: *mut ArAssignmentV1,
) -> ArStatus {
    // SAFETY: the context of `prepare`; both structs and their arrays are valid.
    unsafe {
        let records = std::slice::from_raw_parts((*request).records, (*request).record_count);
        for (i, record) in records.iter().enumerate() {
            *(*answer).offsets.add(i) = (i as u64 % 2) * record.size.next_multiple_of(64);
            (*context.cast::<Prepared>()).planned.borrow_mut().push((record.first_node, record.last_node));
        }
    }
    0
}

unsafe extern "C" fn not_now(_: *mut c_void, _: u32) -> ArStatus {
    Status::Internal as ArStatus
}
unsafe extern "C" fn no_constant(_: *mut c_void, _: u32, _: *const c_void, _: u64) -> ArStatus {
    Status::Internal as ArStatus
}
unsafe extern "C" fn no_table(_: *mut c_void, _: u64, _: u64, _: *mut u32, _: *mut *mut c_void) -> ArStatus {
    Status::Internal as ArStatus
}
unsafe extern "C" fn no_resize(_: *mut c_void, _: u32, _: *const i32, _: u32, _: u64) -> ArStatus {
    Status::Internal as ArStatus
}
unsafe extern "C" fn not_cancelled(_: *mut c_void) -> u8 {
    0
}
unsafe extern "C" fn nothing(_: *mut c_void, _: u64) -> *const c_void {
    null()
}

impl Prepared {
    /// The host's context of `prepare`, which records the requests.
    pub(crate) fn vtable(&self) -> ArPrepareV1 {
        ArPrepareV1 {
            header: ArHeader::of::<ArPrepareV1>(),
            context: std::ptr::from_ref(self).cast_mut().cast(),
            set_output_shape,
            set_output_dynamic: not_now,
            set_output_constant: no_constant,
            request_persistent: no_table,
            request_scratch,
            share_memory,
            plan,
            query: nothing,
        }
    }
}

/// A buffer in a kernel's scratch memory: index of the scratch memory, bytes, first and last step, offset, name.
#[derive(Default)]
pub(crate) struct Planned(pub RefCell<Vec<Noted>>);

pub(crate) type Noted = (u32, u64, (u32, u32), u64, String);

unsafe extern "C" fn note(
    context: *mut c_void,
    scratch: u32,
    record: *const ArUsageRecordV1,
    offset: u64,
    name: ArStr,
) {
    // SAFETY: the context of `plan`; record and name are readable.
    let (planned, record, name) = unsafe { (&*context.cast::<Planned>(), *record, name.as_str()) };
    let steps = (record.first_node, record.last_node);
    planned.0.borrow_mut().push((scratch, record.size, steps, offset, name.to_owned()));
}

impl Planned {
    /// The host's record of a kernel's buffers.
    pub(crate) fn vtable(&self) -> ArPlanNotesV1 {
        ArPlanNotesV1 {
            header: ArHeader::of::<ArPlanNotesV1>(),
            context: std::ptr::from_ref(self).cast_mut().cast(),
            note,
        }
    }
}

/// The host's context of `eval`, with one scratch buffer.
pub(crate) fn eval_vtable(scratch: &ArSpan) -> ArEvalV1 {
    ArEvalV1 {
        header: ArHeader::of::<ArEvalV1>(),
        context: null_mut(),
        threads: 1,
        persistent: null(),
        persistent_count: 0,
        scratch,
        scratch_count: 1,
        resize_output: no_resize,
        is_cancelled: not_cancelled,
        query: nothing,
    }
}

/// Takes the message that a plugin set on this thread.
pub(crate) fn take_message() -> String {
    MESSAGE.take()
}
