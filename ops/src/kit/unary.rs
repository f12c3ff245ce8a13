//! Ops with one input and one output of the same shape.

use arenite_abi::prelude::*;

/// The input and the output of a node that has one of each, of the same type. The output gets the input's shape.
pub fn prepare<'a>(
    node: &NodeView<'a>,
    cx: &mut PrepareContext<'_>,
) -> Result<(TensorView<'a>, TensorView<'a>)> {
    let (x, y) = prepare_types(node, cx)?;
    ensure!(x.ty == y.ty, "input '{}' is {}, output '{}' is {}; they must agree", x.name, x.ty, y.name, y.ty);
    Ok((x, y))
}

/// As [`prepare`], where the types may differ.
pub fn prepare_types<'a>(
    node: &NodeView<'a>,
    cx: &mut PrepareContext<'_>,
) -> Result<(TensorView<'a>, TensorView<'a>)> {
    let (x, y) = node.unary()?;
    cx.set_output_shape(0, x.shape)?;
    if x.ty.bits() == y.ty.bits() && x.ty.bits() >= 8 {
        cx.allow_in_place(0, 0)?;
    }
    Ok((x, y))
}

/// Lets the output overwrite an input of larger or smaller elements, for ops that are [`map`] of whole bytes.
pub fn allow_behind(cx: &mut PrepareContext<'_>, x: &TensorView<'_>, y: &TensorView<'_>) -> Result<()> {
    let (from, to) = (x.ty.bits() as usize / 8, y.ty.bits() as usize / 8);
    if from == 0 || to == 0 || from == to {
        return Ok(());
    }
    // Element i of the output ends at (i + 1) × to, and element i + 1 is read next.
    match x.len().checked_sub(1) {
        Some(steps) => cx.allow_behind(0, 0, steps * to.saturating_sub(from)),
        None => Ok(()),
    }
}

/// `y = f(x)` for each element.
pub fn map<X: Element, Y: Element>(cx: &EvalContext<'_>, mut f: impl FnMut(X) -> Y) -> Result<()> {
    map_indexed(cx, |_, x| f(x))
}

/// `y = f(index, x)` for each element.
pub fn map_indexed<X: Element, Y: Element>(
    cx: &EvalContext<'_>,
    mut f: impl FnMut(usize, X) -> Y,
) -> Result<()> {
    let (x, y) = (cx.input_cells::<X>(0)?, cx.output_cells::<Y>(0)?);
    for (i, (y, x)) in y.iter().zip(x.iter()).enumerate() {
        y.set(f(i, x));
    }
    Ok(())
}

/// `y = f(x)` for each element, until one fails.
pub fn try_map<X: Element, Y: Element>(
    cx: &EvalContext<'_>,
    mut f: impl FnMut(X) -> Result<Y>,
) -> Result<()> {
    let (x, y) = (cx.input_cells::<X>(0)?, cx.output_cells::<Y>(0)?);
    for (y, x) in y.iter().zip(x.iter()) {
        y.set(f(x)?);
    }
    Ok(())
}
