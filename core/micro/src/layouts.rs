//! Sizes and alignments of what lies in an arena and differs between machines: structs, which hold pointers, and states of ops.

use core::cell::Cell;
use core::fmt::{self, Write};
use core::mem::MaybeUninit;

use arenite_abi::host_side::Said;
use arenite_abi::raw::{ArNodeV1, ArQuantizationV1, ArSpan, ArTensorV1};

use crate::graph::{Graph, Slot};
use crate::lives::Life;
use crate::machine::Scales;
use crate::node::{Piece, Prepared};
use crate::ops::{OpRegistration, Ops};
use crate::planned::Planned;
use crate::resources::Resource;

/// Size and alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub size: usize,
    pub align: usize,
}

impl Layout {
    pub const fn of<T>() -> Self {
        Layout { size: size_of::<T>(), align: align_of::<T>() }
    }

    /// Of an op's state on this machine.
    pub fn of_state(op: &OpRegistration) -> Self {
        Layout { size: op.state_size as usize, align: (op.state_align as usize).max(1) }
    }
}

macro_rules! structs {
    ($($name:literal: $of:ty,)*) => {
        /// Every struct's name and layout.
        const STRUCTS: &[(&str, Layout)] = &[$(($name, Layout::of::<$of>()),)*];

        /// The name of a struct; nothing for numbers, which are the same everywhere.
        #[cfg(feature = "alloc")]
        pub(crate) fn name_of<T>() -> Option<&'static str> {
            let this = core::any::type_name::<T>();
            $(if this == core::any::type_name::<$of>() {
                return Some($name);
            })*
            None
        }
    };
}

structs! {
    "Graph": Graph<'static>,
    "Life": Life,
    "Node": MaybeUninit<ArNodeV1>,
    "Piece": Cell<Piece>,
    "Planned": Planned,
    "Prepared": Cell<Prepared<'static>>,
    "Quantization": ArQuantizationV1,
    "Resource": Resource<'static>,
    "Said": Said,
    "Scales": Scales<'static>,
    "Slot": Cell<Slot>,
    "Span": ArSpan,
    "Tensor": ArTensorV1,
}

/// Writes the layouts on this machine, as [`Target`](crate::Target) reads them.
///
/// # Errors
/// Those of `out`.
pub fn write_layouts(out: &mut dyn Write, ops: Ops<'_>) -> fmt::Result {
    for (name, Layout { size, align }) in STRUCTS {
        writeln!(out, "struct {name} {size} {align}")?;
    }
    for op in ops.iter() {
        let (code, version, name) = (op.builtin_code, op.min_version, op.name());
        let Layout { size, align } = Layout::of_state(op);
        writeln!(out, "op {code} {version} \"{name}\" {size} {align}")?;
    }
    Ok(())
}
