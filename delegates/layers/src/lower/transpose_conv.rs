//! TRANSPOSE_CONV and MediaPipe's Convolution2DTransposeBias: with a constant filter.

use arenite_abi::prelude::*;
use arenite_abi::schema::TransposeConvOptions;
use arenite_base::Clamp;

use super::activation::clamp_of;
use super::source::{Source, expect_elements};
use crate::layer::{Axis, Common, TransposeConv, Window};
use crate::net::{Node, Value};

/// The sizes of a TRANSPOSE_CONV of any types.
pub struct Geometry {
    /// The window of the convolution, whose input is the output here.
    pub window: Window,
    /// Channels of the input.
    pub depth: usize,
    /// One of [`activation`](arenite_abi::schema::activation).
    pub activation: i8,
}

impl Geometry {
    /// Reads the options of a node and checks its shapes.
    ///
    /// # Errors
    /// The options are malformed or not supported, or the shapes do not fit them.
    pub fn read(x: &Source<'_, '_>) -> Result<Geometry> {
        let ((_, filter), (_, image), (_, result)) = (x.input(1)?, x.input(2)?, x.output(0)?);
        for value in [filter, image, result] {
            expect_elements(value)?;
        }
        let wanted = x.integers(0)?;
        let same = |(&size, &wanted): (&usize, &i64)| usize::try_from(wanted) == Ok(size);
        ensure!(
            wanted.len() == result.shape.len() && result.shape.iter().zip(&wanted).all(same),
            "a result of {wanted:?} is not {:?}",
            result.shape
        );
        let (&[filters, height, width, depth], &[images, rows, columns, channels]) =
            (&filter.shape[..], &image.shape[..])
        else {
            return Err(unsupported!(
                "filter {:?} and input {:?} need 4 dimensions",
                filter.shape,
                image.shape
            ));
        };
        let options = x.node.options::<TransposeConvOptions>()?;
        let window = Window::read(&options, &result.shape, [height, width])?;
        ensure!(
            [window.batches, window.rows.output, window.columns.output] == [images, rows, columns]
                && depth == channels
                && window.channels == filters,
            "input {:?}, filter {:?} and output {:?} do not fit",
            image.shape,
            filter.shape,
            result.shape
        );
        expect_few_taps(&window, x)?;
        let activation = options.get(TransposeConvOptions::FUSED_ACTIVATION_FUNCTION)?;
        Ok(Geometry { window, depth, activation })
    }
}

/// An error if the engine does not sum as many taps.
fn expect_few_taps(window: &Window, x: &Source<'_, '_>) -> Result<()> {
    let (taps, most) =
        (window.rows.taps_of_phase(0) * window.columns.taps_of_phase(0), x.limits.transpose_conv_taps);
    if taps > most {
        return Err(unsupported!("{taps} taps contribute to one result; at most {most} are supported"));
    }
    Ok(())
}

/// An error unless these values are `f32`.
fn expect_f32(values: [&Value<'_>; 3]) -> Result<()> {
    match values.into_iter().find(|value| value.ty != F32) {
        Some(value) => Err(unsupported!("{} is not supported, only FLOAT32: {value}", value.ty)),
        None => Ok(()),
    }
}

/// Lowers TRANSPOSE_CONV.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let ((_, filter), (input, image), (output, result)) = (x.input(1)?, x.input(2)?, x.output(0)?);
    expect_f32([filter, image, result])?;
    let Geometry { window, depth, activation } = Geometry::read(x)?;
    let layer = TransposeConv {
        window,
        depth,
        weights: x.weights(1)?,
        bias: x.bias(3, window.channels)?,
        clamp: clamp_of(activation)?,
        epilogue: Vec::new(),
    };
    Ok(Node::new(Common::TransposeConv(layer), vec![input], vec![output]))
}

/// Lowers Convolution2DTransposeBias, whose options are a C struct of 32-bit numbers: padding (1 is SAME, 2 is VALID),
/// stride along the width, stride along the height.
///
/// Defined by: mediapipe/util/tflite/operations/transpose_conv_bias.cc.
///
/// ```text
/// SAME: padding = taps − (n − 1) mod stride − 1, not below 0, half of it before; VALID: none
/// ```
pub(super) fn with_bias<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let ((input, image), (_, filter), (output, result)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    expect_f32([filter, image, result])?;
    [filter, image, result].into_iter().try_for_each(expect_elements)?;
    let (
        &[filters, height, width, depth],
        &[images, rows, columns, channels],
        &[batches, high, wide, results],
    ) = (&filter.shape[..], &image.shape[..], &result.shape[..])
    else {
        return Err(unsupported!("filter {:?} and input {:?} need 4 dimensions", filter.shape, image.shape));
    };
    if (depth, filters, images) != (channels, results, batches) {
        let [image, filter, result] = [image, filter, result].map(|value| &value.shape);
        return Err(invalid!("input {image:?}, filter {filter:?} and output {result:?} do not fit"));
    }
    let [padding, across, down] = words_of(x.node.custom_options())?;
    let window = Window {
        batches,
        rows: gradient_axis(padding, down, Axis { output: rows, taps: height, input: high, ..Axis::ONE })?,
        columns: gradient_axis(
            padding,
            across,
            Axis { output: columns, taps: width, input: wide, ..Axis::ONE },
        )?,
        channels: filters,
    };
    expect_few_taps(&window, x)?;
    let layer = TransposeConv {
        window,
        depth,
        weights: x.weights(1)?,
        bias: x.bias(2, filters)?,
        clamp: Clamp::NONE,
        epilogue: Vec::new(),
    };
    Ok(Node::new(Common::TransposeConv(layer), vec![input], vec![output]))
}

/// The first three 32-bit numbers of a C struct.
fn words_of(options: &[u8]) -> Result<[i32; 3]> {
    match options.as_chunks::<4>().0 {
        &[a, b, c, ..] => Ok([a, b, c].map(i32::from_le_bytes)),
        _ => Err(invalid!("the options have {} bytes; 12 are needed", options.len())),
    }
}

/// The axis with this stride and the padding before it.
fn gradient_axis(padding: i32, stride: i32, axis: Axis) -> Result<Axis> {
    let Axis { input: size, output: n, taps, .. } = axis;
    let strides = usize::try_from(stride).ok().filter(|&stride| stride > 0);
    let stride = strides.ok_or_else(|| invalid!("a stride is {stride}; it must be at least 1"))?;
    let lost = match padding {
        1 => taps.saturating_sub((n - 1) % stride + 1),
        2 => 0,
        _ => return Err(invalid!("padding {padding} is unknown; 1 is SAME, 2 is VALID")),
    };
    ensure!(
        (n - 1).checked_mul(stride).and_then(|first| (first + taps).checked_sub(lost)) == Some(size),
        "{n} pixels, {taps} taps and stride {stride} do not give {size} pixels"
    );
    Ok(Axis { stride, before: lost / 2, ..axis })
}
