//! A plugin in C that violates one rule of the contract at a time: the error names the rule, and the process continues.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arenite::config::DelegateConfig;
use arenite::{Interpreter, LoadError, Model, Registry};
use arenite_tests::libraries::compile_c;
use arenite_tests::op_models::{OneOp, f32};
use arenite_tests::reference_ops;
use tempfile::TempDir;

const SOURCE: &str = include_str!("../plugins/misbehaving/misbehaving.c");

/// Compiles the plugin with these macros; `None` without a C compiler.
fn compiled(folder: &Path, macros: &[&str]) -> Option<PathBuf> {
    let defined: String = macros.iter().map(|name| format!("#define {name}\n")).collect();
    let name = macros.join("_").replace(|c: char| !c.is_alphanumeric(), "_").to_lowercase();
    compile_c(&format!("{defined}{SOURCE}"), folder, &format!("m{name}"))
}

fn model() -> Model {
    let bytes = OneOp::custom("Twice").feed(f32("x", &[1, 4])).output(f32("y", &[1, 4])).model().finish();
    Model::from_bytes(bytes).expect("the model is sound")
}

fn loaded(path: &Path) -> Result<Registry, LoadError> {
    let mut registry = Registry::with_static_plugins().expect("they are linked in");
    match registry.load_file(path) {
        Ok(()) => Ok(registry),
        Err(arenite::Error::Plugin(failure)) => {
            assert!(registry.plugins().iter().all(|plugin| plugin.id != "test.misbehaving"));
            Err(failure.reason)
        }
        Err(other) => panic!("not a load error: {other}"),
    }
}

fn run(mut interpreter: Interpreter) -> Result<Vec<f32>, String> {
    interpreter.allocate().map_err(|error| error.to_string())?;
    let tensor = interpreter.input_mut(0).expect("one exists");
    tensor.copy_from_slice(&[1.0f32, 2.0, 3.0, 4.0]).expect("it has this shape");
    interpreter.invoke().map_err(|error| error.to_string())?;
    let output = interpreter.output(0).expect("one exists");
    assert_eq!(output.shape, [1, 4]);
    Ok(output.as_slice::<f32>().expect("floats").to_vec())
}

#[test]
fn null_functions_and_wrong_lengths_are_refused() {
    let folder = TempDir::new().expect("a temporary folder");
    let (stride, size) = (1usize << 60, size_of::<arenite_abi::raw::ArOpV1>());
    let strides = ["OP_COUNT 60000".to_owned(), format!("OP_STRIDE {stride}ull")];
    let wide = ["OP_COUNT 2", "OP_STRIDE 65544"];
    let cases: &[(&[&str], &str)] = &[
        (
            &["NULL_FUNCTION ops[0].eval"],
            "plugin 'test.misbehaving': op 0 ('Twice') has no function 'eval', which the host calls: set it; it is null",
        ),
        (&["NULL_FUNCTION planners[0].plan"], "planner 0 ('in-a-row') has no function 'plan'"),
        (&["NULL_FUNCTION delegates[0].create"], "delegate 0 ('doubler') has no function 'create'"),
        (&["NULL_FUNCTION delegates[0].claim"], "delegate 0 ('doubler') has no function 'claim'"),
        (&["NULL_FUNCTION delegates[0].compile"], "delegate 0 ('doubler') has no function 'compile'"),
        (&["NULL_FUNCTION delegates[0].prepare"], "delegate 0 ('doubler') has no function 'prepare'"),
        (&["NULL_FUNCTION delegates[0].invoke"], "delegate 0 ('doubler') has no function 'invoke'"),
        (
            &["NULL_FUNCTION delegates[0].destroy_kernel"],
            "delegate 0 ('doubler') has no function 'destroy_kernel'",
        ),
        (&["NULL_FUNCTION delegates[0].destroy"], "delegate 0 ('doubler') has no function 'destroy'"),
        (&[&strides[0], &strides[1]], "it has 60000 ops, 1152921504606846976 bytes apart"),
        (&wide, "it has 2 ops, 65544 bytes apart"),
        (&["OP_COUNT 65537"], "it has 65537 ops"),
        (&["OP_BASE ((const ArOpV1 *)(UINTPTR_MAX - 63))"], "it has 1 ops, "),
        (
            &["CLAIM_INTERFACE {AR_HEADER(ArClaimV1), 0}"],
            "delegate 'doubler': interface ArClaimV1 has no function 'claim'",
        ),
        (
            &["CLAIM_INTERFACE {{8, 1, 0}, 0}"],
            "delegate 'doubler': interface ArClaimV1 has 8 bytes in version 1.0",
        ),
        (
            &["ASSIGN_INTERFACE {AR_HEADER(ArAssignV1), 0}"],
            "planner 'in-a-row': interface ArAssignV1 has no function 'assign'",
        ),
        (&["OP_HEADER {8, 1, 0}"], &format!("op 0 has 8 bytes in version 1.0, this host needs {size}")),
        (&["OP_HEADER {4096, 2, 0}"], "op 0 has 4096 bytes in version 2.0"),
    ];
    for (macros, wanted) in cases {
        let Some(path) = compiled(folder.path(), macros) else { return };
        let reason = loaded(&path).err().unwrap_or_else(|| panic!("{macros:?} was loaded"));
        assert!(matches!(reason, LoadError::Descriptor(_)), "{macros:?}: {reason}");
        assert!(reason.to_string().contains(wanted), "{macros:?}: {reason}");
    }
}

