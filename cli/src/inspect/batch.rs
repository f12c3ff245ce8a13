//! The batch size as text for people.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use arenite::{Config, Model, Registry};
use arenite_common::batch::Batch;
use serde::Serialize;

use crate::text::{self, HEAD, Visible};

/// Whether the batch size can change.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct BatchText(pub Batch);

impl BatchText {
    /// Tries twice the batch size on the main subgraph.
    pub(super) fn attempt(model: &Model, config: &Config, registry: &Arc<Registry>) -> Option<Self> {
        Batch::attempt(model, 0, None, config, registry).map(BatchText)
    }
}

impl Display for BatchText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Batch { size, tried, resizable, node, op, reason, .. } = &self.0;
        write!(f, "\n{HEAD}batch{HEAD:#}  {size}; ")?;
        if *resizable {
            return writeln!(f, "--resize can change it: tried with {tried}");
        }
        write!(f, "{tried} was tried and is not possible")?;
        if let (Some(node), Some(op)) = (node, op) {
            write!(f, ": node {node} {}", Visible(op))?;
        }
        match reason {
            Some(reason) => writeln!(f, ": {}", text::shorten(reason, 160)),
            None => writeln!(f),
        }
    }
}
