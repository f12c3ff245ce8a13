//! REVERSE_SEQUENCE: reverses the first `lengths[b]` elements of batch `b` along the sequence axis, and copies the
//! rest. Any type of fixed size; lengths INT32, INT64.
//! Defined by: tflite/kernels/reverse_sequence.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::ReverseSequenceOptions;

use crate::kit::arguments::{expect_type, expect_vector};
use crate::kit::indexing::{Dims, Nest};
use crate::kit::moves::Width;
use crate::kit::node;
use crate::kit::rearrange::with_size;

plain! {
    /// A prepared `REVERSE_SEQUENCE` node.
    pub struct ReverseSequence {
        dims: Dims,
        sequence: usize,
        batch: usize,
    }
}

impl Op for ReverseSequence {
    const CODE: OpCode = OpCode::Builtin(op::REVERSE_SEQUENCE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, lengths, y) = node.binary()?;
        node::same_type(&x, &y)?;
        Width::of(x.ty)?;
        expect_type(&lengths, &[I32, I64])?;
        let (dims, options) = (node::dims(&x)?, node.options()?);
        let axis = |field| -> Result<usize> {
            let axis: i32 = options.get(field)?;
            usize::try_from(axis)
                .ok()
                .filter(|&axis| axis < x.rank())
                .ok_or_else(|| invalid!("axis {axis} does not exist: input {x} is {:?}", x.shape))
        };
        let (sequence, batch) =
            (axis(ReverseSequenceOptions::SEQ_DIM)?, axis(ReverseSequenceOptions::BATCH_DIM)?);
        ensure!(sequence != batch, "axis {batch} is both its batch and its sequence axis");
        let count = expect_vector(&lengths)?;
        ensure!(
            count == dims.size(batch),
            "{lengths} has {count} lengths, axis {batch} of input {x} has {} elements; they must agree",
            dims.size(batch)
        );
        cx.set_output_shape(0, x.shape)?;
        Ok(ReverseSequence { dims, sequence, batch })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let lengths = cx.input(1)?;
        match lengths.ty {
            I32 => self.reverse(cx, lengths.name(), lengths.as_slice::<i32>()?),
            _ => self.reverse(cx, lengths.name(), lengths.as_slice::<i64>()?),
        }
    }
}

impl ReverseSequence {
    fn reverse<I: Element + Into<i64>>(&self, cx: &EvalContext<'_>, name: &str, lengths: &[I]) -> Result<()> {
        let (x, whole) = (cx.input(0)?, self.dims.size(self.sequence));
        let (width, to) = (Width::of(x.ty)?, cx.output(0)?.into_bytes());
        width.clear_rest(to);
        for (batch, &length) in lengths.iter().enumerate() {
            let length: i64 = length.into();
            ensure!(
                length <= whole as i64,
                "length {length} at position {batch} of '{name}' exceeds the {whole} elements of a sequence"
            );
            let length = length.max(0) as usize;
            width.copy(&self.part(batch, length, length, -1)?, x.bytes(), to)?;
            width.copy(&self.part(batch, whole, whole - length, 1)?, x.bytes(), to)?;
        }
        Ok(())
    }

    /// Loops that copy the last `count` of the first `end` elements of one batch's sequences to the same positions, or,
    /// with `direction` −1, to their positions after these `end` elements were reversed.
    fn part(&self, batch: usize, end: usize, count: usize, direction: isize) -> Result<Nest<2>> {
        let part = with_size(&with_size(&self.dims, self.batch, 1)?, self.sequence, count as i32)?;
        let from = self.dims.strides();
        let mut to = from;
        to[self.sequence] *= direction;
        let first = batch as isize * from[self.batch];
        let along = |position: usize| first + position as isize * from[self.sequence];
        let target = if direction < 0 { end.saturating_sub(1) } else { end - count };
        Ok(Nest::new(&part, [from, to]).starting_at([along(end - count), along(target)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, lengths: Tensor, sequence: i32, batch: i32) -> Result<Tensor> {
        let test = OpTest::<ReverseSequence>::new().input(x.clone()).input(lengths).output(Spec::of(x.ty()));
        let test = test.options(|o| {
            o.set(ReverseSequenceOptions::SEQ_DIM, sequence).set(ReverseSequenceOptions::BATCH_DIM, batch)
        });
        test.run().map(|mut y| y.remove(0))
    }

    #[test]
    fn sequences() {
        for (shape, lengths, sequence, batch, want) in [
            (&[2, 3][..], &[2, 3][..], 1, 0, &[1, 0, 2, 5, 4, 3][..]),
            (&[3, 2], &[2, 3], 0, 1, &[2, 5, 0, 3, 4, 1]),
            (&[2, 3], &[0, 1], 1, 0, &[0, 1, 2, 3, 4, 5]),
            (&[2, 3], &[-7, i32::MIN], 1, 0, &[0, 1, 2, 3, 4, 5]),
            (&[2, 2, 2], &[2, 1], 1, 0, &[2, 3, 0, 1, 4, 5, 6, 7]),
            (&[2, 2, 2], &[2, 1], 0, 2, &[4, 1, 6, 3, 0, 5, 2, 7]),
            (&[0, 3], &[], 1, 0, &[]),
            (&[2, 0], &[0, 0], 1, 0, &[]),
        ] {
            let x: Vec<i16> = (0..shape.iter().product::<i32>()).map(|i| i as i16).collect();
            let long: Vec<i64> = lengths.iter().map(|&v| v.into()).collect();
            let count = [lengths.len() as i32];
            let y = run(Tensor::i16(shape, &x), Tensor::i32(&count, lengths), sequence, batch).unwrap();
            assert_eq!((y.shape(), y.as_i16()), (shape, want.to_vec()), "{shape:?} {lengths:?}");
            assert_eq!(run(Tensor::i16(shape, &x), Tensor::i64(&count, &long), sequence, batch).unwrap(), y);
        }
        let y = run(Tensor::f32(&[1, 2], &[1.0, 2.0]), Tensor::i32(&[1], &[2]), 1, 0).unwrap();
        assert_eq!(y.as_f32(), [2.0, 1.0]);
        let y = run(Tensor::i4(&[1, 3], &[1, 2, 3]), Tensor::i32(&[1], &[2]), 1, 0).unwrap();
        assert_eq!(y.as_i4(), [2, 1, 3]);
    }
}
