//! RESIZE_BILINEAR of f32, RESIZE_NEAREST_NEIGHBOR of any type of whole bytes.
//!
//! Defined by: tflite/kernels/resize_bilinear.cc, tflite/kernels/resize_nearest_neighbor.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::{ResizeBilinearOptions, ResizeNearestNeighborOptions};

use super::moves::width;
use super::{Source, expect_elements};
use crate::{Common, Node};

/// Two neighbours along an axis and the distance from the lower one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Between {
    /// The lower one.
    pub low: usize,
    /// The higher one; the same if there is none.
    pub high: usize,
    /// 0 at the lower one, 1 at the higher one.
    pub distance: f32,
}

/// Which positions of input and output correspond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alignment {
    /// The outermost pixels fall together.
    pub corners: bool,
    /// Centres lie half a pixel in.
    pub half_pixel: bool,
}

/// What is made of the pixels around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The mean of the four around, by their distances.
    Bilinear,
    /// The next one.
    Nearest,
}

/// Images of another size.
pub struct Resize {
    /// What is computed.
    pub kind: Kind,
    /// Where.
    pub alignment: Alignment,
}

/// Lowers RESIZE_BILINEAR.
pub(super) fn bilinear<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
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
pub(super) fn nearest<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let options = x.node.options()?;
    let alignment = Alignment {
        corners: options.get(ResizeNearestNeighborOptions::ALIGN_CORNERS)?,
        half_pixel: options.get(ResizeNearestNeighborOptions::HALF_PIXEL_CENTERS)?,
    };
    lower(x, Kind::Nearest, alignment)
}

fn lower<'a>(x: &Source<'_, 'a>, kind: Kind, alignment: Alignment) -> Result<Node<Common<'a>>> {
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
    Ok(Node::new(Common::Resize(Resize { kind, alignment }), vec![input], vec![output]))
}

impl Alignment {
    /// Input steps per output step.
    fn scale(self, input: usize, output: usize) -> f32 {
        match self.corners && output > 1 {
            true => (input - 1) as f32 / (output - 1) as f32,
            false => input as f32 / output as f32,
        }
    }

    /// The neighbours of a position of the output.
    pub fn between(self, input: usize, output: usize, position: usize) -> Between {
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

    /// The same as reference ops have it where they compute with signed bytes: steps and distances have 10 binary digits.
    pub fn between_of_bytes(self, input: usize, output: usize, position: usize) -> Between {
        const ONE: i64 = 1 << 10;
        let (mut from, mut to) = (input as i64, output as i64);
        if self.corners && output > 1 {
            (from, to) = (from - 1, to - 1);
        }
        let scale = (ONE * from + to / 2) / to;
        let at = match self.half_pixel {
            true => position as i64 * scale + scale / 2 - ONE / 2,
            false => position as i64 * scale,
        };
        let last = input - 1;
        let low = ((at / ONE).max(0) as usize).min(last);
        let high = (((at + ONE - 1) / ONE).max(0) as usize).min(last);
        Between { low, high, distance: (at - ONE * low as i64) as f32 / ONE as f32 }
    }

    /// The element next to a position of the output. Elements of one byte aligned at corners of pixels go by a scale with 16 binary digits, rounded up.
    pub fn nearest(self, bytes: usize, input: usize, output: usize, position: usize) -> usize {
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
