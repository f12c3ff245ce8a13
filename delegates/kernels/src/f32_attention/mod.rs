//! Attention of `f32`: products of a few rows with keys and values that stay where they are.
//!
//! ```text
//! dots   c[r][j] = Σ a[r][k] · b[j][k]      rows of b are contiguous along k, which is summed over
//! mix    c[r][j] = Σ a[r][k] · b[k][j]      rows of b are contiguous along j
//! ```

mod body;
#[cfg(test)]
mod tests;

use arenite_base::Clamp;

use crate::isa::Isa;
use crate::simd::*;

/// The rows of a [`Tile`] for [`Attention::dots`] and [`Attention::mix`].
pub const ROWS: usize = 4;

/// A score is hidden where its mask is less than this: −∞, the lowest number, and −10⁹, which programs write instead.
/// `exp` of such a score is 0.
pub const HIDDEN: f32 = -9.9e8;

/// Products of some rows with a matrix.
pub struct Tile {
    /// Rows of `depth` elements. Several may be the same.
    pub a: [*const f32; ROWS],
    /// Rows of results, `columns` elements each; the same where rows of `a` are.
    pub c: [*mut f32; ROWS],
    /// The matrix.
    pub b: *const f32,
    /// The distance between its rows.
    pub b_row: usize,
    /// The number of products in a sum.
    pub depth: usize,
    /// The number of results per row.
    pub columns: usize,
    /// Whether products are added to `c`. Only `mix` reads this.
    pub adds: bool,
}

/// Computes a tile.
pub type TileFn = unsafe fn(&Tile);
/// `(n, x, scale, mask, clamp)`: `x[i] = x[i] · scale + mask[i]`, clamped. NaN stays NaN.
pub type ShiftFn = unsafe fn(usize, *mut f32, f32, *const f32, Clamp);
/// `(n, mask)`: the first position that is not [hidden](HIDDEN), and the end of the last one; `n` and 0 if all are.
/// NaN is not hidden.
pub type VisibleFn = unsafe fn(usize, *const f32) -> (usize, usize);

/// `(rows, columns, matrix, distance between rows)`: starts to load a matrix into the second-level cache.
pub type FetchFn = unsafe fn(usize, usize, *const f32, usize);

/// The family for one instruction set. All its functions are unsafe to call: the machine must have the instructions,
/// sources must be readable and targets writable, and targets must not overlap sources.
#[non_exhaustive]
pub struct Attention {
    /// The name, such as `f32_attention__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// The dot products of [`ROWS`] rows with the rows of the matrix.
    pub dots: TileFn,
    /// The same of row 0 alone.
    pub dots_of_one: TileFn,
    /// The sums of the rows of the matrix, weighted by each of [`ROWS`] rows.
    pub mix: TileFn,
    /// The same of row 0 alone.
    pub mix_of_one: TileFn,
    /// Scales scores, adds the mask, and clamps the sums.
    pub shift: ShiftFn,
    /// Finds the range of positions that are visible.
    pub visible: VisibleFn,
    /// Fetches a matrix that is used soon. Reads nothing.
    pub fetch: FetchFn,
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Attention {
            name: $name,
            isa: $isa,
            dots: dots::<ROWS>,
            dots_of_one: dots::<1>,
            mix: mix::<ROWS>,
            mix_of_one: mix::<1>,
            shift,
            visible,
            fetch,
        }
    };
}

family! {
    Attention: "f32_attention" {
        fn dots[R: usize](tile: &Tile);
        fn mix[R: usize](tile: &Tile);
        fn shift(n: usize, x: *mut f32, scale: f32, mask: *const f32, clamp: Clamp);
        fn visible(n: usize, mask: *const f32) -> (usize, usize);
        fn fetch(rows: usize, columns: usize, b: *const f32, b_row: usize);
    }
    vectors
}
member_of_table!(Attention);
