//! Reference operators of arenite: scalar, bit-exact with TensorFlow Lite.
//!
//! Each op has its own file, which is named after it. Shared code is in [`kit`]. These kernels are the oracle that
//! every delegate is compared with: plain loops without tuning.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]

use arenite_abi::op::state_signature;
use arenite_abi::{Plugin, plugin};

pub mod custom;
pub mod kit;

/// Calls a macro with a line per form of an op's `eval` that programs can link alone, with its name. In
/// `libarenite_micro.a` the form is `ar_embed_` and the name; the registration of the op for such nodes is
/// `ar_micro_op_` and the name. `Op::form` chooses the form of a node.
#[macro_export]
macro_rules! each_form {
    ($callback:path) => {
        $callback! {
            "conv_2d_f32": conv_2d::Conv2d::eval_f32, prepare_f32;
            "conv_2d_hybrid": conv_2d::Conv2d::eval_hybrid, prepare;
            "conv_2d_i8": conv_2d::Conv2d::eval_i8, prepare_i8;
            "depthwise_conv_2d_f32": depthwise_conv_2d::DepthwiseConv2d::eval_f32, prepare;
            "depthwise_conv_2d_hybrid": depthwise_conv_2d::DepthwiseConv2d::eval_hybrid, prepare;
            "depthwise_conv_2d_i8": depthwise_conv_2d::DepthwiseConv2d::eval_i8, prepare;
            "fully_connected_f32": fully_connected::FullyConnected::eval_f32, prepare_f32;
            "fully_connected_i8": fully_connected::FullyConnected::eval_i8, prepare_i8;
            "quantize_rescale": quantize::Quantize::eval_rescale, prepare;
            "reshape_copy": reshape::Reshape::eval_copy, prepare;
            "softmax_f32": softmax::Softmax::eval_f32, prepare_f32;
            "softmax_i8": softmax::Softmax::eval_i8, prepare_i8;
            "softmax_i8_i16": softmax::Softmax::eval_i8_i16, prepare_i8_i16;
            "svdf_i8": svdf::Svdf::eval_i8, prepare;
            "unidirectional_sequence_lstm_f32":
                unidirectional_sequence_lstm::UnidirectionalSequenceLstm::eval_f32, prepare_f32;
            "unidirectional_sequence_lstm_i8":
                unidirectional_sequence_lstm::UnidirectionalSequenceLstm::eval_i8, prepare_i8;
        }
    };
}

macro_rules! form_paths {
    ($($name:literal: $module:ident::$op:ident::$form:ident, $prepare:ident;)*) => {
        /// The forms of `eval`, by symbol: their paths in this crate.
        pub const FORMS: &[(&str, &str)] =
            &[$((concat!("ar_embed_", $name), concat!(stringify!($module), "::", stringify!($op), "::", stringify!($form))),)*];
    };
}

each_form!(form_paths);

macro_rules! ops {
    ($d:tt $($module:ident :: $op:ident,)* ; custom: $($custom:ident :: $custom_op:ident,)*) => {
        $(pub mod $module;)*

        /// Calls a macro with the path of every operator in this crate: `abs::Abs, add::Add, …, custom::mfcc::Mfcc, …`.
        #[macro_export]
        macro_rules! each_op {
            ($d callback:path) => {
                $d callback! { $($module::$op,)* $(custom::$custom::$custom_op,)* }
            };
        }

        /// The paths of the operators in this crate, in the order of [`PLUGIN`].
        pub const PATHS: &[&str] = &[
            $(concat!(stringify!($module), "::", stringify!($op)),)*
            $(concat!("custom::", stringify!($custom), "::", stringify!($custom_op)),)*
        ];

        /// Identifies the states of all operators that can be embedded, and thereby the programs that this crate can
        /// run.
        pub const STATES: u32 = {
            let mut hash = 0;
            $(hash = state_signature::<$module::$op>(hash);)*
            $(hash = state_signature::<custom::$custom::$custom_op>(hash);)*
            hash
        };

        /// All operators of this crate.
        pub static PLUGIN: Plugin = plugin! {
            id: "org.arenite.ops",
            description: "Reference operators, bit-exact with TensorFlow Lite",
            ops: [
                $($module::$op,)*
                $(custom::$custom::$custom_op,)*
            ],
        };

        /// The same for hosts that embed no models, without the code for it.
        pub static PLUGIN_WITHOUT_EMBEDDING: Plugin = plugin! {
            id: "org.arenite.ops",
            description: "Reference operators, bit-exact with TensorFlow Lite",
            embedding: false,
            ops: [
                $($module::$op,)*
                $(custom::$custom::$custom_op,)*
            ],
        };
    };
}

