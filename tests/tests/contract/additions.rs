//! One test per version of the contract: a plugin built against that version, in Rust and in C, is loaded and used, and
//! its results are checked against the built-in ops or a formula.

use std::ffi::c_void;
use std::path::Path;
use std::sync::Arc;

use arenite::config::{DelegateConfig, PlannerConfig};
use arenite::{DeviceInfo, DeviceMemory, FactValue, Interpreter, Model, NodeProvider, Quota, Registry};
use arenite_abi::raw::ArPluginV1;
use arenite_abi::schema::AddOptions;
use arenite_abi::{ObjectRecord, UserData};
use arenite_model::writer::{Operator, bytes_of};
use arenite_tests::op_models::f32;
use arenite_tests::options::WithOptions;
use arenite_tests::reference_ops;

use crate::first_host::open;
use crate::fixtures::{SUM, X, custom, fixtures, model, run, run_with, served, squared_sum, sum};

macro_rules! source {
    ($name:literal) => {
        include_str!(concat!("../../plugins/contract/c/", $name, ".c"))
    };
}

fn built(builder: arenite::InterpreterBuilder) -> Interpreter {
    builder.build().expect("it builds")
}

/// The sum as computed by the built-in op.
fn by_the_op() -> Vec<Vec<f32>> {
    let y = run(&mut built(reference_ops(&sum(None))));
    assert_eq!(y, [SUM]);
    y
}

#[test]
fn contract_1_0() {
    for fixture in fixtures(source!("00_first")) {
        let mut op = built(fixture.builder(&custom("First")).threads(2));
        for calls in [0.0, 1.0, 2.0] {
            assert_eq!(run(&mut op), [X.map(|x| 2.0 * x + 1.0 + calls)], "{}", fixture.language);
        }
        let mut planned = built(fixture.builder(&sum(None)).planner("first"));
        assert_eq!(run(&mut planned), by_the_op(), "{}", fixture.language);
        assert_eq!(run(&mut fixture.delegated(&sum(None), "first")), by_the_op(), "{}", fixture.language);
    }
}

#[test]
fn subgraphs_and_resources() {
    for fixture in fixtures(source!("01_subgraphs")) {
        let mut interpreter = built(fixture.builder(&custom("Subgraphs")));
        for calls in [0.0, 1.0, 2.0] {
            assert_eq!(run(&mut interpreter), [X.map(|x| x.powi(4) + calls)], "{}", fixture.language);
        }
    }
}

/// `y = −tail(−x)`, and whether the tail was a view of the tensor before it.
fn tail() -> Model {
    model(|m, g| {
        let (x, a, b) = (g.input(f32("x", &[64])), g.tensor(f32("a", &[64])), g.tensor(f32("b", &[32])));
        let (shared, y) = (g.output(f32("shared", &[1])), g.output(f32("y", &[32])));
        let (neg, layout) = (m.builtin("NEG", 1), m.custom("Layout", 1));
        g.operator(Operator::new(neg, &[x], &[a]));
        g.operator(Operator::new(layout, &[a], &[b, shared]));
        g.operator(Operator::new(neg, &[b], &[y]));
    })
}

#[test]
fn views_of_tensors() {
    let x: Vec<f32> = (0..64u8).map(f32::from).collect();
    for fixture in fixtures(source!("02_layout")) {
        let mut interpreter = built(fixture.builder(&tail()));
        assert_eq!(run_with(&mut interpreter, &x), [vec![1.0], x[32..].to_vec()], "{}", fixture.language);
    }
}

#[test]
fn times_of_steps_and_constants() {
    for fixture in fixtures(source!("03_profile")) {
        let mut interpreter = fixture.delegated(&sum(None), "profile");
        assert_eq!(run(&mut interpreter), by_the_op(), "{}", fixture.language);
        interpreter.start_profile();
        assert_eq!(run(&mut interpreter), by_the_op(), "{}", fixture.language);
        let rows = interpreter.profile().expect("it was started").rows();
        let part = &rows[0].parts[0];
        assert_eq!((part.op.as_str(), part.total.as_nanos()), ("sum", 2000), "{}", fixture.language);
    }
}

#[test]
fn a_claim_that_looks_into_subgraphs() {
    for fixture in fixtures(source!("04_claim")) {
        let y = run(&mut built(reference_ops(&squared_sum())));
        assert_eq!(y, [SUM.map(|y| y * y)]);
        assert_eq!(run(&mut fixture.delegated(&squared_sum(), "claim")), y, "{}", fixture.language);
    }
}

