//! Copies of elements to other positions: boxes with loops over source and target.
//!
//! ```text
//! rows        the innermost dimension is consecutive on both sides: memory is copied run by run
//! transposed  consecutive in the source along one dimension, in the target along another
//! strided     else: element by element
//! filled      no source: one element everywhere
//! ```

use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_base::Dim;
use arenite_layers::Id;
use arenite_layers::layer::moves::Nest;

use crate::kernels::copies::{Copies, filled, strided};
use crate::kernels::transpose::{Matrix, Transpose};
use crate::memory::{Disjoint, Source};
use crate::step::{Grain, Run, Step};

/// Elements of rows and columns of a matrix that is transposed at a time.
const STRIP: usize = 16;
/// Addresses this far apart map to the same set of the first-level cache.
const PAGE: usize = 1 << 12;
/// Bytes that count as one multiply-add.
const BYTES_PER_COST: usize = 1;

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// `count` consecutive elements, at each index of `outer`.
    Rows { count: usize, outer: Dim },
    /// `columns` are contiguous in the source; each becomes a row of `rows`. A piece transposes `strip` of them.
    Transposed { rows: Dim, columns: Dim, strip: usize },
    /// Elements one by one.
    Strided(Dim),
    /// `count` times the same element.
    Filled { count: usize, to: isize },
}

/// A box ready to run.
struct Part {
    from: Option<Id>,
    to: Id,
    /// The range of elements that it reads, and the range that it writes.
    reach: [Range<usize>; 2],
    nest: Nest,
    kind: Kind,
    /// Pieces of work for each index of the nest's dimensions.
    strips: usize,
    /// Its pieces among the pieces of all parts.
    pieces: Range<usize>,
}

/// Moves boxes.
pub(crate) struct Moves {
    parts: Vec<Part>,
    width: usize,
    kernels: Kernels,
    fill: [u8; 16],
    name: &'static str,
    pieces: usize,
    grain: Grain,
}

/// Kernels that move elements of one size.
#[derive(Clone, Copy)]
pub(crate) struct Kernels {
    /// Transposition, which has the size.
    pub transpose: &'static Transpose,
    /// Copies of rows.
    pub copies: &'static Copies,
}

impl Moves {
    /// Boxes from and to these values, of elements of `width` bytes; those without a source are filled with `fill`.
    pub(crate) fn new(
        name: &'static str,
        kernels: Kernels,
        fill: [u8; 16],
        boxes: impl IntoIterator<Item = (Option<Id>, Id, Nest)>,
    ) -> Self {
        let (mut parts, mut pieces, mut elements) = (Vec::new(), 0, 0);
        let width = kernels.transpose.width;
        let blocks = boxes
            .into_iter()
            .flat_map(|(from, to, nest)| blocks(nest, width).into_iter().map(move |nest| (from, to, nest)));
        for (from, to, nest) in blocks.filter(|(_, _, nest)| !nest.is_empty()) {
            elements += nest.len();
            let part = Part::new(from, to, nest, width, pieces);
            pieces = part.pieces.end;
            parts.push(part);
        }
        let cost = elements * width / BYTES_PER_COST / pieces.max(1);
        Moves { parts, width, kernels, fill, name, pieces, grain: Grain::of_cost(cost) }
    }

    /// Moves pieces of a part.
    ///
    /// # Safety
    /// No other thread may access these elements of the target.
    #[inline(always)]
    unsafe fn part(&self, part: &Part, pieces: Range<usize>, from: Source<'_, u8>, to: Disjoint<'_, u8>) {
        let bytes = |reach: &Range<usize>| (reach.start * self.width, reach.len() * self.width);
        let ((first, len), (first_to, len_to)) = (bytes(&part.reach[0]), bytes(&part.reach[1]));
        let from = from.at(first, len).wrapping_sub(first);
        let to = to.at(first_to, len_to).wrapping_sub(first_to);
        // SAFETY: `at` checked the elements of the box on both sides. No other thread accesses the target's elements,
        // as the caller guarantees.
        unsafe {
            if pieces == (0..1) {
                // Most parts are one piece, and a walk through the nest would take longer than it.
                let Nest { from: first, to: first_to, .. } = part.nest;
                let (from, to) =
                    (from.wrapping_add(first * self.width), to.wrapping_add(first_to * self.width));
                return self.piece(part.kind, 0, from, to);
            }
            self.pieces(part, pieces, from, to);
        }
    }