#[test]
fn an_undefined_symbol_is_a_load_error_that_names_it() {
    let folder = TempDir::new().expect("a temporary folder");
    let Some(path) = compiled(folder.path(), &["UNDEFINED_SYMBOL"]) else { return };
    let reason = loaded(&path).expect_err("the call must fail");
    assert!(matches!(&reason, LoadError::Open(text) if text.contains("no_library_has_this")), "{reason}");
}

#[test]
fn the_correct_plugin_and_one_without_prepare_run() {
    let folder = TempDir::new().expect("a temporary folder");
    for macros in [&[][..], &["NULL_FUNCTION ops[0].prepare"]] {
        let Some(path) = compiled(folder.path(), macros) else { return };
        let registry = Arc::new(loaded(&path).expect("it is sound"));
        let reference = reference_ops(&model()).registry(Arc::clone(&registry)).build().expect("it builds");
        assert_eq!(run(reference), Ok(vec![2.0, 4.0, 6.0, 8.0]), "{macros:?}");
        let delegated =
            Interpreter::builder(&model()).registry(registry).delegate(DelegateConfig::new("doubler"));
        assert_eq!(run(delegated.build().expect("it builds")), Ok(vec![2.0, 4.0, 6.0, 8.0]), "{macros:?}");
    }
}

#[test]
fn a_shape_at_a_null_pointer_is_an_error() {
    let folder = TempDir::new().expect("a temporary folder");
    let Some(path) = compiled(folder.path(), &["SHAPE_FROM_NULL"]) else { return };
    let registry = Arc::new(loaded(&path).expect("the error is found by allocate"));
    let error = run(reference_ops(&model()).registry(registry).build().expect("it builds")).unwrap_err();
    assert!(
        error.contains("output 0 would have rank 3, but its dimensions are a null pointer; pass 3 of them"),
        "{error}"
    );
}

/// No dimensions are read if the rank exceeds the maximum: here the pointer is invalid.
#[test]
fn a_rank_beyond_the_maximum_is_an_error() {
    let folder = TempDir::new().expect("a temporary folder");
    let Some(path) = compiled(folder.path(), &["SHAPE_OF_RANK UINT32_MAX"]) else { return };
    let registry = Arc::new(loaded(&path).expect("the error is found by allocate"));
    let error = run(reference_ops(&model()).registry(registry).build().expect("it builds")).unwrap_err();
    assert!(error.contains("output 0 would have rank 4294967295, the highest is 8"), "{error}");
}

/// Like an output's dimensions, a resource's are read only if the rank is within the maximum.
#[test]
fn a_resource_with_a_rank_beyond_the_maximum_is_an_error() {
    let folder = TempDir::new().expect("a temporary folder");
    let cases = [
        (
            "{.rank = UINT32_MAX, .dims = (const int32_t *)16}",
            "a shape has at most 8 dimensions, 4294967295 are given",
        ),
        (
            "{.rank = 9, .dims = (const int32_t[9]){1, 1, 1, 1, 1, 1, 1, 1, 1}}",
            "a shape has at most 8 dimensions, 9 are given",
        ),
        ("{.rank = 2, .dims = NULL}", "a value has 2 dimensions at a null pointer; pass 2 of them"),
        ("{.rank = 1, .dims = (const int32_t[1]){-1}}", "no dimension can be negative"),
        ("{.rank = 1, .dims = (const int32_t[1]){1}, .data = (float[1]){0}, .bytes = 4}", ""),
    ];
    for (i, (value, wanted)) in cases.into_iter().enumerate() {
        let macros = [format!("ASSIGN {value}"), format!("CASE_{i}")];
        let Some(path) = compiled(folder.path(), &[&macros[0], &macros[1]]) else { return };
        let registry = Arc::new(loaded(&path).expect("the error is found by invoke"));
        let ran = run(reference_ops(&model()).registry(registry).build().expect("it builds"));
        match wanted {
            "" => assert_eq!(ran, Ok(vec![2.0, 4.0, 6.0, 8.0])),
            wanted => assert!(ran.as_ref().is_err_and(|error| error.contains(wanted)), "{value}: {ran:?}"),
        }
    }
}

