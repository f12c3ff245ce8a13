//! SLICE, STRIDED_SLICE, REVERSE_V2, TRANSPOSE, TILE, BROADCAST_TO, DEPTH_TO_SPACE, SPACE_TO_DEPTH: copies of elements
//! of one input; any type of whole bytes.

use arenite_abi::prelude::*;
use arenite_abi::schema::{DepthToSpaceOptions, SpaceToDepthOptions, StridedSliceOptions};
use arenite_base::Dim;

use super::moves::single;
use super::source::{Source, axis_of, expect_elements};
use crate::layer::Common;
use crate::layer::moves::{Nest, strides};
use crate::net::Node;

/// The start, step and size of a slice along an axis.
struct AxisSlice {
    begin: usize,
    step: isize,
    size: usize,
}

/// The box that copies `cuts` of a tensor of `shape`.
fn cut(shape: &[usize], cuts: &[AxisSlice]) -> Nest {
    let from = strides(shape);
    let sizes: Vec<usize> = cuts.iter().map(|cut| cut.size).collect();
    let to = strides(&sizes);
    let start = cuts.iter().zip(&from).map(|(cut, &stride)| cut.begin * stride as usize).sum();
    let dims = (0..cuts.len()).map(|i| Dim { size: sizes[i], from: from[i] * cuts[i].step, to: to[i] });
    Nest::new(start, 0, dims)
}

/// Lowers SLICE.
pub(super) fn slice<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let ((_, a), (_, y)) = (x.input(0)?, x.output(0)?);
    let (begins, sizes) = (x.integers(1)?, x.integers(2)?);
    ensure!(
        [begins.len(), sizes.len(), y.shape.len()] == [a.shape.len(); 3],
        "begin has {} numbers, size {}, the input is {:?}, the output {:?}",
        begins.len(),
        sizes.len(),
        a.shape,
        y.shape
    );
    let mut cuts = Vec::new();
    for (i, (&begin, &size)) in begins.iter().zip(&sizes).enumerate() {
        let room = usize::try_from(begin).ok().and_then(|begin| a.shape[i].checked_sub(begin));
        let room = room.ok_or_else(|| invalid!("the slice exceeds axis {i} of {:?}", a.shape))?;
        let size = if size == -1 { Some(room) } else { usize::try_from(size).ok() };
        let size = size.filter(|&size| size <= room && size == y.shape[i]).ok_or_else(|| {
            invalid!("{} elements of {:?} along axis {i} do not give {:?}", sizes[i], a.shape, y.shape)
        })?;
        cuts.push(AxisSlice { begin: a.shape[i] - room, step: 1, size });
    }
    single(x, "slice", 0, cut(&a.shape, &cuts))
}

/// The masks of begin, end, ellipsis, new axis and shrink axis.
fn masks(options: &Options<'_, StridedSliceOptions>, entries: usize) -> Result<[u32; 5]> {
    type Fields = StridedSliceOptions;
    let mask = |field| options.get(field).map(|bits: i32| bits as u32);
    let ellipsis = mask(Fields::ELLIPSIS_MASK)? & ((1 << entries) - 1);
    ensure!(ellipsis.count_ones() <= 1, "more than one ellipsis is given");
    Ok([
        mask(Fields::BEGIN_MASK)?,
        mask(Fields::END_MASK)?,
        ellipsis,
        mask(Fields::NEW_AXIS_MASK)?,
        mask(Fields::SHRINK_AXIS_MASK)?,
    ])
}

