//! Convolution of bytes, with results that are bytes, by products of the rows that [`Patches`] finds.

use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_layers::{Aligned, Id, Window};

use super::cascade::Rows;
use super::patches_u8::{Item, Patches, ROWS, Room, room};
use super::post::Bounds;
use crate::isa::Isa;
use crate::kernels::u8i8_gemm::{Product, Results, ToBytes};
use crate::memory::Shared;
use crate::ops::Weights;
use crate::program::{Run, Step};
use crate::requantize::{Bytes, Channel, Channels};
use crate::store::Store;

/// A convolution with packed weights.
pub struct ConvU8 {
    patches: Patches,
    /// One per group.
    channels: Vec<Channels>,
    /// Bytes of the zero point.
    zeros: Aligned<u8>,
    /// What the sum of a row is multiplied with; mostly 0.
    row_factor: i32,
    input: Id,
    output: Id,
}

/// What a [`ConvU8`] is made of.
pub struct Parts<'a> {
    /// Geometry; `channels` are those of the whole input.
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
    /// What results become.
    pub bytes: Bytes,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl ConvU8 {
    /// Packs the weights.
    pub fn new(isa: Isa, store: &Store, parts: Parts<'_>) -> Result<Self> {
        let (sizes, weights) = ((parts.filters, parts.groups), (parts.name, parts.weights));
        let patches = Patches::new(isa, store, parts.window, sizes, weights)?;
        let mut zeros = Aligned::try_zeros(patches.outside())?;
        zeros.fill(parts.zero_point);
        let of_group = |channels| Channels::new(patches.gemm.lanes, channels, parts.bytes);
        Ok(ConvU8 {
            channels: parts.channels.chunks(patches.columns).map(of_group).collect(),
            patches,
            zeros,
            row_factor: -parts.weights.zero_point,
            input: parts.input,
            output: parts.output,
        })
    }

    /// Computes an item.
    ///
    /// # Safety
    /// `input` and `output` are the tensors; nobody else writes these results.
    unsafe fn tile(&self, item: Item, pointers: &mut Room, input: *const u8, output: *mut u8) {
        let p = &self.patches;
        let Item { g, from, columns, first, end } = item;
        let rows = end - first;
        // SAFETY: `input` is the tensor; `new` made as many zero points as the patches ask for.
        let found = unsafe { p.point(pointers, (first, end), g, input, self.zeros.as_ptr()) };
        let pointers: *const *const u8 = pointers.as_ptr().cast();
        let mut terms = [0; ROWS];
        if self.row_factor != 0 {
            for (r, term) in terms[..rows].iter_mut().enumerate() {
                // SAFETY: `taps` pointers of each row are readable for `k` bytes.
                *term = self.row_factor.wrapping_mul(unsafe { found.sum(pointers, rows, r) });
            }
        }
        let (weights, column_bytes) = p.panels(g, from);
        let stride = p.columns * p.groups;
        let channels = &self.channels[g];
        let product = Product {
            a: pointers,
            rows,
            step: found.step,
            taps: found.taps,
            k: found.k,
            reach: found.reach,
            weights,
            column_bytes,
            results: Results::Bytes(ToBytes {
                channels: channels.block(from),
                is_general: channels.is_general,
                bytes: channels.bytes,
                row_terms: if self.row_factor == 0 { std::ptr::null() } else { terms.as_ptr() },
            }),
            c: output.wrapping_add(first * stride + g * p.columns + from),
            stride,
            columns,
        };
        // SAFETY: the member was selected for this machine, and a session has begun; pointers are as `found` tells, the panels have the
        // groups of all taps, and the rows are those of the output.
        unsafe { p.gemm.multiply(&product) };
    }
}

impl Step for ConvU8 {
    fn name(&self) -> &'static str {
        self.patches.name()
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let input = Shared::new(cx.place::<u8>(self.input));
        let output = Shared::new(cx.place::<u8>(self.output));
        cx.parallel_for(self.patches.items(), super::grain(self.patches.cost()), |range| {
            // SAFETY: the member was selected for this machine.
            let _session = unsafe { self.patches.gemm.begin() };
            let mut pointers = room();
            self.patches.for_each(range, |item| {
                // SAFETY: the host's tensors have the shapes that the step was built for; each item has results of its own.
                unsafe { self.tile(item, &mut pointers, input.get(), output.get()) };
            });
        })
    }
}

impl Rows for ConvU8 {
    fn window(&self) -> (&Window, usize) {
        (&self.patches.window, self.patches.columns * self.patches.groups)
    }

    unsafe fn rows(
        &self,
        image: usize,
        rows: Range<usize>,
        input: *const u8,
        output: *mut u8,
        _posts: &Bounds,
    ) {
        // SAFETY: the member was selected for this machine.
        let _session = unsafe { self.patches.gemm.begin() };
        let mut pointers = room();
        let above = image * self.patches.window.rows.output;
        self.patches.for_rows(above + rows.start..above + rows.end, |item| {
            // SAFETY: tiles of these rows, which are this call's to write, have results of their own. How far rows may be read counts on the whole tensor, and
            // is less than what is readable behind the rows that are there.
            unsafe { self.tile(item, &mut pointers, input, output) };
        });
    }
}
