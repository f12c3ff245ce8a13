//! LOGICAL_NOT: `y = ¬x`. bool. Supports in-place operation.
//! Defined by: tflite/kernels/elementwise.cc.

use arenite_abi::prelude::*;

use crate::kit::unary;

plain! {
    /// A prepared `LOGICAL_NOT` node.
    pub struct LogicalNot;
}

impl Op for LogicalNot {
    const CODE: OpCode = OpCode::Builtin(op::LOGICAL_NOT);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[ElementType::Bool]);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        unary::prepare(node, cx)?;
        Ok(LogicalNot)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        unary::map(cx, |x: Bool| Bool((x.0 == 0).into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    #[test]
    fn values() {
        let test = OpTest::<LogicalNot>::new().input(Tensor::bool(&[2, 1], &[true, false]));
        let y = test.output(Spec::bool()).in_place().run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_bool()), (&[2, 1][..], vec![false, true]));
        // Every byte but 0 is true.
        let test = OpTest::<LogicalNot>::new().input(Tensor::of(&[2], &[Bool(7), Bool(0)]));
        assert_eq!(test.output(Spec::bool()).run().unwrap()[0].bytes(), [0, 1]);
    }
}
