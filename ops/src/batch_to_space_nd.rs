//! BATCH_TO_SPACE_ND: images put together from a batch of smaller ones, in blocks, then cropped. Any type of fixed size.
//! Defined by: tflite/kernels/batch_to_space_nd.cc and kernels/internal/reference/batch_to_space_nd.h.

use arenite_abi::prelude::*;

use crate::kit::indexing::Dims;
use crate::kit::moves::Width;
use crate::kit::node;
use crate::kit::space_batch::{Arguments, Blocks, four, shape};

/// Prepared node.
pub struct BatchToSpaceNd {
    plan: Option<Plan>,
}

#[derive(Clone, Copy)]
struct Plan {
    output: Dims,
    blocks: Blocks,
}

impl Op for BatchToSpaceNd {
    const CODE: OpCode = OpCode::Builtin(37);
    const VERSIONS: RangeInclusive<i32> = 1..=4;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let (x, block, crops, y) = (node.input(0)?, node.input(1)?, node.input(2)?, node.output(0)?);
        Arguments::check(&x, &block, &crops, &y)?;
        Width::of(x.ty)?;
        let known = block.is_constant() && crops.is_constant();
        let plan = if known { Some(plan(&x, &block, &crops)?) } else { None };
        match &plan {
            Some(plan) => cx.set_output_shape(0, plan.output.as_slice())?,
            None => cx.set_output_dynamic(0)?,
        }
        Ok(BatchToSpaceNd { plan })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = cx.input(0)?;
        let (plan, y) = match self.plan {
            Some(plan) => (plan, cx.output(0)?),
            None => {
                let plan = plan(&x, &cx.input(1)?, &cx.input(2)?)?;
                (plan, cx.resize_output(0, plan.output.as_slice())?)
            }
        };
        let (width, to) = (Width::of(x.ty)?, y.into_bytes());
        width.clear_rest(to);
        plan.blocks.collect(width, x.bytes(), to)
    }
}

fn plan(x: &TensorView<'_>, block: &TensorView<'_>, crops: &TensorView<'_>) -> Result<Plan> {
    let (dims, arguments) = (node::dims(x)?, Arguments::read(block, crops)?);
    let mut sizes = four(&dims).map(|size| size as i64);
    for (axis, (size, [before, after])) in arguments.block.into_iter().zip(arguments.edges).enumerate() {
        ensure!(
            sizes[0] % size == 0,
            "input '{}' is {:?}; its batch must be a multiple of all block sizes, one is {size}",
            x.name,
            x.shape
        );
        let whole = sizes[1 + axis] * size;
        ensure!(
            before >= 0 && after >= 0 && before + after <= whole,
            "crops {before} and {after} of axis {} of the output leave its {whole} elements",
            1 + axis
        );
        sizes[0] /= size;
        sizes[1 + axis] = whole - before - after;
    }
    let output = shape(sizes, &dims);
    let output = output.ok_or_else(|| invalid!("the output {sizes:?} of '{}' is too large", x.name))?;
    Ok(Plan { output, blocks: Blocks::new(&output, &dims, &arguments) })
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

    #[test]
    fn refusals() {
        let message = |shape: &[i32], block: &[i32], crops: &[i32]| {
            let x = vec![0.0; shape.iter().product::<i32>() as usize];
            run(Tensor::f32(shape, &x), block, crops).unwrap_err().message().to_owned()
        };
        assert_eq!(
            message(&[3, 1, 1], &[2], &[0, 0]),
            "input 'in0' is [3, 1, 1]; its batch must be a multiple of all block sizes, one is 2"
        );
        assert_eq!(message(&[2, 1, 1], &[0], &[0, 0]), "block size 0 of 'in1' must be positive");
        for (before, after) in [(-1, 0), (3, 0), (1, 2), (i32::MAX, i32::MAX)] {
            assert_eq!(
                message(&[2, 1, 1], &[2], &[before, after]),
                format!("crops {before} and {after} of axis 1 of the output leave its 2 elements")
            );
        }
        assert_eq!(
            message(&[0, 4, 1], &[i32::MAX], &[0, 0]),
            "the output [0, 8589934588, 1, 1] of 'in0' is too large"
        );
        assert_eq!(message(&[1, 1], &[], &[]), "input 'in0' is [1, 1]; it must have 3 or 4 dimensions");
        let error = run(Tensor::strings(&[1, 1, 1], &["a"]), &[1], &[0, 0]).unwrap_err();
        assert_eq!(error.status(), Status::Unsupported);
    }
}
