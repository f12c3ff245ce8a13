//! Outputs that are tied to inputs.

use arenite::config::TiedOutput;
use arenite::model_file::tensor_type::INT32;
use arenite::model_file::writer::{ModelBuilder, SubGraph, Tensor};
use arenite::{AlignedBytes, Config, Interpreter, Model, Quota};
use arenite_tests::op_models::control::counting_loop;
use arenite_tests::reference_ops;

use crate::models::{f32s, message, node};

type Ports = [Vec<(&'static str, i32)>; 2];

/// `next` = `cache` with `row` at `at`; `y` is −`next`, and reads `cache` after it was updated if `late`.
fn update(m: &mut ModelBuilder, rows: i32, late: bool) -> (SubGraph, Ports) {
    let mut g = SubGraph::new("update");
    let (cache, row) = (g.input(f32s("cache", &[4, 2])), g.input(f32s("row", &[rows, 2])));
    let at = g.input(Tensor::new("at", INT32, &[2]));
    let (next, y) = (g.output(f32s("next", &[4, 2])), g.output(f32s("y", &[4, 2])));
    node(m, &mut g, "DYNAMIC_UPDATE_SLICE", &[cache, row, at], next);
    match late {
        true => node(m, &mut g, "ADD", &[cache, next], y),
        false => node(m, &mut g, "NEG", &[next], y),
    }
    let ports = [vec![("cache", cache), ("row", row), ("at", at)], vec![("cache", next), ("y", y)]];
    (g, ports)
}

/// Signatures `one` and `two`, which write as many rows.
fn updates(late: bool) -> Model {
    let mut m = ModelBuilder::new();
    for (k, key) in ["one", "two"].into_iter().enumerate() {
        let (graph, [inputs, outputs]) = update(&mut m, k as i32 + 1, late);
        m.subgraph(graph);
        m.signature(key, k as u32, &inputs, &outputs);
    }
    Model::from_bytes(m.finish()).expect("the model is sound")
}

/// Writes `row` at this position; returns `y` and the cache.
fn write(interpreter: &mut Interpreter, key: &str, row: &[f32], at: i32) -> (Vec<f32>, Vec<f32>) {
    let mut signature = interpreter.signature(key).unwrap();
    signature.allocate().unwrap();
    signature.input_mut("row").unwrap().copy_from_slice(row).unwrap();
    signature.input_mut("at").unwrap().copy_from_slice(&[at, 0]).unwrap();
    signature.invoke().unwrap();
    let [y, output] =
        ["y", "cache"].map(|name| signature.output(name).unwrap().as_slice::<f32>().unwrap().to_vec());
    assert_eq!(signature.input("cache").unwrap().as_slice::<f32>().unwrap(), output);
    (y, output)
}

fn with_and_without_delegate(model: &Model) -> [Interpreter; 2] {
    let plain = reference_ops(model).build().unwrap();
    [plain, Interpreter::builder(model).threads(1).build().unwrap()]
}

#[test]
fn signatures_share_a_cache_that_is_written_in_place() {
    for mut interpreter in with_and_without_delegate(&updates(false)) {
        assert_eq!(interpreter.tie_caches().unwrap(), ["cache"]);
        let (y, cache) = write(&mut interpreter, "one", &[1.0, 2.0], 1);
        assert_eq!(cache, [0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(y, cache.iter().map(|x| -x).collect::<Vec<f32>>());
        let (_, cache) = write(&mut interpreter, "two", &[3.0, 4.0, 5.0, 6.0], 2);
        assert_eq!(cache, [0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let (y, cache) = write(&mut interpreter, "one", &[7.0, 8.0], 0);
        assert_eq!(cache, [7.0, 8.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(y[..3], [-7.0, -8.0, -1.0]);
        for subgraph in [0, 1] {
            let data =
                |t: i32| interpreter.tensor_of(subgraph, t as usize).unwrap().bytes().unwrap().as_ptr();
            assert_eq!(data(0), data(3), "the cache was copied");
        }
        let placed: Vec<i32> =
            interpreter.memory_plan()[0].records.iter().map(|record| record.tensor).collect();
        assert!(!placed.contains(&0) && !placed.contains(&3), "{placed:?}");
        assert!(interpreter.memory_use().persistent >= 32);
        // Nothing changes when memory is taken again, and the caller may set the cache.
        interpreter.release_memory();
        let (_, cache) = write(&mut interpreter, "two", &[0.0; 4], 0);
        assert_eq!(cache, [0.0, 0.0, 0.0, 0.0, 3.0, 4.0, 5.0, 6.0]);
        interpreter
            .signature("one")
            .unwrap()
            .input_mut("cache")
            .unwrap()
            .copy_from_slice(&[9.0f32; 8])
            .unwrap();
        assert_eq!(write(&mut interpreter, "two", &[1.0; 4], 0).1, [1.0, 1.0, 1.0, 1.0, 9.0, 9.0, 9.0, 9.0]);
    }
}

#[test]
fn a_node_that_reads_the_input_later_sees_its_old_value() {
    for mut interpreter in with_and_without_delegate(&updates(true)) {
        interpreter.tie("one", "cache", "cache").unwrap();
        interpreter.tie("two", "cache", "cache").unwrap();
        assert_eq!(write(&mut interpreter, "one", &[1.0, 2.0], 0).0[..4], [1.0, 2.0, 0.0, 0.0]);
        let (sum, cache) = write(&mut interpreter, "two", &[3.0; 4], 0);
        assert_eq!(sum[..4], [4.0, 5.0, 3.0, 3.0]);
        assert_eq!(cache[..4], [3.0; 4]);
        assert_eq!(write(&mut interpreter, "one", &[0.0; 2], 3).0[..4], [6.0; 4]);
    }
}

/// `total'` = `total` + x: with operators that work in place, and in a partition, whose output is copied.
#[test]
fn sums_accumulate() {
    let mut m = ModelBuilder::new();
    let mut g = SubGraph::new("main");
    let (total, x) = (g.input(f32s("total", &[3])), g.input(f32s("x", &[3])));
    let next = g.output(f32s("next", &[3]));
    node(&mut m, &mut g, "ADD", &[total, x], next);
    m.subgraph(g);
    m.signature("sum", 0, &[("total", total), ("x", x)], &[("next", next)]);
    let model = Model::from_bytes(m.finish()).expect("the model is sound");
    for mut interpreter in with_and_without_delegate(&model) {
        interpreter.tie("sum", "next", "total").unwrap();
        interpreter.tie("sum", "next", "total").unwrap();
        interpreter.allocate().unwrap();
        for round in 1..4 {
            interpreter.input_mut(1).unwrap().copy_from_slice(&[1.0f32, 2.0, 3.0]).unwrap();
            interpreter.invoke().unwrap();
            let want = [1.0, 2.0, 3.0].map(|x: f32| x * round as f32);
            assert_eq!(interpreter.output(0).unwrap().as_slice::<f32>().unwrap(), want);
            assert_eq!(interpreter.input(0).unwrap().as_slice::<f32>().unwrap(), want);
        }
    }
}

#[test]
fn what_cannot_be_tied_is_refused() {
    let model = updates(false);
    let mut interpreter = reference_ops(&model).build().unwrap();
    let mut refused = |key, output, input| message(interpreter.tie(key, output, input));
    assert!(refused("three", "cache", "cache").contains("'three'"));
    let unknown = refused("one", "c", "cache");
    assert!(unknown.contains("'c'") && unknown.contains("cache, y"), "{unknown}");
    assert!(refused("one", "cache", "d").contains("'d'"));
    let shapes = refused("one", "y", "row");
    assert_eq!(
        shapes,
        "tensor 'y': it is FLOAT32 [4, 2], input 'row' is FLOAT32 [1, 2]; tied tensors have the same type and shape"
    );
    interpreter.tie("one", "cache", "cache").unwrap();
    let mut refused = |key, output, input| message(interpreter.tie(key, output, input));
    let twice = refused("one", "y", "cache");
    assert_eq!(twice, "tensor 'y': 'cache' cannot be tied twice: output 'next' is tied to input 'cache'");
    let lent = |bytes| Box::new(AlignedBytes::zeroed(bytes).unwrap());
    let loan = message(interpreter.lend(0, 0, lent(32)).map(drop));
    assert!(loan.contains("output 'next' is tied to input 'cache'"), "{loan}");
    assert!(message(interpreter.take_back(0, 3).map(drop)).contains("is tied to input 'cache'"));
    let resize = message(interpreter.resize_input(0, &[5, 2]));
    assert!(resize.contains("its shape stays, since output 'next' is tied to it"), "{resize}");

    let mut interpreter = reference_ops(&model).build().unwrap();
    interpreter.lend(0, 0, lent(32)).unwrap();
    let taken = message(interpreter.tie("one", "cache", "cache"));
    assert!(taken.contains("memory is lent or bound to 'cache'"), "{taken}");
    let quota = Quota { bytes: 20, ..Quota::default() };
    let mut interpreter = reference_ops(&model).quota(quota).build().unwrap();
    assert!(message(interpreter.tie_caches().map(drop)).contains("quota"));
}

/// With `[tie]`, an interpreter has the ties when it is built, and refuses to be built with wrong ones.
#[test]
fn a_configuration_ties() {
    let model = updates(false);
    let build = |table: &str| {
        let config: Config = format!("schema = 1\n[tie]\n{table}").parse().unwrap();
        reference_ops(&model).config(&config).build()
    };
    let pair = |key: &str, output: &str, input: &str| {
        format!("pairs = [{{ signature = '{key}', output = '{output}', input = '{input}' }}]")
    };
    let mut interpreter = build("caches = true").unwrap();
    let tied =
        |key: &str| TiedOutput { signature: key.into(), output: "cache".into(), input: "cache".into() };
    assert_eq!(interpreter.ties(), [tied("one"), tied("two")]);
    assert!(interpreter.is_tied(1, 0) && interpreter.is_tied(1, 3) && !interpreter.is_tied(1, 1));
    write(&mut interpreter, "one", &[1.0, 2.0], 1);
    let (_, cache) = write(&mut interpreter, "two", &[3.0, 4.0, 5.0, 6.0], 2);
    assert_eq!(cache, [0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);

    let mut interpreter = build(&pair("two", "cache", "cache")).unwrap();
    assert_eq!(interpreter.ties(), [tied("two")]);
    interpreter.tie_caches().unwrap();
    assert_eq!(interpreter.ties(), [tied("two"), tied("one")]);
    assert!(build("caches = false").unwrap().ties().is_empty());

    let refused = |table: &str| message(build(table).map(drop));
    assert!(refused(&pair("three", "cache", "cache")).contains("'three'"));
    assert!(refused(&pair("one", "c", "cache")).contains("cache, y"));
    assert!(refused(&pair("one", "y", "row")).contains("tied tensors have the same type and shape"));
    let twice = refused(&format!("{}\ncaches = true", pair("one", "y", "cache")));
    assert!(twice.contains("cannot be tied twice: output 'y' is tied to input 'cache'"), "{twice}");
}

#[test]
fn signatures_with_other_shapes_do_not_share_a_cache() {
    let mut m = ModelBuilder::new();
    for (k, size) in [4, 8].into_iter().enumerate() {
        let mut g = SubGraph::new("main");
        let (x, y) = (g.input(f32s("x", &[size])), g.output(f32s("y", &[size])));
        node(&mut m, &mut g, "NEG", &[x], y);
        m.subgraph(g);
        m.signature(["a", "b"][k], k as u32, &[("x", x)], &[("x", y)]);
    }
    let model = Model::from_bytes(m.finish()).expect("the model is sound");
    let found = message(reference_ops(&model).build().unwrap().tie_caches().map(drop));
    assert_eq!(
        found,
        "tensor 'x': it is FLOAT32 [8], but signature 'a' tied 'x' as FLOAT32 [4]; signatures share the memory of \
         tied inputs with the same name"
    );
}

#[test]
fn a_tied_subgraph_cannot_be_called() {
    let mut m = counting_loop(1);
    m.signature("body", 2, &[("x", 1)], &[("x", 4)]);
    let model = Model::from_bytes(m.finish()).expect("the model is sound");
    let mut interpreter = reference_ops(&model).build().unwrap();
    interpreter.tie("body", "x", "x").unwrap();
    let found = message(interpreter.allocate());
    assert!(found.contains("subgraph 2 has tied outputs, so no node can call it"), "{found}");
}
