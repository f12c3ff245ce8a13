//! The step of a counted loop.

use arenite_abi::prelude::*;

use crate::net::{Scan, ports};
use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::scan;

impl LayerStep for Scan<'_> {
    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }

    fn build(&self, _: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        let step = |node| Ok((crate::ops::build_step(node, net, build)?, ports(node)));
        let steps = self.nodes.iter().map(step).collect::<Result<_>>()?;
        let pick = |wanted: bool| {
            let states = self.states.iter().zip(self.direct());
            states.filter(|(_, direct)| *direct == wanted).map(|(state, _)| *state).collect()
        };
        let kept = self.kept.iter().map(|&[from, to]| (from, to, net.values[to].bytes()));
        Ok(Box::new(scan::Scan {
            rounds: self.rounds,
            steps,
            aliases: self.aliases.iter().map(|&alias| (alias, net.values[alias.to].bytes())).collect(),
            feeds: self.feeds.clone(),
            states: pick(true),
            moved: pick(false),
            lists: self.lists.clone(),
            kept: kept.collect(),
            counters: self.counters.clone(),
            table: scan::Table::of(net.values.len()),
        }))
    }
}
