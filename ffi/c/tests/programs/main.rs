//! Tests the library with C and C++ programs, which must compile without warnings. They run models and check the errors
//! that the headers document. If a compiler, nm or valgrind is missing, the tests that need it are skipped with a
//! message.

mod abi;
mod headers;
mod models;
mod symbols;
mod toolchain;

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use toolchain::{HERE, Language, Link, compile, memcheck, run};

fn temporary() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn digits() -> PathBuf {
    Path::new(HERE).join("../../examples/digits")
}

/// The elements of an .npy file, as bytes.
fn npy_bytes(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = npyz::NpyFile::new(&bytes[..]).expect("an .npy file");
    match file.dtype().descr().as_str() {
        "'<f4'" => file.into_vec::<f32>().expect("floats").into_iter().flat_map(f32::to_le_bytes).collect(),
        "'|i1'" => file.into_vec::<i8>().expect("bytes").into_iter().map(|q| q as u8).collect(),
        other => panic!("{}: elements are {other}", path.display()),
    }
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

/// Integers must be equal; floats may differ by the tolerance of the cases.
fn assert_close(kind: &str, found: &[u8], expected: &[u8], case: &str) {
    if kind == "i8" {
        assert_eq!(found, expected, "{case}");
        return;
    }
    let (found, expected) = (floats(found), floats(expected));
    assert_eq!(found.len(), expected.len(), "{case}");
    for (i, (a, b)) in found.iter().zip(&expected).enumerate() {
        assert!((a - b).abs() <= 1e-5 + 1e-5 * b.abs(), "{case}: element {i} is {a}, expected {b}");
    }
}

/// The cases of a model, as prefixes of their file names.
fn cases() -> impl Iterator<Item = String> {
    std::iter::once(String::new()).chain((1..20).map(|i| format!("set{i}_")))
}

/// The arguments of `run.c`, without the files.
fn arguments(model: &Path) -> Vec<String> {
    let plugins = arenite_builtin::register_builtins();
    let ops: usize = plugins.iter().map(|plugin| plugin.descriptor().op_count).sum();
    vec![model.display().to_string(), plugins.len().to_string(), ops.to_string()]
}

/// Runs all cases of each model in one process and compares the outputs.
fn check_digits(program: &Path) {
    for kind in ["f32", "i8"] {
        let folder = temporary();
        let cases_folder = digits().join("cases").join(kind);
        let mut command = Command::new(program);
        command.args(arguments(&digits().join(format!("digits_{kind}.tflite"))));
        for case in cases() {
            let input = folder.path().join(format!("{case}in"));
            std::fs::write(&input, npy_bytes(&cases_folder.join(format!("{case}in_0.npy"))))
                .expect("an input");
            command.arg(input).arg(folder.path().join(format!("{case}out")));
        }
        run(&mut command);
        for case in cases() {
            let found = std::fs::read(folder.path().join(format!("{case}out"))).expect("an output");
            let expected = npy_bytes(&cases_folder.join(format!("{case}out_0.npy")));
            assert_close(kind, &found, &expected, &format!("{kind} {case}"));
        }
    }
}

fn check_program(source: &str, language: Language, link: Link) {
    let folder = temporary();
    if let Some(program) = compile(source, language, link, folder.path(), &[]) {
        check_digits(&program);
    }
}

#[test]
fn c11_with_the_dynamic_library() {
    check_program("tests/c/run.c", Language::C11, Link::Dynamic);
}

#[test]
fn c11_with_the_static_library_has_all_plugins() {
    check_program("tests/c/run.c", Language::C11, Link::Static);
}

#[test]
fn cxx17_with_the_dynamic_library() {
    check_program("tests/c/run.cc", Language::Cxx17, Link::Dynamic);
}

#[test]
fn cxx17_with_the_static_library() {
    check_program("tests/c/run.cc", Language::Cxx17, Link::Static);
}

#[test]
fn both_headers_can_be_included_together() {
    let folder = temporary();
    for (language, extra) in [
        (Language::C11, &[][..]),
        (Language::C11, &["-DPLUGIN_FIRST"]),
        (Language::Cxx17, &["-x", "c++"]),
        (Language::Cxx17, &["-x", "c++", "-DPLUGIN_FIRST"]),
    ] {
        if let Some(program) = compile("tests/c/headers.c", language, Link::Dynamic, folder.path(), extra) {
            run(&mut Command::new(program));
        }
    }
}

/// Runs a program with the folder of models: normally, under the sanitizers, and under valgrind.
fn check_thoroughly(source: &str) {
    let folder = temporary();
    models::write(folder.path());
    if let Some(program) = compile(source, Language::C11, Link::Dynamic, folder.path(), &[]) {
        run(Command::new(&program).arg(folder.path()));
        if let Some(mut command) = memcheck(&program) {
            run(command.arg(folder.path()));
        }
    }
    if let Some(options) = toolchain::sanitizers(Language::C11, folder.path())
        && let Some(program) = compile(source, Language::C11, Link::Dynamic, folder.path(), options)
    {
        run(Command::new(program).arg(folder.path()));
    }
}

#[test]
fn errors_have_a_code_and_a_message() {
    check_thoroughly("tests/c/errors.c");
}

#[test]
fn a_program_registers_an_op_a_planner_and_a_delegate() {
    check_thoroughly("tests/c/user_data.c");
}

#[test]
fn registered_ops_and_delegates_may_fail() {
    check_thoroughly("tests/c/failures.c");
}

#[test]
fn plugins_in_c_are_loaded_from_a_folder() {
    with_plugins(
        "tests/c/c_plugins.c",
        &["../../plugins/template/c/cube.c", "examples/plugins/stacked.c", "examples/plugins/negate.c"],
    );
}

/// Runs a program with the folder of models and a folder with these plugins.
fn with_plugins(program: &str, sources: &[&str]) {
    let folder = temporary();
    models::write(folder.path());
    if let Some(program) = compile(program, Language::C11, Link::Dynamic, folder.path(), &[]) {
        let plugins = folder.path().join("plugins");
        std::fs::create_dir(&plugins).expect("a folder");
        sources.iter().for_each(|source| toolchain::compile_plugin(source, &plugins));
        run(Command::new(&program).arg(folder.path()).arg(&plugins));
        if let Some(mut command) = memcheck(&program) {
            run(command.arg(folder.path()).arg(&plugins));
        }
    }
}

#[test]
fn a_delegate_in_c_has_a_device_and_keeps_results_there() {
    with_plugins("tests/c/devices.c", &["../../plugins/template/c/cube.c", "tests/c/far.c"]);
}

#[test]
fn the_harness_tests_an_op_in_c() {
    let folder = temporary();
    if let Some(library) = toolchain::testing_library(folder.path()) {
        let options =
            ["-Wl,--no-as-needed", library.as_str(), &format!("-Wl,-rpath,{}", folder.path().display())];
        let program = compile("tests/c/op_test.c", Language::C11, Link::Dynamic, folder.path(), &options);
        if let Some(program) = program {
            run(&mut Command::new(&program));
            if let Some(mut command) = memcheck(&program) {
                run(&mut command);
            }
        }
    }
}

/// `ffi/c/tests/races.sh` runs the same program under ThreadSanitizer, including the library.
#[test]
fn threads_share_a_model_and_a_registry() {
    let folder = temporary();
    let program = compile("tests/c/threads.c", Language::C11, Link::Dynamic, folder.path(), &[]);
    if let Some(program) = program {
        run(Command::new(program).arg(digits().join("digits_i8.tflite")));
    }
}

#[test]
fn errors_name_missing_plugins_and_devices() {
    let folder = temporary();
    models::write(folder.path());
    let program = compile("tests/c/missing.c", Language::C11, Link::Dynamic, folder.path(), &[]);
    if let Some(program) = program {
        let plugins = folder.path().join("plugins");
        std::fs::create_dir(&plugins).expect("a folder");
        toolchain::compile_plugin("tests/c/gone.c", &plugins);
        std::fs::write(plugins.join("libbroken.so"), b"not a library").expect("a file");
        run(Command::new(program).arg(folder.path()).arg(plugins));
    }
}

#[test]
fn features() {
    let folder = temporary();
    models::write(folder.path());
    let plugins = folder.path().join("plugins");
    std::fs::create_dir(&plugins).expect("a folder");
    std::fs::write(plugins.join("libbroken.so"), b"not a library").expect("a file");
    let program = compile("tests/c/features.c", Language::C11, Link::Dynamic, folder.path(), &[]);
    if let Some(program) = program {
        run(Command::new(program).arg(folder.path()).arg(plugins));
    }
}

#[test]
fn a_model_runs_with_plugins_from_a_folder() {
    let folder = temporary();
    let Some(program) = compile("tests/c/plugins.c", Language::C11, Link::Dynamic, folder.path(), &[]) else {
        return;
    };
    let plugins = folder.path().join("plugins");
    std::fs::create_dir(&plugins).expect("a folder");
    toolchain::plugins(&plugins);
    let (input, output) = (folder.path().join("in"), folder.path().join("out"));
    let cases_folder = digits().join("cases/i8");
    std::fs::write(&input, npy_bytes(&cases_folder.join("in_0.npy"))).expect("an input");
    run(Command::new(program).arg(&plugins).arg(digits().join("digits_i8.tflite")).arg(&input).arg(&output));
    assert_close(
        "i8",
        &std::fs::read(&output).expect("an output"),
        &npy_bytes(&cases_folder.join("out_0.npy")),
        "",
    );
}

#[test]
fn running_a_model_leaks_nothing() {
    let folder = temporary();
    let Some(program) = compile("tests/c/run.c", Language::C11, Link::Dynamic, folder.path(), &[]) else {
        return;
    };
    let Some(mut command) = memcheck(&program) else {
        return;
    };
    let (input, output) = (folder.path().join("in"), folder.path().join("out"));
    let cases_folder = digits().join("cases/i8");
    std::fs::write(&input, npy_bytes(&cases_folder.join("in_0.npy"))).expect("an input");
    run(command.args(arguments(&digits().join("digits_i8.tflite"))).arg(&input).arg(&output));
    assert_close(
        "i8",
        &std::fs::read(&output).expect("an output"),
        &npy_bytes(&cases_folder.join("out_0.npy")),
        "",
    );
}

#[test]
fn tokens_are_continued_as_the_crate_continues_them() {
    let folder = temporary();
    models::write(folder.path());
    let model = folder.path().join("language.tflite");
    let Some(program) = compile("examples/continue.c", Language::C11, Link::Dynamic, folder.path(), &[])
    else {
        return;
    };
    let answer = |count: &str, ids: &[&str]| run(Command::new(&program).arg(&model).arg(count).args(ids));
    let all = answer("6", &["1", "2", "3"]);
    let ids: Vec<&str> = all.trim_end().split(',').collect();
    assert_eq!(ids.len(), 6);
    assert!(ids.iter().all(|id| id.parse::<u32>().is_ok_and(|id| id < 11)), "{all}");
    // What was chosen first, given, leads to what was chosen then.
    assert_eq!(answer("4", &["1", "2", "3", ids[0], ids[1]]).trim_end(), ids[2..].join(","));
    let output = Command::new(&program).arg(&model).args(["2", "11"]).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("token 11 does not exist"));
}

#[test]
fn the_example_names_the_digit() {
    let folder = temporary();
    let Some(program) = compile("examples/classify.c", Language::C11, Link::Dynamic, folder.path(), &[])
    else {
        return;
    };
    // Case 0 and sets 1 to 9 are the digits 0 to 9; pixels are p / 127.5 - 1.
    for (digit, case) in cases().take(10).enumerate() {
        let values = floats(&npy_bytes(&digits().join(format!("cases/f32/{case}in_0.npy"))));
        let mut picture = b"P5\n16 16\n255\n".to_vec();
        picture.extend(values.iter().map(|value| ((value + 1.0) * 127.5).round() as u8));
        let path = folder.path().join("picture.pgm");
        std::fs::write(&path, picture).expect("a picture");
        for model in ["digits_f32.tflite", "digits_i8.tflite"] {
            let answer = run(Command::new(&program).arg(digits().join(model)).arg(&path));
            assert!(answer.starts_with(&format!("{digit} (9")), "{model}, a {digit}: {answer}");
        }
    }
}
