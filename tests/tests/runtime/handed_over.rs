//! Ops, planners and delegates that the program registers, with user data.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arenite::abi::object::{OpObject, closures};
use arenite::config::DelegateConfig;
use arenite::{Config, Interpreter, Model, NodeProvider, OpKey, Origin, PROGRAM, Registry};
use arenite_abi::prelude::*;

use crate::models::{f32s, message, model, negation, node, output};

/// Counts drops.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn counter() -> (Arc<AtomicUsize>, Counted) {
    let count = Arc::new(AtomicUsize::new(0));
    (Arc::clone(&count), Counted(count))
}

/// `y = factor · x`. The factor is stored in the op, the number of elements in each node.
struct Scale {
    factor: f32,
    _count: Option<Counted>,
    nodes: Arc<()>,
}

struct ScaledNode {
    elements: usize,
    _one: Arc<()>,
}

impl OpObject for Scale {
    type Node = ScaledNode;

    fn types(&self) -> ElementTypes {
        ElementTypes::of(&[F32])
    }

    fn sharing(&self) -> Sharing {
        Sharing::InPlace
    }

    fn prepare(&self, node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<ScaledNode> {
        let (x, _) = node.unary()?;
        cx.set_output_shape(0, x.shape)?;
        cx.allow_in_place(0, 0)?;
        let elements = x.shape.iter().product::<i32>() as usize;
        Ok(ScaledNode { elements, _one: Arc::clone(&self.nodes) })
    }

    fn eval(&self, node: &ScaledNode, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, y) = (cx.input_cells::<f32>(0)?, cx.output_cells::<f32>(0)?);
        ensure!(y.len() == node.elements, "y has {} elements, expected {}", y.len(), node.elements);
        y.iter().zip(x.iter()).for_each(|(y, x)| y.set(self.factor * x));
        Ok(())
    }
}

fn times(factor: f32) -> Scale {
    Scale { factor, _count: None, nodes: Arc::default() }
}

fn counted(factor: f32, count: Counted) -> Scale {
    Scale { _count: Some(count), ..times(factor) }
}

/// `y = Scale(Scale(x))`
fn scaled_twice() -> Model {
    model(|m, g| {
        let (x, a) = (g.input(f32s("x", &[2])), g.tensor(f32s("a", &[2])));
        let y = g.output(f32s("y", &[2]));
        node(m, g, "Scale", &[x], a);
        node(m, g, "Scale", &[a], y);
    })
}

/// The linked-in plugins and the registrations of `add`.
fn registry(add: impl FnOnce(&mut Registry)) -> Registry {
    let mut registry = Registry::new();
    add(&mut registry);
    registry.add_static_plugins().expect("they are linked in");
    registry
}

fn interpreter(model: &Model, registry: Registry) -> Interpreter {
    let builder = Interpreter::builder(model).without_default_delegate().registry(Arc::new(registry));
    builder.build().expect("it builds")
}

fn run(interpreter: &mut Interpreter, x: &[f32]) -> Vec<f32> {
    interpreter.allocate().expect("it allocates");
    interpreter.input_mut(0).and_then(|input| input.copy_from_slice(x)).expect("it fits");
    interpreter.invoke().expect("it runs");
    output(interpreter, 0).1
}

#[test]
fn an_op_with_data_serves_all_its_nodes() {
    let mut interpreter =
        interpreter(&scaled_twice(), registry(|r| r.add_op("Scale", 1..=1, times(3.0)).unwrap()));
    assert_eq!(run(&mut interpreter, &[1.0, -2.0]), [9.0, -18.0]);
    interpreter.resize_input(0, &[3]).unwrap();
    assert_eq!(run(&mut interpreter, &[1.0, 0.0, 2.0]), [9.0, 0.0, 18.0]);
    assert_eq!(interpreter.served_by(), vec![NodeProvider::Plugin(PROGRAM.into()); 2]);
}

