//! Products of rows of `u8` with packed weights of four bits, which have a scale for each block of a column. They stay
//! four bits wide in memory. Weights of two bits are packed and multiplied in the same way: see
//! [`u8i2_gemm`](crate::u8i2_gemm).
//!
//! ```text
//! panel of `width` columns, block after block:
//!   ┌ a scale per column ┬ 8 lines of all columns ┬ 8 lines ┬ … ┐        eight lines of a column are four bytes:
//!   └────────────────────┴────────────────────────┴─────────┴───┘        lines 0‥3 in their lower halves, 4‥7 in the upper
//!   ┌ a scale per column ┬ the sum of a column's weights ┬ 16 lines of all columns ┬ … ┐        with two bits
//!   └────────────────────┴───────────────────────────────┴─────────────────────────┴───┘
//! c[r][j] = clamp(bias[j] + Σ_block (Σ_i (a[r][i] − zero[r]) · w[i][j]) · (scale[r] · scale[block][j]))
//! ```
//! Sums over lines are integers. Each operation on reals rounds once, and blocks are added in order, as in the
//! reference op.

pub(crate) mod body;

use arenite_base::Clamp;

use crate::isa::Isa;
use crate::rescale::QuantizedRow;
use crate::simd::dot::*;

/// The most lines of a block: its sums fit 32 bits, even 64 times as large with two bits, or 16 times with four.
pub const LONGEST: usize = 1 << 16;

/// Whether blocks contain the sums of weights: if `parts` weights are in a byte. With four bits, blocks can be so short
/// that sums would take as much memory as scales.
const fn are_summed(parts: usize) -> bool {
    parts == 4
}

/// How the lines of a column are cut into blocks.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// The number of blocks.
    pub count: usize,
    /// Lines of a block.
    pub lines: usize,
    /// Weights in a byte: two or four.
    pub parts: usize,
}

impl Blocks {
    /// Whether there are kernels for such blocks.
    pub fn are_supported(self) -> bool {
        let parts = matches!(self.parts, 2 | 4);
        parts && self.lines > 0 && self.lines.is_multiple_of(4 * self.parts) && self.lines <= LONGEST
    }

    /// Lines of a column.
    pub fn depth(self) -> usize {
        self.count * self.lines
    }

    /// Bytes of a column in a panel that precede the lines of a block: the scale, and the sum of weights.
    fn head(self) -> usize {
        size_of::<f32>() + if are_summed(self.parts) { size_of::<i32>() } else { 0 }
    }

    /// Bytes of a panel per column.
    pub fn column_bytes(self) -> usize {
        self.count * (self.head() + self.lines / self.parts)
    }
}

/// The arguments of a product with one panel.
#[derive(Clone, Copy)]
pub struct Product {
    /// Rows of `blocks.depth()` bytes, one after the other.
    pub a: *const u8,
    /// The quantization of each row.
    pub rows: *const QuantizedRow,
    /// The number of rows.
    pub count: usize,
    /// How columns are cut.
    pub blocks: Blocks,
    /// The panel.
    pub panel: *const u8,
    /// A number per column of the panel.
    pub bias: *const f32,
    /// The range of results.
    pub limits: Clamp,
    /// The first result.
    pub c: *mut f32,
    /// Results from one row to the next.
    pub stride: usize,
    /// Columns that have results, at most as many as the panel has.
    pub columns: usize,
}

/// Computes one, two or four rows.
///
/// # Safety
/// See [`Gemm::multiply`].
pub(crate) type Microkernel = unsafe fn(&Product);

/// A member of the family.
#[non_exhaustive]
pub struct Gemm {
    /// The name, such as `u8i4_gemm_4x64__avx512vnni`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// Columns of a panel.
    pub width: usize,
    /// For one, two and four rows.
    pub(crate) by_rows: [Microkernel; 3],
}

impl Gemm {
    /// Computes a product.
    ///
    /// # Safety
    /// Blocks must be [supported](Blocks::are_supported). The rows must be readable, and the panel packed by this
    /// member for these blocks; there must be `width` biases. The results must be writable.
    pub unsafe fn multiply(&self, p: &Product) {
        let mut first = 0;
        while first < p.count {
            let size = (p.count - first).ilog2().min(2);
            let (a, rows) = (p.a.wrapping_add(first * p.blocks.depth()), p.rows.wrapping_add(first));
            let part = Product { a, rows, c: p.c.wrapping_add(first * p.stride), ..*p };
            // SAFETY: the machine can run it, as the member came from a table; the rest is as `# Safety` requires, for
            // `2^size` of the rows.
            unsafe { self.by_rows[size as usize](&part) };
            first += 1 << size;
        }
    }

