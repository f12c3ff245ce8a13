//! GATHER, GATHER_ND, EMBEDDING_LOOKUP: slices of a tensor of whole bytes.

use arenite_abi::prelude::*;
use arenite_abi::schema::GatherOptions;

use super::source::{Source, axis_of, expect_elements};
use crate::layer::gather::Groups;
use crate::layer::moves::width;
use crate::layer::{Common, Gather};
use crate::net::Node;

/// Lowers GATHER.
pub(super) fn gather<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let options = x.node.options()?;
    let (axis, batch) = (options.get(GatherOptions::AXIS)?, options.get(GatherOptions::BATCH_DIMS)?);
    lower(x, [0, 1], axis.into(), batch.into())
}

/// Lowers GATHER_ND by single indices, which gathers along the first axis.
pub(super) fn gather_nd<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let (_, indices) = x.input(1)?;
    if indices.shape.last() != Some(&1) {
        return Err(unsupported!("indices have shape {:?}; rows of one index are supported", indices.shape));
    }
    lower(x, [0, 1], 0, 0)
}

/// Lowers EMBEDDING_LOOKUP of a table with the output's type.
pub(super) fn embedding_lookup<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    lower(x, [1, 0], 0, 0)
}

/// `inputs` are the positions of tensor and indices.
fn lower<'a>(x: &Source<'_, 'a>, inputs: [usize; 2], axis: i64, batch: i64) -> Result<Node<Common<'a>>> {
    let ((from, a), (at, indices), (output, y)) = (x.input(inputs[0])?, x.input(inputs[1])?, x.output(0)?);
    for value in [a, indices, y] {
        expect_elements(value)?;
    }
    if a.ty != y.ty || !matches!(indices.ty, I16 | I32 | I64) {
        return Err(unsupported!(
            "gathering {} by {} indices into {} is not supported",
            a.ty,
            indices.ty,
            y.ty
        ));
    }
    let axis = axis_of(axis, a.shape.len())?;
    let batch = if batch < 0 { batch + indices.shape.len() as i64 } else { batch };
    let batch = usize::try_from(batch).ok().filter(|&batch| batch <= axis && batch <= indices.shape.len());
    let batch = batch.ok_or_else(|| invalid!("the batch dimensions do not fit axis {axis}"))?;
    let product = |sizes: &[usize]| sizes.iter().product::<usize>();
    let groups = Groups {
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
    Ok(Node::new(Common::Gather(Gather(groups)), vec![from, at], vec![output]))
}
