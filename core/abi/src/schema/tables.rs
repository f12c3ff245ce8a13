//! The option tables: their tags in both unions, and their fields with slots, types and defaults.

use core::marker::PhantomData;

use super::{Field, FieldInfo, FieldType, OptionsTable, TableInfo, Union};

/// `TAG Name { SLOT FIELD: type = default, }`. Vectors and texts are empty by default.
macro_rules! tables {
    ($union:ident: $($tag:literal $table:ident { $($slot:literal $field:ident: $ty:ty $(= $default:tt)?,)* })*) => {$(
        #[doc = concat!("Table ", $tag, " of [`", stringify!($union), "`](Union::", stringify!($union), ").")]
        #[derive(Clone, Copy, Debug)]
        pub enum $table {}

        impl OptionsTable for $table {
            const INFO: TableInfo = TableInfo {
                union: Union::$union,
                tag: $tag,
                name: stringify!($table),
                fields: &[$(FieldInfo {
                    slot: $slot,
                    name: stringify!($field),
                    ty: <$ty as FieldType>::ELEMENT,
                    vector: <$ty as FieldType>::VECTOR,
                    default: tables!(@number $($default)?),
                }),*],
            };
        }

        impl $table {$(
            #[doc = concat!("Slot ", $slot, ": `", stringify!($ty), "`", $(", ", stringify!($default), " by default",)? ".")]
            pub const $field: Field<Self, $ty> =
                Field { slot: $slot, default: tables!(@default $($default)?), of: PhantomData };
        )*}
    )*};
    (@default) => { () };
    (@default $default:tt) => { $default };
    (@number) => { 0.0 };
    (@number false) => { 0.0 };
    (@number true) => { 1.0 };
    (@number $default:tt) => { $default as f64 };
}

