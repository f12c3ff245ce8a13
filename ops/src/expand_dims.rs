//! EXPAND_DIMS: inserts an axis of size 1. Any type. The output may be a view of the input.
//! Defined by: tflite/kernels/expand_dims.cc.

use arenite_abi::prelude::*;

use crate::kit::arguments::{Integers, expect_type, saturated};
use crate::kit::indexing::{Dims, normalize_axis};
use crate::kit::node;
use crate::kit::view::View;

plain! {
    /// A prepared `EXPAND_DIMS` node.
    pub struct ExpandDims {
        view: View,
    }
}

impl Op for ExpandDims {
    const CODE: OpCode = OpCode::Builtin(op::EXPAND_DIMS);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = Sharing::View;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, axis, y) = node.binary()?;
        node::same_type(&x, &y)?;
        expect_type(&axis, &[I32, I64])?;
        ensure!(axis.len() == 1, "{axis} is {:?}; it must hold one axis", axis.shape);
        node::same_quantization(&x, &y)?;
        let shape = if axis.is_constant() { Some(expanded(&x, &axis)?) } else { None };
        Ok(ExpandDims { view: View::declare(shape, cx, x.ty)? })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.view.eval(cx, || expanded(&cx.input(0)?, &cx.input(1)?))
    }
}

fn expanded(x: &TensorView<'_>, axis: &TensorView<'_>) -> Result<Dims> {
    let value = Integers::scalar(axis)?;
    let at = normalize_axis(saturated(value), x.rank() + 1)
        .ok_or_else(|| invalid!("axis {value} does not exist: input {x} has {} dimensions", x.rank()))?;
    let sizes = x.shape[..at].iter().chain(&[1]).chain(&x.shape[at..]).copied();
    Dims::from_sizes(sizes).ok_or_else(|| invalid!("input {x} has {} dimensions already", x.rank()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn node(x: Tensor) -> OpTest<ExpandDims> {
        let ty = x.ty();
        OpTest::<ExpandDims>::new().input(x).output(Spec::of(ty))
    }

    #[test]
    fn shapes() {
        for (shape, axis, want) in [
            (&[2, 3][..], 0, &[1, 2, 3][..]),
            (&[2, 3], 1, &[2, 1, 3]),
            (&[2, 3], 2, &[2, 3, 1]),
            (&[2, 3], -1, &[2, 3, 1]),
            (&[2, 3], -3, &[1, 2, 3]),
            (&[], 0, &[1]),
            (&[0], -1, &[0, 1]),
        ] {
            let elements: Vec<i64> = (0..shape.iter().product::<i32>()).map(i64::from).collect();
            let test = node(Tensor::i64(shape, &elements));
            let known = test.clone().constant(Tensor::i32(&[], &[axis])).run().unwrap();
            assert_eq!((known[0].shape(), known[0].as_i64()), (want, elements), "{shape:?} at {axis}");
            assert_eq!(test.input(Tensor::i64(&[1], &[axis.into()])).run().unwrap(), known);
        }
        let strings = node(Tensor::strings(&[2], &["a", "bc"]));
        for test in [strings.clone().constant(Tensor::i32(&[], &[0])), strings.input(Tensor::i32(&[], &[0]))]
        {
            let y = test.run().unwrap();
            assert_eq!((y[0].shape(), y[0].as_strings().concat().as_str()), (&[1, 2][..], "abc"));
        }
    }
}
