//! Convolution of `f32` with byte weights: quantizes images (rows, for matrix products), multiplies bytes, and converts
//! the sums to `f32`.

use arenite_abi::prelude::*;
use arenite_base::Clamp;
use arenite_layers::Id;

use crate::kernels::f32_map::Map;
use crate::kernels::u8i8_gemm::{Results, ToReals};
use crate::memory::{Disjoint, Source};
use crate::reach::epilogue::{self, Epilogue, EpilogueOp, OutputRows};
use crate::reach::patches_u8::{Item, Patches, ROWS};
use crate::reach::pointers::Room;
use crate::reach::rows_u8::{QuantizedRows, RowQuantizer};
use crate::rescale::{QuantizedRow, RealChannel, RealChannels};
use crate::step::{Run, Step};

/// A convolution with packed weights.
pub(crate) struct ConvHybrid {
    /// Of one image: tiles do not reach from one to the next, whose zero point is another.
    patches: Patches,
    images: usize,
    rows: RowQuantizer,
    /// One per group.
    channels: Vec<RealChannels>,
    results: Finish,
    input: Id,
    output: Id,
}

/// How results are finished.
pub(crate) struct Finish {
    /// Their range before `epilogue`.
    pub clamp: Clamp,
    /// The epilogue.
    pub epilogue: Vec<EpilogueOp>,
    /// Kernels for that.
    pub map: &'static Map,
}

impl ConvHybrid {
    /// `patches` are the patches of one image, and `channels` has one channel per filter. `rows` are images, or the
    /// positions of a single image if the layer is a product; its `outside` is ignored.
    pub(crate) fn new(
        (images, patches): (usize, Patches),
        rows: RowQuantizer,
        channels: &[RealChannel],
        results: Finish,
        [input, output]: [Id; 2],
    ) -> Self {
        let of_group = |channels| RealChannels::new(patches.gemm.lanes, channels);
        let channels = channels.chunks(patches.columns).map(of_group).collect();
        let outside = if patches.window.is_point() { 0 } else { patches.outside() };
        ConvHybrid {
            patches,
            images,
            rows: RowQuantizer { outside, ..rows },
            channels,
            results,
            input,
            output,
        }
    }

    /// Computes an item of an image.
    ///
    /// # Safety
    /// This thread must have begun a session, and no other thread may access the item's results in `output`, the
    /// tensor.
    unsafe fn tile(
        &self,
        image: usize,
        item: Item,
        pointers: &mut Room<u8>,
        (input, output): (&QuantizedRows<'_>, Disjoint<'_, f32>),
        epilogue: &Epilogue<'_>,
    ) {
        let p = &self.patches;
        let Item { g, from, columns, first, end, .. } = item;
        let bytes = input.bytes.part(image * p.window.image(), p.window.image());
        let outside = if p.window.is_point() { Source::NONE } else { input.outside(image) };
        let found = p.point(pointers, &item, bytes, outside);
        let mut rows = [QuantizedRow { zero_point: 0, scale: 0.0 }; ROWS];
        let is_product = self.rows.count > self.images;
        for (row, position) in rows.iter_mut().zip(first..end) {
            *row = input.rows.get(if is_product { position } else { image });
        }
        let before = image * p.window.positions();
        let item = Item { first: before + first, end: before + end, ..item };
        let results = Results::Reals(ToReals {
            channels: self.channels[g].block(from),
            rows: rows.as_ptr(),
            limits: self.results.clamp,
        });
        // SAFETY: session and results are as the caller says; `point` has found the rows; `new` made channels for all
        // columns of a group, and there is a meaning for each row.
        unsafe { p.multiply(item, (pointers, &found), results, (output.cast(), size_of::<f32>())) };
        // Whole rows are contiguous.
        let stride = p.columns * p.groups;
        let start = item.first * stride + g * p.columns + from;
        let (runs, run) =
            if columns == stride { (1, (end - first) * stride) } else { (end - first, columns) };
        let rows = OutputRows { first: start, stride, count: runs, len: run };
        // SAFETY: the item's results, which were just written.
        unsafe { epilogue.apply(self.results.map, output, rows) };
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
        let output = cx.output::<f32>(self.output).share();
        let epilogue = epilogue::bind(&self.results.epilogue, cx);
        let quantized = self.rows.quantize(cx, cx.input(self.input), cx.scratch())?;
        let (p, items) = (&self.patches, self.patches.items());
        let threads = cx.threads();
        cx.parallel_for(self.images * items, p.grain(), |range| {
            // SAFETY: the member was selected for this machine.
            let _session = unsafe { p.gemm.begin() };
            p.pointers.with_room(&mut |room| {
                for image in range.start / items..range.end.div_ceil(items) {
                    let first = range.start.max(image * items) - image * items;
                    let end = range.end.min((image + 1) * items) - image * items;
                    // SAFETY: the session has begun; items are tiles of an image by columns of a group, which no other
                    // item has, and each is one thread's.
                    p.for_each(first..end, threads, |item| unsafe {
                        self.tile(image, item, room, (&quantized, output), &epilogue)
                    });
                }
            });
        })
    }
}
