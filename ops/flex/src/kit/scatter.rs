//! Slices of updates that go where indices say.

use core::marker::PhantomData;

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::complex;
use super::functions;
use super::kernel::{Call, Inputs, Kernel, integers};
use super::node_def::NodeDef;
use super::number::Number;
use crate::by_type;

/// What an update does to an element.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// Replaces it.
    Update,
    /// Is added.
    Add,
    /// Is subtracted.
    Sub,
    /// The larger one stays.
    Max,
    /// The smaller one stays.
    Min,
}

/// An op of this family.
pub trait Member: Send + Sync + 'static {
    /// The custom op.
    const NAME: &'static str;
    /// What an update does.
    const KIND: Kind;
    /// Whether updates go to zeros of a given shape (inputs `indices, updates, shape`) and not to a tensor (inputs
    /// `tensor, indices, updates`).
    const TO_ZEROS: bool = false;
}

/// The op.
pub struct Scatter<M>(PhantomData<fn() -> M>);

impl<M: Member> Kernel for Scatter<M> {
    const NAME: &'static str = M::NAME;

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let (updates, y) = (node.input(if M::TO_ZEROS { 1 } else { 2 })?, node.output(0)?);
        ensure!(
            updates.ty == y.ty,
            "'{}' is {}, output is {}; they must agree",
            updates.name,
            updates.ty,
            y.ty
        );
        Ok(Scatter(PhantomData))
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let [indices, updates] = [0, 1].map(|i| x.dims(i + usize::from(!M::TO_ZEROS)));
        let output = if M::TO_ZEROS { x.sizes(2)? } else { Some(x.dims(0)?) };
        let (indices, updates, Some(output)) = (indices?, updates?, output) else { return Ok(None) };
        let depth = depth(&indices, &output)?;
        let outer = indices.rank().saturating_sub(1);
        let wanted = indices.as_slice()[..outer].iter().chain(&output.as_slice()[depth..]);
        ensure!(
            updates.as_slice().iter().eq(wanted),
            "updates are {:?}, which does not go with indices {:?} into {:?}",
            updates.as_slice(),
            indices.as_slice(),
            output.as_slice()
        );
        Ok(Some(output))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let ty = call.cx.node().output(0)?.ty;
        by_type!(ty,
            float: T => self.run::<T>(call, |a, b| match M::KIND {
                Kind::Update => b,
                Kind::Add => a + b,
                Kind::Sub => a - b,
                Kind::Max => functions::maximum(a, b),
                Kind::Min => functions::minimum(a, b),
            }),
            int: T => self.run::<T>(call, |a, b| match M::KIND {
                Kind::Update => b,
                Kind::Add => a.wrapping_add(b),
                Kind::Sub => a.wrapping_sub(b),
                Kind::Max => a.max(b),
                Kind::Min => a.min(b),
            }),
            complex: T => self.run::<T>(call, |a, b| match M::KIND {
                Kind::Add => complex::add(a, b),
                Kind::Sub => complex::sub(a, b),
                _ => b,
            }),
            bool: T => self.run::<T>(call, |a, b| match M::KIND {
                Kind::Add | Kind::Max => a || b,
                Kind::Min => a && b,
                _ => b,
            }),
        )
    }
}

/// How many axes an index names.
fn depth(indices: &Dims, output: &Dims) -> Result<usize> {
    let depth = indices.as_slice().last().map_or(1, |&d| d as usize);
    ensure!(
        depth <= output.rank(),
        "indices are {:?}, the output is {:?}, which has fewer axes than an index",
        indices.as_slice(),
        output.as_slice()
    );
    Ok(depth)
}

impl<M: Member> Scatter<M> {
    fn run<T: Number>(
        &self,
        call: &Call<'_, '_>,
        combine: impl Fn(T::Wide, T::Wide) -> T::Wide,
    ) -> Result<()> {
        let first = usize::from(!M::TO_ZEROS);
        let dims = call.output_dims(0)?;
        let depth = depth(&call.dims(first)?, &dims)?;
        let starts = starts(&integers(&call.input(first)?)?, depth, &dims)?;
        let updates = call.slice::<T>(first + 1)?;
        let (tensor, y) =
            (if M::TO_ZEROS { None } else { Some(call.slice::<T>(0)?) }, call.output_slice::<T>(0)?);
        match tensor {
            Some(tensor) => y.copy_from_slice(tensor),
            None => y.fill(T::zeroed()),
        }
        let slice = dims.product(depth, dims.rank());
        if slice == 0 {
            return Ok(());
        }
        for (start, updates) in starts.into_iter().zip(updates.chunks_exact(slice)) {
            for (y, &update) in y[start..start + slice].iter_mut().zip(updates) {
                *y = T::narrow(combine(y.wide(), update.wide()));
            }
        }
        Ok(())
    }
}

/// The first element of each slice that indices name.
pub fn starts(indices: &[i64], depth: usize, dims: &Dims) -> Result<Vec<usize>> {
    if depth == 0 {
        return Ok(vec![0]);
    }
    let inner = dims.product(depth, dims.rank());
    let mut starts = Vec::with_capacity(indices.len() / depth);
    for index in indices.chunks_exact(depth) {
        let mut start = 0;
        for (axis, &i) in index.iter().enumerate() {
            let size = dims.size(axis);
            let inside = usize::try_from(i).ok().filter(|&i| i < size);
            let i = inside
                .ok_or_else(|| invalid!("index {index:?} lies outside of {:?}", &dims.as_slice()[..depth]))?;
            start = start * size + i;
        }
        starts.push(start * inner);
    }
    Ok(starts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::testing::{one, refusal};
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        let x = Tensor::i32(&[3, 2], &[1, 2, 3, 4, 5, 6]);
        let (indices, updates) = (Tensor::i32(&[2, 1], &[2, 0]), Tensor::i32(&[2, 2], &[9, 0, 0, 9]));
        let inputs = [x, indices.clone(), updates.clone()];
        assert_eq!(
            one::<crate::tensor_scatter_max::TensorScatterMax>(&[], &inputs, I32).as_i32(),
            [1, 9, 3, 4, 9, 6]
        );
        assert_eq!(
            one::<crate::tensor_scatter_sub::TensorScatterSub>(&[], &inputs, I32).as_i32(),
            [1, -7, 3, 4, -4, 6]
        );
        let inputs = [indices, updates, Tensor::i32(&[2], &[3, 2])];
        assert_eq!(one::<crate::scatter_nd::ScatterNd>(&[], &inputs, I32).as_i32(), [0, 9, 0, 0, 9, 0]);
    }

    #[test]
    fn refusals() {
        let inputs = [Tensor::i32(&[3], &[0; 3]), Tensor::i32(&[1, 1], &[3]), Tensor::i32(&[1], &[1])];
        assert_eq!(
            refusal::<crate::tensor_scatter_add::TensorScatterAdd>(&[], &inputs, &[I32]),
            "index [3] lies outside of [3]"
        );
        let inputs = [Tensor::i32(&[3], &[0; 3]), Tensor::i32(&[1, 1], &[0]), Tensor::i32(&[2], &[1, 1])];
        assert_eq!(
            refusal::<crate::tensor_scatter_add::TensorScatterAdd>(&[], &inputs, &[I32]),
            "updates are [2], which does not go with indices [1, 1] into [3]"
        );
    }
}