#[test]
fn closures_are_an_op() {
    let calls = Arc::new(AtomicUsize::new(0));
    let (seen, offset) = (Arc::clone(&calls), 0.5f32);
    let op = closures(
        |node, cx| {
            let (x, _) = node.unary()?;
            cx.set_output_shape(0, x.shape)?;
            Ok(x.shape.len())
        },
        move |&rank: &usize, cx| {
            seen.fetch_add(rank, Ordering::SeqCst);
            let (x, y) = (cx.input(0)?, cx.output(0)?.into_slice::<f32>()?);
            y.iter_mut().zip(x.as_slice::<f32>()?).for_each(|(y, x)| *y = x + offset);
            Ok(())
        },
    );
    let registry = registry(|r| r.add_op("Scale", 1..=1, op).unwrap());
    assert_eq!(run(&mut interpreter(&scaled_twice(), registry), &[1.0, 2.0]), [2.0, 3.0]);
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}

#[test]
fn registrations_of_the_program_are_listed_as_a_plugin() {
    let registry = registry(|r| {
        r.add_op("Scale", 1..=2, times(1.0)).unwrap();
        r.add_op(OpKey::Builtin(op::NEG), 1..=1, times(-1.0)).unwrap();
    });
    let program = &registry.plugins()[0];
    assert_eq!((program.id.as_str(), &program.origin), (PROGRAM, &Origin::Program));
    assert_eq!(program.origin.to_string(), "handed over by the program");
    let ops: Vec<_> = program.ops.iter().map(|op| (op.key.name(), op.versions, op.in_place)).collect();
    assert_eq!(ops, [("Scale".into(), (1, 2), true), ("NEG".into(), (1, 1), true)]);
}

/// The first registration wins, unless the configuration prefers another one.
#[test]
fn the_first_of_two_ops_wins_and_the_other_is_listed() {
    let add = |r: &mut Registry| r.add_op(OpKey::Builtin(op::NEG), 1..=2, times(10.0)).unwrap();
    let reference = "org.arenite.ops";
    let first = registry(add);
    let contested = first.contested_ops();
    assert_eq!(contested.len(), 1);
    assert_eq!(
        (contested[0].key.name(), &contested[0].plugins[..]),
        ("NEG".into(), &[PROGRAM.to_owned(), reference.to_owned()][..])
    );
    let mut first = interpreter(&negation(&[2]), first);
    assert_eq!(run(&mut first, &[1.0, 2.0]), [10.0, 20.0]);
    assert_eq!(first.candidates(0), [PROGRAM, reference]);

    let mut behind = registry(|_| {});
    add(&mut behind);
    let mut second = interpreter(&negation(&[2]), behind);
    assert_eq!(run(&mut second, &[1.0, 2.0]), [-1.0, -2.0]);
    assert_eq!(second.candidates(0), [reference, PROGRAM]);

    let config: Config = "schema = 1\n[ops.NEG]\nprefer = [\"program\"]".parse().unwrap();
    let mut preferred = Registry::discover(&config).unwrap();
    add(&mut preferred);
    assert_eq!(run(&mut interpreter(&negation(&[2]), preferred), &[1.0, 2.0]), [10.0, 20.0]);
}

#[test]
fn a_refused_op_registers_nothing_and_frees_its_data() {
    let mut registry = Registry::new();
    registry.add_op("Scale", 1..=2, times(1.0)).unwrap();
    let (dropped, count) = counter();
    let add = |registry: &mut Registry, name: &str, versions| {
        message(registry.add_op(name, versions, counted(1.0, Counted(Arc::clone(&count.0)))))
    };
    for (name, versions, wanted) in [
        (
            "Scale",
            2..=3,
            "op 'Scale' is not registered: it has versions 2 to 3, and the program handed over an op with versions 1 to 2 \
             before, which serves some of the same nodes",
        ),
        ("Scale", RangeInclusive::new(5, 4), "op 'Scale' is not registered: Scale has versions 5 to 4"),
        (
            "",
            1..=1,
            "op is not registered: a custom op's name is \"\"; it must be printable, of 1 to 256 bytes",
        ),
    ] {
        assert_eq!(add(&mut registry, name, versions), wanted);
    }
    let number = message(registry.add_op(OpKey::Builtin(-3), 1..=1, times(1.0)));
    assert_eq!(number, "op 'builtin op -3' is not registered: an op has builtin code -3");
    assert_eq!(registry.plugins()[0].ops.len(), 1);
    assert_eq!(dropped.load(Ordering::SeqCst), 3);
    // Other versions and other ops are accepted.
    registry.add_op("Scale", 3..=3, times(1.0)).unwrap();
    let mut empty = Registry::new();
    message(empty.add_op("", 1..=1, times(1.0)));
    assert!(empty.plugins().is_empty());
}

