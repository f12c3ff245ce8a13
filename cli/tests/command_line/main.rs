//! Runs the program as users do: the digits example, every command, and the messages for mistakes.

mod benching;
mod comparing;
mod configuration;
mod embedding;
mod generating;
mod inspecting;
mod names;
mod new_models;
mod planning;
mod plugins;
mod refusals;
mod reporting;
mod running;
mod sequences;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn digits(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/digits").join(file)
}

fn path(file: &str) -> String {
    digits(file).display().to_string()
}

fn arenite(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_arenite"))
        .args(arguments)
        .env_remove("ARENITE_PLUGIN_PATH")
        .output()
        .expect("the program starts")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("stdout is UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("stderr is UTF-8")
}

/// Runs a command that must succeed, and returns its stdout.
fn succeed(arguments: &[&str]) -> String {
    let output = arenite(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output).to_owned()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&succeed(arguments)).expect("stdout is one JSON value")
}

/// Runs a command that must exit with `status` and print an error that contains all `words`.
fn fail(arguments: &[&str], status: i32, words: &[&str]) {
    let output = arenite(arguments);
    let error = stderr(&output);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {error}");
    assert!(error.contains("error: "), "{error}");
    for word in words {
        assert!(error.contains(word), "'{word}' is missing in: {error}");
    }
}
