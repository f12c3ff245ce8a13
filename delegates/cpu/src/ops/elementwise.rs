//! Functions of one `f32` tensor, and of two with broadcasting.

use arenite_abi::prelude::*;
use arenite_layers::ops::Elementwise;
use arenite_layers::{Id, Loops};

use super::{Build, Offers, Runs};
use crate::net::{Net, Node};
use crate::program::Step;
use crate::steps::map_f32::{BinaryMap, ChainMap};

impl Runs for Elementwise {
    fn build(&self, node: &Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
        let shape = |id: Id| &net.values[id].shape[..];
        let output = node.outputs[0];
        Ok(match *self {
            Elementwise::Chain(ref epilogue) => Box::new(ChainMap {
                map: build.f32_map,
                epilogue: epilogue.clone(),
                input: node.inputs[0],
                output,
            }),
            Elementwise::Two(op, clamp, ref epilogue) => {
                let (a, b) = (node.inputs[0], node.inputs[1]);
                let loops = Loops::new(&[shape(a), shape(b)], shape(output))
                    .ok_or_else(|| invalid!("shapes {:?} and {:?} do not broadcast", shape(a), shape(b)))?;
                let (map, epilogue) = (build.f32_map, epilogue.clone());
                Box::new(BinaryMap { map, op, loops, clamp, epilogue, inputs: [a, b], output })
            }
        })
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
