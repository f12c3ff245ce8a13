//! The workspace's plugin libraries, as files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

/// Packages that are cdylibs: the shells, the template, and the plugins that misbehave.
const PACKAGES: [&str; 8] = [
    "arenite-plugin-cpu",
    "arenite-plugin-flex",
    "arenite-plugin-ops",
    "arenite-plugin-planners",
    "arenite-plugin-template",
    "arenite-test-future-abi",
    "arenite-test-other-layout",
    "arenite-test-panicking",
];

/// The library of one of these packages. `cargo test` does not build them: the first call does.
///
/// # Panics
/// If cargo cannot build them.
pub fn library(package: &str) -> &'static Path {
    static BUILT: OnceLock<BTreeMap<&'static str, PathBuf>> = OnceLock::new();
    let built = BUILT.get_or_init(build);
    built.get(package).unwrap_or_else(|| panic!("cargo built no library of {package}"))
}

/// Copies the libraries of `packages` into `folder`.
///
/// # Panics
/// If they cannot be copied.
pub fn copy_into(folder: &Path, packages: &[&str]) {
    for package in packages {
        let from = library(package);
        let name = from.file_name().expect("a library has a name");
        std::fs::copy(from, folder.join(name)).expect("a library can be copied");
    }
}

/// Compiles C into a library `name` in `folder`; `None` if this machine has no C compiler.
///
/// # Panics
/// If the compiler refuses the source.
pub fn compile_c(source: &str, folder: &Path, name: &str) -> Option<PathBuf> {
    let file = folder.join(format!("{name}.c"));
    std::fs::write(&file, source).expect("the folder can be written");
    let library = folder.join(format!("lib{name}{}", std::env::consts::DLL_SUFFIX));
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ffi/c/include");
    let mut command = Command::new(&compiler);
    command.args(["-std=c11", "-Wall", "-Werror", "-O2", "-shared", "-fPIC", "-I"]).arg(include);
    match command.arg("-o").arg(&library).arg(&file).output() {
        Err(error) => {
            println!("skipped: no C compiler {}: {error}", compiler.display());
            None
        }
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            std::fs::remove_file(file).expect("it was written");
            Some(library)
        }
    }
}

fn build() -> BTreeMap<&'static str, PathBuf> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--offline", "--message-format=json"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    PACKAGES.iter().for_each(|package| {
        cargo.args(["-p", package]);
    });
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let messages = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    messages.lines().filter_map(built_library).collect()
}

/// Package and file, if cargo's message is about a library of `PACKAGES`.
fn built_library(message: &str) -> Option<(&'static str, PathBuf)> {
    let message: Value = serde_json::from_str(message).ok()?;
    let target = &message["target"];
    if target["crate_types"][0] != "cdylib" {
        return None;
    }
    let name = target["name"].as_str()?.replace('_', "-");
    let package = PACKAGES.iter().find(|package| **package == name)?;
    Some((package, PathBuf::from(message["filenames"][0].as_str()?)))
}
