//! Converts a tensor of the file into one of the graph: type, quantization, constant value.

use arenite_abi::ElementType;
use arenite_model::{QuantizationDetails, SparsityParameters, SubGraph, Tensor};

use super::{Constant, Name, QuantizationInfo, TensorInfo};
use crate::arena::Block;
use crate::error::{Error, Result};
use crate::quota::Budget;
use crate::stages::table::MAX_RANK;

/// Constants that need a copy; copies count against the quota.
pub(super) struct Copies {
    pub blocks: Vec<Block>,
    pub budget: Budget,
}

/// Bytes that the graph's entry for a tensor owns, in addition to its own size.
pub(super) fn owned_bytes(
    view: &arenite_model::Model<'_>,
    subgraph: &SubGraph<'_>,
    tensor: &Tensor<'_>,
) -> usize {
    let scales = tensor.quantization().map_or(0, |q| match q.details() {
        // F16 is converted to F32.
        Some(QuantizationDetails::Blockwise(blocks)) => {
            let tensor = usize::try_from(blocks.scales()).ok().and_then(|i| subgraph.tensors().get(i));
            2 * tensor.and_then(|tensor| view.constant(&tensor)).map_or(0, <[u8]>::len)
        }
        _ => q.scale().len() * size_of::<f32>() + q.zero_point().len() * size_of::<i64>(),
    });
    scales + 2 * MAX_RANK * size_of::<i32>()
}

/// Tensor `index` of `subgraph`.
pub(super) fn tensor_info(
    view: &arenite_model::Model<'_>,
    subgraph: &SubGraph<'_>,
    index: usize,
    tensor: &Tensor<'_>,
    constant: Option<&[u8]>,
    copies: &mut Copies,
) -> Result<TensorInfo> {
    let name = Name::of(tensor);
    let refuse = |message| Err(Error::Tensor { name: format!("{}' (index {index}", &*name), message });
    let code = tensor.element_type();
    let Some(ty) = u32::try_from(code).ok().and_then(ElementType::from_raw) else {
        return refuse(format!("element type {code} is unknown; this version knows 0 to 22"));
    };
    let rank = tensor.shape().len().max(tensor.shape_signature().len());
    if rank > MAX_RANK {
        return refuse(format!("it has rank {rank}, the highest is {MAX_RANK}"));
    }
    let shape: Vec<i32> = tensor.shape().iter().collect();
    let constant = match (constant, tensor.sparsity()) {
        (Some(stored), Some(sparsity)) => match expand_constant(stored, &sparsity, ty, &shape, copies)? {
            Some(constant) => Some(constant),
            None => {
                return refuse(format!("sparse constants of type {ty} and shape {shape:?} are not served"));
            }
        },
        (Some(bytes), None) => Some(place_constant(bytes, ty, &shape, copies)?),
        (None, _) => None,
    };
    Ok(TensorInfo {
        ty,
        shape,
        shape_signature: tensor.shape_signature().iter().collect(),
        quantization: quantization(view, subgraph, tensor),
        constant,
        variable: tensor.is_variable(),
        name,
    })
}

impl Copies {
    fn zeroed(&mut self, bytes: usize) -> Result<Block> {
        self.budget.take(bytes as u64, "constants that are sparse or lie misaligned in the file")?;
        Block::zeroed(bytes)
    }
}

/// A constant in the file, or a copy if it is misaligned for its type.
fn place_constant(bytes: &[u8], ty: ElementType, shape: &[i32], copies: &mut Copies) -> Result<Constant> {
    // A dense constant has the bytes that its shape needs; the file may have more.
    let needed = ty.bytes_of(arenite_abi::tensor::element_count(shape));
    let length = needed.filter(|&n| n <= bytes.len()).unwrap_or(bytes.len());
    let align = (ty.bits() as usize / 8).clamp(1, 8);
    if bytes.as_ptr().addr().is_multiple_of(align) {
        return Ok(Constant { data: bytes.as_ptr(), length, in_file: true });
    }
    let block = copies.zeroed(length)?;
    // SAFETY: the block has `length` bytes, and is a new allocation.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), block.as_ptr(), length) };
    let data = block.as_ptr().cast_const();
    copies.blocks.push(block);
    Ok(Constant { data, length, in_file: false })
}

/// All elements of a sparse constant. `None` if its elements are not whole bytes.
fn expand_constant(
    stored: &[u8],
    sparsity: &SparsityParameters<'_>,
    ty: ElementType,
    shape: &[i32],
    copies: &mut Copies,
) -> Result<Option<Constant>> {
    let size = ty.bits() as usize / 8;
    let (0, 1.., Some(length)) =
        (ty.bits() % 8, size, ty.bytes_of(arenite_abi::tensor::element_count(shape)))
    else {
        return Ok(None);
    };
    let block = copies.zeroed(length)?;
    // SAFETY: the block has `length` zero bytes, and is a new allocation.
    let dense = unsafe { std::slice::from_raw_parts_mut(block.as_ptr(), length) };
    if arenite_model::expand_sparse(sparsity, shape, size, stored, dense).is_none() {
        return Ok(None);
    }
    let data = block.as_ptr().cast_const();
    copies.blocks.push(block);
    Ok(Some(Constant { data, length, in_file: false }))
}

/// Scales and zero points; `None` if the tensor is not quantized.
pub(super) fn quantization(
    view: &arenite_model::Model<'_>,
    subgraph: &SubGraph<'_>,
    tensor: &Tensor<'_>,
) -> Option<QuantizationInfo> {
    let q = tensor.quantization()?;
    let dimension = tensor.quantized_dimension();
    let (scales, zero_points, block_size) = match q.details() {
        Some(QuantizationDetails::Blockwise(blocks)) => {
            let scales = numbers(view, subgraph, blocks.scales());
            (scales, vec![0], blocks.block_size())
        }
        _ => (q.scale().iter().collect(), q.zero_point().iter().collect(), 0),
    };
    (!scales.is_empty()).then_some(QuantizationInfo { scales, zero_points, dimension, block_size })
}

/// The constant tensor with blockwise scales, as F32.
fn numbers(view: &arenite_model::Model<'_>, subgraph: &SubGraph<'_>, index: i32) -> Vec<f32> {
    let tensor = usize::try_from(index).ok().and_then(|i| subgraph.tensors().get(i));
    let Some((tensor, bytes)) = tensor.and_then(|t| Some((t, view.constant(&t)?))) else { return Vec::new() };
    match u32::try_from(tensor.element_type()).ok().and_then(ElementType::from_raw) {
        Some(ElementType::F16) => {
            bytes.chunks_exact(2).map(|b| half::f16::from_le_bytes([b[0], b[1]]).to_f32()).collect()
        }
        Some(ElementType::F32) => {
            bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
        }
        _ => Vec::new(),
    }
}
