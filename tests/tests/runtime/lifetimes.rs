//! A tensor's memory is reused after its last reader, unless the program preserves all tensors.

use arenite::{Config, InterpreterBuilder, Lifetimes, Model, OutputLifetimeStart, UsageRecord};
use arenite_tests::reference_ops;

use crate::models::{f32s, message, model, node};

/// `−(−(−(−x)))`, of 64 elements.
fn chain() -> Model {
    model(|m, g| {
        let x = g.input(f32s("x", &[64]));
        let inner = ["a", "b", "c"].map(|name| g.tensor(f32s(name, &[64])));
        let y = g.output(f32s("y", &[64]));
        for (from, to) in [(x, inner[0]), (inner[0], inner[1]), (inner[1], inner[2]), (inner[2], y)] {
            node(m, g, "NEG", &[from], to);
        }
    })
}

/// The size of the arena, and the values of tensors 1 to 3 after a run, if readable.
fn run(builder: InterpreterBuilder) -> (u64, Vec<Option<f32>>) {
    let mut interpreter = builder.threads(1).build().unwrap();
    interpreter.allocate().unwrap();
    interpreter.input_mut(0).unwrap().copy_from_slice(&[1.0f32; 64]).unwrap();
    interpreter.invoke().unwrap();
    let read = |t| interpreter.tensor_of(0, t).unwrap().as_slice::<f32>().ok().map(|values| values[0]);
    (interpreter.memory_use().arena, (1..4).map(read).collect())
}

#[test]
fn preserve_all_overwrites_no_tensor() {
    let model = chain();
    let want = vec![Some(-1.0), Some(1.0), Some(-1.0)];
    let (arena, values) = run(reference_ops(&model));
    assert!(arena <= 2 * 256 && values != want, "{arena}, {values:?}");
    assert_eq!(run(reference_ops(&model).preserve_all()), (5 * 256, want.clone()));
    let config: Config = "schema = 1\n[planner]\npreserve_all = true".parse().unwrap();
    assert_eq!(run(reference_ops(&model).config(&config)), (5 * 256, want));

    // Tensors inside a partition cannot be read.
    assert_eq!(run(model_builder(&model).preserve_all()).1, [None; 3]);
    let mut interpreter = model_builder(&model).preserve_all().build().unwrap();
    interpreter.allocate().unwrap();
    let error = message(interpreter.tensor_of(0, 1).unwrap().bytes());
    assert!(error.contains("delegate cpu computes it within a partition"), "{error}");
}

/// A tensor inside a partition leaves it when it is exposed; the others stay inside.
#[test]
fn an_exposed_tensor_is_readable_after_a_run() {
    let model = chain();
    assert_eq!(run(model_builder(&model).expose(&[2])).1, [None, Some(1.0), None]);
    assert_eq!(run(model_builder(&model).expose(&[1]).expose(&[3])).1, [Some(-1.0), None, Some(-1.0)]);
    let values = run(reference_ops(&model).expose(&[1, 2])).1;
    assert_eq!(values[..2], [Some(-1.0), Some(1.0)], "reference ops do not overwrite them");
    let error = message(model_builder(&model).expose(&[9]).build().map(|_| ()));
    assert!(error.contains("tensor 9 does not exist; subgraph 0 has 5"), "{error}");
}

fn model_builder(model: &Model) -> InterpreterBuilder {
    arenite::Interpreter::builder(model)
}

#[test]
fn output_memory_is_reserved_from_the_producer_or_from_the_start() {
    let model = chain();
    let life = |outputs| {
        let lifetimes = Lifetimes { outputs, ..Lifetimes::default() };
        let mut interpreter = reference_ops(&model).lifetimes(lifetimes).build().unwrap();
        interpreter.allocate().unwrap();
        let records = &interpreter.memory_plan()[0].records;
        let y = records.iter().find(|record| record.tensor == 4).expect("the output");
        (y.first_node, y.last_node)
    };
    assert_eq!(life(OutputLifetimeStart::Producer), (3, UsageRecord::FOREVER));
    assert_eq!(life(OutputLifetimeStart::Start), (0, UsageRecord::FOREVER));
    let lifetimes = Lifetimes { outputs: OutputLifetimeStart::Start, ..Lifetimes::default() };
    let (arena, _) = run(reference_ops(&model).lifetimes(lifetimes));
    assert_eq!(arena, 3 * 256, "x, y and all intermediates should need three places");
}
