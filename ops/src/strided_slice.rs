//! STRIDED_SLICE: every `stride`-th element between `begin` and `end` along each axis, like NumPy's `x[b:e:s, …]`. Any
//! type.
//! Defined by: tflite/kernels/strided_slice.cc.
//!
//! The lists begin, end and strides have one entry per axis of the input, except that the bits of five masks change the
//! meaning of an entry:
//! - ellipsis: the entry covers, as whole axes, all axes that the other entries leave, at least one;
//! - new axis: the entry adds an axis of size 1 to the output and consumes no axis of the input;
//! - begin, end: the slice starts at the first element, or extends to the last one (in the stride's direction);
//! - shrink axis: only the element at `begin` is selected, and the axis is removed.
//!
//! Axes beyond the lists are kept whole.

use arenite_abi::prelude::*;
use arenite_abi::schema::StridedSliceOptions;

use crate::kit::arguments::{Integers, expect_type, expect_vector};
use crate::kit::indexing::{Dims, MAX_RANK};
use crate::kit::node;
use crate::kit::rearrange::{self, Prepared, Rearrangement};

plain! {
    /// A prepared `STRIDED_SLICE` node.
    pub struct StridedSlice {
        prepared: Prepared,
    }
}

/// The number of entries that have a bit in the masks.
const MAX_ENTRIES: usize = 31;

impl Op for StridedSlice {
    const CODE: OpCode = OpCode::Builtin(op::STRIDED_SLICE);
    const VERSIONS: RangeInclusive<i32> = 1..=8;
    const SHARING: Sharing = rearrange::SHARING;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(4..=4, 1..=1)?;
        let (x, y) = (node.input(0)?, node.output(0)?);
        node::same_type(&x, &y)?;
        let lists = [node.input(1)?, node.input(2)?, node.input(3)?];
        let entries = expect_vector(&lists[0])?;
        ensure!(
            entries <= MAX_ENTRIES,
            "'{}' has {entries} entries; at most 31 are supported",
            lists[0].name()
        );
        for list in &lists {
            expect_type(list, &[I32, I64])?;
            let count = expect_vector(list)?;
            ensure!(
                count == entries,
                "{list} has {count} entries, '{}' has {entries}; they must agree",
                lists[0].name()
            );
        }
        let masks = Masks::of(node, entries)?;
        let known = lists.iter().all(TensorView::is_constant);
        let plan = if known { Some(plan(&x, &lists, &masks)?) } else { None };
        Ok(StridedSlice { prepared: Prepared::declare(plan, cx, &x)? })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.prepared.eval(cx, 0, 0, || {
            let lists = [cx.input(1)?, cx.input(2)?, cx.input(3)?];
            plan(&cx.input(0)?, &lists, &Masks::of(&cx.node(), lists[0].len())?)
        })
    }
}

/// The masks and flags of the options.
struct Masks {
    begin: u32,
    end: u32,
    ellipsis: u32,
    new_axis: u32,
    shrink_axis: u32,
    /// Whether `end` is relative to `begin`.
    end_is_offset: bool,
}

impl Masks {
    /// Reads the options; bits beyond the lists are ignored.
    fn of(node: &NodeView<'_>, entries: usize) -> Result<Masks> {
        type T = StridedSliceOptions;
        let options = node.options()?;
        let used = u32::MAX.checked_shr(32 - entries as u32).unwrap_or(0);
        let mask = |field| options.get(field).map(|bits: i32| bits as u32 & used);
        let ellipsis = mask(T::ELLIPSIS_MASK)?;
        ensure!(ellipsis.count_ones() <= 1, "its ellipsis mask is {ellipsis:#b}; one bit may be set");
        Ok(Masks {
            begin: mask(T::BEGIN_MASK)?,
            end: mask(T::END_MASK)?,
            ellipsis,
            new_axis: mask(T::NEW_AXIS_MASK)? & !ellipsis,
            shrink_axis: mask(T::SHRINK_AXIS_MASK)? & !ellipsis,
            end_is_offset: options.get(T::OFFSET)?,
        })
    }
}

fn has(mask: u32, bit: usize) -> bool {
    bit < MAX_ENTRIES && mask & 1 << bit != 0
}

