//! Arithmetic and loops that the operators share: pure functions and small `Copy` values that allocate nothing.
//!
//! No function panics on any argument. A function returns `None` if a model is invalid; its caller, which knows the op
//! and the tensor, creates the error.
//!
//! | module | contents |
//! |---|---|
//! | [`requantize`] | [`Multiplier`](requantize::Multiplier), [`Quant`](requantize::Quant): scales in fixed point |
//! | [`activation`] | [`Activation`](activation::Activation): fused activations and their clamping ranges |
//! | [`packed`] | elements of 2 and 4 bits |
//! | [`padding`] | [`Padding`](padding::Padding): SAME and VALID along one axis |
//! | [`indexing`] | [`Dims`](indexing::Dims), [`Nest`](indexing::Nest): shapes, and loops in row-major order |
//! | [`broadcast`] | [`Broadcast`](broadcast::Broadcast): loops over inputs whose shapes broadcast |
//! | [`lut`] | lookup tables of quantized functions |
//! | [`fixed_point`] | elementary functions in 32-bit fixed point |
//! | [`fixed_point_i16`] | LOGISTIC and TANH in 16-bit fixed point |
//! | [`float`] | elementary functions of f32, and f16 conversion |
//! | [`single`] | `exp`, `tanh` and `logistic` in single precision, and sums |
//! | [`quantized`] | [`Quantized`](quantized::Quantized): the integer types of quantized tensors |
//! | [`bias`] | [`Bias`](bias::Bias): one number per output channel, or none |
//! | [`dot`] | inner products with zero points |
//! | [`channel_multipliers`] | the multipliers of a layer, per output channel or for all |
//! | [`channel_quant`] | [`ChannelQuant`](channel_quant::ChannelQuant): scales that differ along an axis |
//! | [`hybrid`] | [`QuantizedScratch`](hybrid::QuantizedScratch): float rows that are quantized at run time |
//! | [`node`] | reads parts of a node in `prepare`, with errors that name the tensor |
//! | [`arguments`] | [`Integers`](arguments::Integers): short lists of integers in argument tensors |
//! | [`custom_options`] | [`CustomOptions`](custom_options::CustomOptions): the options of custom ops |
//! | [`window`] | [`Windows`](window::Windows): filters that slide over rows and columns |
//! | [`volume`] | [`Options3d`](volume::Options3d): filters that slide over depth, height and width |
//! | [`raster`] | lets the output of a windowed op overwrite its input |
//! | [`conv`] | [`Layer`](conv::Layer), [`Requantization`](conv::Requantization): CONV_2D and DEPTHWISE_CONV_2D |
//! | [`pool`] | [`Pool`](pool::Pool): the pooling ops |
//! | [`argmax_pool`] | [`ArgmaxPool`](argmax_pool::ArgmaxPool): maximum pooling with the positions of the maxima |
//! | [`resize`] | [`Resize`](resize::Resize): RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR |
//! | [`pace`] | [`Pace`](pace::Pace): checks for cancellation in long loops |
//! | [`blocks`] | element-wise loops that read and write blocks |
//! | [`unary`] | loops of ops with one input and one output of the same shape |
//! | [`binary`] | loops of ops with two inputs that broadcast |
//! | [`compare`] | [`Comparison`](compare::Comparison): the comparison ops |
//! | [`extremum`] | [`Extremum`](extremum::Extremum): MAXIMUM and MINIMUM |
//! | [`select`] | [`Choice`](select::Choice): SELECT and SELECT_V2 |
//! | [`stablehlo`] | [`Elementwise`](stablehlo::Elementwise): StableHLO's ops on two tensors of one shape |
//! | [`scaled_pair`] | [`ScaledPair`](scaled_pair::ScaledPair): ADD, SUB and SQUARED_DIFFERENCE of quantized tensors |
//! | [`table`] | [`FunctionTable`](table::FunctionTable): real functions of quantized tensors by lookup |
//! | [`sigmoid`] | [`Sigmoid`](sigmoid::Sigmoid): LOGISTIC and TANH |
//! | [`function`] | [`Function`](function::Function): ops that apply one real function |
//! | [`logical`] | [`Logical`](logical::Logical): functions of two booleans |
//! | [`integer_pair`] | [`IntegerPair`](integer_pair::IntegerPair): functions of two integers |
//! | [`complex_part`] | [`ComplexPart`](complex_part::ComplexPart): one real number from each complex one |
//! | [`arg`] | [`Arg`](arg::Arg): ARG_MAX and ARG_MIN |
//! | [`number`] | [`Number`](number::Number), [`Combine`](number::Combine): arithmetic that cannot fail |
//! | [`reduce`] | [`Reducer`](reduce::Reducer): reductions along axes |
//! | [`reduce_window`] | [`Reduction`](reduce_window::Reduction): reductions over windows |
//! | [`segments`] | [`UnsortedSegments`](segments::UnsortedSegments): reductions per segment |
//! | [`relu`] | [`Clamp`](relu::Clamp): the ReLU family |
//! | [`moves`] | [`Width`](moves::Width): copies of elements of any size |
//! | [`rearrange`] | [`Rearrangement`](rearrange::Rearrangement): outputs that consist of elements of one input |
//! | [`view`] | [`View`](view::View): the input's bytes in another shape |
//! | [`pad`] | [`ConstantPad`](pad::ConstantPad): PAD and PADV2 |
//! | [`spread`] | [`Spread`](spread::Spread): DILATE and STABLEHLO_PAD |
//! | [`space_batch`] | [`SpaceBatch`](space_batch::SpaceBatch): SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND |
//! | [`coordinates`] | [`Coordinates`](coordinates::Coordinates): slices that are addressed by index vectors |
//! | [`recurrent`] | sequences, weights and states of recurrent layers |
//! | [`lstm`] | [`Layer`](lstm::Layer): a checked LSTM layer |
//! | [`lstm_float`] | [`FloatLstm`](lstm_float::FloatLstm): the LSTM step on f32 |
//! | [`lstm_integer`] | [`IntegerLstm`](lstm_integer::IntegerLstm): the LSTM step on i8 with gates of i16 |
//! | [`lstm_integer_8`] | [`IntegerLstm8`](lstm_integer_8::IntegerLstm8): the LSTM step on i8 with sums of i8 |
//! | [`rnn`] | [`RnnLayer`](rnn::RnnLayer): the step of fully connected recurrent layers |
//! | [`strings`] | [`Strings`](strings::Strings), [`StringWriter`](strings::StringWriter): string tensors |
//! | [`fingerprint`] | FarmHash's fingerprint |
//! | [`philox`] | Philox4x32 random numbers |
//! | [`random`] | [`Generator`](random::Generator): random numbers from a node's seeds |
//! | [`minstd`] | [`Minstd`](minstd::Minstd): the random number engine of the C++ standard library |
//! | [`non_max_suppression`] | NON_MAX_SUPPRESSION_V4 and _V5 |
//! | [`subgraph`] | calls of subgraphs |
//! | [`resource`] | [`HashTable`](resource::HashTable): handles of variables and hash tables |
//! | [`radix2`] | Fourier transforms of many sequences at once |
//! | [`fft`] | [`RealFft`](fft::RealFft): KISS FFT's transform of real signals |
//! | [`row_fft`] | [`RowFft`](row_fft::RowFft): SignalRfft and SignalIrfft |
//! | [`signal`] | checks and sample queues of TensorFlow Lite Micro's signal ops |
//! | [`partial_sort`] | the best few of a list, in the order of `std::partial_sort` |

