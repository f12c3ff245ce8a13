//! DEQUANTIZE and CAST of half-precision numbers to `f32`.

use arenite_abi::prelude::*;
use arenite_layers::{Node, Source};

use super::typed::{TypedFunction, expect_types, node};
use crate::isa::Isa;
use crate::kernels::widen::Widen;
use crate::steps::typed_map::ElementFn;

/// Lowers the node if it converts half-precision numbers that are not constant; layers read constant ones themselves.
pub(super) fn lower(x: &Source<'_, '_>) -> Option<Result<Node<TypedFunction>>> {
    let ((_, from), (_, to)) = (x.input(0).ok()?, x.output(0).ok()?);
    let converts =
        matches!(x.node.builtin_code(), op::DEQUANTIZE | op::CAST) && (from.ty, to.ty) == (F16, F32);
    (converts && from.constant.is_none()).then(|| conversion(x))
}

fn conversion(x: &Source<'_, '_>) -> Result<Node<TypedFunction>> {
    expect_types(x, &[F16], F32)?;
    let ((_, from), (_, to)) = (x.input(0)?, x.output(0)?);
    ensure!(from.len() == to.len(), "input has shape {:?}, output {:?}", from.shape, to.shape);
    let mut node = node(x, "halves", (element_fn(Isa::SCALAR), None), Some(to.shape.clone()))?;
    node.layer.by_isa = Some(element_fn);
    Ok(node)
}

fn element_fn(isa: Isa) -> ElementFn {
    // SAFETY: these kernels read numbers of 2 bytes and write `f32`, of any bits, and `Widen::select` returned a member
    // that the machine can run.
    unsafe { ElementFn::new(Widen::select(isa).widen, [2, 0, 0], 4) }
}
