//! TRANSPOSE_CONV: with a constant filter.

use arenite_abi::prelude::*;
use arenite_abi::schema::TransposeConvOptions;

use super::activation::clamp_of;
use super::source::{Source, expect_elements};
use crate::layer::{Common, TransposeConv, Window};
use crate::net::Node;

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
        let (taps, most) =
            (window.rows.taps_of_phase(0) * window.columns.taps_of_phase(0), x.limits.transpose_conv_taps);
        if taps > most {
            return Err(unsupported!("{taps} taps contribute to one result; at most {most} are supported"));
        }
        let activation = options.get(TransposeConvOptions::FUSED_ACTIVATION_FUNCTION)?;
        Ok(Geometry { window, depth, activation })
    }
}

/// Lowers TRANSPOSE_CONV.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let ((_, filter), (input, image), (output, result)) = (x.input(1)?, x.input(2)?, x.output(0)?);
    for value in [filter, image, result] {
        if value.ty != F32 {
            return Err(unsupported!("{} is not supported, only FLOAT32: {value}", value.ty));
        }
    }
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
