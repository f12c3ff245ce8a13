//! Reductions of the slices of each segment: SEGMENT_SUM, UNSORTED_SEGMENT_MAX, ...
//!
//! ```text
//! x   = [ids…, inner…]
//! ids = [ids…]
//! y   = [segments, inner…]
//! ```
//!
//! Defined by: tflite/kernels/unsorted_segment.cc, tflite/kernels/segment_sum.cc,
//! tflite/kernels/internal/reference/reference_ops.h (`UnsortedSegmentRef`).

use core::marker::PhantomData;

use arenite_abi::prelude::*;

use super::arguments::{Integers, expect_type};
use super::indexing::Dims;
use super::node;
use super::number::{Combine, Number};

/// The parameters of an UNSORTED_SEGMENT op, which its op file provides.
pub trait Segment: Combine {
    /// The code of the op.
    const CODE: OpCode;
}

plain! {
    /// A prepared node of an UNSORTED_SEGMENT op.
    pub struct UnsortedSegments<marker C> {
        /// The shape of the output; `None` if it depends on data.
        output: Maybe<Dims>,
        combine: PhantomData<C>,
    }
}

impl<C: Segment> Op for UnsortedSegments<C> {
    const CODE: OpCode = C::CODE;
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let (x, ids, count, y) = (node.input(0)?, node.input(1)?, node.input(2)?, node.output(0)?);
        node::same_type(&x, &y)?;
        expect_type(&ids, &[I32])?;
        expect_type(&count, &[I32])?;
        let output = match ids.is_constant() && count.is_constant() {
            true => Some(output_dims(&x, &ids, &count)?),
            false => None,
        };
        match &output {
            Some(dims) => cx.set_output_shape(0, dims.as_slice())?,
            None => cx.set_output_dynamic(0)?,
        }
        Ok(UnsortedSegments { output: output.into(), combine: PhantomData })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, ids) = (cx.input(0)?, cx.input(1)?);
        let y = match self.output.get() {
            Some(_) => cx.output(0)?,
            None => cx.resize_output(0, output_dims(&x, &ids, &cx.input(2)?)?.as_slice())?,
        };
        match x.ty {
            F32 => combine::<f32, C>(&x, &ids, y),
            _ => combine::<i32, C>(&x, &ids, y),
        }
    }
}

/// The shape of the output. Checks that the ids are in range.
fn output_dims(x: &TensorView<'_>, ids: &TensorView<'_>, count: &TensorView<'_>) -> Result<Dims> {
    ensure!(
        x.shape.starts_with(ids.shape),
        "ids {ids} are {:?}, input {x} is {:?}; it must start with the sizes of the ids",
        ids.shape,
        x.shape
    );
    ensure!(
        matches!(count.shape, [] | [1]),
        "the number of segments {count} is {:?}; it must be one number",
        count.shape
    );
    let segments = Integers::scalar(count)? as i32;
    ensure!(segments >= 0, "the number of segments is {segments}; it must not be negative");
    let largest = ids.as_slice::<i32>()?.iter().copied().max().unwrap_or(-1);
    ensure!(
        largest < segments,
        "ids {ids} hold {largest}, there are {segments} segments; ids must be smaller"
    );
    with_segments(x, ids.rank(), segments)
}

/// The shape `[segments, inner…]`, where `inner` is the first inner axis of `x`.
///
/// # Errors
/// The shape is too large.
pub fn with_segments(x: &TensorView<'_>, inner: usize, segments: i32) -> Result<Dims> {
    let sizes = [segments].into_iter().chain(x.shape[inner..].iter().copied());
    Dims::from_sizes(sizes)
        .ok_or_else(|| invalid!("{segments} segments of input {x} {:?}: too large", x.shape))
}

/// Combines the slices of each segment, in order. Negative ids are skipped; all others must be within the output.
///
/// # Errors
/// A tensor does not have the type `T`, or the invocation is cancelled.
pub fn combine<T: Number, C: Combine>(
    x: &TensorView<'_>,
    ids: &TensorView<'_>,
    y: TensorViewMut<'_>,
) -> Result<()> {
    let inner = Dims::new(&y.shape()[1..]).map_or(0, |dims| dims.flat_size());
    let (x, ids, y) = (x.as_slice::<T>()?, ids.as_slice::<i32>()?, y.into_slice::<T>()?);
    y.fill(C::nothing());
    if inner == 0 {
        return Ok(());
    }
    for (slice, &id) in x.chunks_exact(inner).zip(ids) {
        let Ok(id) = usize::try_from(id) else { continue };
        let segment = y.chunks_exact_mut(inner).nth(id).into_iter().flatten();
        segment.zip(slice).for_each(|(so_far, &next)| *so_far = C::with(*so_far, next));
    }
    Ok(())
}

/// Helpers for the tests of the ops.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run<C: Segment>(x: Tensor, shape: &[i32], ids: &[i32], segments: i32) -> Result<Tensor> {
        let test = OpTest::<UnsortedSegments<C>>::new().output(Spec::of(x.ty())).input(x);
        let (ids, count) = (Tensor::i32(shape, ids), Tensor::i32(&[], &[segments]));
        let known = test.clone().constant(ids.clone()).constant(count.clone()).run();
        crate::kit::assert_same(&known, &test.clone().constant(ids.clone()).input(count).run());
        crate::kit::assert_same(&known, &test.input(ids).constant(Tensor::i32(&[1], &[segments])).run());
        known.map(|mut y| y.remove(0))
    }

    /// Checks an op: the results for 2 and 3, for 2, 3 and i32::MAX, and for an empty segment.
    pub(crate) fn expect<C: Segment>(two: f32, three: i32, nothing: (f32, i32)) {
        let x = Tensor::f32(&[4, 2], &[2., 1., 9., 9., 3., 1., 5., -5.]);
        let y = run::<C>(x, &[4], &[2, -1, 2, 0], 3).unwrap();
        assert_eq!(
            (y.shape(), y.as_f32()),
            (&[3, 2][..], vec![5., -5., nothing.0, nothing.0, two, C::with(1., 1.)])
        );
        let x = Tensor::i32(&[3], &[2, 3, i32::MAX]);
        let y = run::<C>(x, &[3], &[0, 0, 0], 2).unwrap();
        assert_eq!((y.shape(), y.as_i32()), (&[2][..], vec![three, nothing.1]));
        // Ids may have any rank up to the input's, also 0.
        let y = run::<C>(Tensor::f32(&[2, 2], &[2., 7., 8., 3.]), &[2, 2], &[1, 0, 0, 1], 2).unwrap();
        assert_eq!((y.shape(), y.as_f32()), (&[2][..], vec![C::with(7., 8.), two]));
        let y = run::<C>(Tensor::i32(&[2], &[5, 6]), &[], &[1], 2).unwrap();
        assert_eq!((y.shape(), y.as_i32()), (&[2, 2][..], vec![nothing.1, nothing.1, 5, 6]));
        let y = run::<C>(Tensor::i32(&[0, 2], &[]), &[0], &[], 1).unwrap();
        assert_eq!((y.shape(), y.as_i32()), (&[1, 2][..], vec![nothing.1; 2]));
        assert!(run::<C>(Tensor::i32(&[1, 2], &[5, 6]), &[1], &[-3], 0).unwrap().as_i32().is_empty());
        assert!(run::<C>(Tensor::i32(&[1, 0], &[]), &[1], &[1], 2).unwrap().as_i32().is_empty());
    }
}
