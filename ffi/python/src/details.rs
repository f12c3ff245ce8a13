//! Descriptions of tensors, nodes and signatures, with the keys and types of `ai_edge_litert`.

use arenite::model_file::{self, BlockwiseQuantization, QuantizationDetails, SparsityParameters};
use arenite::{ElementType, Interpreter, Tensor};
use numpy::{PyArray1, PyArrayDescr};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::elements;
use crate::errors::{self, Phase};
use crate::place::Place;
use crate::shared::State;

/// The description of a tensor of a subgraph.
pub(crate) fn tensor<'py>(py: Python<'py>, state: &State, place: Place) -> PyResult<Bound<'py, PyDict>> {
    elements::import(py)?;
    let tensor =
        state.tensor_of(place.subgraph, place.tensor).map_err(|e| errors::exception(py, e, Phase::Access))?;
    let shape = state.coming.get(&place).map_or(tensor.shape, Vec::as_slice);
    let view = state.model().view();
    let in_file = view.subgraph(place.subgraph).and_then(|subgraph| subgraph.tensors().get(place.tensor));
    let signature = if tensor.shape_signature.is_empty() { shape } else { tensor.shape_signature };
    let details = PyDict::new(py);
    details.set_item("name", tensor.name)?;
    details.set_item("index", place.tensor)?;
    details.set_item("shape", PyArray1::from_slice(py, shape))?;
    details.set_item("shape_signature", PyArray1::from_slice(py, signature))?;
    details.set_item("dtype", elements::class(py, tensor.ty)?)?;
    details.set_item("quantization", single_scale(&tensor))?;
    let blocks = in_file.as_ref().and_then(blockwise);
    let parameters = match blocks {
        Some(blocks) => block_quantization(py, state, place.subgraph, &tensor, &blocks)?,
        None => quantization(py, &tensor)?,
    };
    details.set_item("quantization_parameters", parameters)?;
    let sparsity = in_file.as_ref().and_then(model_file::Tensor::sparsity);
    details
        .set_item("sparsity_parameters", sparsity.map_or_else(|| Ok(PyDict::new(py)), |s| sparse(py, &s))?)?;
    Ok(details)
}

/// The scale and the zero point; zeros if there are several, or none.
fn single_scale(tensor: &Tensor<'_>) -> (f32, i64) {
    match (tensor.scales, tensor.zero_points) {
        (&[scale], &[zero_point]) => (scale, zero_point),
        _ => (0.0, 0),
    }
}

fn quantization<'py>(py: Python<'py>, tensor: &Tensor<'_>) -> PyResult<Bound<'py, PyDict>> {
    let zero_points: Vec<i32> = tensor.zero_points.iter().map(|&zero_point| zero_point as i32).collect();
    let parameters = PyDict::new(py);
    parameters.set_item("scales", PyArray1::from_slice(py, tensor.scales))?;
    parameters.set_item("zero_points", PyArray1::from_slice(py, &zero_points))?;
    parameters.set_item("quantized_dimension", tensor.quantized_dimension)?;
    parameters.set_item("block_size", 0)?;
    Ok(parameters)
}

/// The quantization of a tensor with a scale for each block.
fn blockwise<'a>(tensor: &model_file::Tensor<'a>) -> Option<BlockwiseQuantization<'a>> {
    match tensor.quantization()?.details()? {
        QuantizationDetails::Blockwise(blocks) => Some(blocks),
        _ => None,
    }
}

/// Scales and zero points of blocks, which are tensors of their own, in the order of these tensors.
fn block_quantization<'py>(
    py: Python<'py>,
    state: &State,
    subgraph: usize,
    tensor: &Tensor<'_>,
    blocks: &BlockwiseQuantization<'_>,
) -> PyResult<Bound<'py, PyDict>> {
    let zero_points = constant(py, state, subgraph, blocks.zero_points())?;
    let parameters = PyDict::new(py);
    parameters.set_item("scales", constant(py, state, subgraph, blocks.scales())?)?;
    parameters.set_item("zero_points", zero_points.call_method1("astype", ("int32",))?)?;
    parameters.set_item("quantized_dimension", tensor.quantized_dimension)?;
    parameters.set_item("block_size", blocks.block_size())?;
    Ok(parameters)
}

/// The value of a constant as an array of one dimension; empty if the constant does not exist.
fn constant<'py>(
    py: Python<'py>,
    state: &State,
    subgraph: usize,
    tensor: i32,
) -> PyResult<Bound<'py, PyAny>> {
    let view = state.model().view();
    let index = usize::try_from(tensor).ok();
    let found = index.and_then(|index| view.subgraph(subgraph)?.tensors().get(index));
    let bytes = found.and_then(|tensor| view.constant(&tensor)).unwrap_or_default();
    let ty = index.and_then(|index| state.tensor_of(subgraph, index).ok()).map(|tensor| tensor.ty);
    let descriptor = ty.map_or_else(|| PyArrayDescr::new(py, "f4"), |ty| elements::descriptor(py, ty))?;
    let array = py.import("numpy")?.call_method1("frombuffer", (PyBytes::new(py, bytes), descriptor))?;
    array.call_method0("copy")
}

