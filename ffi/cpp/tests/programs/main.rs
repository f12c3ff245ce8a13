//! Tests C++ programs that use `arenite.hpp`: they compile without warnings, with and without exceptions, and give the
//! expected results. Parts that need a missing tool (a compiler, sed) are skipped with a message.

mod go;
#[path = "../../../c/tests/programs/models.rs"]
mod models;
#[path = "../../../c/tests/programs/toolchain.rs"]
#[allow(dead_code)] // Also contains helpers for C.
mod toolchain;

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use toolchain::{HERE, dynamic_library, have, run};

const README: &str = include_str!("../../README.md");

/// Sanitizers that detect undefined behaviour and leaks.
const SANITIZERS: &[&str] =
    &["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"];

fn temporary() -> TempDir {
    tempfile::tempdir().expect("cannot create a temporary folder")
}

fn digits() -> PathBuf {
    Path::new(HERE).join("../../examples/digits")
}

/// Compiles a program with every warning as an error; `None` if this compiler is not installed.
fn compile(compiler: &str, source: &Path, to: &Path, extra: &[&str]) -> Option<PathBuf> {
    if !have(compiler) {
        return None;
    }
    let library = dynamic_library();
    let folder = library.parent().expect("the library has a parent folder");
    let program = to.join("program");
    let mut command = Command::new(compiler);
    command.args([
        "-std=c++17",
        "-g",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Wshadow",
        "-Wconversion",
        "-Werror",
    ]);
    command.args(extra).args(arenite_cpp::INCLUDE.map(|folder| format!("-I{folder}")));
    command.arg(source).arg("-o").arg(&program).arg(&library);
    command.arg(format!("-Wl,-rpath,{}", folder.display())).arg("-lpthread");
    let output = command.output().expect("cannot run the compiler");
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

/// A folder with the models of the C library's tests, and a folder with a broken plugin.
fn folders() -> (TempDir, PathBuf) {
    let folder = temporary();
    models::write(folder.path());
    let plugins = folder.path().join("plugins");
    std::fs::create_dir(&plugins).expect("cannot create the folder");
    std::fs::write(plugins.join("libbroken.so"), b"not a library").expect("cannot write the file");
    (folder, plugins)
}

/// Compiles `interface.cc` with the flags `extra` and runs it.
fn check_interface(compiler: &str, extra: &[&str]) {
    let (folder, plugins) = folders();
    let source = Path::new(HERE).join("tests/cpp/interface.cc");
    if let Some(program) = compile(compiler, &source, folder.path(), extra) {
        run(Command::new(program).arg(folder.path()).arg(plugins));
    }
}

/// Compiles the C plugins with the delegate `far` and an op that it leaves to others.
fn far(to: &Path) -> PathBuf {
    let plugins = to.join("far");
    std::fs::create_dir(&plugins).expect("cannot create the folder");
    for source in ["../../plugins/template/c/cube.c", "../c/tests/c/far.c"] {
        toolchain::compile_plugin(source, &plugins);
    }
    plugins
}

#[test]
fn memory_on_a_device_is_bound() {
    let folder = temporary();
    models::write(folder.path());
    let source = Path::new(HERE).join("tests/cpp/devices.cc");
    if let Some(program) = compile("g++", &source, folder.path(), &[]) {
        run(Command::new(program).arg(folder.path()).arg(far(folder.path())));
    }
}

#[test]
fn interface_under_sanitizers() {
    check_interface("g++", SANITIZERS);
}

#[test]
fn interface_by_clang_without_exceptions_and_rtti() {
    check_interface("clang++", &["-fno-exceptions", "-fno-rtti"]);
}

#[test]
fn interface_in_other_standards_and_without_exceptions() {
    let folder = temporary();
    let source = Path::new(HERE).join("tests/cpp/interface.cc");
    for (compiler, extra) in [
        ("g++", &["-fsyntax-only", "-std=c++20"][..]),
        ("g++", &["-fsyntax-only", "-fno-exceptions", "-fno-rtti"]),
        ("clang++", &["-fsyntax-only", "-std=c++20", "-Wno-unused-command-line-argument"]),
    ] {
        compile(compiler, &source, folder.path(), extra);
    }
}

/// Each header compiles on its own, before and after the C headers.
#[test]
fn headers_compile_on_their_own() {
    let folder = temporary();
    let include = Path::new(HERE).join("include");
    let mut headers = vec!["arenite.hpp".to_owned(), "arenite/tflite.hpp".to_owned()];
    for entry in std::fs::read_dir(include.join("arenite/cpp")).expect("cannot read the folder of headers") {
        headers.push(format!(
            "arenite/cpp/{}",
            entry.expect("cannot read the folder of headers").file_name().display()
        ));
    }
    for header in headers {
        let source = folder.path().join("header.cc");
        let text =
            format!("#include <{header}>\n#include <{header}>\n#include <arenite.h>\nint main() {{}}\n");
        std::fs::write(&source, text).expect("cannot write the source");
        compile("g++", &source, folder.path(), &["-fsyntax-only", "-Wsign-conversion"]);
    }
}

/// Runs the README's command for porting a program in a shell.
fn port(source: &Path, to: &Path) -> Option<PathBuf> {
    let command = README.lines().find_map(|line| line.trim().strip_prefix("sed -E "));
    let script = command.and_then(|rest| rest.split('\'').nth(1)).expect("the README contains the command");
    if !have("sed") {
        return None;
    }
    let ported = to.join("ported.cc");
    let text = run(Command::new("sed").args(["-E", script]).arg(source));
    assert!(!text.contains("tensorflow") && !text.contains("tflite::"), "{text}");
    std::fs::write(&ported, text).expect("cannot write the source");
    Some(ported)
}

#[test]
fn a_program_for_tensorflow_lite_is_ported_by_includes_and_namespace() {
    let folder = temporary();
    let source = Path::new(HERE).join("tests/cpp/port.cc");
    let Some(ported) = port(&source, folder.path()) else { return };
    let Some(program) = compile("g++", &ported, folder.path(), SANITIZERS) else { return };
    for kind in ["f32", "i8"] {
        let mut command = Command::new(&program);
        command.arg(digits().join(format!("digits_{kind}.tflite")));
        let case = |name: &str| npy(&digits().join("cases").join(kind).join(name));
        let (input, output) = (folder.path().join("in"), folder.path().join("out"));
        std::fs::write(&input, case("set7_in_0.npy")).expect("cannot write the input");
        let said = run(command.arg(&input).arg(&output));
        assert!(said.contains("inputs: 0\n") && said.contains("[1, 10]"), "{said}");
        let found = std::fs::read(&output).expect("cannot read the output");
        assert_close(kind, &found, &case("set7_out_0.npy"));
    }
}

#[test]
fn the_example_names_the_digit() {
    let folder = temporary();
    let source = Path::new(HERE).join("examples/classify.cpp");
    let Some(program) = compile("g++", &source, folder.path(), SANITIZERS) else { return };
    for model in ["digits_f32.tflite", "digits_i8.tflite"] {
        let answer =
            run(Command::new(&program).arg(digits().join(model)).arg(digits().join("samples/7.pgm")));
        assert!(answer.starts_with("7 (9"), "{model}: {answer}");
    }
}

/// The elements of an .npy file of version 1 as bytes. They follow 10 bytes and a header, whose length is in the last
/// two of these bytes.
fn npy(path: &Path) -> Vec<u8> {
    let mut bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let header = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes.split_off(10 + header)
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

fn assert_close(kind: &str, found: &[u8], expected: &[u8]) {
    if kind == "i8" {
        return assert_eq!(found, expected);
    }
    for (a, b) in floats(found).iter().zip(floats(expected)) {
        assert!((a - b).abs() <= 1e-5 + 1e-5 * b.abs(), "{a}, expected {b}");
    }
}
