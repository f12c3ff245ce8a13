//! The purpose of preparing nodes.

/// The purpose of preparing nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// To infer shapes only. Called subgraphs are not made ready to run either.
    Infer,
    /// To run.
    Prepare,
}
