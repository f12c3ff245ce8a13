//! Ops with two inputs whose shapes broadcast, and one output.

use core::cell::Cell;

use arenite_abi::prelude::*;

use super::blocks::{self, BLOCK, BlockReader};
use super::broadcast::{Broadcast, broadcast_dims};
use super::indexing::Dims;
use super::node::{self, dims};

/// The results of [`prepare`]: both inputs, and the output's description.
pub struct Operands<'a> {
    /// The first input.
    pub a: TensorView<'a>,
    /// The second input, which has the same type.
    pub b: TensorView<'a>,
    /// The output's description; its shape is still the one in the file.
    pub y: TensorView<'a>,
}

/// Checks that the inputs agree, and sets the output's shape; an output of strings becomes dynamic. Allows the output
/// to overwrite an input of the same shape and element size.
///
/// # Errors
/// The numbers of inputs or outputs are wrong, or the shapes do not broadcast.
pub fn prepare<'a>(node: &NodeView<'a>, cx: &mut PrepareContext<'_>) -> Result<Operands<'a>> {
    // The operands are checked where they stay, because each copy takes stack from small machines.
    let operands = node.binary().map(|(a, b, y)| Operands { a, b, y });
    if let Ok(operands) = &operands {
        operands.set_output(cx)?;
    }
    operands
}

impl Operands<'_> {
    #[inline(never)] // so that its values are on the stack only while it runs
    fn set_output(&self, cx: &mut PrepareContext<'_>) -> Result<()> {
        let Operands { a, b, y } = self;
        node::same_type(a, b)?;
        let output = self.dims()?.2;
        match y.ty.bits() {
            0 => cx.set_output_dynamic(0)?,
            _ => cx.set_output_shape(0, output.as_slice())?,
        }
        for (i, x) in [a, b].into_iter().enumerate() {
            if x.shape == output.as_slice() && x.ty.bits() == y.ty.bits() && y.ty.bits() >= 8 {
                cx.allow_in_place(0, i)?;
            }
        }
        Ok(())
    }

    /// The shapes of both inputs and of the output.
    #[inline(never)] // as `set_output`
    fn dims(&self) -> Result<(Dims, Dims, Dims)> {
        let (a, b) = (dims(&self.a)?, dims(&self.b)?);
        match broadcast_dims([&a, &b]) {
            Some(output) => Ok((a, b, output)),
            None => Err(invalid!(
                "inputs {} {:?} and {} {:?} do not broadcast; sizes must be equal or 1",
                self.a,
                self.a.shape,
                self.b,
                self.b.shape
            )),
        }
    }

    /// The loops over both inputs.
    ///
    /// # Errors
    /// The shapes do not broadcast.
    #[inline(never)] // as `set_output`
    pub fn broadcast(&self) -> Result<Broadcast<2>> {
        let dims = self.dims();
        let (a, b, output) = dims.as_ref().map_err(|&error| error)?;
        Broadcast::onto([a, b], output).ok_or_else(|| invalid!("{} does not broadcast", self.a))
    }
}

/// Computes `y = f(a, b)` for each element of the output.
///
/// # Errors
/// The inputs are not of `X`, or the output is not of `Y`.
pub fn map<X: Element, Y: Element>(
    cx: &EvalContext<'_>,
    broadcast: &Broadcast<2>,
    mut f: impl FnMut(X, X) -> Y,
) -> Result<()> {
    map_indexed(cx, broadcast, |_, a, b| f(a, b))
}

/// Computes `y = f(index, a, b)` for each element of the output.
///
/// # Errors
/// The inputs are not of `X`, or the output is not of `Y`.
pub fn map_indexed<X: Element, Y: Element>(
    cx: &EvalContext<'_>,
    broadcast: &Broadcast<2>,
    mut f: impl FnMut(usize, X, X) -> Y,
) -> Result<()> {
    let (a, b, y) = cells::<X, Y>(cx)?;
    let [a_step, b_step] = broadcast.nest().run_steps();
    let (mut from_a, mut from_b, mut to) = ([X::zeroed(); BLOCK], [X::zeroed(); BLOCK], [Y::zeroed(); BLOCK]);
    broadcast.nest().for_each_run(&mut |out, [ia, ib], length| {
        let (mut a, mut b) = (BlockReader::new(a, ia, a_step), BlockReader::new(b, ib, b_step));
        for (block, y) in y[out..out + length].chunks(BLOCK).enumerate() {
            let (from_a, from_b) = (&mut from_a[..y.len()], &mut from_b[..y.len()]);
            a.read(from_a);
            b.read(from_b);
            for (i, (to, (&a, &b))) in to.iter_mut().zip(from_a.iter().zip(&*from_b)).enumerate() {
                *to = f(out + block * BLOCK + i, a, b);
            }
            blocks::write(y, &to);
        }
    });
    Ok(())
}

/// The elements of both inputs and the cells of the output.
type Cells<'a, X, Y> = (ReadCells<'a, X>, ReadCells<'a, X>, &'a [Cell<Y>]);

fn cells<'a, X: Element, Y: Element>(cx: &'a EvalContext<'_>) -> Result<Cells<'a, X, Y>> {
    Ok((cx.input_cells(0)?, cx.input_cells(1)?, cx.output_cells(0)?))
}

/// Checks that the output has the type of the inputs.
///
/// # Errors
/// The types differ.
pub fn same_type(operands: &Operands<'_>) -> Result<()> {
    let Operands { a, y, .. } = operands;
    ensure!(a.ty == y.ty, "inputs are {}, output {y} is {}; they must agree", a.ty, y.ty);
    Ok(())
}

/// Checks that no element of the second input, the divisor, equals `zero`.
///
/// # Errors
/// An element does; the message names its index.
pub fn nonzero<T: Element + PartialEq>(cx: &EvalContext<'_>, zero: T) -> Result<()> {
    let elements = cx.input_cells::<T>(1)?;
    let mut block = [zero; BLOCK];
    let mut reader = BlockReader::new(elements, 0, 1);
    let found = (0..elements.len()).step_by(BLOCK).find(|at| {
        let block = &mut block[..BLOCK.min(elements.len() - at)];
        reader.read(block);
        block.iter().fold(false, |found, &b| found | (b == zero))
    });
    match found.and_then(|at| Some(at + block.iter().position(|&b| b == zero)?)) {
        Some(i) => Err(invalid!("element {i} of '{}' is a zero divisor", cx.node().input(1)?.name())),
        None => Ok(()),
    }
}
