//! The memory plan as it runs.

use arenite::{DetailedPlan, Interpreter, UsageRecord};
use serde::Serialize;

/// The memory of an interpreter.
#[derive(Serialize)]
pub struct Memory {
    /// Name of the planner.
    pub planner: String,
    /// Activations and scratch memory.
    pub arena_bytes: u64,
    /// States, tables, folded constants, variables.
    pub persistent_bytes: u64,
    /// What delegates hold.
    pub delegate_bytes: u64,
    /// What delegates hold of their devices' memory.
    pub device_bytes: u64,
    /// Tensors whose shape only a run tells.
    pub dynamic_bytes: u64,
    /// No plan can have a smaller arena.
    pub lower_bound: u64,
    /// One unless shapes are dynamic.
    pub plans: Vec<PlanReport>,
}

/// A plan of the arena.
#[derive(Serialize)]
pub struct PlanReport {
    /// Size of the arena.
    pub total_bytes: u64,
    /// No plan is smaller.
    pub lower_bound: u64,
    /// Whether the planner has proved that no plan is smaller.
    pub optimal: bool,
    /// Steps as they run, those inside of partitions too.
    pub steps: u32,
    /// Where they lie.
    pub buffers: Vec<Buffer>,
}

/// A tensor or scratch memory in a plan.
#[derive(Serialize)]
pub struct Buffer {
    /// Null for a step's scratch memory.
    pub tensor: Option<i32>,
    /// Its name.
    pub name: String,
    /// The delegate in whose partition it is, if it is inside of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    /// Where it begins.
    pub offset: u64,
    /// Its bytes.
    pub size: u64,
    /// The step that writes it.
    pub first_step: u32,
    /// Null: until the end.
    pub last_step: Option<u32>,
}

impl Memory {
    /// The memory of the main subgraph.
    pub fn of(interpreter: &Interpreter) -> Self {
        let used = interpreter.memory_use();
        Memory {
            planner: interpreter.planner().to_owned(),
            arena_bytes: used.arena,
            persistent_bytes: used.persistent,
            delegate_bytes: used.delegates,
            device_bytes: used.device,
            dynamic_bytes: used.dynamic,
            lower_bound: used.lower_bound,
            plans: interpreter.detailed_plan(0).iter().map(|plan| plan_report(interpreter, plan)).collect(),
        }
    }
}

fn plan_report(interpreter: &Interpreter, detail: &DetailedPlan) -> PlanReport {
    let plan = &detail.memory.plan;
    let steps = interpreter.steps_of(0);
    let buffer = |(i, record): (usize, &UsageRecord)| {
        let tensor = usize::try_from(record.tensor).ok().and_then(|t| interpreter.tensor(t).ok());
        let inner = detail.names[i].as_ref();
        let name = inner.map(String::as_str).or(tensor.as_ref().map(|tensor| tensor.name));
        Buffer {
            tensor: tensor.as_ref().map(|_| record.tensor),
            name: name.filter(|name| !name.is_empty()).unwrap_or("(scratch)").to_owned(),
            inside: inner.and_then(|_| steps.get(detail.steps[i]).cloned()),
            offset: plan.offsets[i],
            size: record.size,
            first_step: record.first_node,
            last_step: (record.last_node != UsageRecord::FOREVER).then_some(record.last_node),
        }
    };
    PlanReport {
        total_bytes: plan.total_bytes,
        lower_bound: plan.lower_bound,
        optimal: plan.optimal,
        steps: detail.step_count,
        buffers: detail.memory.records.iter().enumerate().map(buffer).collect(),
    }
}
