//! SLICE: `size[axis]` elements along each axis, starting at `begin[axis]`; −1 means all remaining elements. Any type.
//! Defined by: tflite/kernels/slice.cc.

use arenite_abi::prelude::*;

use crate::kit::arguments::{Integers, expect_type, expect_vector};
use crate::kit::indexing::{Dims, MAX_RANK};
use crate::kit::node;
use crate::kit::rearrange::{self, Prepared, Rearrangement};

plain! {
    /// A prepared `SLICE` node.
    pub struct Slice {
        prepared: Prepared,
    }
}

impl Op for Slice {
    const CODE: OpCode = OpCode::Builtin(op::SLICE);
    const VERSIONS: RangeInclusive<i32> = 1..=8;
    const SHARING: Sharing = rearrange::SHARING;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let (x, begin, size, y) = (node.input(0)?, node.input(1)?, node.input(2)?, node.output(0)?);
        node::same_type(&x, &y)?;
        for list in [&begin, &size] {
            expect_type(list, &[I32, I64])?;
            let count = expect_vector(list)?;
            ensure!(
                count == x.rank(),
                "{list} has {count} numbers, input {x} has {} axes; there must be one number per axis",
                x.rank()
            );
        }
        let known = begin.is_constant() && size.is_constant();
        let plan = if known { Some(plan(&x, &begin, &size)?) } else { None };
        Ok(Slice { prepared: Prepared::declare(plan, cx, &x)? })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.prepared.eval(cx, 0, 0, || plan(&cx.input(0)?, &cx.input(1)?, &cx.input(2)?))
    }
}

fn plan(x: &TensorView<'_>, begin: &TensorView<'_>, size: &TensorView<'_>) -> Result<Rearrangement> {
    let dims = node::dims(x)?;
    let (begin, size) = (Integers::of(begin)?, Integers::of(size)?);
    let mut begins = [0; MAX_RANK];
    let mut sizes = [0; MAX_RANK];
    for (axis, (&whole, (&from, &wanted))) in x.shape.iter().zip(begin.iter().zip(&*size)).enumerate() {
        let left = i64::from(whole).checked_sub(from);
        let count = if wanted == -1 { left } else { Some(wanted) };
        let fits =
            from >= 0 && count.is_some_and(|count| count >= 0 && left.is_some_and(|left| count <= left));
        ensure!(
            fits,
            "{wanted} elements from {from} exceed axis {axis} of input {x}, which is {:?}",
            x.shape
        );
        (begins[axis], sizes[axis]) = (from, count.unwrap_or(0) as i32);
    }
    let sizes = Dims::from_sizes(sizes.into_iter().take(dims.rank()));
    let sizes = sizes.ok_or_else(|| invalid!("a slice of {:?} is too large", x.shape))?;
    Rearrangement::slice(&dims, &begins, &[1; MAX_RANK], &sizes, sizes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, begin: &[i32], size: &[i32]) -> Result<Tensor> {
        let list = |list: &[i32]| Tensor::i32(&[list.len() as i32], list);
        let long = |list: &[i32]| {
            let list: Vec<i64> = list.iter().map(|&v| v.into()).collect();
            Tensor::i64(&[list.len() as i32], &list)
        };
        let test = OpTest::<Slice>::new().input(x.clone()).output(Spec::of(x.ty()));
        let known = test.clone().constant(list(begin)).constant(long(size)).run();
        assert_same(&known, &test.clone().input(long(begin)).constant(list(size)).run());
        assert_same(&known, &test.constant(list(begin)).input(list(size)).run());
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn slices() {
        let x = || Tensor::i16(&[2, 3], &[0, 1, 2, 3, 4, 5]);
        for (begin, size, shape, want) in [
            ([0, 1], [2, 2], [2, 2], &[1, 2, 4, 5][..]),
            ([1, 0], [-1, 1], [1, 1], &[3]),
            ([0, 0], [-1, -1], [2, 3], &[0, 1, 2, 3, 4, 5]),
            ([2, 0], [0, 3], [0, 3], &[]),
            ([0, 3], [2, -1], [2, 0], &[]),
        ] {
            let y = run(x(), &begin, &size).unwrap();
            assert_eq!((y.shape(), y.as_i16()), (&shape[..], want.to_vec()), "{begin:?} {size:?}");
        }
        let y = run(Tensor::strings(&[3], &["a", "bc", "d"]), &[1], &[2]).unwrap();
        assert_eq!((y.shape(), y.as_strings()), (&[2][..], vec!["bc".into(), "d".into()]));
        assert_eq!(run(Tensor::i4(&[5], &[1, 2, 3, 4, 5]), &[1], &[3]).unwrap().as_i4(), [2, 3, 4]);
        let deep = Tensor::bool(&[1, 1, 2, 1, 1, 1, 1, 1], &[false, true]);
        assert_eq!(run(deep, &[0, 0, 1, 0, 0, 0, 0, 0], &[-1; 8]).unwrap().as_bool(), [true]);
    }

    #[test]
    fn the_output_may_be_part_of_the_input() {
        let slice = |begin: &[i32], size: &[i32], way| {
            let x: Vec<i32> = (0..24).collect();
            let test = OpTest::<Slice>::new().input(Tensor::i32(&[4, 3, 2], &x)).output(Spec::i32());
            let test = test.constant(Tensor::i32(&[3], begin)).constant(Tensor::i32(&[3], size));
            test.shares(&[way]).run().unwrap()[0].as_i32()
        };
        assert_eq!(slice(&[1, 0, 0], &[2, -1, -1], Sharing::PartOfInput), (6..18).collect::<Vec<_>>());
        assert_eq!(slice(&[3, 1, 0], &[1, 1, 2], Sharing::PartOfInput), [20, 21]);
        assert_eq!(slice(&[0; 3], &[-1; 3], Sharing::View), (0..24).collect::<Vec<_>>());
        assert_eq!(slice(&[0, 1, 0], &[-1, 1, 2], Sharing::Behind), [2, 3, 8, 9, 14, 15, 20, 21]);
        assert_eq!(slice(&[0, 0, 1], &[2, -1, 1], Sharing::Behind), [1, 3, 5, 7, 9, 11]);
    }
}
