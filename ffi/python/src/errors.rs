//! Errors as exceptions of `arenite.errors`.

use arenite::{Error, Resource, Status};
use arenite_common::batch::Batch;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What a call was about to do. Decides which exception an error is where `ai_edge_litert` has two.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Phase {
    /// It reads or writes a tensor: ValueError.
    Access,
    /// It prepares or runs the model: RuntimeError.
    Run,
}

/// The class of an error, and the op, the node and the tensor that it is about.
struct Report<'a> {
    class: &'static str,
    op: Option<&'a str>,
    subgraph: Option<usize>,
    node: Option<usize>,
    tensor: Option<&'a str>,
}

impl<'a> Report<'a> {
    fn of(error: &'a Error, phase: Phase) -> Self {
        let plain = |class| Report { class, op: None, subgraph: None, node: None, tensor: None };
        match error {
            Error::Model(_) | Error::Io(..) => plain("InvalidModel"),
            Error::Config(_) => plain("InvalidConfig"),
            Error::Plugin(_) | Error::Registration { .. } => plain("PluginError"),
            Error::UnresolvedOps { ops, .. } => {
                let first = ops.first();
                let node = first.and_then(|op| op.nodes.first().copied());
                let (op, subgraph) = (first.map(|op| &*op.op), first.map(|op| op.subgraph));
                Report { op, subgraph, node, ..plain("UnsupportedOp") }
            }
            Error::Node { op, subgraph, node, output, status, .. } => {
                let class = match status {
                    Status::Unsupported => "UnsupportedOp",
                    Status::OutOfMemory => "QuotaExceeded",
                    Status::Cancelled => "Cancelled",
                    _ => "NodeError",
                };
                let (subgraph, node) = (Some(*subgraph), Some(*node));
                Report { op: Some(op), subgraph, node, tensor: Some(output), ..plain(class) }
            }
            Error::NotFound { .. } => plain("NotFound"),
            Error::Plan { .. } => plain("PlanError"),
            Error::Delegate { .. } => plain("DelegateError"),
            Error::Quota { resource: Resource::Time, .. } => plain("DeadlineExceeded"),
            Error::Quota { .. } => plain("QuotaExceeded"),
            Error::OutOfMemory { .. } => plain("OutOfMemory"),
            Error::Cancelled => plain("Cancelled"),
            Error::Tensor { name, .. } => Report { tensor: Some(name), ..plain("TensorError") },
            Error::State(_) if phase == Phase::Access => plain("TensorError"),
            _ => plain("Error"),
        }
    }
}

/// The exception for an error.
pub(crate) fn exception(py: Python<'_>, error: Error, phase: Phase) -> PyErr {
    let report = Report::of(&error, phase);
    named(py, &report, &error.to_string()).unwrap_or_else(|problem| problem)
}

/// The exception of a Python function, with a note that names the node or planner that called it.
pub(crate) fn noted(py: Python<'_>, exception: PyErr, error: &Error) -> PyErr {
    // Python 3.10 has no notes, and the exception matters more than its note.
    let _ = exception.value(py).call_method1("add_note", (error.to_string(),));
    exception
}

/// The exception for a call that does not fit a tensor.
pub(crate) fn tensor_error(py: Python<'_>, name: &str, message: impl Into<String>) -> PyErr {
    let (name, message) = (name.to_owned(), message.into());
    exception(py, Error::Tensor { name, message }, Phase::Access)
}

/// The exception for a call that took longer than its caller allowed.
pub(crate) fn late(py: Python<'_>, seconds: f64) -> PyErr {
    let message = format!("the call took longer than {seconds} s: allow more time, or give it fewer values");
    let report = Report { class: "DeadlineExceeded", op: None, subgraph: None, node: None, tensor: None };
    named(py, &report, &message).unwrap_or_else(|problem| problem)
}

/// Whether an exception is `arenite.errors.DeadlineExceeded`.
pub(crate) fn is_late(py: Python<'_>, error: &PyErr) -> PyResult<bool> {
    Ok(error.is_instance(py, &py.import("arenite.errors")?.getattr("DeadlineExceeded")?))
}

/// The exception for a batch size that a node fixes.
pub(crate) fn fixed_batch(py: Python<'_>, batch: &Batch, subgraph: usize) -> PyErr {
    let (op, subgraph) = (batch.op.as_deref(), Some(subgraph));
    let report = Report { class: "BatchFixed", op, subgraph, node: batch.node, tensor: None };
    named(py, &report, &batch.refusal()).unwrap_or_else(|problem| problem)
}

/// The exception for a call at the wrong time.
pub(crate) fn state_error(py: Python<'_>, message: &str, phase: Phase) -> PyErr {
    exception(py, Error::State(message.to_owned()), phase)
}

fn named(py: Python<'_>, report: &Report<'_>, message: &str) -> PyResult<PyErr> {
    let details = PyDict::new(py);
    details.set_item("op", report.op)?;
    details.set_item("subgraph", report.subgraph)?;
    details.set_item("node", report.node)?;
    details.set_item("tensor", report.tensor)?;
    let class = py.import("arenite.errors")?.getattr(report.class)?;
    Ok(PyErr::from_value(class.call((message,), Some(&details))?))
}
