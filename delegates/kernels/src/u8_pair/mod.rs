//! Sums, differences and products of quantized bytes.
//!
//! ```text
//! a' = (a + bias a) · factor a      b' likewise      y = clamp(combine(a', b') · factor y + zero point)
//! ```

mod body;

use std::marker::PhantomData;

use crate::isa::Isa;
use crate::requantize::{Bytes, Channels};
use crate::simd::*;

/// What is made of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Combine {
    /// `a + b`.
    Add,
    /// `a − b`.
    Sub,
    /// `b − a`.
    SubFrom,
    /// `a · b`; operands are not scaled.
    Mul,
    /// `(a − b)²`.
    SquaredDifference,
}

impl Combine {
    /// All of them, by number.
    pub const ALL: [Combine; 5] =
        [Combine::Add, Combine::Sub, Combine::SubFrom, Combine::Mul, Combine::SquaredDifference];

    /// The function with its operands the other way round.
    pub const fn swapped(self) -> Combine {
        match self {
            Combine::Sub => Combine::SubFrom,
            Combine::SubFrom => Combine::Sub,
            other => other,
        }
    }

    /// Of two scaled numbers; it wraps.
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
    /// a by a shift to the left, b by a factor without such shifts that rounds up.
    Shift,
    /// Both by factors without shifts to the left, that round up.
    Plain,
    /// By any factors.
    General,
}

/// How results are made: the factors of a, b and y, each the same for all lanes, and what [`Way`] they are used in.
///
/// ```compile_fail,E0451
/// # use arenite_kernels::{requantize::Bytes, u8_pair::{Pair, Way}};
/// let bytes = Bytes { zero_point: 0, low: 0, high: 255 };
/// Pair { blocks: [std::ptr::null(); 3], way: Way::Plain, shift: 0, bytes, lanes: 8, life: Default::default() };
/// ```
#[derive(Clone, Copy)]
pub struct Pair<'t> {
    /// Blocks of a, b and y.
    blocks: [*const i64; 3],
    /// How a and b are scaled; y has no shifts to the left, but may round away from zero.
    way: Way,
    /// Of [`Way::Shift`].
    shift: u32,
    /// What results become.
    bytes: Bytes,
    lanes: usize,
    life: PhantomData<&'t Channels>,
}

impl<'t> Pair<'t> {
    /// Of the first block of each of these channels: those of a, b and y.
    ///
    /// # Panics
    /// If they have different lanes, or one has no block.
    #[inline]
    pub fn new(blocks: [&'t Channels; 3], way: Way, shift: u32, bytes: Bytes) -> Self {
        let lanes = blocks[0].lanes();
        let is_whole = |channels: &&Channels| channels.lanes() == lanes && channels.has_block();
        assert!(blocks.iter().all(is_whole), "blocks of a, b and y for {lanes} lanes");
        Pair { blocks: blocks.map(|channels| channels.block(0)), way, shift, bytes, lanes, life: PhantomData }
    }

    /// Lanes of its blocks.
    #[inline]
    pub(crate) fn lanes(&self) -> usize {
        self.lanes
    }
}

/// `(pair, n, a, b, y)`.
pub type Kernel = unsafe fn(&Pair<'_>, usize, *const u8, *const u8, *mut u8);

/// A family member. Its kernels are unsafe to call: the machine has the instructions, the blocks are whole and have the member's lanes, a is readable and y
/// writable for `n` bytes, and so is b, or for one. Sources and target may be the same memory.
#[non_exhaustive]
pub struct Pairs {
    /// As in `u8_pair__avx512`.
    pub name: &'static str,
    /// The features that it needs.
    pub isa: Isa,
    /// Lanes of a block.
    pub lanes: usize,
    /// `y[i] = f(a[i], b[i])`, by number of f.
    with_many: [Kernel; Combine::ALL.len()],
    /// `y[i] = f(a[i], b[0])`.
    with_one: [Kernel; Combine::ALL.len()],
}

impl Pairs {
    /// Of as many bytes of b as of a.
    pub fn with_many(&self, f: Combine) -> Kernel {
        self.with_many[f as usize]
    }

    /// Of one byte of b.
    pub fn with_one(&self, f: Combine) -> Kernel {
        self.with_one[f as usize]
    }
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Pairs {
            name: $name,
            isa: $isa,
            lanes: <$t>::LANES,
            with_many: [
                pair::<0, false>,
                pair::<1, false>,
                pair::<2, false>,
                pair::<3, false>,
                pair::<4, false>,
            ],
            with_one: [pair::<0, true>, pair::<1, true>, pair::<2, true>, pair::<3, true>, pair::<4, true>],
        }
    };
}

family! {
    Pairs: "u8_pair" {
        fn pair[F: usize, ONE: bool](p: &Pair<'_>, n: usize, a: *const u8, b: *const u8, y: *mut u8);
    }
    vectors
}
member_of_table!(Pairs);

#[cfg(test)]
mod tests;
