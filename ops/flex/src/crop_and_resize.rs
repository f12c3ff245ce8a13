//! CropAndResize: crops boxes out of images and resizes them to one size. Images of reals or integers; the result is
//! F32. Inputs: images `[images, height, width, depth]`, boxes `[n, 4]` (y1, x1, y2, x2 as fractions of the image), the
//! image of each box `[n]`, size `[2]`.
//! Defined by: tensorflow/core/kernels/image/crop_and_resize_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::pace::Pace;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, integers, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::number::reals;

/// The `FlexCropAndResize` op.
pub type CropAndResize = Node<Definition>;

/// Attributes, shape function and kernel of `FlexCropAndResize`.
pub struct Definition {
    nearest: bool,
    outside: f32,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexCropAndResize";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(4..=4, 1..=1)?;
        Ok(Definition {
            nearest: def.choice("method", &["bilinear", "nearest"])? == 1,
            outside: def.float("extrapolation_value", 0.0)?,
        })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (images, boxes, of) = (x.dims(0)?, x.dims(1)?, x.dims(2)?);
        let count = boxes.size(0) as i32;
        ensure!(
            images.rank() == 4 && boxes.as_slice() == [count, 4] && of.as_slice() == [count],
            "images are {:?}, boxes {:?}, their images {:?}; four axes, [n, 4] and [n] are needed",
            images.as_slice(),
            boxes.as_slice(),
            of.as_slice()
        );
        let sizes = &images.as_slice()[1..3];
        ensure!(!sizes.contains(&0), "images are {:?}; they must not be empty", images.as_slice());
        let Some(size) = x.integers(3)? else { return Ok(None) };
        ensure!(
            size.len() == 2 && size.iter().all(|&s| s > 0),
            "the size is {size:?}; two positive numbers are needed"
        );
        shape_of([count.into(), size[0], size[1], images.size(3) as i64]).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (dims, output) = (call.dims(0)?, call.output_dims(0)?);
        let (height, width, depth) = (dims.size(1), dims.size(2), dims.size(3));
        let image: Vec<f32> = reals(&call.input(0)?)?.into_iter().map(|x| x as f32).collect();
        let (boxes, of) = (call.slice::<f32>(1)?, integers(&call.input(2)?)?);
        let y = call.output_slice::<f32>(0)?;
        if y.is_empty() {
            return Ok(());
        }
        if let Some(k) = boxes.iter().position(|c| !c.is_finite()) {
            return Err(invalid!("box {} has the coordinate {}; it must be finite", k / 4, boxes[k]));
        }
        y.fill(self.outside);
        let (rows, columns) = (output.size(1), output.size(2));
        let mut pace = Pace::new(call.cx);
        for (b, (corners, &image_of)) in boxes.as_chunks::<4>().0.iter().zip(&of).enumerate() {
            let Some(start) = usize::try_from(image_of).ok().filter(|&i| i < dims.size(0)) else {
                return Err(invalid!("box {b} refers to image {image_of}; there are {}", dims.size(0)));
            };
            let image = &image[start * height * width * depth..][..height * width * depth];
            for row in 0..rows {
                pace.ahead(columns * depth)?;
                let Some(in_y) = position(corners[0], corners[2], row, rows, height) else { continue };
                for column in 0..columns {
                    let Some(in_x) = position(corners[1], corners[3], column, columns, width) else {
                        continue;
                    };
                    let pixel = &mut y[((b * rows + row) * columns + column) * depth..][..depth];
                    let at = |r: usize, c: usize, d: usize| image[(r * width + c) * depth + d];
                    for (d, pixel) in pixel.iter_mut().enumerate() {
                        *pixel = if self.nearest {
                            at(libm::roundf(in_y) as usize, libm::roundf(in_x) as usize, d)
                        } else {
                            bilinear(in_y, in_x, |r, c| at(r, c, d))
                        };
                    }
                }
            }
        }
        Ok(())
    }
}

/// The position of sample `i` of `count` between two fractions of an axis; `None` outside the image.
fn position(from: f32, to: f32, i: usize, count: usize, size: usize) -> Option<f32> {
    let last = size as f32 - 1.0;
    let at = if count > 1 {
        from * last + i as f32 * ((to - from) * last / (count - 1) as f32)
    } else {
        0.5 * (from + to) * last
    };
    (0.0..=last).contains(&at).then_some(at)
}

fn bilinear(y: f32, x: f32, at: impl Fn(usize, usize) -> f32) -> f32 {
    let (top, bottom) = (libm::floorf(y) as usize, libm::ceilf(y) as usize);
    let (left, right) = (libm::floorf(x) as usize, libm::ceilf(x) as usize);
    let (dy, dx) = (y - top as f32, x - left as f32);
    let line = |row| at(row, left) + (at(row, right) - at(row, left)) * dx;
    let (above, below) = (line(top), line(bottom));
    above + (below - above) * dy
}
