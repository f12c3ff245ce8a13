//! Code that the fixtures share: access to tensors, errors, and a delegate of contract 1.0 that computes `y = x + c`
//! for four floats.

use std::ffi::c_void;
use std::sync::OnceLock;

use crate::contract_1_0::*;

/// A static table of the contract.
pub struct Shared<T>(pub T);

// SAFETY: tables of functions and borrowed statics, which are never written.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: tables of functions and borrowed statics, which no thread writes.
unsafe impl<T> Sync for Shared<T> {}

pub static HOST: OnceLock<Shared<&'static ArHostV1>> = OnceLock::new();

pub const OK: ArStatus = 0;
/// A tensor's flag.
pub const CONSTANT: u32 = 1;
pub type Done = Result<(), ArStatus>;

pub const fn header<T>() -> ArHeader {
    ArHeader { struct_size: size_of::<T>() as u32, major: 1, minor: 0 }
}

pub const fn text(text: &'static str) -> ArStr {
    ArStr { data: text.as_ptr(), length: text.len() }
}

/// An error with a message.
pub fn fail(message: &'static str) -> ArStatus {
    if let Some(host) = HOST.get() {
        // SAFETY: the host lives as long as the process.
        unsafe { (host.0.set_error)(text(message)) };
    }
    6
}

/// The function's result as a status.
pub fn status(done: Done) -> ArStatus {
    done.err().unwrap_or(OK)
}

pub fn ok(status: ArStatus) -> Done {
    if status == OK { Ok(()) } else { Err(status) }
}

pub fn require(holds: bool, what: &'static str) -> Done {
    if holds { Ok(()) } else { Err(fail(what)) }
}

/// The answer of a `query`.
///
/// # Errors
/// The host lacks the interface.
pub unsafe fn found<'a, T>(interface: *const c_void) -> Result<&'a T, ArStatus> {
    // SAFETY: the host answers with null or the struct of this id.
    unsafe { interface.cast::<T>().as_ref() }.ok_or_else(|| fail("the host lacks the interface"))
}

unsafe fn strided<'a, T>(base: *const T, stride: usize, index: usize) -> &'a T {
    // SAFETY: the array has more than `index` elements, at a distance of `stride`.
    unsafe { &*base.byte_add(index * stride) }
}

pub unsafe fn tensor<'a>(tensors: *const ArTensorV1, stride: usize, index: i32) -> &'a ArTensorV1 {
    // SAFETY: the host's index.
    unsafe { strided(tensors, stride, index as usize) }
}

pub unsafe fn input<'a>(node: &ArNodeV1, i: usize) -> &'a ArTensorV1 {
    // SAFETY: the node has this input.
    unsafe { tensor(node.tensors, node.tensor_stride, *node.inputs.add(i)) }
}

pub unsafe fn output<'a>(node: &ArNodeV1, i: usize) -> &'a ArTensorV1 {
    // SAFETY: the node has this output.
    unsafe { tensor(node.tensors, node.tensor_stride, *node.outputs.add(i)) }
}

pub unsafe fn graph_node<'a>(graph: &ArGraphV1, i: usize) -> &'a ArNodeV1 {
    // SAFETY: the graph has this node.
    unsafe { strided(graph.nodes, graph.node_stride, i) }
}

pub unsafe fn floats<'a>(tensor: &ArTensorV1) -> &'a [f32] {
    // SAFETY: in `eval` the tensor has its data, floats.
    unsafe { std::slice::from_raw_parts(tensor.data.cast(), tensor.bytes as usize / 4) }
}

/// Writes `y[i] = value(i)`.
pub unsafe fn fill(y: &ArTensorV1, value: impl Fn(usize) -> f32) {
    for i in 0..y.bytes as usize / 4 {
        // SAFETY: in `eval` the output has its memory, of floats.
        unsafe { y.data.cast::<f32>().add(i).write(value(i)) };
    }
}

pub unsafe fn shape_of_input(prepare: &ArPrepareV1, node: &ArNodeV1) -> Done {
    // SAFETY: the host's function, with its context.
    ok(unsafe {
        let x = input(node, 0);
        (prepare.set_output_shape)(prepare.context, 0, x.dims, x.rank)
    })
}

pub unsafe extern "C" fn in_a_row(
    request: *const ArPlanRequestV1,
    assignment: *mut ArAssignmentV1,
) -> ArStatus {
    // SAFETY: both are valid, and have a place per record.
    unsafe {
        let (request, assignment) = (&*request, &mut *assignment);
        let mut end = 0u64;
        for i in 0..request.record_count {
            let record = strided(request.records, request.record_stride, i);
            end = end.next_multiple_of(record.alignment);
            *assignment.offsets.add(i) = end;
            end += record.size;
        }
        assignment.kind = 0;
    }
    OK
}

// ── The delegate ────────────────────────────────────────────────────────────────────────────────────────────────────

pub struct Kernel {
    pub c: Vec<f32>,
    pub y: Vec<f32>,
    pub runs: u64,
    pub scratch: u32,
    pub delegate: *mut c_void,
}

