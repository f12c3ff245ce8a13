//! The partitions that delegates would have.

use arenite::DelegatePreview;
use serde::Serialize;

/// The partitions of all delegates, in the order of the settings.
#[derive(Serialize)]
pub struct Previews {
    /// One entry per delegate.
    pub delegates: Vec<Preview>,
}

/// The partitions of one delegate.
#[derive(Serialize)]
pub struct Preview {
    /// Name of the delegate.
    pub delegate: String,
    /// The nodes of each partition, ascending.
    pub partitions: Vec<Vec<usize>>,
    /// The nodes that run elsewhere, ascending.
    pub refusals: Vec<Refusal>,
    /// Why the delegate is not used; null if it is.
    pub left_out: Option<String>,
}

/// A node that a delegate would not run.
#[derive(Serialize)]
pub struct Refusal {
    /// Its number.
    pub node: usize,
    /// The reason.
    pub reason: String,
}

impl Previews {
    /// Describes an interpreter's previews.
    pub fn of(found: Vec<DelegatePreview>) -> Self {
        let refusal = |(node, reason)| Refusal { node, reason };
        let one = |DelegatePreview { delegate, partitions, refusals, left_out }| {
            let refusals = refusals.into_iter().map(refusal).collect();
            Preview { delegate, partitions, refusals, left_out }
        };
        Previews { delegates: found.into_iter().map(one).collect() }
    }

    /// The previews as JSON.
    ///
    /// # Errors
    /// None in practice: numbers and names can always be written.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}
