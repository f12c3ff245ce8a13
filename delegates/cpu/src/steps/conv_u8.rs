//! Convolution of bytes to bytes: multiplies the rows that [`Patches`] finds.

use std::mem::MaybeUninit;
use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_base::Aligned;
use arenite_layers::{Id, Window, aligned_zeros};

use super::cascade::RowStep;
use crate::isa::Isa;
use crate::kernels::u8i8_gemm::{Results, ToBytes};
use crate::memory::{Disjoint, Source, Target};
use crate::reach::bordered::Bordered;
use crate::reach::epilogue::Epilogue;
use crate::reach::located::{Located, TapRows};
use crate::reach::patches_u8::{FilterSizes, Item, Patches, ROWS};
use crate::reach::pointers::Room;
use crate::reach::weights_u8::Weights;
use crate::requantize::{Bytes, Channel, Channels};
use crate::step::{Run, Step};
use crate::store::Store;

/// A convolution with packed weights.
pub(crate) struct ConvU8 {
    patches: Patches,
    /// One per group.
    channels: Vec<Channels>,
    /// Bytes of the zero point.
    zeros: Aligned<u8>,
    /// The factor of the sum of a row; mostly 0.
    row_factor: i32,
    /// The offset of the row in the input, if there is only one, as in a dense layer, and one item.
    only_row: Option<(usize, TapRows)>,
    input: Id,
    output: Id,
    /// Written after `output`, or instead of it.
    bordered: Option<Bordered>,
}

/// The parts of a [`ConvU8`].
pub(crate) struct ConvU8Parameters<'a> {
    /// The window. Its `channels` are the channels of the whole input.
    pub window: Window,
    /// Groups of channels.
    pub groups: usize,
    /// Output channels, of all groups.
    pub filters: usize,
    /// Names the weights in a cache.
    pub name: &'a str,
    /// `[filters][taps][channels / groups]`.
    pub weights: &'a Weights<'a>,
    /// One per filter.
    pub channels: &'a [Channel],
    /// Of the input.
    pub zero_point: u8,
    /// How results become bytes.
    pub bytes: Bytes,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
    /// The copy with a border that is also written. If it is `output`, only the copy is, and tiles are in one row each.
    pub bordered: Option<Bordered>,
}

impl ConvU8 {
    /// Packs the weights.
    pub(crate) fn new(isa: Isa, store: &Store, parts: ConvU8Parameters<'_>) -> Result<Self> {
        let sizes = FilterSizes { filters: parts.filters, groups: parts.groups };
        let weights = (parts.name, parts.weights);
        let patches = Patches::new(isa, store, parts.window, sizes, weights)?;
        let mut zeros = aligned_zeros(patches.outside())?;
        zeros.fill(parts.zero_point);
        let of_group = |channels| Channels::new(patches.gemm.lanes, channels, parts.bytes);
        let is_plain = patches.items() == 1 && parts.weights.zero_point == 0 && parts.bordered.is_none();
        let located = patches.located.as_ref().filter(|_| is_plain);
        Ok(ConvU8 {
            only_row: located.and_then(Located::only_row),
            channels: parts.channels.chunks(patches.columns).map(of_group).collect(),
            patches,
            zeros,
            row_factor: -parts.weights.zero_point,
            input: parts.input,
            output: parts.output,
            bordered: parts.bordered,
        })
    }

    /// Computes an item.
    ///
    /// # Safety
    /// This thread must have begun a session, and no other thread may access the item's results in `output`, the
    /// tensor.
    unsafe fn tile(
        &self,
        item: Item,
        pointers: &mut Room<u8>,
        (input, output): (Source<'_, u8>, Disjoint<'_, u8>),
    ) {
        let p = &self.patches;
        let rows = item.end - item.first;
        let found = p.point(pointers, &item, input, Source::of(&self.zeros));
        let mut terms;
        let row_terms = if self.row_factor == 0 {
            std::ptr::null()
        } else {
            terms = [0; ROWS];
            for (r, term) in terms[..rows].iter_mut().enumerate() {
                // SAFETY: `point` has just found these rows, of which `r` is one.
                *term = self.row_factor.wrapping_mul(unsafe { found.sum(pointers, rows, r) });
            }
            terms.as_ptr()
        };
        // SAFETY: session and results are as the caller says; `point` has found the rows; `new` made channels for all
        // columns of a group, and there is a term for each row.
        unsafe { p.multiply(item, (pointers, &found), self.results(&item, row_terms), (output, 1)) };
    }