    /// Moves pieces of a part, whose tensors begin at `from` and `to`.
    ///
    /// # Safety
    /// The elements of the box must be readable in the source and writable in the target.
    #[inline(never)]
    unsafe fn pieces(&self, part: &Part, pieces: Range<usize>, from: *const u8, to: *mut u8) {
        let dims = &part.nest.dims;
        let (mut index, mut at, mut strip) = part.start(pieces.start);
        for _ in pieces {
            let (from, to) = (
                from.wrapping_offset(at[0] * self.width as isize),
                to.wrapping_offset(at[1] * self.width as isize),
            );
            // SAFETY: the piece is in the box, whose elements the caller may access on both sides.
            unsafe { self.piece(part.kind, strip, from, to) };
            strip += 1;
            if strip == part.strips {
                strip = 0;
                for (i, dim) in dims.iter().enumerate().rev() {
                    index[i] += 1;
                    at[0] += dim.from;
                    at[1] += dim.to;
                    if index[i] < dim.size {
                        break;
                    }
                    index[i] = 0;
                    at[0] -= dim.size as isize * dim.from;
                    at[1] -= dim.size as isize * dim.to;
                }
            }
        }
    }

    /// Moves a strip of a piece.
    ///
    /// # Safety
    /// The piece's elements are aligned and writable; if it has a source, that is readable.
    unsafe fn piece(&self, kind: Kind, strip: usize, from: *const u8, to: *mut u8) {
        // SAFETY: strips and runs are cut out of the piece; the kernels were selected for this machine.
        unsafe {
            match kind {
                Kind::Rows { count, outer } => {
                    let first = strip * ROWS;
                    let step = |step: isize| step * self.width as isize;
                    (self.kernels.copies.rows)(
                        count * self.width,
                        ROWS.min(outer.size - first),
                        (from.wrapping_offset(first as isize * step(outer.from)), step(outer.from)),
                        (to.wrapping_offset(first as isize * step(outer.to)), step(outer.to)),
                    );
                }
                Kind::Transposed { rows, columns, strip: width } => {
                    let first = strip * width;
                    let matrix = Matrix {
                        from: from.wrapping_add(first * self.width),
                        from_row: rows.from,
                        to: to.wrapping_offset(first as isize * columns.to * self.width as isize),
                        to_row: columns.to,
                        rows: rows.size,
                        columns: width.min(columns.size - first),
                    };
                    (self.kernels.transpose.transpose)(&matrix);
                }
                Kind::Strided(dim) => match self.width {
                    1 => strided::<u8>(dim, from, to),
                    2 => strided::<u16>(dim, from, to),
                    4 => strided::<u32>(dim, from, to),
                    8 => strided::<u64>(dim, from, to),
                    _ => strided::<[u64; 2]>(dim, from, to),
                },
                Kind::Filled { count, to: step } => match self.width {
                    1 => filled::<u8>(count, step, &self.fill, to),
                    2 => filled::<u16>(count, step, &self.fill, to),
                    4 => filled::<u32>(count, step, &self.fill, to),
                    8 => filled::<u64>(count, step, &self.fill, to),
                    _ => filled::<[u64; 2]>(count, step, &self.fill, to),
                },
            }
        }
    }
}

/// Bytes of a piece, about: between two pieces the step may be asked to end.
const BLOCK: usize = 1 << 24;

