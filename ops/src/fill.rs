//! FILL: a tensor filled with one value; the first input is its shape. Any type of whole bytes, and strings.
//! Defined by: tflite/kernels/fill.cc.

use arenite_abi::prelude::*;

use crate::kit::arguments::{Integers, expect_type, expect_vector};
use crate::kit::indexing::{Dims, MAX_RANK};
use crate::kit::moves::Width;
use crate::kit::node;
use crate::kit::pace::Pace;
use crate::kit::rearrange::declare_shape;
use crate::kit::strings::{self, Strings};

plain! {
    /// A prepared `FILL` node: the shape of the output, if it is constant.
    pub struct Fill {
        output: Maybe<Dims>,
    }
}

impl Op for Fill {
    const CODE: OpCode = OpCode::Builtin(op::FILL);
    const VERSIONS: RangeInclusive<i32> = 1..=5;
    const OUTPUT_TYPE: OutputType = OutputType::Input(1);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (list, value, y) = node.binary()?;
        expect_type(&list, &[I32, I64])?;
        expect_vector(&list)?;
        ensure!(
            value.rank() == 0 && value.ty == y.ty,
            "the value {value} is {} {:?}; it must be one {}, without dimensions",
            value.ty,
            value.shape,
            y.ty
        );
        node::same_quantization(&value, &y)?;
        if value.ty == I16 {
            node::no_zero_point(&value)?;
        }
        if matches!(value.ty.bits(), 2 | 4) {
            return Err(Error::unsupported("FILL", value.ty));
        }
        let output = if list.is_constant() { Some(output(&list)?) } else { None };
        declare_shape(output.as_ref().map(Dims::as_slice), cx, 0, value.ty)?;
        Ok(Fill { output: output.into() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let value = cx.input(1)?;
        let output = match self.output.get() {
            Some(output) => output,
            None => output(&cx.input(0)?)?,
        };
        let shape = output.as_slice();
        if value.ty == ElementType::String {
            let count = output.flat_size();
            return strings::repeat(cx, 0, shape, &Strings::of(&value)?, count, |f| {
                (0..count).for_each(|_| f(0))
            });
        }
        let y = if self.output.get().is_some() { cx.output(0)? } else { cx.resize_output(0, shape)? };
        Width::of(value.ty)?.fill_long(value.bytes(), y.into_bytes(), &mut Pace::new(cx))
    }
}

fn output(list: &TensorView<'_>) -> Result<Dims> {
    let (sizes, count) = Integers::of(list)?.saturated();
    let sizes = &sizes[..count];
    Dims::new(sizes).ok_or_else(|| {
        invalid!(
            "{list} holds the shape {sizes:?}; sizes must not be negative, and at most {MAX_RANK} axes are supported"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(shape: &[i32], value: Tensor, y: Spec) -> Result<Tensor> {
        let long: Vec<i64> = shape.iter().map(|&v| v.into()).collect();
        let count = [shape.len() as i32];
        let test = |list: Tensor, known| {
            let test = OpTest::<Fill>::new();
            let test = if known { test.constant(list) } else { test.input(list) };
            test.input(value.clone()).output(y.clone()).run()
        };
        let known = test(Tensor::i64(&count, &long), true);
        assert_same(&known, &test(Tensor::i32(&count, shape), false));
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn one_value() {
        let y = run(&[2, 3], Tensor::f32(&[], &[1.5]), Spec::f32()).unwrap();
        assert_eq!((y.shape(), y.as_f32()), (&[2, 3][..], vec![1.5; 6]));
        assert_eq!(run(&[], Tensor::i64(&[], &[-3]), Spec::i64()).unwrap().as_i64(), [-3]);
        assert_eq!(run(&[2, 0], Tensor::bool(&[], &[true]), Spec::bool()).unwrap().shape(), [2, 0]);
        let y = run(&[2], Tensor::i8(&[], &[4]).quantized(0.5, 3), Spec::i8(0.5, 3)).unwrap();
        assert_eq!(y.as_i8(), [4, 4]);
        assert_eq!(run(&[2], Tensor::i16(&[], &[4]), Spec::of(I16)).unwrap().as_i16(), [4, 4]);
        let y = run(&[2, 1], Tensor::strings(&[], &["ab"]), Spec::string()).unwrap();
        assert_eq!((y.shape(), y.as_strings()), (&[2, 1][..], vec!["ab".into(), "ab".into()]));
    }
}
