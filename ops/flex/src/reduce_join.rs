//! ReduceJoin: joins the strings along axes with the attribute `separator`. The first axis listed varies fastest.
//! Inputs: strings, axes.
//! Defined by: tensorflow/core/kernels/reduce_join_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::{ravel, unravel};
use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, integers, shape_of};
use crate::kit::node_def::NodeDef;

/// The `FlexReduceJoin` op.
pub type ReduceJoin = Node<Definition>;

/// Attributes, shape function and kernel of `FlexReduceJoin`.
pub struct Definition {
    keep: bool,
    separator: Vec<u8>,
}

fn axes(list: &[i64], rank: usize) -> Result<Vec<usize>> {
    let axes = list.iter().map(|&axis| axis_of(axis, rank)).collect::<Result<Vec<_>>>()?;
    for (i, axis) in axes.iter().enumerate() {
        ensure!(!axes[..i].contains(axis), "axis {axis} is listed twice");
    }
    Ok(axes)
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexReduceJoin";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.binary()?;
        let separator = def.bytes("separator", b"")?.to_vec();
        Ok(Definition { keep: def.bool("keep_dims", false)?, separator })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, Some(list)) = (x.dims(0)?, x.integers(1)?) else { return Ok(None) };
        let axes = axes(&list, dims.rank())?;
        let sizes = dims.as_slice().iter().enumerate().filter_map(|(axis, &size)| {
            if axes.contains(&axis) { self.keep.then_some(1) } else { Some(i64::from(size)) }
        });
        shape_of(sizes).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (strings, dims, output) = (call.strings(0)?, call.dims(0)?, call.output_dims(0)?);
        call.string_count(&output, strings.len().saturating_mul(self.separator.len()))?;
        let axes = axes(&integers(&call.input(1)?)?, dims.rank())?;
        let kept: Vec<usize> = (0..dims.rank()).filter(|axis| !axes.contains(axis)).collect();
        let outer = shape_of(kept.iter().map(|&axis| dims.size(axis) as i64))?;
        let joined = shape_of(axes.iter().rev().map(|&axis| dims.size(axis) as i64))?;
        let texts: Vec<Vec<u8>> = (0..outer.flat_size())
            .map(|k| {
                let (mut at, fixed) = ([0; 8], unravel(k, &outer));
                kept.iter().zip(fixed).for_each(|(&axis, i)| at[axis] = i);
                let mut text = Vec::new();
                for j in 0..joined.flat_size() {
                    axes.iter().rev().zip(unravel(j, &joined)).for_each(|(&axis, i)| at[axis] = i);
                    if j > 0 {
                        text.extend(&self.separator);
                    }
                    text.extend(strings.get(ravel(&at, &dims)).unwrap_or_default());
                }
                text
            })
            .collect();
        call.put_strings(0, &output, &texts)
    }
}
