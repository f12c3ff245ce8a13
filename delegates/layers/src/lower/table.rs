//! The facts about each op, one row per op.

use arenite_abi::prelude::*;
use arenite_base::{Binary, Clamp, PoolKind, Reduction, Unary};

use super::facts::Operations::{Elements, Products};
use super::facts::Quantized::{AsReals, AsStored, Refused};
use super::facts::{LayerFacts, OpFacts, Operations};
use super::source::Source;
use super::{
    batch_matmul, batches, conv_2d, depthwise_conv_2d, elementwise, fully_connected, gather,
    l2_normalization, moves, pads, pool_2d, reduce, reshape, resize, slices, softmax, transpose_conv,
};
use crate::layer::{Common, EpilogueOp};
use crate::net::Node;

type Lower = for<'s, 'a> fn(&Source<'s, 'a>) -> Result<Node<Common<'a>>>;

/// A row of the table.
struct Row {
    facts: OpFacts,
    /// `None` for an op that only engines have layers for.
    lower: Option<Lower>,
}

macro_rules! packed {
    (-) => {
        None
    };
    ($input:literal) => {
        Some($input)
    };
}

macro_rules! table {
    (
        common { $($op:ident $newest:literal $packed:tt $data:literal $quantized:expr, $work:expr, $lower:expr;)* }
        custom { $($name:literal $custom:literal $weights:tt $image:literal $steps:expr, $cost:expr, $build:expr;)* }
        engines { $($own:ident $own_newest:literal,)* }
    ) => {
        const TABLE: &[Row] = &[
            $(Row {
                facts: OpFacts {
                    code: OpCode::Builtin(op::$op),
                    name: stringify!($op),
                    newest: $newest,
                    layer: Some(LayerFacts {
                        packed: packed!($packed),
                        data: $data,
                        quantized: $quantized,
                        work: $work,
                    }),
                },
                lower: Some($lower),
            },)*
            $(Row {
                facts: OpFacts {
                    code: OpCode::Custom($name),
                    name: $name,
                    newest: $custom,
                    layer: Some(LayerFacts {
                        packed: packed!($weights),
                        data: $image,
                        quantized: $steps,
                        work: $cost,
                    }),
                },
                lower: Some($build),
            },)*
            $(Row {
                facts: OpFacts {
                    code: OpCode::Builtin(op::$own),
                    name: stringify!($own),
                    newest: $own_newest,
                    layer: None,
                },
                lower: None,
            },)*
        ];
    };
}

const NEGATIVE: &str = "quantized inputs below zero are an error, which the device cannot report";
const NOT_POSITIVE: &str =
    "quantized inputs of zero and less give the lowest output, which the device cannot compute";
const ZERO_POINTS: &str = "the reference op ignores the zero points of quantized tensors";
const BY_ZERO: &str = "division of quantized tensors by zero is an error, which the device cannot report";

const CONVOLUTION: Operations = Products(|x| x.each_result(x.weights.get(1..)));
const DEPTHWISE: Operations = Products(|x| x.each_result(x.weights.get(1..3)));
const DENSE: Operations = Products(|x| x.each_result(x.weights.last_chunk::<1>()));
const GRADIENT: Operations = Products(|x| x.each_input(x.weights.get(..3)));
const MATMUL: Operations = Products(|x| x.each_result(x.data.last_chunk::<1>()));