ops! {
    $
    abs::Abs,
    add::Add,
    add_n::AddN,
    arg_max::ArgMax,
    arg_min::ArgMin,
    assign_variable::AssignVariable,
    atan2::Atan2,
    atan2_custom::Atan2Custom,
    average_pool_2d::AveragePool2d,
    batch_matmul::BatchMatMul,
    batch_to_space_nd::BatchToSpaceNd,
    bidirectional_sequence_lstm::BidirectionalSequenceLstm,
    bidirectional_sequence_rnn::BidirectionalSequenceRnn,
    bitcast::Bitcast,
    bitwise_xor::BitwiseXor,
    broadcast_args::BroadcastArgs,
    broadcast_to::BroadcastTo,
    bucketize::Bucketize,
    call_once::CallOnce,
    cast::Cast,
    ceil::Ceil,
    complex_abs::ComplexAbs,
    concatenation::Concatenation,
    conv_2d::Conv2d,
    conv_3d::Conv3d,
    conv_3d_transpose::Conv3dTranspose,
    cos::Cos,
    cumsum::Cumsum,
    densify::Densify,
    depth_to_space::DepthToSpace,
    depthwise_conv_2d::DepthwiseConv2d,
    dequantize::Dequantize,
    dilate::Dilate,
    div::Div,
    dynamic_update_slice::DynamicUpdateSlice,
    elu::Elu,
    embedding_lookup::EmbeddingLookup,
    embedding_lookup_sparse::EmbeddingLookupSparse,
    equal::Equal,
    exp::Exp,
    expand_dims::ExpandDims,
    fake_quant::FakeQuant,
    fill::Fill,
    floor::Floor,
    floor_div::FloorDiv,
    floor_mod::FloorMod,
    fully_connected::FullyConnected,
    gather::Gather,
    gather_nd::GatherNd,
    gelu::Gelu,
    greater::Greater,
    greater_equal::GreaterEqual,
    hard_swish::HardSwish,
    hashtable::Hashtable,
    hashtable_find::HashtableFind,
    hashtable_import::HashtableImport,
    hashtable_lookup::HashtableLookup,
    hashtable_size::HashtableSize,
    r#if::If,
    imag::Imag,
    l2_normalization::L2Normalization,
    l2_pool_2d::L2Pool2d,
    leaky_relu::LeakyRelu,
    less::Less,
    less_equal::LessEqual,
    local_response_normalization::LocalResponseNormalization,
    log::Log,
    log_softmax::LogSoftmax,
    logical_and::LogicalAnd,
    logical_not::LogicalNot,
    logical_or::LogicalOr,
    logistic::Logistic,
    lsh_projection::LshProjection,
    lstm::Lstm,
    matrix_diag::MatrixDiag,
    matrix_set_diag::MatrixSetDiag,
    max_pool_2d::MaxPool2d,
    maximum::Maximum,
    mean::Mean,
    minimum::Minimum,
    mirror_pad::MirrorPad,
    mul::Mul,
    multinomial::Multinomial,
    neg::Neg,
    non_max_suppression_v4::NonMaxSuppressionV4,
    non_max_suppression_v5::NonMaxSuppressionV5,
    not_equal::NotEqual,
    one_hot::OneHot,
    pack::Pack,
    pad::Pad,
    padv2::PadV2,
    pow::Pow,
    prelu::Prelu,
    quantize::Quantize,
    random_standard_normal::RandomStandardNormal,
    random_standard_normal_custom::RandomStandardNormalCustom,
    random_uniform::RandomUniform,
    random_uniform_custom::RandomUniformCustom,
    range::Range,
    rank::Rank,
    read_variable::ReadVariable,
    real::Real,
    reduce_all::ReduceAll,
    reduce_any::ReduceAny,
    reduce_max::ReduceMax,
    reduce_min::ReduceMin,
    reduce_prod::ReduceProd,
    reduce_window::ReduceWindow,
    relu6::Relu6,
    relu::Relu,
    relu_0_to_1::Relu0To1,
    relu_n1_to_1::ReluN1To1,
    reshape::Reshape,
    resize_bilinear::ResizeBilinear,
    resize_nearest_neighbor::ResizeNearestNeighbor,
    reverse_sequence::ReverseSequence,
    reverse_v2::ReverseV2,
    rfft2d::Rfft2d,
    right_shift::RightShift,
    rnn::Rnn,
    round::Round,
    rsqrt::Rsqrt,
    scatter_nd::ScatterNd,
    segment_sum::SegmentSum,
    select::Select,
    select_v2::SelectV2,
    shape::Shape,
    sign::Sign,
    sign_custom::SignCustom,
    sin::Sin,
    skip_gram::SkipGram,
    slice::Slice,
    softmax::Softmax,
    space_to_batch_nd::SpaceToBatchNd,
    space_to_depth::SpaceToDepth,
    sparse_to_dense::SparseToDense,
    split::Split,
    split_v::SplitV,
    sqrt::Sqrt,
    square::Square,
    squared_difference::SquaredDifference,
    squeeze::Squeeze,
    stablehlo_add::StablehloAdd,
    stablehlo_and::StablehloAnd,
    stablehlo_case::StablehloCase,
    stablehlo_composite::StablehloComposite,
    stablehlo_gather::StablehloGather,
    stablehlo_maximum::StablehloMaximum,
    stablehlo_minimum::StablehloMinimum,
    stablehlo_multiply::StablehloMultiply,
    stablehlo_pad::StablehloPad,
    stablehlo_reduce_window::StablehloReduceWindow,
    stablehlo_rng_bit_generator::StablehloRngBitGenerator,
    stablehlo_scatter::StablehloScatter,
    stablehlo_shift_left::StablehloShiftLeft,
    strided_slice::StridedSlice,
    sub::Sub,
    sum::Sum,
    svdf::Svdf,
    tanh::Tanh,
    tile::Tile,
    topk_v2::TopKV2,
    transpose::Transpose,
    transpose_conv::TransposeConv,
    unidirectional_sequence_gru::UnidirectionalSequenceGru,
    unidirectional_sequence_lstm::UnidirectionalSequenceLstm,
    unidirectional_sequence_rnn::UnidirectionalSequenceRnn,
    unique::Unique,
    unpack::Unpack,
    unsorted_segment_max::UnsortedSegmentMax,
    unsorted_segment_min::UnsortedSegmentMin,
    unsorted_segment_prod::UnsortedSegmentProd,
    unsorted_segment_sum::UnsortedSegmentSum,
    var_handle::VarHandle,
    r#where::Where,
    r#while::While,
    zeros_like::ZerosLike,
    ;
    custom:
    aeq_hadamard_rotation::AeqHadamardRotation,
    audio_spectrogram::AudioSpectrogram,
    convolution_2d_transpose_bias::Convolution2dTransposeBias,
    dense_image_warp::DenseImageWarp,
    max_pool_with_argmax::MaxPoolWithArgmax,
    max_pooling_with_argmax_2d::MaxPoolingWithArgmax2d,
    max_unpooling_2d::MaxUnpooling2d,
    mfcc::Mfcc,
    numeric_verify::NumericVerify,
    signal_delay::SignalDelay,
    signal_energy::SignalEnergy,
    signal_fft_auto_scale::SignalFftAutoScale,
    signal_filter_bank::SignalFilterBank,
    signal_filter_bank_log::SignalFilterBankLog,
    signal_filter_bank_spectral_subtraction::SignalFilterBankSpectralSubtraction,
    signal_filter_bank_square_root::SignalFilterBankSquareRoot,
    signal_framer::SignalFramer,
    signal_irfft::SignalIrfft,
    signal_overlap_add::SignalOverlapAdd,
    signal_pcan::SignalPcan,
    signal_rfft::SignalRfft,
    signal_stacker::SignalStacker,
    signal_window::SignalWindow,
    tflite_detection_post_process::DetectionPostProcess,
}
