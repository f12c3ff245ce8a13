//! Which nodes the device runs: common layers of `f32`, those of the table. Bytes are the floats that they stand for.

use arenite_abi::prelude::*;
use arenite_layers::{Grid, Limits, Parts, Source};

use Bytes::{AsReals, AsTheyAre, Otherwise};

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

/// An op that multiplies an input by input 1.
pub struct Product {
    /// The op.
    code: i32,
    /// The position of the other input.
    pub data: usize,
    /// How many products are added up.
    pub multiply_adds: fn(&ProductShapes) -> u64,
}

/// Shapes of a product.
pub struct ProductShapes {
    /// Of [`Product::data`].
    pub data: Vec<u64>,
    /// Of input 1.
    pub weights: Vec<u64>,
    /// Elements of the output.
    pub results: u64,
}

impl Product {
    /// The row of an op.
    pub fn of(code: i32) -> Option<&'static Product> {
        PRODUCTS.iter().find(|product| product.code == code)
    }
}

/// The product of some dimensions, `u64::MAX` if it has more bits.
fn volume(dims: &[u64]) -> u64 {
    dims.iter().fold(1, |all, &n| all.saturating_mul(n))
}

/// All products that a device computes.
const PRODUCTS: &[Product] = &[
    // Weights are [filters, rows, columns, channels], of a depthwise one [1, rows, columns, channels].
    Product { code: op::CONV_2D, data: 0, multiply_adds: |x| x.each_result(x.weights.get(1..)) },
    Product { code: op::DEPTHWISE_CONV_2D, data: 0, multiply_adds: |x| x.each_result(x.weights.get(1..3)) },
    Product {
        code: op::FULLY_CONNECTED,
        data: 0,
        multiply_adds: |x| x.each_result(x.weights.last_chunk::<1>()),
    },
    Product { code: op::BATCH_MATMUL, data: 0, multiply_adds: |x| x.each_result(x.data.last_chunk::<1>()) },
    // Each element of the input meets all taps of all filters.
    Product {
        code: op::TRANSPOSE_CONV,
        data: 2,
        multiply_adds: |x| volume(&x.data).saturating_mul(x.weights.get(..3).map_or(1, volume)),
    },
];

impl ProductShapes {
    /// Each result adds up as many products as these dimensions have elements.
    fn each_result(&self, dims: Option<impl AsRef<[u64]>>) -> u64 {
        self.results.saturating_mul(dims.map_or(1, |dims| volume(dims.as_ref())))
    }
}

