//! UNPACK: splits the input along an axis into slices, one per output, without that axis. Any type.
//! Defined by: tflite/kernels/unpack.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::UnpackOptions;

use crate::kit::indexing::{Dims, normalize_axis};
use crate::kit::node;
use crate::kit::rearrange::{self, Prepared, Rearrangement};

plain! {
    /// A prepared `UNPACK` node.
    pub struct Unpack {
        axis: usize,
    }
}

impl Op for Unpack {
    const CODE: OpCode = OpCode::Builtin(op::UNPACK);
    const VERSIONS: RangeInclusive<i32> = 1..=6;
    const SHARING: Sharing = rearrange::SHARING_OF_PARTS;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(1..=1, 0..=usize::MAX)?;
        let (x, options, count) = (node.input(0)?, node.options()?, node.output_count());
        let (wanted, num) = (options.get(UnpackOptions::AXIS)?, options.get(UnpackOptions::NUM)?);
        let axis = normalize_axis(wanted, x.rank())
            .ok_or_else(|| invalid!("axis {wanted} does not exist: input {x} is {:?}", x.shape))?;
        ensure!(
            usize::try_from(num) == Ok(count) && x.shape[axis] == num,
            "its options ask for {num} slices, it has {count} outputs, axis {axis} of input {x} has size {}; they must agree",
            x.shape[axis]
        );
        for i in 0..count {
            let y = node.output(i)?;
            node::same_type(&x, &y)?;
            node::same_quantization(&x, &y)?;
            Prepared::declare_part(Some(slice(&x, axis, i)?), cx, [0, i], &x)?;
        }
        Ok(Unpack { axis })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = cx.node().input(0)?;
        for i in 0..cx.output_count() {
            let plan = slice(&x, self.axis, i)?;
            Prepared::again(Some(plan)).eval(cx, 0, i, || Ok(plan))?;
        }
        Ok(())
    }
}

fn slice(x: &TensorView<'_>, axis: usize, i: usize) -> Result<Rearrangement> {
    let dims = node::dims(x)?;
    let kept = dims.as_slice().iter().enumerate().filter(|&(at, _)| at != axis);
    let output = Dims::from_sizes(kept.map(|(_, &size)| size));
    let output = output.ok_or_else(|| invalid!("{:?} is too large", x.shape))?;
    Rearrangement::part(&dims, axis, i, 1, output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, axis: i32, num: i32) -> Result<Vec<Tensor>> {
        let ty = x.ty();
        let test = (0..num).fold(OpTest::<Unpack>::new().input(x), |test, _| test.output(Spec::of(ty)));
        test.options(|o| o.set(UnpackOptions::AXIS, axis).set(UnpackOptions::NUM, num)).run()
    }

    #[test]
    fn slices() {
        let x = || Tensor::i32(&[2, 3], &[0, 1, 2, 3, 4, 5]);
        let y = run(x(), 0, 2).unwrap();
        assert_eq!((y[1].shape(), y[1].as_i32()), (&[3][..], vec![3, 4, 5]));
        let y = run(x(), -1, 3).unwrap();
        assert_eq!((y[2].shape(), y[2].as_i32()), (&[2][..], vec![2, 5]));
        let y = run(Tensor::bool(&[2], &[true, false]), 0, 2).unwrap();
        assert_eq!((y[1].shape(), y[1].as_bool()), (&[][..], vec![false]));
        assert_eq!(run(Tensor::strings(&[2, 1], &["a", "b"]), 0, 2).unwrap()[1].as_strings(), ["b"]);
    }

    #[test]
    fn outputs_may_be_parts_of_the_input() {
        let test = OpTest::<Unpack>::new()
            .input(Tensor::i32(&[1, 2, 2], &[1, 2, 3, 4]))
            .output(Spec::i32())
            .output(Spec::i32())
            .options(|o| o.set(UnpackOptions::NUM, 2).set(UnpackOptions::AXIS, 1));
        let outputs = test.shares(&[Sharing::PartOfInput]).run().unwrap();
        assert_eq!((outputs[0].as_i32(), outputs[1].as_i32()), (vec![1, 2], vec![3, 4]));
    }
}
