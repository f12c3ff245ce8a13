//! Building a subgraph: one slot per tensor. Constants that cannot be used in place are copied, sparse ones are
//! expanded, and variables get memory.

use core::cell::Cell;

use arenite_abi::ElementType;
use arenite_abi::host_side::MAX_RANK;
use arenite_abi::raw::{TENSOR_CONSTANT, TENSOR_VARIABLE};
use arenite_abi::tensor::element_count;
use arenite_model::{BlockwiseQuantization, QuantizationDetails, SparsityParameters, Tensor, detail};

use super::graph::{Graph, ScaleSource, Scales, Slot, Stage, element_type, in_file, size_of_elements};
use super::machine::Machine;
use super::node::NodeRecord;
use crate::arena::{ALIGNMENT, Arena, Category};
use crate::error::{Error, Result};

/// Creates the slots and node records of `graph`, unless they exist.
#[inline(never)] // so that its values are on the stack only while it runs
pub(crate) fn build<'a>(machine: &Machine<'a>, graph: &Graph<'a>, arena: &Arena<'a>) -> Result<()> {
    if graph.stage.get() != Stage::Unbuilt {
        return Ok(());
    }
    let (tensors, operators) = (graph.subgraph.tensors(), graph.subgraph.operators());
    graph.slots.set(arena.persistent(tensors.len(), Category::Tensors, |_| Cell::new(Slot::NONE))?);
    graph
        .nodes
        .set(arena.persistent(operators.len(), Category::Nodes, |_| Cell::new(NodeRecord::UNPREPARED))?);
    let builder = Builder { machine, graph, arena };
    for (t, tensor) in tensors.iter().enumerate() {
        graph.set_slot(t, builder.create_slot(t, &tensor)?);
    }
    for t in graph.subgraph.inputs().iter().filter_map(|t| usize::try_from(t).ok()) {
        let bytes = graph.bytes(machine.model, t);
        if graph.slot(t).data.is_null() && bytes > arena.room() {
            return Err(arena.too_small(bytes));
        }
    }
    reset_variables(graph);
    graph.stage.set(Stage::Built);
    Ok(())
}

struct Builder<'b, 'a> {
    machine: &'b Machine<'a>,
    graph: &'b Graph<'a>,
    arena: &'b Arena<'a>,
}