#[rustfmt::skip]
tables! { BuiltinOptions:
    1 Conv2DOptions {
        0 PADDING: i8 = 0, 1 STRIDE_W: i32 = 0, 2 STRIDE_H: i32 = 0,
        3 FUSED_ACTIVATION_FUNCTION: i8 = 0, 4 DILATION_W_FACTOR: i32 = 1,
        5 DILATION_H_FACTOR: i32 = 1, 6 QUANTIZED_BIAS_TYPE: i8 = 0,
    }
    2 DepthwiseConv2DOptions {
        0 PADDING: i8 = 0, 1 STRIDE_W: i32 = 0, 2 STRIDE_H: i32 = 0, 3 DEPTH_MULTIPLIER: i32 = 0,
        4 FUSED_ACTIVATION_FUNCTION: i8 = 0, 5 DILATION_W_FACTOR: i32 = 1,
        6 DILATION_H_FACTOR: i32 = 1,
    }
    3 ConcatEmbeddingsOptions {
        0 NUM_CHANNELS: i32 = 0, 1 NUM_COLUMNS_PER_CHANNEL: [i32],
        2 EMBEDDING_DIM_PER_CHANNEL: [i32],
    }
    4 LSHProjectionOptions { 0 TYPE: i8 = 0, }
    5 Pool2DOptions {
        0 PADDING: i8 = 0, 1 STRIDE_W: i32 = 0, 2 STRIDE_H: i32 = 0, 3 FILTER_WIDTH: i32 = 0,
        4 FILTER_HEIGHT: i32 = 0, 5 FUSED_ACTIVATION_FUNCTION: i8 = 0,
    }
    6 SVDFOptions {
        0 RANK: i32 = 0, 1 FUSED_ACTIVATION_FUNCTION: i8 = 0,
        2 ASYMMETRIC_QUANTIZE_INPUTS: bool = false,
    }
    7 RNNOptions {
        0 FUSED_ACTIVATION_FUNCTION: i8 = 0, 1 ASYMMETRIC_QUANTIZE_INPUTS: bool = false,
    }
    8 FullyConnectedOptions {
        0 FUSED_ACTIVATION_FUNCTION: i8 = 0, 1 WEIGHTS_FORMAT: i8 = 0,
        2 KEEP_NUM_DIMS: bool = false, 3 ASYMMETRIC_QUANTIZE_INPUTS: bool = false,
        4 QUANTIZED_BIAS_TYPE: i8 = 0,
    }
    9 SoftmaxOptions { 0 BETA: f32 = 0.0, }
    10 ConcatenationOptions { 0 AXIS: i32 = 0, 1 FUSED_ACTIVATION_FUNCTION: i8 = 0, }
    11 AddOptions { 0 FUSED_ACTIVATION_FUNCTION: i8 = 0, 1 POT_SCALE_INT16: bool = true, }
    12 L2NormOptions { 0 FUSED_ACTIVATION_FUNCTION: i8 = 0, }
    13 LocalResponseNormalizationOptions {
        0 RADIUS: i32 = 0, 1 BIAS: f32 = 0.0, 2 ALPHA: f32 = 0.0, 3 BETA: f32 = 0.0,
    }
    14 LSTMOptions {
        0 FUSED_ACTIVATION_FUNCTION: i8 = 0, 1 CELL_CLIP: f32 = 0.0, 2 PROJ_CLIP: f32 = 0.0,
        3 KERNEL_TYPE: i8 = 0, 4 ASYMMETRIC_QUANTIZE_INPUTS: bool = false,
    }
    15 ResizeBilinearOptions { 2 ALIGN_CORNERS: bool = false, 3 HALF_PIXEL_CENTERS: bool = false, }
    16 CallOptions { 0 SUBGRAPH: u32 = 0, }
    17 ReshapeOptions { 0 NEW_SHAPE: [i32], }
    18 SkipGramOptions {
        0 NGRAM_SIZE: i32 = 0, 1 MAX_SKIP_SIZE: i32 = 0, 2 INCLUDE_ALL_NGRAMS: bool = false,
    }
    19 SpaceToDepthOptions { 0 BLOCK_SIZE: i32 = 0, }
    20 EmbeddingLookupSparseOptions { 0 COMBINER: i8 = 0, }
    21 MulOptions { 0 FUSED_ACTIVATION_FUNCTION: i8 = 0, }
    22 PadOptions {}
    23 GatherOptions { 0 AXIS: i32 = 0, 1 BATCH_DIMS: i32 = 0, }
    24 BatchToSpaceNDOptions {}
    25 SpaceToBatchNDOptions {}
    26 TransposeOptions {}
    27 ReducerOptions { 0 KEEP_DIMS: bool = false, }
    28 SubOptions { 0 FUSED_ACTIVATION_FUNCTION: i8 = 0, 1 POT_SCALE_INT16: bool = true, }
    29 DivOptions { 0 FUSED_ACTIVATION_FUNCTION: i8 = 0, }
    30 SqueezeOptions { 0 SQUEEZE_DIMS: [i32], }
    31 SequenceRNNOptions {
        0 TIME_MAJOR: bool = false, 1 FUSED_ACTIVATION_FUNCTION: i8 = 0,
        2 ASYMMETRIC_QUANTIZE_INPUTS: bool = false,
    }
    32 StridedSliceOptions {
        0 BEGIN_MASK: i32 = 0, 1 END_MASK: i32 = 0, 2 ELLIPSIS_MASK: i32 = 0,
        3 NEW_AXIS_MASK: i32 = 0, 4 SHRINK_AXIS_MASK: i32 = 0, 5 OFFSET: bool = false,
    }
    33 ExpOptions {}
    34 TopKV2Options {}
    35 SplitOptions { 0 NUM_SPLITS: i32 = 0, }
    36 LogSoftmaxOptions {}
    37 CastOptions { 0 IN_DATA_TYPE: i8 = 0, 1 OUT_DATA_TYPE: i8 = 0, }
    38 DequantizeOptions {}
    39 MaximumMinimumOptions {}
    40 ArgMaxOptions { 0 OUTPUT_TYPE: i8 = 0, }
    41 LessOptions {}
    42 NegOptions {}
    43 PadV2Options {}
    44 GreaterOptions {}
    45 GreaterEqualOptions {}
    46 LessEqualOptions {}
    47 SelectOptions {}
    48 SliceOptions {}
    49 TransposeConvOptions {
        0 PADDING: i8 = 0, 1 STRIDE_W: i32 = 0, 2 STRIDE_H: i32 = 0,
        3 FUSED_ACTIVATION_FUNCTION: i8 = 0, 4 QUANTIZED_BIAS_TYPE: i8 = 0,
    }
    50 SparseToDenseOptions { 0 VALIDATE_INDICES: bool = false, }
    51 TileOptions {}
    52 ExpandDimsOptions {}
    53 EqualOptions {}
    54 NotEqualOptions {}
    55 ShapeOptions { 0 OUT_TYPE: i8 = 0, }
    56 PowOptions {}
    57 ArgMinOptions { 0 OUTPUT_TYPE: i8 = 0, }
    58 FakeQuantOptions {
        0 MIN: f32 = 0.0, 1 MAX: f32 = 0.0, 2 NUM_BITS: i32 = 0, 3 NARROW_RANGE: bool = false,
    }
    59 PackOptions { 0 VALUES_COUNT: i32 = 0, 1 AXIS: i32 = 0, }
    60 LogicalOrOptions {}
    61 OneHotOptions { 0 AXIS: i32 = 0, }
    62 LogicalAndOptions {}
    63 LogicalNotOptions {}
    64 UnpackOptions { 0 NUM: i32 = 0, 1 AXIS: i32 = 0, }
    65 FloorDivOptions {}
    66 SquareOptions {}
    67 ZerosLikeOptions {}
    68 FillOptions {}
    69 BidirectionalSequenceLSTMOptions {
        0 FUSED_ACTIVATION_FUNCTION: i8 = 0, 1 CELL_CLIP: f32 = 0.0, 2 PROJ_CLIP: f32 = 0.0,
        3 MERGE_OUTPUTS: bool = false, 4 TIME_MAJOR: bool = true,
        5 ASYMMETRIC_QUANTIZE_INPUTS: bool = false,
    }
    70 BidirectionalSequenceRNNOptions {
        0 TIME_MAJOR: bool = false, 1 FUSED_ACTIVATION_FUNCTION: i8 = 0,
        2 MERGE_OUTPUTS: bool = false, 3 ASYMMETRIC_QUANTIZE_INPUTS: bool = false,
    }
    71 UnidirectionalSequenceLSTMOptions {
        0 FUSED_ACTIVATION_FUNCTION: i8 = 0, 1 CELL_CLIP: f32 = 0.0, 2 PROJ_CLIP: f32 = 0.0,
        3 TIME_MAJOR: bool = false, 4 ASYMMETRIC_QUANTIZE_INPUTS: bool = false,
        5 DIAGONAL_RECURRENT_TENSORS: bool = false,
    }
    72 FloorModOptions {}
    73 RangeOptions {}
    74 ResizeNearestNeighborOptions {
        0 ALIGN_CORNERS: bool = false, 1 HALF_PIXEL_CENTERS: bool = false,
    }
    75 LeakyReluOptions { 0 ALPHA: f32 = 0.0, }
    76 SquaredDifferenceOptions {}
    77 MirrorPadOptions { 0 MODE: i8 = 0, }
    78 AbsOptions {}
    79 SplitVOptions { 0 NUM_SPLITS: i32 = 0, }
    80 UniqueOptions { 0 IDX_OUT_TYPE: i8 = 2, }
    81 ReverseV2Options {}
    82 AddNOptions {}
    83 GatherNdOptions {}
    84 CosOptions {}
    85 WhereOptions {}
    86 RankOptions {}
    87 ReverseSequenceOptions { 0 SEQ_DIM: i32 = 0, 1 BATCH_DIM: i32 = 0, }
    88 MatrixDiagOptions {}
    89 QuantizeOptions {}
    90 MatrixSetDiagOptions {}
    91 HardSwishOptions {}
    92 IfOptions { 0 THEN_SUBGRAPH_INDEX: i32 = 0, 1 ELSE_SUBGRAPH_INDEX: i32 = 0, }
    93 WhileOptions { 0 COND_SUBGRAPH_INDEX: i32 = 0, 1 BODY_SUBGRAPH_INDEX: i32 = 0, }
    94 DepthToSpaceOptions { 0 BLOCK_SIZE: i32 = 0, }
    95 NonMaxSuppressionV4Options {}
    96 NonMaxSuppressionV5Options {}
    97 ScatterNdOptions {}
    98 SelectV2Options {}
    99 DensifyOptions {}
    100 SegmentSumOptions {}
    101 BatchMatMulOptions {
        0 ADJ_X: bool = false, 1 ADJ_Y: bool = false, 2 ASYMMETRIC_QUANTIZE_INPUTS: bool = false,
    }
    102 CumsumOptions { 0 EXCLUSIVE: bool = false, 1 REVERSE: bool = false, }
    103 CallOnceOptions { 0 INIT_SUBGRAPH_INDEX: i32 = 0, }
    104 BroadcastToOptions {}
    105 Rfft2dOptions {}
    106 Conv3DOptions {
        0 PADDING: i8 = 0, 1 STRIDE_D: i32 = 0, 2 STRIDE_W: i32 = 0, 3 STRIDE_H: i32 = 0,
        4 FUSED_ACTIVATION_FUNCTION: i8 = 0, 5 DILATION_D_FACTOR: i32 = 1,
        6 DILATION_W_FACTOR: i32 = 1, 7 DILATION_H_FACTOR: i32 = 1,
    }
    107 HashtableOptions { 0 TABLE_ID: i32 = 0, 1 KEY_DTYPE: i8 = 0, 2 VALUE_DTYPE: i8 = 0, }
    108 HashtableFindOptions {}
    109 HashtableImportOptions {}
    110 HashtableSizeOptions {}
    111 VarHandleOptions { 0 CONTAINER: str, 1 SHARED_NAME: str, }
    112 ReadVariableOptions {}
    113 AssignVariableOptions {}
    114 RandomOptions { 0 SEED: i64 = 0, 1 SEED2: i64 = 0, }
    115 BucketizeOptions { 0 BOUNDARIES: [f32], }
    116 GeluOptions { 0 APPROXIMATE: bool = false, }
    117 DynamicUpdateSliceOptions {}
    118 UnsortedSegmentProdOptions {}
    119 UnsortedSegmentMaxOptions {}
    120 UnsortedSegmentMinOptions {}
    121 UnsortedSegmentSumOptions {}
    122 ATan2Options {}
    123 SignOptions {}
    124 BitcastOptions {}
    125 BitwiseXorOptions {}
    126 RightShiftOptions {}
}

