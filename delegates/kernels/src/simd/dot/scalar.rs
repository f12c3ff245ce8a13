//! Dot products in plain Rust.

use super::Dot;
use crate::simd::{Scalar, Simd};

/// Dot products of bytes in plain Rust.
#[derive(Clone, Copy)]
pub struct ScalarDot(Scalar);

// SAFETY: plain Rust needs no special instructions.
unsafe impl Dot for ScalarDot {
    type S = Scalar;
    type A = [[u8; 4]; 4];
    type W = [[i8; 4]; 4];
    const WEIGHTS: usize = 16;
    const OFFSET: u8 = 0;

    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: plain Rust needs no special instructions.
        ScalarDot(unsafe { Scalar::new() })
    }
    #[inline(always)]
    fn ints(self) -> Scalar {
        self.0
    }
    #[inline(always)]
    fn spread(self, four: u32) -> [[u8; 4]; 4] {
        [four.to_le_bytes(); 4]
    }
    #[inline(always)]
    unsafe fn fours(self, p: *const u8) -> [[u8; 4]; 4] {
        // SAFETY: four bytes per lane are readable, as `Dot` requires.
        unsafe { p.cast::<[[u8; 4]; 4]>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn weights(self, p: *const u8) -> [[i8; 4]; 4] {
        // SAFETY: `WEIGHTS` bytes are readable, as `Dot` requires.
        unsafe { p.cast::<[[i8; 4]; 4]>().read_unaligned() }
    }
    #[inline(always)]
    fn dot(self, sum: [i32; 4], a: [[u8; 4]; 4], w: [[i8; 4]; 4]) -> [i32; 4] {
        std::array::from_fn(|j| {
            (0..4).fold(sum[j], |sum, i| sum.wrapping_add(i32::from(a[j][i]) * i32::from(w[j][i])))
        })
    }
}

/// Products of words in plain Rust.
#[derive(Clone, Copy)]
pub struct ScalarWords(Scalar);

// SAFETY: plain Rust needs no special instructions.
unsafe impl Dot for ScalarWords {
    type S = Scalar;
    type A = [[i16; 2]; 4];
    type W = [[i16; 2]; 4];
    const WEIGHTS: usize = 16;
    const OFFSET: u8 = 0;

    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: plain Rust needs no special instructions.
        ScalarWords(unsafe { Scalar::new() })
    }
    #[inline(always)]
    fn ints(self) -> Scalar {
        self.0
    }
    #[inline(always)]
    fn spread(self, four: u32) -> [[i16; 2]; 4] {
        [bytemuck::cast(four); 4]
    }
    #[inline(always)]
    unsafe fn fours(self, p: *const u8) -> [[i16; 2]; 4] {
        // SAFETY: four words per lane are readable, as `Dot` requires.
        unsafe { p.cast::<[[i16; 2]; 4]>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn weights(self, p: *const u8) -> [[i16; 2]; 4] {
        // SAFETY: `WEIGHTS` bytes are readable, as `Dot` requires.
        unsafe { self.fours(p) }
    }
    #[inline(always)]
    fn dot(self, sum: [i32; 4], a: [[i16; 2]; 4], w: [[i16; 2]; 4]) -> [i32; 4] {
        std::array::from_fn(|j| {
            (0..2).fold(sum[j], |sum, i| sum.wrapping_add(i32::from(a[j][i]) * i32::from(w[j][i])))
        })
    }
}