impl<'a> Builder<'_, 'a> {
    /// The error for tensor `t`.
    fn refusal(&self, t: usize, reason: &'static str) -> Error {
        Error::Tensor { subgraph: detail(self.graph.index), tensor: detail(t), reason: detail(reason) }
    }

    #[inline(never)] // so that its values are on the stack only while it runs
    fn create_slot(&self, t: usize, tensor: &Tensor<'a>) -> Result<Slot> {
        let refuse = |reason| Err(self.refusal(t, reason));
        let shape = tensor.shape();
        if shape.len() > MAX_RANK {
            return refuse("its rank exceeds 8");
        }
        let dims: *const i32 = match in_file::<i32>(shape.bytes()) {
            Some(dims) => dims.as_ptr(),
            None => {
                self.arena.persistent(shape.len(), Category::Shapes, |d| shape.get(d).unwrap_or(0))?.as_ptr()
            }
        };
        let mut slot = Slot {
            dims,
            rank: shape.len() as u8,
            type_code: element_type(tensor) as u8,
            scaled: self.find_scales(t, tensor)?,
            ..Slot::NONE
        };
        if let Some(stored) = self.constant(t, tensor) {
            slot.flags = TENSOR_CONSTANT as u8;
            slot.data = match tensor.sparsity() {
                None => self.place(stored, element_type(tensor))?,
                Some(sparsity) => match self.expand(stored, &sparsity, tensor, &slot)? {
                    Some(data) => data,
                    None => return refuse("its sparse values are smaller than a byte"),
                },
            };
        } else if tensor.is_variable() {
            slot.flags = TENSOR_VARIABLE as u8;
            let bytes = slot.bytes().unwrap_or(0);
            slot.data = self.arena.persistent_bytes(bytes, ALIGNMENT, Category::Variables)?.as_ptr();
        }
        Ok(slot)
    }

    /// The value in the file. A tensor without elements that no node writes is a constant without data.
    fn constant(&self, t: usize, tensor: &Tensor<'a>) -> Option<&'a [u8]> {
        let subgraph = &self.graph.subgraph;
        let named = |list: arenite_model::List<'_, i32>| list.iter().any(|other| other == t as i32);
        let written = || {
            named(subgraph.inputs()) || subgraph.operators().iter().any(|operator| named(operator.outputs()))
        };
        let empty = || tensor.element_count() == Some(0) && !tensor.is_variable() && !written();
        self.machine.model.constant(tensor).or_else(|| empty().then_some(&[][..]))
    }

    /// The address of a constant: in the file, or in a copy if it is misaligned in the file.
    fn place(&self, constant: &[u8], ty: ElementType) -> Result<*mut u8> {
        let alignment = (ty.bits() as usize / 8).clamp(1, 8);
        if constant.as_ptr().addr().is_multiple_of(alignment) {
            return Ok(constant.as_ptr().cast_mut());
        }
        let copy = self.arena.persistent_bytes(constant.len(), alignment, Category::Constants)?.as_ptr();
        // SAFETY: `persistent_bytes` returned `constant.len()` bytes.
        unsafe { copy.copy_from_nonoverlapping(constant.as_ptr(), constant.len()) };
        Ok(copy)
    }

    /// Verification has refused sparse constants.
    #[cfg(not(feature = "sparse"))]
    fn expand(
        &self,
        _: &[u8],
        _: &SparsityParameters<'_>,
        _: &Tensor<'_>,
        _: &Slot,
    ) -> Result<Option<*mut u8>> {
        Ok(None)
    }

    /// All elements of a sparse constant; `None` if an element is not a whole number of bytes.
    #[cfg(feature = "sparse")]
    fn expand(
        &self,
        stored: &[u8],
        sparsity: &SparsityParameters<'_>,
        tensor: &Tensor<'_>,
        slot: &Slot,
    ) -> Result<Option<*mut u8>> {
        let ty = element_type(tensor);
        let bytes = ty.bytes_of(element_count(slot.shape()));
        let (Some(bytes), true, true) = (bytes, ty.bits() > 0, ty.bits().is_multiple_of(8)) else {
            return Ok(None);
        };
        let data = self.arena.persistent_bytes(bytes, ALIGNMENT, Category::Constants)?.as_ptr();
        // SAFETY: `persistent_bytes` returned `bytes` zeroed bytes that only this function uses.
        let dense = unsafe { core::slice::from_raw_parts_mut(data, bytes) };
        let done =
            arenite_model::expand_sparse(sparsity, slot.shape(), ty.bits() as usize / 8, stored, dense);
        Ok(done.map(|()| data))
    }

    /// Finds the scales of tensor `t`. Blockwise scales are converted to `f32`; scales and zero points that this
    /// machine cannot read in place are copied.
    #[inline(never)] // as `create_slot`
    fn find_scales(&self, t: usize, tensor: &Tensor<'a>) -> Result<ScaleSource> {
        let refuse = |reason| {
            Err(Error::Tensor {
                subgraph: detail(self.graph.index),
                tensor: detail(t),
                reason: detail(reason),
            })
        };
        let Some(quantization) = tensor.quantization() else { return Ok(ScaleSource::None) };
        if let Some(QuantizationDetails::Blockwise(blocks)) = quantization.details() {
            return match self.convert_scales(t, &blocks)? {
                None => refuse("its blockwise scales must be FLOAT16 or FLOAT32"),
                Some(0) => Ok(ScaleSource::None),
                Some(_) => Ok(ScaleSource::Copied),
            };
        }
        let (scales, zero_points) = (quantization.scale(), quantization.zero_point());
        if scales.is_empty() {
            return Ok(ScaleSource::None);
        }
        if in_file::<f32>(scales.bytes()).is_some() && in_file::<i64>(zero_points.bytes()).is_some() {
            return Ok(ScaleSource::InFile);
        }
        let number = |at| scales.get(at).unwrap_or(0.0);
        let scales = self.arena.persistent(scales.len(), Category::Shapes, number)?;
        let number = |at| zero_points.get(at).unwrap_or(0);
        let zero_points = self.arena.persistent(zero_points.len(), Category::Shapes, number)?;
        self.keep_scales(t, scales, zero_points, 0)?;
        Ok(ScaleSource::Copied)
    }

    /// Adds a copy of the scales of tensor `t` to the machine's list.
    fn keep_scales(
        &self,
        t: usize,
        scales: &'a [f32],
        zero_points: &'a [i64],
        block_size: i32,
    ) -> Result<()> {
        let next = self.machine.scales.get();
        let list = Scales { subgraph: self.graph.index, tensor: t, scales, zero_points, block_size, next };
        self.machine.scales.set(Some(self.arena.persistent_value(Category::Shapes, list)?));
        Ok(())
    }

    /// Converts blockwise scales to `f32` and returns their number; `None` if their type is not supported.
    fn convert_scales(&self, t: usize, blocks: &BlockwiseQuantization<'a>) -> Result<Option<usize>> {
        let tensors = self.graph.subgraph.tensors();
        let tensor = usize::try_from(blocks.scales()).ok().and_then(|t| tensors.get(t));
        let Some((tensor, bytes)) = tensor.and_then(|t| Some((t, self.machine.model.constant(&t)?))) else {
            return Ok(None);
        };
        let number = |at: usize| -> Option<f32> {
            match element_type(&tensor) {
                ElementType::F32 => Some(f32::from_le_bytes(*bytes.get(4 * at..)?.first_chunk()?)),
                ElementType::F16 => {
                    Some(f32_from_half(u16::from_le_bytes(*bytes.get(2 * at..)?.first_chunk()?)))
                }
                _ => None,
            }
        };
        let count = tensor.element_count().unwrap_or(0);
        if count > 0 && number(count - 1).is_none() {
            return Ok(None);
        }
        let scales = self.arena.persistent(count, Category::Shapes, |at| number(at).unwrap_or(0.0))?;
        self.keep_scales(t, scales, &[0], blocks.block_size())?;
        Ok(Some(count))
    }
}

