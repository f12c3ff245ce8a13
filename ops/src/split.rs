//! SPLIT: splits the input along an axis into equal parts, one per output. Any type.
//! Defined by: tflite/kernels/split.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::SplitOptions;

use crate::kit::arguments::{Integers, expect_type, saturated};
use crate::kit::indexing::normalize_axis;
use crate::kit::node;
use crate::kit::rearrange::{self, Prepared, Rearrangement, with_size};

plain! {
    /// A prepared `SPLIT` node: the axis, if it is constant.
    pub struct Split {
        axis: Maybe<usize>,
    }
}

impl Op for Split {
    const CODE: OpCode = OpCode::Builtin(op::SPLIT);
    const VERSIONS: RangeInclusive<i32> = 1..=5;
    const OUTPUT_TYPE: OutputType = OutputType::Input(1);
    const SHARING: Sharing = rearrange::SHARING_OF_PARTS;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=usize::MAX)?;
        let (axis, x) = (node.input(0)?, node.input(1)?);
        let (count, parts) = (node.output_count(), node.options()?.get(SplitOptions::NUM_SPLITS)?);
        ensure!(
            usize::try_from(parts) == Ok(count),
            "its options ask for {parts} parts, it has {count} outputs; they must agree"
        );
        expect_type(&axis, &[I32, I64])?;
        ensure!(axis.len() == 1, "{axis} is {:?}; it must hold one axis", axis.shape);
        let axis = if axis.is_constant() { Some(axis_of(&axis, &x)?) } else { None };
        for i in 0..count {
            let y = node.output(i)?;
            node::same_type(&x, &y)?;
            let plan = axis.map(|axis| part(&x, axis, i, count)).transpose()?;
            Prepared::declare_part(plan, cx, [1, i], &x)?;
        }
        Ok(Split { axis: axis.into() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, count) = (cx.node().input(1)?, cx.output_count());
        let axis = match self.axis.get() {
            Some(axis) => axis,
            None => axis_of(&cx.input(0)?, &x)?,
        };
        for i in 0..count {
            let plan = part(&x, axis, i, count)?;
            Prepared::again(self.axis.get().map(|_| plan)).eval(cx, 1, i, || Ok(plan))?;
        }
        Ok(())
    }
}

fn axis_of(axis: &TensorView<'_>, x: &TensorView<'_>) -> Result<usize> {
    let value = Integers::scalar(axis)?;
    normalize_axis(saturated(value), x.rank())
        .ok_or_else(|| invalid!("axis {value} does not exist: input {x} is {:?}", x.shape))
}

/// Part `i` of `count`.
fn part(x: &TensorView<'_>, axis: usize, i: usize, count: usize) -> Result<Rearrangement> {
    let dims = node::dims(x)?;
    let whole = dims.size(axis);
    ensure!(
        whole.is_multiple_of(count),
        "axis {axis} of input {x}, which is {:?}, cannot be split into {count} equal parts",
        x.shape
    );
    let size = whole / count;
    let output = with_size(&dims, axis, size as i32)?;
    Rearrangement::part(&dims, axis, i * size, size as i32, output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, axis: i32, parts: i32) -> Result<Vec<Tensor>> {
        let test = |axis: fn(OpTest<Split>, Tensor) -> OpTest<Split>, value| {
            let test = axis(OpTest::new(), Tensor::i32(&[1], &[value])).input(x.clone());
            let test = (0..parts).fold(test, |test, _| test.output(Spec::of(x.ty())));
            test.options(|o| o.set(SplitOptions::NUM_SPLITS, parts)).run()
        };
        let known = test(OpTest::constant, axis);
        assert_same(&known, &test(OpTest::input, axis));
        known
    }

    #[test]
    fn parts() {
        let x = || Tensor::u8(&[2, 4], &[0, 1, 2, 3, 4, 5, 6, 7]);
        let y = run(x(), 1, 2).unwrap();
        assert_eq!((y[0].shape(), y[0].as_u8()), (&[2, 2][..], vec![0, 1, 4, 5]));
        assert_eq!(y[1].as_u8(), [2, 3, 6, 7]);
        assert_eq!(run(x(), -2, 2).unwrap()[1].as_u8(), [4, 5, 6, 7]);
        assert_eq!(run(x(), 0, 1).unwrap()[0].as_u8(), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(run(Tensor::strings(&[2], &["a", "bc"]), 0, 2).unwrap()[1].as_strings(), ["bc"]);
        assert_eq!(run(Tensor::i4(&[4], &[1, 2, 3, 4]), 0, 4).unwrap()[3].as_i4(), [4]);
        assert_eq!(run(Tensor::f32(&[0, 2], &[]), 0, 2).unwrap()[1].shape(), [0, 2]);
        let many = run(Tensor::i32(&[70], &core::array::from_fn::<_, 70, _>(|i| i as i32)), 0, 70).unwrap();
        assert!(many.iter().enumerate().all(|(i, y)| y.as_i32() == [i as i32]));
    }

    #[test]
    fn outputs_may_be_parts_of_the_input() {
        let test = OpTest::<Split>::new()
            .constant(Tensor::i32(&[], &[1]))
            .input(Tensor::i32(&[1, 4, 2], &[1, 2, 3, 4, 5, 6, 7, 8]))
            .output(Spec::i32())
            .output(Spec::i32())
            .options(|o| o.set(SplitOptions::NUM_SPLITS, 2));
        let outputs = test.shares(&[Sharing::PartOfInput]).run().unwrap();
        assert_eq!((outputs[0].as_i32(), outputs[1].as_i32()), (vec![1, 2, 3, 4], vec![5, 6, 7, 8]));
    }
}
