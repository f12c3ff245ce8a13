//! The tables and unions of the schema. How they are read is defined elsewhere.

use super::*;

table! {
    /// The root table of the file.
    ModelTable {
        /// Schema version; 3 is the only one in use.
        0 version: scalar<u32>(0),
        /// Target of `Operator::opcode_index`.
        1 operator_codes: tables<OperatorCode>,
        /// Subgraph 0 is the main subgraph.
        2 subgraphs: tables<SubGraph>,
        /// A free-form description.
        3 description: text,
        /// Target of `Tensor::buffer` and `Metadata::buffer`; buffer 0 means no data.
        4 buffers: tables<Buffer>,
        /// Metadata entries: named buffers.
        6 metadata: tables<Metadata>,
        /// Signatures: named entry points.
        7 signature_defs: tables<SignatureDef>,
        /// Other files with constants.
        8 external_buffer_groups: tables<ExternalBufferGroup>,
        /// Parts of these files, in ascending order of their ids.
        9 external_buffers: tables<ExternalBuffer>,
    }
}

table! {
    /// Another file with constants.
    ExternalBufferGroup {
        /// Name of the file, which is next to the model.
        0 name: text,
    }
}

table! {
    /// A part of another file.
    ExternalBuffer {
        /// Target of `Tensor::external_buffer`; not an index.
        0 id: scalar<u32>(0),
        /// Index into `ModelTable::external_buffer_groups`.
        1 group: scalar<u32>(0),
        /// Offset of the first byte in the file of the group.
        2 offset: scalar<u64>(0),
        /// Number of bytes.
        3 length: scalar<u64>(0),
        /// How the bytes are stored: `unpacked`, or absent.
        4 packing: text,
    }
}

table! {
    /// An op and the version of it that operators use.
    OperatorCode {
        /// The code in older files, for codes below 127.
        0 deprecated_builtin_code: scalar<i8>(0),
        /// Name of a custom op.
        1 custom_code: text,
        /// Version of the op.
        2 version: scalar<i32>(1),
        /// The code; 0 in older files.
        3 extended_builtin_code: scalar<i32>(0),
    }
}

table! {
    /// A graph: tensors, and operators in execution order.
    SubGraph {
        /// The tensors, referred to by index.
        0 tensors: tables<Tensor>,
        /// Indices of the tensors that the caller fills.
        1 inputs: list<i32>,
        /// Indices of the tensors that the caller reads.
        2 outputs: list<i32>,
        /// Operators in execution order.
        3 operators: tables<Operator>,
        /// Name of the subgraph.
        4 name: text,
        /// Index of debug data; −1 if absent.
        5 debug_metadata_index: scalar<i32>(-1),
    }
}

table! {
    /// A tensor: its type, shape, and constant data.
    Tensor {
        /// Dimensions, outermost first.
        0 shape: list<i32>,
        /// Number of the element type, see [`tensor_type`](crate::tensor_type).
        1 type_code: scalar<i8>(0),
        /// Index into `ModelTable::buffers`; 0 if the tensor has no data in the file.
        2 buffer: scalar<u32>(0),
        /// Name of the tensor.
        3 name: text,
        /// Quantization parameters.
        4 quantization: table<QuantizationParameters>,
        /// Whether the tensor keeps its value between invocations.
        5 is_variable: scalar<bool>(false),
        /// Sparsity parameters.
        6 sparsity: table<SparsityParameters>,
        /// `shape` with −1 for each dimension that is unknown before the run.
        7 shape_signature: list<i32>,
        /// Distinguishes a scalar (true) from a tensor of unknown rank (false) if `shape` is empty.
        8 has_rank: scalar<bool>(false),
        /// Type and shape of the tensors inside a variant tensor.
        9 variant_tensors: tables<VariantSubType>,
        /// Id of the external buffer with the data; 0 if absent.
        10 external_buffer: scalar<u32>(0),
    }
}

table! {
    /// Element type and shape inside a variant tensor.
    VariantSubType {
        /// Dimensions, outermost first.
        0 shape: list<i32>,
        /// Number of the element type, see [`tensor_type`](crate::tensor_type).
        1 type_code: scalar<i8>(0),
        /// Whether the rank is known.
        2 has_rank: scalar<bool>(false),
    }
}

table! {
    /// Quantization parameters: `real = scale * (q - zero_point)`.
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
        /// The dimension of per-channel scales.
        6 quantized_dimension: scalar<i32>(0),
    }
}

table! {
    /// Quantization in a free format.
    CustomQuantization {
        /// The parameters as bytes.
        0 custom: bytes,
    }
}

