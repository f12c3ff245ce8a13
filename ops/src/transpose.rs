//! TRANSPOSE: `output[i0, i1, …] = input[…]` with output axis `k` = input axis `perm[k]`. Any type.
//! Defined by: tflite/kernels/transpose.cc.

use arenite_abi::prelude::*;

use crate::kit::arguments::{Integers, expect_type, expect_vector};
use crate::kit::indexing::Permutation;
use crate::kit::node;
use crate::kit::rearrange::{self, Prepared, Rearrangement};

plain! {
    /// A prepared `TRANSPOSE` node.
    pub struct Transpose {
        prepared: Prepared,
    }
}

impl Op for Transpose {
    const CODE: OpCode = OpCode::Builtin(op::TRANSPOSE);
    const VERSIONS: RangeInclusive<i32> = 1..=9;
    const SHARING: Sharing = rearrange::SHARING;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, perm, y) = node.binary()?;
        node::same_type(&x, &y)?;
        expect_type(&perm, &[I32, I64])?;
        let count = expect_vector(&perm)?;
        ensure!(
            count == x.rank(),
            "{perm} permutes {count} axes, input {x} has {}; they must agree",
            x.rank()
        );
        let plan = if perm.is_constant() { Some(plan(&x, &perm)?) } else { None };
        Ok(Transpose { prepared: Prepared::declare(plan, cx, &x)? })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.prepared.eval(cx, 0, 0, || plan(&cx.input(0)?, &cx.input(1)?))
    }
}

fn plan(x: &TensorView<'_>, perm: &TensorView<'_>) -> Result<Rearrangement> {
    let list = Integers::of(perm)?;
    let (axes, count) = list.saturated();
    let permutation = Permutation::new(&node::dims(x)?, &axes[..count])
        .ok_or_else(|| invalid!("{perm} is {:?}; it must name each of {} axes once", &*list, x.rank()))?;
    Rearrangement::new(permutation.output(), *permutation.nest())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, perm: &[i32]) -> Result<Tensor> {
        let test = OpTest::<Transpose>::new().input(x.clone()).output(Spec::of(x.ty()));
        let list = Tensor::i32(&[perm.len() as i32], perm);
        let known = test.clone().constant(list.clone()).run();
        assert_same(&known, &test.input(list).run());
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn permutations() {
        let y = run(Tensor::i8(&[2, 3], &[0, 1, 2, 3, 4, 5]), &[1, 0]).unwrap();
        assert_eq!((y.shape(), y.as_i8()), (&[3, 2][..], vec![0, 3, 1, 4, 2, 5]));
        let y = run(Tensor::f32(&[1, 2, 2], &[0.0, 1.0, 2.0, 3.0]), &[-1, 0, 1]).unwrap();
        assert_eq!((y.shape(), y.as_f32()), (&[2, 1, 2][..], vec![0.0, 2.0, 1.0, 3.0]));
        let y =
            run(Tensor::i16(&[2, 1, 1, 1, 1, 1, 1, 2], &[0, 1, 2, 3]), &[7, 6, 5, 4, 3, 2, 1, 0]).unwrap();
        assert_eq!(y.as_i16(), [0, 2, 1, 3]);
        let complex = [0.0, 1.0, 2.0, 3.0].map(|re| Complex64 { re, im: -re });
        let y = run(Tensor::complex128(&[2, 2], &complex), &[1, 0]).unwrap();
        assert_eq!(y.as_complex128().iter().map(|c| c.im).collect::<Vec<_>>(), [0.0, -2.0, -1.0, -3.0]);
        assert_eq!(run(Tensor::i64(&[], &[5]), &[]).unwrap().as_i64(), [5]);
        assert_eq!(run(Tensor::u8(&[0, 3], &[]), &[1, 0]).unwrap().shape(), [3, 0]);
        let y = run(Tensor::i4(&[3, 3], &[0, 1, 2, 3, 4, 5, 6, 7, -8]), &[1, 0]).unwrap();
        assert_eq!(y.as_i4(), [0, 3, 6, 1, 4, 7, 2, 5, -8]);
    }

    #[test]
    fn axes_of_size_one_need_no_copy() {
        let transpose = |shape: &[i32], perm: &[i32], way| {
            let x: Vec<i32> = (0..12).collect();
            let test = OpTest::<Transpose>::new().input(Tensor::i32(shape, &x)).output(Spec::i32());
            let test = test.constant(Tensor::i32(&[perm.len() as i32], perm));
            test.shares(&[way]).run().unwrap()[0].as_i32()
        };
        assert_eq!(transpose(&[1, 3, 1, 4], &[1, 0, 3, 2], Sharing::View), (0..12).collect::<Vec<_>>());
        let pairs = [0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11];
        assert_eq!(transpose(&[3, 2, 2], &[0, 2, 1], Sharing::Behind), pairs);
    }
}
