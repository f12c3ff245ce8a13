//! The delegate `opencl` from one start of a program to the next, and from one partition to another: what is compiled, timed and copied.
//! Without a driver these tests say so and end.

use std::path::Path;
use std::process::Command;

use arenite::config::DelegateConfig;
use arenite::{Fact, FactValue, Interpreter, Model, Served};
use arenite_model::tensor_type::FLOAT32;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor};

arenite_abi::register_plugin!(arenite_gpu::PLUGIN);

/// Whether there is a device; if not, the test says so.
fn device() -> bool {
    match arenite_gpu::devices() {
        Ok(devices) if !devices.is_empty() => return true,
        Ok(_) => println!("skipped: no OpenCL device"),
        Err(error) => println!("skipped: {error}"),
    }
    false
}

/// Nodes `(op, inputs, output)` on tensors of so many floats; the first is the input, the last the output.
fn model(floats: i32, tensors: usize, nodes: &[(&str, &[i32], i32)]) -> Model {
    let (mut model, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
    let tensor = |i: usize| Tensor::new(&format!("t{i}"), FLOAT32, &[1, floats]);
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

/// On the device but for these ops.
fn on_device(model: &Model, options: &[(&str, &str)], exclude: &[&str]) -> Interpreter {
    let mut delegate = DelegateConfig::new("opencl");
    delegate.options = options.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    delegate.exclude_ops = exclude.iter().map(|&op| op.to_owned()).collect();
    arenite_tests::reference_ops(model).delegate(delegate).build().expect("it builds")
}

fn run(interpreter: &mut Interpreter) -> Vec<f32> {
    interpreter.allocate().expect("it allocates");
    let count = interpreter.input(0).expect("it has one").byte_len() / 4;
    let x: Vec<f32> = (0..count).map(|i| (i * 37 % 101) as f32 / 25.0 - 2.0).collect();
    interpreter.input_mut(0).and_then(|input| input.copy_from_slice(&x)).expect("floats");
    interpreter.invoke().expect("it runs");
    interpreter.output(0).and_then(|y| y.as_slice().map(<[f32]>::to_vec)).expect("floats")
}

/// A fact of each partition.
fn numbers(interpreter: &Interpreter, key: &str) -> Vec<u64> {
    let facts = interpreter.facts();
    let found = facts.iter().flat_map(|told| &told.facts).filter(|fact| fact.key == key);
    let number = |fact: &Fact| match fact.value {
        FactValue::Number(number, _) => number,
        FactValue::Text(_) => panic!("{fact:?}"),
    };
    found.map(number).collect()
}

/// Of `n` floats: an intermediate that only the device reads does not cross, whether its rows are filled up or not; one that the host
/// reads comes back, and what the host made of it goes there.
#[test]
fn values_stay_on_the_device_between_partitions() {
    if !device() {
        return;
    }
    for n in [8, 7] {
        let bytes = n as u64 * 4;
        for (what, model, up, down) in [
            (
                "two partitions side by side",
                model(n, 4, &[("NEG", &[0], 1), ("ABS", &[0], 2), ("MAXIMUM", &[1, 2], 3)]),
                [bytes; 2],
                [0, bytes],
            ),
            (
                "a node of the host between",
                model(n, 4, &[("NEG", &[0], 1), ("ABS", &[1], 2), ("CEIL", &[2], 3)]),
                [bytes; 2],
                [bytes; 2],
            ),
        ] {
            let mut interpreter = on_device(&model, &[], &["ABS"]);
            for _ in 0..2 {
                let want = run(&mut arenite_tests::reference_ops(&model).build().expect("it builds"));
                assert_eq!(run(&mut interpreter), want, "{what}, {n}");
                assert_eq!(numbers(&interpreter, "to the device in the last invocation"), up, "{what}, {n}");
                assert_eq!(
                    numbers(&interpreter, "from the device in the last invocation"),
                    down,
                    "{what}, {n}"
                );
            }
        }
    }
}

/// Names the test below to the processes that it starts, and the folder.
const STARTED: &str = "ARENITE_TEST_START";

/// A start in a process of its own: programs compiled, from the cache, kernels tuned, sizes from the cache.
fn start(folder: &Path) -> [u64; 4] {
    let test = std::env::current_exe().expect("this test");
    let mut command = Command::new(test);
    command.args(["--exact", "a_second_start_compiles_and_tunes_nothing", "--nocapture"]);
    // The driver's own cache begins empty, too.
    command.env(STARTED, folder).env("POCL_CACHE_DIR", folder.join("driver"));
    let output = command.output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| line.split_once("started ")).map(|(_, line)| line.to_owned());
    let line = line.unwrap_or_else(|| panic!("{text}\n{}", String::from_utf8_lossy(&output.stderr)));
    let numbers: Vec<u64> = line.split(' ').map(|n| n.parse().expect("a number")).collect();
    numbers.try_into().expect("four numbers")
}

fn started(folder: &Path) {
    let model = model(64, 4, &[("NEG", &[0], 1), ("EXP", &[1], 2), ("SOFTMAX", &[2], 3)]);
    let folder = folder.display().to_string();
    let mut interpreter =
        on_device(&model, &[("tuning", "exhaustive"), ("cache_dir", &folder)], &["SOFTMAX"]);
    run(&mut interpreter);
    assert!(matches!(interpreter.served_by()[0], Served::Delegate { .. }), "{:?}", interpreter.left_out());
    let [a, b, c, d] = [
        "programs that were compiled",
        "programs from the cache",
        "kernels that were tuned",
        "sizes from the cache",
    ]
    .map(|key| numbers(&interpreter, key)[0]);
    println!("started {a} {b} {c} {d}");
}

/// A damaged file, and one that is a link, count as none and are written anew.
#[test]
fn a_second_start_compiles_and_tunes_nothing() {
    if let Some(folder) = std::env::var_os(STARTED) {
        return started(Path::new(&folder));
    }
    if !device() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("driver")).expect("a folder");
    assert_eq!(start(folder.path()), [1, 0, 1, 0]);
    assert_eq!(start(folder.path()), [0, 1, 0, 1]);
    let files = |kind: &str| -> Vec<_> {
        let entries = std::fs::read_dir(folder.path()).expect("it is there");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        paths.filter(|path| path.extension().is_some_and(|found| found == kind)).collect()
    };
    let (programs, sizes) = (files("arenite-program"), files("arenite-sizes"));
    assert_eq!((programs.len(), sizes.len()), (1, 1));
    std::fs::write(&programs[0], "damaged").expect("it is ours");
    assert_eq!(start(folder.path()), [1, 0, 0, 1]);
    #[cfg(unix)]
    {
        let elsewhere = folder.path().join("elsewhere");
        std::fs::rename(&sizes[0], &elsewhere).expect("it is ours");
        std::os::unix::fs::symlink(&elsewhere, &sizes[0]).expect("a link");
        assert_eq!(start(folder.path()), [0, 1, 1, 0]);
    }
    assert_eq!(start(folder.path()), [0, 1, 0, 1]);
}
