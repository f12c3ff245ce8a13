//! Sums, differences and products of quantized bytes.
//!
//! ```text
//! a' = (a + bias a) · factor a      b' likewise      y = clamp(combine(a', b') · factor y + zero point)
//! ```
//!
//! Sums, differences and products are first computed in `f32`, see [`Approximation`]: far from the middle between two
//! bytes, that gives the same bytes.

mod approximation;
mod body;

use std::marker::PhantomData;

use crate::isa::Isa;
use crate::requantize::{Bytes, Channels};
use crate::simd::*;

/// A function of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Combine {
    /// `a + b`.
    Add,
    /// `a − b`.
    Sub,
    /// `b − a`.
    SubFrom,
    /// `a · b`, without scaling the operands.
    Mul,
    /// `(a − b)²`.
    SquaredDifference,
}

impl Combine {
    /// All functions, by number.
    pub const ALL: [Combine; 5] =
        [Combine::Add, Combine::Sub, Combine::SubFrom, Combine::Mul, Combine::SquaredDifference];

    /// The function with its operands swapped.
    pub const fn swapped(self) -> Combine {
        match self {
            Combine::Sub => Combine::SubFrom,
            Combine::SubFrom => Combine::Sub,
            other => other,
        }
    }

    /// Applies the function to two scaled numbers, with wrapping arithmetic.
    pub fn apply(self, a: i32, b: i32) -> i32 {
        match self {
            Combine::Add => a.wrapping_add(b),
            Combine::Sub => a.wrapping_sub(b),
            Combine::SubFrom => b.wrapping_sub(a),
            Combine::Mul => a.wrapping_mul(b),
            Combine::SquaredDifference => a.wrapping_sub(b).wrapping_mul(a.wrapping_sub(b)),
        }
    }
}

/// How operands are scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// a by a left shift, b by a factor that has no left shift and rounds up.
    Shift,
    /// Both by factors that have no left shift and round up.
    Plain,
    /// Both by any factors.
    General,
}

/// What an [`Approximation`] computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Form {
    /// `a · factor a + b · factor b + offset`, where results at or beyond the limit are computed exactly.
    Checked,
    /// The same, with the right bytes for all operands.
    Sum,
    /// `(a + bias a) · (b + bias b) · factor a + offset`, with the right bytes for all operands. Products below zero
    /// have an offset of their own.
    Product,
}

impl Form {
    /// All forms, by number.
    const ALL: [Form; 3] = [Form::Checked, Form::Sum, Form::Product];
}

/// Results as real numbers, which are rounded to the nearest byte. These are the same bytes unless a number is `limit`
/// or more from the nearest integer, which is less than ½ by more than all rounding errors. No number may be beyond
/// ±2²².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approximation {
    form: Form,
    /// Of a and b.
    factors: [f32; 2],
    /// Terms that contain the zero points. The first is added to negative products, the second to all other numbers.
    offsets: [f32; 2],
    /// Results that are as far from the nearest integer, or farther, are computed exactly.
    limit: f32,
}

/// The parameters of results: the factors of a, b and y, each the same for all lanes, and the [`Way`] in which operands
/// are scaled.
///
/// ```compile_fail,E0451
/// # use arenite_kernels::{requantize::Bytes, u8_pair::{Pair, Way}};
/// let bytes = Bytes { zero_point: 0, low: 0, high: 255, flip: 0 };
/// let (blocks, life) = ([std::ptr::null(); 3], Default::default());
/// Pair { blocks, way: Way::Plain, shift: 0, bytes, flips: [0; 2], near: None, lanes: 8, life };
/// ```
#[derive(Clone, Copy)]
pub struct Pair<'t> {
    /// The blocks of a, b and y.
    blocks: [*const i64; 3],
    /// How a and b are scaled. The factor of y has no left shift, but may round away from zero.
    way: Way,
    /// The left shift of [`Way::Shift`].
    shift: u32,
    /// The output range.
    bytes: Bytes,
    /// What bytes of a and b are combined with by exclusive or: 0x80 if they are signed.
    flips: [u8; 2],
    near: Option<Approximation>,
    lanes: usize,
    life: PhantomData<&'t Channels>,
}

