//! `Layout`: the size and alignment of an item in an arena.

use arenite_abi::op::Registration as OpRegistration;

/// Alignment of the arena and of planned buffers, as in TensorFlow Lite Micro.
pub(crate) const ALIGNMENT: usize = 16;

/// Size and alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub size: usize,
    pub align: usize,
}

impl Layout {
    pub(crate) const fn of<T>() -> Self {
        Layout { size: size_of::<T>(), align: align_of::<T>() }
    }

    /// The layout of an op's state on this machine.
    pub(crate) fn of_state(op: &OpRegistration) -> Self {
        Layout { size: op.state_size as usize, align: (op.state_align as usize).max(1) }
    }
}
