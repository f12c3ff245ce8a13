//! The delegate `sin`, driven through its vtable by a small host.

use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

use arenite_abi::delegate::registration;
use arenite_abi::raw::*;
use arenite_abi::{Plugin, Status, plugin};

#[path = "../src/sin_delegate.rs"]
mod sin_delegate;
use sin_delegate::SinDelegate;

static PLUGIN: Plugin =
    plugin! { id: "org.arenite.test", description: "The delegate alone", delegates: [SinDelegate] };

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

static HOST: ArHostV1 =
    ArHostV1 { header: ArHeader::of::<ArHostV1>(), set_error, log, parallel_for, query: no_interface };

/// A graph of nodes with one input and one output each; tensor `t` is named by its number.
struct Graph {
    tensors: Vec<ArTensorV1>,
    nodes: Vec<ArNodeV1>,
}

const F32: u32 = 0;
const I32: u32 = 2;

impl Graph {
    /// All tensors are `[length]` of f32; a node is an op's name and its tensors. Kept until the process ends.
    fn new(length: i32, tensor_count: usize, nodes: &[(&'static str, i32, i32)]) -> Graph {
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

    fn raw(&mut self) -> ArGraphV1 {
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

fn node(name: &'static str, index: usize, inputs: &'static [i32], outputs: &'static [i32]) -> ArNodeV1 {
    ArNodeV1 {
        header: ArHeader::of::<ArNodeV1>(),
        builtin_code: if name == "SIN" { 66 } else { BUILTIN_CUSTOM },
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

/// The delegate made with these options, or the message of the error.
fn create(options: &[(&'static str, &'static str)]) -> Result<*mut c_void, String> {
    // SAFETY: the host is a static; the version is writable.
    unsafe { PLUGIN.handshake(&HOST, &mut { ABI_VERSION }) };
    let pairs: Vec<ArPair> =
        options.iter().map(|(k, v)| ArPair { key: ArStr::new(k), value: ArStr::new(v) }).collect();
    let mut delegate = null_mut();
    // SAFETY: the pairs are readable for the call, the result is writable.
    match unsafe { (registration::<SinDelegate>().create)(pairs.as_ptr(), pairs.len(), &mut delegate) } {
        0 => Ok(delegate),
        _ => Err(MESSAGE.take()),
    }
}

type Answers = RefCell<Vec<Result<(), String>>>;

unsafe extern "C" fn accept(context: *mut c_void, node: usize) {
    // SAFETY: the context of `claim`.
    unsafe { &*context.cast::<Answers>() }.borrow_mut()[node] = Ok(());
}

unsafe extern "C" fn refuse(context: *mut c_void, node: usize, reason: ArStr) {
    // SAFETY: the context of `claim`; the text is readable.
    let (answers, reason) = unsafe { (&*context.cast::<Answers>(), reason.as_str()) };
    answers.borrow_mut()[node] = Err(reason.to_owned());
}

fn claim(options: &[(&'static str, &'static str)], graph: &mut Graph) -> Vec<Result<(), String>> {
    let vtable = registration::<SinDelegate>();
    let delegate = create(options).expect("good options");
    let answers: Answers = RefCell::new(vec![Err("no answer".into()); graph.nodes.len()]);
    let claims = ArClaimsV1 {
        header: ArHeader::of::<ArClaimsV1>(),
        context: (&raw const answers).cast_mut().cast(),
        accept,
        refuse,
    };
    // SAFETY: all structs are valid for the call; the delegate is destroyed once.
    unsafe {
        assert_eq!((vtable.claim)(delegate, &graph.raw(), &claims), 0);
        (vtable.destroy)(delegate);
    }
    answers.into_inner()
}

#[test]
fn options_are_checked() {
    assert_eq!(create(&[("max_node", "1")]).unwrap_err(), "unknown option 'max_node'; known: max_nodes");
    assert_eq!(create(&[("max_nodes", "few")]).unwrap_err(), "option max_nodes = 'few' is no usize");
}

#[test]
fn claims_sin_of_f32_and_says_why_not_the_others() {
    let mut graph =
        Graph::new(3, 6, &[("Sin", 0, 1), ("Cos", 1, 2), ("SIN", 2, 3), ("Sin", 3, 4), ("Sin", 4, 5)]);
    graph.tensors[5].element_type = I32;
    let refused = |text: &str| Err(text.to_owned());
    let type_error = refused("input is FLOAT32, output is INT32; only FLOAT32 is taken");
    let not_sin = refused("the op is not SIN");
    assert_eq!(claim(&[], &mut graph), [Ok(()), not_sin.clone(), Ok(()), Ok(()), type_error.clone()]);
    let limit = refused("max_nodes is 2: no more are taken");
    assert_eq!(claim(&[("max_nodes", "2")], &mut graph), [Ok(()), not_sin, Ok(()), limit, type_error]);
}

/// What `prepare` asks of the host.
#[derive(Default)]
struct Prepared {
    shapes: RefCell<Vec<(u32, Vec<i32>)>>,
    planned: RefCell<Vec<(u32, u32)>>,
    scratch_bytes: RefCell<u64>,
}

unsafe extern "C" fn set_output_shape(
    context: *mut c_void,
    output: u32,
    dims: *const i32,
    rank: u32,
) -> ArStatus {
    // SAFETY: the context of `run`; the dimensions are readable.
    let (prepared, dims) =
        unsafe { (&*context.cast::<Prepared>(), std::slice::from_raw_parts(dims, rank as usize)) };
    prepared.shapes.borrow_mut().push((output, dims.to_vec()));
    0
}

unsafe extern "C" fn request_scratch(context: *mut c_void, bytes: u64, _: u64, index: *mut u32) -> ArStatus {
    // SAFETY: the context of `run`; the result is writable.
    unsafe {
        *(*context.cast::<Prepared>()).scratch_bytes.borrow_mut() = bytes;
        *index = 0;
    }
    0
}

/// Two lanes: even records at 0, odd ones behind.
unsafe extern "C" fn plan(
    context: *mut c_void,
    request: *const ArPlanRequestV1,
    answer: *mut ArAssignmentV1,
) -> ArStatus {
    // SAFETY: the context of `run`; both structs and their arrays are valid.
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
unsafe extern "C" fn no_sharing(_: *mut c_void, _: u32, _: u32, _: u32) -> ArStatus {
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

/// Compiles all nodes of the graph as one partition and runs it twice; gives the outputs and what `prepare` asked for.
fn run(
    graph: &mut Graph,
    inputs: &'static [i32],
    outputs: &'static [i32],
    x: &[f32],
) -> (Vec<Vec<f32>>, Prepared) {
    let vtable = registration::<SinDelegate>();
    let delegate = create(&[]).expect("good options");
    let raw_graph = graph.raw();
    let positions: Vec<u32> = (0..graph.nodes.len() as u32).collect();
    let partition = ArPartitionV1 {
        header: ArHeader::of::<ArPartitionV1>(),
        graph: &raw_graph,
        nodes: positions.as_ptr(),
        node_count: positions.len(),
        inputs: inputs.as_ptr(),
        input_count: inputs.len(),
        outputs: outputs.as_ptr(),
        output_count: outputs.len(),
    };
    let prepared = Prepared::default();
    let prepare = ArPrepareV1 {
        header: ArHeader::of::<ArPrepareV1>(),
        context: (&raw const prepared).cast_mut().cast(),
        set_output_shape,
        set_output_dynamic: not_now,
        set_output_constant: no_constant,
        request_persistent: no_table,
        request_scratch,
        share_memory: no_sharing,
        plan,
        query: nothing,
    };
    let mut kernel = null_mut();
    // SAFETY: all structs are valid for the calls.
    unsafe {
        assert_eq!((vtable.compile)(delegate, &partition, &mut kernel), 0, "{}", MESSAGE.take());
        assert_eq!((vtable.prepare)(kernel, &prepare, &partition), 0, "{}", MESSAGE.take());
    }

    // The macro node with the data of its inputs and outputs.
    let mut x = x.to_vec();
    let mut results = vec![vec![f32::NAN; x.len()]; outputs.len()];
    let mut tensors = graph.tensors.clone();
    inputs.iter().for_each(|&t| tensors[t as usize].data = x.as_mut_ptr().cast());
    let mut macro_node = node("delegate", 0, inputs, outputs);
    (macro_node.tensors, macro_node.tensor_count) = (tensors.as_ptr(), tensors.len());
    let mut scratch = vec![[f32::NAN; 16]; prepared.scratch_bytes.borrow().div_ceil(64) as usize];
    let span = ArSpan { data: scratch.as_mut_ptr().cast(), bytes: *prepared.scratch_bytes.borrow() };
    let eval = ArEvalV1 {
        header: ArHeader::of::<ArEvalV1>(),
        context: null_mut(),
        threads: 1,
        persistent: null(),
        persistent_count: 0,
        scratch: &span,
        scratch_count: 1,
        resize_output: no_resize,
        is_cancelled: not_cancelled,
        query: nothing,
    };
    for _ in 0..2 {
        for (result, &t) in results.iter_mut().zip(outputs) {
            result.fill(f32::NAN);
            tensors[t as usize].data = result.as_mut_ptr().cast();
        }
        // SAFETY: all structs and their data are valid for the call; outputs overlap nothing.
        let status = unsafe { (vtable.invoke)(kernel, &eval, &partition, &macro_node) };
        assert_eq!(status, 0, "{}", MESSAGE.take());
    }
    // SAFETY: each is destroyed once.
    unsafe {
        (vtable.destroy_kernel)(kernel);
        (vtable.destroy)(delegate);
    }
    (results, prepared)
}

const X: [f32; 5] = [0.0, 1.0, -2.0, 0.25, 100.0];

/// Applies the sine `n` times.
fn sines(n: usize) -> Vec<f32> {
    X.iter().map(|&x| (0..n).fold(x, |x, _| x.sin())).collect()
}

#[test]
fn one_node_needs_no_scratch() {
    let (y, prepared) = run(&mut Graph::new(5, 2, &[("Sin", 0, 1)]), &[0], &[1], &X);
    assert_eq!(y, [sines(1)]);
    assert_eq!(prepared.shapes.into_inner(), [(0, vec![5])]);
    assert_eq!(prepared.scratch_bytes.into_inner(), 0);
}

/// A kernel that runs only the first of its nodes would give one sine.
#[test]
fn all_nodes_run() {
    let chain = [("Sin", 0, 1), ("SIN", 1, 2), ("Sin", 2, 3), ("Sin", 3, 4)];
    let (y, prepared) = run(&mut Graph::new(5, 5, &chain), &[0], &[4], &X);
    assert_eq!(y, [sines(4)]);
    assert_eq!(prepared.planned.into_inner(), [(0, 1), (1, 2), (2, 3)]);
    assert_eq!(prepared.scratch_bytes.into_inner(), 84);
}

/// The first result is an output and is read twice; the second is read by nobody else.
#[test]
fn results_may_be_read_inside_and_outside() {
    let fork = [("Sin", 0, 1), ("Sin", 1, 2), ("Sin", 1, 3), ("Sin", 3, 4)];
    let (y, prepared) = run(&mut Graph::new(5, 5, &fork), &[0], &[1, 2, 4], &X);
    assert_eq!(y, [sines(1), sines(2), sines(3)]);
    assert_eq!(prepared.planned.into_inner(), [(0, 2), (2, 3)]);
    assert_eq!(prepared.shapes.into_inner(), [(0, vec![5]), (1, vec![5]), (2, vec![5])]);
}

#[test]
fn a_tensor_from_nowhere_is_an_error() {
    let mut graph = Graph::new(5, 3, &[("Sin", 2, 1)]);
    let raw_graph = graph.raw();
    let partition = ArPartitionV1 {
        header: ArHeader::of::<ArPartitionV1>(),
        graph: &raw_graph,
        nodes: &0,
        node_count: 1,
        inputs: &0,
        input_count: 1,
        outputs: &1,
        output_count: 1,
    };
    let vtable = registration::<SinDelegate>();
    let (delegate, mut kernel) = (create(&[]).expect("good options"), null_mut());
    // SAFETY: all structs are valid for the call; the delegate is destroyed once.
    let status = unsafe {
        let status = (vtable.compile)(delegate, &partition, &mut kernel);
        (vtable.destroy)(delegate);
        status
    };
    assert_eq!(status, Status::Invalid as ArStatus);
    assert_eq!(MESSAGE.take(), "tensor 2 is neither computed in the partition nor one of its inputs");
}
