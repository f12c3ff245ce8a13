//! plugins/template/c/cube.c, compiled by the C compiler of this machine and driven through its entry.

use std::path::{Path, PathBuf};
use std::process::Command;

use arenite_abi::Status;
use arenite_abi::raw::*;

use crate::host::{Graph, HOST, I32, Prepared, eval_vtable, take_message};

/// The library made from cube.c; `None` if there is no C compiler.
fn compile(folder: &Path) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library =
        folder.join(format!("{}cube{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX));
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let output = Command::new(&compiler)
        .args(["-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", "-I"])
        .arg(root.join("../../ffi/c/include"))
        .arg("-o")
        .arg(&library)
        .arg(root.join("c/cube.c"))
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
        assert!(entry(&HOST, &mut version).is_null(), "an older host is refused");
        assert_eq!(version, ABI_VERSION);
        version = ABI_VERSION + 5;
        let plugin = entry(&HOST, &mut version).as_ref().expect("a descriptor");
        assert_eq!(version, ABI_VERSION, "lowered to what both speak");
        plugin
    }
}

#[test]
fn cube() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(library) = compile(folder.path()) else { return };
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
    let scratch = ArSpan { data: std::ptr::null_mut(), bytes: 0 };
    // SAFETY: all structs and their data are valid for the call.
    let status = unsafe { (op.eval)(&eval_vtable(&scratch), &graph.nodes[0], (&raw mut graph.nodes).cast()) };
    assert_eq!(status, 0, "{}", take_message());
    assert_eq!(y, [1.0, -8.0, 0.125, 27.0]);

    graph.tensors[1].element_type = I32;
    let (status, _) = prepare(&mut graph);
    assert_eq!(Status::from_raw(status), Status::Unsupported);
    assert_eq!(take_message(), "element types are 0 and 2, only FLOAT32 (0) is served");
}
