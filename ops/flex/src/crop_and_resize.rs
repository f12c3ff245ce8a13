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

#[cfg(test)]
mod tests {
    use super::CropAndResize;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let image = [1.0, 2.0, 3.0, 4.0];
        let crop = |attributes: &[_], corners: &[f32], want: (&[i32], &[f32])| {
            for ty in [U8, U16, I8, I16, I32, I64, F16, F32, F64] {
                let count = corners.len() as i32 / 4;
                let boxes = Tensor::f32(&[count, 4], corners);
                let of_image = Tensor::i32(&[count], &vec![0; count as usize]);
                let inputs = [of(ty, &[1, 2, 2, 1], &image), boxes, of_image, list(&want.0[1..3])];
                gives::<CropAndResize>(attributes, &inputs, &[Tensor::f32(want.0, want.1)]);
            }
        };
        let all = [0.0, 0.0, 1.0, 1.0];
        crop(&[], &all, (&[1, 2, 2, 1], &[1.0, 2.0, 3.0, 4.0]));
        crop(&[], &all, (&[1, 2, 3, 1], &[1.0, 1.5, 2.0, 3.0, 3.5, 4.0]));
        // A single sample is taken from the middle.
        crop(&[], &all, (&[1, 1, 1, 1], &[2.5]));
        crop(&[("method", Text("nearest"))], &all, (&[1, 1, 1, 1], &[4.0]));
        // Swapped corners mirror the image; pixels outside get the extrapolation value.
        crop(&[], &[1.0, 1.0, 0.0, 0.0], (&[1, 2, 2, 1], &[4.0, 3.0, 2.0, 1.0]));
        let outside = [("extrapolation_value", Float(-9.0))];
        crop(&outside, &[0.0, -1.0, 0.0, 1.0], (&[1, 1, 3, 1], &[-9.0, 1.0, 2.0]));
        crop(&[], &[], (&[0, 1, 1, 1], &[]));
        // Boxes of several images.
        let boxes = Tensor::f32(&[2, 4], &[0.0; 8]);
        let inputs = [of(F32, &[2, 1, 1, 2], &image), boxes, list(&[1, 0]), list(&[1, 1])];
        gives::<CropAndResize>(&[], &inputs, &[of(F32, &[2, 1, 1, 2], &[3.0, 4.0, 1.0, 2.0])]);
    }

    #[test]
    fn refusals() {
        let refused = |x: &[i32], corners: &[f32], of_image: i32, size: &[i32], message: &str| {
            let x = of(F32, x, &vec![0.0; x.iter().product::<i32>() as usize]);
            let boxes = Tensor::f32(&[1, corners.len() as i32], corners);
            refuses::<CropAndResize>(&[], &[x, boxes, list(&[of_image]), list(size)], &[F32], message);
        };
        let message =
            "images are [1, 1, 1], boxes [1, 4], their images [1]; four axes, [n, 4] and [n] are needed";
        refused(&[1; 3], &[0.0; 4], 0, &[1, 1], message);
        let message =
            "images are [1, 1, 1, 1], boxes [1, 3], their images [1]; four axes, [n, 4] and [n] are needed";
        refused(&[1; 4], &[0.0; 3], 0, &[1, 1], message);
        refused(&[1; 4], &[0.0; 4], 1, &[1, 1], "box 0 refers to image 1; there are 1");
        refused(&[1; 4], &[0.0; 4], -1, &[1, 1], "box 0 refers to image -1; there are 1");
        refused(&[1; 4], &[0.0; 4], 0, &[0, 1], "the size is [0, 1]; two positive numbers are needed");
        refused(&[1, 0, 1, 1], &[0.0; 4], 0, &[1, 1], "images are [1, 0, 1, 1]; they must not be empty");
        let message = "box 0 has the coordinate inf; it must be finite";
        refused(&[1; 4], &[0.0, 0.0, f32::INFINITY, 1.0], 0, &[1, 1], message);
        let inputs = [of(F32, &[1; 4], &[0.0]), of(F32, &[0, 4], &[]), list(&[]), list(&[1, 1])];
        let message = "attribute 'method' is 'cubic'; it may be bilinear, nearest";
        refuses::<CropAndResize>(&[("method", Text("cubic"))], &inputs, &[F32], message);
    }
}
