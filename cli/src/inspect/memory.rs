//! The memory plan as it runs.

use arenite::{DetailedPlan, Interpreter, UsageRecord};
use serde::Serialize;

#[derive(Serialize)]
pub struct Memory {
    pub planner: String,
    pub arena_bytes: u64,
    pub persistent_bytes: u64,
    /// What delegates hold.
    pub delegate_bytes: u64,
    pub dynamic_bytes: u64,
    /// No plan can have a smaller arena.
    pub lower_bound: u64,
    /// One unless shapes are dynamic.
    pub plans: Vec<PlanReport>,
}

#[derive(Serialize)]
pub struct PlanReport {
    pub total_bytes: u64,
    pub lower_bound: u64,
    /// Whether the planner has proved that no plan is smaller.
    pub optimal: bool,
    /// Steps as they run, those inside of partitions too.
    pub steps: u32,
    pub buffers: Vec<Buffer>,
}

#[derive(Serialize)]
pub struct Buffer {
    /// Null for a step's scratch memory.
    pub tensor: Option<i32>,
    pub name: String,
    /// The delegate in whose partition it is, if it is inside of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    pub offset: u64,
    pub size: u64,
    pub first_step: u32,
    /// Null: until the end.
    pub last_step: Option<u32>,
}

/// The memory of the main subgraph.
pub fn memory(interpreter: &Interpreter, planner: String) -> Memory {
    let used = interpreter.memory_use();
    Memory {
        planner,
        arena_bytes: used.arena,
        persistent_bytes: used.persistent,
        delegate_bytes: used.delegates,
        dynamic_bytes: used.dynamic,
        lower_bound: used.lower_bound,
        plans: interpreter.detailed_plan(0).iter().map(|plan| plan_report(interpreter, plan)).collect(),
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
