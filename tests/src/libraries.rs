//! The workspace's plugin libraries as files. Cargo builds them, because this crate's tests depend on their packages.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The library of one of the packages that the tests depend on: the plugin shells, the template, and the misbehaving
/// plugins.
///
/// # Panics
/// If cargo did not build it next to this program.
pub fn library(package: &str) -> PathBuf {
    let program = std::env::current_exe().expect("this program has a path");
    let folder = program.parent().expect("the file has a parent folder");
    let (before, after) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = folder.join(format!("{before}{}{after}", package.replace('-', "_")));
    assert!(library.is_file(), "{} is missing; is {package} a dependency of the tests?", library.display());
    library
}

/// Copies the libraries of `packages` into `folder`.
///
/// # Panics
/// If they cannot be copied.
pub fn copy_into(folder: &Path, packages: &[&str]) {
    for package in packages {
        let from = library(package);
        let name = from.file_name().expect("a library has a name");
        std::fs::copy(&from, folder.join(name)).expect("a library can be copied");
    }
}

/// Compiles C source into a library `name` in `folder`; `None` if no C compiler is installed.
///
/// # Panics
/// If the compiler refuses the source.
pub fn compile_c(source: &str, folder: &Path, name: &str) -> Option<PathBuf> {
    let file = folder.join(format!("{name}.c"));
    std::fs::write(&file, source).expect("the folder can be written");
    let library = folder.join(format!("lib{name}{}", std::env::consts::DLL_SUFFIX));
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/abi/include");
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
