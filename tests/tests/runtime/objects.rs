//! Shared objects by planner name: assigned by the registry, and queried by a delegate's kernel in `prepare`.

use std::sync::{Arc, Mutex};

use arenite::config::PlannerConfig;
use arenite::{Config, Interpreter, Registry, SharedObjects};
use arenite_abi::prelude::*;
use arenite_abi::{ObjectRecord, Readers};

use crate::models::{message, negation};

fn registry() -> Registry {
    Registry::discover(&Config::default()).expect("the built-in plugins")
}

fn assign(
    planner: &str,
    extents: usize,
    records: &[ObjectRecord],
    readers: Option<Readers<'_>>,
) -> arenite::Result<SharedObjects> {
    registry().assign(&PlannerConfig::new(planner), extents, records, readers)
}

/// Problems of memory_management_test.cc.
fn chain() -> Vec<ObjectRecord> {
    [(16, 0, 1), (8, 1, 2), (64, 2, 3), (32, 3, 4), (8, 4, 5)]
        .map(|(n, a, b)| ObjectRecord::bytes(n, a, b))
        .to_vec()
}

fn lives(sizes: [[u64; 3]; 9]) -> Vec<ObjectRecord> {
    let lives = [(0, 1), (1, 2), (2, 4), (3, 5), (4, 5), (5, 7), (6, 8), (7, 8), (8, 9)];
    sizes.iter().zip(lives).map(|(&size, (first, last))| ObjectRecord::new(size, first, last)).collect()
}

fn textures() -> Vec<ObjectRecord> {
    lives([[2, 8], [2, 8], [1, 12], [2, 8], [8, 2], [2, 8], [1, 8], [2, 8], [4, 1]].map(|[x, y]| [x, y, 1]))
}

fn volumes() -> Vec<ObjectRecord> {
    lives([[1, 2, 8], [4, 3, 2], [1, 1, 1], [2, 4, 1], [2, 2, 2], [8, 1, 2], [1, 2, 1], [1, 1, 1], [2, 2, 2]])
}

/// The expected results of TensorFlow Lite's own tests.
#[test]
fn planners_assign_objects_by_name() {
    let flat = |sizes: &[u64]| sizes.iter().map(|&n| [n, 1, 1]).collect::<Vec<_>>();
    for (planner, extents, records, ids, sizes) in [
        ("naive", 1, chain(), vec![0, 1, 2, 3, 4], flat(&[16, 8, 64, 32, 8])),
        ("equality", 1, chain(), vec![0, 1, 2, 3, 1], flat(&[16, 8, 64, 32])),
        ("equality-vector", 1, chain(), vec![0, 1, 2, 3, 1], flat(&[16, 8, 64, 32])),
        ("greedy-in-order", 1, chain(), vec![0, 1, 0, 1, 0], flat(&[64, 32])),
        ("greedy-by-size", 1, chain(), vec![0, 1, 0, 1, 0], flat(&[64, 32])),
        ("greedy-by-breadth", 1, chain(), vec![0, 1, 0, 1, 0], flat(&[64, 32])),
        ("min-cost-flow", 1, chain(), vec![0, 1, 0, 1, 0], flat(&[64, 32])),
        (
            "greedy-in-order",
            2,
            textures(),
            vec![0, 1, 2, 0, 3, 1, 2, 0, 3],
            vec![[2, 8, 1], [2, 8, 1], [1, 12, 1], [8, 2, 1]],
        ),
        (
            "greedy-in-order",
            3,
            volumes(),
            vec![0, 1, 0, 2, 1, 3, 2, 0, 1],
            vec![[1, 2, 8], [4, 3, 2], [2, 4, 1], [8, 1, 2]],
        ),
    ] {
        let found = assign(planner, extents, &records, None).expect(planner);
        assert_eq!(found, SharedObjects { ids, sizes }, "{planner}, {extents} extents");
    }
}

/// The chain's nodes may run in any order that respects dependencies: a tensor can reuse the object of one at least two
/// nodes before it.
#[test]
fn nodes_in_any_order() {
    let readers = Readers::new(&[0, 1, 2, 3, 4, 4], &[1, 2, 3, 4]).unwrap();
    let found = assign("greedy-in-order", 1, &chain(), Some(readers)).unwrap();
    assert_eq!(found, SharedObjects { ids: vec![0, 1, 0, 1, 0], sizes: vec![[64, 1, 1], [32, 1, 1]] });
    assert_eq!(assign("naive", 1, &chain(), Some(readers)).unwrap().ids, [0, 1, 2, 3, 4]);
}

