//! Functions from a row of reals to a row of reals, along the last axis.

use core::marker::PhantomData;

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::kernel::{Call, Inputs, Kernel};
use super::node_def::NodeDef;
use super::number::{put_reals, reals, same_reals};

/// An op of this family.
pub trait Member: Send + Sync + 'static {
    /// The name of the custom op.
    const NAME: &'static str;
    /// Transforms a row in place.
    fn change(row: &mut [f64]);
}

/// A prepared node of the family.
pub struct RowChange<M>(PhantomData<fn() -> M>);

impl<M: Member> Kernel for RowChange<M> {
    const NAME: &'static str = M::NAME;

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        same_reals(&x, &y)?;
        ensure!(x.rank() > 0, "{x} is a scalar; rows are needed");
        Ok(RowChange(PhantomData))
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let size = call.dims(0)?.as_slice().last().map_or(1, |&d| d as usize).max(1);
        let mut x = reals(&call.input(0)?)?;
        x.chunks_exact_mut(size).for_each(M::change);
        put_reals(call.output(0)?, x)
    }
}

/// Subtracts the logarithm of the sum of exponentials from each element.
pub fn log_softmax(row: &mut [f64]) {
    let high = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = row.iter().map(|x| libm::exp(x - high)).sum();
    let log = high + libm::log(sum);
    row.iter_mut().for_each(|x| *x -= log);
}
