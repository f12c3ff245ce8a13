//! Reference operators of arenite: scalar, bit-exact with TensorFlow Lite.
//!
//! One op is one file, named after the op. What several share is in [`kit`]. These kernels are the oracle that every
//! delegate is compared with: plain loops, nothing tuned.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]

use arenite_abi::{Plugin, plugin};

pub mod kit;

macro_rules! ops {
    ($($module:ident :: $op:ident,)*) => {
        $(pub mod $module;)*

        /// All operators of this crate.
        pub static PLUGIN: Plugin = plugin! {
            id: "org.arenite.ops",
            description: "Reference operators, bit-exact with TensorFlow Lite",
            ops: [$($module::$op,)*],
        };
    };
}

ops! {
    abs::Abs,
    add::Add,
    atan2::Atan2,
    atan2_custom::Atan2Custom,
    average_pool_2d::AveragePool2d,
    batch_matmul::BatchMatMul,
    bitwise_xor::BitwiseXor,
    cast::Cast,
    ceil::Ceil,
    complex_abs::ComplexAbs,
    concatenation::Concatenation,
    conv_2d::Conv2d,
    cos::Cos,
    densify::Densify,
    depthwise_conv_2d::DepthwiseConv2d,
    dequantize::Dequantize,
    elu::Elu,
    embedding_lookup::EmbeddingLookup,
    embedding_lookup_sparse::EmbeddingLookupSparse,
    exp::Exp,
    expand_dims::ExpandDims,
    fake_quant::FakeQuant,
    floor::Floor,
    fully_connected::FullyConnected,
    gather::Gather,
    gelu::Gelu,
    hard_swish::HardSwish,
    hashtable_lookup::HashtableLookup,
    imag::Imag,
    leaky_relu::LeakyRelu,
    log::Log,
    logical_and::LogicalAnd,
    logical_not::LogicalNot,
    logical_or::LogicalOr,
    logistic::Logistic,
    lsh_projection::LshProjection,
    max_pool_2d::MaxPool2d,
    mean::Mean,
    mul::Mul,
    multinomial::Multinomial,
    neg::Neg,
    non_max_suppression_v4::NonMaxSuppressionV4,
    non_max_suppression_v5::NonMaxSuppressionV5,
    pack::Pack,
    pad::Pad,
    pow::Pow,
    prelu::Prelu,
    quantize::Quantize,
    random_standard_normal::RandomStandardNormal,
    random_uniform::RandomUniform,
    rank::Rank,
    real::Real,
    reduce_window::ReduceWindow,
    relu6::Relu6,
    relu::Relu,
    relu_0_to_1::Relu0To1,
    relu_n1_to_1::ReluN1To1,
    reshape::Reshape,
    resize_bilinear::ResizeBilinear,
    resize_nearest_neighbor::ResizeNearestNeighbor,
    right_shift::RightShift,
    round::Round,
    rsqrt::Rsqrt,
    shape::Shape,
    sign::Sign,
    sign_custom::SignCustom,
    sin::Sin,
    skip_gram::SkipGram,
    slice::Slice,
    softmax::Softmax,
    split::Split,
    sqrt::Sqrt,
    square::Square,
    squared_difference::SquaredDifference,
    squeeze::Squeeze,
    stablehlo_gather::StablehloGather,
    stablehlo_rng_bit_generator::StablehloRngBitGenerator,
    strided_slice::StridedSlice,
    sub::Sub,
    tanh::Tanh,
    transpose::Transpose,
    transpose_conv::TransposeConv,
    unpack::Unpack,
    zeros_like::ZerosLike,
}
