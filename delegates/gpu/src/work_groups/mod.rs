//! Sizes of work-groups.
//!
//! | tuning | candidates |
//! |---|---|
//! | fast | one, by a formula, see `fast`; convolutions have a formula of their own |
//! | exhaustive | all that divide the grid and have 32 work-items or more, else small ones; they are timed, see `best` |
//! | fixed | 8 × 4 × 1, cut to the limits |
//!
//! Defined by: tflite/delegates/gpu/common/task/work_group_picking.cc and common/workgroup_selection.cc. Where their formulas divide
//! by zero, overflow, pass over a limit or name a size twice, these do not; elsewhere sizes are theirs.

pub mod best;
mod exhaustive;
mod fast;

pub use exhaustive::{Alignment, generate, possible_sizes};

use crate::{GpuInfo, Mali, Vendor};

/// Work-items along x, y and z.
pub type Extent = [u32; 3];

/// How sizes are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tuning {
    /// By a formula.
    Fast,
    /// By timing all that fit.
    Exhaustive,
    /// Always the same.
    Fixed,
}

/// What is dispatched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A convolution, whose work-items of a column share weights.
    Convolution,
    /// A kernel that is written for work-groups of one size: see [`TILES`].
    Tiles,
    /// Anything else.
    Other,
}

/// The work-group of kernels that share tiles of local memory.
pub const TILES: Extent = [8, 8, 1];

/// What a work-group may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Most work-items along each axis.
    pub axes: Extent,
    /// Most work-items.
    pub total: u32,
}

impl Bounds {
    /// For a kernel that can have so many work-items on this device; none is below 1.
    pub fn of(info: &GpuInfo, kernel: u32) -> Bounds {
        Bounds { axes: info.axes.map(|most| most.max(1)), total: kernel.min(info.total).max(1) }
    }

    /// Whether such a work-group can run.
    pub fn allow(&self, size: Extent) -> bool {
        let within = size.iter().zip(self.axes).all(|(&size, most)| size > 0 && size <= most);
        within && volume(size) <= u128::from(self.total)
    }
}

/// Work-items of an extent.
pub fn volume(size: Extent) -> u128 {
    size.iter().map(|&n| u128::from(n)).product()
}

impl Tuning {
    /// What is used on a device where `asked` is wanted: some drivers of Mali T6xx take too long for a search.
    pub fn on(self, info: &GpuInfo) -> Tuning {
        match (self, info.vendor) {
            (Tuning::Exhaustive, Vendor::Mali(Mali::T6xx)) => Tuning::Fast,
            (asked, _) => asked,
        }
    }
}

/// The sizes to choose from, at least one, each within the bounds; best is the first where nothing is timed. `kernel` is the number
/// of work-items that the compiled kernel can have.
pub fn candidates(tuning: Tuning, kind: Kind, info: &GpuInfo, kernel: u32, grid: Extent) -> Vec<Extent> {
    let bounds = Bounds::of(info, kernel);
    // Nothing is dispatched for an empty grid, and any size will do.
    let grid = grid.map(|n| n.max(1));
    match (tuning, kind) {
        (_, Kind::Tiles) => vec![TILES],
        (Tuning::Fast, Kind::Other) => vec![fast::any(grid, &bounds)],
        (Tuning::Fast, Kind::Convolution) => vec![fast::convolution(grid, &bounds, info.vendor)],
        (Tuning::Exhaustive, _) => exhaustive::aligned(grid, &bounds),
        (Tuning::Fixed, _) => vec![fast::cut([8, 4, 1], &bounds)],
    }
}

#[cfg(test)]
mod tests;
