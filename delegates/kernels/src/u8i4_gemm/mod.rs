//! Products of rows of `u8` with packed weights of four bits, which have a scale for each block of a column. They stay
//! four bits wide in memory.
//!
//! ```text
//! panel of `width` columns, block after block:
//!   ┌ a scale per column ┬ 8 lines of all columns ┬ 8 lines ┬ … ┐        eight lines of a column are four bytes:
//!   └────────────────────┴────────────────────────┴─────────┴───┘        lines 0‥3 in their lower halves, 4‥7 in the upper
//! c[r][j] = clamp(bias[j] + Σ_block (Σ_i (a[r][i] − zero[r]) · w[i][j]) · (scale[r] · scale[block][j]))
//! ```
//! Sums over lines are integers. Each operation on reals rounds once, and blocks are added in order, as in the
//! reference op.

mod body;

use arenite_base::Clamp;

use crate::isa::Isa;
use crate::rescale::QuantizedRow;
use crate::simd::dot::*;

/// Lines of a column that are packed into four bytes.
pub const LINES: usize = 8;
/// The most lines of a block: its sums, 16 times as large, fit 32 bits.
pub const LONGEST: usize = 1 << 16;

/// How the lines of a column are cut into blocks.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// The number of blocks.
    pub count: usize,
    /// Lines of a block.
    pub lines: usize,
}

impl Blocks {
    /// Whether there are kernels for such blocks.
    pub fn are_supported(self) -> bool {
        self.lines > 0 && self.lines.is_multiple_of(LINES) && self.lines <= LONGEST
    }

    /// Lines of a column.
    pub fn depth(self) -> usize {
        self.count * self.lines
    }

    /// Bytes of a panel per column.
    pub fn column_bytes(self) -> usize {
        self.count * (size_of::<f32>() + self.lines / 2)
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
type Microkernel = unsafe fn(&Product);

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
    by_rows: [Microkernel; 3],
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

    /// Packs `rows`, which has the lines of each column in half bytes, the first one in the lower half. There must be
    /// [`packed_len`](Self::packed_len) bytes of zeros.
    pub fn pack(
        &self,
        blocks: Blocks,
        columns: usize,
        rows: &[u8],
        scale: impl Fn(usize, usize) -> f32,
        packed: &mut [u8],
    ) {
        let (width, row) = (self.width, blocks.depth() / 2);
        let panels = packed.chunks_exact_mut(width * blocks.column_bytes());
        for (from, panel) in (0..columns).step_by(width).zip(panels) {
            for (k, block) in panel.chunks_exact_mut(width * (4 + blocks.lines / 2)).enumerate() {
                let (scales, lines) = block.split_at_mut(4 * width);
                for j in 0..width.min(columns - from) {
                    let column = &rows[(from + j) * row + k * blocks.lines / 2..][..blocks.lines / 2];
                    scales[4 * j..][..4].copy_from_slice(&scale(from + j, k).to_ne_bytes());
                    for (eight, to) in column.chunks_exact(4).zip(lines.chunks_exact_mut(4 * width)) {
                        let four = <[u8; 4]>::try_from(eight).map_or(0, u32::from_le_bytes);
                        let spread = halves(four as u16) | halves((four >> 16) as u16) << 4;
                        to[4 * j..][..4].copy_from_slice(&spread.to_le_bytes());
                    }
                }
            }
        }
    }
}

/// The four half bytes as the lower halves of four bytes.
fn halves(four: u16) -> u32 {
    let two = (u32::from(four) | u32::from(four) << 8) & 0x00ff_00ff;
    (two | two << 4) & 0x0f0f_0f0f
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

family! {
    Gemm: "u8i4_gemm" {
        fn tile[R: usize, V: usize](product: &Product);
    }
    scalar("_4x8" ScalarDot, 2);
    avx2("_4x16" Avx2Dot, 2);
    avx512("_4x32" Avx512Dot, 2);
    vnni256("_4x16" Vnni256Dot, 2);
    avxvnni("_4x16" AvxVnniDot, 2);
    avx512vnni("_4x64" VnniDot, 4);
    neon("_4x8" NeonBytes, 2);
    neondot("_4x16" NeonDot, 4);
}
member_of_table!(Gemm);

#[cfg(test)]
mod tests;
