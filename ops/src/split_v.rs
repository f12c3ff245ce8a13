//! SPLIT_V: splits the input along an axis into parts of given sizes, one per output; one size may be −1 and takes the
//! rest. Any type.
//! Defined by: tflite/kernels/split_v.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::SplitVOptions;

use crate::kit::arguments::{Integers, expect_type, expect_vector, saturated};
use crate::kit::indexing::normalize_axis;
use crate::kit::node;
use crate::kit::rearrange::{self, Prepared, Rearrangement, with_size};

plain! {
    /// A prepared `SPLIT_V` node: the axis, if it and the sizes are constant.
    pub struct SplitV {
        axis: Maybe<usize>,
    }
}

impl Op for SplitV {
    const CODE: OpCode = OpCode::Builtin(op::SPLIT_V);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = rearrange::SHARING_OF_PARTS;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=usize::MAX)?;
        let (x, sizes, axis) = (node.input(0)?, node.input(1)?, node.input(2)?);
        let (count, parts) = (node.output_count(), node.options()?.get(SplitVOptions::NUM_SPLITS)?);
        ensure!(
            usize::try_from(parts) == Ok(count),
            "its options ask for {parts} parts, it has {count} outputs; they must agree"
        );
        expect_type(&sizes, &[I32, I64])?;
        let entries = expect_vector(&sizes)?;
        ensure!(entries == count, "{sizes} has {entries} sizes for {count} outputs; they must agree");
        expect_type(&axis, &[I32, I64])?;
        ensure!(axis.len() == 1, "{axis} is {:?}; it must hold one axis", axis.shape);
        let known = sizes.is_constant() && axis.is_constant();
        let axis = if known { Some(axis_of(&axis, &x)?) } else { None };
        for i in 0..count {
            let y = node.output(i)?;
            node::same_type(&x, &y)?;
        }
        match axis {
            Some(axis) => {
                for_each_part(&x, &sizes, axis, |i, part| Prepared::declare_part(Some(part), cx, [0, i], &x))?
            }
            None => (0..count).try_for_each(|i| Prepared::declare_part(None, cx, [0, i], &x))?,
        }
        Ok(SplitV { axis: axis.into() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, sizes) = (cx.node().input(0)?, cx.input(1)?);
        let axis = match self.axis.get() {
            Some(axis) => axis,
            None => axis_of(&cx.input(2)?, &x)?,
        };
        for_each_part(&x, &sizes, axis, |i, part| {
            Prepared::again(self.axis.get().map(|_| part)).eval(cx, 0, i, || Ok(part))
        })
    }
}

fn axis_of(axis: &TensorView<'_>, x: &TensorView<'_>) -> Result<usize> {
    let value = Integers::scalar(axis)?;
    normalize_axis(saturated(value), x.rank())
        .ok_or_else(|| invalid!("axis {value} does not exist: input {x} is {:?}", x.shape))
}

/// Calls `f(output, part)` for each output.
fn for_each_part(
    x: &TensorView<'_>,
    sizes: &TensorView<'_>,
    axis: usize,
    mut f: impl FnMut(usize, Rearrangement) -> Result<()>,
) -> Result<()> {
    match sizes.ty {
        I32 => parts(x, sizes, axis, sizes.as_slice::<i32>()?, &mut f),
        _ => parts(x, sizes, axis, sizes.as_slice::<i64>()?, &mut f),
    }
}

