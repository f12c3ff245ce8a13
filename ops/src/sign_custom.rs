//! Custom op Sign: [SIGN](crate::sign) of f32 and f64. Supports in-place operation.
//! Defined by: tflite/kernels/sign_custom.cc.

use arenite_abi::prelude::*;

use crate::sign::Sign;

plain! {
    /// A prepared `Sign` node.
    pub struct SignCustom(Sign);
}

impl Op for SignCustom {
    const CODE: OpCode = OpCode::Custom("Sign");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F64]);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        Sign::prepare(node, cx).map(SignCustom)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.0.eval(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sign::tests::expect_floats;

    #[test]
    fn values() {
        expect_floats::<SignCustom>();
    }
}