/// The box with its long dimensions cut into blocks. The remainder of a dimension is a separate box.
fn blocks(nest: Nest, width: usize) -> Vec<Nest> {
    let most = BLOCK / width;
    let Some(long) = nest.dims.iter().position(|dim| dim.size > most) else { return vec![nest] };
    let dim = nest.dims[long];
    let (whole, part) = (dim.size / most * most, |size| Dim { size, ..dim });
    let mut rest = nest.clone();
    rest.from = rest.from.wrapping_add_signed(whole as isize * dim.from);
    rest.to = rest.to.wrapping_add_signed(whole as isize * dim.to);
    rest.dims[long] = part(dim.size - whole);
    let mut cut = nest;
    let outer = Dim { size: whole / most, from: most as isize * dim.from, to: most as isize * dim.to };
    cut.dims.splice(long..=long, [outer, part(most)]);
    let mut boxes = blocks(rest, width);
    boxes.retain(|rest| !rest.is_empty());
    boxes.extend(blocks(cut, width));
    boxes
}

/// Elements of a long run: among these, the innermost is best.
const LONG: usize = 16;
/// Rows of a piece.
const ROWS: usize = 64;
/// Fewer rows than this are few for a call.
const FEW: usize = 8;
/// Most dimensions of a box: one or two for each dimension of a tensor.
const MAX_DIMS: usize = 16;

/// The elements from the first to the last that a box meets, if it begins at `first` and has these sizes and steps.
fn reach(first: usize, dims: impl Iterator<Item = (usize, isize)>) -> Range<usize> {
    let (mut start, mut last) = (first, first);
    for way in dims.map(|(size, step)| (size as isize - 1) * step) {
        (start, last) = (start.wrapping_add_signed(way.min(0)), last.wrapping_add_signed(way.max(0)));
    }
    start..last + 1
}

/// Takes the innermost dimension or, if that is short, the next one if it is longer: a call copies all its rows.
fn take_loop(dims: &mut Vec<Dim>) -> Option<Dim> {
    if let [.., next, last] = dims[..]
        && last.size < FEW
        && last.size < next.size
    {
        return Some(dims.remove(dims.len() - 2));
    }
    dims.pop()
}

impl Part {
    fn new(from: Option<Id>, to: Id, mut nest: Nest, width: usize, first: usize) -> Self {
        let read = if from.is_some() {
            reach(nest.from, nest.dims.iter().map(|dim| (dim.size, dim.from)))
        } else {
            0..0
        };
        let reach = [read, reach(nest.to, nest.dims.iter().map(|dim| (dim.size, dim.to)))];
        let one = Dim { size: 1, from: 1, to: 1 };
        let source = nest.dims.iter().rposition(|dim| dim.from == 1);
        let target = nest.dims.iter().rposition(|dim| dim.to == 1);
        let (kind, strips) = match (from, source, target) {
            (None, ..) => {
                // A run of few elements takes longer to begin than to fill.
                let longest = (0..nest.dims.len()).max_by_key(|&i| nest.dims[i].size.min(LONG));
                let dim = longest.map_or(one, |i| nest.dims.remove(i));
                (Kind::Filled { count: dim.size, to: dim.to }, 1)
            }
            _ if nest.dims.is_empty() => (Kind::Rows { count: 1, outer: one }, 1),
            (_, Some(s), Some(t)) if s == t => {
                let count = nest.dims.remove(s).size;
                let outer = take_loop(&mut nest.dims).unwrap_or(one);
                (Kind::Rows { count, outer }, outer.size.div_ceil(ROWS))
            }
            (_, Some(s), Some(t)) => {
                let (columns, rows) = (nest.dims[s], nest.dims[t]);
                nest.dims.remove(s.max(t));
                nest.dims.remove(s.min(t));
                // Rows at a multiple of this distance map to the same cache sets, so fewer are written at a time.
                let is_paged = (columns.to.unsigned_abs() * width).is_multiple_of(PAGE);
                let strip = if is_paged { STRIP / 2 } else { STRIP };
                (Kind::Transposed { rows, columns, strip }, columns.size.div_ceil(strip))
            }
            _ => (Kind::Strided(nest.dims.pop().unwrap_or(one)), 1),
        };
        let pieces = first..first + nest.len() * strips;
        Part { from, to, reach, nest, kind, strips, pieces }
    }
}

