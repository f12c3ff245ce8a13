//! The builtin operators: their codes (in [`op`](super::op)), option tables, and the names of their operands.

use super::tables::*;
use super::{OptionsTable, TableInfo};
use crate::OperandSchema;

/// The schema's information about a builtin operator.
#[derive(Clone, Copy, Debug)]
pub struct OperatorInfo {
    /// The operator's code.
    pub code: i32,
    /// The operator's name in the schema.
    pub name: &'static str,
    /// The table of its options; `None` if it has no options.
    pub options: Option<TableInfo>,
    operands: Option<&'static str>,
}

impl OperatorInfo {
    /// The inputs, with TensorFlow Lite's names. `None` for CUSTOM, DELEGATE and the few ops whose lists have no fixed
    /// order. LSTM has the inputs of the full kernel.
    pub fn inputs(&self) -> Option<impl Iterator<Item = OperandSchema>> {
        Some(parsed(self.operands?.split_once('>')?.0))
    }

    /// The outputs, as for the inputs.
    pub fn outputs(&self) -> Option<impl Iterator<Item = OperandSchema>> {
        Some(parsed(self.operands?.split_once('>')?.1))
    }
}

fn parsed(list: &'static str) -> impl Iterator<Item = OperandSchema> {
    list.split_ascii_whitespace().map(|word| {
        let name = word.trim_end_matches(['?', '+', '*']);
        OperandSchema { name, optional: word.ends_with(['?', '*']), variadic: word.ends_with(['+', '*']) }
    })
}

/// The inputs of one direction of an LSTM, from the first weights to the projection, with this prefix.
#[rustfmt::skip]
macro_rules! gates {
    ($direction:literal) => {
        concat!(
            $direction, "input_to_input_weights? ", $direction, "input_to_forget_weights ",
            $direction, "input_to_cell_weights ", $direction, "input_to_output_weights ",
            $direction, "recurrent_to_input_weights? ", $direction, "recurrent_to_forget_weights ",
            $direction, "recurrent_to_cell_weights ", $direction, "recurrent_to_output_weights ",
            $direction, "cell_to_input_weights? ", $direction, "cell_to_forget_weights? ",
            $direction, "cell_to_output_weights? ", $direction, "input_gate_bias? ",
            $direction, "forget_gate_bias ", $direction, "cell_bias ", $direction, "output_gate_bias ",
            $direction, "projection_weights? ", $direction, "projection_bias? ",
        )
    };
}

#[rustfmt::skip]
const LSTM: &str = concat!(
    "input ", gates!(""), "input_activation_state input_cell_state input_layer_norm_coefficients? forget_layer_norm_coefficients? \
     cell_layer_norm_coefficients? output_layer_norm_coefficients? > output"
);
#[rustfmt::skip]
const BIDIRECTIONAL_LSTM: &str = concat!(
    "input ", gates!("fw_"), gates!("bw_"), "fw_input_activation_state fw_input_cell_state bw_input_activation_state \
     bw_input_cell_state aux_input? fw_aux_input_to_input_weights? fw_aux_input_to_forget_weights? fw_aux_input_to_cell_weights? \
     fw_aux_input_to_output_weights? bw_aux_input_to_input_weights? bw_aux_input_to_forget_weights? bw_aux_input_to_cell_weights? \
     bw_aux_input_to_output_weights? > fw_output bw_output?"
);

/// One operator per line: code, name, options table, inputs and outputs. `bias?` is optional, `values+` is one or more
/// tensors, `inputs*` any number.
macro_rules! operators {
    ($($code:literal $name:ident $($table:ident)? $(: $operands:expr)?,)*) => {
        /// The codes of the builtin operators, with their names in the schema.
        pub mod op {
            $(
                #[doc = concat!("Code ", $code, $("; options: [`", stringify!($table), "`](super::", stringify!($table), ")",)? ".")]
                pub const $name: i32 = $code;
            )*
        }

        /// All builtin operators, sorted by code.
        pub const OPERATORS: &[OperatorInfo] = &[$(OperatorInfo {
            code: $code,
            name: stringify!($name),
            options: operators!(@options $($table)?),
            operands: operators!(@operands $($operands)?),
        },)*];
    };
    (@operands) => { None };
    (@operands $operands:expr) => { Some($operands) };
    (@options) => { None };
    (@options $table:ident) => { Some($table::INFO) };
}