// Columns: op, newest known version, input that the layer packs if it is constant, input with the data, treatment of
// quantized tensors, operations, lowering. `custom` has the same columns. `engines` lists the ops without a common
// layer, with their newest known version.
table! {
    common {
        CONV_2D                   8  1  0  AsReals,              CONVOLUTION, conv_2d::lower;
        DEPTHWISE_CONV_2D         7  1  0  AsReals,              DEPTHWISE,   depthwise_conv_2d::lower;
        FULLY_CONNECTED          14  1  0  AsReals,              DENSE,       fully_connected::lower;
        TRANSPOSE_CONV            5  1  2  AsReals,              GRADIENT,    transpose_conv::lower;
        BATCH_MATMUL              4  -  0  AsReals,              MATMUL,      batch_matmul::lower;
        AVERAGE_POOL_2D           3  -  0  AsStored,             Elements,    |x| pool_2d::lower(x, PoolKind::Mean);
        MAX_POOL_2D               3  -  0  AsStored,             Elements,    |x| pool_2d::lower(x, PoolKind::Max);
        RESHAPE                   1  -  0  AsStored,             Elements,    reshape::lower;
        SQUEEZE                   2  -  0  AsStored,             Elements,    reshape::lower;
        EXPAND_DIMS               1  -  0  AsStored,             Elements,    reshape::lower;
        DEQUANTIZE                9  -  0  AsReals,              Elements,    reshape::dequantize;
        QUANTIZE                  6  -  0  AsReals,              Elements,    elementwise::quantize;
        SOFTMAX                   4  -  0  AsReals,              Elements,    softmax::softmax;
        L2_NORMALIZATION          2  -  0  AsReals,              Elements,    l2_normalization::lower;
        LOG_SOFTMAX               2  -  0  AsReals,              Elements,    softmax::log_softmax;
        MEAN                      3  -  0  AsReals,              Elements,    reduce::mean;
        SUM                       2  -  0  AsReals,              Elements,    |x| reduce::lower(x, Reduction::Sum);
        REDUCE_MAX                3  -  0  AsStored,             Elements,    |x| reduce::lower(x, Reduction::Max);
        REDUCE_MIN                3  -  0  AsStored,             Elements,    |x| reduce::lower(x, Reduction::Min);
        CONCATENATION             7  -  0  AsStored,             Elements,    moves::concatenation;
        PACK                      5  -  0  AsStored,             Elements,    moves::pack;
        SPLIT                     5  -  1  AsStored,             Elements,    moves::split;
        SPLIT_V                   3  -  0  AsStored,             Elements,    moves::split_v;
        UNPACK                    6  -  0  AsStored,             Elements,    moves::unpack;
        PAD                       6  -  0  AsStored,             Elements,    pads::pad;
        PADV2                     6  -  0  AsStored,             Elements,    pads::pad_v2;
        MIRROR_PAD                3  -  0  AsStored,             Elements,    pads::mirror;
        SLICE                     8  -  0  AsStored,             Elements,    slices::slice;
        STRIDED_SLICE             8  -  0  AsStored,             Elements,    slices::strided_slice;
        REVERSE_V2                4  -  0  AsStored,             Elements,    slices::reverse;
        TRANSPOSE                 9  -  0  AsStored,             Elements,    slices::transpose;
        TILE                      3  -  0  AsStored,             Elements,    slices::tile;
        BROADCAST_TO              4  -  0  AsStored,             Elements,    slices::broadcast;
        DEPTH_TO_SPACE            2  -  0  AsStored,             Elements,    slices::depth_to_space;
        SPACE_TO_DEPTH            2  -  0  AsStored,             Elements,    slices::space_to_depth;
        SPACE_TO_BATCH_ND         4  -  0  AsStored,             Elements,    batches::space_to_batch;
        BATCH_TO_SPACE_ND         4  -  0  AsStored,             Elements,    batches::batch_to_space;
        GATHER                    8  -  0  AsStored,             Elements,    gather::gather;
        GATHER_ND                 6  -  0  AsStored,             Elements,    gather::gather_nd;
        EMBEDDING_LOOKUP          5  -  1  AsStored,             Elements,    gather::embedding_lookup;
        RESIZE_BILINEAR           4  -  0  AsStored,             Elements,    resize::bilinear;
        RESIZE_NEAREST_NEIGHBOR   4  -  0  AsStored,             Elements,    resize::nearest;
        ADD                       6  -  0  AsReals,              Elements,    |x| elementwise::binary(x, Binary::Add);
        ADD_N                     1  -  0  AsReals,              Elements,    elementwise::add_n;
        MUL                       8  -  0  AsReals,              Elements,    |x| elementwise::binary(x, Binary::Mul);
        SUB                       5  -  0  AsReals,              Elements,    |x| elementwise::binary(x, Binary::Sub);
        DIV                       2  -  0  Refused(BY_ZERO),     Elements,    |x| elementwise::binary(x, Binary::Div);
        MAXIMUM                   4  -  0  AsStored,             Elements,    |x| elementwise::binary(x, Binary::Max);
        MINIMUM                   4  -  0  AsStored,             Elements,    |x| elementwise::binary(x, Binary::Min);
        SQUARED_DIFFERENCE        2  -  0  AsReals,              Elements,    |x| elementwise::binary(x, Binary::SquaredDifference);
        PRELU                     1  -  0  AsReals,              Elements,    |x| elementwise::binary(x, Binary::Leak);
        LOGISTIC                  3  -  0  AsReals,              Elements,    |x| function(x, Unary::Logistic);
        TANH                      3  -  0  AsReals,              Elements,    |x| function(x, Unary::Tanh);
        EXP                       2  -  0  AsReals,              Elements,    |x| function(x, Unary::Exp);
        LOG                       2  -  0  Refused(NOT_POSITIVE), Elements,   |x| function(x, Unary::Log);
        SIN                       2  -  0  AsReals,              Elements,    |x| function(x, Unary::Sin);
        COS                       2  -  0  AsReals,              Elements,    |x| function(x, Unary::Cos);
        NEG                       1  -  0  Refused(ZERO_POINTS), Elements,    |x| function(x, Unary::Neg);
        SQRT                      2  -  0  Refused(NEGATIVE),    Elements,    |x| function(x, Unary::Sqrt);
        RSQRT                     3  -  0  Refused(NEGATIVE),    Elements,    |x| function(x, Unary::Rsqrt);
        SQUARE                    1  -  0  AsReals,              Elements,    |x| function(x, Unary::Square);
        ABS                       5  -  0  AsReals,              Elements,    |x| function(x, Unary::Abs);
        HARD_SWISH                1  -  0  AsReals,              Elements,    |x| function(x, Unary::HardSwish);
        FLOOR                     1  -  0  AsReals,              Elements,    |x| function(x, Unary::Floor);
        CEIL                      1  -  0  AsReals,              Elements,    |x| function(x, Unary::Ceil);
        ROUND                     1  -  0  AsReals,              Elements,    |x| function(x, Unary::Round);
        SIGN                      2  -  0  AsReals,              Elements,    |x| function(x, Unary::Sign);
        ELU                       1  -  0  AsReals,              Elements,    |x| function(x, Unary::Elu);
        LEAKY_RELU                2  -  0  AsReals,              Elements,    elementwise::leaky_relu;
        GELU                      3  -  0  AsReals,              Elements,    elementwise::gelu;
        RELU                      3  -  0  AsReals,              Elements,    |x| clamp(x, 0.0, f32::INFINITY);
        RELU_N1_TO_1              1  -  0  AsReals,              Elements,    |x| clamp(x, -1.0, 1.0);
        RELU6                     3  -  0  AsReals,              Elements,    |x| clamp(x, 0.0, 6.0);
        RELU_0_TO_1               1  -  0  AsReals,              Elements,    |x| clamp(x, 0.0, 1.0);
    }
    custom {
        "Convolution2DTransposeBias" 1  1  0  AsReals, GRADIENT, transpose_conv::with_bias;
    }
    engines {
        ARG_MAX 3,
        ARG_MIN 3,
        ASSIGN_VARIABLE 1,
        CAST 9,
        CONV_3D 1,
        DYNAMIC_UPDATE_SLICE 6,
        EQUAL 5,
        FLOOR_DIV 3,
        FLOOR_MOD 2,
        GREATER 2,
        GREATER_EQUAL 3,
        LESS 3,
        LESS_EQUAL 2,
        LOGICAL_AND 1,
        LOGICAL_NOT 1,
        LOGICAL_OR 1,
        LSTM 4,
        NOT_EQUAL 4,
        POW 1,
        READ_VARIABLE 1,
        REDUCE_ALL 1,
        REDUCE_ANY 1,
        REDUCE_PROD 2,
        RFFT2D 1,
        SCATTER_ND 1,
        SELECT 4,
        SELECT_V2 2,
        SVDF 4,
        TOPK_V2 3,
        UNIDIRECTIONAL_SEQUENCE_LSTM 4,
        WHILE 1,
    }
}

