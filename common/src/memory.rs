//! The memory plan of the main subgraph.

use arenite::{DetailedPlan, Interpreter, UsageRecord};
use serde::Serialize;

/// The memory of an interpreter.
#[derive(Serialize)]
pub struct Memory {
    /// Name of the planner.
    pub planner: String,
    /// Bytes of the arena: activations and scratch memory.
    pub arena_bytes: u64,
    /// Bytes that persist between runs: states, tables, folded constants, variables.
    pub persistent_bytes: u64,
    /// Bytes that delegates allocated on the host.
    pub delegate_bytes: u64,
    /// Bytes that delegates allocated on their devices.
    pub device_bytes: u64,
    /// Bytes of tensors whose shape is known only after they are computed.
    pub dynamic_bytes: u64,
    /// Lower bound on the size of the arena.
    pub lower_bound: u64,
    /// The plans of the arena; only one unless shapes are dynamic.
    pub plans: Vec<PlanReport>,
}

/// A plan of the arena.
#[derive(Serialize)]
pub struct PlanReport {
    /// Size of the arena in bytes.
    pub total_bytes: u64,
    /// No plan can be smaller than this many bytes.
    pub lower_bound: u64,
    /// Whether the planner proved that no plan is smaller.
    pub optimal: bool,
    /// Number of steps in execution order, including those inside partitions.
    pub steps: u32,
    /// The planned buffers.
    pub buffers: Vec<Buffer>,
}

/// A tensor or scratch buffer in a plan.
#[derive(Serialize)]
pub struct Buffer {
    /// Index of the tensor; null for a step's scratch buffer.
    pub tensor: Option<i32>,
    /// Name of the tensor, or a description of the scratch buffer.
    pub name: String,
    /// The delegate, for a buffer inside a partition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    /// Offset in the arena in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// The step that writes it.
    pub first_step: u32,
    /// The last step that uses it; null if it lives until the end.
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
