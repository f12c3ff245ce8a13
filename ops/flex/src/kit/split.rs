//! Splitting the input along an axis.

use core::marker::PhantomData;

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::elements::pick;
use super::kernel::{Call, Inputs, Kernel, axis_of, shape_of};
use super::node_def::NodeDef;

/// An op of this family.
pub trait Member: Send + Sync + 'static {
    /// The name of the custom op.
    const NAME: &'static str;
    /// Whether the inputs are tensor, sizes, axis; otherwise they are axis, tensor, and the parts are equal.
    const SIZES: bool;
}

/// A prepared node of the family.
pub struct Split<M> {
    count: usize,
    of: PhantomData<fn() -> M>,
}

impl<M: Member> Kernel for Split<M> {
    const NAME: &'static str = M::NAME;

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        let inputs = 2 + usize::from(M::SIZES);
        node.expect(inputs..=inputs, 1..=usize::MAX)?;
        Ok(Split { count: node.output_count(), of: PhantomData })
    }

    fn shape(&self, x: &Inputs<'_, '_>, output: usize) -> Result<Option<Dims>> {
        let Some((axis, parts)) = self.parts(x)? else { return Ok(None) };
        let mut sizes: Vec<i64> = x.dims(Self::TENSOR)?.as_slice().iter().map(|&d| d.into()).collect();
        sizes[axis] = parts.get(output).copied().unwrap_or_default() as i64;
        shape_of(sizes).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (axis, parts) = self.parts(&call.inputs())?.ok_or_else(|| invalid!("no axis"))?;
        let (_, size, inner) = call.dims(Self::TENSOR)?.split_at(axis);
        let mut start = 0;
        for (i, part) in parts.into_iter().enumerate() {
            if call.wants(i) {
                pick(call, i, &[call.input(Self::TENSOR)?], |k| {
                    let (outer, rest) = (k / (part * inner), k % (part * inner));
                    Some((0, (outer * size + start) * inner + rest))
                })?;
            }
            start += part;
        }
        Ok(())
    }
}

impl<M: Member> Split<M> {
    const TENSOR: usize = if M::SIZES { 0 } else { 1 };

    /// The axis and the size of each part; `None` if they are not known yet.
    fn parts(&self, x: &Inputs<'_, '_>) -> Result<Option<(usize, Vec<usize>)>> {
        let dims = x.dims(Self::TENSOR)?;
        let Some(axis) = (if M::SIZES { x.integer(2) } else { x.scalar(0) })? else { return Ok(None) };
        let axis = axis_of(axis, dims.rank())?;
        if !M::SIZES {
            let (all, count) = (dims.size(axis), self.count);
            let equal = all.checked_rem(count) == Some(0);
            ensure!(equal, "axis {axis} of {:?} cannot be split into {count} equal parts", dims.as_slice());
            return Ok(Some((axis, vec![all / count; count])));
        }
        let Some(sizes) = x.list(1)? else { return Ok(None) };
        let all = dims.size(axis) as i64;
        ensure!(
            sizes.len() == self.count,
            "{} sizes for {} parts; their numbers must agree",
            sizes.len(),
            self.count
        );
        let (unknown, known): (Vec<i64>, Vec<i64>) = sizes.iter().partition(|&&size| size == -1);
        ensure!(unknown.len() <= 1, "sizes {sizes:?} have more than one -1");
        let rest = known.iter().fold(all, |rest, &size| rest.saturating_sub(size));
        let fits = known.iter().all(|size| (0..=all).contains(size))
            && if unknown.is_empty() { rest == 0 } else { rest >= 0 };
        ensure!(fits, "sizes {sizes:?} do not add up to axis {axis} of {:?}", dims.as_slice());
        let parts = sizes.iter().map(|&size| if size == -1 { rest as usize } else { size as usize });
        Ok(Some((axis, parts.collect())))
    }
}
