//! A few runs of the model, with the time of each node.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use arenite::Interpreter;
use arenite_common::inspection::Inspection;
use arenite_common::profile::{OpTime, ms, op_times};
use serde::Serialize;

use crate::answer::Result;
use crate::inputs::{self, InputOptions, InputReport};
use crate::session::Session;

/// The runs end after this time.
const MOST_TIME: Duration = Duration::from_secs(3);

/// Times of some runs.
#[derive(Serialize)]
pub(super) struct Runs {
    pub inputs: Vec<InputReport>,
    pub count: usize,
    pub first_ms: f64,
    pub min_ms: f64,
    pub median_ms: f64,
    /// Time per node, in execution order.
    pub nodes: Vec<NodeTime>,
}

/// The time of a node, or of a delegate's partition or step.
#[derive(Serialize)]
pub(super) struct NodeTime {
    pub subgraph: usize,
    /// `node` is the operator that writes the first output; null if several or none could have written it.
    #[serde(flatten)]
    pub time: OpTime,
}

/// Fills the inputs and runs the model up to `most` times after a first run.
pub(super) fn run(
    interpreter: &mut Interpreter,
    signature: Option<&str>,
    options: &InputOptions,
    most: usize,
) -> Result<Runs> {
    let mut session = Session::open(interpreter, signature)?;
    let inputs = inputs::fill(&mut session, options, None, &|_| None)?;
    let first = timed(interpreter, signature)?;
    interpreter.start_profile();
    let begin = Instant::now();
    let mut times = Vec::new();
    while times.len() < most && (times.is_empty() || begin.elapsed() < MOST_TIME) {
        times.push(timed(interpreter, signature)?);
    }
    times.sort_unstable();
    let at = |i: usize| times.get(i).copied().unwrap_or_default();
    let median = (at(times.len().saturating_sub(1) / 2) + at(times.len() / 2)) / 2;
    Ok(Runs {
        inputs,
        count: times.len(),
        first_ms: ms(first),
        min_ms: ms(at(0)),
        median_ms: ms(median),
        nodes: Vec::new(),
    })
}

fn timed(interpreter: &mut Interpreter, signature: Option<&str>) -> Result<Duration> {
    let mut session = Session::open(interpreter, signature)?;
    let start = Instant::now();
    session.invoke()?;
    Ok(start.elapsed())
}

/// The times of all nodes since the profile was started. Finds each row's node by the name of its output.
pub(super) fn node_times(interpreter: &Interpreter, model: &Inspection) -> Vec<NodeTime> {
    let of_subgraph = |subgraph: &arenite_common::inspection::Subgraph| {
        let mut writers: HashMap<&str, Vec<usize>> = HashMap::new();
        for node in &subgraph.nodes {
            let outputs = node.outputs.iter().filter_map(|&t| subgraph.tensors.get(usize::try_from(t).ok()?));
            outputs.for_each(|tensor| writers.entry(&tensor.name).or_default().push(node.index));
        }
        let times = interpreter.profile_of(subgraph.index).map(op_times).unwrap_or_default();
        let node = |time: OpTime| {
            let node = match writers.get(time.output.as_str()).map(Vec::as_slice) {
                Some([node]) => Some(*node),
                _ => None,
            };
            NodeTime { subgraph: subgraph.index, time: OpTime { node, ..time } }
        };
        times.into_iter().map(node).collect::<Vec<_>>()
    };
    model.subgraphs.iter().flat_map(of_subgraph).collect()
}
