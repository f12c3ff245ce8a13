//! Tests the Go package next to these headers: runs its tests and its example, which must print the scores that the C++
//! example prints.

use std::path::Path;
use std::process::Command;

use crate::toolchain::{HERE, dynamic_library, run};
use crate::{digits, far, models, temporary};

/// The go command in the package's folder, with a pkg-config file for this build; `None` if Go or pkg-config is
/// missing.
fn go(folder: &Path) -> Option<Command> {
    // Go has `go version` instead of `--version`.
    for (tool, argument) in [("go", "version"), ("pkg-config", "--version"), ("cc", "--version")] {
        if !Command::new(tool).arg(argument).output().is_ok_and(|output| output.status.success()) {
            println!("skipped: {tool} is not installed");
            return None;
        }
    }
    let library = dynamic_library();
    let library = library.parent().expect("the library has a parent folder").display();
    let [_, include, contract] = arenite_cpp::INCLUDE;
    let text = format!(
        "Name: arenite\nDescription: this build\nVersion: 0\n\
         Libs: -L{library} -Wl,-rpath,{library} -larenite\nCflags: -I{include} -I{contract}\n"
    );
    std::fs::write(folder.join("arenite.pc"), text).expect("cannot write the pkg-config file");
    let mut command = Command::new("go");
    command.current_dir(Path::new(HERE).join("../go"));
    // cgo does not know the library's path to be a harmless flag.
    command.env("PKG_CONFIG_PATH", folder).env("CGO_LDFLAGS_ALLOW", ".*").env("GOFLAGS", "-count=1");
    // The shared cache would give later builds of the user a program linked to this library, and the other way round.
    command.env("GOCACHE", folder.join("cache"));
    command.env("ARENITE_TEST_MODELS", folder);
    Some(command)
}

#[test]
fn the_go_package_passes_its_tests() {
    let folder = temporary();
    models::write(folder.path());
    if let Some(mut command) = go(folder.path()) {
        command.env("ARENITE_TEST_PLUGINS", far(folder.path()));
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
