//! Image resizing.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::pace::Pace;

use super::kernel::{Call, Inputs, Program, shape_of};
use super::node_def::NodeDef;
use super::number::{put_reals, reals};

/// The interpolation.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// The nearest pixel.
    Nearest,
    /// Linear interpolation between two pixels per axis.
    Bilinear,
    /// Cubic interpolation between four pixels per axis.
    Bicubic,
    /// The mean over the area.
    Area,
}

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// The interpolation.
    pub kind: Kind,
}

/// A prepared node of the family.
pub struct Resize {
    align_corners: bool,
    half_pixel: bool,
    of: &'static Member,
}

/// The input pixels that contribute to an output pixel, with their weights.
type Weights = Vec<(usize, f64)>;

impl Resize {
    fn weights(&self, old: usize, new: usize) -> Vec<Weights> {
        let scale = if self.align_corners && new > 1 && !(self.of.kind == Kind::Area && old == 1) {
            (old - 1) as f32 / (new - 1) as f32
        } else {
            old as f32 / new as f32
        };
        let last = old as i64 - 1;
        (0..new)
            .map(|i| {
                let i = i as f32;
                let at = if self.half_pixel { (i + 0.5) * scale - 0.5 } else { i * scale };
                match self.of.kind {
                    Kind::Nearest => {
                        let at = if self.half_pixel { (i + 0.5) * scale } else { at };
                        let at = if self.align_corners { libm::roundf(at) } else { libm::floorf(at) };
                        vec![((at as i64).clamp(0, last) as usize, 1.0)]
                    }
                    Kind::Bilinear => {
                        let floor = libm::floorf(at);
                        let low = (floor as i64).clamp(0, last) as usize;
                        let high = (libm::ceilf(at) as i64).clamp(0, last) as usize;
                        let part = f64::from(at - floor);
                        vec![(low, 1.0 - part), (high, part)]
                    }
                    Kind::Bicubic => self.cubic(at, last),
                    Kind::Area => area(i, scale, last),
                }
            })
            .collect()
    }

    /// Keys' kernel. With half-pixel centers a = −1/2 and pixels outside the image are ignored; otherwise a = −3/4.
    fn cubic(&self, at: f32, last: i64) -> Weights {
        let a = if self.half_pixel { -0.5 } else { -0.75 };
        let floor = libm::floorf(at);
        // TensorFlow tabulates the kernel in 1024 steps.
        let step = libm::rintf((at - floor) * 1024.0);
        let part = f64::from(step) / 1024.0;
        let near = |x: f64| ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
        let far = |x: f64| ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a;
        let weights = [far(part + 1.0), near(part), near(1.0 - part), far(2.0 - part)];
        let mut list: Weights = Vec::new();
        for (k, weight) in weights.into_iter().enumerate() {
            let i = floor as i64 - 1 + k as i64;
            let weight = if self.half_pixel && !(0..=last).contains(&i) { 0.0 } else { weight };
            list.push((i.clamp(0, last) as usize, weight));
        }
        if self.half_pixel {
            let sum: f64 = list.iter().map(|(_, w)| w).sum();
            if sum.abs() >= 1000.0 * f64::from(f32::MIN_POSITIVE) {
                list.iter_mut().for_each(|(_, w)| *w /= sum);
            }
        }
        list
    }
}

fn area(i: f32, scale: f32, last: i64) -> Weights {
    let (from, to) = (i * scale, (i + 1.0) * scale);
    let (first, end) = (libm::floorf(from) as i64, libm::ceilf(to) as i64);
    let part = |k: i64| {
        let (low, high) = (k as f32, k as f32 + 1.0);
        if low < from {
            if high > to { scale } else { high - from }
        } else if high > to {
            to - low
        } else {
            1.0
        }
    };
    (first..end).map(|k| (k.clamp(0, last) as usize, f64::from(part(k)) / f64::from(scale))).collect()
}

impl Program for Resize {
    type Member = Member;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        node.binary()?;
        let align_corners = def.bool("align_corners", false)?;
        let half_pixel = def.bool("half_pixel_centers", false)?;
        ensure!(!(align_corners && half_pixel), "align_corners and half_pixel_centers exclude one another");
        Ok(Resize { align_corners, half_pixel, of })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let dims = x.dims(0)?;
        ensure!(
            dims.rank() == 4 && dims.as_slice()[1..].iter().all(|&d| d > 0),
            "images are {:?}; four axes, and no empty images are needed",
            dims.as_slice()
        );
        let Some(size) = x.integers(1)? else { return Ok(None) };
        ensure!(
            size.len() == 2 && size.iter().all(|&s| s > 0),
            "the size is {size:?}; two positive numbers are needed"
        );
        shape_of([dims.size(0) as i64, size[0], size[1], dims.size(3) as i64]).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (dims, output) = (call.dims(0)?, call.output_dims(0)?);
        if output.flat_size() == 0 {
            return call.output(0).map(|_| ());
        }
        let (height, width, depth) = (dims.size(1), dims.size(2), dims.size(3));
        let (rows, columns) = (self.weights(height, output.size(1)), self.weights(width, output.size(2)));
        let x = reals(&call.input(0)?)?;
        let mut y = Vec::with_capacity(output.flat_size());
        let mut pace = Pace::new(call.cx);
        for image in x.chunks_exact(height * width * depth) {
            for row in &rows {
                for column in &columns {
                    pace.ahead(row.len() * column.len() * depth)?;
                    for d in 0..depth {
                        let line = |r: usize| {
                            column.iter().map(|&(c, w)| image[(r * width + c) * depth + d] * w).sum::<f64>()
                        };
                        y.push(row.iter().map(|&(r, w)| line(r) * w).sum());
                    }
                }
            }
        }
        let result = call.output(0)?;
        if self.of.kind == Kind::Nearest && !matches!(result.ty(), F16 | BF16 | F32 | F64) {
            return super::number::put_integers(result, y.into_iter().map(|y: f64| y as i64));
        }
        put_reals(result, y)
    }
}