/// `y = x + c + c`, with the constant of [`sum`].
fn two_sums() -> Model {
    model(|m, g| {
        let c = m.buffer(bytes_of(&[10f32, 20.0, 30.0, 40.0]));
        let (x, s, y) = (g.input(f32("x", &[4])), g.tensor(f32("s", &[4])), g.output(f32("y", &[4])));
        let c = g.tensor(f32("c", &[4]).buffer(c)); // after the others, so that it is no partition's first input
        let add = m.builtin("ADD", 1);
        g.operator(Operator::new(add, &[x, c], &[s]).with_options::<AddOptions>(|o| o));
        g.operator(Operator::new(add, &[s, c], &[y]).with_options::<AddOptions>(|o| o));
    })
}

#[test]
fn a_claim_that_asks_the_host_and_has_two_rounds() {
    for fixture in fixtures(source!("14_claim_with_host")) {
        let mut interpreter = fixture.delegated(&two_sums(), "claim-with-host");
        let y = [0, 1, 2, 3].map(|i| 2.0 * SUM[i] - X[i]);
        assert_eq!(run(&mut interpreter), [y], "{}", fixture.language);
        let second = NodeProvider::Delegate { name: "claim-with-host".into(), partition: 1 };
        assert_eq!(interpreter.served_by()[1], second, "{}", fixture.language);
    }
}

#[test]
fn compile_with_a_host_and_the_plan_of_a_kernel() {
    for fixture in fixtures(source!("05_compile")) {
        let mut interpreter = fixture.delegated(&squared_sum(), "compile");
        assert_eq!(run(&mut interpreter), [SUM.map(|y| y * y)], "{}", fixture.language);
        let plans = interpreter.detailed_plan(0);
        let mut told = plans.iter().flat_map(|plan| plan.names.iter().zip(&plan.memory.records));
        let half = told.find(|(name, _)| name.as_deref() == Some("half of it"));
        assert_eq!(half.expect("the kernel reported the buffer").1.size, 128, "{}", fixture.language);
    }
}

#[test]
fn parts_with_user_data() {
    for fixture in fixtures(source!("06_user_data")) {
        let entry = if fixture.language == "C" { fixture.entry } else { "contract_user_data" };
        let plugin: &ArPluginV1 = open(&fixture.path, entry);
        let mut data = Box::new([3.0f32, 0.0, 5.0]);
        let mut registry = Registry::with_static_plugins().expect("they are linked in");
        // SAFETY: the library stays loaded and its registrations are statics; the data outlives the registry and its
        // interpreters, which stay on this thread.
        unsafe {
            let [op, planner, delegate] =
                data.each_mut().map(|float| UserData::new(std::ptr::from_mut(float).cast::<c_void>(), None));
            registry.add_raw_op(plugin.ops, op).expect("the op has room for user data");
            registry.add_raw_planner(plugin.planners, planner).expect("the entry accepts user data");
            registry.add_raw_delegate(plugin.delegates, delegate).expect("the entry accepts user data");
        }
        let registry = Arc::new(registry);
        let builder = |model: &Model| reference_ops(model).registry(Arc::clone(&registry));
        assert_eq!(
            run(&mut built(builder(&custom("UserData")))),
            [X.map(|x| 3.0 * x)],
            "{}",
            fixture.language
        );
        let mut delegated = built(builder(&sum(None)).delegate(DelegateConfig::new("user-data")));
        assert_eq!(run(&mut delegated), [SUM.map(|y| y + 5.0)], "{}", fixture.language);
        let mut planned = built(builder(&sum(None)).planner("user-data"));
        assert_eq!(run(&mut planned), by_the_op(), "{}", fixture.language);
        drop((delegated, planned, registry));
        assert!(data[1] >= 1.0, "{}: the planner counts its calls", fixture.language);
    }
}

#[test]
fn a_delegate_that_answers_for_an_unknown_op() {
    for fixture in fixtures(source!("07_vouch")) {
        let unknown = sum(Some("Vouch"));
        assert_eq!(run(&mut fixture.delegated(&unknown, "vouch")), by_the_op(), "{}", fixture.language);
        let other = sum(Some("Other"));
        let mut refused = built(fixture.builder(&other).delegate(DelegateConfig::new("vouch")));
        let error = refused.allocate().expect_err("no plugin serves the op").to_string();
        assert!(error.contains("Other"), "{}: {error}", fixture.language);
    }
}

#[test]
fn memory_that_kernels_hold() {
    for fixture in fixtures(source!("08_memory")) {
        let mut interpreter = fixture.delegated(&sum(None), "memory");
        assert_eq!(run(&mut interpreter), by_the_op(), "{}", fixture.language);
        assert_eq!(interpreter.memory_use().delegates, 1000, "{}", fixture.language);
        let quota = Quota { bytes: (1 << 16) + 900, ..Quota::default() };
        let builder = fixture.builder(&sum(None)).delegate(DelegateConfig::new("memory")).quota(quota);
        let mut small = built(builder);
        assert_eq!(run(&mut small), by_the_op(), "{}", fixture.language);
        let reason = &small.left_out()[0].reason;
        assert!(reason.contains("what delegate 'memory' holds needs"), "{}: {reason}", fixture.language);
    }
}