fn failing(eval: impl Fn() -> Result<()> + Send + Sync + 'static) -> Interpreter {
    let op = closures(|node, cx| cx.set_output_shape(0, node.unary()?.0.shape), move |(), _| eval());
    interpreter(&scaled_twice(), registry(|r| r.add_op("Scale", 1..=1, op).unwrap()))
}

#[test]
fn faults_name_op_and_node() {
    let mut fails = failing(|| Err(invalid!("the sensor gave 7 of 8 values")));
    fails.allocate().unwrap();
    let error = "Scale (node 0, output 'a'): the sensor gave 7 of 8 values";
    assert_eq!(message(fails.invoke()), error);
    assert_eq!(message(fails.invoke()), error);

    let mut panics = failing(|| panic!("no value in slot {}", 3));
    panics.allocate().unwrap();
    let error = "Scale (node 0, output 'a'): the plugin panicked (no value in slot 3); this instance is not used again";
    assert_eq!(message(panics.invoke()), error);
    assert!(message(panics.invoke()).contains("call allocate() for a new instance"));

    type Prepare = fn(&NodeView<'_>, &mut PrepareContext<'_>) -> Result<()>;
    let refused = |prepare: Prepare| {
        let op = closures(prepare, |(), _| Ok(()));
        message(interpreter(&scaled_twice(), registry(|r| r.add_op("Scale", 1..=1, op).unwrap())).allocate())
    };
    let negative = refused(|_, cx| cx.set_output_shape(0, &[2, -1]));
    assert!(
        negative.starts_with("Scale (node 0, output 'a'): ") && negative.contains("[2, -1]"),
        "{negative}"
    );
    let none = refused(|_, _| Ok(()));
    assert_eq!(
        none,
        "Scale (node 0, output 'a'): `prepare` set no shape for output 0; this is a bug in the plugin"
    );
    let panicked = refused(|_, _| panic!("no file"));
    let error = "Scale (node 0, output 'a'): the plugin panicked (no file); this instance is not used again";
    assert_eq!(panicked, error);
}

#[test]
fn a_wrong_shape_is_refused_by_the_node_that_reads_it() {
    let model = model(|m, g| {
        let (x, a) = (g.input(f32s("x", &[2])), g.tensor(f32s("a", &[2])));
        let y = g.output(f32s("y", &[2]));
        node(m, g, "Scale", &[x], a);
        node(m, g, "ADD", &[a, x], y);
    });
    let op = closures(|_, cx| cx.set_output_shape(0, &[5]), |(), _| Ok(()));
    let registry = registry(|r| r.add_op("Scale", 1..=1, op).unwrap());
    let error = message(interpreter(&model, registry).allocate());
    assert!(error.starts_with("ADD (node 1, output 'y'): "), "{error}");
    assert!(error.contains("[5]") && error.contains("[2]"), "{error}");
}

