//! POW of `f32`.
//!
//! Defined by: tflite/kernels/pow.cc.

use arenite_abi::prelude::*;
use arenite_layers::{Node, Source};

use super::typed::{TypedFunction, expect_types, node};
use crate::isa::Isa;
use crate::kernels::f32_pow::{ElementKernel, Powers};
use crate::steps::typed_map::ElementFn;

/// Lowers the node if it is a POW of floats. If a whole tensor is raised to one exponent, a special kernel does that.
pub(super) fn lower(x: &Source<'_, '_>) -> Option<Result<Node<TypedFunction>>> {
    let is_pow = x.node.builtin_code() == op::POW && x.input(0).ok()?.1.ty == F32;
    is_pow.then(|| power(x))
}

fn power(x: &Source<'_, '_>) -> Result<Node<TypedFunction>> {
    expect_types(x, &[F32, F32], F32)?;
    let ((_, a), (_, b)) = (x.input(0)?, x.input(1)?);
    let by_isa: fn(Isa) -> ElementFn = match b.len() == 1 && a.shape != b.shape {
        true => |isa| element_fn(Powers::select(isa).pow_by_one),
        false => |isa| element_fn(Powers::select(isa).pow),
    };
    let mut node = node(x, "power", (by_isa(Isa::SCALAR), None), None)?;
    node.layer.by_isa = Some(by_isa);
    Ok(node)
}

fn element_fn(kernel: ElementKernel) -> ElementFn {
    // SAFETY: these kernels read and write `f32`, of any bits, and `Powers::select` returned a member that the machine
    // can run. The second operand of `pow_by_one` has one element, as checked.
    unsafe { ElementFn::new(kernel, [4, 4, 0], 4) }
}
