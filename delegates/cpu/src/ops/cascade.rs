//! Consecutive layers that are computed a few rows at a time.

use arenite_abi::prelude::*;

use super::by_rows;
use crate::net::Node;
use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::cascade::{Cascade, RowStep};

impl LayerStep for Vec<Node<'_>> {
    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        let mut layers: Vec<Box<dyn RowStep>> = Vec::new();
        for part in self {
            let rows = by_rows(part).ok_or_else(|| invalid!("a layer of a cascade does not work by rows"))?;
            layers.push(rows.rows(&NodeValues::of(part), net, build)?);
        }
        Ok(Box::new(Cascade::new(layers, build.threads, node.ends())))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