#[test]
fn an_interpreter_keeps_its_ops_alive_and_each_is_dropped_once() {
    let (dropped, count) = counter();
    let scale = counted(2.0, count);
    let nodes = Arc::clone(&scale.nodes);
    let registry = Arc::new(registry(|r| r.add_op("Scale", 1..=1, scale).unwrap()));
    let build = || Interpreter::builder(&scaled_twice()).registry(Arc::clone(&registry)).build().unwrap();
    let (mut first, mut second) = (build(), build());
    drop(registry);
    assert_eq!(run(&mut first, &[1.0, 2.0]), [4.0, 8.0]);
    assert_eq!(run(&mut second, &[0.5, 2.0]), [2.0, 8.0]);
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    let thread = std::thread::spawn(move || {
        assert_eq!(run(&mut second, &[1.0, 1.0]), [4.0, 4.0]);
        drop(second);
    });
    thread.join().unwrap();
    assert_eq!(run(&mut first, &[1.0, 2.0]), [4.0, 8.0]);
    // One reference here, one in the op, two in nodes.
    assert_eq!((dropped.load(Ordering::SeqCst), Arc::strong_count(&nodes)), (0, 4));
    drop(first);
    assert_eq!((dropped.load(Ordering::SeqCst), Arc::strong_count(&nodes)), (1, 1));
}

