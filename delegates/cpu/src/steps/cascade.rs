//! Consecutive layers, computed a few rows at a time: each layer reads rows that are still in the cache, and no
//! intermediate is in memory as a whole.
//!
//! ```text
//! input ─► layer 0 ─► [rows kept] ─► layer 1 ─► [rows kept] ─► layer 2 ─► output
//!                      ▲ rows that layer 1 reads next
//! ```
//! For some rows of the output at a time, the needed rows of each layer are found from the last layer to the first; the
//! missing ones are computed from the first to the last. A row is computed in the same way in every turn, so neither
//! the number of rows in a turn nor the number of threads changes a bit of a result.

use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_layers::{Id, Window};

use crate::memory::{Disjoint, Source, Target};
use crate::reach::epilogue::{self, Epilogue, EpilogueOp};
use crate::step::{Run, Step, StepValues};

/// A layer that computes rows of its output from rows of its input.
pub(crate) trait RowStep: Send + Sync {
    /// Its window and the bytes of a pixel of its output.
    fn window(&self) -> (&Window, usize);

    /// The epilogue of its results.
    fn epilogue(&self) -> &[EpilogueOp] {
        &[]
    }

    /// Computes `rows` of an image into `output`. `input` is the tensor; it must contain the rows that are read, and
    /// [`BEHIND`] more bytes.
    fn rows(
        &self,
        image: usize,
        rows: Range<usize>,
        input: Source<'_, u8>,
        output: Target<'_, u8>,
        epilogue: &Epilogue<'_>,
    );
}

/// Bytes behind kept rows.
pub(crate) const BEHIND: usize = 256;
/// Most parts of the output that are computed at the same time, each with separate rows.
const PARTS: usize = 8;
/// Target size of all kept rows in bytes: a small part of a second-level cache, so that they stay there together with
/// weights.
const KEPT: usize = 1 << 17;
/// Bytes of all rows kept at most.
pub(crate) const MOST_KEPT: usize = 1 << 19;
/// Most layers.
pub(crate) const LAYERS: usize = 12;

struct Stage {
    layer: Box<dyn RowStep>,
    /// Where rows of its output are kept; of the last layer nowhere.
    room: Room,
}

/// Rows of a layer's output that are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Room {
    /// Bytes of a row.
    width: usize,
    /// Rows at most.
    rows: usize,
    /// Where they begin in a part's memory.
    at: usize,
}

/// Consecutive layers.
pub(crate) struct Cascade {
    stages: Vec<Stage>,
    /// Rows of the output in a turn.
    turn: usize,
    /// Bytes of memory that each part needs.
    memory: usize,
    /// Parts that there is memory for.
    parts: usize,
    input: Id,
    output: Id,
}

impl Cascade {
    /// A cascade of at most [`LAYERS`] layers, which compute parts of the output on up to `threads` threads. Only the
    /// last layer's epilogue may have operands.
    pub(crate) fn new(layers: Vec<Box<dyn RowStep>>, threads: usize, ends: StepValues) -> Self {
        let windows: Vec<(Window, usize)> =
            layers.iter().map(|layer| (*layer.window().0, layer.window().1)).collect();
        let turn = turn(&windows);
        Cascade { parts: threads.clamp(1, PARTS), ..Cascade::with_turn(layers, turn, ends) }
    }

    fn with_turn(layers: Vec<Box<dyn RowStep>>, turn: usize, ends: StepValues) -> Self {
        let windows: Vec<(Window, usize)> =
            layers.iter().map(|layer| (*layer.window().0, layer.window().1)).collect();
        let rooms = rooms(&windows, turn);
        let memory = kept(&rooms);
        let stages = layers.into_iter().zip(rooms).map(|(layer, room)| Stage { layer, room }).collect();
        Cascade { stages, turn, memory, parts: 1, input: ends.input, output: ends.output }
    }

