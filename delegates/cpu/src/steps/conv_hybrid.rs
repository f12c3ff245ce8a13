//! Convolution of `f32` with weights of bytes: images (of a product, rows) are quantized first, sums of products of bytes become `f32`.

use arenite_abi::prelude::*;
use arenite_layers::{Clamp, Id};

use super::patches_u8::{Item, Patches, ROWS, Room, room};
use super::post::{self, Bounds, Post};
use super::rows_u8::{Quantized, Rows};
use crate::kernels::f32_map::Map;
use crate::kernels::u8i8_gemm::{Product, Results, ToReals};
use crate::memory::Shared;
use crate::program::{Run, Step};
use crate::rescale::{QuantizedRow, RealChannel, RealChannels};

/// A convolution with packed weights.
pub struct ConvHybrid {
    /// Of one image: tiles do not reach from one to the next, whose zero point is another.
    patches: Patches,
    images: usize,
    rows: Rows,
    /// One per group.
    channels: Vec<RealChannels>,
    results: Finish,
    input: Id,
    output: Id,
}

/// What is done to results.
pub struct Finish {
    /// Their range before `posts`.
    pub clamp: Clamp,
    /// What follows.
    pub posts: Vec<Post>,
    /// Kernels for that.
    pub map: &'static Map,
}

impl ConvHybrid {
    /// `patches` are those of one of the images, `channels` are one per filter. Rows are images, or the positions of a single one, which
    /// is a product. Of `rows`, `outside` is ignored.
    pub fn new(
        (images, patches): (usize, Patches),
        rows: Rows,
        channels: &[RealChannel],
        results: Finish,
        [input, output]: [Id; 2],
    ) -> Self {
        let of_group = |channels| RealChannels::new(patches.gemm.lanes, channels);
        let channels = channels.chunks(patches.columns).map(of_group).collect();
        let outside = if patches.window.is_point() { 0 } else { patches.outside() };
        ConvHybrid { patches, images, rows: Rows { outside, ..rows }, channels, results, input, output }
    }

    /// Computes tile `t` of a block of columns of group `g`.
    ///
    /// # Safety
    /// `input` are the quantized rows, `output` is the tensor; nobody else writes these results.
    unsafe fn tile(
        &self,
        image: usize,
        item: Item,
        pointers: &mut Room,
        (input, output): (&Quantized, *mut f32),
        posts: &Bounds,
    ) {
        let p = &self.patches;
        let Item { g, from, columns, first, end } = item;
        let bytes = input.bytes.get().wrapping_add(image * p.window.image());
        // SAFETY: the bytes of this image, and as many of its zero point as `new` asked for.
        let found = unsafe { p.point(pointers, (first, end), g, bytes, input.outside(image)) };
        let mut rows = [QuantizedRow { zero_point: 0, scale: 0.0 }; ROWS];
        let is_product = self.rows.count > self.images;
        for (row, position) in rows.iter_mut().zip(first..end) {
            // SAFETY: there is one per image, or per position.
            *row = unsafe { *input.rows.get().add(if is_product { position } else { image }) };
        }
        let first = image * p.window.positions() + first;
        let end = image * p.window.positions() + end;
        let (weights, column_bytes) = p.panels(g, from);
        let stride = p.columns * p.groups;
        let start = first * stride + g * p.columns + from;
        let product = Product {
            a: pointers.as_ptr().cast(),
            rows: end - first,
            step: found.step,
            taps: found.taps,
            k: found.k,
            reach: found.reach,
            weights,
            column_bytes,
            results: Results::Reals(ToReals {
                channels: self.channels[g].block(from),
                rows: rows.as_ptr(),
                limits: self.results.clamp,
            }),
            c: output.wrapping_add(start).cast(),
            stride: stride * size_of::<f32>(),
            columns,
        };
        // SAFETY: the member was selected for this machine, and a session has begun; pointers are as `found` tells, the panels have the
        // groups of all taps, and the rows are those of the output.
        unsafe { p.gemm.multiply(&product) };
        // Whole rows lie side by side.
        let (runs, run) =
            if columns == stride { (1, (end - first) * stride) } else { (end - first, columns) };
        // SAFETY: the item's results, just written by this thread.
        unsafe { posts.apply(self.results.map, output, (start, stride), (runs, run)) };
    }
}

impl Step for ConvHybrid {
    fn name(&self) -> &'static str {
        self.patches.name()
    }

    fn scratch(&self) -> usize {
        self.rows.scratch()
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let (input, scratch) = (Shared::new(cx.place(self.input)), Shared::new(cx.scratch()));
        let output = Shared::new(cx.place::<f32>(self.output));
        let posts = post::bind(&self.results.posts, cx);
        // SAFETY: the host's tensor has the shape that the step was built for, and its scratch memory the size.
        let quantized = unsafe { self.rows.quantize(cx, input, scratch)? };
        let (items, cost) = (self.patches.items(), self.patches.cost());
        cx.parallel_for(self.images * items, super::grain(cost), |range| {
            // SAFETY: the member was selected for this machine.
            let _session = unsafe { self.patches.gemm.begin() };
            let mut pointers = room();
            let mut first = range.start;
            while first < range.end {
                let image = first / items;
                let end = range.end.min((image + 1) * items);
                self.patches.for_each(first - image * items..end - image * items, |item| {
                    // SAFETY: as above; each item has results of its own.
                    unsafe { self.tile(image, item, &mut pointers, (&quantized, output.get()), &posts) };
                });
                first = end;
            }
        })
    }
}
