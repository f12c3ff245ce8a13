//! SELECT: `y = a where condition, else b`. `a` and `b` have one shape; the condition has the same shape, is a scalar,
//! or is a vector along their first axis. Types of 8, 16, 32 and 64 bits. Supports in-place operation.
//! Defined by: tflite/kernels/select.cc.

use arenite_abi::prelude::*;

use crate::kit::broadcast::Broadcast;
use crate::kit::indexing::Dims;
use crate::kit::node::dims;
use crate::kit::select::{Choice, Operands, TYPES};

plain! {
    /// A prepared `SELECT` node.
    pub struct Select(Choice);
}

impl Op for Select {
    const CODE: OpCode = OpCode::Builtin(op::SELECT);
    const VERSIONS: RangeInclusive<i32> = 1..=4;
    const TYPES: ElementTypes = TYPES;
    const OUTPUT_TYPE: OutputType = OutputType::Input(1);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let operands = Operands::of(node)?;
        let loops = loops(&operands)?;
        Choice::new(&operands, loops, cx).map(Select)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.0.eval(cx)
    }
}

fn loops(operands: &Operands<'_>) -> Result<Broadcast<3>> {
    let Operands { condition, a, b, .. } = operands;
    if let Some(output) = operands.single()? {
        let loops = Broadcast::onto([&Dims::SCALAR; 3], &output);
        return loops.ok_or_else(|| invalid!("output has shape {output:?}; a single element has [] or ones"));
    }
    ensure!(a.shape == b.shape, "{a} {:?} and {b} {:?} must have the same shape", a.shape, b.shape);
    let (whole, shape) = (dims(a)?, dims(condition)?);
    // A vector is aligned with the first axis: ones are appended to its shape.
    let aligned = match *condition.shape {
        [rows] if a.shape.first() == Some(&rows) => {
            Dims::from_sizes((0..whole.rank()).map(|axis| if axis == 0 { rows } else { 1 }))
        }
        [] => Some(shape),
        _ if shape == whole => Some(shape),
        _ => None,
    };
    aligned.and_then(|aligned| Broadcast::onto([&aligned, &whole, &whole], &whole)).ok_or_else(|| {
        invalid!(
            "the condition {condition} is {:?}; for {a} {:?} it must have that shape, the shape of its first axis, or no axes",
            condition.shape, a.shape
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::select::tests::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(condition: Tensor) -> Tensor {
        let a = Tensor::i32(&[2, 2], &[1, 2, 3, 4]);
        let b = Tensor::i32(&[2, 2], &[5, 6, 7, 8]);
        let test = OpTest::<Select>::new().input(condition).input(a).input(b).output(Spec::i32());
        test.in_place().run().unwrap().remove(0)
    }

    #[test]
    fn conditions_of_three_shapes() {
        let y = run(Tensor::bool(&[2, 2], &[true, false, false, true]));
        assert_eq!((y.shape(), y.as_i32()), (&[2, 2][..], vec![1, 6, 7, 4]));
        assert_eq!(run(Tensor::bool(&[2], &[false, true])).as_i32(), [5, 6, 3, 4]);
        assert_eq!(run(Tensor::bool(&[], &[true])).as_i32(), [1, 2, 3, 4]);
        assert_eq!(run(Tensor::bool(&[], &[false])).as_i32(), [5, 6, 7, 8]);
    }

    #[test]
    fn no_elements() {
        let x = Tensor::i32(&[0, 2], &[]);
        let test = OpTest::<Select>::new().input(Tensor::bool(&[0], &[])).input(x.clone()).input(x);
        assert_eq!(test.output(Spec::i32()).run().unwrap()[0].shape(), [0, 2]);
    }

    #[test]
    fn every_type() {
        expect_types::<Select>();
    }

    #[test]
    fn a_single_element_keeps_the_shape_of_the_file() {
        expect_single::<Select>();
    }
}