table! {
    /// Quantization with one scale per block of the quantized dimension.
    BlockwiseQuantization {
        /// Index of the tensor that holds the scales.
        0 scales: scalar<i32>(0),
        /// Index of the tensor that holds the zero points; −1 if all are zero.
        1 zero_points: scalar<i32>(0),
        /// Elements per block.
        2 block_size: scalar<i32>(0),
    }
}

table! {
    /// Quantization with scales along several dimensions.
    MultiAxisQuantization {
        /// Index of the tensor that holds the scales.
        0 scales: scalar<i32>(0),
        /// Index of the tensor that holds the zero points; −1 if all are zero.
        1 zero_points: scalar<i32>(0),
        /// Elements per block; 0 means per channel.
        2 block_size: scalar<i32>(0),
        /// The dimensions along which scales vary.
        3 quantized_dimensions: list<i32>,
    }
}

table! {
    /// Parameters of a sparse tensor: a tree with one level per entry of `traversal_order`.
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
        /// 0 means dense, 1 means compressed rows.
        0 format: scalar<i8>(0),
        /// Size of a dense level.
        1 dense_size: scalar<i32>(0),
        /// Where each parent's entries start in `array_indices`.
        2 array_segments: union<SparseIndexVector>,
        /// Positions of the non-zero entries.
        4 array_indices: union<SparseIndexVector>,
    }
}

table! {
    /// 32-bit entries of a sparse level.
    Int32Vector {
        /// The entries of the level.
        0 values: list<i32>,
    }
}

table! {
    /// 16-bit entries of a sparse level.
    Uint16Vector {
        /// The entries of the level.
        0 values: list<u16>,
    }
}

table! {
    /// 8-bit entries of a sparse level.
    Uint8Vector {
        /// The entries of the level.
        0 values: list<u8>,
    }
}

table! {
    /// A node: one use of an op.
    Operator {
        /// Index into `ModelTable::operator_codes`.
        0 opcode_index: scalar<u32>(0),
        /// Tensor indices; −1 for an absent optional input.
        1 inputs: list<i32>,
        /// Indices of output tensors.
        2 outputs: list<i32>,
        /// Options of a builtin op.
        3 builtin_options: union<RawTable>,
        /// Options of a custom op, if they are inside the flatbuffer.
        5 inline_custom_options: bytes,
        /// Encoding of the custom options; 0 means flexbuffers.
        6 custom_options_format: scalar<i8>(0),
        /// For each input, whether the op writes to it; empty if it writes to none.
        7 mutating_variable_inputs: list<bool>,
        /// Indices of tensors internal to the op; −1 if absent.
        8 intermediates: list<i32>,
        /// Offset of custom options outside the flatbuffer; valid if greater than 1.
        9 large_custom_options_offset: scalar<u64>(0),
        /// Size in bytes of custom options outside the flatbuffer.
        10 large_custom_options_size: scalar<u64>(0),
        /// Options of a builtin op, in the second union.
        11 builtin_options_2: union<RawTable>,
        /// Index of debug data; −1 if absent.
        13 debug_metadata_index: scalar<i32>(-1),
    }
}

table! {
    /// Constant data, inside or after the flatbuffer.
    Buffer {
        /// The data, if it is inside the flatbuffer.
        0 data: bytes,
        /// Offset of data outside the flatbuffer from the start of the file; valid if greater than 1.
        1 offset: scalar<u64>(0),
        /// Size in bytes of data outside the flatbuffer.
        2 size: scalar<u64>(0),
    }
}

table! {
    /// A metadata entry: a named buffer.
    Metadata {
        /// Name of the entry.
        0 name: text,
        /// Index into `ModelTable::buffers`.
        1 buffer: scalar<u32>(0),
    }
}

table! {
    /// The name of a tensor in a signature.
    TensorMap {
        /// Name used by callers.
        0 name: text,
        /// Index of the tensor in the signature's subgraph.
        1 tensor_index: scalar<u32>(0),
    }
}

table! {
    /// A signature: a subgraph with names for its inputs and outputs.
    SignatureDef {
        /// Names of the inputs.
        0 inputs: tables<TensorMap>,
        /// Names of the outputs.
        1 outputs: tables<TensorMap>,
        /// Key of the signature.
        2 signature_key: text,
        /// Index of the subgraph to run.
        4 subgraph_index: scalar<u32>(0),
    }
}

union! {
    /// Quantization beyond scale and zero point, which are ignored if this is present.
    QuantizationDetails {
        /// Parameters in a free format.
        1 Custom(CustomQuantization),
        /// One scale per block of the quantized dimension.
        2 Blockwise(BlockwiseQuantization),
        /// Scales along several dimensions.
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
