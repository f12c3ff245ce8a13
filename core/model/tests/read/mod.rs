//! Reads a whole model, to find positions that the verification missed.

use arenite_model::{Model, QuantizationDetails, tensor_type};

/// Calls every accessor. The sum prevents the reads from being optimized away.
pub(crate) fn everything(model: Model<'_>) -> usize {
    let mut sum = model.version() as usize + model.description().map_or(0, str::len);
    for index in 0..model.buffer_count() {
        sum += model.buffer(index).len();
    }
    sum += model.metadata_entries().map(|(name, bytes)| name.len() + bytes.len()).sum::<usize>();
    for graph in model.subgraphs() {
        sum += graph.name().map_or(0, str::len) + graph.inputs().len() + graph.outputs().len();
        for tensor in graph.tensors() {
            let constant = model.constant(&tensor).map_or(0, <[u8]>::len);
            assert!(tensor_type::name(tensor.element_type()).is_some());
            if tensor.sparsity().is_none() && constant > 0 {
                assert!(constant >= tensor.byte_size().unwrap_or(0));
            }
            sum += tensor.name().map_or(0, str::len) + constant + tensor.shape_signature().len();
            if let Some(quantization) = tensor.quantization() {
                sum += quantization.scale().len() + quantization.zero_point().len();
                if tensor.shape().len() == 1 {
                    assert_eq!(tensor.quantized_dimension(), 0);
                }
                if let Some(QuantizationDetails::Blockwise(details)) = quantization.details() {
                    assert!(graph.tensors().get(details.scales() as usize).is_some());
                }
            }
            for level in tensor.sparsity().into_iter().flat_map(|sparsity| sparsity.dim_metadata()) {
                sum += level.array_indices().map_or(0, |indices| indices.len());
            }
            sum += tensor.variant_tensors().iter().map(|inner| inner.shape().len()).sum::<usize>();
        }
        for operator in graph.operators() {
            let code = model.operator_code(&operator).expect("the opcode index was verified");
            assert!(!code.name().is_empty());
            sum += operator.custom_options().len() + operator.intermediates().len();
            sum += operator.any_builtin_options().map_or(0, |options| options.position);
            sum += usize::from(operator.mutates_input(0));
        }
    }
    for signature in model.signatures() {
        assert!(model.signature(signature.key()).is_some());
        assert!(model.subgraph(signature.subgraph_index() as usize).is_some());
        for entry in signature.inputs() {
            assert_eq!(signature.input(entry.name().unwrap_or("")), Some(entry.tensor_index() as usize));
        }
    }
    sum
}
