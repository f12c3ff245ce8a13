//! GATHER_ND: gathers slices of the input by index vectors. Any type; indices INT16, INT32, INT64.
//! Defined by: tflite/kernels/gather_nd.cc.
//!
//! ```text
//! x = [n0, n1, …]     indices = [rows…, depth]     y = [rows…, n_depth, …]
//! ```

use arenite_abi::prelude::*;

use crate::kit::arguments::expect_type;
use crate::kit::coordinates::Coordinates;
use crate::kit::indexing::Dims;
use crate::kit::moves::{Run, Width};
use crate::kit::node;
use crate::kit::rearrange::declare_shape;
use crate::kit::strings::{self, Strings};

plain! {
    /// A prepared `GATHER_ND` node.
    pub struct GatherNd {
        output: Dims,
        rows: usize,
        slices: Coordinates,
    }
}

impl Op for GatherNd {
    const CODE: OpCode = OpCode::Builtin(op::GATHER_ND);
    const VERSIONS: RangeInclusive<i32> = 1..=6;
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, indices, y) = node.binary()?;
        node::same_type(&x, &y)?;
        expect_type(&indices, &[I16, I32, I64])?;
        let (from, at) = (node::dims(&x)?, node::dims(&indices)?);
        ensure!(from.rank() > 0, "input {x} is a scalar; it must have an axis");
        let Some((&depth, outer)) = at.as_slice().split_last() else {
            return Err(invalid!("indices {indices} are one number; they must be rows"));
        };
        let slices = Coordinates::new(&from, depth as usize)
            .ok_or_else(|| invalid!("indices {indices} have {depth} per row, input {x} is {:?}", x.shape))?;
        let sizes = outer.iter().chain(&x.shape[depth as usize..]);
        let output = Dims::from_sizes(sizes.copied())
            .ok_or_else(|| invalid!("input {x} {:?} at {indices} {:?}: too large", x.shape, indices.shape))?;
        declare_shape(Some(output.as_slice()), cx, 0, x.ty)?;
        let gather = GatherNd { output, rows: at.product(0, outer.len()), slices };
        if indices.is_constant() {
            slices.check(&indices, gather.rows)?;
        }
        Ok(gather)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, indices, length) = (cx.input(0)?, cx.input(1)?, self.slices.slice_len());
        if x.ty == ElementType::String {
            self.slices.check(&indices, self.rows)?;
            let (from, shape) = (Strings::of(&x)?, self.output.as_slice());
            let visit = |f: &mut dyn FnMut(usize)| {
                // Cannot fail: all indices were checked above.
                let _ = self.slices.for_each(&indices, self.rows, |_, slice| {
                    (0..length).for_each(|k| f(slice * length + k));
                    Ok(())
                });
            };
            // Index vectors of length 0 take no memory, so there may be any number of them.
            if indices.is_empty() && from.len() == length {
                return strings::repeat(cx, 0, shape, &from, self.rows, visit);
            }
            return strings::select(cx, 0, shape, &from, visit);
        }
        let (width, to) = (Width::of(x.ty)?, cx.output(0)?.into_bytes());
        width.clear_rest(to);
        self.slices.for_each(&indices, self.rows, |row, slice| {
            let (source, target) = (Run::contiguous(slice * length), Run::contiguous(row * length));
            width.copy_run(x.bytes(), source, to, target, length)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, shape: &[i32], indices: &[i16]) -> Result<Tensor> {
        let test = || OpTest::<GatherNd>::new().input(x.clone()).output(Spec::of(x.ty()));
        let int: Vec<i32> = indices.iter().map(|&i| i.into()).collect();
        let long: Vec<i64> = indices.iter().map(|&i| i.into()).collect();
        let known = test().constant(Tensor::i64(shape, &long)).run();
        assert_same(&known, &test().input(Tensor::i32(shape, &int)).run());
        assert_same(&known, &test().input(Tensor::i16(shape, indices)).run());
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn slices() {
        for (shape, indices, want, elements) in [
            (&[2, 2][..], &[0, 0, 1, 2][..], &[2][..], &[0, 5][..]),
            (&[1, 1], &[1], &[1, 3], &[3, 4, 5]),
            (&[1], &[1], &[3], &[3, 4, 5]),
            (&[2], &[1, 0], &[], &[3]),
            (&[2, 1, 2], &[1, 1, 0, 2], &[2, 1], &[4, 2]),
            (&[2, 0], &[], &[2, 2, 3], &[0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]),
            (&[0], &[], &[2, 3], &[0, 1, 2, 3, 4, 5]),
            (&[0, 2], &[], &[0], &[]),
        ] {
            let y = run(Tensor::u8(&[2, 3], &[0, 1, 2, 3, 4, 5]), shape, indices).unwrap();
            assert_eq!((y.shape(), y.as_u8()), (want, elements.to_vec()), "{shape:?} {indices:?}");
        }
        assert_eq!(run(Tensor::i4(&[3], &[1, 2, 3]), &[2, 1], &[2, 1]).unwrap().as_i4(), [3, 2]);
        assert_eq!(run(Tensor::i64(&[2], &[7, 8]), &[1, 1], &[1]).unwrap().as_i64(), [8]);
        let y = run(Tensor::strings(&[2, 2], &["a", "b", "c", "de"]), &[1, 1], &[1]).unwrap();
        assert_eq!((y.shape(), y.as_strings()), (&[1, 2][..], vec!["c".into(), "de".into()]));
        let y = run(Tensor::strings(&[2], &["a", "bc"]), &[2, 0], &[]).unwrap();
        assert_eq!(
            (y.shape(), y.as_strings()),
            (&[2, 2][..], ["a", "bc", "a", "bc"].map(String::from).to_vec())
        );
        assert_eq!(
            run(Tensor::strings(&[1], &["a"]), &[0, 1], &[]).unwrap().as_strings(),
            Vec::<String>::new()
        );
        // Empty slices may be gathered any number of times.
        assert_eq!(run(Tensor::f32(&[0], &[]), &[i32::MAX, 0], &[]).unwrap().shape(), [i32::MAX, 0]);
    }
}
