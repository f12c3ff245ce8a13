//! TensorFlow's operators as converters keep them in models: custom ops with the prefix `Flex`, whose options are a
//! serialized NodeDef.
//!
//! Ops that differ only in parameters are rows in the table of their family. Every other op has its own file, which is
//! named after it. Shared code is in [`kit`]. Results equal those of TensorFlow's CPU kernels. This crate needs std:
//! attribute lists and the work space for results of data-dependent size are allocated on the heap.
#![forbid(unsafe_code)]

use arenite_abi::{Plugin, plugin};

pub mod add_n;
pub mod adjust_contrastv2;
pub mod adjust_hue;
pub mod adjust_saturation;
pub mod args;
pub mod as_string;
pub mod batch_norms;
pub mod bias_add_grad;
pub mod biases;
pub mod bincount;
pub mod broadcast_args;
pub mod broadcast_gradient_args;
pub mod broadcast_to;
pub mod cast;
pub mod check_numerics;
pub mod cholesky;
pub mod clip_by_value;
pub mod combined_non_max_suppression;
pub mod complex;
pub mod concats;
pub mod convolutions;
pub mod copies;
pub mod crop_and_resize;
pub mod cross;
pub mod ctc_greedy_decoder;
pub mod decode_base64;
pub mod decode_raw;
pub mod dense_bincount;
pub mod depth_to_space;
pub mod diagonals;
pub mod dilation2d;
pub mod dynamic_partition;
pub mod einsum;
pub mod elementwise;
pub mod empty_tensor_list;
pub mod encode_base64;
pub mod ensure_shape;
pub mod expand_dims;
pub mod extract_image_patches;
pub mod fake_quants;
pub mod fill;
pub mod fourier;
pub mod gather_nd;
pub mod gathers;
pub mod hsv_to_rgb;
pub mod in_top_k_v2;
pub mod invert_permutation;
pub mod kit;
pub mod l2_loss;
pub mod leaky_relu;
pub mod lin_space;
pub mod log_matrix_determinant;
pub mod log_softmax;
pub mod matmuls;
pub mod matrix_band_part;
pub mod matrix_determinant;
pub mod matrix_inverse;
pub mod matrix_solve;
pub mod matrix_triangular_solve;
pub mod max_pool_with_argmax;
pub mod multinomial;
pub mod non_max_suppression_v3;
pub mod one_hot;
pub mod ones_like;
pub mod pack;
pub mod pads;
pub mod parse_example_v2;
pub mod pools;
pub mod population_count;
pub mod qr;
pub mod random_standard_normal;
pub mod random_uniform;
pub mod random_uniform_int;
pub mod range;
pub mod rank;
pub mod reduce_join;
pub mod reductions;
pub mod regex_full_match;
pub mod regex_replace;
pub mod reshape;
pub mod resizes;
pub mod reverse_v2;
pub mod rgb_to_hsv;
pub mod roll;
pub mod scans;
pub mod scatters;
pub mod segments;
pub mod select;
pub mod select_v2;
pub mod self_adjoint_eig_v2;
pub mod shape;
pub mod shape_n;
pub mod size;
pub mod slice;
pub mod softmax;
pub mod space_to_depth;
pub mod sparse_tensor_dense_mat_mul;
pub mod sparse_to_dense;
pub mod split;
pub mod split_v;
pub mod squeeze;
pub mod stateless_randoms;
pub mod static_regex_full_match;
pub mod static_regex_replace;
pub mod strided_slice;
pub mod string_join;
pub mod string_length;
pub mod string_lower;
pub mod string_split_v2;
pub mod string_strip;
pub mod string_to_hash_bucket_fast;
pub mod string_to_hash_bucket_strong;
pub mod string_to_number;
pub mod string_upper;
pub mod substr;
pub mod tensor_list_concat_v2;
pub mod tensor_list_element_shape;
pub mod tensor_list_from_tensor;
pub mod tensor_list_gather;
pub mod tensor_list_get_item;
pub mod tensor_list_length;
pub mod tensor_list_pop_back;
pub mod tensor_list_push_back;
pub mod tensor_list_reserve;
pub mod tensor_list_resize;
pub mod tensor_list_scatter_into_existing_list;
pub mod tensor_list_set_item;
pub mod tensor_list_split;
pub mod tensor_list_stack;
pub mod tile;
pub mod top_k_v2;
pub mod transpose;
pub mod truncated_normal;
pub mod unicode_decode;
pub mod uniques;
pub mod unpack;
pub mod r#where;
pub mod zeros_like;

use elementwise::{arithmetic, bits, comparisons, elementary, gradients, simple, special};

macro_rules! ops {
    ($($op:ty,)*) => {
        /// All operators of this crate.
        pub static PLUGIN: Plugin = plugin! {
            id: "org.arenite.flex",
            description: "TensorFlow operators with the prefix Flex",
            ops: [$($op,)*],
        };

        /// All operators of this crate, for tests.
        #[cfg(test)]
        pub(crate) const OPS: &[kit::testing::Subject] = &[$(kit::testing::op::<$op>(),)*];
    };
}

