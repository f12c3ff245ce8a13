//! Constants and multiply-accumulates per op and in total.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use arenite::model_file;
use arenite_common::inspection::{Inspection, Node};
use serde::Serialize;

use crate::node_facts::constants;
use crate::text::{self, Align, HEAD, Table, thousands};

/// Constants and multiply-accumulates of all subgraphs, each counted once.
#[derive(Serialize)]
pub(super) struct Totals {
    pub ops: Vec<OpTotal>,
    /// Bytes of all constants that nodes read. Data that several tensors share counts once.
    weight_bytes: u64,
    macs: u64,
    /// Ops whose multiply-accumulates are unknown: custom ops.
    uncounted: Vec<String>,
}

/// An op's share in the totals.
#[derive(Serialize)]
pub(super) struct OpTotal {
    op: String,
    version: i32,
    custom: bool,
    nodes: usize,
    /// Bytes of the constants that its nodes read, each counted once.
    weight_bytes: u64,
    macs: u64,
}

impl Totals {
    /// Adds up the facts of a report.
    pub(super) fn of(report: &Inspection, view: &model_file::Model<'_>) -> Self {
        let mut readers: BTreeMap<(&str, i32), Vec<(usize, &Node)>> = BTreeMap::new();
        for subgraph in &report.subgraphs {
            for node in &subgraph.nodes {
                readers.entry((&node.op, node.version)).or_default().push((subgraph.index, node));
            }
        }
        let operators = |nodes: &[(usize, &Node)]| {
            let found = nodes.iter().map(|&(subgraph, node)| {
                Some((subgraph, view.subgraph(subgraph)?.operators().get(node.index)?))
            });
            found.flatten().collect::<Vec<_>>()
        };
        let mut all = Vec::new();
        let mut ops = Vec::new();
        for op in &report.ops {
            let nodes = readers.get(&(op.op.as_str(), op.version)).map_or(&[][..], Vec::as_slice);
            let counts = nodes.iter().filter_map(|(_, node)| node.facts.as_ref()?.macs);
            let macs = counts.fold(0, u64::saturating_add);
            let weight_bytes = constants(view, operators(nodes));
            all.extend(operators(nodes));
            let (name, version) = (op.op.clone(), op.version);
            ops.push(OpTotal { op: name, version, custom: op.custom, nodes: op.nodes, weight_bytes, macs });
        }
        let macs = ops.iter().map(|op| op.macs).fold(0, u64::saturating_add);
        let is_custom = |op: &&OpTotal| op.custom && op.nodes > 0;
        let uncounted = ops.iter().filter(is_custom).map(|op| op.op.clone()).collect();
        Totals { weight_bytes: constants(view, all), macs, uncounted, ops }
    }
}

impl Display for Totals {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n{HEAD}ops{HEAD:#}")?;
        let mut table = Table::new(&[
            ("nodes", Align::Right),
            ("version", Align::Right),
            ("weight bytes", Align::Right),
            ("MACs", Align::Right),
            ("op", Align::Left),
        ]);
        for op in &self.ops {
            let custom = if op.custom { " (custom)" } else { "" };
            let (bytes, macs) = (shown(op.weight_bytes), shown(op.macs));
            table.row([
                op.nodes.to_string(),
                op.version.to_string(),
                bytes,
                macs,
                format!("{}{custom}", op.op),
            ]);
        }
        let nodes: usize = self.ops.iter().map(|op| op.nodes).sum();
        table.row([
            nodes.to_string(),
            String::new(),
            thousands(self.weight_bytes),
            thousands(self.macs),
            "in total".to_owned(),
        ]);
        table.fmt(f)?;
        if !self.uncounted.is_empty() {
            writeln!(f, "  without the MACs of {}", text::shorten(&self.uncounted.join(", "), 200))?;
        }
        Ok(())
    }
}

/// A number; nothing for 0.
fn shown(n: u64) -> String {
    if n == 0 { String::new() } else { thousands(n) }
}