    /// The size of packed weights in bytes.
    pub fn packed_len(&self, columns: usize, blocks: Blocks) -> usize {
        columns.next_multiple_of(self.width) * blocks.column_bytes()
    }

    /// Packs `rows`, which has the lines of each column, as many in a byte as the member multiplies, the first one in
    /// the lowest bits. There must be [`packed_len`](Self::packed_len) bytes of zeros.
    pub fn pack(
        &self,
        blocks: Blocks,
        columns: usize,
        rows: &[u8],
        scale: impl Fn(usize, usize) -> f32,
        packed: &mut [u8],
    ) {
        let (width, bytes) = (self.width, blocks.lines / blocks.parts);
        let panels = packed.chunks_exact_mut(width * blocks.column_bytes());
        for (from, panel) in (0..columns).step_by(width).zip(panels) {
            for (k, block) in panel.chunks_exact_mut(width * (blocks.head() + bytes)).enumerate() {
                let (head, lines) = block.split_at_mut(blocks.head() * width);
                for j in 0..width.min(columns - from) {
                    let column = &rows[((from + j) * blocks.count + k) * bytes..][..bytes];
                    head[4 * j..][..4].copy_from_slice(&scale(from + j, k).to_ne_bytes());
                    if are_summed(blocks.parts) {
                        let sum: i32 = column.iter().map(|&four| sum_of_pairs(four)).sum();
                        head[4 * (width + j)..][..4].copy_from_slice(&sum.to_ne_bytes());
                    }
                    for (some, to) in column.chunks_exact(4).zip(lines.chunks_exact_mut(4 * width)) {
                        let some = <[u8; 4]>::try_from(some).map_or(0, u32::from_le_bytes);
                        let spread = if blocks.parts == 2 { halves(some) } else { quarters(some) };
                        to[4 * j..][..4].copy_from_slice(&spread.to_le_bytes());
                    }
                }
            }
        }
    }
}

/// Eight half bytes: the first four become the lower halves of four bytes.
fn halves(eight: u32) -> u32 {
    let spread = |four: u32| {
        let two = (four | four << 8) & 0x00ff_00ff;
        (two | two << 4) & 0x0f0f_0f0f
    };
    spread(eight & 0xffff) | spread(eight >> 16) << 4
}

/// Sixteen elements of two bits: the first four become the lowest bits of four bytes, and so on.
fn quarters(sixteen: u32) -> u32 {
    let spread = |four: u8| {
        let two = (u32::from(four) | u32::from(four) << 12) & 0x000f_000f;
        (two | two << 6) & 0x0303_0303
    };
    let [a, b, c, d] = sixteen.to_le_bytes().map(spread);
    a | b << 2 | c << 4 | d << 6
}

/// The sum of four signed elements of two bits: the upper bit of each counts −2.
fn sum_of_pairs(four: u8) -> i32 {
    (four & 0x55).count_ones() as i32 - 2 * (four & 0xaa).count_ones() as i32
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty, $v:literal) => {
        Gemm {
            name: $name,
            isa: $isa,
            width: <$t>::LANES * $v,
            by_rows: [tile::<1, $v>, tile::<2, $v>, tile::<4, $v>],
        }
    };
}
pub(crate) use member;

family! {
    Gemm: "u8i4_gemm" {
        fn tile[R: usize, V: usize](product: &Product) { bodies::tile::<T, 2, R, V>(T::new(), product) };
    }
    scalar("_4x8" ScalarDot, 2);
    avx2("_4x16" Avx2Pairs, 2);
    avx512("_4x32" Avx512Pairs, 2);
    vnni256("_4x16" Vnni256Dot, 2);
    avxvnni("_4x16" AvxVnniDot, 2);
    avx512vnni("_4x64" VnniDot, 4);
    neon("_4x8" NeonBytes, 2);
    neondot("_4x16" NeonDot, 4);
}
member_of_table!(Gemm);

#[cfg(test)]
mod tests;
