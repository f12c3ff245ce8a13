//! Places of memory that the host lends for a call.

use std::cell::Cell;

use arenite_abi::prelude::*;

use super::layout::Location;
use crate::memory::Place;

/// The scratch memory of a step.
pub(super) struct StepMemory {
    /// The record, and how many bytes it has.
    pub record: Option<(usize, usize)>,
    /// Where it is in this call.
    pub place: Place,
}

impl StepMemory {
    /// Not placed yet.
    pub(super) fn new(record: Option<usize>, bytes: usize) -> Self {
        StepMemory { record: record.map(|record| (record, bytes)), place: Place::NOWHERE }
    }
}

/// An input of the partition.
struct LentInput {
    number: usize,
    is_variable: bool,
    place: Place,
}

/// The memory that the host lends for a call.
pub(super) struct LentMemory {
    /// The partition's scratch memory.
    pub arena: Place,
    /// The inputs that steps read, by number.
    inputs: Vec<LentInput>,
    /// The net's outputs: first the partition's, then the values that are assigned to variables, in the arena.
    pub outputs: Vec<Place>,
    /// The number of outputs of the partition.
    pub own: usize,
}

impl LentMemory {
    /// Of a net with this number of outputs, all of which are the partition's.
    pub(super) fn new(outputs: usize) -> Self {
        let outputs = vec![Place::NOWHERE; outputs];
        LentMemory { arena: Place::NOWHERE, inputs: Vec::new(), own: outputs.len(), outputs }
    }

    /// Lets the last `count` outputs be values that are assigned to variables.
    pub(super) fn assigns(&mut self, count: usize) {
        self.own = self.outputs.len() - count;
    }

    /// Expects the inputs below `end` that values are.
    pub(super) fn expect(&mut self, places: &[Location], end: usize) {
        let input = |place: &Location| match *place {
            Location::Input(number) => Some((number, false)),
            Location::Variable(number) => Some((number, true)),
            _ => None,
        };
        let mut inputs: Vec<(usize, bool)> = places.iter().filter_map(input).collect();
        inputs.retain(|&(number, _)| number < end);
        inputs.sort_unstable();
        inputs.dedup();
        let lent = |(number, is_variable)| LentInput { number, is_variable, place: Place::NOWHERE };
        self.inputs = inputs.into_iter().map(lent).collect();
    }

    /// Records where the memory of this call is. Returns whether it is where it was in the last call.
    pub(super) fn take(&mut self, cx: &EvalContext<'_>, arena: Place) -> Result<bool> {
        let mut is_same = std::mem::replace(&mut self.arena, arena) == arena;
        for LentInput { number, is_variable, place } in &mut self.inputs {
            let lent = if *is_variable { variable(cx, *number)? } else { input(cx, *number)? };
            is_same &= std::mem::replace(place, lent) == lent;
        }
        for (o, place) in self.outputs[..self.own].iter_mut().enumerate() {
            let lent = writable(cx.output_byte_cells(o)?);
            is_same &= std::mem::replace(place, lent) == lent;
        }
        Ok(is_same)
    }

    /// An error if an input shares memory with an output.
    pub(super) fn expect_apart(&self) -> Result<()> {
        for LentInput { number, place, .. } in &self.inputs {
            if let Some(o) = self.outputs[..self.own].iter().position(|output| place.overlaps(*output)) {
                return Err(Error::new(
                    Status::Internal,
                    format_args!("input {number} of the partition shares memory with its output {o}"),
                ));
            }
        }
        Ok(())
    }

    /// The place of an input.
    pub(super) fn input(&self, number: usize) -> Place {
        let known = self.inputs.iter().find(|input| input.number == number);
        known.map_or(Place::NOWHERE, |input| input.place)
    }

    /// The places of the values that are assigned to variables.
    pub(super) fn assigned(&self) -> &[Place] {
        &self.outputs[self.own..]
    }
}

/// An error unless there is room for a value of the program: it was made for other shapes.
pub(super) fn expect_bytes(what: &str, i: usize, bytes: usize, wanted: usize) -> Result<()> {
    ensure!(
        bytes >= wanted,
        "{what} {i} of the partition has {bytes} bytes, it was prepared for {wanted}; prepare it again"
    );
    Ok(())
}

/// Of memory that steps may write.
pub(super) fn writable(cells: &[Cell<u8>]) -> Place {
    place(cells.as_ptr().cast::<u8>(), cells.len())
}

/// Of input `i`.
pub(super) fn input(cx: &EvalContext<'_>, i: usize) -> Result<Place> {
    let cells = cx.input_byte_cells(i)?;
    expect_aligned(cx, i, place(cells.as_ptr(), cells.len()))
}

/// Of input `i`, which is a variable. All inputs that are variables are looked up as cells, so none is a slice.
pub(super) fn variable(cx: &EvalContext<'_>, i: usize) -> Result<Place> {
    expect_aligned(cx, i, writable(cx.variable_bytes(i)?))
}

/// The place of input `i`, which must be aligned for its elements.
fn expect_aligned(cx: &EvalContext<'_>, i: usize, place: Place) -> Result<Place> {
    if !place.is_aligned(WIDEST) {
        expect_aligned_to(&cx.node().input(i)?, place)?;
    }
    Ok(place)
}

/// The place of a variable's value, which must be aligned for its elements.
pub(super) fn resource(value: &TensorView<'_>) -> Result<Place> {
    let place = place(value.as_ptr(), value.byte_len());
    expect_aligned_to(value, place)?;
    Ok(place)
}

/// A place that is aligned if it is empty.
fn place(at: *const u8, bytes: usize) -> Place {
    if bytes == 0 { Place::NOWHERE } else { Place::of(at.cast_mut(), bytes) }
}

/// An error unless the place of a tensor is aligned for its elements.
fn expect_aligned_to(tensor: &TensorView<'_>, place: Place) -> Result<()> {
    let element = (tensor.ty.bits() as usize / 8).clamp(1, WIDEST).next_power_of_two();
    ensure!(
        place.is_aligned(element),
        "'{}' is {} at {place}, which is not aligned for its elements; run it without the delegate cpu",
        tensor.name(),
        tensor.ty
    );
    Ok(())
}

/// Of constants, which no step writes.
pub(super) fn readable(bytes: &[u8]) -> Place {
    Place::of(bytes.as_ptr().cast_mut(), bytes.len())
}

/// The alignment of the widest element.
const WIDEST: usize = 8;