/// Lowers STRIDED_SLICE. Each entry of its lists is an axis of the input, except the ellipsis, which means the
/// remaining axes, and new axes, which are not in the input. No axis is longer than 2³² elements.
pub(super) fn strided_slice<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let (_, a) = x.input(0)?;
    let lists = [x.integers(1)?, x.integers(2)?, x.integers(3)?];
    let entries = lists[0].len();
    ensure!(lists.iter().all(|list| list.len() == entries) && entries < 32, "the lists differ in length");
    let options = x.node.options()?;
    let [begin, end, ellipsis, new_axis, shrink] = masks(&options, entries)?;
    if options.get(StridedSliceOptions::OFFSET)? {
        return Err(unsupported!("the option `offset` is not supported"));
    }
    let has = |mask: u32, entry: usize| mask >> entry & 1 == 1;
    let whole = |size: usize| AxisSlice { begin: 0, step: 1, size };
    let new = |entry: &usize| has(new_axis & !ellipsis, *entry);
    let named = (0..entries).filter(|entry| !has(ellipsis, *entry) && !new(entry)).count();
    let spread = a.shape.len().checked_sub(named).filter(|&n| n > 0 || ellipsis == 0);
    let spread = spread.ok_or_else(|| unsupported!("an ellipsis for no axis is not supported"))?;
    let mut cuts: Vec<AxisSlice> = Vec::new();
    for entry in (0..entries).filter(|entry| !new(entry)) {
        if has(ellipsis, entry) {
            (0..spread).for_each(|_| cuts.push(whole(a.shape[cuts.len()])));
            continue;
        }
        let size = a.shape[cuts.len()] as i64;
        let step = lists[2][entry].clamp(-(1 << 32), 1 << 32);
        ensure!(step != 0, "the stride of entry {entry} is 0");
        let range = if step > 0 { (0, size) } else { (-1, size - 1) };
        let clamped = |at: i64| if at < 0 { at + size } else { at }.clamp(range.0, range.1);
        let (first, last) = if step > 0 { range } else { (range.1, range.0) };
        let start = if has(begin, entry) { first } else { clamped(lists[0][entry]) };
        let stop = if has(end, entry) { last } else { clamped(lists[1][entry]) };
        let count = match has(shrink, entry) {
            true => i64::from((0..size).contains(&start)),
            false => ((stop - start) * step.signum() + step.abs() - 1).max(0) / step.abs(),
        };
        ensure!(count > 0 && start >= 0, "entry {entry} selects nothing");
        cuts.push(AxisSlice { begin: start as usize, step: step as isize, size: count as usize });
    }
    a.shape[cuts.len()..].iter().for_each(|&size| cuts.push(whole(size)));
    single(x, "slice", 0, cut(&a.shape, &cuts))
}

/// Lowers REVERSE_V2.
pub(super) fn reverse<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let (_, a) = x.input(0)?;
    expect_elements(a)?;
    let mut cuts: Vec<AxisSlice> =
        a.shape.iter().map(|&size| AxisSlice { begin: 0, step: 1, size }).collect();
    for axis in x.integers(1)? {
        let axis = axis_of(axis, a.shape.len())?;
        cuts[axis] = AxisSlice { begin: a.shape[axis] - 1, step: -1, size: a.shape[axis] };
    }
    single(x, "reverse", 0, cut(&a.shape, &cuts))
}

/// Lowers TRANSPOSE.
pub(super) fn transpose<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let ((_, a), (_, y)) = (x.input(0)?, x.output(0)?);
    let list = x.integers(1)?;
    let (from, to) = (strides(&a.shape), strides(&y.shape));
    ensure!(
        list.len() == from.len() && list.len() == to.len(),
        "{} axes are permuted, the input is {:?}, the output {:?}",
        list.len(),
        a.shape,
        y.shape
    );
    let mut dims = Vec::new();
    let mut seen = vec![false; from.len()];
    for (i, &axis) in list.iter().enumerate() {
        let axis = axis_of(axis, a.shape.len())?;
        ensure!(!std::mem::replace(&mut seen[axis], true), "axis {axis} occurs twice");
        ensure!(a.shape[axis] == y.shape[i], "axes {list:?} of {:?} do not give {:?}", a.shape, y.shape);
        dims.push(Dim { size: a.shape[axis], from: from[axis], to: to[i] });
    }
    single(x, "transpose", 0, Nest::new(0, 0, dims))
}

