//! SPACE_TO_BATCH_ND: pads images with zeros (or with the zero point, if they are quantized) and distributes their
//! blocks over a batch of smaller images. Any type of whole bytes.
//! Defined by: tflite/kernels/space_to_batch_nd.cc and kernels/internal/reference/space_to_batch_nd.h.

use arenite_abi::prelude::*;

use crate::kit::moves::Width;
use crate::kit::space_batch::{Arguments, Member, SpaceBatch};

/// A prepared `SPACE_TO_BATCH_ND` node.
pub type SpaceToBatchNd = SpaceBatch<DealOut>;

/// Turns images into a batch.
pub struct DealOut;

impl Member for DealOut {
    const CODE: OpCode = OpCode::Builtin(op::SPACE_TO_BATCH_ND);
    const DEALS_OUT: bool = true;

    fn filling(x: &TensorView<'_>, y: &TensorView<'_>) -> Result<u8> {
        Ok(match Width::of(x.ty)? {
            Width::Bits2 | Width::Bits4 => return Err(Error::unsupported("SPACE_TO_BATCH_ND", x.ty)),
            // TFLite fills both bytes of a wide element with the zero point, which is 0 for INT16.
            Width::Bytes1 | Width::Bytes2 => {
                y.quantization().filter(|q| q.scales.len() == 1).map_or(0, |q| q.zero_points[0] as u8)
            }
            Width::Bytes4 | Width::Bytes8 | Width::Bytes16 => 0,
        })
    }

    /// Negative paddings crop.
    fn sizes(x: &TensorView<'_>, mut sizes: [i64; 4], arguments: &Arguments) -> Result<[i64; 4]> {
        for (axis, size, [before, after]) in arguments.axes() {
            let padded = sizes[axis] + before + after;
            ensure!(
                padded >= 0 && padded % size == 0,
                "axis {axis} of {x}, {} elements and {before} + {after} of padding, is not a multiple of the block size {size}",
                sizes[axis]
            );
            sizes[0] = sizes[0].saturating_mul(size);
            sizes[axis] = padded / size;
        }
        Ok(sizes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, y: Spec, block: &[i32], paddings: &[i32]) -> Result<Tensor> {
        let list = Tensor::i32(&[block.len() as i32], block);
        let pairs = Tensor::i32(&[paddings.len() as i32 / 2, 2], paddings);
        let test = OpTest::<SpaceToBatchNd>::new().input(x).output(y);
        let known = test.clone().constant(list.clone()).constant(pairs.clone()).run();
        assert_same(&known, &test.clone().input(list.clone()).constant(pairs.clone()).run());
        assert_same(&known, &test.constant(list).input(pairs).run());
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn blocks() {
        for (shape, block, paddings, want, elements) in [
            (&[1, 2, 2, 1][..], &[2, 2][..], &[0; 4][..], &[4, 1, 1, 1][..], &[1, 2, 3, 4][..]),
            (&[1, 2, 2, 2], &[1, 2], &[0; 4], &[2, 2, 1, 2], &[1, 2, 5, 6, 3, 4, 7, 8]),
            (&[2, 1, 2, 1], &[1, 2], &[0; 4], &[4, 1, 1, 1], &[1, 3, 2, 4]),
            (&[1, 1, 2, 1], &[2, 2], &[1, 0, 2, 0], &[4, 1, 2, 1], &[0, 0, 0, 0, 0, 1, 0, 2]),
            (&[1, 3, 1, 1], &[2, 1], &[0, 1, 0, 0], &[2, 2, 1, 1], &[1, 3, 2, 0]),
            // The last row is cropped.
            (&[1, 3, 1, 1], &[2, 1], &[0, -1, 0, 0], &[2, 1, 1, 1], &[1, 2]),
            // The first row is cropped, and two rows are appended.
            (&[1, 3, 1, 1], &[2, 1], &[-1, 2, 0, 0], &[2, 2, 1, 1], &[2, 0, 3, 0]),
            (&[1, 4, 1], &[2], &[0, 0], &[2, 2, 1], &[1, 3, 2, 4]),
            (&[1, 2, 1], &[3], &[1, 0], &[3, 1, 1], &[0, 1, 2]),
            (&[0, 2, 1], &[2], &[0, 0], &[0, 1, 1], &[]),
            (&[1, 0, 1], &[2], &[2, 2], &[2, 2, 1], &[0, 0, 0, 0]),
            (&[1, 2, 0], &[1 << 30], &[0, (1 << 30) - 2], &[1 << 30, 1, 0], &[]),
        ] {
            let x: Vec<f32> = (1..=shape.iter().product::<i32>()).map(|i| i as f32).collect();
            let y = run(Tensor::f32(shape, &x), Spec::f32(), block, paddings).unwrap();
            let elements: Vec<f32> = elements.iter().map(|&v| v as f32).collect();
            assert_eq!((y.shape(), y.as_f32()), (want, elements), "{shape:?} by {block:?}");
        }
    }

    #[test]
    fn padding_is_the_zero_point() {
        let run = |x, y| run(x, y, &[2], &[0, 1]).unwrap();
        let y = run(Tensor::i8(&[1, 1, 1], &[5]).quantized(0.5, -7), Spec::i8(0.5, -7));
        assert_eq!(y.as_i8(), [5, -7]);
        let y = run(Tensor::u8(&[1, 1, 1], &[5]).quantized(0.5, 200), Spec::u8(0.5, 200));
        assert_eq!(y.as_u8(), [5, 200]);
        let y = run(Tensor::i16(&[1, 1, 1], &[5]).quantized(0.5, 0), Spec::i16(0.5, 0));
        assert_eq!(y.as_i16(), [5, 0]);
        assert_eq!(run(Tensor::i64(&[1, 1, 1], &[5]), Spec::i64()).as_i64(), [5, 0]);
        assert_eq!(run(Tensor::bool(&[1, 1, 1], &[true]), Spec::bool()).as_bool(), [true, false]);
        // TFLite fills byte by byte, so this gives the same.
        let wide = Tensor::u16(&[1, 1, 1], &[5]).quantized(0.5, 3);
        assert_eq!(run(wide, Spec::of(U16).quantized(0.5, 3)).as_u16(), [5, 0x0303]);
    }
}