#[rustfmt::skip]
tables! { BuiltinOptions2:
    1 StablehloConcatenateOptions { 0 DIMENSION: i64 = 0, }
    2 StablehloBroadcastInDimOptions { 0 BROADCAST_DIMENSIONS: [i64], }
    3 StablehloSliceOptions { 0 START_INDICES: [i64], 1 LIMIT_INDICES: [i64], 2 STRIDES: [i64], }
    4 StablehloConvolutionOptions {
        0 WINDOW_STRIDES: [i64], 1 PADDING: [i64], 2 LHS_DILATION: [i64], 3 RHS_DILATION: [i64],
        4 WINDOW_REVERSAL: [bool], 5 INPUT_BATCH_DIMENSION: i64 = 0,
        6 INPUT_FEATURE_DIMENSION: i64 = 0, 7 INPUT_SPATIAL_DIMENSIONS: [i64],
        8 KERNEL_INPUT_FEATURE_DIMENSION: i64 = 0, 9 KERNEL_OUTPUT_FEATURE_DIMENSION: i64 = 0,
        10 KERNEL_SPATIAL_DIMENSIONS: [i64], 11 OUTPUT_BATCH_DIMENSION: i64 = 0,
        12 OUTPUT_FEATURE_DIMENSION: i64 = 0, 13 OUTPUT_SPATIAL_DIMENSIONS: [i64],
        14 FEATURE_GROUP_COUNT: i64 = 0, 15 BATCH_GROUP_COUNT: i64 = 0, 16 PRECISION_CONFIG: [u32],
    }
    5 StablehloCustomCallOptions {
        0 CALL_TARGET_NAME: str, 1 HAS_SIDE_EFFECT: bool = false, 2 BACKEND_CONFIG: str,
        3 API_VERSION: i32 = 0, 4 CALLED_COMPUTATIONS: [i32], 5 CUSTOM_ATTRIBUTES: [u8],
    }
    6 StablehloReduceOptions { 0 DIMENSIONS: [i64], 1 BODY_SUBGRAPH_INDEX: i32 = 0, }
    7 StablehloScatterOptions {
        0 INDICES_ARE_SORTED: bool = false, 1 UPDATE_WINDOW_DIMS: [i64],
        2 INSERTED_WINDOW_DIMS: [i64], 3 SCATTER_DIMS_TO_OPERAND_DIMS: [i64],
        4 INDEX_VECTOR_DIM: i64 = 0, 5 UNIQUE_INDICES: bool = false,
        6 UPDATE_COMPUTATION_SUBGRAPH_INDEX: i32 = 0,
    }
    8 StablehloCompareOptions { 0 COMPARISON_DIRECTION: u32 = 0, 1 COMPARE_TYPE: u32 = 0, }
    9 StablehloDynamicSliceOptions { 0 SLICE_SIZES: [i64], }
    10 StablehloPadOptions {
        0 EDGE_PADDING_LOW: [i64], 1 EDGE_PADDING_HIGH: [i64], 2 INTERIOR_PADDING: [i64],
    }
    11 StablehloIotaOptions { 0 IOTA_DIMENSION: i64 = 0, }
    12 StablehloDotGeneralOptions {
        0 LHS_BATCHING_DIMENSIONS: [i64], 1 RHS_BATCHING_DIMENSIONS: [i64],
        2 LHS_CONTRACTING_DIMENSIONS: [i64], 3 RHS_CONTRACTING_DIMENSIONS: [i64],
        4 PRECISION_CONFIG: [u32],
    }
    13 StablehloReduceWindowOptions {
        0 WINDOW_DIMENSIONS: [i64], 1 WINDOW_STRIDES: [i64], 2 BASE_DILATIONS: [i64],
        3 WINDOW_DILATIONS: [i64], 4 PADDING: [i64], 5 BODY_SUBGRAPH_INDEX: i32 = 0,
    }
    14 StablehloSortOptions {
        0 DIMENSION: i64 = 0, 1 IS_STABLE: bool = false, 2 COMPARATOR_SUBGRAPH_INDEX: i32 = 0,
    }
    15 StablehloWhileOptions { 0 COND_SUBGRAPH_INDEX: i32 = 0, 1 BODY_SUBGRAPH_INDEX: i32 = 0, }
    16 StablehloGatherOptions {
        0 OFFSET_DIMS: [i64], 1 COLLAPSED_SLICE_DIMS: [i64], 2 START_INDEX_MAP: [i64],
        3 INDEX_VECTOR_DIM: i64 = 0, 4 SLICE_SIZES: [i64], 5 INDICES_ARE_SORTED: bool = false,
    }
    17 StablehloTransposeOptions { 0 PERMUTATION: [i64], }
    18 DilateOptions {}
    19 StablehloRngBitGeneratorOptions { 0 ALGORITHM: i8 = 0, }
    20 ReduceWindowOptions { 0 REDUCE_FUNCTION: i32 = 0, }
    21 StableHLOCompositeOptions {
        0 NAME: str, 1 DECOMPOSITION_SUBGRAPH_INDEX: i32 = 0, 2 COMPOSITE_ATTRIBUTES: [u8],
        3 COMPOSITE_ATTRIBUTES_FORMAT: i8 = 0, 4 VERSION: i32 = 0,
    }
    22 StablehloShiftLeftOptions {}
    23 StablehloCaseOptions { 0 BRANCH_SUBGRAPH_INDICES: [i32], }
}
