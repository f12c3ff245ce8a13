//! Which nodes the device runs: common layers of `f32`, those of the table. Bytes are the floats that they stand for.

use arenite_abi::prelude::*;
use arenite_layers::{Grid, Limits, Parts, Source};

use crate::ops::lstm::{self, Lstm};

/// A partition as a graph of layers.
pub type Net<'a> = arenite_layers::Net<'a, Own<'a>>;
/// A node of a net.
pub type Node<'a> = arenite_layers::Node<Layer<'a>>;
/// What a node computes.
pub type Layer<'a> = arenite_layers::Layer<'a, Own<'a>>;

/// The delegate's own layers.
pub enum Own<'a> {
    /// A step of a recurrent layer.
    Lstm(Lstm<'a>),
}

/// What kernels can do. Loops over taps end where the window does, whatever its size.
pub const LIMITS: Limits = Limits {
    epilogue: 16,
    conv_taps: 1 << 16,
    depthwise_taps: 1 << 16,
    pool_taps: 1 << 16,
    transpose_conv_taps: 1 << 16,
};

/// Ops that multiply an input by input 1, and its position.
const PRODUCTS: &[(i32, usize)] = &[
    (op::CONV_2D, 0),
    (op::DEPTHWISE_CONV_2D, 0),
    (op::FULLY_CONNECTED, 0),
    (op::BATCH_MATMUL, 0),
    (op::TRANSPOSE_CONV, 2),
];

/// Ops whose layers have kernels.
const TAKEN: &[i32] = &[
    op::CONV_2D,
    op::DEPTHWISE_CONV_2D,
    op::FULLY_CONNECTED,
    op::TRANSPOSE_CONV,
    op::BATCH_MATMUL,
    op::AVERAGE_POOL_2D,
    op::MAX_POOL_2D,
    op::QUANTIZE,
    op::DEQUANTIZE,
    op::RESHAPE,
    op::SQUEEZE,
    op::EXPAND_DIMS,
    op::SOFTMAX,
    op::LOG_SOFTMAX,
    op::MEAN,
    op::SUM,
    op::REDUCE_MAX,
    op::REDUCE_MIN,
    op::CONCATENATION,
    op::PACK,
    op::SPLIT,
    op::SPLIT_V,
    op::UNPACK,
    op::PAD,
    op::PADV2,
    op::MIRROR_PAD,
    op::SLICE,
    op::STRIDED_SLICE,
    op::REVERSE_V2,
    op::TRANSPOSE,
    op::TILE,
    op::BROADCAST_TO,
    op::DEPTH_TO_SPACE,
    op::SPACE_TO_DEPTH,
    op::SPACE_TO_BATCH_ND,
    op::BATCH_TO_SPACE_ND,
    op::GATHER,
    op::EMBEDDING_LOOKUP,
    op::RESIZE_BILINEAR,
    op::RESIZE_NEAREST_NEIGHBOR,
    op::ADD,
    op::MUL,
    op::SUB,
    op::DIV,
    op::MAXIMUM,
    op::MINIMUM,
    op::SQUARED_DIFFERENCE,
    op::PRELU,
    op::LOGISTIC,
    op::TANH,
    op::EXP,
    op::NEG,
    op::SQRT,
    op::RSQRT,
    op::SQUARE,
    op::ABS,
    op::HARD_SWISH,
    op::FLOOR,
    op::CEIL,
    op::ROUND,
    op::ELU,
    op::LEAKY_RELU,
    op::GELU,
    op::RELU,
    op::RELU_N1_TO_1,
    op::RELU6,
    op::RELU_0_TO_1,
];

/// Ops whose reference ops copy, compare or sum bytes, whatever these stand for; CONCATENATION those with a sign.
const BY_BYTES: &[i32] = &[
    op::MAX_POOL_2D,
    op::AVERAGE_POOL_2D,
    op::MAXIMUM,
    op::MINIMUM,
    op::RESHAPE,
    op::SQUEEZE,
    op::EXPAND_DIMS,
    op::REDUCE_MAX,
    op::REDUCE_MIN,
    op::CONCATENATION,
    op::PACK,
    op::SPLIT,
    op::SPLIT_V,
    op::UNPACK,
    op::PAD,
    op::PADV2,
    op::MIRROR_PAD,
    op::SLICE,
    op::STRIDED_SLICE,
    op::REVERSE_V2,
    op::TRANSPOSE,
    op::TILE,
    op::BROADCAST_TO,
    op::DEPTH_TO_SPACE,
    op::SPACE_TO_DEPTH,
    op::SPACE_TO_BATCH_ND,
    op::BATCH_TO_SPACE_ND,
    op::GATHER,
    op::EMBEDDING_LOOKUP,
    op::RESIZE_BILINEAR,
    op::RESIZE_NEAREST_NEIGHBOR,
];