/// What reference ops make of bytes.
#[derive(Clone, Copy)]
enum Bytes {
    /// What comes of the reals that these stand for.
    AsReals,
    /// They copy, compare or sum them, whatever these stand for.
    AsTheyAre,
    /// Something that a device does not do.
    Otherwise(&'static str),
}

const BELOW_ZERO: &str = "of bytes below zero it is an error, which the device does not tell";
const ZERO_POINTS: &str = "of bytes it leaves zero points out of account";
const BY_ZERO: &str = "to divide bytes by zero is an error, which the device does not tell";

/// Ops whose layers have kernels.
const TAKEN: &[(i32, Bytes)] = &[
    (op::CONV_2D, AsReals),
    (op::DEPTHWISE_CONV_2D, AsReals),
    (op::FULLY_CONNECTED, AsReals),
    (op::TRANSPOSE_CONV, AsReals),
    (op::BATCH_MATMUL, AsReals),
    (op::AVERAGE_POOL_2D, AsTheyAre),
    (op::MAX_POOL_2D, AsTheyAre),
    (op::QUANTIZE, AsReals),
    (op::DEQUANTIZE, AsReals),
    (op::RESHAPE, AsTheyAre),
    (op::SQUEEZE, AsTheyAre),
    (op::EXPAND_DIMS, AsTheyAre),
    (op::SOFTMAX, AsReals),
    (op::LOG_SOFTMAX, AsReals),
    (op::MEAN, AsReals),
    (op::SUM, AsReals),
    (op::REDUCE_MAX, AsTheyAre),
    (op::REDUCE_MIN, AsTheyAre),
    (op::CONCATENATION, AsTheyAre),
    (op::PACK, AsTheyAre),
    (op::SPLIT, AsTheyAre),
    (op::SPLIT_V, AsTheyAre),
    (op::UNPACK, AsTheyAre),
    (op::PAD, AsTheyAre),
    (op::PADV2, AsTheyAre),
    (op::MIRROR_PAD, AsTheyAre),
    (op::SLICE, AsTheyAre),
    (op::STRIDED_SLICE, AsTheyAre),
    (op::REVERSE_V2, AsTheyAre),
    (op::TRANSPOSE, AsTheyAre),
    (op::TILE, AsTheyAre),
    (op::BROADCAST_TO, AsTheyAre),
    (op::DEPTH_TO_SPACE, AsTheyAre),
    (op::SPACE_TO_DEPTH, AsTheyAre),
    (op::SPACE_TO_BATCH_ND, AsTheyAre),
    (op::BATCH_TO_SPACE_ND, AsTheyAre),
    (op::GATHER, AsTheyAre),
    (op::EMBEDDING_LOOKUP, AsTheyAre),
    (op::RESIZE_BILINEAR, AsTheyAre),
    (op::RESIZE_NEAREST_NEIGHBOR, AsTheyAre),
    (op::ADD, AsReals),
    (op::MUL, AsReals),
    (op::SUB, AsReals),
    (op::DIV, Otherwise(BY_ZERO)),
    (op::MAXIMUM, AsTheyAre),
    (op::MINIMUM, AsTheyAre),
    (op::SQUARED_DIFFERENCE, AsReals),
    (op::PRELU, AsReals),
    (op::LOGISTIC, AsReals),
    (op::TANH, AsReals),
    (op::EXP, AsReals),
    (op::NEG, Otherwise(ZERO_POINTS)),
    (op::SQRT, Otherwise(BELOW_ZERO)),
    (op::RSQRT, Otherwise(BELOW_ZERO)),
    (op::SQUARE, AsReals),
    (op::ABS, AsReals),
    (op::HARD_SWISH, AsReals),
    (op::FLOOR, AsReals),
    (op::CEIL, AsReals),
    (op::ROUND, AsReals),
    (op::ELU, AsReals),
    (op::LEAKY_RELU, AsReals),
    (op::GELU, AsReals),
    (op::RELU, AsReals),
    (op::RELU_N1_TO_1, AsReals),
    (op::RELU6, AsReals),
    (op::RELU_0_TO_1, AsReals),
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
    let Some(&(_, bytes)) = TAKEN.iter().find(|(taken, _)| *taken == code) else {
        return Err(match code {
            op::WHILE | op::IF | op::CALL_ONCE | op::STABLEHLO_COMPOSITE => {
                unsupported!("subgraphs are called on the host")
            }
            op::UNIDIRECTIONAL_SEQUENCE_LSTM | op::BIDIRECTIONAL_SEQUENCE_LSTM | op::SVDF | op::RNN => {
                unsupported!("its state is kept between invocations, on the host")
            }
            _ => unsupported!("the device has no kernel for the op"),
        });
    };
    for i in 0..x.node.output_count() {
        let (_, y) = x.output(i)?;
        if y.ty != F32 {
            return Err(unsupported!("'{}' is {}; only FLOAT32 is supported", y.name, y.ty));
        }
    }
    if let Some(product) = Product::of(code) {
        let ((_, input), (_, weights)) = (x.input(product.data)?, x.input(1)?);
        if weights.real.is_some() && input.grid.is_none() && input.real.is_none() {
            return Err(unsupported!(
                "'{}' is quantized while the model runs, which is not done here",
                input.name
            ));
        }
    }
    refuse_bytes(x, bytes)?;
    if code == op::CONV_2D && x.input(0)?.1.shape.last() != x.input(1)?.1.shape.last() {
        return Err(unsupported!("grouped convolutions are not supported"));
    }
    Ok(())
}

/// An error where the device would make something else of bytes.
fn refuse_bytes(x: &Source<'_, '_>, bytes: Bytes) -> Result<()> {
    let Some(grid) = x.output(0)?.1.grid else { return Ok(()) };
    let (code, mut inputs) = (x.node.builtin_code(), 0..x.node.input_count());
    match bytes {
        Otherwise(reason) => Err(unsupported!("{reason}")),
        // Unsigned bytes are brought to the output's quantization.
        AsTheyAre if (code, grid.ty) != (op::CONCATENATION, U8) => {
            inputs.try_for_each(|i| expect_grid(x, i, grid))
        }
        _ => {
            if code == op::TRANSPOSE_CONV {
                expect_symmetric(x, 1)?;
            }
            inputs.try_for_each(|i| expect_steps(x, i, grid))
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
