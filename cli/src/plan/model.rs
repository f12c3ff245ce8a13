//! The plan of a subgraph as the interpreter would run it, including the buffers inside partitions.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use arenite::config::PlannerConfig;
use arenite::{DetailedPlan, Error, Interpreter, Model, SegmentPlan, UsageRecord};

use super::bounds;
use super::solved::{Part, PlanningFailure, SolvedProblem, UnknownShape};
use super::solver::Solver;
use crate::answer::Failure;

/// Prepares a subgraph in an interpreter that uses this planner. Nothing is run.
pub(super) fn solve(
    solver: &Solver<'_>,
    planner: &PlannerConfig,
    label: &str,
    model: &Model,
    subgraph: usize,
) -> Result<SolvedProblem, PlanningFailure> {
    let mut interpreter = interpreter(solver, planner, model)?;
    if subgraph == 0 {
        solver
            .inputs
            .iter()
            .try_for_each(|input| input.apply(&mut interpreter))
            .map_err(PlanningFailure::Problem)?;
    }
    let before = interpreter.planning_time();
    interpreter.plan_subgraph(subgraph).map_err(unsolved)?;
    let time = interpreter.planning_time().saturating_sub(before);
    Ok(read(&interpreter, label, subgraph, time))
}

/// Reads the plan of a subgraph that is prepared but has not run. `time` is the planner's.
pub(super) fn read(interpreter: &Interpreter, label: &str, subgraph: usize, time: Duration) -> SolvedProblem {
    // Nothing has run, so there is only one segment.
    let detail = interpreter.detailed_plan(subgraph).into_iter().next().unwrap_or_default();
    let prepared = Prepared::new(interpreter, subgraph);
    let (unknown, notes) = prepared.unknown(label);
    SolvedProblem {
        parts: prepared.parts(&detail),
        offsets: offsets(&detail.memory),
        total: detail.memory.plan.total_bytes,
        bound: detail.memory.plan.lower_bound,
        optimal: detail.memory.plan.optimal,
        records: detail.memory.buffers,
        objects: None,
        extents: None,
        time,
        steps: Some(detail.step_count),
        unknown,
        notes,
        devices: interpreter.device_objects(subgraph),
    }
}

fn interpreter(
    solver: &Solver<'_>,
    planner: &PlannerConfig,
    model: &Model,
) -> Result<Interpreter, PlanningFailure> {
    let mut config = solver.config.clone();
    config.planner = Some(planner.clone());
    let builder = Interpreter::builder(model).config(&config).registry(Arc::clone(solver.registry));
    let builder = match solver.limits.time {
        Some(limit) => builder.planning_time(limit),
        None => builder,
    };
    builder.build().map_err(unsolved)
}

/// The offset of each buffer.
fn offsets(memory: &SegmentPlan) -> Vec<u64> {
    let mut offsets = vec![0; memory.buffers.len()];
    for (&(buffer, at), offset) in memory.places.iter().zip(&memory.plan.offsets) {
        offsets[buffer] = offset.saturating_sub(at);
    }
    offsets
}

fn unsolved(error: Error) -> PlanningFailure {
    match error {
        Error::Plan { .. } => PlanningFailure::Planner(error.to_string()),
        error => PlanningFailure::Problem(Failure::from(error)),
    }
}

/// A subgraph that is ready to run.
struct Prepared<'a> {
    interpreter: &'a Interpreter,
    subgraph: usize,
    /// Names of the ops and delegates, in execution order.
    steps: Vec<String>,
    /// Names of the tensors.
    names: Vec<String>,
    /// Tensors that the caller fills.
    inputs: Vec<i32>,
    /// For each tensor of the file, the op that writes it and the number of times ops use it.
    uses: BTreeMap<i32, (String, u64)>,
}

impl<'a> Prepared<'a> {
    fn new(interpreter: &'a Interpreter, subgraph: usize) -> Self {
        let view = interpreter.model().view();
        let (mut inputs, mut uses) = (Vec::new(), BTreeMap::<i32, (String, u64)>::new());
        if let Some(graph) = view.subgraph(subgraph) {
            inputs = graph.inputs().iter().collect();
            for operator in graph.operators().iter() {
                let name =
                    view.operator_code(&operator).map_or_else(String::new, |code| code.name().to_owned());
                for tensor in operator.inputs().iter().chain(operator.outputs().iter()) {
                    uses.entry(tensor).or_default().1 += 1;
                }
                for tensor in operator.outputs().iter() {
                    uses.entry(tensor).or_default().0.clone_from(&name);
                }
            }
        }
        let (steps, names) = (interpreter.steps_of(subgraph), interpreter.tensor_names(subgraph));
        Prepared { interpreter, subgraph, steps, names, inputs, uses }
    }

