//! The nodes that the device runs: common layers of `f32`, and LSTM. Quantized tensors are converted to floats.

pub(crate) mod lstm;
pub(crate) mod transfer;

use arenite_abi::prelude::*;
use arenite_layers::lower::{self, Operations, Quantized};
use arenite_layers::{Grid, Limits, Parts, Source};

use lstm::Lstm;

/// A net with this delegate's layers.
pub(crate) type Net<'a> = arenite_layers::Net<'a, GpuLayer<'a>>;
/// A node of such a net.
pub(crate) type Node<'a> = arenite_layers::Node<Layer<'a>>;
/// A layer of such a net.
pub(crate) type Layer<'a> = arenite_layers::Layer<'a, GpuLayer<'a>>;

/// The layers that only this delegate has.
pub(crate) enum GpuLayer<'a> {
    /// A step of a recurrent layer.
    Lstm(Lstm<'a>),
}

/// The limits of kernels. Windows of any size are supported.
pub(crate) const LIMITS: Limits = Limits {
    epilogue: 16,
    conv_taps: 1 << 16,
    conv_rows: 0,
    depthwise_taps: 1 << 16,
    pool_taps: 1 << 16,
    transpose_conv_taps: 1 << 16,
};

impl<'a> arenite_layers::EngineLowering<'a> for GpuLayer<'a> {
    fn lower(x: &Source<'_, 'a>) -> Option<Result<arenite_layers::Node<Self>>> {
        match x.node.builtin_code() {
            op::LSTM => Some(lstm::lower(x).map(|node| node.with(GpuLayer::Lstm))),
            _ => refusal(x).err().map(Err),
        }
    }
}

impl<'a> arenite_layers::EngineLayer<'a> for GpuLayer<'a> {
    fn parts_mut(&mut self) -> Parts<'_, 'a> {
        match self {
            GpuLayer::Lstm(_) => Parts::NONE,
        }
    }
}

/// An error if the device does not run the node.
fn refusal(x: &Source<'_, '_>) -> Result<()> {
    let code = x.node.builtin_code();
    let Some(facts) = lower::facts(&x.node).and_then(|facts| facts.layer.as_ref()) else {
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
            return Err(unsupported!("{} is not supported, only FLOAT32: {y}", y.ty));
        }
    }
    if let Operations::Products(_) = facts.work {
        let ((_, input), (_, weights)) = (x.input(facts.data)?, x.input(1)?);
        if weights.real.is_some() && input.grid.is_none() && input.real.is_none() {
            return Err(unsupported!("dynamic quantization of {input} is not supported"));
        }
    }
    expect_quantization(x, facts.quantized)?;
    if code == op::CONV_2D && x.input(0)?.1.shape.last() != x.input(1)?.1.shape.last() {
        return Err(unsupported!("grouped convolutions are not supported"));
    }
    Ok(())
}

/// An error if the results for quantized tensors would differ from the reference op's.
fn expect_quantization(x: &Source<'_, '_>, quantized: Quantized) -> Result<()> {
    let Some(grid) = x.output(0)?.1.grid else { return Ok(()) };
    let (code, mut inputs) = (x.node.builtin_code(), 0..x.node.input_count());
    match quantized {
        Quantized::Refused(reason) => Err(unsupported!("{reason}")),
        // CONCATENATION requantizes unsigned bytes.
        Quantized::AsStored if (code, grid.ty) != (op::CONCATENATION, U8) => {
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

/// An error if constant INT8 weights have a zero point other than 0.
fn expect_symmetric(x: &Source<'_, '_>, i: usize) -> Result<()> {
    let (_, weights) = x.input(i)?;
    match weights.real.and_then(|real| real.grid()) {
        Some(Grid { ty: I8, quant }) if quant.zero_point != 0 => {
            Err(unsupported!("the reference op ignores the zero point of {weights}"))
        }
        _ => Ok(()),
    }
}

/// An error if the scale of input `i` is so much larger than the output's that integers of the reference op may
/// overflow: ADD and SUB convert both inputs to 2⁻¹⁹ of the larger scale.
fn expect_steps(x: &Source<'_, '_>, i: usize, grid: Grid) -> Result<()> {
    const MOST: f32 = (1u32 << 19) as f32;
    let from = x.optional_input(i).and_then(|(_, input)| Some((input, input.grid?.quant.scale)));
    match from.map(|(input, scale)| (input, scale / grid.quant.scale)).filter(|(_, steps)| *steps >= MOST) {
        Some((input, steps)) => Err(unsupported!(
            "the scale of {input} is {steps} times the output's; integers of the reference op overflow"
        )),
        None => Ok(()),
    }
}

/// An error if input `i` is quantized in another way than the output.
fn expect_grid(x: &Source<'_, '_>, i: usize, grid: Grid) -> Result<()> {
    let Some((_, input)) = x.optional_input(i) else { return Ok(()) };
    let is_constant = input.constant.is_some_and(|constant| matches!(constant.ty, I8 | U8));
    let is_bytes = input.grid.is_some() || is_constant;
    match !is_bytes || input.grid.or_else(|| input.real.and_then(|real| real.grid())) == Some(grid) {
        true => Ok(()),
        false => Err(unsupported!("{input} has another quantization than the output")),
    }
}
