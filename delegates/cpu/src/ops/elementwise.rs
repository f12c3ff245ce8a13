//! Functions of one `f32` tensor, and of two with broadcasting.

use arenite_abi::prelude::*;
use arenite_layers::layer::Elementwise;
use arenite_layers::{Id, Loops};

use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::map_f32::{BinaryMap, ChainMap};

impl LayerStep for Elementwise {
    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
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