pub unsafe fn kernel<'a>(kernel: *mut c_void) -> &'a mut Kernel {
    // SAFETY: `compile` made it; the host has one call of it at a time.
    unsafe { &mut *kernel.cast() }
}

pub unsafe extern "C" fn create(_: *const ArPair, _: usize, delegate: *mut *mut c_void) -> ArStatus {
    // SAFETY: writable.
    unsafe { *delegate = Box::into_raw(Box::new(0u64)).cast() };
    OK
}

pub unsafe extern "C" fn claim(
    _: *mut c_void,
    graph: *const ArGraphV1,
    claims: *const ArClaimsV1,
) -> ArStatus {
    // SAFETY: both are valid for the call.
    unsafe {
        for i in 0..(*graph).node_count {
            let node = graph_node(&*graph, i);
            if node.input_count == 2 && input(node, 1).flags & CONSTANT != 0 {
                ((*claims).accept)((*claims).context, i);
            }
        }
    }
    OK
}

/// The constant and its index.
pub unsafe fn constant<'a>(partition: *const ArPartitionV1) -> (&'a ArTensorV1, i32) {
    // SAFETY: the partition is valid and has a node of two inputs, as `claim` demands.
    unsafe {
        let graph = &*(*partition).graph;
        let index = *graph_node(graph, *(*partition).nodes as usize).inputs.add(1);
        (tensor(graph.tensors, graph.tensor_stride, index), index)
    }
}

pub unsafe extern "C" fn compile(
    delegate: *mut c_void,
    partition: *const ArPartitionV1,
    kernel: *mut *mut c_void,
) -> ArStatus {
    // SAFETY: the partition is valid, the result is writable.
    unsafe {
        let (c, _) = constant(partition);
        if (*partition).node_count != 1 || c.flags & CONSTANT == 0 || c.bytes != 16 {
            return fail("this is not a sum with a constant");
        }
        let made = Kernel { c: floats(c).to_vec(), y: vec![0.0; 4], runs: 0, scratch: 0, delegate };
        *kernel = Box::into_raw(Box::new(made)).cast();
    }
    OK
}

pub unsafe extern "C" fn prepare_kernel(
    _: *mut c_void,
    prepare: *const ArPrepareV1,
    partition: *const ArPartitionV1,
) -> ArStatus {
    // SAFETY: both are valid for the call.
    unsafe {
        let graph = &*(*partition).graph;
        let x = tensor(graph.tensors, graph.tensor_stride, *(*partition).inputs);
        ((*prepare).set_output_shape)((*prepare).context, 0, x.dims, x.rank)
    }
}

/// `x + c`
pub unsafe fn add(kernel: &mut Kernel, node: *const ArNodeV1) -> Vec<f32> {
    kernel.runs += 1;
    // SAFETY: the node is valid for the call.
    let x = unsafe { floats(input(&*node, 0)) };
    x.iter().zip(&kernel.c).map(|(x, c)| x + c).collect()
}

pub unsafe extern "C" fn invoke(
    made: *mut c_void,
    _: *const ArEvalV1,
    _: *const ArPartitionV1,
    node: *const ArNodeV1,
) -> ArStatus {
    // SAFETY: as the host says.
    unsafe {
        let y = add(kernel(made), node);
        fill(output(&*node, 0), |i| y[i]);
    }
    OK
}

unsafe extern "C" fn destroy_kernel(kernel: *mut c_void) {
    // SAFETY: `compile` made it; this is the last call.
    drop(unsafe { Box::from_raw(kernel.cast::<Kernel>()) });
}

unsafe extern "C" fn destroy(delegate: *mut c_void) {
    // SAFETY: `create` made it; this is the last call.
    drop(unsafe { Box::from_raw(delegate.cast::<u64>()) });
}

/// The delegate with the functions of contract 1.0.
pub const fn delegate(name: &'static str) -> ArDelegateV1 {
    ArDelegateV1 {
        header: header::<ArDelegateV1>(),
        name: text(name),
        create,
        claim,
        compile,
        prepare: prepare_kernel,
        invoke,
        destroy_kernel,
        destroy,
        query: None,
    }
}

type Prepare = unsafe extern "C" fn(*const ArPrepareV1, *const ArNodeV1, *mut c_void) -> ArStatus;
type Eval = unsafe extern "C" fn(*const ArEvalV1, *const ArNodeV1, *mut c_void) -> ArStatus;

/// A custom op on floats, with `state_size` bytes of state.
pub const fn op(name: &'static str, flags: u32, state_size: u64, prepare: Prepare, eval: Eval) -> ArOpV1 {
    ArOpV1 {
        header: header::<ArOpV1>(),
        builtin_code: 32,
        min_version: 1,
        max_version: 1,
        flags,
        custom_name: text(name),
        element_types: 1,
        state_size,
        state_align: 8,
        prepare,
        eval,
        drop: None,
        query: None,
    }
}

pub fn pointer<T>(interface: &'static T) -> *const c_void {
    (&raw const *interface).cast()
}
