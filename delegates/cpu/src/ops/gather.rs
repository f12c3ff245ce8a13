//! GATHER, EMBEDDING_LOOKUP: slices of a tensor of whole bytes, which is read where it is.

use arenite_abi::prelude::*;
use arenite_abi::schema::GatherOptions;

use super::moves::{axis_of, width};
use super::{Layer, Source, expect_elements};
use crate::net::{Net, Node};
use crate::program::Step;
use crate::steps::gather;

/// Slices that indices name.
pub struct Gather(gather::Groups);

/// Lowers GATHER.
pub fn gather<'a>(x: &Source<'_, 'a>) -> Result<Node<'a>> {
    let options = x.node.options()?;
    let (axis, batch) = (options.get(GatherOptions::AXIS)?, options.get(GatherOptions::BATCH_DIMS)?);
    lower(x, [0, 1], axis.into(), batch.into())
}

/// Lowers EMBEDDING_LOOKUP of a table that has the output's type.
pub fn embedding_lookup<'a>(x: &Source<'_, 'a>) -> Result<Node<'a>> {
    lower(x, [1, 0], 0, 0)
}

/// `inputs` are the positions of the tensor and of the indices.
fn lower<'a>(x: &Source<'_, 'a>, inputs: [usize; 2], axis: i64, batch: i64) -> Result<Node<'a>> {
    let ((from, a), (at, indices), (output, y)) = (x.input(inputs[0])?, x.input(inputs[1])?, x.output(0)?);
    for value in [a, indices, y] {
        expect_elements(value)?;
    }
    if a.ty != y.ty || !matches!(indices.ty, I16 | I32 | I64) {
        return Err(unsupported!("{} at indices of {} to {} is not taken", a.ty, indices.ty, y.ty));
    }
    let axis = axis_of(axis, a.shape.len())?;
    let batch = if batch < 0 { batch + indices.shape.len() as i64 } else { batch };
    let batch = usize::try_from(batch).ok().filter(|&batch| batch <= axis && batch <= indices.shape.len());
    let batch = batch.ok_or_else(|| invalid!("batch dimensions do not go with axis {axis}"))?;
    let product = |sizes: &[usize]| sizes.iter().product::<usize>();
    let groups = gather::Groups {
        batch: product(&a.shape[..batch]),
        outer: product(&a.shape[batch..axis]),
        axis: a.shape[axis],
        coords: product(&indices.shape[batch..]),
        bytes: product(&a.shape[axis + 1..]) * width(a)?,
    };
    ensure!(
        groups.batch == product(&indices.shape[..batch])
            && groups.batch * groups.outer * groups.coords * groups.bytes == y.bytes(),
        "{:?} at {:?} does not give {:?}",
        a.shape,
        indices.shape,
        y.shape
    );
    Ok(Node::new(Layer::Gather(Gather(groups)), vec![from, at], vec![output]))
}

impl Gather {
    /// The step.
    pub fn build(&self, node: &Node<'_>, net: &Net<'_>) -> Box<dyn Step> {
        Box::new(gather::Gather {
            groups: self.0,
            index: net.values[node.inputs[1]].ty,
            inputs: [node.inputs[0], node.inputs[1]],
            output: node.outputs[0],
        })
    }
}
