//! Differential testing: random graphs of all ops that the CPU delegate claims. Its results, or another delegate's, are
//! checked against the reference ops.
//!
//! ```text
//! seed ─► draw (ops: tables; variables; spoil) ─► graph ─┬─ run on reference ops ─┬─► judge (bounds) ─► verdict ─► tally
//!                                                        └─ run on the delegate ──┘                └─► shrink
//! ```
//! A seed determines everything: nodes, shapes, constants, inputs, and the settings of the delegate. [`campaign`] runs
//! many seeds in worker processes, so that a crash can be attributed to a seed, too.

pub mod bounds;
pub mod call;
pub mod campaign;
mod data;
mod draw;
pub mod graph;
pub mod judge;
mod net;
pub mod ops;
pub mod pace;
pub mod random;
mod reals;
pub mod run;
mod shrink;
mod spoil;
pub mod tally;
pub mod variables;

use call::Call;
pub use draw::{draw, draw_by, draw_node, setting};
use graph::{Graph, Kind, Setting};
use judge::{Verdict, expected, judge};
use run::Run;

/// The result of checking a graph.
pub struct Checked {
    /// The graph that was drawn.
    pub graph: Graph,
    /// Whether the results agree.
    pub verdict: Verdict,
    /// For each node, its kind and whether the delegate ran it.
    pub nodes: Vec<(Kind, bool)>,
}

/// A graph's run on the reference ops, which delegates are compared with.
pub struct Reference {
    graph: Graph,
    /// A graph with variables is also run unrolled.
    unrolled: Option<Graph>,
    /// The results, or the verdict if the reference ops contradict themselves.
    expected: Result<Run, Verdict>,
}

impl Reference {
    /// Runs the graph on the reference ops.
    pub fn new(graph: Graph) -> Reference {
        let reference = run::run(&graph, None);
        Reference::of_run(graph, reference)
    }

    /// `reference` is the graph's run on the reference ops.
    pub fn of_run(graph: Graph, reference: Run) -> Reference {
        if !variables::any(&graph) {
            return Reference { graph, unrolled: None, expected: Ok(reference) };
        }
        let unrolled = variables::unrolled(&graph);
        let expected = expected(&graph, &unrolled, run::run(&unrolled, None), reference);
        Reference { graph, unrolled: Some(unrolled), expected }
    }

    /// Runs the graph on the delegate of the setting, and compares.
    pub fn check(&self, setting: &Setting) -> Checked {
        let got = run_on_delegate(&self.graph, setting);
        let verdict = self.judge(setting, &got);
        let delegated = got.delegated.iter().copied().chain(std::iter::repeat(false));
        let nodes = self.graph.notes.iter().map(|(kind, _)| *kind).zip(delegated).collect();
        Checked { graph: self.graph.clone(), verdict, nodes }
    }

    /// Compares a run on the delegate of the setting.
    pub fn judge(&self, setting: &Setting, got: &Run) -> Verdict {
        match &self.expected {
            Ok(expected) => judge(self.unrolled.as_ref().unwrap_or(&self.graph), setting, expected, got),
            Err(verdict) => verdict.clone(),
        }
    }
}

/// Runs a graph on the reference ops and on the delegate.
pub fn check(graph: Graph, setting: &Setting) -> Checked {
    Reference::new(graph).check(setting)
}

/// Runs a graph on the delegate, called as the setting says.
fn run_on_delegate(graph: &Graph, setting: &Setting) -> Run {
    let mut run = run::run(&call::called(graph, setting.call), Some(setting));
    if setting.call != Call::Main {
        // A called graph has other nodes.
        run.delegated.clear();
    }
    run
}

/// A reduced graph that still differs.
pub fn smallest(graph: &Graph, setting: &Setting) -> Graph {
    shrink::shrink(graph, |smaller| matches!(check(smaller.clone(), setting).verdict, Verdict::Differs(_)))
}
