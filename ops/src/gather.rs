//! GATHER: gathers slices of the input along an axis by a tensor of indices. Any type; indices INT16, INT32, INT64.
//! Defined by: tflite/kernels/gather.cc and kernels/internal/reference/gather.h.
//!
//! ```text
//! x       = [batch…, outer…, axis, inner…]
//! indices = [batch…, coords…]
//! y       = [batch…, outer…, coords…, inner…]
//! ```

use arenite_abi::prelude::*;
use arenite_abi::schema::GatherOptions;

use crate::kit::arguments::expect_type;
use crate::kit::indexing::{Dims, normalize_axis};
use crate::kit::moves::{Run, Width};
use crate::kit::node;
use crate::kit::rearrange::declare_shape;
use crate::kit::strings::{self, Strings};

plain! {
    /// A prepared `GATHER` node: the numbers of elements in the groups of axes.
    pub struct Gather {
        output: Dims,
        batch: usize,
        outer: usize,
        axis: usize,
        coords: usize,
        inner: usize,
    }
}

impl Op for Gather {
    const CODE: OpCode = OpCode::Builtin(op::GATHER);
    const VERSIONS: RangeInclusive<i32> = 1..=8;
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, indices, y) = node.binary()?;
        node::same_type(&x, &y)?;
        expect_type(&indices, &[I16, I32, I64])?;
        let (axis, batch_dims) = axes(node, &x, &indices)?;
        let (from, at) = (node::dims(&x)?, node::dims(&indices)?);
        let sizes = x.shape[..axis].iter().chain(&indices.shape[batch_dims..]).chain(&x.shape[axis + 1..]);
        let output = Dims::from_sizes(sizes.copied())
            .ok_or_else(|| invalid!("input {x} {:?} at {indices} {:?}: too large", x.shape, indices.shape))?;
        declare_shape(Some(output.as_slice()), cx, 0, x.ty)?;
        let gather = Gather {
            output,
            batch: from.product(0, batch_dims),
            outer: from.product(batch_dims, axis),
            axis: from.size(axis),
            coords: at.product(batch_dims, at.rank()),
            inner: from.product(axis + 1, from.rank()),
        };
        if indices.is_constant() {
            gather.check(&indices)?;
        }
        Ok(gather)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let indices = cx.input(1)?;
        self.check(&indices)?;
        match indices.ty {
            I16 => self.gather(cx, indices.as_slice::<i16>()?, |i| i as usize),
            I32 => self.gather(cx, indices.as_slice::<i32>()?, |i| i as usize),
            _ => self.gather(cx, indices.as_slice::<i64>()?, |i| i as usize),
        }
    }
}

/// The axis and the number of batch axes.
fn axes(node: &NodeView<'_>, x: &TensorView<'_>, indices: &TensorView<'_>) -> Result<(usize, usize)> {
    let options = node.options()?;
    let (wanted, batch) = (options.get(GatherOptions::AXIS)?, options.get(GatherOptions::BATCH_DIMS)?);
    let axis = normalize_axis(wanted, x.rank())
        .ok_or_else(|| invalid!("axis {wanted} does not exist: input {x} is {:?}", x.shape))?;
    // The rank of the indices itself is a legal value, so this is not an axis index.
    let rank = indices.rank() as i64;
    let batch_dims = i64::from(batch) + if batch < 0 { rank } else { 0 };
    ensure!(
        (0..=rank.min(axis as i64)).contains(&batch_dims),
        "{batch} batch dimensions are incompatible with axis {axis} and indices {indices}, which are {:?}",
        indices.shape
    );
    let batch_dims = batch_dims as usize;
    ensure!(
        x.shape[..batch_dims] == indices.shape[..batch_dims],
        "input {x} is {:?}, indices {indices} are {:?}; their first {batch_dims} dimensions must agree",
        x.shape,
        indices.shape
    );
    Ok((axis, batch_dims))
}

impl Gather {
    fn check(&self, indices: &TensorView<'_>) -> Result<()> {
        let check = |found: Option<(usize, i64)>| match found {
            None => Ok(()),
            Some((position, index)) => Err(invalid!(
                "index {index} at position {position} of {indices} is out of bounds for 0..{}",
                self.axis
            )),
        };
        match indices.ty {
            I16 => check(self.outside(indices.as_slice::<i16>()?)),
            I32 => check(self.outside(indices.as_slice::<i32>()?)),
            _ => check(self.outside(indices.as_slice::<i64>()?)),
        }
    }

    /// The first index that is out of range, and its position.
    fn outside<I: Element + Into<i64>>(&self, indices: &[I]) -> Option<(usize, i64)> {
        let fits = |index: i64| usize::try_from(index).is_ok_and(|index| index < self.axis);
        indices.iter().map(|&index| index.into()).enumerate().find(|&(_, index)| !fits(index))
    }