impl<'t> Pair<'t> {
    /// Uses the first block of each of the channels of a, b and y.
    ///
    /// # Panics
    /// If they have different numbers of lanes, or one has no block.
    #[inline]
    pub fn new(blocks: [&'t Channels; 3], way: Way, shift: u32, bytes: Bytes) -> Self {
        let lanes = blocks[0].lanes();
        let is_whole = |channels: &&Channels| channels.lanes() == lanes && channels.has_block();
        assert!(blocks.iter().all(is_whole), "blocks of a, b and y for {lanes} lanes");
        let blocks = blocks.map(|channels| channels.block(0));
        Pair { blocks, way, shift, bytes, flips: [0; 2], near: None, lanes, life: PhantomData }
    }

    /// The same for bytes of a and b that are combined with `flips` by exclusive or: 0x80 for signed ones.
    #[inline]
    pub fn flipped(self, flips: [u8; 2]) -> Self {
        Pair { flips, ..self }
    }

    /// The same, with results as real numbers where these are exact.
    #[inline]
    pub fn near(self, near: Option<Approximation>) -> Self {
        Pair { near, ..self }
    }

    /// How results are computed as reals.
    #[inline]
    pub(crate) fn approximation(&self) -> Option<&Approximation> {
        self.near.as_ref()
    }

    /// The number of lanes of the blocks.
    #[inline]
    pub(crate) fn lanes(&self) -> usize {
        self.lanes
    }
}

/// `(pair, n, a, b, y)`: computes `n` results.
pub type Kernel = unsafe fn(&Pair<'_>, usize, *const u8, *const u8, *mut u8);
/// `(pair, approximation, n, a, b, y)`: computes the first of `n` results as reals, and returns their number.
type NearKernel = unsafe fn(&Pair<'_>, &Approximation, usize, *const u8, *const u8, *mut u8) -> usize;

/// A member of the family. Its kernels are unsafe to call: the machine must have the instructions. The blocks must be
/// complete and have the member's lanes. a and b must be readable and y writable for `n` bytes; a kernel for one byte
/// of b reads no other. Sources and target may be the same memory.
#[non_exhaustive]
pub struct Pairs {
    /// The name, such as `u8_pair__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// The number of lanes of a block.
    pub lanes: usize,
    /// `y[i] = f(a[i], b[i])`, by the number of f.
    exact: [Kernel; Combine::ALL.len()],
    /// Whether it computes results as reals. Scalar code does not: its kernels for reals would take 24 KB.
    pub(crate) has_reals: bool,
    /// By form, and whether b has one byte.
    near: [[NearKernel; 2]; Form::ALL.len()],
}

impl Pairs {
    /// The kernel for exact results.
    pub(crate) fn exact(&self, f: Combine) -> Kernel {
        self.exact[f as usize]
    }

    /// The kernel for results as reals.
    pub(crate) fn near(&self, near: &Approximation, is_one: bool) -> NearKernel {
        self.near[near.form as usize][usize::from(is_one)]
    }
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Pairs {
            name: $name,
            isa: $isa,
            lanes: <$t>::LANES,
            exact: [pair::<0>, pair::<1>, pair::<2>, pair::<3>, pair::<4>],
            has_reals: <$t>::FUSED, // All but scalar code.
            near: [
                [near::<0, false>, near::<0, true>],
                [near::<1, false>, near::<1, true>],
                [near::<2, false>, near::<2, true>],
            ],
        }
    };
}

family! {
    Pairs: "u8_pair" {
        fn pair[F: usize](p: &Pair<'_>, n: usize, a: *const u8, b: *const u8, y: *mut u8);
        fn near[FORM: usize, ONE: bool](
            p: &Pair<'_>,
            near: &Approximation,
            n: usize,
            a: *const u8,
            b: *const u8,
            y: *mut u8
        ) -> usize;
    }
    vectors
}
member_of_table!(Pairs);

#[cfg(test)]
mod tests;