#[test]
fn shared_objects() {
    for fixture in fixtures(source!("09_objects")) {
        let records = [ObjectRecord::bytes(16, 0, 1), ObjectRecord::bytes(48, 2, 3)];
        let found = fixture.registry().assign(&PlannerConfig::new("objects"), 1, &records, None);
        let found = found.expect("the records do not overlap in time");
        assert_eq!((found.ids, found.sizes), (vec![0, 0], vec![[48, 1, 1]]), "{}", fixture.language);
        assert_eq!(run(&mut fixture.delegated(&sum(None), "objects")), by_the_op(), "{}", fixture.language);
    }
}

#[test]
fn devices() {
    let listed = DeviceInfo {
        name: "Frozen".into(),
        driver: "Example 1".into(),
        kind: "gpu".into(),
        memory: Some(4096),
        limits: vec![("image".into(), "16".into())],
    };
    for fixture in fixtures(source!("10_devices")) {
        let all = fixture.registry().devices();
        let own = all.iter().find(|of| of.delegate == "devices").expect("it lists devices");
        assert_eq!(
            own.devices.as_ref().expect("the driver is installed"),
            std::slice::from_ref(&listed),
            "{}",
            fixture.language
        );
        let mut interpreter = fixture.delegated(&sum(None), "devices");
        for runs in [1, 2] {
            assert_eq!(run(&mut interpreter), by_the_op(), "{}", fixture.language);
            let facts = interpreter.facts();
            let told: Vec<_> =
                facts[0].facts.iter().map(|fact| (fact.key.as_str(), fact.value.clone())).collect();
            let (count, name) = (FactValue::Number(runs, String::new()), FactValue::Text("Frozen".into()));
            assert_eq!(told, [("runs", count), ("device", name)], "{}", fixture.language);
        }
        assert_eq!(interpreter.memory_use().device, 16, "{}", fixture.language);
        served(&interpreter, "devices");
    }
}

#[test]
fn sizes() {
    for fixture in fixtures(source!("11_sizes")) {
        let mut interpreter = built(fixture.builder(&custom("Sizes")));
        assert_eq!(run(&mut interpreter), [X.map(|x| x + 11.0)], "{}", fixture.language);
    }
}

#[test]
fn a_delegate_queries_op_schemas_from_the_host() {
    for fixture in fixtures(source!("12_op_schemas")) {
        let mut interpreter = fixture.delegated(&sum(None), "op-schemas");
        assert_eq!(run(&mut interpreter), by_the_op(), "{}", fixture.language);
    }
}

/// `y = −(−(−x))`.
fn chain() -> Model {
    model(|m, g| {
        let (x, a, b) = (g.input(f32("x", &[4])), g.tensor(f32("a", &[4])), g.tensor(f32("b", &[4])));
        let y = g.output(f32("y", &[4]));
        let neg = m.builtin("NEG", 1);
        for (from, to) in [(x, a), (a, b), (b, y)] {
            g.operator(Operator::new(neg, &[from], &[to]));
        }
    })
}

#[test]
fn values_stay_readable_with_a_planner_that_shares_no_memory() {
    let chain = chain();
    for fixture in fixtures(source!("13_no_sharing")) {
        let builder = |planner: &str| fixture.builder(&chain).planner(planner);
        let mut kept = built(builder("no-sharing"));
        assert_eq!(run(&mut kept), [X.map(|x| -x)], "{}", fixture.language);
        let mut all = built(builder("no-sharing").preserve_all());
        assert_eq!(run(&mut all), [X.map(|x| -x)], "{}", fixture.language);
        let mut shared = built(builder("portfolio"));
        assert_eq!(run(&mut shared), [X.map(|x| -x)], "{}", fixture.language);
        let arena = |interpreter: &Interpreter| interpreter.memory_use().arena;
        assert_eq!(arena(&kept), arena(&all), "{}", fixture.language);
        assert!(arena(&kept) > arena(&shared), "{}", fixture.language);
    }
}

