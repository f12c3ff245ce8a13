//! TOPK_V2 of bytes, `i16`, `i32` and `f32`, for a constant k that is small.
//!
//! Defined by: tflite/kernels/topk_v2.cc.

use arenite_abi::prelude::*;
use arenite_layers::lower::expect_elements;
use arenite_layers::{Node, Source};

use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::top::{self, Elements, MOST};

/// The largest elements of each row.
pub(crate) struct Top {
    row: usize,
    count: usize,
}

/// Lowers TOPK_V2.
pub(super) fn lower(x: &Source<'_, '_>) -> Result<Node<Top>> {
    let ((input, a), (values, y), (places, at)) = (x.input(0)?, x.output(0)?, x.output(1)?);
    for value in [a, y, at] {
        expect_elements(value)?;
    }
    if a.ty != y.ty || at.ty != I32 {
        return Err(unsupported!("{} from {} with places of {} is not supported", y.ty, a.ty, at.ty));
    }
    let count = x.integers(1)?;
    let (&[count], Some(&row)) = (&count[..], a.shape.last()) else {
        return Err(unsupported!("k is {count:?}, the input has shape {:?}", a.shape));
    };
    let count = usize::try_from(count).ok().filter(|count| (1..=row.min(MOST)).contains(count));
    let count =
        count.ok_or_else(|| unsupported!("k of 1 to {MOST} is supported, not {:?}", x.integers(1)))?;
    ensure!(
        i32::try_from(row).is_ok() && y.len() == a.len() / row * count && at.len() == y.len(),
        "input {:?} does not become {:?} and {:?} with k of {count}",
        a.shape,
        y.shape,
        at.shape
    );
    Ok(Node::new(Top { row, count }, vec![input], vec![values, places]))
}

impl Top {
    /// The step.
    pub(crate) fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>) -> Result<Box<dyn Step>> {
        let input = node.inputs[0];
        let value = &net.values[input];
        let elements = match value.ty {
            I8 => Elements::Bytes(0x80),
            U8 => Elements::Bytes(0),
            I16 => Elements::Shorts,
            I32 => Elements::Wholes,
            F32 => Elements::Reals,
            ty => return Err(unsupported!("{value} is {ty}")),
        };
        let outputs = [node.outputs[0], node.outputs[1]];
        let rows = value.len() / self.row;
        Ok(Box::new(top::Top { elements, rows, row: self.row, count: self.count, input, outputs }))
    }
}
