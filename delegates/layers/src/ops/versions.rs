//! The newest version of each op whose meaning is known here.

use arenite_abi::prelude::*;

macro_rules! newest {
    ($($op:ident $version:literal)*) => {
        /// Name and newest version of an op; `None` of one that is never taken.
        fn newest(code: i32) -> Option<(&'static str, i32)> {
            match code {
                $(op::$op => Some((stringify!($op), $version)),)*
                _ => None,
            }
        }
    };
}

newest! {
    ABS 5  ADD 6  AVERAGE_POOL_2D 3  BATCH_MATMUL 4  BATCH_TO_SPACE_ND 4  BROADCAST_TO 4  CAST 9  CEIL 1  CONCATENATION 7  CONV_2D 8
    DEPTH_TO_SPACE 2  DEPTHWISE_CONV_2D 7  DEQUANTIZE 9  DIV 2  DYNAMIC_UPDATE_SLICE 6  ELU 1  EMBEDDING_LOOKUP 5  EQUAL 5
    EXP 2  EXPAND_DIMS 1  FLOOR 1  FULLY_CONNECTED 14  GATHER 8  GELU 3  GREATER 2  GREATER_EQUAL 3  HARD_SWISH 1
    LEAKY_RELU 2  LESS 3  LESS_EQUAL 2  LOG_SOFTMAX 2  LOGICAL_AND 1  LOGICAL_NOT 1  LOGICAL_OR 1  LOGISTIC 3  LSTM 4  MAX_POOL_2D 3
    MAXIMUM 4  MEAN 3  MINIMUM 4  MIRROR_PAD 3  MUL 8  NEG 1  NOT_EQUAL 4  PACK 5  PAD 6  PADV2 6  PRELU 1  QUANTIZE 6
    REDUCE_MAX 3  REDUCE_MIN 3  RELU 3  RELU6 3  RELU_0_TO_1 1  RELU_N1_TO_1 1  RESHAPE 1  RESIZE_BILINEAR 4
    RESIZE_NEAREST_NEIGHBOR 4  REVERSE_V2 4  ROUND 1  RSQRT 3  SELECT 4  SELECT_V2 2  SLICE 8  SOFTMAX 4  SPACE_TO_BATCH_ND 4  SPACE_TO_DEPTH 2
    SPLIT 5  SPLIT_V 3  SQRT 2  SQUARE 1  SQUARED_DIFFERENCE 2  SQUEEZE 2  STRIDED_SLICE 8  SUB 5  SUM 2  TANH 3  TILE 3
    TRANSPOSE 9  TRANSPOSE_CONV 5  UNPACK 6  WHILE 1
}

/// An error if the node's version is newer than what is known of its op.
pub fn check(node: &NodeView<'_>) -> Result<()> {
    match newest(node.builtin_code()) {
        Some((name, newest)) if node.version() > newest => {
            Err(unsupported!("{name} has version {}; versions up to {newest} are supported", node.version()))
        }
        _ => Ok(()),
    }
}