plain! {
    /// The source of one axis of the output or of the input.
    #[derive(Clone, Copy, PartialEq)]
    enum Axis {
        /// The whole axis of the input.
        Whole,
        /// An axis that only the output has.
        New,
        /// An axis that this entry of the lists slices.
        Entry(usize),
    }
}

/// The axes in the output's order: the meaning of each entry, then the axes beyond the lists.
fn axes(masks: &Masks, entries: usize, rank: usize) -> Result<impl Iterator<Item = Axis>> {
    let added = masks.new_axis.count_ones() as usize;
    let total = rank + added;
    // The ellipsis covers the axes that the other entries leave, at least one.
    let ellipsis = if masks.ellipsis == 0 { total } else { masks.ellipsis.trailing_zeros() as usize };
    let spread = (total + 1).saturating_sub(entries).max(1).min(total.saturating_sub(ellipsis));
    let reach = if masks.ellipsis == 0 { entries } else { entries + spread.max(1) - 1 };
    let excess = reach.saturating_sub(total);
    // There may be one entry too many if the ellipsis would cover no axis; TFLite then drops the last entry.
    ensure!(
        excess <= usize::from(masks.ellipsis != 0),
        "its lists have {entries} entries, {added} of them for new axes; the input has rank {rank}"
    );
    let new_axis = masks.new_axis;
    Ok((0..total).map(move |i| match i {
        i if i >= reach => Axis::Whole,
        i if i >= ellipsis && i < ellipsis + spread => Axis::Whole,
        i => {
            let entry = if i < ellipsis { i } else { i + 1 - spread };
            if has(new_axis, entry) { Axis::New } else { Axis::Entry(entry) }
        }
    }))
}

/// The selected part of one axis: `count` elements, starting at `begin`.
struct Part {
    begin: i64,
    step: i64,
    count: i64,
}

fn plan(x: &TensorView<'_>, lists: &[TensorView<'_>; 3], masks: &Masks) -> Result<Rearrangement> {
    let dims = node::dims(x)?;
    let lists = [Integers::of(&lists[0])?, Integers::of(&lists[1])?, Integers::of(&lists[2])?];
    let (mut begins, mut steps, mut sizes) = ([0; MAX_RANK], [1; MAX_RANK], [1; MAX_RANK]);
    let (mut output, mut output_rank) = ([0; MAX_RANK], 0);
    let mut outside = None;
    let mut from = 0;
    for axis in axes(masks, lists[0].len(), dims.rank())? {
        let whole = dims.size(from) as i64;
        let part = match axis {
            Axis::New => Part { begin: 0, step: 1, count: 1 },
            Axis::Whole => Part { begin: 0, step: 1, count: whole },
            Axis::Entry(entry) => part(lists.each_ref().map(|list| list[entry]), masks, entry, whole)?,
        };
        if axis != Axis::New {
            ensure!(from < dims.rank(), "its lists name more axes than the {} of the input", dims.rank());
            (begins[from], steps[from], sizes[from]) = (part.begin, part.step, part.count as i32);
            from += 1;
        }
        if matches!(axis, Axis::Entry(entry) if has(masks.shrink_axis, entry)) {
            outside = if part.count == 1 { outside } else { Some((from - 1, whole)) };
            continue;
        }
        ensure!(output_rank < MAX_RANK, "the output would have more than {MAX_RANK} dimensions");
        output[output_rank] = part.count as i32;
        output_rank += 1;
    }
    let output = Dims::new(&output[..output_rank]).ok_or_else(|| invalid!("{output:?} is too large"))?;
    if let (Some((axis, whole)), false) = (outside, output.flat_size() == 0) {
        return Err(invalid!("the index into axis {axis} is out of bounds for its {whole} elements"));
    }
    let sizes = Dims::from_sizes(sizes.into_iter().take(dims.rank()));
    let sizes = sizes.ok_or_else(|| invalid!("a slice of {:?} is too large", x.shape))?;
    Rearrangement::slice(&dims, &begins, &steps, &sizes, output)
}

