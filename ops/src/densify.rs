//! DENSIFY: the dense form of a sparse constant. The host already provides constants in dense form, so this op is the
//! identity. Any type.
//! Defined by: tflite/kernels/densify.cc.

use crate::kit::node;
use arenite_abi::prelude::*;

plain! {
    /// A prepared `DENSIFY` node.
    pub struct Densify;
}

impl Op for Densify {
    const CODE: OpCode = OpCode::Builtin(op::DENSIFY);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);
    const SHARING: Sharing = Sharing::View;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        node::same_type(&x, &y)?;
        cx.set_output_shape(0, x.shape)?;
        cx.allow_view(0, 0)?;
        Ok(Densify)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        cx.copy_or_view(0, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    #[test]
    fn is_the_identity() {
        let test = OpTest::<Densify>::new().constant(Tensor::f32(&[2, 2], &[0., 1., 0., 2.]));
        let y = test.clone().output(Spec::f32()).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_f32()), (&[2, 2][..], vec![0., 1., 0., 2.]));
    }
}
