//! Tile: repeats the input along each axis. Any type.
//! Defined by: tensorflow/core/kernels/tile_ops.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::{pick, ravel, unravel};
use crate::kit::kernel::{Call, Inputs, Kernel, Node, shape_of};
use crate::kit::node_def::NodeDef;

/// The `FlexTile` op.
pub type Tile = Node<Definition>;

/// Shape function and kernel of `FlexTile`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexTile";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, Some(times)) = (x.dims(0)?, x.list(1)?) else { return Ok(None) };
        ensure!(
            times.len() == dims.rank(),
            "{} multiples for {:?}; one is needed for each axis",
            times.len(),
            dims.as_slice()
        );
        shape_of(dims.as_slice().iter().zip(&times).map(|(&d, &n)| i64::from(d).saturating_mul(n))).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (dims, output) = (call.dims(0)?, call.output_dims(0)?);
        pick(call, 0, &[call.input(0)?], |k| {
            let mut at = unravel(k, &output);
            (0..dims.rank()).for_each(|axis| at[axis] %= dims.size(axis).max(1));
            Some((0, ravel(&at, &dims)))
        })
    }
}
