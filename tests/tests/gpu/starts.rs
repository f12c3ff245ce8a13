//! The delegates `opencl` and `vulkan` across program starts and across partitions: compilation, tuning and transfers.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use arenite::{Fact, FactValue, Interpreter, Model, NodeProvider, Quota};
use arenite_model::tensor_type::FLOAT32;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor};

use arenite_tests::successors;

use super::{Backend, backends, config};

/// Nodes `(op, inputs, output)` on tensors of `floats` elements; the first tensor is the input, the last the output.
fn model(floats: i32, tensors: usize, nodes: &[(&str, &[i32], i32)]) -> Model {
    model_of([1, floats], tensors, nodes)
}

/// The same on tensors of this shape.
pub(super) fn model_of(shape: [i32; 2], tensors: usize, nodes: &[(&str, &[i32], i32)]) -> Model {
    let (mut model, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
    let tensor = |i: usize| Tensor::new(&format!("t{i}"), FLOAT32, &shape);
    graph.input(tensor(0));
    (1..tensors - 1).for_each(|i| _ = graph.tensor(tensor(i)));
    graph.output(tensor(tensors - 1));
    for &(op, inputs, output) in nodes {
        let code = model.builtin(op, 1);
        graph.operator(Operator::new(code, inputs, &[output]));
    }
    model.subgraph(graph);
    Model::from_bytes(model.finish()).expect("the model is sound")
}

/// Runs the nodes on the device, except these ops.
pub(super) fn on_device(
    delegate: &str,
    model: &Model,
    options: &[(&str, &str)],
    exclude: &[&str],
) -> Interpreter {
    let mut delegate = config(delegate, options);
    delegate.exclude_ops = exclude.iter().map(|&op| op.to_owned()).collect();
    arenite_tests::reference_ops(model).delegate(delegate).build().expect("it builds")
}

pub(super) fn run(interpreter: &mut Interpreter) -> Vec<f32> {
    interpreter.allocate().expect("it allocates");
    let count = interpreter.input(0).expect("it exists").byte_len() / 4;
    let x: Vec<f32> = (0..count).map(|i| (i * 37 % 101) as f32 / 25.0 - 2.0).collect();
    interpreter.input_mut(0).and_then(|input| input.copy_from_slice(&x)).expect("floats");
    interpreter.invoke().expect("it runs");
    interpreter.output(0).and_then(|y| y.as_slice().map(<[f32]>::to_vec)).expect("floats")
}

/// A fact of each partition.
pub(super) fn numbers(interpreter: &Interpreter, key: &str) -> Vec<u64> {
    let facts = interpreter.facts();
    let found = facts.iter().flat_map(|told| &told.facts).filter(|fact| fact.key == key);
    let number = |fact: &Fact| match fact.value {
        FactValue::Number(number, _) => number,
        FactValue::Text(_) => panic!("{fact:?}"),
    };
    found.map(number).collect()
}

/// With `n` floats, whether or not rows are padded: an intermediate that only the device reads is not transferred; one
/// that the host reads is, and the host's result is sent back.
#[test]
fn values_stay_on_the_device_between_partitions() {
    for (delegate, n) in backends().flat_map(|Backend { delegate, .. }| [(delegate, 8), (delegate, 7)]) {
        let bytes = n as u64 * 4;
        for (what, model, up, down) in [
            (
                "two adjacent partitions",
                model(n, 4, &[("NEG", &[0], 1), ("ABS", &[0], 2), ("MAXIMUM", &[1, 2], 3)]),
                [bytes; 2],
                [0, bytes],
            ),
            (
                "a host node in between",
                model(n, 4, &[("NEG", &[0], 1), ("ABS", &[1], 2), ("CEIL", &[2], 3)]),
                [bytes; 2],
                [bytes; 2],
            ),
        ] {
            let what = format!("{delegate}, {what}, {n}");
            let mut interpreter = on_device(delegate, &model, &[], &["ABS"]);
            for _ in 0..2 {
                let want = run(&mut arenite_tests::reference_ops(&model).build().expect("it builds"));
                assert_eq!(run(&mut interpreter), want, "{what}");
                assert_eq!(numbers(&interpreter, "to the device in the last invocation"), up, "{what}");
                assert_eq!(numbers(&interpreter, "from the device in the last invocation"), down, "{what}");
            }
        }
    }
}

/// The first invocation times hundreds of work-group sizes. Cancelling or the time quota stops it; the next interpreter
/// works.
#[test]
fn tuning_can_be_cancelled() {
    let model = model_of([48, 2880], 2, &[("EXP", &[0], 1)]);
    let want = run(&mut arenite_tests::reference_ops(&model).build().expect("it builds"));
    let short = Duration::from_millis(100);
    for Backend { delegate, .. } in backends() {
        for time in [None, Some(short)] {
            let search = config(delegate, &[("tuning", "exhaustive")]);
            let builder = arenite_tests::reference_ops(&model).delegate(search);
            let quota = Quota { time, ..Quota::default() };
            let mut interpreter = builder.quota(quota).build().expect("it builds");
            interpreter.allocate().expect("it allocates");
            let handle = interpreter.cancel_handle();
            let canceller = thread::spawn(move || {
                thread::sleep(short);
                handle.cancel();
            });
            let start = Instant::now();
            let error = interpreter.invoke().expect_err("it takes longer").to_string();
            assert!(start.elapsed() < Duration::from_secs(5), "{delegate}: {:?}", start.elapsed());
            let told = ["the invocation was cancelled", "this call needs 101 milliseconds, the quota is 100"];
            assert!(told.iter().any(|told| error.contains(told)), "{delegate}: {error}");
            assert_eq!(numbers(&interpreter, "kernels that were tuned"), [0], "{delegate}");
            canceller.join().expect("it ends");
        }
        let got = run(&mut on_device(delegate, &model, &[], &[]));
        assert!(got.iter().zip(&want).all(|(a, b)| (a - b).abs() <= 1e-5 * b.abs()), "{delegate}");
    }
}

/// Passes a cache folder to the test below in the processes that it starts.
const STARTED: &str = "ARENITE_TEST_START";

/// Runs the test in its own process. Returns the programs compiled, programs from the cache, kernels tuned, and sizes
/// from the cache.
fn start(delegate: &str, folder: &Path) -> [u64; 4] {
    let test = std::env::current_exe().expect("this test");
    let mut command = Command::new(test);
    command.args(["--exact", "starts::a_second_start_compiles_and_tunes_nothing", "--nocapture"]);
    command.env(STARTED, format!("{delegate} {}", folder.display()));
    // The drivers' own caches start empty, too.
    for own in ["POCL_CACHE_DIR", "MESA_SHADER_CACHE_DIR"] {
        command.env(own, folder.join("driver"));
    }
    let output = command.output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| line.split_once("started ")).map(|(_, line)| line.to_owned());
    let line = line.unwrap_or_else(|| panic!("{text}\n{}", String::from_utf8_lossy(&output.stderr)));
    let numbers: Vec<u64> = line.split(' ').map(|n| n.parse().expect("a number")).collect();
    numbers.try_into().expect("four numbers")
}

