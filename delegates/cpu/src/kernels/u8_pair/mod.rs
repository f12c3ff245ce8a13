//! Sums, differences and products of quantized bytes.
//!
//! ```text
//! a' = (a + bias a) · factor a      b' likewise      y = clamp(combine(a', b') · factor y + zero point)
//! ```

mod body;

use crate::isa::Isa;
use crate::requantize::Bytes;

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
    /// The instructions it needs.
    pub isa: Isa,
    /// Lanes of a block.
    pub lanes: usize,
    /// `y[i] = f(a[i], b[i])`, by number of f.
    with_many: [Kernel; Combine::ALL.len()],
    /// `y[i] = f(a[i], b[0])`.
    with_one: [Kernel; Combine::ALL.len()],
}

impl Pairs {
    /// The best member on this machine, up to `isa`.
    pub fn select(isa: Isa) -> &'static Pairs {
        TABLE.iter().rfind(|pairs| pairs.isa <= isa && pairs.isa.is_available()).unwrap_or(&TABLE[0])
    }

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
    ($module:ident, $name:literal, $isa:ident, $simd:ident $(, $features:literal)?) => {
        mod $module {
            use super::*;
            use crate::simd::{$simd as S, Simd};

            $(#[target_feature(enable = $features)])?
            unsafe fn many<const F: usize>(p: &Pair, n: usize, a: *const u8, b: *const u8, y: *mut u8) {
                // SAFETY: the caller's promise.
                unsafe { body::pair::<S, F, false>(S::new(), p, n, a, b, y) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn one<const F: usize>(p: &Pair, n: usize, a: *const u8, b: *const u8, y: *mut u8) {
                // SAFETY: the caller's promise.
                unsafe { body::pair::<S, F, true>(S::new(), p, n, a, b, y) }
            }

            pub(super) const MEMBER: Pairs = Pairs {
                name: $name,
                isa: Isa::$isa,
                lanes: S::LANES,
                with_many: [many::<0>, many::<1>, many::<2>, many::<3>, many::<4>],
                with_one: [one::<0>, one::<1>, one::<2>, one::<3>, one::<4>],
            };
        }
    };
}

member!(scalar, "u8_pair__scalar", Scalar, Scalar);
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
member!(avx2, "u8_pair__avx2", Avx2, Avx2, "avx2,fma");
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
member!(avx512, "u8_pair__avx512", Avx512, Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma");
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
member!(neon, "u8_pair__neon", Neon, Neon, "neon");

/// All members of the family, the slowest first.
pub static TABLE: &[Pairs] = &[
    scalar::MEMBER,
    #[cfg(all(target_arch = "x86_64", feature = "avx2"))]
    avx2::MEMBER,
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    avx512::MEMBER,
    #[cfg(all(target_arch = "aarch64", feature = "neon"))]
    neon::MEMBER,
];

#[cfg(test)]
mod tests;
