//! SELECT_V2: `y = a where condition, else b`; all three broadcast. Types of 8, 16, 32 and 64 bits. Supports in-place
//! operation.
//! Defined by: tflite/kernels/select.cc.

use arenite_abi::prelude::*;

use crate::kit::broadcast::Broadcast;
use crate::kit::indexing::Dims;
use crate::kit::node::dims;
use crate::kit::select::{Choice, Operands, TYPES};

plain! {
    /// A prepared `SELECT_V2` node.
    pub struct SelectV2(Choice);
}

impl Op for SelectV2 {
    const CODE: OpCode = OpCode::Builtin(op::SELECT_V2);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = TYPES;
    const OUTPUT_TYPE: OutputType = OutputType::Input(1);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let operands = Operands::of(node)?;
        let Operands { condition, a, b, .. } = &operands;
        let loops = match operands.single()? {
            Some(output) => Broadcast::onto([&Dims::SCALAR; 3], &output),
            None => Broadcast::new([&dims(condition)?, &dims(a)?, &dims(b)?]),
        };
        let loops = loops.ok_or_else(|| {
            invalid!(
                "inputs {condition} {:?}, {a} {:?} and {b} {:?} do not broadcast; sizes must be equal or 1",
                condition.shape,
                a.shape,
                b.shape
            )
        })?;
        Choice::new(&operands, loops, cx).map(SelectV2)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.0.eval(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::select::tests::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(condition: Tensor, a: Tensor, b: Tensor) -> OpTest<SelectV2> {
        OpTest::new().input(condition).input(a).input(b).output(Spec::i32())
    }

    #[test]
    fn all_three_broadcast() {
        let condition = Tensor::bool(&[2, 1], &[true, false]);
        let a = Tensor::i32(&[3], &[1, 2, 3]);
        let y = test(condition.clone(), a.clone(), Tensor::i32(&[], &[9])).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_i32()), (&[2, 3][..], vec![1, 2, 3, 9, 9, 9]));
        let b = Tensor::i32(&[2, 2, 1], &[5, 6, 7, 8]);
        let y = test(condition, a, b).run().unwrap();
        assert_eq!(y[0].shape(), [2, 2, 3]);
        assert_eq!(y[0].as_i32(), [1, 2, 3, 6, 6, 6, 1, 2, 3, 8, 8, 8]);
    }

    #[test]
    fn in_place_of_either() {
        let condition = Tensor::bool(&[3], &[true, false, true]);
        let (long, short) = (Tensor::i32(&[3], &[1, 2, 3]), Tensor::i32(&[1], &[9]));
        let y = test(condition.clone(), long.clone(), short.clone()).in_place().run().unwrap();
        assert_eq!(y[0].as_i32(), [1, 9, 3]);
        let y = test(condition, short, long).in_place().run().unwrap();
        assert_eq!(y[0].as_i32(), [9, 2, 9]);
    }

    #[test]
    fn no_elements() {
        let y = test(Tensor::bool(&[1], &[true]), Tensor::i32(&[0], &[]), Tensor::i32(&[2, 1], &[1, 2]));
        assert_eq!(y.run().unwrap()[0].shape(), [2, 0]);
    }

    #[test]
    fn every_type() {
        expect_types::<SelectV2>();
    }

    #[test]
    fn a_single_element_keeps_the_shape_of_the_file() {
        expect_single::<SelectV2>();
    }
}