/// Selects `[begin, end, stride]` from an axis of `whole` elements.
///
/// Negative positions count from the end. Positions are clamped to `0..=whole`, or with a negative stride to
/// `-1..=whole − 1`, where −1 is the position before the first element.
fn part([begin, end, stride]: [i64; 3], masks: &Masks, entry: usize, whole: i64) -> Result<Part> {
    ensure!(stride != 0, "the stride of entry {entry} is 0; it must not be");
    let limits = if stride > 0 { (0, whole) } else { (-1, whole - 1) };
    let clamped = |position: i64| {
        let position = if position < 0 { position.saturating_add(whole) } else { position };
        position.clamp(limits.0, limits.1)
    };
    let (first, last) = if stride > 0 { (0, whole) } else { (whole - 1, -1) };
    let start = if has(masks.begin, entry) { first } else { clamped(begin) };
    if has(masks.shrink_axis, entry) {
        let count = i64::from(stride > 0 && (0..whole).contains(&start));
        return Ok(Part { begin: start, step: 1, count });
    }
    let stop = match (has(masks.end, entry), masks.end_is_offset) {
        (true, _) => last,
        (false, true) => clamped(start.saturating_add(end)),
        (false, false) => clamped(end),
    };
    let count = steps_between(start, stop, stride);
    if masks.end_is_offset && !has(masks.end, entry) {
        let wanted = steps_between(0, end, stride);
        ensure!(
            count == wanted,
            "entry {entry} selects {wanted} elements from {start}; there are {count} of {whole}"
        );
    }
    Ok(Part { begin: start, step: stride, count })
}

