//! RESIZE_BILINEAR of f32, RESIZE_NEAREST_NEIGHBOR of any type of whole bytes.
//!
//! Defined by: tflite/kernels/resize_bilinear.cc, tflite/kernels/resize_nearest_neighbor.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::{ResizeBilinearOptions, ResizeNearestNeighborOptions};

use super::moves::width;
use super::{Build, Layer, Source, expect_elements};
use crate::net::{Net, Node, Value};
use crate::program::Step;
use crate::steps::resize::{Between, Bilinear, Images, Nearest};

/// Which positions of input and output correspond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Alignment {
    /// The outermost pixels fall together.
    corners: bool,
    /// Centres lie half a pixel in.
    half_pixel: bool,
}

/// What is made of the pixels around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bilinear,
    Nearest,
}

/// Images of another size.
pub struct Resize {
    kind: Kind,
    alignment: Alignment,
}

/// Lowers RESIZE_BILINEAR.
pub fn bilinear<'a>(x: &Source<'_, 'a>) -> Result<Node<'a>> {
    x.expect_f32(1)?;
    let options = x.node.options()?;
    lower(
        x,
        Kind::Bilinear,
        Alignment {
            corners: options.get(ResizeBilinearOptions::ALIGN_CORNERS)?,
            half_pixel: options.get(ResizeBilinearOptions::HALF_PIXEL_CENTERS)?,
        },
    )
}

/// Lowers RESIZE_NEAREST_NEIGHBOR.
pub fn nearest<'a>(x: &Source<'_, 'a>) -> Result<Node<'a>> {
    let options = x.node.options()?;
    let alignment = Alignment {
        corners: options.get(ResizeNearestNeighborOptions::ALIGN_CORNERS)?,
        half_pixel: options.get(ResizeNearestNeighborOptions::HALF_PIXEL_CENTERS)?,
    };
    lower(x, Kind::Nearest, alignment)
}

fn lower<'a>(x: &Source<'_, 'a>, kind: Kind, alignment: Alignment) -> Result<Node<'a>> {
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
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
    Ok(Node::new(Layer::Resize(Resize { kind, alignment }), vec![input], vec![output]))
}

impl Resize {
    /// The step, with its tables.
    pub fn build(&self, node: &Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let (a, y): (&Value<'_>, &Value<'_>) = (&net.values[input], &net.values[output]);
        let bytes = width(a)?;
        let sizes = [(a.shape[1], y.shape[1]), (a.shape[2], y.shape[2])];
        let images = |channels| Images { count: a.shape[0], input: [a.shape[1], a.shape[2]], channels };
        Ok(match self.kind {
            Kind::Bilinear => {
                let table = |(from, to)| (0..to).map(|at| self.alignment.between(from, to, at)).collect();
                let [rows, columns] = sizes.map(table);
                Box::new(Bilinear {
                    map: build.f32_map,
                    images: images(a.shape[3]),
                    rows,
                    columns,
                    input,
                    output,
                })
            }
            Kind::Nearest => {
                let table =
                    |(from, to)| (0..to).map(|at| self.alignment.nearest(bytes, from, to, at)).collect();
                let [rows, columns] = sizes.map(table);
                Box::new(Nearest { images: images(a.shape[3] * bytes), rows, columns, input, output })
            }
        })
    }
}

impl Alignment {
    /// Input steps per output step.
    fn scale(self, input: usize, output: usize) -> f32 {
        match self.corners && output > 1 {
            true => (input - 1) as f32 / (output - 1) as f32,
            false => input as f32 / output as f32,
        }
    }

    fn between(self, input: usize, output: usize, position: usize) -> Between {
        let scale = self.scale(input, output);
        let at = match self.half_pixel {
            true => (position as f32 + 0.5) * scale - 0.5,
            false => position as f32 * scale,
        };
        // Casts saturate at 0: in front of the first centre both neighbours are the first pixel.
        let low = (at.floor() as usize).min(input - 1);
        let high = (at.ceil() as usize).min(input - 1);
        Between { low, high, distance: at - low as f32 }
    }

    /// Elements of one byte aligned at corners of pixels go by a scale with 16 binary digits, rounded up.
    fn nearest(self, bytes: usize, input: usize, output: usize, position: usize) -> usize {
        if bytes == 1 && !self.corners && !self.half_pixel {
            let scale = ((input as u64) << 16) / output as u64 + 1;
            return ((position as u64 * scale) >> 16).min(input as u64 - 1) as usize;
        }
        let offset = if self.half_pixel { 0.5 } else { 0.0 };
        let at = (position as f32 + offset) * self.scale(input, output);
        let at = if self.corners { at.round() } else { at };
        (at as usize).min(input - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions() {
        let [corner, corners, half] = [(false, false), (true, false), (false, true)]
            .map(|(corners, half_pixel)| Alignment { corners, half_pixel });
        for (input, output, alignment, want) in [
            (2, 4, corner, &[0, 0, 1, 1][..]),
            (3, 4, corners, &[0, 1, 1, 2]),
            (3, 2, half, &[0, 2]),
            (5, 1, corners, &[0]),
        ] {
            for bytes in [1, 4] {
                let got: Vec<_> = (0..output).map(|at| alignment.nearest(bytes, input, output, at)).collect();
                assert_eq!(got, want, "{input} to {output}, {alignment:?}");
            }
        }
        let distances = |alignment: Alignment| -> Vec<_> {
            let places = (0..4).map(|at| alignment.between(2, 4, at));
            places.map(|b| (b.low, b.high, b.distance)).collect()
        };
        assert_eq!(distances(corner), [(0, 0, 0.0), (0, 1, 0.5), (1, 1, 0.0), (1, 1, 0.5)]);
        assert_eq!(distances(half), [(0, 0, -0.25), (0, 1, 0.25), (0, 1, 0.75), (1, 1, 0.25)]);
    }
}
