//! Embedded models give the bytes of the reference ops.

use std::path::{Path, PathBuf};

use arenite::{Interpreter, Model};
use arenite_builtin as _;
use arenite_test_embedded::{Value, digits_f32, digits_i8, doubles, run_all};

fn file(model: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(match model {
        "swaps" => "tests/micro/control/loop.tflite".into(),
        "draws" => "tests/micro/control/random.tflite".into(),
        "doubles" => "tests/micro/control/variable.tflite".into(),
        "words" => "examples/words/words.tflite".into(),
        digits => format!("examples/digits/{digits}.tflite"),
    })
}

/// One test, because a model can be taken only once at a time.
#[test]
fn the_bytes_are_those_of_the_reference_ops() {
    let mut interpreters: Vec<(String, Interpreter)> = Vec::new();
    let mut compared = 0;
    let mut show = |value: &Value<'_>| {
        if interpreters.last().is_none_or(|(name, _)| name != value.model) {
            let model = Model::from_file(file(value.model)).expect("a sound model");
            let builder = Interpreter::builder(&model).without_default_delegate();
            let mut interpreter = builder.build().expect("an interpreter");
            interpreter.allocate().expect("it has memory");
            interpreters.push((value.model.into(), interpreter));
        }
        let (name, interpreter) = interpreters.last_mut().expect("an interpreter");
        if value.is_input {
            let input = interpreter.input_mut(value.index).expect("an input");
            input.into_bytes().expect("host memory").copy_from_slice(value.bytes);
            return;
        }
        if value.index == 0 {
            interpreter.invoke().expect("it runs");
        }
        let output = interpreter.output(value.index).and_then(|output| output.bytes()).expect("an output");
        assert!(output == value.bytes, "output {} of {name} differs", value.index);
        compared += 1;
    };
    run_all(&mut show).expect("all models run");
    assert!(compared >= 16, "only {compared} outputs were compared");
    assert_eq!(interpreters.len(), 6);
    models_that_share_an_arena_take_turns();
    a_variable_keeps_its_value();
}

fn models_that_share_an_arena_take_turns() {
    let first = digits_f32::Model::take().expect("it is not taken");
    assert!(digits_f32::Model::take().is_none(), "the same model was taken twice");
    assert!(digits_i8::Model::take().is_none(), "the arena was taken twice");
    drop(first);
    assert!(digits_i8::Model::take().is_some());
    assert!(digits_f32::Model::take().is_some());
}

fn a_variable_keeps_its_value() {
    let mut model = doubles::Model::take().expect("it is not taken");
    model.reset();
    model.run().expect("it runs");
    let first = model.output(0).expect("an output").to_vec();
    drop(model);
    let mut model = doubles::Model::take().expect("it was given back");
    model.run().expect("it runs");
    assert!(model.output(0).expect("an output") != first, "the variable was forgotten");
    model.reset();
    model.run().expect("it runs");
    assert!(model.output(0).expect("an output") == first, "reset did not restore the first value");
}
