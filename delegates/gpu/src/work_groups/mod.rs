//! The choice of work-group sizes.
//!
//! | tuning | candidates |
//! |---|---|
//! | fast | one, by a formula, see `fast`; convolutions have another formula |
//! | exhaustive | all that divide the grid and have 32 work-items or more, else small ones; of these only whole waves, if there are any, else also whole waves that exceed the grid; they are timed |
//! | fixed | one size for all kernels, 8 × 4 × 1 if none is given, cut to the limits |
//!
//! Registers and private memory limit the work-group of a kernel: OpenCL drivers report that limit per kernel. Vulkan
//! has no such query; its drivers support the device's limit for every kernel. Apple's devices use these rules, too:
//! TensorFlow Lite's own rules for them belong to its kernels in Metal.
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

/// The limits that the driver reports for a compiled kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelLimits {
    /// The most work-items of a work-group.
    pub most: u32,
    /// Work-items of a wave; 1 if it is unknown.
    pub wave: u32,
}

/// The candidates, at least one, all within the limits. Without timing, the first one is used.
pub fn candidates(
    tuning: Tuning,
    kind: Kind,
    info: &GpuInfo,
    kernel: KernelLimits,
    grid: Extent,
) -> Vec<Extent> {
    let bounds = Bounds::of(info, kernel.most);
    // An empty grid dispatches nothing, so any size is valid.
    let grid = grid.map(|n| n.max(1));
    match (tuning, kind) {
        (_, Kind::Tiles) => vec![TILES],
        (Tuning::Fast, Kind::Other) => vec![fast::any(grid, &bounds)],
        (Tuning::Fast, Kind::Slices) => vec![slices_last(grid, &bounds, fast::any)],
        (Tuning::Fast, Kind::Convolution) => {
            vec![slices_last(grid, &bounds, |grid, bounds| fast::convolution(grid, bounds, info.vendor))]
        }
        (Tuning::Exhaustive, _) => exhaustive::search(grid, &bounds, kernel.wave),
        (Tuning::Fixed(size), _) => vec![fast::cut(size.map(|n| n.max(1)), &bounds)],
    }
}

/// Applies a formula whose axes are columns, rows and slices to a grid of slices, columns and rows.
fn slices_last(grid: Extent, bounds: &Bounds, formula: impl Fn(Extent, &Bounds) -> Extent) -> Extent {
    let turned = |[slices, columns, rows]: Extent| [columns, rows, slices];
    let [columns, rows, slices] = formula(turned(grid), &Bounds { axes: turned(bounds.axes), ..*bounds });
    [slices, columns, rows]
}

#[cfg(test)]
mod tests;
