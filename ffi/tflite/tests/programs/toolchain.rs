//! Builds C programs against our library or TensorFlow Lite's, with the machine's compiler.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

pub(crate) const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// Contains TensorFlow Lite's library of 2022 for Linux, its headers, and a Node.js binding.
const PACKAGE: &str = "tfjs-tflite-node@0.0.2";

/// A package on PyPI with TensorFlow Lite's library of version 2.17.1 for x86-64 Linux.
const WHEEL: &str = "pymicro-wakeword==2.5.0";

/// Which library a program is linked against, and whose headers it includes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Against {
    Ours,
    /// Ours, with TensorFlow Lite's own headers.
    OursByTheirHeaders,
    Theirs,
    /// TensorFlow Lite's library of version 2.17.
    TheirsOf2_17,
}

/// The folder in which cargo builds this test and the library.
fn target() -> PathBuf {
    let test = std::env::current_exe().expect("the test's own path");
    test.parent().expect("the test has a parent folder").to_owned()
}

/// The library, which this package builds.
pub(crate) fn library() -> PathBuf {
    let file = target().join("libtensorflowlite_c.so");
    assert!(file.is_file(), "{} is missing", file.display());
    file
}

/// The package with TensorFlow Lite's library, cached in cargo's target folder. Prints a message and returns `None` if
/// it cannot be downloaded.
pub(crate) fn package() -> Option<&'static Path> {
    static PACKAGE_FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    PACKAGE_FOLDER.get_or_init(fetch).as_deref()
}

fn fetch() -> Option<PathBuf> {
    let folder = target().join("tfjs-tflite-node-0.0.2");
    if !folder.join("package/package.json").is_file() {
        std::fs::create_dir_all(&folder).expect("create a folder next to the tests");
        let script = format!("npm pack --silent {PACKAGE} && tar xzf *.tgz && rm -f *.tgz");
        let done = Command::new("sh").current_dir(&folder).args(["-c", &script]).output();
        if !done.is_ok_and(|done| done.status.success()) {
            println!("skipped: npm cannot download {PACKAGE} on this machine");
            return None;
        }
    }
    let package = folder.join("package");
    let fits = std::env::consts::OS == "linux" && their_library(&package).is_file();
    if !fits {
        println!("skipped: {PACKAGE} has no library for this machine");
    }
    fits.then_some(package)
}

/// The path of TensorFlow Lite's library in the package.
pub(crate) fn their_library(package: &Path) -> PathBuf {
    let machine = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
    package.join(format!("cc_deps/linux_{machine}/libtensorflowlite_c.so"))
}

/// TensorFlow Lite's library of version 2.17, cached in cargo's target folder. Prints a message and returns `None` if
/// it cannot be downloaded.
pub(crate) fn library_of_2_17() -> Option<&'static Path> {
    static LIBRARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    LIBRARY.get_or_init(fetch_wheel).as_deref()
}

fn fetch_wheel() -> Option<PathBuf> {
    let folder = target().join("pymicro-wakeword-2.5.0");
    let library = folder.join("pymicro_wakeword/lib/libtensorflowlite_c.so");
    if !library.is_file() {
        std::fs::create_dir_all(&folder).expect("create a folder next to the tests");
        let script = format!(
            "python3 -m pip download --quiet --no-deps --dest . {WHEEL} && python3 -m zipfile -e *.whl . && rm -f *.whl"
        );
        let done = Command::new("sh").current_dir(&folder).args(["-c", &script]).output();
        if !done.is_ok_and(|done| done.status.success()) || !library.is_file() {
            println!("skipped: pip cannot download {WHEEL} for this machine");
            return None;
        }
    }
    Some(library)
}

/// Whether a tool is installed. Prints a message if not.
pub(crate) fn have(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        println!("skipped: {tool} is not installed");
    }
    found
}

/// Compiles a program and fails on any warning. Prints a message and returns `None` if the compiler or the package is
/// missing.
pub(crate) fn compile(source: &str, against: Against, to: &Path) -> Option<PathBuf> {
    if !have("cc") {
        return None;
    }
    let program = to.join(format!("{source}_{against:?}"));
    let mut command = Command::new("cc");
    command.args(["-Wall", "-Wextra", "-Werror", "-std=c11", "-g", "-D_POSIX_C_SOURCE=200809L"]);
    if against == Against::OursByTheirHeaders {
        command.arg("-DREAL_HEADERS").arg("-I").arg(package()?.join("cc_deps/include"));
    }
    let library = match against {
        Against::Ours | Against::OursByTheirHeaders => library(),
        Against::Theirs => their_library(package()?),
        Against::TheirsOf2_17 => library_of_2_17()?.to_owned(),
    };
    command.arg(Path::new(HERE).join("tests/c").join(format!("{source}.c"))).arg("-o").arg(&program);
    let folder = library.parent().expect("the library has a parent folder");
    command.arg(&library).arg(format!("-Wl,-rpath,{}", folder.display())).args(["-lm", "-lpthread"]);
    let output = command.output().expect("the compiler runs");
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

/// Runs a program, which must succeed, and returns its standard output.
pub(crate) fn run(command: &mut Command) -> String {
    // Both libraries have the same file name: with cargo's search path, the loader would always find ours.
    let command = command.env_remove("ARENITE_PLUGIN_PATH").env_remove("LD_LIBRARY_PATH");
    let output = command.output().expect("the program runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}\n{err}", output.status);
    out.into_owned()
}
