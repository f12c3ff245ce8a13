//! RANK: the rank of the input, as an INT32 scalar that is known in `prepare`. Inputs of any type.
//! Defined by: tflite/kernels/rank.cc.

use arenite_abi::prelude::*;

plain! {
    /// A prepared `RANK` node.
    pub struct Rank;
}

impl Op for Rank {
    const CODE: OpCode = OpCode::Builtin(op::RANK);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const OUTPUT_TYPE: OutputType = OutputType::Fixed(I32);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        ensure!(y.ty == I32, "output {y} is {}; it must be INT32", y.ty);
        cx.set_output_shape(0, &[])?;
        cx.set_output_constant(0, &[x.rank() as i32])?;
        Ok(Rank)
    }

    /// Does nothing: the output is constant.
    fn eval(&self, _: &mut EvalContext<'_>) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    #[test]
    fn numbers_of_axes() {
        for shape in [&[][..], &[3], &[2, 0, 4], &[1; 10]] {
            let count = shape.iter().product::<i32>() as usize;
            let test = OpTest::<Rank>::new().input(Tensor::i8(shape, &vec![0; count])).output(Spec::i32());
            let y = test.run().unwrap();
            assert_eq!((y[0].shape(), y[0].as_i32()), (&[][..], vec![shape.len() as i32]));
        }
        let test = OpTest::<Rank>::new().input(Tensor::strings(&[1, 2], &["a", "b"])).output(Spec::i32());
        assert_eq!(test.run().unwrap()[0].as_i32(), [2]);
    }
}