fn parts<I: Element + Into<i64>>(
    x: &TensorView<'_>,
    sizes: &TensorView<'_>,
    axis: usize,
    list: &[I],
    f: &mut dyn FnMut(usize, Rearrangement) -> Result<()>,
) -> Result<()> {
    let dims = node::dims(x)?;
    let whole = dims.size(axis) as i64;
    let list = || list.iter().map(|&size| size.into());
    let given = list().filter(|&size| size != -1).try_fold(0i64, |sum, size| sum.checked_add(size));
    let open = list().filter(|&size| size == -1).count();
    let left = given.and_then(|given| whole.checked_sub(given));
    let left = left.filter(|&left| open <= 1 && (if open == 1 { left >= 0 } else { left == 0 }));
    let unfit = || {
        invalid!(
            "the sizes in {sizes} must be at least 0, one may be -1, and cover the {whole} elements of axis {axis} of {x}"
        )
    };
    let left = left.ok_or_else(unfit)?;
    let mut begin = 0;
    for (i, size) in list().enumerate() {
        let size = if size == -1 { left } else { size };
        ensure!((0..=whole - begin).contains(&size), "{}", unfit());
        let output = with_size(&dims, axis, size as i32)?;
        f(i, Rearrangement::part(&dims, axis, begin as usize, size as i32, output)?)?;
        begin += size;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, sizes: &[i32], axis: i32) -> Result<Vec<Tensor>> {
        let long: Vec<i64> = sizes.iter().map(|&v| v.into()).collect();
        let shape = [sizes.len() as i32];
        let test = || {
            let test = OpTest::<SplitV>::new().input(x.clone());
            let test = test.options(|o| o.set(SplitVOptions::NUM_SPLITS, sizes.len() as i32));
            sizes.iter().fold(test, |test, _| test.output(Spec::of(x.ty())))
        };
        let known = test().constant(Tensor::i32(&shape, sizes)).constant(Tensor::i32(&[], &[axis])).run();
        let sizes_late = test().input(Tensor::i64(&shape, &long)).constant(Tensor::i64(&[1], &[axis.into()]));
        assert_same(&known, &sizes_late.run());
        let axis_late = test().constant(Tensor::i64(&shape, &long)).input(Tensor::i32(&[], &[axis]));
        assert_same(&known, &axis_late.run());
        known
    }

    #[test]
    fn parts_with_given_sizes() {
        let x = || Tensor::i16(&[2, 3], &[0, 1, 2, 3, 4, 5]);
        for (sizes, axis, want) in [
            (&[1, 2][..], 1, &[(&[2, 1][..], &[0, 3][..]), (&[2, 2], &[1, 2, 4, 5])][..]),
            (&[-1, 1], -1, &[(&[2, 2], &[0, 1, 3, 4]), (&[2, 1], &[2, 5])]),
            (&[2, 0], 0, &[(&[2, 3], &[0, 1, 2, 3, 4, 5]), (&[0, 3], &[])]),
            (&[2, -1], -2, &[(&[2, 3], &[0, 1, 2, 3, 4, 5]), (&[0, 3], &[])]),
            (&[-1], 0, &[(&[2, 3], &[0, 1, 2, 3, 4, 5])]),
        ] {
            let outputs = run(x(), sizes, axis).unwrap();
            let got: Vec<_> = outputs.iter().map(|y| (y.shape(), y.as_i16())).collect();
            let want: Vec<_> = want.iter().map(|&(shape, elements)| (shape, elements.to_vec())).collect();
            assert_eq!(got, want, "{sizes:?} along {axis}");
        }
        let strings = run(Tensor::strings(&[3], &["a", "b", "cd"]), &[1, 2], 0).unwrap();
        assert_eq!(
            (strings[0].as_strings(), strings[1].as_strings()),
            (vec!["a".into()], vec!["b".into(), "cd".into()])
        );
        let packed = run(Tensor::i4(&[3], &[1, 2, 3]), &[1, 2], 0).unwrap();
        assert_eq!((packed[0].as_i4(), packed[1].as_i4()), (vec![1], vec![2, 3]));
        let mut fine = run(Tensor::u8(&[40], &[7; 40]), &[1; 40], 0).unwrap();
        assert_eq!(fine.remove(39).as_u8(), [7]);
    }

    #[test]
    fn outputs_may_be_parts_of_the_input() {
        let test = OpTest::<SplitV>::new()
            .input(Tensor::i32(&[3, 2], &[1, 2, 3, 4, 5, 6]))
            .constant(Tensor::i32(&[2], &[1, -1]))
            .constant(Tensor::i32(&[], &[0]))
            .output(Spec::i32())
            .output(Spec::i32())
            .options(|o| o.set(SplitVOptions::NUM_SPLITS, 2));
        let outputs = test.shares(&[Sharing::PartOfInput]).run().unwrap();
        assert_eq!((outputs[0].as_i32(), outputs[1].as_i32()), (vec![1, 2], vec![3, 4, 5, 6]));
    }
}
