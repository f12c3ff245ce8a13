//! The data of the page, and the page as HTML.

use std::collections::BTreeMap;
use std::path::PathBuf;

use arenite::Interpreter;
use arenite_common::devices::PartitionFacts;
use arenite_common::inspection::{DelegateRefusal, Inspection, Metadata, ModelReport, OpUse, Signature};
use arenite_common::memory::Memory;
use serde::Serialize;

use super::differences::Differences;
use super::graph::{Graph, MOST_NODES};
use super::runs::Runs;
use crate::answer::Result;
use crate::page;
use crate::plan::drawing::{Plan, color};
use crate::plan::drawings::Drawings;
use crate::text;

/// Everything that the page shows.
#[derive(Serialize)]
pub(super) struct Page {
    /// The version of the program.
    pub version: &'static str,
    pub name: String,
    pub model: ModelReport,
    pub signatures: Vec<Signature>,
    pub metadata: Vec<Metadata>,
    pub ops: Vec<OpUse>,
    /// The colour of each op, as in the memory plan.
    pub colors: BTreeMap<String, String>,
    pub subgraphs: Vec<Graph>,
    /// Delegates that were skipped for the whole model.
    pub left_out: Vec<DelegateRefusal>,
    pub facts: Vec<PartitionFacts>,
    /// Null if memory could not be planned.
    pub memory: Option<Sums>,
    pub plans: Vec<Plan>,
    /// Null with `--no-run`.
    pub runs: Option<Runs>,
    /// Null with `--no-run`, and if no delegate runs a node.
    pub differences: Option<Differences>,
    /// Parts that the page lacks, each with the reason.
    pub notes: Vec<String>,
    pub error: Option<String>,
    /// The page's file and its size in bytes.
    #[serde(skip)]
    pub written: Option<(PathBuf, usize)>,
}

/// The memory of the interpreter in bytes, see [`Memory`].
#[derive(Serialize)]
pub(super) struct Sums {
    pub planner: String,
    pub arena_bytes: u64,
    pub persistent_bytes: u64,
    pub delegate_bytes: u64,
    pub device_bytes: u64,
    pub dynamic_bytes: u64,
    pub lower_bound: u64,
}

impl From<Memory> for Sums {
    fn from(memory: Memory) -> Self {
        Sums {
            planner: memory.planner,
            arena_bytes: memory.arena_bytes,
            persistent_bytes: memory.persistent_bytes,
            delegate_bytes: memory.delegate_bytes,
            device_bytes: memory.device_bytes,
            dynamic_bytes: memory.dynamic_bytes,
            lower_bound: memory.lower_bound,
        }
    }
}

impl Page {
    /// Takes at most [`MOST_NODES`] nodes of the model, with a note if there are more.
    pub(super) fn new(
        name: String,
        inspection: Inspection,
        drawn: Drawings,
        interpreter: &Interpreter,
    ) -> Self {
        let mut notes = drawn.notes;
        notes.extend(note_of_size(&inspection));
        let mut left = MOST_NODES;
        let graph = |subgraph| {
            let graph = Graph::of(subgraph, left, interpreter);
            left -= graph.nodes.len();
            graph
        };
        Page {
            version: env!("CARGO_PKG_VERSION"),
            name,
            subgraphs: inspection.subgraphs.into_iter().map(graph).collect(),
            model: inspection.model,
            signatures: inspection.signatures,
            metadata: inspection.metadata,
            colors: inspection.ops.iter().map(|op| (op.op.clone(), color(&op.op))).collect(),
            ops: inspection.ops,
            left_out: inspection.left_out,
            facts: inspection.facts,
            memory: inspection.memory.map(Sums::from),
            plans: drawn.plans,
            runs: None,
            differences: None,
            notes,
            error: inspection.error,
            written: None,
        }
    }

    /// Computes where nodes are drawn.
    pub(super) fn lay_out(&mut self) {
        self.subgraphs.iter_mut().for_each(Graph::lay_out);
    }

    /// Removes the positions, which are of use to the page only.
    pub(super) fn forget_layout(&mut self) {
        self.subgraphs.iter_mut().for_each(|graph| graph.layout = None);
    }

    /// The page.
    ///
    /// # Errors
    /// The path of the model is not UTF-8.
    pub(super) fn html(&self) -> Result<String> {
        let (title, data) = (page::escape(&self.name), page::embed(self)?);
        let parts = [
            ("title", title.as_str()),
            ("style", page::STYLE),
            ("own_style", include_str!("page/style.css")),
            ("plans", page::PLANS),
            ("facts", include_str!("page/facts.js")),
            ("graph", include_str!("page/graph.js")),
            ("details", include_str!("page/details.js")),
            ("tables", include_str!("page/tables.js")),
            ("main", include_str!("page/main.js")),
            ("data", data.as_str()),
        ];
        Ok(page::fill(include_str!("page/page.html"), &parts))
    }
}

/// A note if the model has more nodes than a page.
fn note_of_size(inspection: &Inspection) -> Option<String> {
    let count: usize = inspection.subgraphs.iter().map(|subgraph| subgraph.nodes.len()).sum();
    let [most, all] = [MOST_NODES, count].map(|count| text::thousands(count as u64));
    let note = format!("the page has the first {most} of {all} nodes; `arenite inspect --json` lists all");
    (count > MOST_NODES).then_some(note)
}