/// The number of positions `start`, `start + stride`, … before `stop`.
fn steps_between(start: i64, stop: i64, stride: i64) -> i64 {
    let distance = i128::from(stop) - i128::from(start);
    let stride = i128::from(stride);
    if distance.signum() != stride.signum() {
        return 0;
    }
    let count = (distance.abs() + stride.abs() - 1) / stride.abs();
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    /// begin, end, strides; then the masks: begin, end, ellipsis, new axis, shrink axis.
    struct Case<'a>(&'a [[i32; 3]], [i32; 5]);

    fn test(x: Tensor, case: &Case<'_>) -> OpTest<StridedSlice> {
        let test = OpTest::<StridedSlice>::new().input(x.clone()).output(Spec::of(x.ty()));
        let [begin, end, ellipsis, new_axis, shrink_axis] = case.1;
        test.options(|o| {
            o.set(StridedSliceOptions::BEGIN_MASK, begin)
                .set(StridedSliceOptions::END_MASK, end)
                .set(StridedSliceOptions::ELLIPSIS_MASK, ellipsis)
                .set(StridedSliceOptions::NEW_AXIS_MASK, new_axis)
                .set(StridedSliceOptions::SHRINK_AXIS_MASK, shrink_axis)
        })
    }

    fn list(case: &Case<'_>, which: usize) -> Tensor {
        let list: Vec<i32> = case.0.iter().map(|entry| entry[which]).collect();
        Tensor::i32(&[list.len() as i32], &list)
    }

    fn run(x: Tensor, case: Case<'_>) -> Result<Tensor> {
        let known = (0..3).fold(test(x.clone(), &case), |t, i| t.constant(list(&case, i))).run();
        let late = (0..3).fold(test(x, &case), |t, i| t.input(list(&case, i))).run();
        assert_same(&known, &late);
        known.map(|mut y| y.remove(0))
    }

    fn counting(shape: &[i32]) -> Tensor {
        let elements: Vec<i16> = (0..shape.iter().product::<i32>()).map(|i| i as i16).collect();
        Tensor::i16(shape, &elements)
    }

    #[test]
    fn one_axis() {
        for (entry, masks, want) in [
            ([1, 4, 1], [0; 5], &[1, 2, 3][..]),
            ([-3, -1, 1], [0; 5], &[1, 2]),
            ([0, 4, 3], [0; 5], &[0, 3]),
            ([3, 0, -1], [0; 5], &[3, 2, 1]),
            ([-1, -9, -2], [0; 5], &[3, 1]),
            ([-1, -4, -3], [0; 5], &[3]),
            ([9, -9, -1], [0; 5], &[3, 2, 1, 0]),
            ([2, 1, 1], [0; 5], &[]),
            ([1, 2, -1], [0; 5], &[]),
            ([0, 4, i32::MAX], [0; 5], &[0]),
            ([3, -9, i32::MIN], [0; 5], &[3]),
            ([2, 3, 1], [1, 0, 0, 0, 0], &[0, 1, 2]),
            ([2, 3, 1], [0, 1, 0, 0, 0], &[2, 3]),
            ([2, 1, -1], [1, 1, 0, 0, 0], &[3, 2, 1, 0]),
            // Bits beyond the list are ignored.
            ([2, 3, 1], [!1, !1, !1, !1, !1], &[2]),
        ] {
            let y = run(counting(&[4]), Case(&[entry], masks)).unwrap();
            assert_eq!(
                (y.shape(), y.as_i16()),
                (&[want.len() as i32][..], want.to_vec()),
                "{entry:?} {masks:?}"
            );
        }
    }

    #[test]
    fn new_and_removed_axes() {
        let all = [0, 9, 1];
        for (shape, case, want, elements) in [
            // x[1]
            (&[2, 3][..], Case(&[[1, 0, 1]], [0, 0, 0, 0, 1]), &[3][..], &[3, 4, 5][..]),
            // x[-1, 1]
            (&[2, 3], Case(&[[-1, 0, 1], [1, 0, 1]], [0, 0, 0, 0, 3]), &[], &[4]),
            // x[:, newaxis, 1:]
            (&[2, 3], Case(&[all, all, [1, 9, 1]], [0, 0, 0, 2, 0]), &[2, 1, 2], &[1, 2, 4, 5]),
            // x[..., 0]
            (&[2, 1, 3], Case(&[all, [0, 1, 1]], [0, 0, 1, 0, 2]), &[2, 1], &[0, 3]),
            // x[1, ..., newaxis, ::2]
            (&[2, 1, 3], Case(&[[1, 2, 1], all, all, [0, 9, 2]], [0, 0, 2, 4, 1]), &[1, 1, 2], &[3, 5]),
            // x[newaxis, ..., newaxis]
            (&[2], Case(&[all, all, all], [0, 0, 2, 5, 0]), &[1, 2, 1], &[0, 1]),
            // A new axis wins over a shrunk one.
            (&[2], Case(&[all], [0, 0, 0, 1, 1]), &[1, 2], &[0, 1]),
            // An ellipsis covers at least one axis, as in TFLite: x[..., 1, 0] of a matrix is x[:, 1].
            (&[2, 3], Case(&[all, [1, 2, 1], [0, 1, 1]], [0, 0, 1, 0, 6]), &[2], &[1, 4]),
            // Lists without entries.
            (&[2], Case(&[], [0; 5]), &[2], &[0, 1]),
            // An index into an axis is not checked if the output is empty anyway.
            (&[0, 0], Case(&[[0, 1, 1]], [0, 0, 0, 0, 1]), &[0], &[]),
        ] {
            let y = run(counting(shape), case).unwrap();
            assert_eq!((y.shape(), y.as_i16()), (want, elements.to_vec()), "{shape:?} to {want:?}");
        }
        let y = run(Tensor::strings(&[4], &["a", "b", "c", "d"]), Case(&[[3, 0, -2]], [0; 5])).unwrap();
        assert_eq!(y.as_strings(), ["d", "b"]);
        assert_eq!(run(Tensor::i4(&[3], &[1, 2, 3]), Case(&[[0, 9, 2]], [0; 5])).unwrap().as_i4(), [1, 3]);
    }

    #[test]
    fn ends_relative_to_the_begin() {
        let run = |entry: [i32; 3]| {
            let case = Case(&[entry], [0; 5]);
            let node = test(counting(&[8]), &case).options(|o| o.set(StridedSliceOptions::OFFSET, true));
            (0..3).fold(node, |t, i| t.input(list(&case, i))).run().map(|y| y[0].as_i16())
        };
        assert_eq!(run([3, 2, 1]).unwrap(), [3, 4]);
        assert_eq!(run([-3, 3, 2]).unwrap(), [5, 7]);
        assert_eq!(run([4, 2, -1]).unwrap(), []);
        assert_eq!(
            run([5, 7, 1]).unwrap_err().message(),
            "entry 0 selects 7 elements from 5; there are 3 of 8"
        );
    }
}
