//! TransformTensorBilinear: the pixels `[1, height, width, channels]` of a region of a feature map. A matrix maps the
//! corners of its pixels to the map; the value between pixels is interpolated, and 0 outside of the outermost centers.
//! f32.
//!
//! ```text
//! (x, y) = matrix (column + ½, row + ½) − ½
//! ```
//! Defined by: mediapipe/util/tflite/operations/transform_tensor_bilinear.cc (version 2).

use arenite_abi::prelude::*;
use arenite_ops::kit::custom_options::CustomOptions;
use arenite_ops::kit::float;
use arenite_ops::kit::pace::Pace;

use crate::matrix::{self, Rows};

/// A prepared `TransformTensorBilinear` node.
pub struct TransformTensorBilinear {
    height: usize,
    width: usize,
    channels: usize,
    output_width: usize,
}

impl Op for TransformTensorBilinear {
    const CODE: OpCode = OpCode::Custom("TransformTensorBilinear");
    const VERSIONS: RangeInclusive<i32> = 2..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, matrix, _) = node.binary()?;
        matrix::expect(&matrix)?;
        let &[1, height, width, channels] = x.shape else {
            return Err(invalid!(
                "the feature map {x} is {:?}; [1, height, width, channels] is needed",
                x.shape
            ));
        };
        let options = CustomOptions::of(node);
        let (rows, columns) = (options.i32("output_height")?, options.i32("output_width")?);
        ensure!(rows > 0 && columns > 0, "the region has {rows} × {columns} pixels; it needs at least one");
        cx.set_output_shape(0, &[1, rows, columns, channels])?;
        let [height, width, channels, output_width] = [height, width, channels, columns].map(|n| n as usize);
        Ok(TransformTensorBilinear { height, width, channels, output_width })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let rows = centered(matrix::rows(&cx.input(1)?)?);
        let x = cx.input(0)?.as_slice::<f32>()?;
        let y = cx.output(0)?.into_slice::<f32>()?;
        let mut pace = Pace::new(cx);
        for (i, pixel) in y.chunks_exact_mut(self.channels.max(1)).enumerate() {
            pace.ahead(self.channels)?;
            let (row, column) = (i / self.output_width, i % self.output_width);
            self.interpolate(x, matrix::map(&rows, column as f32, row as f32), pixel);
        }
        Ok(())
    }
}

/// The matrix between centers of pixels, of one between their corners.
fn centered([mut to_x, mut to_y]: Rows) -> Rows {
    for row in [&mut to_x, &mut to_y] {
        let [a, b] = [row[0], row[1]].map(f64::from);
        row[3] = (f64::from(row[3]) + (a * 0.5 + b * 0.5 - 0.5)) as f32;
    }
    [to_x, to_y]
}

impl TransformTensorBilinear {
    /// The values at a point. Weights are f32; the weighted sums are rounded after each axis.
    fn interpolate(&self, x: &[f32], [at_x, at_y]: [f32; 2], y: &mut [f32]) {
        let inside = |at: f32, size: usize| at >= 0.0 && at <= size as f32 - 1.0;
        if !inside(at_x, self.width) || !inside(at_y, self.height) {
            return y.fill(0.0);
        }
        let (left, top) = (float::floor(at_x), float::floor(at_y));
        let (right, low) = (at_x - left, at_y - top);
        let (column, row) = (left as usize, top as usize);
        let value = |row: usize, column: usize, channel: usize| {
            let pixel = (row < self.height && column < self.width).then_some(row * self.width + column);
            pixel.and_then(|pixel| x.get(pixel * self.channels + channel)).copied().unwrap_or(0.0)
        };
        let mix = |weight: f32, a: f32, b: f32| {
            ((1.0 - f64::from(weight)) * f64::from(a) + f64::from(weight * b)) as f32
        };
        for (channel, y) in y.iter_mut().enumerate() {
            let line = |row| mix(right, value(row, column, channel), value(row, column + 1, channel));
            *y = mix(low, line(row), line(row + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{FlexBuilder, OpTest, Spec, Tensor};

    fn run(x: Tensor, matrix: &[f32; 8], size: [i64; 2]) -> Result<Tensor> {
        let rest = [0., 0., 1., 0., 0., 0., 0., 1.];
        let options =
            FlexBuilder::default().int("output_height", size[0]).int("output_width", size[1]).finish();
        let matrix = Tensor::f32(&[1, 4, 4], &[&matrix[..], &rest].concat());
        let test = OpTest::<TransformTensorBilinear>::new().version(2).custom_options(&options);
        test.input(x).input(matrix).output(Spec::f32()).run().map(|mut y| y.remove(0))
    }

    const IDENTITY: [f32; 8] = [1., 0., 0., 0., 0., 1., 0., 0.];

    #[test]
    fn regions() {
        let x = Tensor::f32(&[1, 2, 3, 1], &[1., 2., 3., 4., 5., 6.]);
        let y = run(x.clone(), &IDENTITY, [2, 3]).unwrap();
        assert_eq!((y.shape(), y.as_f32()), (&[1, 2, 3, 1][..], vec![1., 2., 3., 4., 5., 6.]));
        // Pixels outside the map are 0, so a sample outside the outermost pixel centers is 0, too.
        assert_eq!(run(x.clone(), &IDENTITY, [1, 5]).unwrap().as_f32(), [1., 2., 3., 0., 0.]);
        let moved = [1., 0., 0., 0.5, 0., 1., 0., 0.25];
        assert_eq!(run(x.clone(), &moved, [1, 3]).unwrap().as_f32(), [2.25, 3.25, 0.]);
        // Twice as large: centers at ½, 2½ of a map of two columns.
        let doubled = [2., 0., 0., 0., 0., 2., 0., 0.];
        let x = Tensor::f32(&[1, 2, 2, 2], &[1., 10., 2., 20., 3., 30., 4., 40.]);
        assert_eq!(run(x, &doubled, [1, 1]).unwrap().as_f32(), [2.5, 25.]);
    }

    #[test]
    fn refusals() {
        let x = Tensor::f32(&[1, 1, 1, 1], &[0.]);
        let error = run(x, &IDENTITY, [0, 3]).unwrap_err();
        assert_eq!(error.message(), "the region has 0 × 3 pixels; it needs at least one");
        let error = run(Tensor::f32(&[2, 1, 1, 1], &[0.; 2]), &IDENTITY, [1, 1]).unwrap_err();
        assert_eq!(
            error.message(),
            "the feature map 'in0' is [2, 1, 1, 1]; [1, height, width, channels] is needed"
        );
    }
}
