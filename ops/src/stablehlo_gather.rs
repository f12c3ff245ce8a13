//! STABLEHLO_GATHER: gathers slices of a tensor that start at given index vectors. Elements of 8 to 64 bits; indices
//! i32, i64.
//!
//! Defined by: tflite/kernels/stablehlo_gather.cc, tflite/kernels/tensor_slice_util.cc.
//!
//! ```text
//! y[i]: the axes `offset_dims` of i are a position in the slice, without its axes `collapsed_slice_dims`;
//!       the other axes of i are a position in the indices, without their axis `index_vector_dim`
//! start[start_index_map[k]] = indices[…, k, …], 0 along other axes, clamped so that the slice fits x
//! y[i] = x[start + position in the slice]
//! ```

use arenite_abi::options::OptionVector;
use arenite_abi::prelude::*;
use arenite_abi::schema::StablehloGatherOptions as Fields;

use crate::kit::arguments::expect_type;
use crate::kit::indexing::{Axes, Dims, MAX_RANK};
use crate::kit::moves::{Run, Width};
use crate::kit::node;

plain! {
    /// A prepared `STABLEHLO_GATHER` node.
    pub struct StablehloGather {
        /// The rank of the input.
        rank: usize,
        /// The largest start along each axis of the input.
        last_start: [i64; MAX_RANK],
        strides: [isize; MAX_RANK],
        output: Dims,
        /// The meaning of a step along each axis of the output.
        steps: [Step; MAX_RANK],
        /// The axis of the input that each element of an index vector belongs to.
        map: [usize; MAX_RANK],
        mapped: usize,
        /// The distance between the elements of an index vector.
        vector_step: isize,
    }
}

plain! {
    #[derive(Clone, Copy)]
    enum Step {
        /// Moves by this many elements of the input.
        Slice(isize),
        /// Moves by this many elements of the indices.
        Indices(isize),
    }
}

impl Op for StablehloGather {
    const CODE: OpCode = OpCode::Builtin(op::STABLEHLO_GATHER);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, indices, y) = node.binary()?;
        expect_type(&indices, &[I32, I64])?;
        node::same_type(&x, &y)?;
        ensure!(
            !matches!(Width::of(x.ty)?, Width::Bits2 | Width::Bits4),
            "packed elements of {} are not supported",
            x.ty
        );
        let options = node.options()?;
        let gather = StablehloGather::new(&options, [&x, &indices], y.rank())?;
        cx.set_output_shape(0, gather.output.as_slice())?;
        Ok(gather)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let indices = cx.input(1)?;
        match indices.ty {
            I32 => self.gather(cx, indices.as_slice::<i32>()?),
            _ => self.gather(cx, indices.as_slice::<i64>()?),
        }
    }
}

