//! Sizes and alignments that differ between machines: structs with pointers, and states of ops.

use core::cell::Cell;
use core::fmt::{self, Write};
use core::mem::MaybeUninit;

use arenite_abi::host_side::Declaration;
use arenite_abi::raw::{ArNodeV1, ArQuantizationV1, ArSpan, ArTensorV1};

use crate::arena::Layout;
use crate::model::graph::{Graph, Scales, Slot};
use crate::model::life::Life;
use crate::model::node::{NodeRecord, Piece};
use crate::model::resources::Resource;
use crate::ops::Ops;
use crate::phases::buffer::PlannedBuffer;
use crate::work::requests::Request;

macro_rules! structs {
    ($($name:literal: $of:ty,)*) => {
        /// Name and layout of every struct in an arena.
        const STRUCTS: &[(&str, Layout)] = &[$(($name, Layout::of::<$of>()),)*];

        /// The name in this table of the type called `type_name`; `None` for numbers, whose layout is the same on every
        /// machine.
        #[cfg(feature = "alloc")]
        pub(crate) fn name_of(type_name: &str) -> Option<&'static str> {
            $(if type_name == core::any::type_name::<$of>() {
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
    "NodeRecord": Cell<NodeRecord<'static>>,
    "Piece": Cell<Piece>,
    "PlannedBuffer": PlannedBuffer,
    "Quantization": ArQuantizationV1,
    "Request": Request,
    "Resource": Resource<'static>,
    "Declaration": Declaration,
    "Scales": Scales<'static>,
    "Slot": Cell<Slot>,
    "Span": ArSpan,
    "Tensor": ArTensorV1,
}

/// Writes this machine's layouts, in the format of [`Target`](crate::Target).
///
/// # Errors
/// Errors of `out`.
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
