//! REVERSE_V2: reverses the order of elements along some axes. Any type.
//! Defined by: tflite/kernels/reverse.cc.

use arenite_abi::prelude::*;

use crate::kit::arguments::{Integers, expect_type, expect_vector};
use crate::kit::indexing::{MAX_RANK, normalize_axis};
use crate::kit::node;
use crate::kit::rearrange::{Prepared, Rearrangement, declare_shape};

plain! {
    /// A prepared `REVERSE_V2` node.
    pub struct ReverseV2 {
        plan: Maybe<Rearrangement>,
    }
}

impl Op for ReverseV2 {
    const CODE: OpCode = OpCode::Builtin(op::REVERSE_V2);
    const VERSIONS: RangeInclusive<i32> = 1..=4;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, axes, y) = node.binary()?;
        node::same_type(&x, &y)?;
        expect_type(&axes, &[I32])?;
        let count = expect_vector(&axes)?;
        ensure!(count <= x.rank(), "{axes} names {count} axes, input {x} has {}", x.rank());
        declare_shape(Some(x.shape), cx, 0, x.ty)?;
        let plan = if axes.is_constant() { Some(plan(&x, &axes)?) } else { None };
        Ok(ReverseV2 { plan: plan.into() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let plan = match self.plan.get() {
            Some(plan) => plan,
            None => plan(&cx.input(0)?, &cx.input(1)?)?,
        };
        Prepared::again(Some(plan)).eval(cx, 0, 0, || Ok(plan))
    }
}

fn plan(x: &TensorView<'_>, axes: &TensorView<'_>) -> Result<Rearrangement> {
    let dims = node::dims(x)?;
    let (list, count) = Integers::of(axes)?.saturated();
    let (mut begins, mut steps) = ([0; MAX_RANK], [1; MAX_RANK]);
    for &axis in &list[..count] {
        let at = normalize_axis(axis, dims.rank())
            .ok_or_else(|| invalid!("axis {axis} does not exist: input {x} is {:?}", x.shape))?;
        ensure!(steps[at] == 1, "{axes} names axis {at} twice");
        (begins[at], steps[at]) = ((dims.size(at) as i64 - 1).max(0), -1);
    }
    Rearrangement::slice(&dims, &begins, &steps, &dims, dims)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, axes: &[i32]) -> Result<Tensor> {
        let list = Tensor::i32(&[axes.len() as i32], axes);
        let test = OpTest::<ReverseV2>::new().input(x.clone()).output(Spec::of(x.ty()));
        let known = test.clone().constant(list.clone()).run();
        assert_same(&known, &test.input(list).run());
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn reversals() {
        for (shape, axes, want) in [
            (&[3][..], &[0][..], &[2, 1, 0][..]),
            (&[2, 3], &[1], &[2, 1, 0, 5, 4, 3]),
            (&[2, 3], &[-2], &[3, 4, 5, 0, 1, 2]),
            (&[2, 3], &[1, 0], &[5, 4, 3, 2, 1, 0]),
            (&[2, 2, 2], &[1], &[2, 3, 0, 1, 6, 7, 4, 5]),
            (&[2, 2, 2], &[0, 2], &[5, 4, 7, 6, 1, 0, 3, 2]),
            (&[2, 3], &[], &[0, 1, 2, 3, 4, 5]),
            (&[2, 0], &[0, 1], &[]),
            (&[], &[], &[0]),
            (&[1, 1, 1, 1, 1, 1, 1, 2], &[7], &[1, 0]),
        ] {
            let x: Vec<i64> = (0..shape.iter().product::<i32>()).map(i64::from).collect();
            let y = run(Tensor::i64(shape, &x), axes).unwrap();
            assert_eq!((y.shape(), y.as_i64()), (shape, want.to_vec()), "{shape:?} along {axes:?}");
        }
        assert_eq!(run(Tensor::bool(&[2], &[true, false]), &[0]).unwrap().as_bool(), [false, true]);
        assert_eq!(run(Tensor::i4(&[3], &[1, 2, 3]), &[0]).unwrap().as_i4(), [3, 2, 1]);
        assert_eq!(run(Tensor::strings(&[2], &["a", "bc"]), &[0]).unwrap().as_strings(), ["bc", "a"]);
    }
}
