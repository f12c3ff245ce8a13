//! Places of memory that the host lends for a call.

use arenite_abi::prelude::*;
use arenite_layers::is_aligned;

use crate::memory::Place;

/// An error unless there is room for a value of the program: it was made for other shapes.
pub(super) fn expect_bytes(what: &str, i: usize, bytes: usize, wanted: usize) -> Result<()> {
    ensure!(
        bytes >= wanted,
        "{what} {i} of the partition has {bytes} bytes, it was prepared for {wanted}; prepare it again"
    );
    Ok(())
}

/// Of memory that the host lends for a call, once.
pub(super) fn writable(bytes: &mut [u8]) -> Place {
    Place::of(bytes.as_mut_ptr(), bytes.len())
}

/// Of input `i`, for a value of this many bytes.
pub(super) fn input(cx: &EvalContext<'_>, i: usize, bytes: usize) -> Result<Place> {
    let mut input = cx.input_bytes(i)?;
    if input.as_ptr().align_offset(WIDEST) != 0 {
        input = aligned(&cx.input(i)?)?;
    }
    expect_bytes("input", i, input.len(), bytes)?;
    Ok(readable(input).part(0, bytes))
}

/// Of input `i`, which is a variable. All inputs that are variables are looked up as cells, so none is a slice.
pub(super) fn variable(cx: &EvalContext<'_>, i: usize) -> Result<Place> {
    let cells = cx.variable_bytes(i)?;
    if cells.as_ptr().align_offset(WIDEST) != 0 {
        let tensor = cx.node().input(i)?;
        let element = (tensor.ty.bits() as usize / 8).max(1);
        ensure!(
            cells.as_ptr().addr().is_multiple_of(element),
            "variable '{}' is {} at address {:p}, which is not aligned for its elements; run it without the delegate cpu",
            tensor.name(),
            tensor.ty,
            cells.as_ptr()
        );
    }
    Ok(Place::of(cells.as_ptr().cast::<u8>().cast_mut(), cells.len()))
}

/// Of inputs and constants, which no step writes.
pub(super) fn readable(bytes: &[u8]) -> Place {
    Place::of(bytes.as_ptr().cast_mut(), bytes.len())
}

/// Bytes of the widest element.
pub(super) const WIDEST: usize = 16;

/// The bytes of a tensor, which must be aligned to its elements.
pub(super) fn aligned<'a>(tensor: &TensorView<'a>) -> Result<&'a [u8]> {
    ensure!(
        is_aligned(tensor),
        "'{}' is {} at address {:p}, which is not aligned for its elements; run it without the delegate cpu",
        tensor.name(),
        tensor.ty,
        tensor.as_ptr()
    );
    Ok(tensor.bytes())
}