    /// Computes an item of a run.
    ///
    /// # Safety
    /// See [`tile`](Self::tile). The same applies to the copy.
    #[inline(always)]
    unsafe fn item(
        &self,
        mut item: Item,
        room: &mut Room<u8>,
        places: (Source<'_, u8>, Disjoint<'_, u8>),
        copy: Option<Disjoint<'_, u8>>,
    ) {
        let first = item.g * self.patches.columns + item.from;
        let part = (item.first..item.end, first..first + item.columns);
        // SAFETY: as this function requires.
        unsafe {
            match (&self.bordered, copy) {
                (Some(bordered), Some(copy)) => {
                    self.tile(item, room, places);
                    bordered.copy_columns(places.1, (part.0, &part.1), copy);
                }
                (Some(bordered), None) => {
                    item.shift = bordered.shift(item.first);
                    self.tile(item, room, places);
                    bordered.fill(item.first..item.end, &part.1, places.1);
                }
                _ => self.tile(item, room, places),
            }
        }
    }

    /// How the sums of an item become bytes.
    #[inline(always)]
    fn results(&self, item: &Item, row_terms: *const i32) -> Results {
        let channels = &self.channels[item.g];
        Results::Bytes(ToBytes::new(channels, channels.block(item.from), row_terms))
    }
}

impl Step for ConvU8 {
    fn name(&self) -> &'static str {
        self.patches.name()
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let places = (cx.input::<u8>(self.input), cx.output::<u8>(self.output).share());
        let second = self.bordered.filter(|bordered| bordered.id != self.output);
        let copy = second.map(|bordered| cx.output::<u8>(bordered.id).share());
        let p = &self.patches;
        if let (Some((offset, rows)), Some(located)) = (&self.only_row, &p.located) {
            let pointer = [MaybeUninit::new(located.from(*offset, places.0))];
            let item = Item { g: 0, from: 0, columns: p.columns, first: 0, end: 1, tile: None, shift: 0 };
            // SAFETY: the member was selected for this machine, so a session may begin. The only row is where it was
            // located in the whole input. `new` made channels for all columns, and this thread has all results.
            unsafe {
                let _session = p.gemm.begin();
                p.multiply(item, (&pointer, rows), self.results(&item, std::ptr::null()), (places.1, 1));
            }
            return Ok(());
        }
        let threads = cx.threads();
        cx.parallel_for(p.items(), p.grain(), |range| {
            // SAFETY: the member was selected for this machine.
            let _session = unsafe { p.gemm.begin() };
            p.pointers.with_room(&mut |room| {
                // SAFETY: the session has begun; items are tiles by columns of a group, which no other item has, and
                // each is one thread's.
                p.for_each(range.clone(), threads, |item| unsafe { self.item(item, room, places, copy) });
            });
        })
    }
}

impl RowStep for ConvU8 {
    fn window(&self) -> (&Window, usize) {
        (&self.patches.window, self.patches.columns * self.patches.groups)
    }

    fn rows(
        &self,
        image: usize,
        rows: Range<usize>,
        input: Source<'_, u8>,
        output: Target<'_, u8>,
        _: &Epilogue<'_>,
    ) {
        // SAFETY: the member was selected for this machine.
        let _session = unsafe { self.patches.gemm.begin() };
        let above = image * self.patches.window.rows.output;
        let width = output.len() / rows.len();
        let output = output.share().within((above + rows.start) * width);
        let rows = above + rows.start..above + rows.end;
        self.patches.pointers.with_room(&mut |room| {
            // SAFETY: the session has begun, and the item's results are in `output`, which only this call writes. How
            // far rows may be read is computed from the whole tensor; the cascade keeps more bytes readable after the
            // rows.
            self.patches.for_rows(rows.clone(), |item| unsafe { self.tile(item, room, (input, output)) });
        });
    }
}
