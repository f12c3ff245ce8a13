//! Sums, differences and products of quantized bytes.
//!
//! ```text
//! a' = (a + bias a) · factor a      b' likewise      y = clamp(combine(a', b') · factor y + zero point)
//! ```

mod body;

use crate::isa::Isa;
use crate::requantize::Bytes;
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

/// How it is made. Blocks have one factor for all lanes.
#[derive(Clone, Copy)]
pub struct Pair {
    /// Blocks of a, b and y.
    pub blocks: [*const i64; 3],
    /// How a and b are scaled; y has no shifts to the left, but may round away from zero.
    pub way: Way,
    /// Of [`Way::Shift`].
    pub shift: u32,
    /// What results become.
    pub bytes: Bytes,
}

/// `(pair, n, a, b, y)`.
pub type Kernel = unsafe fn(&Pair, usize, *const u8, *const u8, *mut u8);

/// A family member. Its kernels are unsafe to call: the machine has the instructions, the blocks are whole, a is readable and y
/// writable for `n` bytes, and so is b, or for one. Sources and target may be the same memory.
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
        fn pair[F: usize, ONE: bool](p: &Pair, n: usize, a: *const u8, b: *const u8, y: *mut u8);
    }
    vectors
}
member_of_table!(Pairs);

#[cfg(test)]
mod tests;