/// Device memory is bound to an input, to an output, and to both. The delegate counts its bindings.
#[test]
fn a_program_binds_memory_to_tensors() {
    for fixture in fixtures(source!("15_bind")) {
        let (mut x, mut y) = (vec![0.0f32, 0.0].into_iter().chain(X).collect::<Vec<f32>>(), [0f32; 4]);
        let memory = |floats: &mut [f32], offset| DeviceMemory {
            delegate: "bind".into(),
            object: floats.as_mut_ptr() as usize as u64,
            offset,
            bytes: 16,
        };
        let (x, y_memory) = (memory(&mut x, 8), memory(&mut y, 0));
        let mut interpreter = fixture.delegated(&sum(None), "bind");
        let (first, last) =
            (interpreter.inputs_of(0).expect("one")[0], interpreter.outputs_of(0).expect("one")[0]);
        let bound =
            |interpreter: &mut Interpreter| interpreter.device_object("bind", "bound").expect("a count");
        // SAFETY: the vectors live as long as the interpreter.
        unsafe {
            interpreter.bind_device_memory(0, first as usize, &x).expect("it is bound");
            interpreter.invoke().expect("it runs");
            let out = interpreter.output(0).and_then(|y| y.as_slice::<f32>().map(<[f32]>::to_vec));
            assert_eq!(out.expect("it is on the host"), SUM, "{}", fixture.language);
            interpreter.bind_device_memory(0, last as usize, &y_memory).expect("it is bound");
        }
        assert_eq!(bound(&mut interpreter), 2, "{}", fixture.language);
        interpreter.invoke().expect("it runs");
        assert_eq!(y, SUM, "{}", fixture.language);
        for index in [first, last] {
            assert!(interpreter.unbind_device_memory(0, index as usize).expect("it exists"));
            assert!(!interpreter.unbind_device_memory(0, index as usize).expect("it exists"));
        }
        assert_eq!(bound(&mut interpreter), 0, "{}", fixture.language);
        assert_eq!(run(&mut interpreter), by_the_op(), "{}", fixture.language);
    }
}

/// The concatenated text of all files in a folder of the fixtures.
fn sources(folder: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins/contract").join(folder);
    let files = std::fs::read_dir(folder).expect("it exists").map(|file| file.expect("it is listed").path());
    files.map(|path| std::fs::read_to_string(path).expect("it is text")).collect()
}

#[test]
fn an_op_counts_its_runs_in_a_resource() {
    for fixture in fixtures(source!("17_resource_memory")) {
        let mut interpreter = built(fixture.builder(&custom("CountsRuns")));
        for runs in [0.0, 1.0, 2.0] {
            assert_eq!(run(&mut interpreter), [X.map(|x| x + runs)], "{}", fixture.language);
        }
    }
}

#[test]
fn every_interface_has_a_fixture_in_both_languages() {
    let numbers = include_str!("../../../core/abi/src/numbers.rs");
    let interfaces: Vec<&str> =
        numbers.lines().filter_map(|line| line.strip_prefix("pub const INTERFACE_")).collect();
    let (c, rust) = (sources("c"), sources("src"));
    assert!(interfaces.len() >= 20, "{interfaces:?}");
    for interface in interfaces {
        let name = interface.split(':').next().unwrap_or_default();
        let used = c.matches(&format!("AR_INTERFACE_{name}")).count();
        assert!(
            used >= 2,
            "tests/plugins/contract/c has no fixture that defines and uses AR_INTERFACE_{name}"
        );
        assert!(
            rust.contains(&format!("const {interface}")),
            "tests/plugins/contract/src has no fixture for {interface}"
        );
    }
}

/// The state of a custom op in the C file of an embedded model, for machines with 32-bit and 64-bit pointers.
#[test]
fn an_op_writes_its_state_for_another_machine() {
    use arenite_micro::{EmbeddableOp, Embedding, Planner, PointerWidth, Sources};
    let model = custom("Embed");
    for fixture in fixtures(source!("16_embed")) {
        assert_eq!(run(&mut built(fixture.builder(&model))), [X.map(|x| 3.0 * x)], "{}", fixture.language);
        let ops = fixture.registry().custom_ops();
        let op = ops.into_iter().find(|op| op.name() == "Embed").expect("the fixture has this op");
        for (width, bytes) in [(PointerWidth::Bits32, 4), (PointerWidth::Bits64, 8)] {
            let ops = [EmbeddableOp::of_plugin(op)];
            let view = model.view();
            let mut aligned = vec![0u128; view.bytes().len().div_ceil(16)];
            let file = &mut bytemuck::cast_slice_mut::<_, u8>(&mut aligned)[..view.bytes().len()];
            file.copy_from_slice(view.bytes());
            let made = Embedding::new(width, file, &ops, &mut |records| Planner::Greedy.place(records));
            let [_, source] =
                made.expect("it can be embedded").to_c(&Sources { name: "m", title: "m", states: 0 });
            let state = format!("state_0[] = {{\n    0x40400000, {bytes:#x},\n}};");
            assert!(source.text.contains(&state), "{}: {}", fixture.language, source.text);
            assert!(
                source.text.contains("{fixture_scale, &no_buffers, &nodes[0].node, state_0}"),
                "{}",
                source.text
            );
        }
    }
}