/// Lowers TILE.
pub(super) fn tile<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let ((_, a), (_, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(a)?;
    let multiples = x.integers(1)?;
    let tiled = |(&size, &times): (&usize, &i64)| usize::try_from(times).ok()?.checked_mul(size);
    let shape: Option<Vec<usize>> = a.shape.iter().zip(&multiples).map(tiled).collect();
    ensure!(
        multiples.len() == a.shape.len() && shape.as_ref() == Some(&y.shape),
        "{:?} repeated {multiples:?} times is not {:?}",
        a.shape,
        y.shape
    );
    let (from, to) = (strides(&a.shape), strides(&y.shape));
    let dims = (0..to.len()).flat_map(|i| {
        let turns = Dim { size: y.shape[i] / a.shape[i], from: 0, to: to[i] * a.shape[i] as isize };
        [turns, Dim { size: a.shape[i], from: from[i], to: to[i] }]
    });
    single(x, "tile", 0, Nest::new(0, 0, dims))
}

/// Lowers BROADCAST_TO.
pub(super) fn broadcast<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let ((_, a), (_, y)) = (x.input(0)?, x.output(0)?);
    let shape = x.integers(1)?;
    let same = |(&size, &wanted): (&usize, &i64)| usize::try_from(wanted) == Ok(size);
    ensure!(
        shape.len() == y.shape.len() && y.shape.iter().zip(&shape).all(same),
        "a broadcast to {shape:?} does not give {:?}",
        y.shape
    );
    let (from, to) = (strides(&a.shape), strides(&y.shape));
    let lead = to.len().checked_sub(from.len());
    let lead = lead.ok_or_else(|| invalid!("{:?} has more axes than {:?}", a.shape, y.shape))?;
    let mut dims = Vec::new();
    for i in 0..to.len() {
        let size = if i < lead { 1 } else { a.shape[i - lead] };
        ensure!(size == 1 || size == y.shape[i], "{:?} does not broadcast to {:?}", a.shape, y.shape);
        dims.push(Dim { size: y.shape[i], from: if size == 1 { 0 } else { from[i - lead] }, to: to[i] });
    }
    single(x, "broadcast", 0, Nest::new(0, 0, dims))
}

/// Lowers DEPTH_TO_SPACE: `y[n, i · block + v, j · block + u, c] = x[n, i, j, (v · block + u) · channels + c]`.
pub(super) fn depth_to_space<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let ((_, small), (_, large)) = (x.input(0)?, x.output(0)?);
    let block = x.node.options()?.get(DepthToSpaceOptions::BLOCK_SIZE)?;
    let dims = blocks(&small.shape, &large.shape, block)?;
    single(x, "depth to space", 0, Nest::new(0, 0, dims))
}

/// Lowers SPACE_TO_DEPTH, the inverse of DEPTH_TO_SPACE.
pub(super) fn space_to_depth<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let ((_, large), (_, small)) = (x.input(0)?, x.output(0)?);
    let block = x.node.options()?.get(SpaceToDepthOptions::BLOCK_SIZE)?;
    let dims = blocks(&small.shape, &large.shape, block)?;
    let transposed = |i: usize| Dim { size: dims[i].size, from: dims[i].to, to: dims[i].from };
    // In the order of the small images' memory.
    single(x, "space to depth", 0, Nest::new(0, 0, [0, 1, 3, 2, 4, 5].map(transposed)))
}

/// The loops from small images with many channels to large ones with few, in the memory order of the large ones.
fn blocks(small: &[usize], large: &[usize], block: i32) -> Result<[Dim; 6]> {
    let block = usize::try_from(block).map_err(|_| invalid!("block size {block} is negative"))?;
    let (&[images, rows, columns, deep], &[same_images, height, width, channels]) = (small, large) else {
        return Err(invalid!("{small:?} and {large:?} must have 4 dimensions"));
    };
    ensure!(
        [images, height, width, deep]
            == [same_images, rows * block, columns * block, channels * block * block],
        "{small:?} and {large:?} do not fit blocks of {block}"
    );
    let (from, to) = (strides(small), strides(large));
    let (row, block_i) = ((block * channels) as isize, block as isize);
    Ok([
        Dim { size: images, from: from[0], to: to[0] },
        Dim { size: rows, from: from[1], to: to[1] * block_i },
        Dim { size: block, from: row, to: to[1] },
        Dim { size: columns, from: from[2], to: to[2] * block_i },
        Dim { size: block, from: channels as isize, to: to[2] },
        Dim { size: channels, from: 1, to: 1 },
    ])
}