#[rustfmt::skip]
operators! {
    0 ADD AddOptions: "lhs rhs > output",
    1 AVERAGE_POOL_2D Pool2DOptions: "input > output",
    2 CONCATENATION ConcatenationOptions: "values+ > output",
    3 CONV_2D Conv2DOptions: "input filter bias? > output",
    4 DEPTHWISE_CONV_2D DepthwiseConv2DOptions: "input filter bias? > output",
    5 DEPTH_TO_SPACE DepthToSpaceOptions: "input > output",
    6 DEQUANTIZE DequantizeOptions: "input > output",
    7 EMBEDDING_LOOKUP: "lookup value > output",
    8 FLOOR: "x > y",
    9 FULLY_CONNECTED FullyConnectedOptions: "input filter bias? > output",
    10 HASHTABLE_LOOKUP: "lookup key value > output hits",
    11 L2_NORMALIZATION L2NormOptions: "input > output",
    12 L2_POOL_2D Pool2DOptions: "input > output",
    13 LOCAL_RESPONSE_NORMALIZATION LocalResponseNormalizationOptions: "input > output",
    14 LOGISTIC: "x > y",
    15 LSH_PROJECTION LSHProjectionOptions: "hash input weight? > output",
    16 LSTM LSTMOptions: LSTM,
    17 MAX_POOL_2D Pool2DOptions: "input > output",
    18 MUL MulOptions: "lhs rhs > output",
    19 RELU: "x > y",
    20 RELU_N1_TO_1: "x > y",
    21 RELU6: "x > y",
    22 RESHAPE ReshapeOptions: "input shape? > output",
    23 RESIZE_BILINEAR ResizeBilinearOptions: "input size > output",
    24 RNN RNNOptions: "input weights recurrent_weights bias hidden_state > output",
    25 SOFTMAX SoftmaxOptions: "input > output",
    26 SPACE_TO_DEPTH SpaceToDepthOptions: "input > output",
    27 SVDF SVDFOptions: "input feature_weights time_weights input_gate_bias? activation_state > output",
    28 TANH: "input > output",
    29 CONCAT_EMBEDDINGS ConcatEmbeddingsOptions,
    30 SKIP_GRAM SkipGramOptions: "input > output",
    31 CALL CallOptions: "inputs* > outputs*",
    32 CUSTOM,
    33 EMBEDDING_LOOKUP_SPARSE EmbeddingLookupSparseOptions: "ids indices dense_shape weights value > output",
    34 PAD PadOptions: "input padding constant_values? > output",
    35 UNIDIRECTIONAL_SEQUENCE_RNN SequenceRNNOptions: "input input_to_input_weights recurrent_to_input_weights input_gate_bias hidden_state > output",
    36 GATHER GatherOptions: "params indices > output",
    37 BATCH_TO_SPACE_ND BatchToSpaceNDOptions: "input block_shape indices > output",
    38 SPACE_TO_BATCH_ND SpaceToBatchNDOptions: "input block_shape paddings > output",
    39 TRANSPOSE TransposeOptions: "input perm > output",
    40 MEAN ReducerOptions: "input axis > output",
    41 SUB SubOptions: "lhs rhs > output",
    42 DIV DivOptions: "lhs rhs > output",
    43 SQUEEZE SqueezeOptions: "input > output",
    44 UNIDIRECTIONAL_SEQUENCE_LSTM UnidirectionalSequenceLSTMOptions: LSTM,
    45 STRIDED_SLICE StridedSliceOptions: "input begin end strides > output",
    46 BIDIRECTIONAL_SEQUENCE_RNN BidirectionalSequenceRNNOptions:
        "input fw_weights fw_recurrent_weights fw_bias fw_hidden_state \
         bw_weights bw_recurrent_weights bw_bias bw_hidden_state aux_input? fw_aux_weights? bw_aux_weights? > fw_output bw_output?",
    47 EXP ExpOptions: "x > y",
    48 TOPK_V2 TopKV2Options: "input k > values indices",
    49 SPLIT SplitOptions: "split_dim value > outputs+",
    50 LOG_SOFTMAX LogSoftmaxOptions: "input > output",
    51 DELEGATE,
    52 BIDIRECTIONAL_SEQUENCE_LSTM BidirectionalSequenceLSTMOptions: BIDIRECTIONAL_LSTM,
    53 CAST CastOptions: "input > output",
    54 PRELU: "input alpha > output",
    55 MAXIMUM MaximumMinimumOptions: "lhs rhs > max",
    56 ARG_MAX ArgMaxOptions: "input dim > output",
    57 MINIMUM MaximumMinimumOptions: "lhs rhs > min",
    58 LESS LessOptions: "lhs rhs > output",
    59 NEG NegOptions: "x > y",
    60 PADV2 PadV2Options: "input padding constant_values? > output",
    61 GREATER GreaterOptions: "lhs rhs > output",
    62 GREATER_EQUAL GreaterEqualOptions: "lhs rhs > output",
    63 LESS_EQUAL LessEqualOptions: "lhs rhs > output",
    64 SELECT SelectOptions: "condition x y > output",
    65 SLICE SliceOptions: "input begin size > output",
    66 SIN: "x > y",
    67 TRANSPOSE_CONV TransposeConvOptions: "output_shape weights input bias? > output",
    68 SPARSE_TO_DENSE SparseToDenseOptions: "sparse_indices output_shape sparse_values default_value > dense",
    69 TILE TileOptions: "input multiples > output",
    70 EXPAND_DIMS ExpandDimsOptions: "input dim > output",
    71 EQUAL EqualOptions: "x y > output",
    72 NOT_EQUAL NotEqualOptions: "lhs rhs > output",
    73 LOG: "x > y",
    74 SUM ReducerOptions: "input axes > output",
    75 SQRT: "x > y",
    76 RSQRT: "x > y",
    77 SHAPE ShapeOptions: "input > output",
    78 POW PowOptions: "lhs rhs > output",
    79 ARG_MIN ArgMinOptions: "input dim > output",
    80 FAKE_QUANT FakeQuantOptions: "input > output",
    81 REDUCE_PROD ReducerOptions: "input axes > output",
    82 REDUCE_MAX ReducerOptions: "input axes > output",
    83 PACK PackOptions: "values+ > output",
    84 LOGICAL_OR LogicalOrOptions: "lhs rhs > output",
    85 ONE_HOT OneHotOptions: "indices depth on_value off_value > output",
    86 LOGICAL_AND LogicalAndOptions: "lhs rhs > output",
    87 LOGICAL_NOT LogicalNotOptions: "lhs > output",
    88 UNPACK UnpackOptions: "input > outputs*",
    89 REDUCE_MIN ReducerOptions: "input axes > output",
    90 FLOOR_DIV FloorDivOptions: "lhs rhs > output",
    91 REDUCE_ANY ReducerOptions: "input reduction_indices > output",
    92 SQUARE SquareOptions: "x > y",
    93 ZEROS_LIKE ZerosLikeOptions: "input > output",
    94 FILL FillOptions: "dims input > result",
    95 FLOOR_MOD FloorModOptions: "lhs rhs > output",
    96 RANGE RangeOptions: "start limit delta > result",
    97 RESIZE_NEAREST_NEIGHBOR ResizeNearestNeighborOptions: "input size > output",
    98 LEAKY_RELU LeakyReluOptions: "input > output",
    99 SQUARED_DIFFERENCE SquaredDifferenceOptions: "lhs rhs > output",
    100 MIRROR_PAD MirrorPadOptions: "input pad > output",
    101 ABS AbsOptions: "x > y",
    102 SPLIT_V SplitVOptions: "value size_splits split_dim > outputs+",
    103 UNIQUE UniqueOptions: "input > output idx",
    104 CEIL: "x > y",
    105 REVERSE_V2 ReverseV2Options: "input axis > output",
    106 ADD_N AddNOptions: "inputs+ > sum",
    107 GATHER_ND GatherNdOptions: "params indices > output",
    108 COS CosOptions: "x > y",
    109 WHERE WhereOptions: "condition > index",
    110 RANK RankOptions: "input > output",
    111 ELU: "x > y",
    112 REVERSE_SEQUENCE ReverseSequenceOptions: "input seq_lengths > output",
    113 MATRIX_DIAG MatrixDiagOptions: "diagonal > output",
    114 QUANTIZE QuantizeOptions: "input > output",
    115 MATRIX_SET_DIAG MatrixSetDiagOptions: "input diagonal > result",
    116 ROUND: "x > y",
    117 HARD_SWISH HardSwishOptions: "input > output",
    118 IF IfOptions: "cond inputs* > outputs*",
    119 WHILE WhileOptions: "inputs* > outputs*",
    120 NON_MAX_SUPPRESSION_V4 NonMaxSuppressionV4Options: "boxes scores max_output_size iou_threshold score_threshold > selected_indices valid_outputs",
    121 NON_MAX_SUPPRESSION_V5 NonMaxSuppressionV5Options: "boxes scores max_output_size iou_threshold score_threshold soft_nms_sigma > selected_indices selected_scores valid_outputs",
    122 SCATTER_ND ScatterNdOptions: "indices updates shape > output",
    123 SELECT_V2 SelectV2Options: "condition x y > output",
    124 DENSIFY DensifyOptions: "input > output",
    125 SEGMENT_SUM SegmentSumOptions: "input segment_ids > output",
    126 BATCH_MATMUL BatchMatMulOptions: "x y > output",
    127 PLACEHOLDER_FOR_GREATER_OP_CODES,
    128 CUMSUM CumsumOptions: "input axis > output",
    129 CALL_ONCE CallOnceOptions: ">",
    130 BROADCAST_TO BroadcastToOptions: "input shape > output",
    131 RFFT2D Rfft2dOptions: "input fft_length > output",
    132 CONV_3D Conv3DOptions: "input filter bias? > output",
    133 IMAG: "input > output",
    134 REAL: "input > output",
    135 COMPLEX_ABS: "input > output",
    136 HASHTABLE HashtableOptions: "> out",
    137 HASHTABLE_FIND HashtableFindOptions: "hash_table keys default_value > out",
    138 HASHTABLE_IMPORT HashtableImportOptions: "hash_table keys values >",
    139 HASHTABLE_SIZE HashtableSizeOptions: "hash_table > out",
    140 REDUCE_ALL ReducerOptions: "input reduction_indices > output",
    141 CONV_3D_TRANSPOSE Conv3DOptions: "output_shape filter input bias? > output",
    142 VAR_HANDLE VarHandleOptions: "> resource_handle",
    143 READ_VARIABLE ReadVariableOptions: "resource_id > result",
    144 ASSIGN_VARIABLE AssignVariableOptions: "resource_id value >",
    145 BROADCAST_ARGS: "s0 s1 > r0",
    146 RANDOM_STANDARD_NORMAL RandomOptions: "shape > out",
    147 BUCKETIZE BucketizeOptions: "input > output",
    148 RANDOM_UNIFORM RandomOptions: "shape > out",
    149 MULTINOMIAL RandomOptions: "logits num_samples > out",
    150 GELU GeluOptions: "input > output",
    151 DYNAMIC_UPDATE_SLICE DynamicUpdateSliceOptions: "operand update start_indices > output",
    152 RELU_0_TO_1: "x > y",
    153 UNSORTED_SEGMENT_PROD UnsortedSegmentProdOptions: "input segment_ids num_segments > output",
    154 UNSORTED_SEGMENT_MAX UnsortedSegmentMaxOptions: "input segment_ids num_segments > output",
    155 UNSORTED_SEGMENT_SUM UnsortedSegmentSumOptions: "input segment_ids num_segments > output",
    156 ATAN2 ATan2Options: "y x > output",
    157 UNSORTED_SEGMENT_MIN UnsortedSegmentMinOptions: "input segment_ids num_segments > output",
    158 SIGN SignOptions: "x > output",
    159 BITCAST BitcastOptions: "input > output",
    160 BITWISE_XOR BitwiseXorOptions: "lhs rhs > output",
    161 RIGHT_SHIFT RightShiftOptions: "lhs rhs > output",
    162 STABLEHLO_LOGISTIC: "operand > result",
    163 STABLEHLO_ADD: "lhs rhs > result",
    164 STABLEHLO_DIVIDE: "lhs rhs > result",
    165 STABLEHLO_MULTIPLY: "lhs rhs > result",
    166 STABLEHLO_MAXIMUM: "lhs rhs > result",
    167 STABLEHLO_RESHAPE: "operand > result",
    168 STABLEHLO_CLAMP: "min operand max > result",
    169 STABLEHLO_CONCATENATE StablehloConcatenateOptions: "inputs+ > result",
    170 STABLEHLO_BROADCAST_IN_DIM StablehloBroadcastInDimOptions: "operand > result",
    171 STABLEHLO_CONVOLUTION StablehloConvolutionOptions: "lhs rhs > result",
    172 STABLEHLO_SLICE StablehloSliceOptions: "operand > result",
    173 STABLEHLO_CUSTOM_CALL StablehloCustomCallOptions: "inputs* > results*",
    174 STABLEHLO_REDUCE StablehloReduceOptions,
    175 STABLEHLO_ABS: "operand > result",
    176 STABLEHLO_AND: "lhs rhs > result",
    177 STABLEHLO_COSINE: "operand > result",
    178 STABLEHLO_EXPONENTIAL: "operand > result",
    179 STABLEHLO_FLOOR: "operand > result",
    180 STABLEHLO_LOG: "operand > result",
    181 STABLEHLO_MINIMUM: "lhs rhs > result",
    182 STABLEHLO_NEGATE: "operand > result",
    183 STABLEHLO_OR: "lhs rhs > result",
    184 STABLEHLO_POWER: "lhs rhs > result",
    185 STABLEHLO_REMAINDER: "lhs rhs > result",
    186 STABLEHLO_RSQRT: "operand > result",
    187 STABLEHLO_SELECT: "pred on_true on_false > result",
    188 STABLEHLO_SUBTRACT: "lhs rhs > result",
    189 STABLEHLO_TANH: "operand > result",
    190 STABLEHLO_SCATTER StablehloScatterOptions: "inputs scatter_indices updates > results",
    191 STABLEHLO_COMPARE StablehloCompareOptions: "lhs rhs > result",
    192 STABLEHLO_CONVERT: "operand > result",
    193 STABLEHLO_DYNAMIC_SLICE StablehloDynamicSliceOptions: "operand start_indices+ > result",
    194 STABLEHLO_DYNAMIC_UPDATE_SLICE: "operand update start_indices+ > result",
    195 STABLEHLO_PAD StablehloPadOptions: "operand padding_value > result",
    196 STABLEHLO_IOTA StablehloIotaOptions: "> output",
    197 STABLEHLO_DOT_GENERAL StablehloDotGeneralOptions: "lhs rhs > result",
    198 STABLEHLO_REDUCE_WINDOW StablehloReduceWindowOptions: "inputs init_values > results",
    199 STABLEHLO_SORT StablehloSortOptions: "inputs+ > results+",
    200 STABLEHLO_WHILE StablehloWhileOptions: "operand* > results*",
    201 STABLEHLO_GATHER StablehloGatherOptions: "operand start_indices > result",
    202 STABLEHLO_TRANSPOSE StablehloTransposeOptions: "operand > result",
    203 DILATE DilateOptions: "input dilations padding_value > output",
    204 STABLEHLO_RNG_BIT_GENERATOR StablehloRngBitGeneratorOptions: "initial_state > output_state output",
    205 REDUCE_WINDOW ReduceWindowOptions: "input init_value window_shape window_strides window_dilations > output",
    206 STABLEHLO_COMPOSITE StableHLOCompositeOptions: "inputs* > outputs*",
    207 STABLEHLO_SHIFT_LEFT StablehloShiftLeftOptions: "lhs rhs > result",
    208 STABLEHLO_CBRT: "operand > result",
    209 STABLEHLO_CASE StablehloCaseOptions: "index inputs* > outputs*",
}
