//! A size by a formula.

use super::bounds::{Bounds, Extent};
use crate::Vendor;

/// `z`: 8, 4 or 2 if it divides the grid's, else its largest divisor up to 8. `x`: half of the grid's. `y`: the rest.
pub(super) fn any(grid: Extent, bounds: &Bounds) -> Extent {
    let z = preferred_divisor(grid[2], bounds.axes[2].min(bounds.total).min(8));
    let plane = bounds.total / z;
    let x = grid[0].div_ceil(2).min(plane).min(bounds.axes[0]);
    let y = (plane / x).min(grid[1]).min(bounds.axes[1]);
    [x, y, z]
}

/// `z`: the largest divisor of the grid's up to 16, on Adreno after 3xx up to 64. `x`: all of the grid's, in a plane of
/// at most 256 work-items over `z`. `y`: the rest, but at most half of the grid's.
pub(super) fn convolution(grid: Extent, bounds: &Bounds, vendor: Vendor) -> Extent {
    let deepest = match vendor {
        Vendor::Adreno(adreno) if !adreno.is_3xx() => 64,
        _ => 16,
    };
    let total = bounds.total.min(256);
    let z = largest_divisor(grid[2], bounds.axes[2].min(total).min(deepest));
    let plane = total / z;
    let x = grid[0].min(plane).min(bounds.axes[0]);
    let y = (plane / x).min(grid[1]).min(bounds.axes[1]);
    let y = if y == grid[1] && y.is_multiple_of(2) { y / 2 } else { y };
    [x, y, z]
}

/// The size, halved along the longest axes until it is within the bounds.
pub(super) fn cut(size: Extent, bounds: &Bounds) -> Extent {
    let mut size = [0, 1, 2].map(|axis| size[axis].min(bounds.axes[axis]));
    while !bounds.allow(size) {
        let longest = if size[1] > size[0] { 1 } else { 0 };
        let longest = if size[2] > size[longest] { 2 } else { longest };
        size[longest] = size[longest].div_ceil(2);
    }
    size
}

fn preferred_divisor(number: u32, most: u32) -> u32 {
    let preferred = [8, 4, 2].into_iter().find(|&n| n <= most && number.is_multiple_of(n));
    preferred.unwrap_or_else(|| largest_divisor(number, most))
}

fn largest_divisor(number: u32, most: u32) -> u32 {
    (1..=most).rev().find(|&n| number.is_multiple_of(n)).unwrap_or(1)
}