pub mod activation;
pub mod arg;
pub mod argmax_pool;
pub mod arguments;
pub mod bias;
pub mod binary;
pub mod blocks;
pub mod broadcast;
pub mod channel_multipliers;
pub mod channel_quant;
pub mod compare;
pub mod complex_part;
pub mod conv;
pub mod coordinates;
pub mod custom_options;
pub mod dot;
pub mod extremum;
pub mod fft;
pub mod fingerprint;
pub mod fixed_point;
pub mod fixed_point_i16;
pub mod float;
pub mod function;
pub mod hybrid;
pub mod indexing;
pub mod integer_pair;
pub mod logical;
pub mod lstm;
pub mod lstm_float;
pub mod lstm_integer;
pub mod lstm_integer_8;
pub mod lut;
pub mod minstd;
pub mod moves;
pub mod node;
#[cfg(test)]
mod nodes;
pub mod non_max_suppression;
pub mod number;
pub mod pace;
pub mod packed;
pub mod pad;
pub mod padding;
pub mod partial_sort;
pub mod philox;
pub mod pool;
pub mod quantized;
pub mod radix2;
pub mod random;
pub mod raster;
pub mod ratio;
pub mod rearrange;
pub mod recurrent;
pub mod reduce;
pub mod reduce_window;
pub mod relu;
pub mod requantize;
pub mod resize;
pub mod resource;
pub mod rnn;
pub mod row_fft;
pub mod scaled_pair;
pub mod segments;
pub mod select;
pub mod sigmoid;
pub mod signal;
pub mod single;
pub mod space_batch;
pub mod spread;
pub mod stablehlo;
pub mod strings;
pub mod subgraph;
pub mod table;
pub mod unary;
pub mod view;
pub mod volume;
pub mod window;

/// FNV-1a over integers, which replaces long tables of expected values in tests.
#[cfg(test)]
pub(crate) fn checksum(values: impl IntoIterator<Item = i64>) -> u64 {
    values
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, value| (hash ^ value as u64).wrapping_mul(0x0100_0000_01b3))
}

/// Fails unless both runs of an op gave the same outputs or the same error.
#[cfg(test)]
pub(crate) fn assert_same(
    a: &arenite_abi::Result<Vec<arenite_abi::testing::Tensor>>,
    b: &arenite_abi::Result<Vec<arenite_abi::testing::Tensor>>,
) {
    let message = |e: &arenite_abi::Error| e.message().to_owned();
    assert_eq!(a.as_ref().map_err(message), b.as_ref().map_err(message));
}
