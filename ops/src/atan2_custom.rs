//! Custom op atan2: [ATAN2](crate::atan2) of f32 and f64. Supports in-place operation.
//! Defined by: tflite/kernels/atan2_custom.cc.

use arenite_abi::prelude::*;

use crate::atan2::Atan2;

plain! {
    /// A prepared `atan2` node.
    pub struct Atan2Custom(Atan2);
}

impl Op for Atan2Custom {
    const CODE: OpCode = OpCode::Custom("atan2");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F64]);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        Atan2::prepare(node, cx).map(Atan2Custom)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.0.eval(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atan2::tests::expect_floats;

    #[test]
    fn values() {
        expect_floats::<Atan2Custom>();
    }
}
