//! SEGMENT_SUM: the sums of neighboring slices with the same id. Ids start at 0 and increase by 0 or 1. f32; i32, which
//! wraps.
//! Defined by: tflite/kernels/segment_sum.cc, tflite/kernels/internal/reference/reference_ops.h (`SegmentSum`).

use arenite_abi::prelude::*;

use crate::kit::arguments::{expect_type, expect_vector};
use crate::kit::indexing::Dims;
use crate::kit::node;
use crate::kit::segments::{combine, with_segments};
use crate::unsorted_segment_sum::Sum;

plain! {
    /// A prepared `SEGMENT_SUM` node.
    pub struct SegmentSum {
        /// The shape of the output; `None` if it depends on data.
        output: Maybe<Dims>,
    }
}

impl Op for SegmentSum {
    const CODE: OpCode = OpCode::Builtin(op::SEGMENT_SUM);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, ids, y) = node.binary()?;
        node::same_type(&x, &y)?;
        expect_type(&ids, &[I32])?;
        let output = match ids.is_constant() {
            true => Some(output_dims(&x, &ids)?),
            false => None,
        };
        match &output {
            Some(dims) => cx.set_output_shape(0, dims.as_slice())?,
            None => cx.set_output_dynamic(0)?,
        }
        Ok(SegmentSum { output: output.into() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, ids) = (cx.input(0)?, cx.input(1)?);
        let y = match self.output.get() {
            Some(_) => cx.output(0)?,
            None => cx.resize_output(0, output_dims(&x, &ids)?.as_slice())?,
        };
        match x.ty {
            F32 => combine::<f32, Sum>(&x, &ids, y),
            _ => combine::<i32, Sum>(&x, &ids, y),
        }
    }
}

/// The shape of the output. Checks the ids.
fn output_dims(x: &TensorView<'_>, ids: &TensorView<'_>) -> Result<Dims> {
    let count = expect_vector(ids)?;
    ensure!(
        x.shape.first() == ids.shape.first(),
        "input {x} is {:?}, but {ids} has {count} ids; the input needs one row per id",
        x.shape
    );
    let mut segments = 0;
    for (i, &id) in ids.as_slice::<i32>()?.iter().enumerate() {
        ensure!(
            id == segments || (i > 0 && id == segments - 1),
            "id {i} of {ids} is {id} after {}; ids start at 0 and increase by 0 or 1",
            segments - 1
        );
        segments = id + 1;
    }
    with_segments(x, 1, segments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, ids: &[i32]) -> Result<Tensor> {
        let test = OpTest::<SegmentSum>::new().output(Spec::of(x.ty())).input(x);
        let ids = Tensor::i32(&[ids.len() as i32], ids);
        let known = test.clone().constant(ids.clone()).run();
        crate::kit::assert_same(&known, &test.input(ids).run());
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn sums() {
        let y = run(Tensor::f32(&[4, 2], &[1., 2., 3., 4., 5., 6., 7., 8.]), &[0, 0, 1, 2]).unwrap();
        assert_eq!((y.shape(), y.as_f32()), (&[3, 2][..], vec![4., 6., 5., 6., 7., 8.]));
        let y = run(Tensor::i32(&[3], &[i32::MAX, 1, 7]), &[0, 0, 1]).unwrap();
        assert_eq!((y.shape(), y.as_i32()), (&[2][..], vec![i32::MIN, 7]));
        let y = run(Tensor::i32(&[0, 2], &[]), &[]).unwrap();
        assert_eq!((y.shape(), y.as_i32()), (&[0, 2][..], vec![]));
    }
}
