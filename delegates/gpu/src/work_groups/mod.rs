//! The choice of work-group sizes.
//!
//! | tuning | candidates |
//! |---|---|
//! | fast | one, by a formula, see `fast`; convolutions have another formula |
//! | exhaustive | all that divide the grid and have 32 work-items or more, else small ones; they are timed |
//! | fixed | one size for all kernels, 8 × 4 × 1 if none is given, cut to the limits |
//!
//! Defined by: tflite/delegates/gpu/common/task/work_group_picking.cc and common/workgroup_selection.cc, without their
//! divisions by zero, overflows, exceeded limits and duplicates.

pub mod best;
mod bounds;
mod exhaustive;
mod fast;

pub use crate::kernels::Kind;
pub use bounds::{Bounds, Extent, volume};
pub use exhaustive::{Alignment, generate, possible_sizes};

use crate::{GpuInfo, Mali, Vendor};

/// The method that finds sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tuning {
    /// By a formula.
    Fast,
    /// By timing all that fit.
    Exhaustive,
    /// Always this size.
    Fixed(Extent),
}

/// How a work-group was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// By the formula.
    Formula,
    /// By the option.
    Fixed,
    /// The kernel is written for this size.
    Tiles,
    /// No other candidate was found.
    Only,
    /// It was the fastest one.
    Timed,
    /// It was the fastest one when another kernel with the same text and grid was timed.
    Recalled,
}

impl Choice {
    /// How a size without timing was chosen.
    pub fn untimed(tuning: Tuning, kind: Kind) -> Choice {
        match (tuning, kind) {
            (_, Kind::Tiles) => Choice::Tiles,
            (Tuning::Fast, _) => Choice::Formula,
            (Tuning::Fixed(_), _) => Choice::Fixed,
            (Tuning::Exhaustive, _) => Choice::Only,
        }
    }

    /// Its text in facts.
    pub fn text(self) -> &'static str {
        match self {
            Choice::Formula => "by formula",
            Choice::Fixed => "fixed",
            Choice::Tiles => "as the kernel requires",
            Choice::Only => "the only candidate",
            Choice::Timed => "timed",
            Choice::Recalled => "timed before",
        }
    }
}

/// A work-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkGroup {
    /// Its size.
    pub size: Extent,
    /// How it was chosen.
    pub choice: Choice,
}

/// The size of [`Tuning::Fixed`] if none is given.
pub const FIXED: Extent = [8, 4, 1];

/// The work-group of kernels that use tiles in local memory.
pub const TILES: Extent = [8, 8, 1];

impl Tuning {
    /// The method to use on a device: a search takes too long with some drivers of Mali T6xx.
    pub fn on(self, info: &GpuInfo) -> Tuning {
        match (self, info.vendor) {
            (Tuning::Exhaustive, Vendor::Mali(Mali::T6xx)) => Tuning::Fast,
            (asked, _) => asked,
        }
    }
}

/// The candidates, at least one, all within the limits. Without timing, the first one is used. `kernel` is the
/// work-group limit of the compiled kernel.
pub fn candidates(tuning: Tuning, kind: Kind, info: &GpuInfo, kernel: u32, grid: Extent) -> Vec<Extent> {
    let bounds = Bounds::of(info, kernel);
    // An empty grid dispatches nothing, so any size is valid.
    let grid = grid.map(|n| n.max(1));
    match (tuning, kind) {
        (_, Kind::Tiles) => vec![TILES],
        (Tuning::Fast, Kind::Other) => vec![fast::any(grid, &bounds)],
        (Tuning::Fast, Kind::Convolution) => vec![fast::convolution(grid, &bounds, info.vendor)],
        (Tuning::Exhaustive, _) => exhaustive::aligned(grid, &bounds),
        (Tuning::Fixed(size), _) => vec![fast::cut(size.map(|n| n.max(1)), &bounds)],
    }
}

#[cfg(test)]
mod tests;