#[test]
fn refusals() {
    let refusal = |planner: &str, extents, records: &[ObjectRecord]| {
        message(assign(planner, extents, records, None).map(drop))
    };
    let error = refusal("portfolio", 1, &chain());
    assert!(
        error.starts_with(
            "planner 'portfolio': it hands out no shared objects; those that do: equality, equality-vector, "
        ),
        "{error}"
    );
    assert_eq!(
        refusal("greedy-by-size", 2, &textures()),
        "planner 'greedy-by-size': it supports only records of one extent, these have 2"
    );
    assert_eq!(
        refusal("naive", 1, &textures()),
        "planner 'naive': record 0 has more than 1 extents: [2, 8, 1]"
    );
    assert_eq!(
        refusal("naive", 4, &textures()),
        "planner 'naive': records must have one to three extents, not 4"
    );
    assert!(refusal("nobody", 1, &chain()).contains("nobody"));
    let readers = Readers::new(&[0, 0, 0, 0, 0, 0], &[]).unwrap();
    assert_eq!(
        message(assign("equality", 1, &chain(), Some(readers)).map(drop)),
        "planner 'equality': it only supports nodes that run in order; for any order use naive, or greedy-in-order with one extent"
    );
    assert!(Readers::new(&[0, 2, 1], &[0]).is_err() && Readers::new(&[0, 1], &[1]).is_err());
}

/// The answers that a kernel received, per planner name.
type Told = Arc<Mutex<Vec<String>>>;

/// Claims all nodes, and queries objects from these planners.
struct Asks(Told);

struct AsksKernel(Told);

impl Delegate for Asks {
    const NAME: &'static str = "asks";
    type Kernel = AsksKernel;

    fn create(_: &OptionPairs<'_>) -> Result<Self> {
        Err(invalid!("the program's function makes it"))
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        (0..graph.node_count()).for_each(|node| claims.accept(node));
        Ok(())
    }

    fn compile(&self, _: &PartitionView<'_>) -> Result<AsksKernel> {
        Ok(AsksKernel(Arc::clone(&self.0)))
    }
}

impl DelegateKernel for AsksKernel {
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()> {
        let output = partition.graph().tensor(partition.outputs()[0] as usize)?;
        cx.set_output_shape(0, output.shape)?;
        let records = textures();
        for planner in ["", "greedy-in-order", "naive", "nobody"] {
            let (mut ids, mut sizes) = ([0; 9], [[0; 3]; 9]);
            let told =
                match cx.assign_objects(planner, &ObjectRequest::new(2, &records), &mut ids, &mut sizes) {
                    Ok(count) => format!("{planner}: {count} {ids:?} {:?}", sizes[count - 1]),
                    Err(error) => format!("{planner}: {}", error.message().split(';').next().unwrap_or("")),
                };
            self.0.lock().expect("no panic").push(told);
        }
        Ok(())
    }

    fn invoke(&mut self, _: &PartitionView<'_>, _: &mut EvalContext<'_>) -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_delegate_queries_objects_in_prepare() {
    let told = Told::default();
    let mut registry = registry();
    let with = Arc::clone(&told);
    registry
        .add_delegate("asks", move |_: &OptionPairs<'_>| Ok(Asks(Arc::clone(&with))))
        .expect("the name is free");
    let builder = Interpreter::builder(&negation(&[2])).without_default_delegate().planner("equality-vector");
    let delegate = arenite::config::DelegateConfig::new("asks");
    builder.delegate(delegate).registry(Arc::new(registry)).build().unwrap().allocate().unwrap();
    let told = told.lock().expect("no panic");
    assert_eq!(told[0], ": 6 [0, 1, 2, 0, 3, 1, 4, 0, 5] [4, 1, 1]");
    assert_eq!(told[1], "greedy-in-order: 4 [0, 1, 2, 0, 3, 1, 2, 0, 3] [8, 2, 1]");
    assert_eq!(told[2], "naive: 9 [0, 1, 2, 3, 4, 5, 6, 7, 8] [4, 1, 1]");
    assert!(told[3].starts_with("nobody: ") && told[3].contains("nobody"), "{}", told[3]);
}