    /// Computes rows `rows` of image `image` of the output, which `output` is. `memory` is as much as a part needs.
    fn part(
        &self,
        image: usize,
        rows: Range<usize>,
        (input, memory, output): (Source<'_, u8>, Target<'_, u8>, &mut Target<'_, u8>),
        epilogues: &[Epilogue<'_>],
    ) {
        let (last, memory) = (self.stages.len() - 1, memory.share());
        let width = output.len() / rows.len();
        // The rows of each layer that are computed.
        let mut kept: [Range<usize>; LAYERS] = std::array::from_fn(|_| 0..0);
        let mut first = rows.start;
        while first < rows.end {
            let mut wanted: [Range<usize>; LAYERS] = std::array::from_fn(|_| 0..0);
            wanted[last] = first..rows.end.min(first + self.turn);
            for i in (0..last).rev() {
                wanted[i] = kept[i].end..kept[i].end;
                if !wanted[i + 1].is_empty() {
                    let needed = self.stages[i + 1].layer.window().0.rows.reads(wanted[i + 1].clone());
                    self.forget(i, &mut kept[i], &needed, memory);
                    wanted[i] = kept[i].end..needed.end.max(kept[i].end);
                }
            }
            for (i, stage) in self.stages.iter().enumerate().filter(|&(i, _)| !wanted[i].is_empty()) {
                let from = if i == 0 { input } else { self.kept(i - 1, image, &kept[i - 1], memory) };
                kept[i].end = wanted[i].end;
                let Room { width: own, at, .. } = stage.room;
                let to = match i == last {
                    true => output.part((wanted[i].start - rows.start) * width, wanted[i].len() * width),
                    // SAFETY: these rows are in the room of this layer. Only this call accesses the memory, and
                    // `with_turn` gave each layer a separate room.
                    false => unsafe {
                        memory.part(at + (wanted[i].start - kept[i].start) * own, wanted[i].len() * own)
                    },
                };
                stage.layer.rows(image, wanted[i].clone(), from, to, &epilogues[i]);
            }
            first += self.turn;
        }
    }

    /// Drops the rows of layer `i` before `needed`. If the room is used up, the remaining rows move to its start.
    fn forget(&self, i: usize, kept: &mut Range<usize>, needed: &Range<usize>, memory: Disjoint<'_, u8>) {
        if needed.start >= kept.end {
            *kept = needed.start..needed.start;
        }
        let Room { width, rows, at } = self.stages[i].room;
        if needed.end.saturating_sub(kept.start) <= rows {
            return;
        }
        let from = needed.start.max(kept.start);
        let len = (kept.end - from) * width;
        // SAFETY: this layer's room, which is this thread's; no layer reads or writes it just now. `copy_from` allows
        // overlap.
        let (mut to, rows) = unsafe { (memory.part(at, len), memory.written()) };
        to.copy_from(rows.part(at + (from - kept.start) * width, len));
        kept.start = from;
    }

    /// The rows of layer `i` that are kept, as rows of its output.
    fn kept<'m>(
        &self,
        i: usize,
        image: usize,
        kept: &Range<usize>,
        memory: Disjoint<'m, u8>,
    ) -> Source<'m, u8> {
        let Room { width, at, .. } = self.stages[i].room;
        let rows = image * self.stages[i].layer.window().0.rows.output + kept.start;
        // SAFETY: this layer's room, which is this thread's. Only this layer writes it, and `part` runs one layer at a
        // time.
        unsafe { memory.written() }.part(at, kept.len() * width + BEHIND).within(rows * width)
    }
}

/// Rows of the output in a turn, for layers with these windows.
fn turn(layers: &[(Window, usize)]) -> usize {
    let rows = layers.last().map_or(1, |(window, _)| window.rows.output);
    let fits = |turn: &usize| kept(&rooms(layers, *turn)) <= KEPT;
    (1..=rows).take_while(fits).last().unwrap_or(1)
}

/// The bytes of all rows that this many threads keep, for layers with these windows. A single layer keeps no rows.
pub(crate) fn memory(layers: &[(Window, usize)], threads: usize) -> usize {
    threads.clamp(1, PARTS) * kept(&rooms(layers, turn(layers)))
}

