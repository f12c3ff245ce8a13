//! Counts of graphs, and the graphs that differ.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::Checked;
use super::graph::Setting;
use super::judge::Verdict;

/// A graph that differs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    /// Its seed.
    pub seed: u64,
    /// Its settings.
    pub setting: Setting,
    /// The differences of the graph and of the reduced graph.
    pub text: String,
}

/// Counts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// The number of graphs.
    pub graphs: u64,
    /// Graphs with variables whose results agree.
    pub variables: u64,
    /// Graphs that both refused.
    pub refused: u64,
    /// Graphs that reached a limit.
    pub limited: u64,
    /// The number of outputs compared.
    pub judged: u64,
    /// The number of outputs without a bound.
    pub unknown: u64,
    /// For each kind of node: the number of nodes, and how many the delegate ran.
    pub nodes: BTreeMap<String, [u64; 2]>,
    /// Graphs that differ.
    pub found: Vec<Found>,
}

impl Tally {
    /// Counts a graph that agrees.
    pub fn add(&mut self, checked: &Checked) {
        self.graphs += 1;
        match checked.verdict {
            Verdict::Same { judged, unknown } => {
                self.variables += u64::from(super::variables::any(&checked.graph));
                self.judged += judged as u64;
                self.unknown += unknown as u64;
            }
            Verdict::Refused => self.refused += 1,
            Verdict::Limited => self.limited += 1,
            Verdict::Differs(_) => {}
        }
        for (kind, delegated) in &checked.nodes {
            let counts = self.nodes.entry(kind.to_string()).or_default();
            counts[0] += 1;
            counts[1] += u64::from(*delegated);
        }
    }

    /// Adds another tally.
    pub fn merge(&mut self, other: Tally) {
        self.graphs += other.graphs;
        self.variables += other.variables;
        self.refused += other.refused;
        self.limited += other.limited;
        self.judged += other.judged;
        self.unknown += other.unknown;
        for (kind, counts) in other.nodes {
            let sums = self.nodes.entry(kind).or_default();
            *sums = [sums[0] + counts[0], sums[1] + counts[1]];
        }
        self.found.extend(other.found);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "nodes by kind: all, delegated")?;
        for (kind, [all, delegated]) in &self.nodes {
            writeln!(f, "  {kind:<44} {all:>9} {delegated:>9}")?;
        }
        let Tally { graphs, variables, refused, limited, judged, unknown, .. } = self;
        writeln!(
            f,
            "{graphs} graphs: {variables} with variables, {refused} refused by both, {limited} at a limit"
        )?;
        writeln!(f, "{judged} outputs compared, {unknown} without a bound")?;
        for found in &self.found {
            let Setting { delegate, isa, threads, winograd, call } = &found.setting;
            let isa = isa.as_deref().unwrap_or("the best");
            writeln!(
                f,
                "\nseed {} on {delegate}, {isa}, {threads} threads, winograd {winograd}, called as {call:?}: {}",
                found.seed, found.text
            )?;
        }
        write!(f, "{} differ", self.found.len())
    }
}
