//! Ops that copy their input.

use core::marker::PhantomData;

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::elements::pick;
use super::kernel::{Call, Inputs, Kernel};
use super::node_def::NodeDef;

/// An op of this family.
pub trait Member: Send + Sync + 'static {
    /// The name of the custom op.
    const NAME: &'static str;
}

/// A prepared node of the family.
pub struct Same<M>(PhantomData<fn() -> M>);

impl<M: Member> Kernel for Same<M> {
    const NAME: &'static str = M::NAME;

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        Ok(Same(PhantomData))
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        pick(call, 0, &[call.input(0)?], |k| Some((0, k)))
    }
}
