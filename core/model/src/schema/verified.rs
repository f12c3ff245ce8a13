//! What is read without looking at bounds: who keeps little of a node and its tensors asks for it whenever the node runs.
//!
//! What was verified of the file, and is not looked at again: a table, its vtable, the fields that this has, the lists and tables that they
//! lead to, and the entries of the lists lie in the file.

use super::list::{List, Tables};
use super::reader::vtable_offset;
use super::tables::{SubGraph, Tensor};
use crate::Model;

/// Slots of `SubGraph`, of `Tensor`, and of its quantization.
const TENSORS: u16 = 0;
const QUANTIZATION: u16 = 4;
const SCALE: u16 = 2;
const ZERO_POINT: u16 = 3;
const QUANTIZED_DIMENSION: u16 = 6;

/// Scales and zero points as they lie in the file, see [`List::bytes`](super::List::bytes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearScales<'a> {
    /// `f32`, one, or one per slice of the dimension; empty if there are none.
    pub scales: &'a [[u8; 4]],
    /// `i64`, one per scale, or a single one.
    pub zero_points: &'a [[u8; 8]],
    /// The dimension that the scales belong to, as the file has it.
    pub dimension: i32,
}

/// A file that was verified.
#[derive(Clone, Copy)]
struct Verified<'a>(&'a [u8]);

/// A table of it, and its vtable.
#[derive(Clone, Copy)]
struct Place {
    table: usize,
    vtable: usize,
}

/// # Safety (of all that follow)
/// What is read lies in the file: at a place where the verifier has found a field, a length or a table.
impl<'a> Verified<'a> {
    #[inline(always)]
    unsafe fn bytes<const N: usize>(self, at: usize) -> [u8; N] {
        debug_assert!(at + N <= self.0.len());
        // SAFETY: the caller's promise; bytes need no alignment.
        unsafe { self.0.as_ptr().add(at).cast::<[u8; N]>().read() }
    }

    /// Where the distance at `at` leads.
    #[inline(always)]
    unsafe fn follow(self, at: usize) -> usize {
        // SAFETY: the caller's promise.
        at + u32::from_le_bytes(unsafe { self.bytes(at) }) as usize
    }

    #[inline(always)]
    unsafe fn table(self, table: usize) -> Place {
        // SAFETY: the caller's promise.
        let to_vtable = i32::from_le_bytes(unsafe { self.bytes(table) });
        Place { table, vtable: table.wrapping_add_signed((to_vtable as isize).wrapping_neg()) }
    }

    /// Where a field is, if it is there.
    #[inline(always)]
    unsafe fn field(self, Place { table, vtable }: Place, slot: u16) -> Option<usize> {
        let entry = vtable_offset(slot);
        // SAFETY: the caller's promise; a vtable begins with its size, which is even.
        let distance = unsafe {
            match entry < usize::from(u16::from_le_bytes(self.bytes(vtable))) {
                true => u16::from_le_bytes(self.bytes(vtable + entry)),
                false => 0,
            }
        };
        if distance == 0 { None } else { Some(table + usize::from(distance)) }
    }

    /// The list of entries of so many bytes in a field; empty if there is none.
    #[inline(always)]
    unsafe fn list<const EACH: usize>(self, table: Place, slot: u16) -> &'a [[u8; EACH]] {
        // SAFETY: the caller's promise.
        unsafe { self.field(table, slot).map_or(&[], |field| self.entries(self.follow(field))) }
    }

    /// The entries of the list at `at`.
    #[inline(always)]
    unsafe fn entries<const EACH: usize>(self, at: usize) -> &'a [[u8; EACH]] {
        // SAFETY: the caller's promise: behind its length lie all entries.
        unsafe {
            let len = u32::from_le_bytes(self.bytes(at)) as usize;
            debug_assert!(at + 4 + len * EACH <= self.0.len());
            core::slice::from_raw_parts(self.0.as_ptr().add(at + 4).cast(), len)
        }
    }
}

impl<'a> Model<'a> {
    /// The entries, little-endian, of a list of numbers whose [`place`](super::List::place) was told; none if that is 0.
    ///
    /// # Safety
    /// It is the place of a list of this model, and nobody wrote to its bytes since it was made.
    #[inline]
    pub unsafe fn numbers_at(&self, place: usize) -> &'a [[u8; 4]] {
        // SAFETY: the caller's promise; a model's lists were verified.
        if place == 0 { &[] } else { unsafe { Verified(self.bytes()).entries(place) } }
    }
}

impl<'a> SubGraph<'a> {
    /// As [`tensors`](Self::tensors).
    ///
    /// # Safety
    /// It is a subgraph of a [`Model`], and nobody wrote to its bytes since it was made.
    #[inline]
    pub unsafe fn verified_tensors(&self) -> Tables<'a, Tensor<'a>> {
        let file = Verified(self.0.file);
        // SAFETY: a model's tables were verified.
        unsafe {
            let Some(field) = file.field(file.table(self.0.at), TENSORS) else { return List::default() };
            let at = file.follow(field);
            List::new(file.0, at + 4, u32::from_le_bytes(file.bytes(at)) as usize)
        }
    }
}

impl<'a> Tables<'a, Tensor<'a>> {
    /// Scales of tensor `index`; `None` if it is not quantized.
    ///
    /// # Safety
    /// These are tensors of a [`Model`], and nobody wrote to its bytes since it was made.
    #[inline]
    pub unsafe fn linear_scales(&self, index: usize) -> Option<LinearScales<'a>> {
        let (file, entry) = self.entry(index)?;
        let file = Verified(file);
        // SAFETY: a model's tables were verified: the tensor is in its list, its quantization is a table, and what is read of this are two
        // lists and a number.
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