impl Part {
    /// The indices of a piece, its place on both sides, and its strip.
    fn start(&self, piece: usize) -> ([usize; MAX_DIMS], [isize; 2], usize) {
        let (mut index, mut at) = ([0; MAX_DIMS], [self.nest.from as isize, self.nest.to as isize]);
        // Divisions would take longer than a small part.
        if piece == 0 {
            return (index, at, 0);
        }
        let mut rest = piece / self.strips;
        for (i, dim) in self.nest.dims.iter().enumerate().rev() {
            index[i] = rest % dim.size;
            rest /= dim.size;
            at[0] += index[i] as isize * dim.from;
            at[1] += index[i] as isize * dim.to;
        }
        (index, at, piece % self.strips)
    }
}

impl Step for Moves {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let (inputs, places) = (cx.inputs(), cx.places());
        cx.parallel_for(self.pieces, self.grain, |range| {
            let from = match range.start {
                0 => 0,
                start => self.parts.partition_point(|part| part.pieces.end <= start),
            };
            for part in self.parts[from..].iter().take_while(|part| part.pieces.start < range.end) {
                let first = part.pieces.start;
                let pieces = range.start.max(first) - first..range.end.min(part.pieces.end) - first;
                let from = part.from.map_or(Source::NONE, |from| inputs.get(from));
                // SAFETY: an output of this step, of which `output` gives no target. Boxes do not overlap, nor do the
                // pieces that a box is cut into, and each piece is one thread's.
                unsafe { self.part(part, pieces, from, places[part.to].target().share()) };
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where each element goes, of boxes in any order.
    fn places(nest: &Nest) -> Vec<(usize, usize)> {
        let mut places = vec![(nest.from, nest.to)];
        for dim in &nest.dims {
            let at = |k: usize, (from, to): (usize, usize)| {
                let moved = |place: usize, step: isize| place.wrapping_add_signed(k as isize * step);
                (moved(from, dim.from), moved(to, dim.to))
            };
            places = places.iter().flat_map(|&place| (0..dim.size).map(move |k| at(k, place))).collect();
        }
        places
    }

    #[test]
    fn long_dimensions_are_cut() {
        let most = BLOCK / 16;
        let dims = [Dim { size: 2, from: 9, to: -5 }, Dim { size: 2 * most + 3, from: 0, to: 7 }];
        let nest = Nest { from: 4, to: 100, dims: dims.to_vec() };
        let cut = blocks(nest.clone(), 16);
        assert!(cut.iter().flat_map(|nest| &nest.dims).all(|dim| dim.size <= most), "{cut:?}");
        let mut moved: Vec<_> = cut.iter().flat_map(places).collect();
        let mut wanted = places(&nest);
        moved.sort_unstable();
        wanted.sort_unstable();
        assert!(moved == wanted);
        assert_eq!(blocks(Nest { dims: vec![dims[0]], ..nest }, 16).len(), 1);
    }

    #[test]
    fn the_kind_follows_the_strides() {
        let kind = |from: Option<Id>, dims: &[(usize, isize, isize)]| {
            let nest = Nest::new(0, 0, dims.iter().map(|&(size, from, to)| Dim { size, from, to }));
            let part = Part::new(from, 1, nest, 4, 0);
            (format!("{:?}", part.kind), part.pieces.len())
        };
        let (rows, pieces) = kind(Some(0), &[(3, 1000, 500), (70, 9, 4), (4, 1, 1)]);
        assert_eq!(rows, "Rows { count: 4, outer: Dim { size: 70, from: 9, to: 4 } }");
        assert_eq!(pieces, 3 * 2);
        let (transposed, pieces) = kind(Some(0), &[(2, 80, 80), (20, 1, 4), (4, 20, 1)]);
        assert!(transposed.starts_with("Transposed { rows: Dim { size: 4,"), "{transposed}");
        assert_eq!(pieces, 2 * 2);
        assert!(kind(Some(0), &[(5, 2, 1)]).0.starts_with("Strided"));
        assert!(kind(Some(0), &[(5, -1, 1)]).0.starts_with("Strided"));
        assert_eq!(kind(None, &[(5, 0, 1)]), ("Filled { count: 5, to: 1 }".to_owned(), 1));
        let (rows, pieces) = kind(Some(0), &[]);
        assert!(rows.starts_with("Rows { count: 1,") && pieces == 1, "{rows}");
    }
}
