//! Sizes of work-groups and grids, and their limits.

use crate::GpuInfo;

/// Work-items along x, y and z.
pub type Extent = [u32; 3];

/// The limits of a work-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The most work-items along each axis.
    pub axes: Extent,
    /// The most work-items in total.
    pub total: u32,
}

impl Bounds {
    /// The limits of a kernel that supports `kernel` work-items on this device; each is at least 1.
    pub fn of(info: &GpuInfo, kernel: u32) -> Bounds {
        Bounds { axes: info.axes.map(|most| most.max(1)), total: kernel.min(info.total).max(1) }
    }

    /// Whether a work-group is within the limits.
    pub fn allow(&self, size: Extent) -> bool {
        let within = size.iter().zip(self.axes).all(|(&size, most)| size > 0 && size <= most);
        within && volume(size) <= u128::from(self.total)
    }
}

/// The number of work-items.
pub fn volume(size: Extent) -> u128 {
    size.iter().map(|&n| u128::from(n)).product()
}