    /// Copies the slices; all indices were checked by `outside`.
    fn gather<I: Element>(
        &self,
        cx: &EvalContext<'_>,
        indices: &[I],
        index: impl Fn(I) -> usize,
    ) -> Result<()> {
        let x = cx.input(0)?;
        // Calls `f(block of x, block of y)`; blocks are numbered in units of `inner` elements.
        let blocks = |f: &mut dyn FnMut(usize, usize)| {
            for slice in 0..self.batch * self.outer {
                let coords = slice / self.outer * self.coords;
                for (k, &i) in indices.iter().skip(coords).take(self.coords).enumerate() {
                    f(slice * self.axis + index(i), slice * self.coords + k);
                }
            }
        };
        if x.ty == ElementType::String {
            return strings::select(cx, 0, self.output.as_slice(), &Strings::of(&x)?, |f| {
                blocks(&mut |from, _| (0..self.inner).for_each(|k| f(from * self.inner + k)));
            });
        }
        let (width, to) = (Width::of(x.ty)?, cx.output(0)?.into_bytes());
        width.clear_rest(to);
        let mut result = Ok(());
        blocks(&mut |from, at| {
            if result.is_ok() {
                let (source, target) = (Run::contiguous(from * self.inner), Run::contiguous(at * self.inner));
                result = width.copy_run(x.bytes(), source, to, target, self.inner);
            }
        });
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn node(x: &Tensor, axis: i32, batch_dims: i32) -> OpTest<Gather> {
        let test = OpTest::<Gather>::new().input(x.clone()).output(Spec::of(x.ty()));
        test.options(|o| o.set(GatherOptions::AXIS, axis).set(GatherOptions::BATCH_DIMS, batch_dims))
    }

    fn run(x: Tensor, shape: &[i32], indices: &[i16], axis: i32, batch_dims: i32) -> Result<Tensor> {
        let long: Vec<i64> = indices.iter().map(|&i| i.into()).collect();
        let known = node(&x, axis, batch_dims).constant(Tensor::i64(shape, &long)).run();
        let late = node(&x, axis, batch_dims).input(Tensor::i16(shape, indices)).run();
        assert_same(&known, &late);
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn slices() {
        let x = || Tensor::u8(&[2, 3], &[0, 1, 2, 3, 4, 5]);
        for (shape, indices, axis, batch_dims, want, elements) in [
            (&[2][..], &[1, 0][..], 0, 0, &[2, 3][..], &[3, 4, 5, 0, 1, 2][..]),
            (&[2], &[2, 0], 1, 0, &[2, 2], &[2, 0, 5, 3]),
            (&[], &[1], -1, 0, &[2], &[1, 4]),
            (&[1, 2], &[0, 0], 0, 0, &[1, 2, 3], &[0, 1, 2, 0, 1, 2]),
            (&[2, 1], &[2, 0], 1, 1, &[2, 1], &[2, 3]),
            (&[2, 1], &[2, 0], 1, -1, &[2, 1], &[2, 3]),
            (&[2], &[1, 2], 1, 1, &[2], &[1, 5]),
            (&[0], &[], 0, 0, &[0, 3], &[]),
        ] {
            let y = run(x(), shape, indices, axis, batch_dims).unwrap();
            assert_eq!(
                (y.shape(), y.as_u8()),
                (want, elements.to_vec()),
                "{shape:?} along {axis}, {batch_dims}"
            );
        }
        let y = run(Tensor::i4(&[3, 1], &[1, 2, 3]), &[3], &[2, 0, 2], 0, 0).unwrap();
        assert_eq!(y.as_i4(), [3, 1, 3]);
        let y = run(Tensor::strings(&[3], &["a", "", "bc"]), &[1, 2], &[2, 0], 0, 0).unwrap();
        assert_eq!((y.shape(), y.as_strings()), (&[1, 2][..], vec!["bc".into(), "a".into()]));
        let y = run(Tensor::strings(&[2, 2], &["a", "b", "c", "d"]), &[1], &[1], 0, 0).unwrap();
        assert_eq!((y.shape(), y.as_strings()), (&[1, 2][..], vec!["c".into(), "d".into()]));
    }

    #[test]
    fn refusals() {
        let x = || Tensor::f32(&[2, 3], &[0.0; 6]);
        let message = |shape, indices, axis, batch| {
            run(x(), shape, indices, axis, batch).unwrap_err().message().to_owned()
        };
        assert_eq!(message(&[2], &[0, 2], 0, 0), "index 2 at position 1 of 'in1' is out of bounds for 0..2");
        assert_eq!(message(&[1], &[-1], 0, 0), "index -1 at position 0 of 'in1' is out of bounds for 0..2");
        assert_eq!(message(&[1], &[0], 2, 0), "axis 2 does not exist: input 'in0' is [2, 3]");
        assert_eq!(
            message(&[1], &[0], 0, 1),
            "1 batch dimensions are incompatible with axis 0 and indices 'in1', which are [1]"
        );
        assert_eq!(
            message(&[1], &[0], 1, 1),
            "input 'in0' is [2, 3], indices 'in1' are [1]; their first 1 dimensions must agree"
        );
        let huge = node(&x(), 0, 0).input(Tensor::i64(&[1], &[1 << 40])).run().unwrap_err();
        assert_eq!(huge.message(), "index 1099511627776 at position 0 of 'in1' is out of bounds for 0..2");
        let bad = Tensor::raw(ElementType::String, &[1], &[1, 0, 0, 0, 12, 0, 0, 0, 99, 0, 0, 0]);
        assert_eq!(
            run(bad, &[1], &[0], 0, 0).unwrap_err().message(),
            "'in0': offset 1 of its strings is 99; it must be in 12..=12"
        );
    }
}