/// For layers with these windows, and bytes of a pixel of outputs: room for the rows that `turn` rows of the last
/// output read, and some more, so that rows need not move every turn.
pub(crate) fn rooms(layers: &[(Window, usize)], turn: usize) -> Vec<Room> {
    let mut rooms = vec![Room::default(); layers.len()];
    let (mut rows, mut at) = (turn, 0);
    for i in (0..layers.len().saturating_sub(1)).rev() {
        let axis = layers[i + 1].0.rows;
        rows = ((rows - 1) * axis.stride + (axis.taps - 1) * axis.dilation + 1).min(axis.input);
        let width = layers[i].0.columns.output * layers[i].1;
        rooms[i] = Room { width, rows: (rows + rows.div_ceil(2)).min(axis.input), at };
        at += (rooms[i].rows * width + BEHIND).next_multiple_of(64);
    }
    rooms
}

/// Bytes of all rooms.
pub(crate) fn kept(rooms: &[Room]) -> usize {
    rooms
        .iter()
        .filter(|room| room.rows > 0)
        .map(|room| (room.rows * room.width + BEHIND).next_multiple_of(64))
        .sum()
}

impl Step for Cascade {
    fn name(&self) -> &'static str {
        "cascade"
    }

    fn scratch(&self) -> usize {
        self.parts * self.memory
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let (input, output) = (cx.input::<u8>(self.input), cx.output::<u8>(self.output));
        let mut epilogues = [const { Epilogue::NONE }; LAYERS];
        for (epilogue, stage) in epilogues.iter_mut().zip(&self.stages) {
            *epilogue = epilogue::bind(stage.layer.epilogue(), cx);
        }
        let Some(Window { batches, rows, .. }) = self.stages.last().map(|stage| *stage.layer.window().0)
        else {
            return Ok(());
        };
        let all = batches * rows.output;
        let (width, output) = (output.len() / all, output.share());
        let parts = cx.threads().clamp(1, self.parts).min(all);
        let memory = cx.scratch().share();
        cx.parallel_for(parts, 1, |range| {
            for part in range {
                let (mut first, end) = (part * all / parts, (part + 1) * all / parts);
                while first < end {
                    let (image, row) = (first / rows.output, first % rows.output);
                    let last = (row + end - first).min(rows.output);
                    // SAFETY: each part is computed by one thread, and parts have disjoint rows and memory.
                    let (own, mut to) = unsafe {
                        let own = memory.part(part * self.memory, self.memory);
                        (own, output.part(first * width, (last - row) * width))
                    };
                    self.part(image, row..last, (input, own, &mut to), &epilogues);
                    first += last - row;
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::isa::Isa;
    use crate::kernels::f32_dwconv::DwConv;
    use crate::kernels::f32_gemm::Gemm;
    use crate::kernels::f32_map::Map;
    use crate::kernels::f32_pool::Pool;
    use crate::kernels::random::values;
    use crate::steps::conv_f32::{self, ConvF32};
    use crate::steps::dwconv_f32::{self, DwConvF32};
    use crate::steps::pool_f32::PoolF32;
    use crate::store::Store;
    use arenite_base::{Clamp, PoolKind, Stored};
    use arenite_layers::Axis;

    const IMAGES: usize = 2;

    /// A layer's kind, taps, stride, and whether the taps are padded.
    type Kinds = (u8, usize, usize, bool);

    fn axis(input: usize, (_, taps, stride, same): Kinds) -> Option<Axis> {
        let (output, before) = match same {
            true => (
                input.div_ceil(stride),
                ((input.div_ceil(stride) - 1) * stride + taps).saturating_sub(input) / 2,
            ),
            false => ((input + stride).checked_sub(taps)? / stride, 0),
        };
        (output > 0).then_some(Axis { input, taps, output, stride, dilation: 1, before })
    }

    /// Weights of sums of `n` products, such that neither values nor their errors grow from layer to layer.
    fn weights(seed: u64, n: usize, sums: usize) -> Vec<f32> {
        values(seed, n * sums).into_iter().map(|w| w / (n as f32).sqrt()).collect()
    }

    /// Consecutive layers for an image of this size. Layers that would have no results are skipped.
    fn layers(kinds: &[Kinds], mut size: [usize; 2], mut channels: usize) -> Vec<Box<dyn RowStep>> {
        let (gemm, map, store) =
            (Gemm::select(Isa::machine()), Map::select(Isa::machine()), Store::new(Default::default()));
        let mut layers: Vec<Box<dyn RowStep>> = Vec::new();
        for &kind in kinds {
            let (Some(rows), Some(columns)) = (axis(size[0], kind), axis(size[1], kind)) else { continue };
            let window = Window { batches: IMAGES, rows, columns, channels };
            let taps = kind.1 * kind.1;
            let (clamp, epilogue, name, ends) = (
                Clamp { low: -1.0, high: 1.0 },
                Vec::new(),
                format!("{}", layers.len()),
                StepValues { input: 0, output: 0 },
            );
            match kind.0 {
                0 => {
                    let filters = 5 + channels % 7;
                    let weights = weights(7, taps * channels, filters);
                    let parts = conv_f32::ConvF32Parameters {
                        window,
                        groups: 1,
                        filters,
                        name,
                        weights: Stored::F32(&weights),
                        bias: None,
                        clamp,
                        epilogue,
                        input: 0,
                        output: 0,
                    };
                    layers.push(Box::new(ConvF32::new(gemm, map, &store, parts).unwrap()));
                    channels = filters;
                }
                1 => {
                    let weights = weights(8, taps, channels);
                    let parts = dwconv_f32::DwConvF32Parameters {
                        window,
                        multiplier: 1,
                        name,
                        weights: Stored::F32(&weights),
                        bias: None,
                        clamp,
                        epilogue,
                        input: 0,
                        output: 0,
                    };
                    let kernels = DwConv::select(Isa::machine());
                    layers.push(Box::new(DwConvF32::new(kernels, map, &store, parts).unwrap()));
                }
                _ => {
                    let kernels = Pool::select(Isa::machine());
                    layers.push(Box::new(PoolF32::new(
                        kernels,
                        map,
                        PoolKind::Mean,
                        window,
                        (clamp, epilogue),
                        ends,
                    )));
                }
            }
            size = [rows.output, columns.output];
        }
        layers
    }

    proptest! {
        #[test]
        fn rows_in_turn_are_the_rows_at_once(
            kinds in prop::collection::vec((0u8..3, 1usize..6, 1usize..3, any::<bool>()), 1..6),
            height in 1usize..30, width in 8usize..20, channels in 1usize..20, turn in 1usize..9, parts in 1usize..4,
        ) {
            let first = Axis { input: height, taps: 1, output: height, stride: 1, dilation: 1, before: 0 };
            let x = values(9, IMAGES * height * width * channels);
            let list = layers(&kinds, [height, width], channels);
            prop_assume!(!list.is_empty());
            let mut want = x.clone();
            for layer in &list {
                let (window, pixel) = layer.window();
                let pixels = IMAGES * window.rows.output * window.columns.output;
                let mut y = vec![f32::NAN; pixels * pixel / size_of::<f32>()];
                for image in 0..IMAGES {
                    let rows = y.len() / IMAGES;
                    let to = Target::of(&mut y[image * rows..][..rows]).cast();
                    layer.rows(image, 0..window.rows.output, Source::of(&want).cast(), to, &Epilogue::NONE);
                }
                want = y;
            }
            let cascade = Cascade::with_turn(list, turn, StepValues { input: 0, output: 0 });
            let rows = cascade.stages.last().map_or(first, |stage| stage.layer.window().0.rows).output;
            let mut got = vec![f32::NAN; want.len()];
            let epilogues = [const { Epilogue::NONE }; LAYERS];
            let width = want.len() / IMAGES / rows;
            for image in 0..IMAGES {
                for part in 0..parts {
                    let mut memory = vec![f32::NAN; cascade.memory / size_of::<f32>()];
                    let of = part * rows / parts..(part + 1) * rows / parts;
                    if of.is_empty() {
                        continue;
                    }
                    let got = &mut got[(image * rows + of.start) * width..][..of.len() * width];
                    let places =
                        (Source::of(&x).cast(), Target::of(&mut memory).cast(), &mut Target::of(got).cast());
                    cascade.part(image, of, places, &epilogues);
                }
            }
            prop_assert!(want.iter().all(|x| !x.is_nan()));
            for (i, (got, want)) in got.iter().zip(&want).enumerate() {
                // In tiles of other heights sums are rounded otherwise, where kernels keep them in parts.
                prop_assert!((got - want).abs() <= 1e-5, "{i}: {got}, not {want}");
            }
        }
    }
}
