//! Reads a verified file without bounds checks, for code that stores little about nodes and tensors and reads it again
//! each time a node runs.
//!
//! The verifier guarantees that these are inside the file: each table, its vtable, its fields, the lists and tables the
//! fields refer to, and the entries of the lists.

use super::list::{List, Span, Tables};
use super::reader::vtable_offset;
use super::tables::{SubGraph, Tensor};
use crate::Model;

/// Slots of `SubGraph`, `Tensor` and `QuantizationParameters`.
const TENSORS: u16 = 0;
const QUANTIZATION: u16 = 4;
const SCALE: u16 = 2;
const ZERO_POINT: u16 = 3;
const QUANTIZED_DIMENSION: u16 = 6;

/// Scales and zero points as stored in the file, see [`List::bytes`](super::List::bytes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearScales<'a> {
    /// The scales (`f32`): one, or one per slice of the dimension; empty if absent.
    pub scales: &'a [[u8; 4]],
    /// The zero points (`i64`): one per scale, or a single one.
    pub zero_points: &'a [[u8; 8]],
    /// The dimension of the scales, as stored in the file.
    pub dimension: i32,
}

/// The bytes of a verified file.
#[derive(Clone, Copy)]
struct Verified<'a>(&'a [u8]);

/// The positions of a table and of its vtable.
#[derive(Clone, Copy)]
struct TablePosition {
    table: usize,
    vtable: usize,
}

/// # Safety
///
/// For all functions below: the bytes must have passed `verify_root`, and the position must be one at which the
/// verifier found a field, a length or a table of the requested kind, so that all bytes that are read are inside the
/// file.
impl<'a> Verified<'a> {
    #[inline(always)]
    unsafe fn bytes<const N: usize>(self, at: usize) -> [u8; N] {
        debug_assert!(at + N <= self.0.len());
        // SAFETY: the caller passes a position at which the verifier found `N` bytes inside the file. An array of bytes
        // needs no alignment.
        unsafe { self.0.as_ptr().add(at).cast::<[u8; N]>().read() }
    }

    /// The target of the distance at `at`.
    #[inline(always)]
    unsafe fn follow(self, at: usize) -> usize {
        // SAFETY: the caller passes the position of a distance, whose four bytes the verifier found inside the file.
        at + u32::from_le_bytes(unsafe { self.bytes(at) }) as usize
    }

    #[inline(always)]
    unsafe fn table(self, table: usize) -> TablePosition {
        // SAFETY: the caller passes the position of a table, which starts with the four bytes of the distance to its
        // vtable.
        let to_vtable = i32::from_le_bytes(unsafe { self.bytes(table) });
        TablePosition { table, vtable: table.wrapping_add_signed((to_vtable as isize).wrapping_neg()) }
    }

    /// Position of a field, if it is present.
    #[inline(always)]
    unsafe fn field(self, TablePosition { table, vtable }: TablePosition, slot: u16) -> Option<usize> {
        let entry = vtable_offset(slot);
        // SAFETY: the caller passes a verified table: its vtable is inside the file and starts with its size, which is
        // even. The entry of `slot` is read only if it is within that size.
        let distance = unsafe {
            match entry < usize::from(u16::from_le_bytes(self.bytes(vtable))) {
                true => u16::from_le_bytes(self.bytes(vtable + entry)),
                false => 0,
            }
        };
        if distance == 0 { None } else { Some(table + usize::from(distance)) }
    }

    /// The list in a field, with `EACH` bytes per entry; empty if it is absent.
    #[inline(always)]
    unsafe fn list<const EACH: usize>(self, table: TablePosition, slot: u16) -> &'a [[u8; EACH]] {
        // SAFETY: the caller passes a verified table, and the verifier checked that this field leads to a list with
        // entries of this size.
        unsafe { self.field(table, slot).map_or(&[], |field| self.entries(self.follow(field))) }
    }

    /// The entries of the list at `at`.
    #[inline(always)]
    unsafe fn entries<const EACH: usize>(self, at: usize) -> &'a [[u8; EACH]] {
        // SAFETY: the caller passes the position of a list. The verifier checked that its length and all its entries
        // are inside the file.
        unsafe {
            let len = u32::from_le_bytes(self.bytes(at)) as usize;
            debug_assert!(at + 4 + len * EACH <= self.0.len());
            core::slice::from_raw_parts(self.0.as_ptr().add(at + 4).cast(), len)
        }
    }
}

impl<'a> Model<'a> {
    /// The little-endian entries of the list of numbers at [`place`](super::List::place); empty if `place` is 0.
    ///
    /// # Safety
    /// `place` must come from a list of this model, and the model's bytes must not have changed since it was verified.
    #[inline]
    pub unsafe fn numbers_at(&self, place: usize) -> &'a [[u8; 4]] {
        // SAFETY: the caller passes the place of a list of this model, so the verifier checked its length and entries.
        if place == 0 { &[] } else { unsafe { Verified(self.bytes()).entries(place) } }
    }
}

impl<'a> SubGraph<'a> {
    /// Like [`tensors`](Self::tensors), without bounds checks.
    ///
    /// # Safety
    /// The subgraph must belong to a [`Model`], and the model's bytes must not have changed since it was verified.
    #[inline]
    pub unsafe fn verified_tensors(&self) -> Tables<'a, Tensor<'a>> {
        let file = Verified(self.0.file);
        // SAFETY: the subgraph belongs to a verified model, so its table and its list of tensors are inside the file.
        unsafe {
            let Some(field) = file.field(file.table(self.0.at), TENSORS) else { return List::default() };
            let at = file.follow(field);
            let len = u32::from_le_bytes(file.bytes(at)) as usize;
            List::new(Span { file: file.0, start: at + 4, len })
        }
    }
}

impl<'a> Tables<'a, Tensor<'a>> {
    /// The scales of tensor `index`; `None` if it is not quantized.
    ///
    /// # Safety
    /// The tensors must belong to a [`Model`], and the model's bytes must not have changed since it was verified.
    #[inline]
    pub unsafe fn linear_scales(&self, index: usize) -> Option<LinearScales<'a>> {
        let (file, entry) = self.entry(index)?;
        let file = Verified(file);
        // SAFETY: the tensors belong to a verified model: the entries of the list lead to tables, the quantization is a
        // table, and the three fields read from it are two lists and a number.
        unsafe {
            let tensor = file.table(file.follow(entry));
            let table = file.table(file.follow(file.field(tensor, QUANTIZATION)?));
            let dimension = file.field(table, QUANTIZED_DIMENSION);
            Some(LinearScales {
                scales: file.list(table, SCALE),
                zero_points: file.list(table, ZERO_POINT),
                dimension: dimension.map_or(0, |at| i32::from_le_bytes(file.bytes(at))),
            })
        }
    }
}
