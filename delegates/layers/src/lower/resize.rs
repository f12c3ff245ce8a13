//! RESIZE_BILINEAR of f32, RESIZE_NEAREST_NEIGHBOR of any type of whole bytes.
//!
//! Defined by: tflite/kernels/resize_bilinear.cc, tflite/kernels/resize_nearest_neighbor.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::{ResizeBilinearOptions, ResizeNearestNeighborOptions};

use super::source::{Source, expect_elements};
use crate::layer::moves::width;
use crate::layer::resize::{Alignment, Kind};
use crate::layer::{Common, Resize};
use crate::net::Node;

/// Lowers RESIZE_BILINEAR.
pub(super) fn bilinear<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    x.expect_f32(1)?;
    lower(x, Kind::Bilinear, bilinear_alignment(x)?)
}

/// The alignment of a RESIZE_BILINEAR.
fn bilinear_alignment(x: &Source<'_, '_>) -> Result<Alignment> {
    let options = x.node.options()?;
    Ok(Alignment {
        corners: options.get(ResizeBilinearOptions::ALIGN_CORNERS)?,
        half_pixel: options.get(ResizeBilinearOptions::HALF_PIXEL_CENTERS)?,
    })
}

/// The alignment of a RESIZE_BILINEAR of any type, whose shapes agree.
///
/// # Errors
/// The reason for a refusal.
pub fn read_bilinear(x: &Source<'_, '_>) -> Result<Alignment> {
    expect_sizes(x)?;
    bilinear_alignment(x)
}

/// Lowers RESIZE_NEAREST_NEIGHBOR.
pub(super) fn nearest<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let options = x.node.options()?;
    let alignment = Alignment {
        corners: options.get(ResizeNearestNeighborOptions::ALIGN_CORNERS)?,
        half_pixel: options.get(ResizeNearestNeighborOptions::HALF_PIXEL_CENTERS)?,
    };
    lower(x, Kind::Nearest, alignment)
}

fn lower<'a>(x: &Source<'_, 'a>, kind: Kind, alignment: Alignment) -> Result<Node<Common<'a>>> {
    expect_sizes(x)?;
    let (input, output) = (x.input(0)?.0, x.output(0)?.0);
    Ok(Node::new(Common::Resize(Resize { kind, alignment }), vec![input], vec![output]))
}

/// An error unless the output has the input's images and channels, and the constant size.
fn expect_sizes(x: &Source<'_, '_>) -> Result<()> {
    let ((_, a), (_, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(a)?;
    expect_elements(y)?;
    let sizes = x.integers(1)?;
    width(a)?;
    let (&[images, _, _, channels], &[same_images, rows, columns, same_channels]) =
        (&a.shape[..], &y.shape[..])
    else {
        return Err(unsupported!("{:?} and {:?} must have 4 dimensions", a.shape, y.shape));
    };
    ensure!(
        a.ty == y.ty && images == same_images && channels == same_channels,
        "{:?} and {:?} must have the same images and channels",
        a.shape,
        y.shape
    );
    ensure!(sizes == [rows as i64, columns as i64], "a resize to {sizes:?} does not give {:?}", y.shape);
    Ok(())
}
