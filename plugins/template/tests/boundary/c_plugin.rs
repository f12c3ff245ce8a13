//! Plugins in C, compiled by this machine's C compiler and called through their entries: plugins/template/c/cube.c, and
//! a delegate.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::{null, null_mut};

use arenite_abi::raw::*;
use arenite_abi::{ObjectRecord, ObjectRequest, Status};

use crate::host::{Graph, HOST, I32, Planned, Prepared, eval_vtable, node, take_message};

/// Compiles a file of this package into a library; `None` without a C compiler.
fn compile(folder: &Path, file: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library =
        folder.join(format!("{}made{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX));
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let output = Command::new(&compiler)
        .args(["-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", "-I"])
        .arg(root.join("../../core/abi/include"))
        .arg("-o")
        .arg(&library)
        .arg(root.join(file))
        .output();
    match output {
        Err(error) => {
            println!("skipped: no C compiler {}: {error}", compiler.display());
            None
        }
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(library)
        }
    }
}

/// The plugin's descriptor. The library stays loaded.
fn load(library: &Path) -> &'static ArPluginV1 {
    // SAFETY: the library is the plugin that was just compiled, it has no initialisers and its entry is an `ArEntryV1`.
    unsafe {
        let library = Box::leak(Box::new(libloading::Library::new(library).expect("it loads")));
        let entry = *library.get::<ArEntryV1>(ENTRY_SYMBOL).expect("it has the entry");
        let mut version = ABI_VERSION - 1;
        assert!(entry(&HOST, &mut version).is_null(), "the plugin accepted an older host");
        assert_eq!(version, ABI_VERSION);
        version = ABI_VERSION + 5;
        let plugin = entry(&HOST, &mut version).as_ref().expect("a descriptor");
        assert_eq!(version, ABI_VERSION, "the version is not the one both support");
        plugin
    }
}

#[test]
fn cube() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(library) = compile(folder.path(), "c/cube.c") else { return };
    let plugin = load(&library);
    // SAFETY: the descriptor's texts and its op live as long as the process.
    let (id, op) = unsafe { (plugin.id.as_str(), &*plugin.ops) };
    assert_eq!((id, plugin.op_count, plugin.op_stride), ("org.arenite.cube", 1, size_of::<ArOpV1>()));
    assert_eq!(plugin.header.struct_size as usize, size_of::<ArPluginV1>());

    let mut graph = Graph::new(4, 2, &[("Cube", 0, 1)]);
    let prepare = |graph: &mut Graph| {
        let prepared = Prepared::default();
        graph.raw();
        // SAFETY: all structs are valid for the call; the state has no size.
        let status =
            unsafe { (op.prepare)(&prepared.vtable(), &graph.nodes[0], (&raw mut graph.nodes).cast()) };
        (status, prepared)
    };
    let (status, prepared) = prepare(&mut graph);
    assert_eq!(status, 0, "{}", take_message());
    assert_eq!(prepared.shapes.into_inner(), [(0, vec![4])]);
    assert_eq!(prepared.shared.into_inner(), [(0, 0, SHARE_IN_PLACE)]);

    let (mut x, mut y) = ([1.0f32, -2.0, 0.5, 3.0], [0.0f32; 4]);
    graph.tensors[0].data = x.as_mut_ptr().cast();
    graph.tensors[1].data = y.as_mut_ptr().cast();
    graph.raw();
    let scratch = ArSpan { data: null_mut(), bytes: 0 };
    // SAFETY: all structs and their data are valid for the call.
    let status = unsafe { (op.eval)(&eval_vtable(&scratch), &graph.nodes[0], (&raw mut graph.nodes).cast()) };
    assert_eq!(status, 0, "{}", take_message());
    assert_eq!(y, [1.0, -8.0, 0.125, 27.0]);

    graph.tensors[1].element_type = I32;
    let (status, _) = prepare(&mut graph);
    assert_eq!(Status::from_raw(status), Status::Unsupported);
    assert_eq!(take_message(), "element types are 0 and 2, only FLOAT32 (0) is supported");
}

/// The constants that a delegate released, and the bytes that it holds.
#[derive(Default)]
struct Host {
    released: RefCell<Vec<i32>>,
    held: Cell<u64>,
}

unsafe extern "C" fn release(context: *mut c_void, tensor: i32) -> ArStatus {
    // SAFETY: the context of `compile`.
    unsafe { &*context.cast::<Host>() }.released.borrow_mut().push(tensor);
    0
}

unsafe extern "C" fn origin(_: *mut c_void, _: *mut u64) -> ArStatus {
    Status::Internal as ArStatus
}

unsafe extern "C" fn room(_: *mut c_void) -> u64 {
    1 << 10
}

unsafe extern "C" fn hold(context: *mut c_void, bytes: u64) -> ArStatus {
    // SAFETY: the context of `compile`.
    unsafe { &*context.cast::<Host>() }.held.set(bytes);
    0
}

static MEMORY: ArMemoryV1 = ArMemoryV1 { header: ArHeader::of::<ArMemoryV1>(), room, hold };

static CONSTANTS: ArConstantsV1 = ArConstantsV1 { header: ArHeader::of::<ArConstantsV1>(), release, origin };

unsafe extern "C" fn query(_: *mut c_void, interface: u64) -> *const c_void {
    match interface {
        INTERFACE_CONSTANTS => (&raw const CONSTANTS).cast(),
        INTERFACE_MEMORY => (&raw const MEMORY).cast(),
        _ => null(),
    }
}

