//! Random graphs on GPU devices. Drivers compile programs slowly, so each graph is built once and then runs with other
//! values, rarely with other shapes. One in 200 executions builds its graph again.

use std::cell::RefCell;
use std::collections::BTreeMap;

use arenite::{Interpreter, NodeProvider};

use crate::differential::call::Call;
use crate::differential::graph::{Graph, Setting};
use crate::differential::judge::Verdict;
use crate::differential::random::Random;
use crate::differential::run::{Failure, Run, build, invoke};
use crate::differential::{Reference, draw};

/// The number of graphs that are kept.
const GRAPHS: usize = 64;
/// The number of seeds that are tried for each graph, until the device runs a part of one.
const SEEDS: u64 = 12;

/// A graph with an interpreter on the reference ops and one on the device.
struct Kept {
    graph: Graph,
    setting: Setting,
    reference: Interpreter,
    device: Interpreter,
    delegated: Vec<bool>,
}

thread_local! {
    static KEPT: RefCell<BTreeMap<usize, Option<Kept>>> = const { RefCell::new(BTreeMap::new()) };
}

/// Uses the bytes to choose a graph, values and shapes: two invocations on the device and on the reference ops must
/// agree within the bounds of the differential tester.
///
/// # Panics
/// Without a device, or if the results differ.
pub(super) fn run(delegate: &str, bytes: &[u8]) {
    let mut random = Random::of_bytes(bytes);
    let (which, resized, rebuilt) = (random.below(GRAPHS), random.chance(4), random.below(200) == 7);
    let seed = bytes.iter().fold(7u64, |hash, &byte| {
        (hash.rotate_left(5) ^ u64::from(byte)).wrapping_mul(0x517c_c1b7_2722_0a95)
    });
    KEPT.with_borrow_mut(|graphs| {
        let which = chosen(graphs, which, delegate);
        let Some(Some(kept)) = which.and_then(|which| graphs.get_mut(&which)) else {
            panic!("this machine has no device for {delegate}");
        };
        if rebuilt && let Ok(device) = build(&kept.graph, Some(&kept.setting)) {
            kept.device = device;
        }
        kept.graph.seed = seed;
        kept.graph.resizes.clear();
        if resized {
            kept.resize(&mut random);
        }
        kept.compare();
    });
}

/// The first graph, from number `which`, that the device runs a part of.
fn chosen(graphs: &mut BTreeMap<usize, Option<Kept>>, which: usize, delegate: &str) -> Option<usize> {
    let mut all = (which..GRAPHS).chain(0..which);
    all.find(|&which| {
        let kept = graphs.entry(which).or_insert_with(|| Kept::found(delegate, which as u64 * SEEDS));
        kept.is_some()
    })
}

impl Kept {
    fn found(delegate: &str, first: u64) -> Option<Kept> {
        (first..first + SEEDS).find_map(|seed| {
            let graph = draw(seed);
            let (name, call) = (delegate.to_owned(), Call::Main);
            let setting = Setting { delegate: name, isa: None, threads: 1, winograd: false, call };
            if graph.spoilt.is_some() {
                return None;
            }
            let (mut reference, mut device) =
                (build(&graph, None).ok()?, build(&graph, Some(&setting)).ok()?);
            (reference.allocate().is_ok() && device.allocate().is_ok()).then_some(())?;
            let runs = |served: &NodeProvider| matches!(served, NodeProvider::Delegate { name, .. } if name == delegate);
            let delegated: Vec<bool> = device.served_by().iter().map(runs).collect();
            delegated.contains(&true).then_some(Kept { graph, setting, reference, device, delegated })
        })
    }

    /// Changes the first dimension of an input in the second invocation; variables keep their shape.
    fn resize(&mut self, random: &mut Random) {
        let main = &self.graph.model.subgraphs[0];
        if main.inputs.is_empty() {
            return;
        }
        let input = random.pick(&main.inputs);
        let tensor = &main.tensors[input as usize];
        if tensor.is_variable {
            return;
        }
        let mut shape = tensor.shape.clone();
        if let Some(first) = shape.first_mut() {
            *first = random.between(1, 3);
            self.graph.resizes.insert(input, shape);
        }
    }

    fn compare(&mut self) {
        let Kept { graph, setting, reference, device, delegated } = self;
        let want = Run { steps: steps(graph, reference, true), delegated: Vec::new() };
        let got = Run { steps: steps(graph, device, false), delegated: delegated.clone() };
        let reference = Reference::of_run(graph.clone(), want);
        if let Verdict::Differs(text) = reference.judge(setting, &got) {
            panic!("{text}\n{setting:?}\n{graph}");
        }
    }
}

/// Two invocations, starting with the model's shapes and with variables set to zero.
fn steps(
    graph: &Graph,
    interpreter: &mut Interpreter,
    reference: bool,
) -> Vec<Result<crate::differential::run::Answers, Failure>> {
    let main = &graph.model.subgraphs[0];
    for (i, &tensor) in main.inputs.iter().enumerate() {
        let shape = &main.tensors[tensor as usize].shape;
        if interpreter.input(i).is_ok_and(|input| input.shape != shape.as_slice()) {
            let resized = interpreter.resize_input(i, shape);
            assert!(resized.is_ok(), "the model's own shape is an error: {resized:?}");
        }
    }
    interpreter.reset_variables();
    (0..2).map(|step| invoke(interpreter, graph, step, reference, None)).collect()
}
