//! Concurrency: threads load plugins, share a model, and cancel at the same time.

use arenite_abi::schema::AddOptions;
use std::path::Path;
use std::sync::{Arc, Barrier};
use std::time::Duration;

use arenite::{Config, Error, Interpreter, Model, Registry};
use arenite_model::tensor_type::FLOAT32;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor};
use arenite_tests::libraries::library;
use arenite_tests::op_models::{OneOp, f32};

fn fixed() -> Arc<Registry> {
    Arc::new(Registry::with_static_plugins().expect("they are linked in"))
}

fn digits() -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/digits/digits_i8.tflite");
    Model::from_file(path).expect("the model is sound")
}

/// Output bytes for an input that depends on `seed`.
fn run(interpreter: &mut Interpreter, seed: usize) -> Vec<u8> {
    let bytes = interpreter.input_mut(0).and_then(|input| input.into_bytes()).expect("it has an input");
    bytes.iter_mut().enumerate().for_each(|(i, byte)| *byte = (i * (seed + 3) % 61) as u8);
    interpreter.invoke().expect("it runs");
    interpreter.output(0).and_then(|output| output.bytes()).expect("it has an output").to_vec()
}

fn interpreter(model: &Model, registry: &Arc<Registry>, threads: usize) -> Interpreter {
    let builder = Interpreter::builder(model).registry(Arc::clone(registry)).threads(threads);
    let mut interpreter = builder.build().expect("it builds");
    interpreter.allocate().expect("it allocates");
    interpreter
}

#[test]
fn several_threads_load_plugins_concurrently() {
    let files = ["arenite-plugin-template", "arenite-test-panicking", "arenite-test-future-abi"].map(library);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let folder = dir.path();
    for file in files {
        std::fs::copy(&file, folder.join(file.file_name().expect("a name"))).expect("it can be copied");
    }
    let barrier = Barrier::new(4);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                barrier.wait();
                for _ in 0..20 {
                    let mut config = Config::default();
                    config.plugins.dirs = vec![folder.to_owned()];
                    let registry = Registry::discover(&config).expect("the configuration is not strict");
                    let ids: Vec<&str> = registry.plugins().iter().map(|plugin| plugin.id.as_str()).collect();
                    assert!(
                        ids.ends_with(&["org.arenite.template", "org.arenite.test.panicking"]),
                        "{ids:?}"
                    );
                    // Error messages of one thread do not appear on another.
                    let failures = registry.failures();
                    assert_eq!(failures.len(), 1);
                    assert!(failures[0].to_string().contains("it needs ABI 2.0 or later"), "{}", failures[0]);
                    let bytes =
                        OneOp::custom("Sin").feed(f32("x", &[2])).output(f32("y", &[2])).model().finish();
                    let model = Model::from_bytes(bytes).expect("it is sound");
                    let mut interpreter = interpreter(&model, &Arc::new(registry), 2);
                    interpreter.input_mut(0).and_then(|x| x.copy_from_slice(&[0.5f32, 1.0])).expect("two");
                    interpreter.invoke().expect("it runs");
                    let y = interpreter.output(0).expect("it exists");
                    assert_eq!(y.as_slice::<f32>().expect("floats"), [0.5f32.sin(), 1f32.sin()]);
                }
            });
        }
    });
}

/// Interpreters that share a model, a registry and the pool do not disturb one another.
#[test]
fn interpreters_share_a_model() {
    let (model, registry) = (digits(), fixed());
    let mut alone = interpreter(&model, &registry, 1);
    let wanted: Vec<Vec<u8>> = (0..8).map(|seed| run(&mut alone, seed)).collect();
    assert!(wanted.iter().any(|bytes| *bytes != wanted[0]), "all outputs are equal");
    std::thread::scope(|scope| {
        for threads in [1, 2, 2, 4] {
            let (model, registry, wanted) = (&model, &registry, &wanted);
            scope.spawn(move || {
                let mut own = interpreter(model, registry, threads);
                for round in 0..5 {
                    for (seed, wanted) in wanted.iter().enumerate() {
                        assert_eq!(&run(&mut own, seed), wanted, "round {round}, seed {seed}");
                    }
                }
            });
        }
    });
}

#[test]
fn an_interpreter_moves_to_another_thread_and_outlives_model_and_registry() {
    let mut interpreter = {
        let (model, registry) = (digits(), fixed());
        interpreter(&model, &registry, 2)
    };
    let wanted = run(&mut interpreter, 1);
    let (again, mut interpreter) = std::thread::spawn(move || (run(&mut interpreter, 1), interpreter))
        .join()
        .expect("it does not panic");
    assert_eq!(again, wanted);
    assert_eq!(run(&mut interpreter, 1), wanted);
}

/// An error on one thread carries that thread's message.
#[test]
fn messages_belong_to_their_thread() {
    let registry = fixed();
    std::thread::scope(|scope| {
        for n in 2..6 {
            let registry = &registry;
            scope.spawn(move || {
                let (a, b) = (f32("a", &[n]), f32("b", &[n + 10]));
                let add =
                    OneOp::new("ADD").feed(a).feed(b).output(f32("y", &[n])).options::<AddOptions>(|o| o);
                let model = Model::from_bytes(add.model().finish()).expect("the file is sound");
                for _ in 0..200 {
                    let builder = Interpreter::builder(&model).registry(Arc::clone(registry));
                    let error = builder.build().and_then(|mut i| i.allocate()).expect_err("they do not fit");
                    let text = error.to_string();
                    assert!(
                        text.contains(&format!("[{n}]")) && text.contains(&format!("[{}]", n + 10)),
                        "{text}"
                    );
                }
            });
        }
    });
}

#[test]
fn cancelled_from_another_thread() {
    let mut model = ModelBuilder::new();
    let codes = ["LOGISTIC", "TANH"].map(|op| model.builtin(op, 1));
    let mut graph = SubGraph::new("main");
    let shape = [1 << 18];
    let mut last = graph.input(Tensor::new("x", FLOAT32, &shape));
    for i in 0..5000 {
        let next = graph.tensor(Tensor::new("t", FLOAT32, &shape));
        graph.operator(Operator::new(codes[i % 2], &[last], &[next]));
        last = next;
    }
    graph.outputs.push(last);
    model.subgraph(graph);
    let model = Model::from_bytes(model.finish()).expect("it is sound");
    let mut interpreter = interpreter(&model, &fixed(), 1);
    let handle = interpreter.cancel_handle();
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        handle.cancel();
    });
    let error = interpreter.invoke().expect_err("it takes longer than 0.1 s");
    assert!(matches!(error, Error::Cancelled), "{error}");
    canceller.join().expect("it does not panic");
}