/// Converts a half-precision float.
fn f32_from_half(bits: u16) -> f32 {
    let (sign, exponent, fraction) =
        (u32::from(bits >> 15) << 31, u32::from(bits >> 10 & 31), u32::from(bits & 1023));
    match exponent {
        // Subnormal: a multiple of 2⁻²⁴.
        0 => f32::from_bits(sign | (fraction as f32 / (1 << 24) as f32).to_bits()),
        31 => f32::from_bits(sign | 255 << 23 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 127 - 15) << 23 | fraction << 13),
    }
}

/// Resets every variable: to its zero point if it is i8 with one scale, else to zero.
pub(crate) fn reset_variables(graph: &Graph<'_>) {
    for (slot, tensor) in graph.slots.get().iter().map(Cell::get).zip(graph.subgraph.tensors()) {
        if slot.is_variable() {
            let quantization = tensor.quantization().filter(|q| q.scale().len() == 1);
            let zero_point = quantization.and_then(|q| q.zero_point().get(0)).unwrap_or(0);
            let byte = if slot.element_type() == ElementType::I8 { zero_point as u8 } else { 0 };
            // SAFETY: `build` allocated `slot.bytes()` bytes for this variable, and no op is running.
            unsafe { slot.data.write_bytes(byte, slot.bytes().unwrap_or(0)) };
        }
    }
}

/// Gives tensor `t`, an input of a subgraph that is not prepared yet, a new shape.
pub(crate) fn reshape<'a>(graph: &Graph<'a>, arena: &Arena<'a>, t: usize, shape: &[i32]) -> Result<()> {
    let refuse = |reason| {
        Err(Error::Tensor { subgraph: detail(graph.index), tensor: detail(t), reason: detail(reason) })
    };
    let mut slot = graph.slot(t);
    if shape.len() > MAX_RANK || shape.iter().any(|&d| d < 0) {
        return refuse("its new shape has a rank above 8 or a negative dimension");
    }
    if slot.is_constant() || slot.is_variable() {
        return refuse("a constant or variable cannot be reshaped");
    }
    if size_of_elements(slot.element_type(), element_count(shape)).is_none() {
        return refuse("its size overflows or its type has no fixed size");
    }
    slot.dims = arena.persistent(shape.len(), Category::Shapes, |d| shape[d])?.as_ptr();
    slot.rank = shape.len() as u8;
    graph.set_slot(t, slot);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::f32_from_half;

    #[test]
    fn numbers_of_half_precision() {
        let pairs = [(0x3c00, 1.0), (0xc000, -2.0), (0x0001, 2f32.powi(-24)), (0x8400, -(2f32.powi(-14)))];
        for (bits, number) in pairs {
            assert_eq!(f32_from_half(bits), number, "{bits:#x}");
        }
        assert_eq!(f32_from_half(0x7bff), 65504.0);
        assert!(f32_from_half(0x7c00).is_infinite() && f32_from_half(0xfe00).is_nan());
        assert_eq!(f32_from_half(0x8000).to_bits(), (-0.0f32).to_bits());
    }
}
