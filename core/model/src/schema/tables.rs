//! The tables and unions of the schema. Nothing here says how they are read.

use super::*;

table! {
    /// Root of the file.
    ModelTable {
        /// Schema version; 3 is the only one in use.
        0 version: scalar<u32>(0),
        /// What `Operator::opcode_index` points into.
        1 operator_codes: tables<OperatorCode>,
        /// Subgraph 0 is the main one.
        2 subgraphs: tables<SubGraph>,
        /// Free text.
        3 description: text,
        /// What `Tensor::buffer` and `Metadata::buffer` point into; buffer 0 means none.
        4 buffers: tables<Buffer>,
        /// Named buffers.
        6 metadata: tables<Metadata>,
        /// Named entry points.
        7 signature_defs: tables<SignatureDef>,
    }
}

table! {
    /// Which op, and which version of it, an operator runs.
    OperatorCode {
        /// The code in files from before code 127.
        0 deprecated_builtin_code: scalar<i8>(0),
        /// Name of a custom op.
        1 custom_code: text,
        /// Version of the op that the operator needs.
        2 version: scalar<i32>(1),
        /// The code; 0 in older files.
        3 extended_builtin_code: scalar<i32>(0),
    }
}

table! {
    /// One graph: tensors, operators in execution order.
    SubGraph {
        /// The tensors that the operators' indices point into.
        0 tensors: tables<Tensor>,
        /// Indices of the tensors that the caller fills.
        1 inputs: list<i32>,
        /// Indices of the tensors that the caller reads.
        2 outputs: list<i32>,
        /// Operators in execution order.
        3 operators: tables<Operator>,
        /// Free text.
        4 name: text,
        /// Index of debug data; -1 if there is none.
        5 debug_metadata_index: scalar<i32>(-1),
    }
}

table! {
    /// One tensor: type, shape, and where its constant data lies.
    Tensor {
        /// Dimensions, outermost first.
        0 shape: list<i32>,
        /// Number of the element type.
        1 type_code: scalar<i8>(0),
        /// Index into `ModelTable::buffers`; 0 if the tensor has no data in the file.
        2 buffer: scalar<u32>(0),
        /// Free text.
        3 name: text,
        /// Scale and zero point.
        4 quantization: table<QuantizationParameters>,
        /// Whether the tensor keeps its value between invocations.
        5 is_variable: scalar<bool>(false),
        /// How non-zero elements are stored.
        6 sparsity: table<SparsityParameters>,
        /// `shape` with -1 for each dimension that is not known before the run.
        7 shape_signature: list<i32>,
        /// Tells a scalar (true) from a tensor of unknown rank (false) when `shape` is empty.
        8 has_rank: scalar<bool>(false),
        /// What a variant tensor holds.
        9 variant_tensors: tables<VariantSubType>,
        /// Entry of the external buffers that holds the data; 0 if none.
        10 external_buffer: scalar<u32>(0),
    }
}

table! {
    /// Element type and shape inside a variant tensor.
    VariantSubType {
        /// Dimensions, outermost first.
        0 shape: list<i32>,
        /// Number of the element type.
        1 type_code: scalar<i8>(0),
        /// Whether the rank is known.
        2 has_rank: scalar<bool>(false),
    }
}

table! {
    /// `real = scale * (q - zero_point)`.
    QuantizationParameters {
        /// Smallest real value seen; for tools.
        0 min: list<f32>,
        /// Largest real value seen; for tools.
        1 max: list<f32>,
        /// One scale, or one per slice of `quantized_dimension`; empty if not quantized.
        2 scale: list<f32>,
        /// One zero point per scale, or a single one.
        3 zero_point: list<i64>,
        /// When present, replaces scale and zero point.
        4 details: union<QuantizationDetails>,
        /// The dimension that per-channel scales belong to.
        6 quantized_dimension: scalar<i32>(0),
    }
}

table! {
    /// Quantization in free form.
    CustomQuantization {
        /// The bytes.
        0 custom: bytes,
    }
}

table! {
    /// Scales per block of the quantized dimension.
    BlockwiseQuantization {
        /// Index of the tensor that holds the scales.
        0 scales: scalar<i32>(0),
        /// Index of the tensor that holds the zero points; -1: all zero.
        1 zero_points: scalar<i32>(0),
        /// Elements per block.
        2 block_size: scalar<i32>(0),
    }
}

table! {
    /// Scales over several dimensions.
    MultiAxisQuantization {
        /// Index of the tensor that holds the scales.
        0 scales: scalar<i32>(0),
        /// Index of the tensor that holds the zero points; -1: all zero.
        1 zero_points: scalar<i32>(0),
        /// Elements per block; 0: per channel.
        2 block_size: scalar<i32>(0),
        /// The dimensions that the scales belong to.
        3 quantized_dimensions: list<i32>,
    }
}

