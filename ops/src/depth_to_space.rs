//! DEPTH_TO_SPACE: turns the channels of each pixel into a block of `block × block` pixels. Any type.
//! Defined by: tflite/kernels/depth_to_space.cc and kernels/internal/reference/depth_to_space.h.
//!
//! ```text
//! y[n, i × block + v, j × block + u, c] = x[n, i, j, (v × block + u) × channels + c]
//! ```

use arenite_abi::prelude::*;
use arenite_abi::schema::DepthToSpaceOptions;

use crate::kit::indexing::{Dims, MAX_RANK, Nest};
use crate::kit::node;
use crate::kit::rearrange::{self, Prepared, Rearrangement};

plain! {
    /// A prepared `DEPTH_TO_SPACE` node.
    pub struct DepthToSpace {
        prepared: Prepared,
        plan: Rearrangement,
    }
}

impl Op for DepthToSpace {
    const CODE: OpCode = OpCode::Builtin(op::DEPTH_TO_SPACE);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const SHARING: Sharing = rearrange::SHARING;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        node::same_type(&x, &y)?;
        let plan = plan(&x, node.options()?.get(DepthToSpaceOptions::BLOCK_SIZE)?)?;
        Ok(DepthToSpace { prepared: Prepared::declare(Some(plan), cx, &x)?, plan })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.prepared.eval(cx, 0, 0, || Ok(self.plan))
    }
}

fn plan(x: &TensorView<'_>, block: i32) -> Result<Rearrangement> {
    let dims = node::dims(x)?;
    ensure!(block > 0, "its block size is {block}; it must be positive");
    let &[images, rows, columns, deep] = dims.as_slice() else {
        return Err(invalid!("input {x} is {:?}; it must have 4 dimensions", x.shape));
    };
    let channels = deep / block / block;
    ensure!(
        i64::from(channels) * i64::from(block) * i64::from(block) == i64::from(deep),
        "input {x} is {:?}; its channels must be a multiple of the block size {block} squared",
        x.shape
    );
    let sizes = rows.checked_mul(block).zip(columns.checked_mul(block));
    let output = sizes.and_then(|(height, width)| Dims::new(&[images, height, width, channels]));
    let loops = Dims::new(&[images, rows, block, columns, block, channels]);
    let (Some(output), Some(loops)) = (output, loops) else {
        return Err(invalid!("blocks of {block} are too large for {:?}", x.shape));
    };
    let ([image, row, column, ..], along) = (dims.strides(), channels as isize);
    let mut steps = [0; MAX_RANK];
    steps[..6].copy_from_slice(&[image, row, block as isize * along, column, along, 1]);
    Rearrangement::new(output, Nest::new(&loops, [steps]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, block: i32) -> Result<Tensor> {
        let test = OpTest::<DepthToSpace>::new().input(x.clone()).output(Spec::of(x.ty()));
        test.options(|o| o.set(DepthToSpaceOptions::BLOCK_SIZE, block)).run().map(|mut y| y.remove(0))
    }

    #[test]
    fn blocks() {
        for (shape, block, want, elements) in [
            ([1, 1, 1, 4], 2, [1, 2, 2, 1], &[0, 1, 2, 3][..]),
            ([1, 1, 2, 4], 2, [1, 2, 4, 1], &[0, 1, 4, 5, 2, 3, 6, 7]),
            ([1, 1, 1, 8], 2, [1, 2, 2, 2], &[0, 1, 2, 3, 4, 5, 6, 7]),
            ([2, 1, 1, 4], 2, [2, 2, 2, 1], &[0, 1, 2, 3, 4, 5, 6, 7]),
            ([2, 1, 2, 2], 1, [2, 1, 2, 2], &[0, 1, 2, 3, 4, 5, 6, 7]),
            ([1, 0, 2, 4], 2, [1, 0, 4, 1], &[]),
        ] {
            let x: Vec<i64> = (0..shape.iter().product()).map(|i: i32| i.into()).collect();
            let y = run(Tensor::i64(&shape, &x), block).unwrap();
            assert_eq!((y.shape(), y.as_i64()), (&want[..], elements.to_vec()), "{shape:?} by {block}");
        }
        let y = run(Tensor::i8(&[1, 1, 1, 4], &[1, 2, 3, 4]), 2).unwrap();
        assert_eq!((y.shape(), y.as_i8()), (&[1, 2, 2, 1][..], vec![1, 2, 3, 4]));
        assert_eq!(run(Tensor::i8(&[1, 1, 1, 0], &[]), 3).unwrap().shape(), [1, 3, 3, 0]);
    }

    #[test]
    fn the_output_may_overwrite_the_input() {
        let x: Vec<i32> = (0..64).collect();
        let test = OpTest::<DepthToSpace>::new().input(Tensor::i32(&[2, 2, 2, 8], &x)).output(Spec::i32());
        let outputs = test
            .options(|o| o.set(DepthToSpaceOptions::BLOCK_SIZE, 2))
            .shares(&[Sharing::Behind])
            .run()
            .unwrap();
        assert_eq!(outputs[0].as_i32()[..10], [0, 1, 2, 3, 8, 9, 10, 11, 4, 5]);
    }
}