fn sparse<'py>(py: Python<'py>, sparsity: &SparsityParameters<'_>) -> PyResult<Bound<'py, PyDict>> {
    let list = |values: Vec<i32>| PyArray1::from_slice(py, &values);
    let dims = PyList::empty(py);
    for dim in sparsity.dim_metadata().iter() {
        let entry = PyDict::new(py);
        entry.set_item("format", i32::from(dim.format()))?;
        match dim.format() {
            0 => entry.set_item("dense_size", dim.dense_size())?,
            _ => {
                entry.set_item("array_segments", list(indices(dim.array_segments())))?;
                entry.set_item("array_indices", list(indices(dim.array_indices())))?;
            }
        }
        dims.append(entry)?;
    }
    let parameters = PyDict::new(py);
    parameters.set_item("traversal_order", list(sparsity.traversal_order().iter().collect()))?;
    parameters.set_item("block_map", list(sparsity.block_map().iter().collect()))?;
    parameters.set_item("dim_metadata", dims)?;
    Ok(parameters)
}

fn indices(vector: Option<model_file::SparseIndexVector<'_>>) -> Vec<i32> {
    let vector = vector.iter();
    vector.flat_map(|vector| (0..vector.len()).filter_map(|i| vector.get(i))).collect()
}

/// The descriptions of the nodes of the main subgraph, in the order of the file.
pub(crate) fn nodes<'py>(py: Python<'py>, interpreter: &Interpreter) -> PyResult<Bound<'py, PyList>> {
    elements::import(py)?;
    let list = PyList::empty(py);
    let view = interpreter.model().view();
    for (index, operator) in view.subgraph(0).iter().flat_map(|main| main.operators()).enumerate() {
        let (inputs, outputs): (Vec<i32>, Vec<i32>) =
            (operator.inputs().iter().collect(), operator.outputs().iter().collect());
        let node = PyDict::new(py);
        node.set_item("index", index)?;
        let code = view.operator_code(&operator);
        node.set_item("op_name", code.as_ref().map_or("", |code| code.name()))?;
        node.set_item("inputs", PyArray1::from_slice(py, &inputs))?;
        node.set_item("outputs", PyArray1::from_slice(py, &outputs))?;
        node.set_item("operand_types", classes(py, interpreter, &inputs)?)?;
        node.set_item("result_types", classes(py, interpreter, &outputs)?)?;
        list.append(node)?;
    }
    Ok(list)
}

/// The NumPy classes of tensors' elements, without the absent tensors.
fn classes<'py>(py: Python<'py>, interpreter: &Interpreter, tensors: &[i32]) -> PyResult<Bound<'py, PyList>> {
    let types = tensors.iter().filter_map(|&tensor| usize::try_from(tensor).ok());
    let types = types.filter_map(|tensor| Some(interpreter.tensor_of(0, tensor).ok()?.ty));
    let classes: Vec<_> = types.map(|ty: ElementType| elements::class(py, ty)).collect::<PyResult<_>>()?;
    PyList::new(py, classes)
}

/// The tensors of the inputs and outputs of each signature, by name. Keys and names are sorted.
pub(crate) fn signatures<'py>(py: Python<'py>, interpreter: &Interpreter) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let view = interpreter.model().view();
    let mut signatures: Vec<_> = view.signatures().iter().collect();
    signatures.sort_by_key(|signature| signature.key());
    // The sort is stable: of equal keys, the first of the file stays.
    signatures.dedup_by_key(|signature| signature.key());
    for signature in signatures {
        let entry = PyDict::new(py);
        entry.set_item("inputs", ports(py, signature.inputs())?)?;
        entry.set_item("outputs", ports(py, signature.outputs())?)?;
        all.set_item(signature.key(), entry)?;
    }
    Ok(all)
}

fn ports<'py>(
    py: Python<'py>,
    maps: model_file::Tables<'_, model_file::TensorMap<'_>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut names: Vec<_> = maps.iter().map(|map| (map.name().unwrap_or(""), map.tensor_index())).collect();
    names.sort_unstable();
    let ports = PyDict::new(py);
    names.into_iter().try_for_each(|(name, tensor)| ports.set_item(name, tensor))?;
    Ok(ports)
}

/// A signature in the order of the file: its key, its subgraph, and its inputs and outputs in the order of the
/// subgraph's.
pub(crate) type OrderedSignature<'py> = (String, u32, Bound<'py, PyDict>, Bound<'py, PyDict>);

/// The signatures in the order of the file.
pub(crate) fn ordered_signatures<'py>(
    py: Python<'py>,
    interpreter: &Interpreter,
) -> PyResult<Vec<OrderedSignature<'py>>> {
    let view = interpreter.model().view();
    let describe = |signature: model_file::SignatureDef<'_>| {
        let subgraph = signature.subgraph_index();
        let graph = view.subgraph(subgraph as usize);
        let (inputs, outputs) =
            graph.map_or_else(Default::default, |graph| (graph.inputs(), graph.outputs()));
        let inputs = ordered(py, signature.inputs(), &inputs.iter().collect::<Vec<_>>())?;
        let outputs = ordered(py, signature.outputs(), &outputs.iter().collect::<Vec<_>>())?;
        Ok((signature.key().to_owned(), subgraph, inputs, outputs))
    };
    view.signatures().iter().map(describe).collect()
}

fn ordered<'py>(
    py: Python<'py>,
    maps: model_file::Tables<'_, model_file::TensorMap<'_>>,
    order: &[i32],
) -> PyResult<Bound<'py, PyDict>> {
    let position = |tensor: u32| order.iter().position(|&other| u32::try_from(other) == Ok(tensor));
    let mut names: Vec<_> = maps.iter().map(|map| (map.name().unwrap_or(""), map.tensor_index())).collect();
    names.sort_by_key(|&(_, tensor)| position(tensor).unwrap_or(order.len()));
    let ports = PyDict::new(py);
    names.into_iter().try_for_each(|(name, tensor)| ports.set_item(name, tensor))?;
    Ok(ports)
}