fn function<'a>(x: &Source<'_, 'a>, f: Unary) -> Result<Node<Common<'a>>> {
    elementwise::unary(x, EpilogueOp::Unary(f))
}

fn clamp<'a>(x: &Source<'_, 'a>, low: f32, high: f32) -> Result<Node<Common<'a>>> {
    elementwise::unary(x, EpilogueOp::Clamp(Clamp { low, high }))
}

fn row(code: i32, name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| match row.facts.code {
        OpCode::Builtin(builtin) => builtin == code,
        OpCode::Custom(custom) => custom == name,
    })
}

/// The facts about a node's op; `None` if no delegate runs it.
pub fn facts(node: &NodeView<'_>) -> Option<&'static OpFacts> {
    facts_of(node.builtin_code(), node.custom_name())
}

/// The facts about the op with this builtin code, or with this name if it is a custom op.
pub fn facts_of(code: i32, name: &str) -> Option<&'static OpFacts> {
    row(code, name).map(|row| &row.facts)
}

/// Lowers a node to a common layer.
///
/// # Errors
/// The reason for the refusal.
pub(super) fn common<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    match row(x.node.builtin_code(), x.node.custom_name()).and_then(|row| row.lower) {
        Some(lower) => lower(x),
        None => Err(unsupported!("the op has no fast kernel")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::facts::ProductShapes;
    use super::*;

    #[test]
    fn each_op_has_one_row() {
        for (i, row) in TABLE.iter().enumerate() {
            let twice = TABLE[..i].iter().any(|other| other.facts.code == row.facts.code);
            assert!(!twice, "{} has two rows", row.facts.name);
        }
    }

    /// Expected: results × taps × channels of one filter; for a transposed convolution, elements of the input × taps ×
    /// filters.
    #[test]
    fn products_count_their_multiply_adds() {
        for (code, data, weights, results, want) in [
            (op::CONV_2D, &[1, 6, 6, 3][..], &[8, 3, 3, 3][..], 4 * 4 * 8, 4 * 4 * 8 * 27),
            (op::DEPTHWISE_CONV_2D, &[1, 6, 6, 3], &[1, 3, 3, 3], 4 * 4 * 3, 4 * 4 * 3 * 9),
            (op::FULLY_CONNECTED, &[2, 5], &[7, 5], 14, 14 * 5),
            (op::BATCH_MATMUL, &[3, 2, 5], &[3, 5, 7], 42, 42 * 5),
            (op::TRANSPOSE_CONV, &[1, 4, 4, 3], &[8, 3, 3, 3], 9 * 9 * 8, 4 * 4 * 3 * 9 * 8),
        ] {
            let layer = facts_of(code, "").and_then(|facts| facts.layer.as_ref()).expect("it has a layer");
            let Products(multiply_adds) = layer.work else { panic!("op {code} is a product") };
            let shapes = ProductShapes { data: data.to_vec(), weights: weights.to_vec(), results };
            assert_eq!(multiply_adds(&shapes), want, "op {code}");
        }
    }
}