    fn parts(&self, plan: &DetailedPlan) -> Vec<Part> {
        let accesses = self.accesses();
        let DetailedPlan { memory, steps, names, .. } = plan;
        let placed = memory.records.iter().zip(&memory.places);
        let part = |((record, &(buffer, offset)), (&step, inner)): ((&UsageRecord, &(usize, u64)), _)| {
            let inner: &Option<String> = inner;
            let step = self.steps.get(step).map_or("", String::as_str);
            let (name, op, accesses) = match inner {
                Some(name) => self.inner(record.tensor, name, step),
                None => self.outer(record.tensor, step, &accesses),
            };
            let (size, first, last) = (record.size, record.first_node, record.last_node);
            Part { record: buffer, offset, size, first, last, name, op, accesses }
        };
        placed.zip(steps.iter().zip(names)).map(part).collect()
    }

    /// Name, kind and number of accesses of a tensor or of a step's scratch buffer.
    fn outer(&self, tensor: i32, step: &str, accesses: &[u64]) -> (String, String, u64) {
        match usize::try_from(tensor) {
            Ok(t) => {
                let op = if self.inputs.contains(&tensor) { "input" } else { step };
                let name = self.names.get(t).cloned().unwrap_or_default();
                (name, op.to_owned(), accesses.get(t).copied().unwrap_or(0))
            }
            // Scratch memory is written once and read once.
            Err(_) => ("(scratch)".to_owned(), format!("{step} scratch"), 2),
        }
    }

    /// The same for a buffer inside a partition of `delegate`, which calls it `name`.
    fn inner(&self, tensor: i32, name: &str, delegate: &str) -> (String, String, u64) {
        let name = if name.is_empty() { "(scratch)" } else { name };
        let (op, uses) = match self.uses.get(&tensor) {
            Some((op, uses)) if op.is_empty() => ("input", *uses),
            Some((op, uses)) => (op.as_str(), *uses),
            None => ("scratch", 2),
        };
        (name.to_owned(), format!("{delegate}: {op}"), uses.max(2))
    }

    /// For each tensor, how often steps read or write it; each mention counts.
    fn accesses(&self) -> Vec<u64> {
        let mut accesses = vec![0; self.names.len()];
        for step in 0..self.steps.len() {
            let Some((reads, writes)) = self.interpreter.step_tensors(self.subgraph, step) else { continue };
            for tensor in reads.into_iter().chain(writes) {
                accesses.get_mut(tensor).into_iter().for_each(|count| *count += 1);
            }
        }
        accesses
    }

    /// The results of unknown shape at which planning ended, with their largest possible sizes.
    fn unknown(&self, label: &str) -> (Vec<UnknownShape>, Vec<String>) {
        let (mut unknown, mut notes) = (Vec::new(), Vec::new());
        let planned = self.interpreter.planned_steps(self.subgraph);
        let Some(last) = planned.filter(|&last| 0 < last && last <= self.steps.len()) else {
            return (unknown, notes);
        };
        let (step, op, count) = (last - 1, &self.steps[last - 1], self.steps.len());
        if last < count {
            notes.push(format!(
                "{label}: shapes after {op} (step {step}) are known only after it has run; {last} of {count} steps are planned"
            ));
        }
        let form = |tensor| self.interpreter.tensor_form(self.subgraph, tensor);
        let Some((reads, writes)) = self.interpreter.step_tensors(self.subgraph, step) else {
            return (unknown, notes);
        };
        let read = reads.get(bounds::input_that_bounds(op)).and_then(|&tensor| form(tensor)?.1);
        for tensor in writes {
            let Some((ty, None)) = form(tensor) else { continue };
            let most_bytes = read
                .and_then(|shape| bounds::most_elements(op, shape))
                .and_then(|n| ty.bytes_of(usize::try_from(n).ok()?))
                .map(|bytes| bytes as u64);
            unknown.push(UnknownShape {
                problem: label.to_owned(),
                step,
                op: op.clone(),
                tensor: self.names.get(tensor).cloned().unwrap_or_default(),
                most_bytes,
                reason: most_bytes.is_none().then(|| bounds::reason(op)),
            });
        }
        (unknown, notes)
    }
}
