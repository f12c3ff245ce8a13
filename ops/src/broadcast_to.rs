//! BROADCAST_TO: repeats the input along its axes of size 1 to fill a larger shape. Any type but strings.
//! Defined by: tflite/kernels/broadcast_to.cc and reference/broadcast_to.h.

use arenite_abi::prelude::*;

use crate::kit::arguments::{Integers, expect_type, expect_vector, saturated};
use crate::kit::broadcast::Broadcast;
use crate::kit::indexing::Dims;
use crate::kit::node;
use crate::kit::rearrange::{self, Prepared, Rearrangement};

plain! {
    /// A prepared `BROADCAST_TO` node.
    pub struct BroadcastTo {
        prepared: Prepared,
    }
}

impl Op for BroadcastTo {
    const CODE: OpCode = OpCode::Builtin(op::BROADCAST_TO);
    const VERSIONS: RangeInclusive<i32> = 2..=4;
    const SHARING: Sharing = rearrange::SHARING;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, shape, y) = node.binary()?;
        node::same_type(&x, &y)?;
        if x.ty == ElementType::String {
            return Err(Error::unsupported("BROADCAST_TO", x.ty));
        }
        expect_type(&shape, &[I32, I64])?;
        expect_vector(&shape)?;
        let plan = if shape.is_constant() { Some(plan(&x, &shape)?) } else { None };
        Ok(BroadcastTo { prepared: Prepared::declare(plan, cx, &x)? })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.prepared.eval(cx, 0, 0, || plan(&cx.input(0)?, &cx.input(1)?))
    }
}

fn plan(x: &TensorView<'_>, shape: &TensorView<'_>) -> Result<Rearrangement> {
    let input = node::dims(x)?;
    let sizes = Integers::of(shape)?;
    let output = Dims::from_sizes(sizes.iter().map(|&size| saturated(size)));
    let loops = output.and_then(|output| Broadcast::onto([&input], &output)).ok_or_else(|| {
        invalid!(
            "{x} {:?} does not broadcast to the {:?} of {shape}; sizes must be equal, or 1 in the input, on at most 8 axes",
            x.shape, &sizes[..]
        )
    })?;
    Rearrangement::new(loops.output(), *loops.nest())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, shape: &[i32]) -> Result<Tensor> {
        let short = Tensor::i32(&[shape.len() as i32], shape);
        let long: Vec<i64> = shape.iter().map(|&x| x.into()).collect();
        let long = Tensor::i64(&[shape.len() as i32], &long);
        let test = OpTest::<BroadcastTo>::new().output(Spec::of(x.ty())).input(x);
        let known = test.clone().constant(short).run();
        assert_same(&known, &test.input(long).run());
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn repeats() {
        let x = || Tensor::i16(&[2, 1], &[1, 2]);
        let y = run(x(), &[2, 3]).unwrap();
        assert_eq!((y.shape(), y.as_i16()), (&[2, 3][..], vec![1, 1, 1, 2, 2, 2]));
        let y = run(x(), &[2, 2, 2]).unwrap();
        assert_eq!((y.shape(), y.as_i16()), (&[2, 2, 2][..], vec![1, 1, 2, 2, 1, 1, 2, 2]));
        assert_eq!(run(x(), &[2, 1]).unwrap().as_i16(), [1, 2]);
        assert_eq!(run(x(), &[2, 0]).unwrap().shape(), [2, 0]);
        let y = run(Tensor::f32(&[], &[7.0]), &[]).unwrap();
        assert_eq!((y.shape(), y.as_f32()), (&[][..], vec![7.0]));
        assert_eq!(run(Tensor::bool(&[1], &[true]), &[1, 1, 1, 1, 1, 1, 1, 3]).unwrap().as_bool(), [true; 3]);
        assert_eq!(run(Tensor::i64(&[2], &[1, -1]), &[2, 2]).unwrap().as_i64(), [1, -1, 1, -1]);
        assert_eq!(run(Tensor::i8(&[1, 2], &[1, -1]), &[2, 2]).unwrap().as_i8(), [1, -1, 1, -1]);
        let z = Complex64 { re: 1.0, im: 2.0 };
        assert_eq!(run(Tensor::of(&[1], &[z]), &[2]).unwrap().elements::<Complex64>(), [z, z]);
    }

    #[test]
    fn the_last_copy_may_be_the_input() {
        let test =
            OpTest::<BroadcastTo>::new().version(2).input(Tensor::i32(&[3], &[1, 2, 3])).output(Spec::i32());
        let test = test.constant(Tensor::i32(&[2], &[2, 3])).shares(&[Sharing::Behind]);
        assert_eq!(test.run().unwrap()[0].as_i32(), [1, 2, 3, 1, 2, 3]);
    }
}
