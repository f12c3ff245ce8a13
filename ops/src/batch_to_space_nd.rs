//! BATCH_TO_SPACE_ND: assembles images from the blocks of a batch, then crops them. Any type of fixed size.
//! Defined by: tflite/kernels/batch_to_space_nd.cc and kernels/internal/reference/batch_to_space_nd.h.

use arenite_abi::prelude::*;

use crate::kit::space_batch::{Arguments, Member, SpaceBatch};

/// A prepared `BATCH_TO_SPACE_ND` node.
pub type BatchToSpaceNd = SpaceBatch<Collect>;

/// Turns a batch into images.
pub struct Collect;

impl Member for Collect {
    const CODE: OpCode = OpCode::Builtin(op::BATCH_TO_SPACE_ND);
    const DEALS_OUT: bool = false;

    /// Unused, because all elements come from the batch.
    fn filling(_: &TensorView<'_>, _: &TensorView<'_>) -> Result<u8> {
        Ok(0)
    }

    fn sizes(x: &TensorView<'_>, mut sizes: [i64; 4], arguments: &Arguments) -> Result<[i64; 4]> {
        for (axis, size, [before, after]) in arguments.axes() {
            ensure!(
                sizes[0] % size == 0,
                "input {x} is {:?}; its batch must be a multiple of each block size, of which one is {size}",
                x.shape
            );
            let whole = sizes[axis] * size;
            ensure!(
                before >= 0 && after >= 0 && before + after <= whole,
                "crops {before} and {after} exceed the {whole} elements of axis {axis} of the output"
            );
            sizes[0] /= size;
            sizes[axis] = whole - before - after;
        }
        Ok(sizes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, block: &[i32], crops: &[i32]) -> Result<Tensor> {
        let list = Tensor::i32(&[block.len() as i32], block);
        let pairs = Tensor::i32(&[crops.len() as i32 / 2, 2], crops);
        let test = OpTest::<BatchToSpaceNd>::new().input(x.clone()).output(Spec::of(x.ty()));
        let known = test.clone().constant(list.clone()).constant(pairs.clone()).run();
        assert_same(&known, &test.clone().input(list.clone()).constant(pairs.clone()).run());
        assert_same(&known, &test.constant(list).input(pairs).run());
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn blocks() {
        for (shape, block, crops, want, elements) in [
            (&[4, 1, 1, 1][..], &[2, 2][..], &[0; 4][..], &[1, 2, 2, 1][..], &[0, 1, 2, 3][..]),
            (&[2, 2, 1, 2], &[1, 2], &[0; 4], &[1, 2, 2, 2], &[0, 1, 4, 5, 2, 3, 6, 7]),
            (&[4, 1, 1, 1], &[1, 2], &[0; 4], &[2, 1, 2, 1], &[0, 2, 1, 3]),
            (&[4, 1, 2, 1], &[2, 2], &[1, 0, 2, 0], &[1, 1, 2, 1], &[5, 7]),
            (&[4, 1, 2, 1], &[2, 2], &[0, 1, 1, 2], &[1, 1, 1, 1], &[2]),
            (&[4, 1, 1, 1], &[2, 2], &[1, 1, 0, 0], &[1, 0, 2, 1], &[]),
            (&[2, 2, 1], &[2], &[0, 0], &[1, 4, 1], &[0, 2, 1, 3]),
            (&[2, 2, 1], &[2], &[1, 1], &[1, 2, 1], &[2, 1]),
            (&[0, 2, 1], &[2], &[0, 0], &[0, 4, 1], &[]),
            (&[0, 1, 1], &[i32::MAX], &[0, 0], &[0, i32::MAX, 1], &[]),
        ] {
            let x: Vec<u32> = (0..shape.iter().product::<i32>()).map(|i| i as u32).collect();
            let y = run(Tensor::u32(shape, &x), block, crops).unwrap();
            assert_eq!((y.shape(), y.as_u32()), (want, elements.to_vec()), "{shape:?} by {block:?}");
        }
        let y = run(Tensor::i8(&[2, 1, 1], &[1, 2]), &[2], &[0, 0]).unwrap();
        assert_eq!(y.as_i8(), [1, 2]);
        assert_eq!(run(Tensor::i64(&[2, 1, 1], &[1, 2]), &[2], &[0, 1]).unwrap().as_i64(), [1]);
        assert_eq!(run(Tensor::i4(&[3, 1, 1], &[1, 2, 3]), &[3], &[0, 0]).unwrap().as_i4(), [1, 2, 3]);
    }
}