#[test]
fn registries_share_registrations() {
    let (dropped, count) = counter();
    let mut own = Registry::new();
    own.add_op("Scale", 1..=1, counted(2.0, count)).unwrap();
    let registry = registry(|r| r.add_handed_over(&own).unwrap());
    let again = message(registry_of(&own).add_handed_over(&own));
    assert!(again.starts_with("op 'Scale' is not registered: it has versions 1 to 1"), "{again}");
    drop(own);
    let mut interpreter = interpreter(&scaled_twice(), registry);
    assert_eq!(run(&mut interpreter, &[1.0, 2.0]), [4.0, 8.0]);
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    drop(interpreter);
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

fn registry_of(other: &Registry) -> Registry {
    let mut registry = Registry::new();
    registry.add_handed_over(other).unwrap();
    registry
}

/// Places buffers in sequence, separated by `gap` bytes.
fn stacked(gap: u64) -> impl Fn(&PlanRequest<'_>, &mut AssignmentMut<'_>) -> Result<()> {
    move |request, assignment| {
        request.options.expect_only(&[])?;
        let mut end = 0;
        for (record, offset) in request.records.iter().zip(assignment.offsets()) {
            *offset = record.fixed().unwrap_or(end);
            end = (*offset + record.size + gap).next_multiple_of(64);
        }
        Ok(())
    }
}

#[test]
fn a_planner_with_data() {
    let (dropped, count) = counter();
    let plan = stacked(640);
    let registry = registry(|r| {
        r.add_planner("stacked", move |request, assignment| {
            let _ = &count;
            plan(request, assignment)
        })
        .unwrap();
    });
    assert!(registry.planner_names().contains(&"stacked".to_owned()));
    let model = model(|m, g| {
        let (x, a) = (g.input(f32s("x", &[2])), g.tensor(f32s("a", &[2])));
        let y = g.output(f32s("y", &[2]));
        node(m, g, "SIN", &[x], a);
        node(m, g, "CONCATENATION", &[a, x], y);
    });
    let builder = Interpreter::builder(&model).without_default_delegate().planner("stacked");
    let mut interpreter = builder.registry(Arc::new(registry)).build().unwrap();
    interpreter.allocate().unwrap();
    assert!(interpreter.memory_plan()[0].plan.total_bytes > 640);
    drop(interpreter);
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[test]
fn faults_of_a_planner() {
    let build = |registry: Registry| {
        let builder = Interpreter::builder(&negation(&[2])).planner("own").registry(Arc::new(registry));
        message(builder.build().and_then(|mut interpreter| interpreter.allocate()))
    };
    let panics = build(registry(|r| r.add_planner("own", |_, _| panic!("no plan")).unwrap()));
    assert!(panics.starts_with("planner 'own': the plugin panicked (no plan)"), "{panics}");
    let wrong = build(registry(|r| {
        let plan = |request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>| {
            assignment.offsets().fill(1);
            ensure!(request.records.len() < 100, "too many");
            Ok(())
        };
        r.add_planner("own", plan).unwrap();
    }));
    assert_eq!(wrong, "planner 'own': record 0 'x' is at offset 1, not a multiple of 64");
}

/// Refuses all nodes with the text that it was created with.
struct Shy(String, #[expect(dead_code, reason = "only its drop matters")] Counted);

struct NoKernel;

impl Delegate for Shy {
    const NAME: &'static str = "a name that is not used";
    type Kernel = NoKernel;

    fn create(_: &OptionPairs<'_>) -> Result<Self> {
        Err(invalid!("the program's function makes it"))
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        (0..graph.node_count()).for_each(|node| claims.refuse(node, &self.0));
        Ok(())
    }

    fn compile(&self, _: &PartitionView<'_>) -> Result<NoKernel> {
        Err(invalid!("it claims no nodes"))
    }
}

impl DelegateKernel for NoKernel {
    fn prepare(&mut self, _: &PartitionView<'_>, _: &mut PrepareContext<'_>) -> Result<()> {
        Ok(())
    }

    fn invoke(&mut self, _: &PartitionView<'_>, _: &mut EvalContext<'_>) -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_delegate_with_data() {
    let (dropped, count) = counter();
    let registry = Arc::new(registry(|r| {
        let create = move |options: &OptionPairs<'_>| {
            options.expect_only(&["tone"])?;
            let tone = options.get("tone").unwrap_or("politely");
            Ok(Shy(format!("no, {tone}"), Counted(Arc::clone(&count.0))))
        };
        r.add_delegate("shy", create).unwrap();
    }));
    let build = |options: &[(&str, &str)]| {
        let mut delegate = DelegateConfig::new("shy");
        delegate.options = options.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
        let builder = Interpreter::builder(&negation(&[2])).without_default_delegate();
        builder.delegate(delegate).registry(Arc::clone(&registry)).build().unwrap()
    };
    let mut interpreter = build(&[("tone", "firmly")]);
    assert_eq!(run(&mut interpreter, &[1.0, 2.0]), [-1.0, -2.0]);
    assert_eq!(interpreter.refusals()[0], [("shy".to_owned(), "no, firmly".to_owned())]);
    let error = message(build(&[("tune", "low")]).allocate());
    assert_eq!(error, "delegate 'shy': unknown option 'tune'; known: tone");
    drop(registry);
    assert_eq!(run(&mut interpreter, &[3.0, 2.0]), [-3.0, -2.0]);
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    drop(interpreter);
    // The instance and its factory.
    assert_eq!(dropped.load(Ordering::SeqCst), 2);
}

#[test]
fn names_of_planners_and_delegates_are_free_and_printable() {
    let mut registry = registry(|_| {});
    let (planners, delegates) = (registry.planner_names(), registry.delegate_names());
    let plan = |registry: &mut Registry, name: &str| message(registry.add_planner(name, |_, _| Ok(())));
    assert_eq!(
        plan(&mut registry, "arena"),
        "planner 'arena' is not registered: org.arenite.planners has a planner of this name; choose another"
    );
    assert_eq!(
        plan(&mut registry, "a\nb"),
        "planner 'a\\nb' is not registered: its name is \"a\\nb\"; it must be printable, of 1 to 256 bytes"
    );
    let delegate = |registry: &mut Registry, name: &str| {
        let (_, count) = counter();
        let create = move |_: &OptionPairs<'_>| Ok(Shy(String::new(), Counted(Arc::clone(&count.0))));
        registry.add_delegate(name, create)
    };
    assert_eq!(
        message(delegate(&mut registry, "cpu")),
        "delegate 'cpu' is not registered: org.arenite.cpu has a delegate of this name; choose another"
    );
    assert_eq!((registry.planner_names(), registry.delegate_names()), (planners, delegates));
    delegate(&mut registry, "shy").unwrap();
    assert_eq!(
        message(delegate(&mut registry, "shy")),
        "delegate 'shy' is not registered: the program handed over a delegate of this name before"
    );
}
