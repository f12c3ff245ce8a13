//! Sets of axes.

use super::{MAX_RANK, normalize_axis};

arenite_abi::plain! {
    /// A set of axes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Axes(u8);
}

impl Axes {
    /// The axes of a list; negative ones count from the end, repeated ones count once. With rank 0 the list is ignored.
    /// `None` for an axis that does not exist.
    pub fn new(list: &[i32], rank: usize) -> Option<Axes> {
        if rank == 0 {
            return Some(Axes(0));
        }
        list.iter().try_fold(Axes(0), |set, &axis| {
            let bit = 1u8.checked_shl(normalize_axis(axis, rank)? as u32)?;
            Some(Axes(set.0 | bit))
        })
    }

    /// Whether the set contains the axis.
    #[inline]
    pub fn contains(self, axis: usize) -> bool {
        axis < MAX_RANK && self.0 & (1 << axis) != 0
    }
}
