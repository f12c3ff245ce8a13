//! DILATE: inserts `dilation − 1` padding values between neighboring elements along each axis. Any type of whole bytes.
//! Defined by: tflite/kernels/dilate.cc.

use arenite_abi::prelude::*;

use crate::kit::arguments::{Integers, expect_type, expect_vector};
use crate::kit::spread::Spread;

plain! {
    /// A prepared `DILATE` node.
    pub struct Dilate {
        plan: Maybe<Spread>,
    }
}

impl Op for Dilate {
    const CODE: OpCode = OpCode::Builtin(op::DILATE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let (x, dilations, y) = (node.input(0)?, node.input(1)?, node.output(0)?);
        Spread::check(&x, &node.input(2)?, &y)?;
        ensure!(x.rank() > 0, "input {x} is a scalar; it must have an axis");
        expect_type(&dilations, &[I32])?;
        let count = expect_vector(&dilations)?;
        ensure!(
            count == x.rank(),
            "{dilations} has {count} numbers, input {x} has {} axes; there must be one number per axis",
            x.rank()
        );
        let plan = if dilations.is_constant() { Some(plan(&x, &dilations)?) } else { None };
        match &plan {
            Some(plan) => cx.set_output_shape(0, plan.output().as_slice())?,
            None => cx.set_output_dynamic(0)?,
        }
        Ok(Dilate { plan: plan.into() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = cx.input(0)?;
        let (plan, y) = match self.plan.get() {
            Some(plan) => (plan, cx.output(0)?),
            None => {
                let plan = plan(&x, &cx.input(1)?)?;
                (plan, cx.resize_output(0, plan.output().as_slice())?)
            }
        };
        plan.eval(&x, &cx.input(2)?, y)
    }
}

fn plan(x: &TensorView<'_>, dilations: &TensorView<'_>) -> Result<Spread> {
    let list = Integers::of(dilations)?;
    for (axis, (&dilation, &size)) in list.iter().zip(x.shape).enumerate() {
        ensure!(dilation >= 1, "dilation {dilation} of axis {axis} is below 1");
        ensure!(dilation == 1 || size > 0, "axis {axis} of input {x} is empty; it cannot be dilated");
    }
    Spread::new(x, |axis| Ok([0, list[axis], 0]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, dilations: &[i32], value: Tensor) -> Result<Tensor> {
        let list = Tensor::i32(&[dilations.len() as i32], dilations);
        let test = OpTest::<Dilate>::new().input(x.clone()).output(Spec::of(x.ty()));
        let known = test.clone().constant(list.clone()).constant(value.clone()).run();
        assert_same(&known, &test.input(list).input(value).run());
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn dilations() {
        for (shape, dilations, want, elements) in [
            (&[3][..], &[2][..], &[5][..], &[0, -9, 1, -9, 2][..]),
            (&[2, 2], &[1, 3], &[2, 4], &[0, -9, -9, 1, 2, -9, -9, 3]),
            (&[2, 2], &[2, 1], &[3, 2], &[0, 1, -9, -9, 2, 3]),
            (&[2, 2], &[2, 2], &[3, 3], &[0, -9, 1, -9, -9, -9, 2, -9, 3]),
            (&[2, 2], &[1, 1], &[2, 2], &[0, 1, 2, 3]),
            (&[1, 1], &[i32::MAX, 7], &[1, 1], &[0]),
            (&[0, 2], &[1, 2], &[0, 3], &[]),
        ] {
            let x: Vec<i32> = (0..shape.iter().product()).collect();
            let y = run(Tensor::i32(shape, &x), dilations, Tensor::i32(&[], &[-9])).unwrap();
            assert_eq!((y.shape(), y.as_i32()), (want, elements.to_vec()), "{shape:?} by {dilations:?}");
        }
        let y = run(Tensor::bool(&[2], &[false; 2]), &[2], Tensor::bool(&[1], &[true])).unwrap();
        assert_eq!(y.as_bool(), [false, true, false]);
        let y = run(Tensor::i64(&[2], &[1, 2]), &[2], Tensor::i64(&[], &[7])).unwrap();
        assert_eq!(y.as_i64(), [1, 7, 2]);
    }
}