impl StablehloGather {
    fn new(options: &Options<'_, Fields>, [x, indices]: [&TensorView<'_>; 2], rank: usize) -> Result<Self> {
        let (from, at) = (node::dims(x)?, node::dims(indices)?);
        let slice = slice_sizes(options, x)?;
        let vector: i64 = options.get(Fields::INDEX_VECTOR_DIM)?;
        let vector = usize::try_from(vector).ok().filter(|&axis| axis <= at.rank()).ok_or_else(|| {
            invalid!("index vectors along axis {vector}, indices {indices} are {:?}", indices.shape)
        })?;
        let offsets = axes(&options.get(Fields::OFFSET_DIMS)?, "offset_dims", rank)?;
        let collapsed =
            axes(&options.get(Fields::COLLAPSED_SLICE_DIMS)?, "collapsed_slice_dims", from.rank())?;
        let (mut map, mut mapped) = ([0; MAX_RANK], 0);
        for axis in options.get(Fields::START_INDEX_MAP)?.iter() {
            let ok =
                usize::try_from(axis).ok().filter(|&axis| axis < from.rank() && mapped < at.size(vector));
            *map.get_mut(mapped).ok_or_else(|| invalid!("start_index_map has more than {MAX_RANK} entries"))? =
                ok.ok_or_else(|| {
                    invalid!(
                        "start_index_map names axis {axis} for number {mapped} of an index vector; input {x} is {:?}, indices {indices} {:?}",
                        x.shape, indices.shape
                    )
                })?;
            mapped += 1;
        }
        let mut gather = StablehloGather {
            rank: from.rank(),
            last_start: [0; MAX_RANK],
            strides: from.strides(),
            output: Dims::SCALAR,
            steps: [Step::Slice(0); MAX_RANK],
            map,
            mapped,
            vector_step: at.strides().get(vector).copied().unwrap_or(0),
        };
        for axis in 0..from.rank() {
            gather.last_start[axis] = from.size(axis) as i64 - slice.size(axis) as i64;
        }
        gather.lay_out(rank, (&slice, collapsed), (&at, vector), offsets)?;
        Ok(gather)
    }

    /// Sets the output's shape and the meaning of each of its axes.
    fn lay_out(
        &mut self,
        rank: usize,
        (slice, collapsed): (&Dims, Axes),
        (indices, vector): (&Dims, usize),
        offsets: Axes,
    ) -> Result<()> {
        let strides = indices.strides();
        let mut inner = (0..slice.rank()).filter(|&axis| !collapsed.contains(axis));
        let mut outer = (0..indices.rank()).filter(|&axis| axis != vector);
        let mut sizes = [0; MAX_RANK];
        for (axis, (size, step)) in sizes[..rank].iter_mut().zip(&mut self.steps).enumerate() {
            let from = if offsets.contains(axis) { inner.next() } else { outer.next() };
            let from = from.ok_or_else(|| {
                invalid!(
                    "the output has {rank} axes, which are more than the slice and the indices have together"
                )
            })?;
            (*size, *step) = match offsets.contains(axis) {
                true => (slice.size(from), Step::Slice(self.strides[from])),
                false => (indices.size(from), Step::Indices(strides[from])),
            };
        }
        ensure!(
            inner.next().is_none() && outer.next().is_none(),
            "the output has {rank} axes, which are fewer than the slice and the indices have together"
        );
        self.output = Dims::from_sizes(sizes[..rank].iter().map(|&size| size as i32))
            .ok_or_else(|| invalid!("the output would be {:?}: too large", &sizes[..rank]))?;
        Ok(())
    }

    fn gather<I: Element + Into<i64>>(&self, cx: &EvalContext<'_>, indices: &[I]) -> Result<()> {
        let (x, y) = (cx.input(0)?, cx.output(0)?);
        if self.output.flat_size() == 0 || x.is_empty() {
            return Ok(());
        }
        let (width, y) = (Width::of(x.ty)?, y.into_bytes());
        let mut position = [0usize; MAX_RANK];
        for out in 0..self.output.flat_size() {
            let (mut offset, mut vector) = (0isize, 0isize);
            for (step, &position) in self.steps.iter().zip(&position[..self.output.rank()]) {
                match step {
                    Step::Slice(step) => offset += step * position as isize,
                    Step::Indices(step) => vector += step * position as isize,
                }
            }
            let from = self.start(indices, vector)? + offset;
            width.copy_run(x.bytes(), Run::contiguous(from as usize), y, Run::contiguous(out), 1)?;
            for axis in (0..self.output.rank()).rev() {
                position[axis] += 1;
                if position[axis] < self.output.size(axis) {
                    break;
                }
                position[axis] = 0;
            }
        }
        Ok(())
    }

    /// The first element of the slice for the index vector at `vector`.
    fn start<I: Element + Into<i64>>(&self, indices: &[I], vector: isize) -> Result<isize> {
        let mut start = [0i64; MAX_RANK];
        for (k, &axis) in self.map[..self.mapped].iter().enumerate() {
            let at = (vector + self.vector_step * k as isize) as usize;
            let index = indices.get(at).ok_or_else(|| invalid!("the indices end before number {at}"))?;
            start[axis] = (*index).into();
        }
        let axes = (0..self.rank)
            .map(|axis| start[axis].min(self.last_start[axis]).max(0) as isize * self.strides[axis]);
        Ok(axes.sum())
    }
}

