//! SPACE_TO_DEPTH: turns each block of `block × block` pixels into one pixel by concatenating their channels. Any type.
//! Defined by: tflite/kernels/space_to_depth.cc and kernels/internal/reference/space_to_depth.h.
//!
//! ```text
//! y[n, i, j, (v × block + u) × channels + c] = x[n, i × block + v, j × block + u, c]
//! ```

use arenite_abi::prelude::*;
use arenite_abi::schema::SpaceToDepthOptions;

use crate::kit::indexing::{Dims, MAX_RANK, Nest};
use crate::kit::node;
use crate::kit::rearrange::{self, Prepared, Rearrangement};

plain! {
    /// A prepared `SPACE_TO_DEPTH` node.
    pub struct SpaceToDepth {
        prepared: Prepared,
        plan: Rearrangement,
    }
}

impl Op for SpaceToDepth {
    const CODE: OpCode = OpCode::Builtin(op::SPACE_TO_DEPTH);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const SHARING: Sharing = rearrange::SHARING;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        node::same_type(&x, &y)?;
        let plan = plan(&x, node.options()?.get(SpaceToDepthOptions::BLOCK_SIZE)?)?;
        Ok(SpaceToDepth { prepared: Prepared::declare(Some(plan), cx, &x)?, plan })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.prepared.eval(cx, 0, 0, || Ok(self.plan))
    }
}

fn plan(x: &TensorView<'_>, block: i32) -> Result<Rearrangement> {
    let dims = node::dims(x)?;
    ensure!(block > 0, "its block size is {block}; it must be positive");
    let &[images, height, width, channels] = dims.as_slice() else {
        return Err(invalid!("input {x} is {:?}; it must have 4 dimensions", x.shape));
    };
    ensure!(
        height % block == 0 && width % block == 0,
        "input {x} is {:?}; height and width must be multiples of the block size {block}",
        x.shape
    );
    let (rows, columns) = (height / block, width / block);
    let deep = block.checked_mul(block).and_then(|pixels| pixels.checked_mul(channels));
    let deep = if channels == 0 { Some(0) } else { deep };
    let output = deep.and_then(|deep| Dims::new(&[images, rows, columns, deep]));
    let loops = Dims::new(&[images, rows, columns, block, block, channels]);
    let (Some(output), Some(loops)) = (output, loops) else {
        return Err(invalid!("blocks of {block} are too large for {:?}", x.shape));
    };
    let [image, row, column, ..] = dims.strides();
    let along = block as isize;
    let mut steps = [0; MAX_RANK];
    steps[..6].copy_from_slice(&[image, row * along, column * along, row, column, 1]);
    Rearrangement::new(output, Nest::new(&loops, [steps]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, block: i32) -> Result<Tensor> {
        let test = OpTest::<SpaceToDepth>::new().input(x.clone()).output(Spec::of(x.ty()));
        test.options(|o| o.set(SpaceToDepthOptions::BLOCK_SIZE, block)).run().map(|mut y| y.remove(0))
    }

    #[test]
    fn blocks() {
        for (shape, block, want, elements) in [
            ([1, 2, 2, 1], 2, [1, 1, 1, 4], &[0, 1, 2, 3][..]),
            ([1, 2, 2, 2], 2, [1, 1, 1, 8], &[0, 1, 2, 3, 4, 5, 6, 7]),
            ([1, 2, 4, 1], 2, [1, 1, 2, 4], &[0, 1, 4, 5, 2, 3, 6, 7]),
            ([2, 1, 2, 2], 1, [2, 1, 2, 2], &[0, 1, 2, 3, 4, 5, 6, 7]),
            ([1, 0, 2, 3], 2, [1, 0, 1, 12], &[]),
            ([1, 0, 0, 0], i32::MAX, [1, 0, 0, 0], &[]),
        ] {
            let x: Vec<i32> = (0..shape.iter().product()).collect();
            let y = run(Tensor::i32(&shape, &x), block).unwrap();
            assert_eq!((y.shape(), y.as_i32()), (&want[..], elements.to_vec()), "{shape:?} by {block}");
        }
        let y = run(Tensor::u8(&[1, 2, 2, 1], &[1, 2, 3, 4]), 2).unwrap();
        assert_eq!((y.shape(), y.as_u8()), (&[1, 1, 1, 4][..], vec![1, 2, 3, 4]));
        let y = run(Tensor::strings(&[1, 1, 1, 1], &["a"]), 1).unwrap();
        assert_eq!(y.as_strings(), ["a"]);
    }

    #[test]
    fn the_output_may_overwrite_the_input() {
        let x: Vec<i32> = (0..64).collect();
        let test = OpTest::<SpaceToDepth>::new().input(Tensor::i32(&[2, 4, 4, 2], &x)).output(Spec::i32());
        let outputs = test
            .options(|o| o.set(SpaceToDepthOptions::BLOCK_SIZE, 2))
            .shares(&[Sharing::Behind])
            .run()
            .unwrap();
        assert_eq!(outputs[0].as_i32()[..10], [0, 1, 2, 3, 8, 9, 10, 11, 4, 5]);
    }
}
