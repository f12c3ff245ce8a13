//! The Go package beside these headers: its tests, and its example, whose scores are those of C++.

use std::path::Path;
use std::process::Command;

use crate::toolchain::{HERE, dynamic_library, run};
use crate::{digits, models, temporary};

/// Go in the package's folder, with a file for pkg-config that names this build; `None` without Go or pkg-config.
fn go(folder: &Path) -> Option<Command> {
    // Go has `go version`, and no `--version`.
    for (tool, argument) in [("go", "version"), ("pkg-config", "--version"), ("cc", "--version")] {
        if !Command::new(tool).arg(argument).output().is_ok_and(|output| output.status.success()) {
            println!("left out: there is no {tool} on this machine");
            return None;
        }
    }
    let library = dynamic_library();
    let library = library.parent().expect("a library lies in a folder").display();
    let [_, include] = arenite_cpp::INCLUDE;
    let text = format!(
        "Name: arenite\nDescription: this build\nVersion: 0\n\
         Libs: -L{library} -Wl,-rpath,{library} -larenite\nCflags: -I{include}\n"
    );
    std::fs::write(folder.join("arenite.pc"), text).expect("a file for pkg-config");
    let mut command = Command::new("go");
    command.current_dir(Path::new(HERE).join("../go"));
    // The library's path is no flag that cgo knows to be harmless.
    command.env("PKG_CONFIG_PATH", folder).env("CGO_LDFLAGS_ALLOW", ".*").env("GOFLAGS", "-count=1");
    command.env("ARENITE_TEST_MODELS", folder);
    Some(command)
}

#[test]
fn the_go_package_passes_its_tests() {
    let folder = temporary();
    models::write(folder.path());
    if let Some(mut command) = go(folder.path()) {
        let said = run(command.args(["test", "-v", "./..."]));
        assert!(said.contains("PASS: TestCustomOp") && !said.contains("SKIP"), "{said}");
    }
}

#[test]
fn the_example_in_go_names_the_digit() {
    let folder = temporary();
    let picture = digits().join("samples/7.pgm");
    let answer = |model: &str, options: &[&str]| {
        let mut command = go(folder.path())?;
        command.env_remove("GOFLAGS").args(["run", "./examples/classify"]).args(options);
        Some(run(command.arg(digits().join(model)).arg(&picture)))
    };
    for (model, options) in
        [("digits_f32.tflite", &[][..]), ("digits_f32.tflite", &["-softmax"]), ("digits_i8.tflite", &[])]
    {
        if let Some(answer) = answer(model, options) {
            assert!(answer.starts_with("7 (9"), "{model} {options:?}: {answer}");
        }
    }
}