fn started(delegate: &str, folder: &str) {
    let model = model(64, 4, &[("NEG", &[0], 1), ("EXP", &[1], 2), ("SOFTMAX", &[2], 3)]);
    let options = [("tuning", "exhaustive"), ("cache_dir", folder)];
    let mut interpreter = on_device(delegate, &model, &options, &["SOFTMAX"]);
    run(&mut interpreter);
    assert!(
        matches!(interpreter.served_by()[0], NodeProvider::Delegate { .. }),
        "{:?}",
        interpreter.left_out()
    );
    let [a, b, c, d] = [
        "programs that were compiled",
        "programs from the cache",
        "kernels that were tuned",
        "sizes from the cache",
    ]
    .map(|key| numbers(&interpreter, key)[0]);
    println!("started {a} {b} {c} {d}");
}

/// A damaged cache file, or a link in its place, counts as missing and is written again. Programs that the driver does
/// not export are compiled at each start.
#[test]
fn a_second_start_compiles_and_tunes_nothing() {
    if let Ok(started_with) = std::env::var(STARTED) {
        let (delegate, folder) = started_with.split_once(' ').expect("both");
        return started(delegate, folder);
    }
    for Backend { delegate, .. } in backends() {
        let folder = tempfile::tempdir().expect("a folder");
        let start = || start(delegate, folder.path());
        std::fs::create_dir(folder.path().join("driver")).expect("a folder");
        let files = |kind: &str| -> Vec<_> {
            let entries = std::fs::read_dir(folder.path()).expect("it exists");
            let paths = entries.map(|entry| entry.expect("an entry").path());
            paths.filter(|path| path.extension().is_some_and(|found| found == kind)).collect()
        };
        assert_eq!(start(), [1, 0, 1, 0], "{delegate}");
        let (programs, sizes) =
            ([files("arenite-program"), files("arenite-pipeline")].concat(), files("arenite-sizes"));
        assert_eq!(sizes.len(), 1, "{delegate}");
        let again = match &programs[..] {
            [program] => {
                assert_eq!(start(), [0, 1, 0, 1], "{delegate}");
                std::fs::write(program, "damaged").expect("the plugin made it");
                assert_eq!(start(), [1, 0, 0, 1], "{delegate}");
                [0, 1]
            }
            _ => {
                println!("skipped: the driver of '{delegate}' exports no compiled programs");
                assert!(delegate == "vulkan" && programs.is_empty());
                [1, 0]
            }
        };
        #[cfg(unix)]
        {
            let elsewhere = folder.path().join("elsewhere");
            std::fs::rename(&sizes[0], &elsewhere).expect("the plugin made it");
            std::os::unix::fs::symlink(&elsewhere, &sizes[0]).expect("a link");
            assert_eq!(start(), [again[0], again[1], 1, 0], "{delegate}");
        }
        assert_eq!(start(), [again[0], again[1], 0, 1], "{delegate}");
    }
}

/// The cache holds compiled code and work-group sizes, keyed by kernel source. A new model at the same path, with the
/// same inode, size and time, shares them, and its weights come from its own file.
#[test]
fn a_model_never_runs_with_the_weights_of_its_predecessor() {
    for Backend { delegate, .. } in backends() {
        for kind in successors::kinds().iter().filter(|kind| kind.name.ends_with("of floats")) {
            let (folder, cache) =
                (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
            let path = folder.path().join("model.tflite");
            let options = [("cache_dir", cache.path().to_str().expect("the name is UTF-8"))];
            successors::check(kind, &path, &config(delegate, &[]), &config(delegate, &options));
        }
    }
}
