//! The arithmetic that every operator shares: pure functions and small `Copy` values, no heap.
//!
//! No function panics on any argument. `Option` results are `None` where a model is at fault; the
//! caller knows op and tensor and makes the error.
//!
//! | module | contents |
//! |---|---|
//! | [`requantize`] | [`Multiplier`](requantize::Multiplier)`{value, shift}`: `from_real(f64)`, `from_real_smaller_than_one`, `from_real_greater_than_one`, `from_scales(in, filter, out)` `-> Option`; `apply(i32) -> i32`, `apply_ties_up(i32) -> i32` (the rounding of SIMD kernels), `apply_once(i32) -> i32`, `apply_right(i32) -> i32`, `apply_i64(i64) -> i32`, `negated()`. [`Quant`](requantize::Quant)`{scale, zero_point}`: `quantize(x, limits)`, `dequantize(q)`, `dequantize_in_eights(q, i, count)`. [`Requantize`](requantize::Requantize): `between(input, output, limits)`, `apply(q)`. Functions `quantize_f32`, `round_f32`, `round_f64` (ties away from zero), `rounding_divide_by_pot`, `saturating_rounding_doubling_high_mul{,_i16}` |
//! | [`activation`] | [`Activation`](activation::Activation): `from_schema(i8)`, `is_range()`, `f32_range()`, `i32_range()`, `i64_range()`, `quantized_range(scale, zero_point, ty)`. [`Limits<T>`](activation::Limits)`{min, max}`: `clamp(x)`, constants `I8`, `U8`, `I16` |
//! | [`packed`] | elements of 2 and 4 bits: `limits(ty)`, `read(ty, bytes, i)`, `unpack(ty, bytes, first, &mut [i8])`, `write(ty, bytes, count, value)`; without a type `raw::<BITS>`, `set_raw::<BITS>` |
//! | [`padding`] | [`Padding`](padding::Padding): `from_schema(i8)`, `output_size(input, filter, stride, dilation)`, `window(..) -> Option<Window {output, before, after}>`; `padding_for(input, filter, stride, dilation, output) -> Option<(before, after)>` |
//! | [`indexing`] | [`Dims`](indexing::Dims) (rank ≤ 8): `new(&[i32])`, `rank`, `as_slice`, `size(axis)`, `flat_size`, `strides`, `extended(rank)`, `split_at(axis) -> (outer, size, inner)`, `product(from, to)`. `normalize_axis(axis, rank)`. [`Axes`](indexing::Axes)`::new(list, rank)`. [`Nest<N>`](indexing::Nest): loops over N tensors with any steps (slices, reversals, ...): `new(dims, steps)`, `starting_at`, `for_each(\|out, [i; N]\|)`, `for_each_run(\|out, [first; N], length\|)`, `run_steps`, `indices()`. [`Reduction`](indexing::Reduction)`::new(dims, axes, KeepDims)`: `output`, `group_len`, `for_each(\|out, indices\|)`, `for_each_input(\|input, out\|)`. [`Permutation`](indexing::Permutation)`::new(dims, perm)`: `output`, `for_each(\|out, input\|)`, `nest` |
//! | [`broadcast`] | [`Broadcast<N>`](broadcast::Broadcast): `new([&Dims; N]) -> Option`, `onto([&Dims; N], output)`, `output()`, `for_each(\|out, [i; N]\|)`, `for_each2(\|out, a, b\|)`, `for_each3(\|out, a, b, c\|)`, `nest`. `broadcast_dims([&Dims; N]) -> Option<Dims>` |
//! | [`lut`] | `populate_i8`, `populate_u8` `(input: Quant, output: Quant, f, &mut [_; 256])`, `lookup_i8`; `populate_i16`, `populate_i16_f64` `((scale, zero_point), (scale, zero_point), f, &mut [i16; 513])`, `lookup_i16`; `logistic_i16`, `tanh_i16` `(q, multiplier, left_shift)` |
//! | [`fixed_point`] | on raw i32 and a count of integer bits: `exp_on_negative_values`, `one_over_one_plus_x_for_x_in_0_1`, `one_minus_x_over_one_plus_x_for_x_in_0_1`, `tanh`, `logistic`, `log_x_for_x_greater_than_or_equal_to_1`, `reciprocal(x, bits) -> (r, bits_over_unit)`, `inverse_sqrt(x) -> Multiplier`, `rescale(x, from, to)`, `multiply_by_pot`, `rounding_half_sum`, `ONE_Q0` |
//! | [`quantized`] | [`Quantized`](quantized::Quantized): i8, u8, i16; `LIMITS`, `saturate(i32)` |
//! | [`bias`] | [`Bias`](bias::Bias)`::of(input)`: i32 or i64 per channel, or none, `at(channel)`; `float_bias(cx, input)` |
//! | [`dot`] | inner products: `dot(x, x_zero, w, w_zero)`, `dot_i64`; `dot_centered(patch, weights, zero_point)`, `dot_centered_i64` of i16 less its zero point; `dot_f32`. [`Weight`](dot::Weight) |
//! | [`channel_multipliers`] | [`ChannelMultipliers`](channel_multipliers::ChannelMultipliers), what sums of a layer are scaled with: `per_channel(cx, [input, filter, output], channels, axis)`, `per_tensor(cx, [..])`; in eval `read(cx)?.of(channel)`. `filter_scales(filter, channels, axis)` |
//! | [`hybrid`] | `quantize_row(&[f32], Symmetry, &mut [i8]) -> (scale, zero_point)`; many rows: [`Rows`](hybrid::Rows)`::prepare(cx, count, length, symmetry)`, `begin(cx)`: `quantize(x)`, `row(i)`, `iter()` |
//! | [`node`] | `dims(x)`, `activation(options, slot)`, `range_activation`, `type_limits(ty)`, `quant(x)`, `quantized_range(activation, y)`: what `prepare` reads, with errors |
//! | [`window`] | [`WindowOptions`](window::WindowOptions)`::read(options, dilation_slot)`; [`Windows`](window::Windows)`::new(input, [height, width], &options)`: `rows`, `columns` ([`Axis`](window::Axis): `inside(position)` gives `(tap, input)`), `pixel(image, row, column)`, `for_each_pixel(input, output, channels, \|image, (row, column), pixel\|)`, `output_shape(channels)`, `allow_behind(cx, bytes, channels)` |
//! | [`raster`] | `allow_behind(cx, images, (Steps, Steps), rows, columns)`: an output that goes through images in order may overwrite its input |
//! | [`conv`] | [`Layer`](conv::Layer)`::read(node, channel_axis)`: input, filter, bias, output, checked; [`Requantization`](conv::Requantization)`::new(cx, layer, axis, activation)`, `centered(x)`, `output(scaled)`; [`Weights`](conv::Weights), unpacked; [`Hybrid`](conv::Hybrid)`::for_each_image(cx, output_image, \|image, meaning, output\|)` |
//! | [`fixed_point_i16`] | `logistic`, `tanh` of Q3.12 in Q0.15; `multiply_by_pot` |
//! | [`pool`] | [`Pool`](pool::Pool)`::prepare(node, cx)`, `for_each(cx, \|patch, pixel\|)`; [`Patch`](pool::Patch)`::pixels()`, `count()` |
//! | [`resize`] | [`Resize`](resize::Resize)`::prepare(..)`, `allow_behind(node, cx, first)`, `output(cx, whole, resized) -> (output, Images)`; [`Alignment`](resize::Alignment), [`Sizes`](resize::Sizes)`::scale(alignment)` |
//! | [`pace`] | [`Pace`](pace::Pace)`::new(cx)`, `ahead(work)`: long loops ask whether the invocation was cancelled |
//! | [`float`] | f32: `exp`, `expm1`, `log`, `log1p`, `sin`, `cos`, `tanh`, `erf`, `erfc`, `pow`, `sqrt`, `rsqrt`, `logistic`, `gelu`, `gelu_approximate`, `floor`, `ceil`, `trunc`, `round_ties_even`, `fmod`; `f16_to_f32(bits)`, `f32_to_f16(x) -> bits` |
//! | [`unary`] | `prepare(node, cx) -> (x, y)` for one input and one output of its shape; `map(cx, f)`, `map_indexed(cx, f)`; `allow_behind(cx, x, y)` |
//! | [`binary`] | `prepare(node, cx) -> Operands {a, b, y, broadcast}` for two inputs that broadcast; `map(cx, &broadcast, f)`, `map_indexed`, `same_type(&operands)`, `nonzero(cx, zero)` |
//! | [`compare`] | the comparisons, quantized and of strings too: [`Comparison<R>`](compare::Comparison) is the op, [`Relation`](compare::Relation) what differs |
//! | [`extremum`] | MAXIMUM and MINIMUM: [`Extremum<M>`](extremum::Extremum), [`Member`](extremum::Member) |
//! | [`select`] | SELECT and SELECT_V2: [`Choice`](select::Choice)`::new(operands, output, cx)`, `eval(cx)`, `Operands::of(node)` |
//! | [`stablehlo`] | StableHLO's ops on two tensors of one shape: [`Elementwise<M>`](stablehlo::Elementwise), [`Member`](stablehlo::Member), [`Number`](stablehlo::Number) |
//! | [`scaled_pair`] | [`ScaledPair`](scaled_pair::ScaledPair): two quantized inputs brought to one scale, combined, rescaled (ADD, SUB, SQUARED_DIFFERENCE); [`QuantizedSum`](scaled_pair::QuantizedSum)`::new(operands, options, activation, groups)`, `map(cx, ty, &broadcast, combine)` (ADD, SUB) |
//! | [`table`] | [`FunctionTable`](table::FunctionTable)`::prepare(x, y, cx, f)`, `eval(cx)`: a real function of i8, u8 or i16 by lookup |
//! | [`sigmoid`] | [`Sigmoid`](sigmoid::Sigmoid): what LOGISTIC and TANH share |
//! | [`channel_quant`] | [`ChannelQuant`](channel_quant::ChannelQuant), what elements of a tensor mean: `new(x, shape)`, `quant(q, element) -> Quant` |
//! | [`function`] | ops that are one real function, of floats or by table: [`Function<M>`](function::Function) is the op, [`Member`](function::Member) what differs |
//! | [`logical`] | two truth values that broadcast: [`Logical<M>`](logical::Logical) |
//! | [`integer_pair`] | two plain integers that broadcast: [`IntegerPair<M>`](integer_pair::IntegerPair) |
//! | [`complex_part`] | one real number of each complex one: [`ComplexPart<M>`](complex_part::ComplexPart) |
//! | [`arg`] | [`Arg<B>`](arg::Arg): where the best element along an axis is (ARG_MAX, ARG_MIN); [`Best`](arg::Best) is what differs |
//! | [`number`] | [`Number`](number::Number): integers that wrap, and f32: `plus`, `times`, `ZERO`, `ONE`, `LOWEST`, `HIGHEST`. [`Combine`](number::Combine): `nothing()`, `with(so_far, next)` |
//! | [`reduce`] | [`Reducer<R>`](reduce::Reducer), ops along axes that an input names; [`Reduce`](reduce::Reduce) is what differs; [`Groups`](reduce::Groups): `fold(x, y, nothing, f)`, `combine::<Combine>(x, y)`, `is_copy()` |
//! | [`segments`] | slices combined by number: [`UnsortedSegments<C>`](segments::UnsortedSegments), [`Segment`](segments::Segment) is what differs; `combine::<T, Combine>(x, ids, y)`, `with_segments(x, inner, segments)` |
//! | [`relu`] | the ReLU family, f32 and quantized: [`Clamp<M>`](relu::Clamp) is the op, [`Member`](relu::Member) what differs |
//! | [`moves`] | elements nobody looks at, by size: [`Width`](moves::Width)`::of(ty)` (2 and 4 bits, 1 to 16 bytes): `copy_run(from, Run, to, Run, length)`, `gather(nest, from, to)`, `scatter(nest, from, to)`, `copy(nest of two, from, to)`, `fill(value, to)`, `clear_rest(to)`; of cells `move_run`, `fill_cells`, `clear_rest_cells` |
//! | [`rearrange`] | outputs that are elements of one input in another order, strings too: [`Rearrangement`](rearrange::Rearrangement)`::new(output, nest)`, `slice(..)`, `part(..)`; [`Prepared`](rearrange::Prepared)`::declare(plan, cx, x)`, `declare_part(plan, cx, [input, output], x)`, `eval(cx, input, output, late)`; `declare_shape`, `with_size` |
//! | [`view`] | [`View`](view::View): the input's bytes in another shape (RESHAPE, SQUEEZE, EXPAND_DIMS) |
//! | [`recurrent`] | recurrent layers: [`Sequence`](recurrent::Sequence)`::of(x, order)`, `for_each(direction, \|row, batch\|)`; [`Matrix`](recurrent::Matrix), [`Diagonal`](recurrent::Diagonal) of f32 or 8 bits, `accumulate(x, sums)`; [`Vector`](recurrent::Vector)`::new(x, symmetry, room)`; `activate(activation, values)`; states: `expect_state`, `load`, `store` |
//! | [`lstm`] | LSTM layers: [`Layout`](lstm::Layout), where a node's inputs stand; [`Layer`](lstm::Layer)`::read(node, layout)`, checked; [`LstmOptions`](lstm::LstmOptions) |
//! | [`lstm_float`] | [`FloatLstm`](lstm_float::FloatLstm): the step on f32, with weights of f32 or 8 bits |
//! | [`lstm_integer`] | [`IntegerLstm`](lstm_integer::IntegerLstm): the step on i8 with gates of i16 |
//! | [`lstm_integer_8`] | [`IntegerLstm8`](lstm_integer_8::IntegerLstm8): the same with sums of i8 |
//! | [`rnn`] | [`RnnLayer`](rnn::RnnLayer): the step of fully connected recurrent layers |
//! | [`pad`] | [`ConstantPad`](pad::ConstantPad): the input in a larger tensor of one value |
//! | [`strings`] | [`Strings`](strings::Strings)`::of(x)` (checked), `get`, `iter`; [`StringWriter`](strings::StringWriter): `push`, `push_parts`; `packed_bytes`; `select(cx, output, shape, from, visit)`, `repeat(.., copies, visit)` |
//! | [`philox`] | Philox4x32: `block(key, counter)` |
//! | [`random`] | [`Generator`](random::Generator)`::read(node)`: `take(blocks)`, `block(n)`, `fill(y, convert)`, its position lives in the op; `unit_f32`, `unit_f64`; `declare(node, cx, types)`, `output(cx)`: an output whose shape is input 0 |
//! | [`non_max_suppression`] | [`NonMaxSuppression<CODE>`](non_max_suppression::NonMaxSuppression) is the op, NON_MAX_SUPPRESSION_V4 and _V5 |
//! | [`fingerprint`] | FarmHash: `fingerprint(head, tail)` |
//! | [`reduce_window`] | REDUCE_WINDOW and STABLEHLO_REDUCE_WINDOW: `check(x, init, y)`; [`Reduction`](reduce_window::Reduction)`::prepare(cx, x, axes, function)` with a [`WindowAxis`](reduce_window::WindowAxis) per axis, padding and base dilation too; `eval(cx)` |
//! | [`subgraph`] | calls of subgraphs: `expect_ports`, `prepare`, `run`, `same_shapes`, `declare_outputs`, `take_outputs`, `copy(cx, o, value)`, `truth` |
//! | [`resource`] | `expect_handle`, `handle(model, cx, i)`, `declare_handle(node, cx, shape, name)`; [`HashTable`](resource::HashTable) |
//! | [`space_batch`] | SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: [`SpaceBatch<M>`](space_batch::SpaceBatch), pixels of images dealt out to a batch of smaller ones in blocks, or collected; [`Member`](space_batch::Member) is what differs |
//! | [`spread`] | [`Spread`](spread::Spread): the input's elements apart in a tensor of one value (DILATE, STABLEHLO_PAD) |
//! | [`coordinates`] | [`Coordinates`](coordinates::Coordinates)`::new(dims, depth)`, slices that rows of indices name: `for_each(indices, rows, \|row, slice\|)` (GATHER_ND, SCATTER_ND, SPARSE_TO_DENSE) |
//! | [`minstd`] | the engine of the C++ library: [`State`](minstd::State)`::draw(\|engine\|)`, lives in the op; [`Minstd`](minstd::Minstd)`::unit_f32`, `unit_f64`, `fill_normal_f32`, `fill_normal_f64` |
//! | [`radix2`] | Fourier transforms of many sequences in place: `transform(x, &Layout, rest)`, `split_real(z, length)` |
//! | [`volume`] | windows over depth, height and width: [`Options3d`](volume::Options3d)`::read(node)`, `window(axis, input, filter)`; [`Window`](volume::Window)`::inside(position)`; `check_bias` |
//! | [`arguments`] | [`Integers`](arguments::Integers)`::of(x)`: up to 32 numbers of an argument tensor; `scalar(x)`, `saturated()`; `expect_type`, `expect_vector` |
//! | [`custom_options`] | [`CustomOptions`](custom_options::CustomOptions)`::of(node)`: `i32(key)`, `f32`, `bool`, `str`, `integers` name the key that is missing; `optional(key)`; `words(node, names)` of a C struct |
//! | [`argmax_pool`] | [`ArgmaxPool`](argmax_pool::ArgmaxPool)`::prepare(node, cx, padding, filter, stride)`, `for_each(cx, \|i, channel, maximum\|)`; `padding_of_c_struct(number)` |
//! | [`fft`] | [`RealFft`](fft::RealFft)`::prepare(cx, length, direction)`, `begin(cx)`: `forward(samples, spectrum)`, `inverse(spectrum, samples)`, of f32, f64 and fixed point i16, i32 |
//! | [`row_fft`] | [`RowFft<M>`](row_fft::RowFft), SignalRfft and SignalIrfft; [`Member`](row_fft::Member) is what differs |
//! | [`signal`] | of TFLite Micro's signal ops: `expect(x, ty)`, `expect_list`, `option_in(options, key, range)`, `last_axis(x)`, `check_type(node, x)`, [`Shape`](signal::Shape)`::new(others, more)`, [`Queue`](signal::Queue), `most_significant_bit` |
//! | [`partial_sort`] | `partial_sort(items, wanted, better)`: the best few, equals as libstdc++ orders them |

pub mod activation;
pub mod arg;
pub mod argmax_pool;
pub mod arguments;
pub mod bias;
pub mod binary;
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

/// FNV-1a over whole numbers: stands for long tables of expected values in tests.
#[cfg(test)]
pub(crate) fn checksum(values: impl IntoIterator<Item = i64>) -> u64 {
    values
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, value| (hash ^ value as u64).wrapping_mul(0x0100_0000_01b3))
}

/// Fails unless both runs of an op gave the same outputs, or the same error.
#[cfg(test)]
pub(crate) fn assert_same(
    a: &arenite_abi::Result<Vec<arenite_abi::testing::Tensor>>,
    b: &arenite_abi::Result<Vec<arenite_abi::testing::Tensor>>,
) {
    let message = |e: &arenite_abi::Error| e.message().to_owned();
    assert_eq!(a.as_ref().map_err(message), b.as_ref().map_err(message));
}
