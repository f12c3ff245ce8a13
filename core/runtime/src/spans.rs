//! Spans of invocations and nodes. An unused span takes as long as a small node, so a span is created only if its level
//! is enabled.

#![forbid(unsafe_code)]

use tracing::span::EnteredSpan;
use tracing::{Level, debug_span, level_enabled, trace_span};

/// The span of an invocation.
#[inline]
pub(crate) fn of_invocation(subgraph: usize) -> Option<EnteredSpan> {
    level_enabled!(Level::DEBUG).then(|| debug_span!("invoke", subgraph).entered())
}

/// The span of a node, or of a partition.
#[inline]
pub(crate) fn of_node<'a>(op: impl FnOnce() -> &'a str, index: u32) -> Option<EnteredSpan> {
    level_enabled!(Level::TRACE).then(|| trace_span!("node", op = op(), index).entered())
}
