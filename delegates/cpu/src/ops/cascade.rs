//! Layers one behind the other, some rows of each at a time.

use arenite_abi::prelude::*;

use super::{Build, Offers, Runs, by_rows};
use crate::net::{Net, Node};
use crate::program::Step;
use crate::steps::cascade::{Cascade, Rows};

impl Runs for Vec<Node<'_>> {
    fn build(&self, node: &Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
        let mut layers: Vec<Box<dyn Rows>> = Vec::new();
        for part in self {
            let rows = by_rows(part).ok_or_else(|| invalid!("a layer of a cascade does not work by rows"))?;
            layers.push(rows.rows(part, net, build)?);
        }
        Ok(Box::new(Cascade::new(layers, build.threads, (node.inputs[0], node.outputs[0]))))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
