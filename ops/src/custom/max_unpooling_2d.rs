//! MaxUnpooling2D: puts each element where the maximum of a pool was, with zeros elsewhere. f32. The options are
//! TensorFlow Lite's C struct of a pool.
//!
//! | indices | meaning | output |
//! |---|---|---|
//! | i32 | index in the image: `(row × width + column) × channels + channel` | SAME: size × stride; VALID: (size − 1) × stride + filter |
//! | f32 | index in the window: `row × filter width + column`; positions outside the image are skipped | size × filter |
//!
//! Defined by: tflite/kernels/perception/max_unpooling_2d.cc (i32), mediapipe/util/tflite/operations/max_unpooling.cc
//! (f32).

use arenite_abi::prelude::*;

use crate::kit::argmax_pool::padding_of_c_struct;
use crate::kit::custom_options;
use crate::kit::padding::{Padding, padding_for};

plain! {
    /// A prepared `MaxUnpooling2D` node.
    pub struct MaxUnpooling2d {
        input: [usize; 4],
        output: [usize; 4],
        stride: [i32; 2],
        filter_width: i32,
        before: [i32; 2],
    }
}

impl Op for MaxUnpooling2d {
    const CODE: OpCode = OpCode::Custom("MaxUnpooling2D");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, indices, y) = node.binary()?;
        let names = ["padding", "stride_width", "stride_height", "filter_width", "filter_height"];
        let [padding, stride_width, stride_height, filter_width, filter_height] =
            custom_options::words(node, names)?;
        let padding = padding_of_c_struct(padding)?;
        let (filter, stride) = ([filter_height, filter_width], [stride_height, stride_width]);
        ensure!(
            filter.iter().chain(&stride).all(|&size| size >= 1),
            "the filter is {filter:?}, the strides are {stride:?}; all must be at least 1"
        );
        ensure!(x.ty == F32 && y.ty == F32, "input is {}, output is {}; both must be FLOAT32", x.ty, y.ty);
        let &[batches, height, width, channels] = x.shape else {
            return Err(invalid!("{x} is {:?}; images have four axes", x.shape));
        };
        ensure!(
            indices.shape == x.shape,
            "indices {indices} are {:?}, input {x} is {:?}; they must agree",
            indices.shape,
            x.shape
        );
        let in_window = indices.ty == F32;
        let size = |size: i32, axis: usize| -> Result<i32> {
            let (size, stride, filter) = (i64::from(size), i64::from(stride[axis]), i64::from(filter[axis]));
            let output = match padding {
                _ if in_window => size * filter,
                Padding::Same => size * stride,
                Padding::Valid => (size - 1) * stride + filter,
            };
            i32::try_from(output).map_err(|_| invalid!("the output has {output} pixels along an axis"))
        };
        let (rows, columns) = (size(height, 0)?, size(width, 1)?);
        cx.set_output_shape(0, &[batches, rows.max(0), columns.max(0), channels])?;
        let before = |output: i32, axis: usize, input: i32| {
            padding_for(output, filter[axis], stride[axis], 1, input).map_or(0, |(before, _)| before)
        };
        Ok(MaxUnpooling2d {
            input: [batches, height, width, channels].map(|size| size as usize),
            output: [batches, rows.max(0), columns.max(0), channels].map(|size| size as usize),
            stride,
            filter_width,
            before: [before(rows, 0, height), before(columns, 1, width)],
        })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, y) = (cx.input_slice::<f32>(0)?, cx.output_slice::<f32>(0)?);
        y.fill(0.0);
        let indices = cx.input(1)?;
        match indices.ty {
            I32 => self.by_image(x, indices.as_slice()?, y),
            _ => {
                self.by_window(x, indices.as_slice()?, y);
                Ok(())
            }
        }
    }
}

impl MaxUnpooling2d {
    fn by_image(&self, x: &[f32], indices: &[i32], y: &mut [f32]) -> Result<()> {
        let from: usize = self.input[1..].iter().product();
        let to: usize = self.output[1..].iter().product();
        for (i, (x, &index)) in x.iter().zip(indices).enumerate() {
            let at = usize::try_from(index).ok().filter(|&at| at < to);
            let at =
                at.ok_or_else(|| invalid!("element {i} has index {index}, an image has {to} elements"))?;
            y[i / from * to + at] = *x;
        }
        Ok(())
    }