impl<'a> arenite_layers::Own<'a> for Own<'a> {
    fn lower(x: &Source<'_, 'a>) -> Option<Result<arenite_layers::Node<Self>>> {
        match x.node.builtin_code() {
            op::LSTM => Some(lstm::lower(x)),
            _ => refusal(x).err().map(Err),
        }
    }

    fn parts_mut(&mut self) -> Parts<'_, 'a> {
        match self {
            Own::Lstm(_) => Parts::NONE,
        }
    }
}

/// An error if the device does not run the node.
fn refusal(x: &Source<'_, '_>) -> Result<()> {
    let code = x.node.builtin_code();
    if !TAKEN.contains(&code) {
        return Err(match code {
            op::WHILE | op::IF | op::CALL_ONCE | op::STABLEHLO_COMPOSITE => {
                unsupported!("subgraphs are called on the host")
            }
            op::UNIDIRECTIONAL_SEQUENCE_LSTM | op::BIDIRECTIONAL_SEQUENCE_LSTM | op::SVDF | op::RNN => {
                unsupported!("its state is kept between invocations, on the host")
            }
            _ => unsupported!("the device has no kernel for the op"),
        });
    }
    for i in 0..x.node.output_count() {
        let (_, y) = x.output(i)?;
        if y.ty != F32 {
            return Err(unsupported!("'{}' is {}, taken is FLOAT32", y.name, y.ty));
        }
    }
    if let Some(&(_, input)) = PRODUCTS.iter().find(|(product, _)| *product == code) {
        let ((_, input), (_, weights)) = (x.input(input)?, x.input(1)?);
        if weights.real.is_some() && input.grid.is_none() && input.real.is_none() {
            return Err(unsupported!(
                "'{}' is quantized while the model runs, which is not done here",
                input.name
            ));
        }
    }
    refuse_bytes(x, code)?;
    if code == op::CONV_2D && x.input(0)?.1.shape.last() != x.input(1)?.1.shape.last() {
        return Err(unsupported!("groups of channels are not taken"));
    }
    Ok(())
}

/// An error where reference ops of bytes do something else than to compute with the reals that these stand for.
fn refuse_bytes(x: &Source<'_, '_>, code: i32) -> Result<()> {
    let Some(grid) = x.output(0)?.1.grid else { return Ok(()) };
    match code {
        op::SQRT | op::RSQRT => {
            Err(unsupported!("of bytes below zero it is an error, which the device does not tell"))
        }
        op::NEG => Err(unsupported!("of bytes it leaves zero points out of account")),
        op::DIV => Err(unsupported!("to divide bytes by zero is an error, which the device does not tell")),
        op::CONCATENATION if grid.ty == U8 => Ok(()),
        _ if BY_BYTES.contains(&code) => (0..x.node.input_count()).try_for_each(|i| expect_grid(x, i, grid)),
        _ => {
            if code == op::TRANSPOSE_CONV {
                expect_symmetric(x, 1)?;
            }
            (0..x.node.input_count()).try_for_each(|i| expect_steps(x, i, grid))
        }
    }
}

/// An error if the zero point of constant signed bytes is another than 0.
fn expect_symmetric(x: &Source<'_, '_>, i: usize) -> Result<()> {
    let (_, weights) = x.input(i)?;
    match weights.real.and_then(|real| real.grid()) {
        Some(Grid { ty: I8, quant }) if quant.zero_point != 0 => {
            Err(unsupported!("the zero point of '{}' is left out of account", weights.name))
        }
        _ => Ok(()),
    }
}

/// An error if a step of input `i`, if it has some, is so many of the output that the reference ops' integers may overflow: ADD and SUB bring
/// both inputs to steps of 2⁻¹⁹ of the larger ones.
fn expect_steps(x: &Source<'_, '_>, i: usize, grid: Grid) -> Result<()> {
    const MOST: f32 = (1u32 << 19) as f32;
    let from = x.optional_input(i).and_then(|(_, input)| Some((input, input.grid?.quant.scale)));
    match from.map(|(input, scale)| (input, scale / grid.quant.scale)).filter(|(_, steps)| *steps >= MOST) {
        Some((input, steps)) => {
            Err(unsupported!("'{}' has steps of {steps} of the output's: integers overflow", input.name))
        }
        None => Ok(()),
    }
}

/// An error if the bytes of input `i`, if it has some, stand for something else than those of the output.
fn expect_grid(x: &Source<'_, '_>, i: usize, grid: Grid) -> Result<()> {
    let Some((_, input)) = x.optional_input(i) else { return Ok(()) };
    let is_constant = input.constant.is_some_and(|constant| matches!(constant.ty, I8 | U8));
    let is_bytes = input.grid.is_some() || is_constant;
    match !is_bytes || input.grid.or_else(|| input.real.and_then(|real| real.grid())) == Some(grid) {
        true => Ok(()),
        false => Err(unsupported!("'{}' has another quantization than the output", input.name)),
    }
}