/// The delegate is skipped, and the op runs in its place.
#[test]
fn a_delegate_that_gives_another_shape_than_the_op_is_skipped() {
    let folder = TempDir::new().expect("a temporary folder");
    let Some(path) = compiled(folder.path(), &["OTHER_SHAPE"]) else { return };
    let registry = Arc::new(loaded(&path).expect("the error is found by allocate"));
    let builder = Interpreter::builder(&model()).registry(registry).delegate(DelegateConfig::new("doubler"));
    let mut interpreter = builder.build().expect("it builds");
    interpreter.allocate().expect("the op runs in place of the delegate");
    let [left_out] = &interpreter.left_out()[..] else { panic!("{:?}", interpreter.left_out()) };
    let told = &left_out.reason;
    assert!(told.contains("gives 'y' the shape [1000, 1000], but it is [1, 4]"), "{told}");
    assert_eq!(run(interpreter), Ok(vec![2.0, 4.0, 6.0, 8.0]));
}

/// Compiles the plugin with these options too. Prints a note and returns `None` if the compiler does not support them.
fn compiled_by(compiler: &str, folder: &Path, name: &str, options: &[&str]) -> Option<PathBuf> {
    let (source, library) = (folder.join(format!("{name}.c")), folder.join(format!("lib{name}.so")));
    std::fs::write(&source, SOURCE).expect("the folder can be written");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/abi/include");
    let mut command = std::process::Command::new(compiler);
    command.args(["-std=c11", "-shared", "-fPIC", "-I"]).arg(include).args(options);
    let built = command.arg("-o").arg(&library).arg(&source).output();
    let built = built.is_ok_and(|output| output.status.success());
    if !built {
        println!("skipped: no {compiler} {}", options.join(" "));
    }
    built.then_some(library)
}

/// A sanitizer's runtime that starts late ends the process, so the test passes only if the library is not opened.
#[test]
fn a_plugin_with_a_sanitizer_is_refused_in_a_process_without_one() {
    let folder = TempDir::new().expect("a temporary folder");
    let cases = [
        ("gcc", "address", "AddressSanitizer"),
        ("gcc", "thread", "ThreadSanitizer"),
        ("clang", "address", "AddressSanitizer"),
        ("clang", "thread", "ThreadSanitizer"),
        ("clang", "memory", "MemorySanitizer"),
    ];
    for (compiler, option, name) in cases {
        let options = format!("-fsanitize={option}");
        let library = format!("{compiler}_{option}");
        let Some(path) = compiled_by(compiler, folder.path(), &library, &[&options]) else { continue };
        let reason = loaded(&path).err().unwrap_or_else(|| panic!("{library} was loaded"));
        let text = reason.to_string();
        assert!(matches!(reason, LoadError::Build(_)), "{library}: {text}");
        assert!(
            text.contains(&format!("but this process runs without {name}: build the plugin without")),
            "{text}"
        );
    }
}

/// If the loader finds no sanitizer runtime in a library, the plugin's own build record is checked.
#[test]
fn the_build_record_is_read_before_the_entry_is_called() {
    let folder = TempDir::new().expect("a temporary folder");
    let cases = [
        (
            "{AR_HEADER(ArPluginBuildV1), AR_SANITIZER_ADDRESS, AR_PANIC_NONE}",
            "it was built with AddressSanitizer, but ",
        ),
        (
            "{AR_HEADER(ArPluginBuildV1), 0, AR_PANIC_ABORT}",
            "it was built with panic = \"abort\", arenite with ",
        ),
        ("{{8, 1, 0}, 0, 0}", "arenite_plugin_build_v1 has 8 bytes in version 1.0, this host needs 16"),
        ("{AR_HEADER(ArPluginBuildV1), AR_SANITIZER_UNDEFINED, AR_PANIC_NONE}", ""),
    ];
    for (i, (build, wanted)) in cases.into_iter().enumerate() {
        let macros = [format!("BUILD {build}"), format!("CASE_{i}")];
        let Some(path) = compiled(folder.path(), &[&macros[0], &macros[1]]) else { return };
        match loaded(&path) {
            Ok(_) => assert_eq!(wanted, "", "{build} was loaded"),
            Err(reason) => {
                let text = reason.to_string();
                assert!(matches!(reason, LoadError::Build(_)) && text.starts_with(wanted), "{build}: {text}");
                assert!(!wanted.is_empty(), "{text}");
            }
        }
    }
}