table! {
    /// A sparse tensor: a tree with one level per entry of `traversal_order`.
    SparsityParameters {
        /// The dimensions in storage order; blocks come last.
        0 traversal_order: list<i32>,
        /// For each block dimension the dimension that it divides.
        1 block_map: list<i32>,
        /// One entry per level.
        2 dim_metadata: tables<DimensionMetadata>,
    }
}

table! {
    /// One level of a sparse tensor.
    DimensionMetadata {
        /// 0: dense; 1: compressed rows.
        0 format: scalar<i8>(0),
        /// Size of a dense level.
        1 dense_size: scalar<i32>(0),
        /// Where each parent's entries begin in `array_indices`.
        2 array_segments: union<SparseIndexVector>,
        /// Positions of the non-zero entries.
        4 array_indices: union<SparseIndexVector>,
    }
}

table! {
    /// 32-bit entries of a sparse level.
    Int32Vector {
        /// The entries.
        0 values: list<i32>,
    }
}

table! {
    /// 16-bit entries of a sparse level.
    Uint16Vector {
        /// The entries.
        0 values: list<u16>,
    }
}

table! {
    /// 8-bit entries of a sparse level.
    Uint8Vector {
        /// The entries.
        0 values: list<u8>,
    }
}

table! {
    /// One use of an op.
    Operator {
        /// Index into `ModelTable::operator_codes`.
        0 opcode_index: scalar<u32>(0),
        /// Tensor indices; -1: an optional input that is absent.
        1 inputs: list<i32>,
        /// Tensor indices.
        2 outputs: list<i32>,
        /// Attributes of a builtin op.
        3 builtin_options: union<RawTable>,
        /// Attributes of a custom op when they lie inside the flatbuffer.
        5 inline_custom_options: bytes,
        /// How custom options are encoded; 0: flexbuffers.
        6 custom_options_format: scalar<i8>(0),
        /// Which inputs the op writes to; empty if none.
        7 mutating_variable_inputs: list<bool>,
        /// Tensors internal to the op; -1: absent.
        8 intermediates: list<i32>,
        /// Where custom options outside the flatbuffer begin; valid if above 1.
        9 large_custom_options_offset: scalar<u64>(0),
        /// Bytes of custom options outside the flatbuffer.
        10 large_custom_options_size: scalar<u64>(0),
        /// Attributes of a builtin op of the second union.
        11 builtin_options_2: union<RawTable>,
        /// Index of debug data; -1 if there is none.
        13 debug_metadata_index: scalar<i32>(-1),
    }
}

table! {
    /// Constant data, inside the flatbuffer or behind it.
    Buffer {
        /// The data when it lies inside the flatbuffer.
        0 data: bytes,
        /// Where data outside the flatbuffer begins, from the start of the file; valid if above 1.
        1 offset: scalar<u64>(0),
        /// Bytes of data outside the flatbuffer.
        2 size: scalar<u64>(0),
    }
}

table! {
    /// A named buffer.
    Metadata {
        /// What the buffer means.
        0 name: text,
        /// Index into `ModelTable::buffers`.
        1 buffer: scalar<u32>(0),
    }
}

table! {
    /// A tensor's name in a signature.
    TensorMap {
        /// Name that callers use.
        0 name: text,
        /// Index of the tensor in the signature's subgraph.
        1 tensor_index: scalar<u32>(0),
    }
}

table! {
    /// A named entry point: a subgraph and names for its inputs and outputs.
    SignatureDef {
        /// Names of the inputs.
        0 inputs: tables<TensorMap>,
        /// Names of the outputs.
        1 outputs: tables<TensorMap>,
        /// Name of the entry point.
        2 signature_key: text,
        /// The subgraph to run.
        4 subgraph_index: scalar<u32>(0),
    }
}

union! {
    /// Quantization that scale and zero point cannot express; when present they are ignored.
    QuantizationDetails {
        /// Free-form bytes.
        1 Custom(CustomQuantization),
        /// Scales per block of the quantized dimension.
        2 Blockwise(BlockwiseQuantization),
        /// Scales over several dimensions.
        3 MultiAxis(MultiAxisQuantization),
    }
}

union! {
    /// Segments or indices of a sparse dimension.
    SparseIndexVector {
        /// 32-bit entries.
        1 Int32(Int32Vector),
        /// 16-bit entries.
        2 Uint16(Uint16Vector),
        /// 8-bit entries.
        3 Uint8(Uint8Vector),
    }
}
