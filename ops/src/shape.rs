//! SHAPE: the sizes of the input as INT32 or INT64, known in `prepare`.
//! Defined by: tflite/kernels/shape.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::ShapeOptions;

use crate::kit::node;

plain! {
    /// A prepared `SHAPE` node.
    pub struct Shape;
}

impl Op for Shape {
    const CODE: OpCode = OpCode::Builtin(op::SHAPE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const OUTPUT_TYPE: OutputType = OutputType::Option;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        let dims = node::dims(&x)?;
        let rank = dims.rank();
        let out_type = node.options()?.get(ShapeOptions::OUT_TYPE)?;
        // FLOAT32 is the schema's default and means that the type was not set. The output then determines it.
        ensure!(
            out_type == 0 || i64::from(out_type) == i64::from(y.ty as u32),
            "its options ask for type {out_type}, output {y} is {}; they must agree",
            y.ty
        );
        cx.set_output_shape(0, &[rank as i32])?;
        match y.ty {
            I32 => cx.set_output_constant(0, dims.as_slice())?,
            I64 => {
                let mut sizes = [0i64; 8];
                sizes.iter_mut().zip(dims.as_slice()).for_each(|(to, &from)| *to = from.into());
                cx.set_output_constant(0, &sizes[..rank])?;
            }
            ty => return Err(unsupported!("output {y} is {ty}; it may be INT32 or INT64")),
        }
        Ok(Shape)
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
    fn sizes() {
        for shape in [&[][..], &[3], &[2, 0, 4], &[1, 2, 1, 2, 1, 1, 1, 1]] {
            let count = shape.iter().product::<i32>() as usize;
            let test = OpTest::<Shape>::new().input(Tensor::i8(shape, &vec![0; count]));
            let y = test
                .clone()
                .output(Spec::i32())
                .options(|o| o.set(ShapeOptions::OUT_TYPE, I32 as i8))
                .run()
                .unwrap();
            assert_eq!((y[0].shape(), y[0].as_i32()), (&[shape.len() as i32][..], shape.to_vec()));
            let y = test
                .clone()
                .output(Spec::i64())
                .options(|o| o.set(ShapeOptions::OUT_TYPE, I64 as i8))
                .run()
                .unwrap();
            assert_eq!(y[0].as_i64(), shape.iter().map(|&size| size.into()).collect::<Vec<i64>>());
            assert!(test.clone().output(Spec::i32()).run().is_ok());
            assert!(test.output(Spec::f32()).run().is_err());
        }
    }
}