    fn by_window(&self, x: &[f32], indices: &[f32], y: &mut [f32]) {
        let ([_, height, width, channels], [_, rows, columns, _]) = (self.input, self.output);
        for (i, (x, &index)) in x.iter().zip(indices).enumerate() {
            let (pixel, channel) = (i / channels, i % channels);
            let (image, row, column) = (pixel / (height * width), pixel / width % height, pixel % width);
            let index = index as i64;
            let tap = [index / i64::from(self.filter_width), index % i64::from(self.filter_width)];
            let place = |at: usize, axis: usize, size: usize| {
                let at = at as i64 * i64::from(self.stride[axis]) - i64::from(self.before[axis]);
                usize::try_from(at.saturating_add(tap[axis])).ok().filter(|&at| at < size)
            };
            if let (Some(row), Some(column)) = (place(row, 0, rows), place(column, 1, columns)) {
                y[((image * rows + row) * columns + column) * channels + channel] = *x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(options: &[i32], shape: &[i32], x: &[f32], indices: Tensor) -> OpTest<MaxUnpooling2d> {
        let options: Vec<u8> = options.iter().flat_map(|word| word.to_le_bytes()).collect();
        let test = OpTest::new().custom_options(&options).input(Tensor::f32(shape, x));
        test.input(indices).output(Spec::f32())
    }

    #[test]
    fn by_index_in_the_image() {
        let indices = Tensor::i32(&[2, 1, 2, 1], &[5, 2, 0, 7]);
        let y = test(&[1, 2, 2, 2, 2], &[2, 1, 2, 1], &[6., 9., 3., 4.], indices.clone()).run().unwrap();
        assert_eq!(y[0].shape(), [2, 2, 4, 1]);
        assert_eq!(y[0].as_f32(), [0., 0., 9., 0., 0., 6., 0., 0., 3., 0., 0., 0., 0., 0., 0., 4.]);
        // VALID: (1 − 1) × 2 + 3 rows, (2 − 1) × 2 + 2 columns.
        let y = test(&[2, 2, 2, 2, 3], &[2, 1, 2, 1], &[6., 9., 3., 4.], indices).run().unwrap();
        assert_eq!(y[0].shape(), [2, 3, 4, 1]);
    }

    #[test]
    fn by_index_in_the_window() {
        let indices = Tensor::f32(&[1, 1, 2, 2], &[3.1, 0.1, 1.1, 9.1]);
        let y = test(&[1, 2, 2, 2, 2], &[1, 1, 2, 2], &[6., 9., 3., 4.], indices).run().unwrap();
        assert_eq!(y[0].shape(), [1, 2, 4, 2]);
        // The last element would be in a fifth row, which does not exist.
        assert_eq!(y[0].as_f32(), [0., 9., 0., 0., 0., 0., 3., 0., 0., 0., 6., 0., 0., 0., 0., 0.]);
    }

    #[test]
    fn refusals() {
        let error = |options: &[i32], indices: Tensor| {
            test(options, &[1, 1, 2, 1], &[1., 2.], indices).run().unwrap_err().message().to_owned()
        };
        let good = || Tensor::i32(&[1, 1, 2, 1], &[0, 1]);
        assert_eq!(error(&[1, 2, 2], good()), "the custom options have 12 bytes, they lack 'filter_width'");
        assert_eq!(error(&[3, 2, 2, 2, 2], good()), "padding 3 is unknown; 1 is SAME, 2 is VALID");
        assert_eq!(
            error(&[1, 0, 2, 2, 2], good()),
            "the filter is [2, 2], the strides are [2, 0]; all must be at least 1"
        );
        assert_eq!(
            error(&[1, 2, 2, 2, 2], Tensor::i32(&[1, 2, 1, 1], &[0, 1])),
            "indices 'in1' are [1, 2, 1, 1], input 'in0' is [1, 1, 2, 1]; they must agree"
        );
        for index in [8, -1] {
            assert_eq!(
                error(&[1, 2, 2, 2, 2], Tensor::i32(&[1, 1, 2, 1], &[0, index])),
                format!("element 1 has index {index}, an image has 8 elements")
            );
        }
        assert_eq!(error(&[1, i32::MAX, 2, 2, 2], good()), "the output has 4294967294 pixels along an axis");
    }
}