/// The kernel is compiled once and prepared for two shapes. It reports its scratch memory after each.
#[test]
fn a_delegate_compiles_with_constants_and_reports_its_plan() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(library) = compile(folder.path(), "tests/boundary/scale.c") else { return };
    // SAFETY: the descriptor's delegate lives as long as the process; its interfaces are the structs of their ids.
    let (vtable, compiling, plan) = unsafe {
        let vtable = &*load(&library).delegates;
        let query = vtable.query.expect("it has interfaces");
        assert!(query(INTERFACE_CLAIM).is_null());
        let compiling = query(INTERFACE_COMPILE).cast::<ArCompileV1>().as_ref().expect("it compiles");
        (vtable, compiling, query(INTERFACE_KERNEL_PLAN).cast::<ArKernelPlanV1>().as_ref().expect("it plans"))
    };

    let weights = [0.5f32, 1.0, 1.5];
    let mut graph = Graph::new(3, 3, &[("Scale", 0, 1)]);
    (graph.tensors[2].flags, graph.tensors[2].data) = (TENSOR_CONSTANT, weights.as_ptr().cast_mut().cast());
    let raw_graph = graph.raw();
    let partition = ArPartitionV1 {
        header: ArHeader::of::<ArPartitionV1>(),
        graph: &raw_graph,
        nodes: &0,
        node_count: 1,
        inputs: [0, 2].as_ptr(),
        input_count: 2,
        outputs: &1,
        output_count: 1,
    };
    let seen = Host::default();
    let host = ArCompileHostV1 {
        header: ArHeader::of::<ArCompileHostV1>(),
        context: (&raw const seen).cast_mut().cast(),
        threads: 1,
        subgraphs: null(),
        query,
    };
    let (mut delegate, mut kernel) = (null_mut(), null_mut());
    // SAFETY: all structs are valid for the calls, the results are writable.
    unsafe {
        assert_eq!((vtable.create)(null(), 0, &mut delegate), 0, "{}", take_message());
        assert_eq!((compiling.compile)(delegate, &partition, &host, &mut kernel), 0, "{}", take_message());
    }
    assert_eq!(seen.released.into_inner(), [2]);
    assert!((1..=1 << 10).contains(&seen.held.get()), "{}", seen.held.get());

    for length in [3, 2] {
        let dims = [length];
        (graph.tensors[0].dims, graph.tensors[0].bytes) = (dims.as_ptr(), length as u64 * 4);
        let (prepared, planned) = (Prepared::default(), Planned::default());
        let (mut x, mut y) = ([1.0f32, -2.0, 4.0], [f32::NAN; 3]);
        let mut memory = [f32::NAN; 3];
        let mut tensors = graph.tensors.clone();
        (tensors[0].data, tensors[1].data) = (x.as_mut_ptr().cast(), y.as_mut_ptr().cast());
        let mut macro_node = node("delegate", 0, &[0, 2], &[1]);
        (macro_node.tensors, macro_node.tensor_count) = (tensors.as_ptr(), tensors.len());
        // SAFETY: all structs and their data are valid for the calls; the output overlaps nothing.
        unsafe {
            assert_eq!((vtable.prepare)(kernel, &prepared.vtable(), &partition), 0, "{}", take_message());
            assert_eq!((plan.plan)(kernel, &planned.vtable()), 0);
            let bytes = *prepared.scratch_bytes.borrow();
            let scratch = ArSpan { data: memory.as_mut_ptr().cast(), bytes };
            let status = (vtable.invoke)(kernel, &eval_vtable(&scratch), &partition, &macro_node);
            assert_eq!(status, 0, "{}", take_message());
        }
        let bytes = length as u64 * 4;
        assert_eq!(planned.0.into_inner(), [(0, bytes, (0, 1), 0, "a copy of x".to_owned())]);
        assert_eq!(y[..length as usize], [3.0, -6.0, 12.0][..length as usize]);
    }
    // SAFETY: each is destroyed once.
    unsafe {
        (vtable.destroy_kernel)(kernel);
        (vtable.destroy)(delegate);
    }
}

/// A planner in C that assigns shared objects, called as a host would.
#[test]
fn a_planner_of_shared_objects() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(library) = compile(folder.path(), "tests/boundary/apart.c") else {
        return;
    };
    let plugin = load(&library);
    let records = [ObjectRecord::new([4, 8, 1], 0, 1), ObjectRecord::new([2, 3, 1], 1, 2)];
    let assign = |records: &[ObjectRecord]| {
        let (mut ids, mut sizes) = ([9; 2], [[0; 3]; 2]);
        let request = ObjectRequest::new(2, records).as_raw();
        let mut assignment = ArObjectAssignmentV1 {
            header: ArHeader::of::<ArObjectAssignmentV1>(),
            object_count: 0,
            ids: ids.as_mut_ptr(),
            sizes: sizes.as_mut_ptr(),
        };
        // SAFETY: the planner's structs live as long as the process; both arrays have a place per record.
        let status = unsafe {
            let query = (*plugin.planners).query.expect("it answers");
            assert!(query(INTERFACE_PLAN).is_null());
            let interface =
                query(INTERFACE_ASSIGN).cast::<ArAssignV1>().as_ref().expect("it hands out objects");
            (interface.assign)(&request, &mut assignment)
        };
        (status, assignment.object_count, ids, sizes)
    };
    assert_eq!(assign(&records), (0, 2, [0, 1], [[4, 8, 1], [2, 3, 1]]));
    let (status, ..) = assign(&[ObjectRecord::bytes(1, 2, 1)]);
    assert_eq!(
        (Status::from_raw(status), &*take_message()),
        (Status::Invalid, "a record ends before it starts")
    );
}