ops! {
    simple::Abs, elementary::Acos, elementary::Acosh, arithmetic::Add, add_n::AddN, arithmetic::AddV2,
    adjust_contrastv2::AdjustContrastv2, adjust_hue::AdjustHue, adjust_saturation::AdjustSaturation, reductions::All,
    simple::Angle, reductions::Any, args::ArgMax, args::ArgMin, as_string::AsString, elementary::Asin,
    elementary::Asinh, arithmetic::Atan2, elementary::Atan, elementary::Atanh, pools::AvgPool3D,
    pools::AvgPool3DGrad, pools::AvgPool, pools::AvgPoolGrad, matmuls::BatchMatMul, matmuls::BatchMatMulV2,
    matmuls::BatchMatMulV3, biases::BiasAdd, bias_add_grad::BiasAddGrad, biases::BiasAddV1, bincount::Bincount,
    bits::BitwiseAnd, bits::BitwiseOr, bits::BitwiseXor, broadcast_args::BroadcastArgs,
    broadcast_gradient_args::BroadcastGradientArgs, broadcast_to::BroadcastTo, cast::Cast, simple::Ceil,
    check_numerics::CheckNumerics, cholesky::Cholesky, clip_by_value::ClipByValue,
    combined_non_max_suppression::CombinedNonMaxSuppression, complex::Complex, simple::ComplexAbs, concats::Concat,
    concats::ConcatV2, simple::Conj, convolutions::Conv2D, convolutions::Conv2DBackpropFilter,
    convolutions::Conv2DBackpropInput, convolutions::Conv3D, convolutions::Conv3DBackpropFilterV2,
    convolutions::Conv3DBackpropInputV2, elementary::Cos, elementary::Cosh, crop_and_resize::CropAndResize,
    cross::Cross, ctc_greedy_decoder::CtcGreedyDecoder, scans::Cumprod, scans::Cumsum, scans::CumulativeLogsumexp,
    decode_base64::DecodeBase64, decode_raw::DecodeRaw, copies::DeepCopy, dense_bincount::DenseBincount,
    depth_to_space::DepthToSpace, convolutions::DepthwiseConv2dNative,
    convolutions::DepthwiseConv2dNativeBackpropFilter, convolutions::DepthwiseConv2dNativeBackpropInput,
    special::Digamma, dilation2d::Dilation2D, arithmetic::Div, arithmetic::DivNoNan,
    dynamic_partition::DynamicPartition, einsum::Einsum, special::Elu, gradients::EluGrad,
    empty_tensor_list::EmptyTensorList, encode_base64::EncodeBase64, ensure_shape::EnsureShape, comparisons::Equal,
    special::Erf, special::Erfc, special::Erfinv, reductions::EuclideanNorm, elementary::Exp,
    expand_dims::ExpandDims, elementary::Expm1, extract_image_patches::ExtractImagePatches,
    fake_quants::FakeQuantWithMinMaxVars, fake_quants::FakeQuantWithMinMaxVarsPerChannel, fourier::Fft2D,
    fourier::Fft3D, fourier::Fft, fill::Fill, simple::Floor, arithmetic::FloorDiv, arithmetic::FloorMod,
    batch_norms::FusedBatchNorm, batch_norms::FusedBatchNormV2, batch_norms::FusedBatchNormV3, gathers::Gather,
    gather_nd::GatherNd, gathers::GatherV2, comparisons::Greater, comparisons::GreaterEqual, hsv_to_rgb::HsvToRgb,
    copies::Identity, fourier::Ifft2D, fourier::Ifft3D, fourier::Ifft, simple::Imag, in_top_k_v2::InTopKv2,
    simple::Inv, gradients::InvGrad, simple::Invert, invert_permutation::InvertPermutation, fourier::Irfft2D,
    fourier::Irfft3D, fourier::Irfft, simple::IsFinite, simple::IsInf, simple::IsNan, l2_loss::L2Loss,
    leaky_relu::LeakyRelu, bits::LeftShift, comparisons::Less, comparisons::LessEqual, special::Lgamma,
    lin_space::LinSpace, elementary::Log1p, elementary::Log, log_matrix_determinant::LogMatrixDeterminant,
    log_softmax::LogSoftmax, bits::LogicalAnd, simple::LogicalNot, bits::LogicalOr, matmuls::MatMul,
    matrix_band_part::MatrixBandPart, matrix_determinant::MatrixDeterminant, diagonals::MatrixDiag,
    diagonals::MatrixDiagPart, diagonals::MatrixDiagPartV2, diagonals::MatrixDiagPartV3, diagonals::MatrixDiagV2,
    diagonals::MatrixDiagV3, matrix_inverse::MatrixInverse, diagonals::MatrixSetDiag, diagonals::MatrixSetDiagV2,
    diagonals::MatrixSetDiagV3, matrix_solve::MatrixSolve, matrix_triangular_solve::MatrixTriangularSolve,
    reductions::Max, pools::MaxPool3D, pools::MaxPool3DGrad, pools::MaxPool, pools::MaxPoolGrad, arithmetic::Maximum,
    max_pool_with_argmax::MaxPoolWithArgmax, reductions::Mean, reductions::Min, arithmetic::Minimum, pads::MirrorPad,
    arithmetic::Mod, arithmetic::Mul, arithmetic::MulNoNan, multinomial::Multinomial, special::Ndtri, simple::Neg,
    non_max_suppression_v3::NonMaxSuppressionV3, comparisons::NotEqual, one_hot::OneHot, ones_like::OnesLike,
    pack::Pack, pads::Pad, pads::PadV2, parse_example_v2::ParseExampleV2, copies::PlaceholderWithDefault,
    population_count::PopulationCount, arithmetic::Pow, copies::PreventGradient, reductions::Prod, qr::Qr,
    sparse_tensor_dense_mat_mul::SparseTensorDenseMatMul, stateless_randoms::StatelessRandomNormal,
    stateless_randoms::StatelessRandomNormalV2, stateless_randoms::StatelessRandomUniform,
    stateless_randoms::StatelessRandomUniformV2, stateless_randoms::StatelessTruncatedNormal,
    stateless_randoms::StatelessTruncatedNormalV2, unicode_decode::UnicodeDecode, r#where::Where,
    random_standard_normal::RandomStandardNormal, random_uniform::RandomUniform,
    random_uniform_int::RandomUniformInt, range::Range, rank::Rank, simple::Real, arithmetic::RealDiv,
    simple::Reciprocal, gradients::ReciprocalGrad, reduce_join::ReduceJoin, regex_full_match::RegexFullMatch,
    regex_replace::RegexReplace, special::Relu6, gradients::Relu6Grad, special::Relu, gradients::ReluGrad,
    reshape::Reshape, resizes::ResizeArea, resizes::ResizeBicubic, resizes::ResizeBilinear,
    resizes::ResizeNearestNeighbor, reverse_v2::ReverseV2, fourier::Rfft2D, fourier::Rfft3D, fourier::Rfft,
    rgb_to_hsv::RgbToHsv, bits::RightShift, simple::Rint, roll::Roll, simple::Round, elementary::Rsqrt,
    gradients::RsqrtGrad, scatters::ScatterNd, segments::SegmentMax, segments::SegmentMean, segments::SegmentMin,
    segments::SegmentProd, segments::SegmentSum, select::Select, select_v2::SelectV2,
    self_adjoint_eig_v2::SelfAdjointEigV2, special::Selu, gradients::SeluGrad, shape::Shape, shape_n::ShapeN,
    special::Sigmoid, gradients::SigmoidGrad, simple::Sign, elementary::Sin, elementary::Sinh, size::Size,
    slice::Slice, copies::Snapshot, softmax::Softmax, special::Softplus, gradients::SoftplusGrad, special::Softsign,
    gradients::SoftsignGrad, space_to_depth::SpaceToDepth, sparse_to_dense::SparseToDense, split::Split,
    split_v::SplitV, elementary::Sqrt, gradients::SqrtGrad, simple::Square, arithmetic::SquaredDifference,
    squeeze::Squeeze, static_regex_full_match::StaticRegexFullMatch, static_regex_replace::StaticRegexReplace,
    copies::StopGradient, strided_slice::StridedSlice, string_join::StringJoin, string_length::StringLength,
    string_lower::StringLower, string_split_v2::StringSplitV2, string_strip::StringStrip,
    string_to_hash_bucket_fast::StringToHashBucketFast, string_to_hash_bucket_strong::StringToHashBucketStrong,
    string_to_number::StringToNumber, string_upper::StringUpper, arithmetic::Sub, substr::Substr, reductions::Sum,
    elementary::Tan, elementary::Tanh, gradients::TanhGrad, tensor_list_concat_v2::TensorListConcatV2,
    tensor_list_element_shape::TensorListElementShape, tensor_list_from_tensor::TensorListFromTensor,
    tensor_list_gather::TensorListGather, tensor_list_get_item::TensorListGetItem,
    tensor_list_length::TensorListLength, tensor_list_pop_back::TensorListPopBack,
    tensor_list_push_back::TensorListPushBack, tensor_list_reserve::TensorListReserve,
    tensor_list_resize::TensorListResize, tensor_list_scatter_into_existing_list::TensorListScatterIntoExistingList,
    tensor_list_set_item::TensorListSetItem, tensor_list_split::TensorListSplit, tensor_list_stack::TensorListStack,
    scatters::TensorScatterAdd, scatters::TensorScatterMax, scatters::TensorScatterMin, scatters::TensorScatterSub,
    scatters::TensorScatterUpdate, tile::Tile, top_k_v2::TopKV2, transpose::Transpose, arithmetic::TruncateDiv,
    arithmetic::TruncateMod, truncated_normal::TruncatedNormal, uniques::Unique, uniques::UniqueV2,
    uniques::UniqueWithCounts, uniques::UniqueWithCountsV2, unpack::Unpack, segments::UnsortedSegmentMax,
    segments::UnsortedSegmentMin, segments::UnsortedSegmentProd, segments::UnsortedSegmentSum, arithmetic::Xdivy,
    arithmetic::Xlog1py, arithmetic::Xlogy, zeros_like::ZerosLike,
}
