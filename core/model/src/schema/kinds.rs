//! Tables and unions by number, by which fields refer to them. `SCHEMA` has the fields of each.

/// A table with known fields.
#[derive(Clone, Copy)]
pub(super) enum TableKind {
    BlockwiseQuantization,
    Buffer,
    CustomQuantization,
    DimensionMetadata,
    ExternalBuffer,
    ExternalBufferGroup,
    Int32Vector,
    Metadata,
    ModelTable,
    MultiAxisQuantization,
    Operator,
    OperatorCode,
    QuantizationParameters,
    SignatureDef,
    SparsityParameters,
    SubGraph,
    Tensor,
    TensorMap,
    Uint16Vector,
    Uint8Vector,
    VariantSubType,
}

/// A union.
#[derive(Clone, Copy)]
pub(super) enum UnionKind {
    QuantizationDetails,
    RawTable,
    SparseIndexVector,
}
