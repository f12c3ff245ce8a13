//! Verifies the order of reads and writes in a subgraph: every tensor has one definition, and none is read before it. A
//! variable keeps its value between invocations, so it may be read before it is written, and written several times.
//!
//! `origin[t]` records how tensor `t` is defined. A first walk over the operators records the producers, a second one
//! checks each read against them.

use super::check::{Check, check_index};
use crate::buffers::file_range;
use crate::detail::detail;
use crate::error::{Definition, ModelError};
use crate::model::Model;
use crate::path::Path;
use crate::schema::{List, ModelTable, Operator, SubGraph};

/// Values of `origin` that are not operator indices.
const UNDEFINED: u32 = u32::MAX;
const CONSTANT: u32 = u32::MAX - 1;
const INPUT: u32 = u32::MAX - 2;
const VARIABLE: u32 = u32::MAX - 3;
/// Bit set in the index of a variable's last producer. No file is large enough for that many operators.
const WRITTEN_VARIABLE: u32 = 1 << 31;
/// A tensor without elements: a constant without data, unless an operator writes it.
const EMPTY: u32 = u32::MAX - 4;

/// Verifies inputs, outputs and operators of one subgraph. `scratch` has one entry per tensor.
pub(super) fn verify(model: Model<'_>, graph: SubGraph<'_>, path: Path, scratch: &mut [u32]) -> Check {
    let count = graph.tensors().len();
    let origin =
        scratch.get_mut(..count).ok_or(ModelError::ScratchTooSmall { given: detail(0), needed: count })?;
    for (origin, tensor) in origin.iter_mut().zip(graph.tensors()) {
        *origin = match model.constant(&tensor) {
            Some(_) => CONSTANT,
            None if tensor.is_variable() => VARIABLE,
            None if tensor.element_count() == Some(0) => EMPTY,
            None => UNDEFINED,
        };
    }
    for (index, tensor) in graph.inputs().iter().enumerate() {
        let at = || path.entry("inputs", index);
        let tensor = check_index(i64::from(tensor), count, "tensor", "subgraph", at)?;
        // An input that is a variable may also be written. It keeps the new value until the caller sets another.
        if origin.get(tensor) != Some(&VARIABLE) {
            set(origin, tensor, INPUT);
        }
    }
    for (index, operator) in graph.operators().iter().enumerate() {
        note_outputs(operator, index, origin, path)?;
    }
    for (index, operator) in graph.operators().iter().enumerate() {
        let path = path.entry("operators", index);
        attributes(model.root, operator, path)?;
        reads(operator, index, origin, path)?;
    }
    for (index, tensor) in graph.outputs().iter().enumerate() {
        let at = || path.entry("outputs", index);
        let tensor = check_index(i64::from(tensor), count, "tensor", "subgraph", at)?;
        if origin.get(tensor) == Some(&UNDEFINED) {
            return Err(ModelError::NeverWritten { path: at(), tensor: detail(tensor) });
        }
    }
    Ok(())
}

fn set(origin: &mut [u32], tensor: usize, value: u32) {
    if let Some(entry) = origin.get_mut(tensor) {
        *entry = value;
    }
}

/// Records the operator as the producer of its outputs.
fn note_outputs(operator: Operator<'_>, index: usize, origin: &mut [u32], path: Path) -> Check {
    for (slot, tensor) in present(operator.outputs()) {
        let at = || path.entry("operators", index).entry("outputs", slot);
        let tensor = check_index(tensor, origin.len(), "tensor", "subgraph", at)?;
        let producer = u32::try_from(index).unwrap_or(CONSTANT);
        let by = match origin.get(tensor) {
            Some(&CONSTANT) => Definition::Constant,
            Some(&INPUT) => Definition::Input,
            // Several operators may write a variable.
            Some(&last @ (VARIABLE | WRITTEN_VARIABLE..EMPTY)) if last != producer | WRITTEN_VARIABLE => {
                set(origin, tensor, producer | WRITTEN_VARIABLE);
                continue;
            }
            Some(&(UNDEFINED | EMPTY)) | None => {
                set(origin, tensor, producer);
                continue;
            }
            Some(&first) => Definition::Operator((first & !WRITTEN_VARIABLE) as usize),
        };
        return Err(ModelError::WrittenTwice { path: at(), tensor: detail(tensor), by: detail(by) });
    }
    Ok(())
}

/// Checks each read against the tensor's definition.
fn reads(operator: Operator<'_>, index: usize, origin: &[u32], path: Path) -> Check {
    for (slot, tensor) in present(operator.inputs()) {
        let at = || path.entry("inputs", slot);
        let tensor = check_index(tensor, origin.len(), "tensor", "subgraph", at)?;
        match origin.get(tensor) {
            Some(&UNDEFINED) => return Err(ModelError::NeverWritten { path: at(), tensor: detail(tensor) }),
            Some(&(CONSTANT | INPUT | VARIABLE | EMPTY)) | None => {}
            Some(&producer) if producer & WRITTEN_VARIABLE != 0 || (producer as usize) < index => {}
            Some(&producer) => {
                return Err(ModelError::ReadBeforeWrite {
                    path: at(),
                    tensor: detail(tensor),
                    producer: detail(producer as usize),
                });
            }
        }
    }
    for (slot, tensor) in present(operator.intermediates()) {
        let at = || path.entry("intermediates", slot);
        check_index(tensor, origin.len(), "tensor", "subgraph", at)?;
    }
    Ok(())
}

/// Positions and tensor indices of a list, without absent entries (−1).
fn present<'a>(list: List<'a, i32>) -> impl Iterator<Item = (usize, i64)> + use<'a> {
    let entries = list.iter().enumerate().map(|(slot, tensor)| (slot, i64::from(tensor)));
    entries.filter(|&(_, tensor)| tensor != -1)
}

/// Verifies the operator's own fields.
fn attributes(root: ModelTable<'_>, operator: Operator<'_>, path: Path) -> Check {
    let codes = root.operator_codes().len();
    let at = || path.field("opcode_index");
    check_index(i64::from(operator.opcode_index()), codes, "operator code", "model", at)?;
    let (offset, size) = (operator.large_custom_options_offset(), operator.large_custom_options_size());
    if offset > 1 && file_range(root.bytes(), offset, size).is_none() {
        let path = path.field("large_custom_options_offset");
        return Err(ModelError::FileRange {
            path,
            offset: detail(offset),
            size: detail(size),
            file: detail(root.bytes().len()),
        });
    }
    let (mutating, inputs) = (operator.mutating_variable_inputs().len(), operator.inputs().len());
    if mutating != 0 && mutating != inputs {
        let path = path.field("mutating_variable_inputs");
        let because = "one per input";
        return Err(ModelError::Length {
            path,
            found: detail(mutating),
            expected: detail(inputs),
            because: detail(because),
        });
    }
    Ok(())
}
