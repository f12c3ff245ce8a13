//! Ops with one input and one output of the same shape.

use core::cell::Cell;

use arenite_abi::prelude::*;

use super::blocks::{self, BLOCK, BlockReader};
use super::node;

/// Returns the input and the output of a node with one of each, both of the same type. Sets the output's shape to the
/// input's.
///
/// # Errors
/// The numbers of tensors are wrong, or the types differ.
pub fn prepare<'a>(
    node: &NodeView<'a>,
    cx: &mut PrepareContext<'_>,
) -> Result<(TensorView<'a>, TensorView<'a>)> {
    let (x, y) = prepare_types(node, cx)?;
    node::same_type(&x, &y)?;
    Ok((x, y))
}

/// Like [`prepare`], for types that may differ.
///
/// # Errors
/// The numbers of tensors are wrong.
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

/// Lets the output overwrite an input with larger or smaller elements, for ops that use [`map`] on whole bytes.
///
/// # Errors
/// The host refuses the offer.
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

/// Computes `y = f(x)` for each element.
///
/// # Errors
/// The input is not of `X`, or the output is not of `Y`.
pub fn map<X: Element, Y: Element>(cx: &EvalContext<'_>, mut f: impl FnMut(X) -> Y) -> Result<()> {
    map_indexed(cx, |_, x| f(x))
}

/// Computes `y = f(index, x)` for each element.
///
/// # Errors
/// The input is not of `X`, or the output is not of `Y`.
pub fn map_indexed<X: Element, Y: Element>(
    cx: &EvalContext<'_>,
    mut f: impl FnMut(usize, X) -> Y,
) -> Result<()> {
    let (x, y) = cells::<X, Y>(cx)?;
    let mut x = BlockReader::new(x, 0, 1);
    let (mut from, mut to) = ([X::zeroed(); BLOCK], [Y::zeroed(); BLOCK]);
    for (block, y) in y.chunks(BLOCK).enumerate() {
        let from = &mut from[..y.len()];
        x.read(from);
        for (i, (to, &x)) in to.iter_mut().zip(&*from).enumerate() {
            *to = f(block * BLOCK + i, x);
        }
        blocks::write(y, &to);
    }
    Ok(())
}

/// The elements of the input, and the cells of the output, which must be equally many.
fn cells<'a, X: Element, Y: Element>(cx: &'a EvalContext<'_>) -> Result<(ReadCells<'a, X>, &'a [Cell<Y>])> {
    let (x, y) = (cx.input_cells::<X>(0)?, cx.output_cells::<Y>(0)?);
    let count = x.len().min(y.len());
    Ok((x.range(0..count), &y[..count]))
}

/// Computes `y = f(x)` for each element, until one call fails.
///
/// # Errors
/// The error of `f`.
pub fn try_map<X: Element, Y: Element>(
    cx: &EvalContext<'_>,
    mut f: impl FnMut(X) -> Result<Y>,
) -> Result<()> {
    let (x, y) = cells::<X, Y>(cx)?;
    for (i, y) in y.iter().enumerate() {
        y.set(f(x.get(i))?);
    }
    Ok(())
}
