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
use judge::{Verdict, judge, judge_variables};

/// The result of checking a graph.
pub struct Checked {
    /// The graph that was drawn.
    pub graph: Graph,
    /// Whether the results agree.
    pub verdict: Verdict,
    /// For each node, its kind and whether the delegate ran it.
    pub nodes: Vec<(Kind, bool)>,
}

/// Runs a graph on the delegate and on the reference ops; a graph with variables also runs unrolled on the reference
/// ops.
pub fn check(graph: Graph, setting: &Setting) -> Checked {
    let reference = run::run(&graph, None);
    let got = run_on_delegate(&graph, setting);
    let verdict = compare(&graph, setting, reference, &got);
    let delegated = got.delegated.iter().copied().chain(std::iter::repeat(false));
    let nodes = graph.notes.iter().map(|(kind, _)| *kind).zip(delegated).collect();
    Checked { graph, verdict, nodes }
}

/// Runs a graph on the delegate, called as the setting says.
pub fn run_on_delegate(graph: &Graph, setting: &Setting) -> run::Run {
    let mut run = run::run(&call::called(graph, setting.call), Some(setting));
    if setting.call != Call::Main {
        // A called graph has other nodes.
        run.delegated.clear();
    }
    run
}

/// Compares a graph's runs on the reference ops and on the delegate.
pub fn compare(graph: &Graph, setting: &Setting, reference: run::Run, got: &run::Run) -> Verdict {
    if !variables::any(graph) {
        return judge(graph, setting, &reference, got);
    }
    let unrolled = variables::unrolled(graph);
    judge_variables([graph, &unrolled], setting, run::run(&unrolled, None), reference, got)
}

/// A reduced graph that still differs.
pub fn smallest(graph: &Graph, setting: &Setting) -> Graph {
    shrink::shrink(graph, |smaller| matches!(check(smaller.clone(), setting).verdict, Verdict::Differs(_)))
}