/// Reads one size per axis of the input, and checks that the slice fits the input.
fn slice_sizes(options: &Options<'_, Fields>, x: &TensorView<'_>) -> Result<Dims> {
    let list = options.get(Fields::SLICE_SIZES)?;
    let fits = list.len() == x.rank()
        && list.iter().zip(x.shape).all(|(size, &limit)| (0..=i64::from(limit)).contains(&size));
    ensure!(fits, "{} slice sizes do not fit input {x}, which is {:?}", list.len(), x.shape);
    Dims::from_sizes(list.iter().map(|size| size as i32)).ok_or_else(|| invalid!("the slice is too large"))
}

/// A set of axes of a tensor with this rank; invalid ones are ignored, as in TFLite.
fn axes(list: &OptionVector<'_, i64>, name: &str, rank: usize) -> Result<Axes> {
    ensure!(rank <= MAX_RANK, "the output has {rank} axes; at most {MAX_RANK} are supported");
    let mut inside = [0; MAX_RANK];
    let mut count = 0;
    for axis in list.iter() {
        let axis = usize::try_from(axis).ok().filter(|&axis| axis < rank);
        let axis = axis.ok_or_else(|| invalid!("{name} has an axis that is not one of the {rank}"))?;
        *inside.get_mut(count).ok_or_else(|| invalid!("{name} has more than {MAX_RANK} entries"))? =
            axis as i32;
        count += 1;
    }
    Axes::new(&inside[..count], rank)
        .ok_or_else(|| invalid!("{name} has an axis that is not one of the {rank}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    struct Case {
        offsets: &'static [i64],
        collapsed: &'static [i64],
        map: &'static [i64],
        vector: i64,
        sizes: &'static [i64],
        rank: usize,
    }

    fn node(x: &Tensor, indices: Tensor, case: &Case) -> OpTest<StablehloGather> {
        let test = OpTest::new().options(|o| {
            let o =
                o.set(Fields::OFFSET_DIMS, case.offsets).set(Fields::COLLAPSED_SLICE_DIMS, case.collapsed);
            o.set(Fields::START_INDEX_MAP, case.map)
                .set(Fields::INDEX_VECTOR_DIM, case.vector)
                .set(Fields::SLICE_SIZES, case.sizes)
        });
        test.input(x.clone()).input(indices).output(Spec::of(x.ty()).shape(&vec![0; case.rank]))
    }

    /// Columns of a 3 × 4 matrix whose element `[r, c]` is `10 r + c`, starting at a row.
    const COLUMNS: Case =
        Case { offsets: &[1], collapsed: &[1], map: &[1, 0], vector: 1, sizes: &[2, 1], rank: 2 };

    fn matrix() -> Tensor {
        let elements: Vec<u8> = (0..12).map(|i| i / 4 * 10 + i % 4).collect();
        Tensor::u8(&[3, 4], &elements)
    }

    #[test]
    fn slices() {
        let y = node(&matrix(), Tensor::i32(&[2, 2], &[3, 0, 1, 1]), &COLUMNS).run().unwrap().remove(0);
        assert_eq!((y.shape(), y.as_u8()), (&[2, 2][..], vec![3, 13, 11, 21]));
        // Starts beyond the last one that fits, and negative starts.
        let y =
            node(&matrix(), Tensor::i64(&[2, 2], &[9, 2, -5, i64::MIN]), &COLUMNS).run().unwrap().remove(0);
        assert_eq!(y.as_u8(), [13, 23, 0, 10]);
        // Scalar indices, without an axis of index vectors.
        let rows = Case { offsets: &[0, 2], collapsed: &[], map: &[0], vector: 1, sizes: &[1, 4], rank: 3 };
        let y = node(&matrix(), Tensor::i32(&[2], &[2, 0]), &rows).run().unwrap().remove(0);
        assert_eq!((y.shape(), y.as_u8()), (&[1, 2, 4][..], vec![20, 21, 22, 23, 0, 1, 2, 3]));
        let none = node(&matrix(), Tensor::i32(&[0, 2], &[]), &COLUMNS).run().unwrap().remove(0);
        assert_eq!(none.shape(), [0, 2]);
    }
}
