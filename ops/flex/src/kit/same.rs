//! Ops that copy their input.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::elements::pick;
use super::kernel::{Call, Inputs, Program};
use super::node_def::NodeDef;

/// A prepared node of the family.
pub struct CopyProgram;

impl Program for CopyProgram {
    type Member = ();

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>, (): &'static ()) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        Ok(CopyProgram)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        pick(call, 0, &[call.input(0)?], |k| Some((0, k)))
    }
}
