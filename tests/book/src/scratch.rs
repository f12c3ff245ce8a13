//! A clone for the commands of the book: the folders that they write to are copied, the others are linked.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::root;

/// Folders that commands of the book write to.
const COPIED: &[&str] = &["docs"];
/// Neither copied nor linked.
const LEFT_OUT: &[&str] = &[".git", "target"];

/// `cargo` for the commands of the book. It compiles nothing, and provides the libraries next to the running test.
const CARGO: &str = include_str!("cargo.sh");

/// A temporary folder with a clone, and the programs that its commands call.
pub struct Scratch {
    folder: TempDir,
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

impl Scratch {
    /// Copies the tree.
    ///
    /// # Panics
    /// If a file cannot be copied.
    pub fn new() -> Scratch {
        let scratch = Scratch { folder: tempfile::tempdir().expect("a temporary folder") };
        let (from, to) = (root(), scratch.clone_folder());
        for folder in [to.clone(), scratch.programs(), scratch.home()] {
            fs::create_dir(folder).expect("a new folder");
        }
        for folder in COPIED {
            copy(&from.join(folder), &to.join(folder));
        }
        for entry in fs::read_dir(from).expect("the root of the tree") {
            let entry = entry.expect("it can be listed");
            let to = to.join(entry.file_name());
            if !to.exists() && !LEFT_OUT.iter().any(|name| entry.file_name() == *name) {
                symlink(entry.path(), to).expect("a new link");
            }
        }
        let cargo = scratch.programs().join("cargo");
        let text = CARGO.replace("@CLONE@", &to.display().to_string());
        fs::write(&cargo, text.replace("@BUILT@", &built().display().to_string())).expect("a new file");
        fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("it is ours");
        scratch
    }

    /// Links the program as `arenite`, where [`command`](Self::command) finds it.
    ///
    /// # Panics
    /// If there is one already.
    pub fn add_program(&self, program: &str) {
        symlink(program, self.programs().join("arenite")).expect("a new link");
    }

    /// Replaces the `cargo` that compiles nothing by the real one. It works in the tree itself, so that it finds all
    /// that is built there.
    ///
    /// # Panics
    /// If it cannot be replaced.
    pub fn use_cargo(&self) {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let text = format!("#!/bin/sh\ncd '{}' && exec '{cargo}' \"$@\"\n", root().display());
        fs::write(self.programs().join("cargo"), text).expect("it is ours");
        fs::create_dir_all(root().join("target")).expect("the tree can be written");
        symlink(root().join("target"), self.clone_folder().join("target")).expect("a new link");
    }

    /// The root of the clone.
    pub fn clone_folder(&self) -> PathBuf {
        self.folder.path().join("arenite")
    }

    fn programs(&self) -> PathBuf {
        self.folder.path().join("bin")
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// A shell that runs `script` in the clone.
    pub fn command(&self, script: &Path) -> Command {
        let mut path = OsString::from(self.programs());
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut command = Command::new("sh");
        command.arg(script).current_dir(self.clone_folder()).env("PATH", path).env("HOME", self.home());
        for name in ["CARGO_HOME", "RUSTUP_HOME"] {
            let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
            let default = home.join(format!(".{}", name.to_lowercase().trim_end_matches("_home")));
            command.env(name, std::env::var_os(name).unwrap_or(default.into_os_string()));
        }
        for name in ["ARENITE_PLUGIN_PATH", "ARENITE_ISA", "PKG_CONFIG_PATH", "LD_LIBRARY_PATH"] {
            command.env_remove(name);
        }
        command
    }
}

/// The folder of the libraries that cargo built for this test.
fn built() -> PathBuf {
    let program = std::env::current_exe().expect("this program has a path");
    program.parent().expect("a file is in a folder").to_owned()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a new folder");
    for entry in fs::read_dir(from).expect("a folder of the project") {
        let entry = entry.expect("it can be listed");
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a file can be copied");
        }
    }
}
