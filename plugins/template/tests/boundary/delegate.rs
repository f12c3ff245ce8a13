//! The delegate `sin`, and its variant with planned memory, called through their vtables.

use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr::null_mut;

use arenite_abi::delegate::registration;
use arenite_abi::raw::*;
use arenite_abi::{Delegate, Plugin, Status, plugin};

use crate::host::{Graph, HOST, I32, Noted, Planned, Prepared, eval_vtable, node, take_message};
use crate::planned_sin::PlannedSin;
use crate::sin_delegate::SinDelegate;

static PLUGIN: Plugin =
    plugin! { id: "org.arenite.test", description: "The delegate alone", delegates: [SinDelegate] };

/// A delegate created with these options, or the error message.
fn create<D: Delegate>(options: &[(&'static str, &'static str)]) -> Result<*mut c_void, String> {
    // SAFETY: the host is a static; the version is writable.
    unsafe { PLUGIN.handshake(&HOST, &mut { ABI_VERSION }) };
    let pairs: Vec<ArPair> =
        options.iter().map(|(k, v)| ArPair { key: ArStr::new(k), value: ArStr::new(v) }).collect();
    let mut delegate = null_mut();
    // SAFETY: the pairs are readable for the call, the result is writable.
    match unsafe { (registration::<D>().create)(pairs.as_ptr(), pairs.len(), &mut delegate) } {
        0 => Ok(delegate),
        _ => Err(take_message()),
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
    let delegate = create::<SinDelegate>(options).expect("good options");
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
    assert_eq!(
        create::<SinDelegate>(&[("max_node", "1")]).unwrap_err(),
        "unknown option 'max_node'; known: max_nodes"
    );
    assert_eq!(
        create::<SinDelegate>(&[("max_nodes", "few")]).unwrap_err(),
        "option max_nodes = 'few' is not a usize"
    );
}

#[test]
fn f32_sines_are_claimed_and_other_nodes_refused_with_a_reason() {
    let mut graph =
        Graph::new(3, 6, &[("Sin", 0, 1), ("Cos", 1, 2), ("SIN", 2, 3), ("Sin", 3, 4), ("Sin", 4, 5)]);
    graph.tensors[5].element_type = I32;
    let refused = |text: &str| Err(text.to_owned());
    let type_error = refused("input is FLOAT32, output is INT32; only FLOAT32 is supported");
    let not_sin = refused("the op is not SIN");
    assert_eq!(claim(&[], &mut graph), [Ok(()), not_sin.clone(), Ok(()), Ok(()), type_error.clone()]);
    let limit = refused("max_nodes is 2: no more nodes are claimed");
    assert_eq!(claim(&[("max_nodes", "2")], &mut graph), [Ok(()), not_sin, Ok(()), limit, type_error]);
}

/// The kernel's report on its scratch memory.
fn plan(vtable: &ArDelegateV1, kernel: *mut c_void) -> Vec<Noted> {
    let planned = Planned::default();
    // SAFETY: the interface is the struct of its id; the kernel came from `compile`, and was prepared.
    unsafe {
        let query = vtable.query.expect("delegates in Rust have interfaces");
        let plan = &*query(INTERFACE_KERNEL_PLAN).cast::<ArKernelPlanV1>();
        assert_eq!((plan.plan)(kernel, &planned.vtable()), 0, "{}", take_message());
    }
    planned.0.into_inner()
}

/// Compiles all nodes of the graph as one partition and runs it twice. Returns the outputs and the requests of
/// `prepare`.
fn run<D: Delegate>(
    graph: &mut Graph,
    inputs: &'static [i32],
    outputs: &'static [i32],
    x: &[f32],
) -> (Vec<Vec<f32>>, Prepared) {
    let vtable = registration::<D>();
    let delegate = create::<D>(&[]).expect("good options");
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
    let prepare = prepared.vtable();
    let mut kernel = null_mut();
    // SAFETY: all structs are valid for the calls.
    unsafe {
        assert_eq!((vtable.compile)(delegate, &partition, &mut kernel), 0, "{}", take_message());
        assert_eq!((vtable.prepare)(kernel, &prepare, &partition), 0, "{}", take_message());
    }
    let told: Vec<(u32, u32)> = plan(&vtable, kernel).into_iter().map(|(_, _, steps, _, _)| steps).collect();
    assert_eq!(told, *prepared.planned.borrow(), "the reported buffers differ from the planned ones");

    // The macro `node` with the data of its inputs and outputs.
    let mut x = x.to_vec();
    let mut results = vec![vec![f32::NAN; x.len()]; outputs.len()];
    let mut tensors = graph.tensors.clone();
    inputs.iter().for_each(|&t| tensors[t as usize].data = x.as_mut_ptr().cast());
    let mut macro_node = node("delegate", 0, inputs, outputs);
    (macro_node.tensors, macro_node.tensor_count) = (tensors.as_ptr(), tensors.len());
    let mut scratch = vec![[f32::NAN; 16]; prepared.scratch_bytes.borrow().div_ceil(64) as usize];
    let span = ArSpan { data: scratch.as_mut_ptr().cast(), bytes: *prepared.scratch_bytes.borrow() };
    let eval = eval_vtable(&span);
    for _ in 0..2 {
        for (result, &t) in results.iter_mut().zip(outputs) {
            result.fill(f32::NAN);
            tensors[t as usize].data = result.as_mut_ptr().cast();
        }
        // SAFETY: all structs and their data are valid for the call; outputs overlap nothing.
        let status = unsafe { (vtable.invoke)(kernel, &eval, &partition, &macro_node) };
        assert_eq!(status, 0, "{}", take_message());
    }
    // SAFETY: each is destroyed once.
    unsafe {
        (vtable.destroy_kernel)(kernel);
        (vtable.destroy)(delegate);
    }
    (results, prepared)
}

const X: [f32; 5] = [0.0, 1.0, -2.0, 0.25, 100.0];

/// Applies the sine `n` times. The compiler must not see the numbers: constant folding may round differently than the
/// delegate.
fn sines(n: usize) -> Vec<f32> {
    std::hint::black_box(X).iter().map(|&x| (0..n).fold(x, |x, _| x.sin())).collect()
}

/// Both delegates give these outputs. Returns the requests of the template's delegate, then of the planned one.
fn run_both(
    nodes: &[(&'static str, i32, i32)],
    outputs: &'static [i32],
    wanted: &[Vec<f32>],
) -> [Prepared; 2] {
    let (y, simple) = run::<SinDelegate>(&mut Graph::new(5, 5, nodes), &[0], outputs, &X);
    let (planned_y, planned) = run::<PlannedSin>(&mut Graph::new(5, 5, nodes), &[0], outputs, &X);
    assert_eq!(y, wanted);
    assert_eq!(planned_y, wanted);
    [simple, planned]
}

#[test]
fn one_node() {
    let [simple, planned] = run_both(&[("Sin", 0, 1)], &[1], &[sines(1)]);
    assert_eq!(simple.shapes.into_inner(), [(0, vec![5])]);
    assert_eq!(simple.scratch_bytes.into_inner(), 20);
    assert_eq!(planned.scratch_bytes.into_inner(), 0, "no later step reads the result");
}

/// A kernel that ran only its first node would apply one sine.
#[test]
fn every_node_runs() {
    let chain = [("Sin", 0, 1), ("SIN", 1, 2), ("Sin", 2, 3), ("Sin", 3, 4)];
    let [simple, planned] = run_both(&chain, &[4], &[sines(4)]);
    assert_eq!(simple.scratch_bytes.into_inner(), 80);
    assert_eq!(planned.planned.into_inner(), [(0, 1), (1, 2), (2, 3)]);
    assert_eq!(planned.scratch_bytes.into_inner(), 84);
}

/// The first result is an output and is read twice; the second is read only by the next step.
#[test]
fn results_may_be_read_inside_and_outside_the_partition() {
    let fork = [("Sin", 0, 1), ("Sin", 1, 2), ("Sin", 1, 3), ("Sin", 3, 4)];
    let [simple, planned] = run_both(&fork, &[1, 2, 4], &[sines(1), sines(2), sines(3)]);
    assert_eq!(simple.shapes.into_inner(), [(0, vec![5]), (1, vec![5]), (2, vec![5])]);
    assert_eq!(planned.planned.into_inner(), [(0, 2), (2, 3)]);
}

#[test]
fn a_tensor_without_a_producer_is_an_error() {
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
    let (delegate, mut kernel) = (create::<SinDelegate>(&[]).expect("good options"), null_mut());
    // SAFETY: all structs are valid for the call; the delegate is destroyed once.
    let status = unsafe {
        let status = (vtable.compile)(delegate, &partition, &mut kernel);
        (vtable.destroy)(delegate);
        status
    };
    assert_eq!(status, Status::Invalid as ArStatus);
    assert_eq!(take_message(), "tensor 2 is neither computed in the partition nor one of its inputs");
}
