//! RESIZE_BILINEAR of bytes.
//!
//! Defined by: tflite/kernels/resize_bilinear.cc, tflite/kernels/internal/reference/reference_ops.h (`ResizeBilinear`,
//! `ResizeBilinearInteger`).

use arenite_abi::prelude::*;
use arenite_layers::layer::resize::{Alignment, Neighbours};
use arenite_layers::lower::resize::read_bilinear;
use arenite_layers::{Node, Source};

use crate::kernels::u8_blend::DIGITS;
use crate::ops::build::Build;
use crate::ops::resize::tables;
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::resize::Images;
use crate::steps::resize_u8::{BilinearU8, Blending};

/// Means of the four pixels around.
pub(crate) struct ResizeBytes {
    alignment: Alignment,
    /// Signed bytes are blended in fixed point, unsigned ones as floats.
    is_signed: bool,
}

/// Lowers RESIZE_BILINEAR.
pub(super) fn lower(x: &Source<'_, '_>) -> Result<Node<ResizeBytes>> {
    let alignment = read_bilinear(x)?;
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    let is_signed = a.ty == I8;
    for (&from, &to) in a.shape[1..3].iter().zip(&y.shape[1..3]) {
        for at in [0, to - 1] {
            let Neighbours { distance, .. } = alignment.between_of_bytes(from, to, at);
            if is_signed && !(-1.0..=2.0).contains(&distance) {
                return Err(unsupported!("a resize of {from} pixels to {to} rounds its scale too much"));
            }
        }
    }
    Ok(Node::new(ResizeBytes { alignment, is_signed }, vec![input], vec![output]))
}

impl ResizeBytes {
    /// The step.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn Step>> {
        let ends = node.ends();
        let (a, y) = (&net.values[ends.input].shape[..], &net.values[ends.output].shape[..]);
        let images = Images { count: a[0], input: [a[1], a[2]], channels: a[3] };
        let blending = match self.is_signed {
            true => {
                let between = |from, to, at| self.alignment.between_of_bytes(from, to, at);
                let digits = |distance: f32| (distance * (1 << DIGITS) as f32) as i32;
                let (rows, columns) = tables(build, [a, y], between, digits)?;
                Blending::Fixed(rows, columns)
            }
            false => {
                let between = |from, to, at| self.alignment.between(from, to, at);
                let (rows, columns) = tables(build, [a, y], between, |distance| distance)?;
                Blending::Real(rows, columns)
            }
        };
        Ok(Box::new(BilinearU8 { blend: build.bytes.blend, images, blending, ends }))
    }
}
