//! FLOOR_MOD of `f32`. Integers are left to the reference op, because a divisor of zero is an error for them.
//!
//! Defined by: tflite/kernels/floor_mod.cc.

use arenite_abi::prelude::*;
use arenite_layers::{Node, Source};

use super::typed::{TypedFunction, expect_types, node};
use super::typed_functions::FloorModulo;
use super::typed_loops::two;

/// Lowers the node if it is a FLOOR_MOD of floats.
pub(super) fn lower(x: &Source<'_, '_>) -> Option<Result<Node<TypedFunction>>> {
    let is_remainder = x.node.builtin_code() == op::FLOOR_MOD && x.input(0).ok()?.1.ty == F32;
    is_remainder.then(|| {
        expect_types(x, &[F32, F32], F32)?;
        node(x, "arithmetic", (two::<f32, f32, FloorModulo>(), None), None)
    })
}
