//! Convolution2DTransposeBias: a transposed convolution whose sums start from a bias. f32; filter `[outputs, height,
//! width, inputs]`. The options are TensorFlow Lite's C struct of a transposed convolution.
//! Defined by: mediapipe/util/tflite/operations/transpose_conv_bias.cc.
//!
//! ```text
//! y[i × stride + tap − before] += x[i] × w[tap]      size = stride × (n − 1) + filter − padding
//! SAME: padding = filter − (n − 1) mod stride − 1, not below 0, half of it before; VALID: none
//! ```

use arenite_abi::prelude::*;

use crate::kit::argmax_pool::padding_of_c_struct;
use crate::kit::custom_options;
use crate::kit::pace::Pace;
use crate::kit::padding::Padding;

/// A prepared `Convolution2DTransposeBias` node: the axes of height and width.
pub struct Convolution2dTransposeBias([Axis; 2]);

#[derive(Clone, Copy)]
struct Axis {
    input: usize,
    filter: usize,
    output: usize,
    stride: usize,
    before: usize,
}

impl Op for Convolution2dTransposeBias {
    const CODE: OpCode = OpCode::Custom("Convolution2DTransposeBias");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let (x, filter, bias) = (node.input(0)?, node.input(1)?, node.input(2)?);
        let [padding, stride_width, stride_height] =
            custom_options::words(node, ["padding", "stride_width", "stride_height"])?;
        let padding = padding_of_c_struct(padding)?;
        let &[batches, height, width, inputs] = x.shape else {
            return Err(invalid!("{x} is {:?}; images have four axes", x.shape));
        };
        let &[outputs, filter_height, filter_width, filter_inputs] = filter.shape else {
            return Err(invalid!("filter {filter} is {:?}; it has four axes", filter.shape));
        };
        ensure!(
            inputs == filter_inputs,
            "filter {filter} is {:?}, input {x} has {inputs} channels; they must agree",
            filter.shape
        );
        ensure!(
            bias.shape == [outputs],
            "bias {bias} is {:?}, filter {filter} gives {outputs} channels; they must agree",
            bias.shape
        );
        let rows = Axis::new(padding, height, filter_height, stride_height)?;
        let columns = Axis::new(padding, width, filter_width, stride_width)?;
        cx.set_output_shape(0, &[batches, rows.output as i32, columns.output as i32, outputs])?;
        Ok(Convolution2dTransposeBias([rows, columns]))
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, filter) = (cx.input_slice::<f32>(0)?, cx.input(1)?);
        let (outputs, inputs) = (filter.shape[0] as usize, filter.shape[3] as usize);
        let filter = filter.as_slice::<f32>()?;
        let bias = cx.input_slice::<f32>(2)?;
        let y = cx.output_slice::<f32>(0)?;
        if outputs == 0 {
            return Ok(());
        }
        y.chunks_exact_mut(outputs).for_each(|y| y.copy_from_slice(bias));
        if inputs == 0 {
            return Ok(());
        }
        let [rows, columns] = self.0;
        let taps = rows.filter * columns.filter;
        let mut pace = Pace::new(cx);
        for (pixel, x) in x.chunks_exact(inputs).enumerate() {
            let (row, column) = (pixel / columns.input % rows.input, pixel % columns.input);
            let image = pixel / (rows.input * columns.input);
            for (channel, &x) in x.iter().enumerate() {
                pace.ahead(taps * outputs)?;
                for (tap, down, right) in
                    (0..taps).map(|tap| (tap, tap / columns.filter, tap % columns.filter))
                {
                    let (Some(row), Some(column)) = (rows.reached(row, down), columns.reached(column, right))
                    else {
                        continue;
                    };
                    let first = ((image * rows.output + row) * columns.output + column) * outputs;
                    for (k, y) in y[first..][..outputs].iter_mut().enumerate() {
                        *y += x * filter[(k * taps + tap) * inputs + channel];
                    }
                }
            }
        }
        Ok(())
    }
}

impl Axis {
    fn new(padding: Padding, input: i32, filter: i32, stride: i32) -> Result<Self> {
        ensure!(stride >= 1, "a stride is {stride}; it must be at least 1");
        let (n, f, s) = (i64::from(input), i64::from(filter), i64::from(stride));
        let lost = match padding {
            Padding::Same => (f - (n - 1) % s - 1).max(0),
            Padding::Valid => 0,
        };
        let output = s * (n - 1) + f - lost;
        ensure!(
            (0..=i64::from(i32::MAX)).contains(&output),
            "{input} pixels, a filter of {filter} and stride {stride} give {output} pixels"
        );
        Ok(Axis {
            input: input as usize,
            filter: filter as usize,
            output: output as usize,
            stride: stride as usize,
            before: lost as usize / 2,
        })
    }

    /// The output position that `tap` of the pixel at `position` reaches, or `None` if it is outside the output.
    fn reached(&self, position: usize, tap: usize) -> Option<usize> {
        (position * self.stride + tap).checked_sub(self.before).filter(|&at| at < self.output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(
        options: &[i32],
        x: (&[i32], &[f32]),
        filter: (&[i32], &[f32]),
        bias: &[f32],
    ) -> OpTest<Convolution2dTransposeBias> {
        let options: Vec<u8> = options.iter().flat_map(|word| word.to_le_bytes()).collect();
        let test = OpTest::new().custom_options(&options).input(Tensor::f32(x.0, x.1));
        let test = test.constant(Tensor::f32(filter.0, filter.1));
        test.constant(Tensor::f32(&[bias.len() as i32], bias)).output(Spec::f32())
    }

    const FILTER: [f32; 9] = [1., 2., 3., 4., 5., 6., 7., 8., 9.];

    #[test]
    fn valid() {
        let y =
            test(&[2, 2, 1], (&[1, 1, 2, 1], &[1., 10.]), (&[1, 3, 3, 1], &FILTER), &[0.5]).run().unwrap();
        assert_eq!(y[0].shape(), [1, 3, 5, 1]);
        let rows = [[1., 2., 13., 20., 30.], [4., 5., 46., 50., 60.], [7., 8., 79., 80., 90.]];
        assert_eq!(y[0].as_f32(), rows.concat().iter().map(|x| x + 0.5).collect::<Vec<f32>>());
    }

    #[test]
    fn same() {
        // With 2 columns and stride 2, 3 − 1 − 1 = 1 is cropped, at the end. With 1 row, 2 are cropped, one at each
        // end.
        let y =
            test(&[1, 2, 1], (&[1, 1, 2, 1], &[1., 10.]), (&[1, 3, 3, 1], &FILTER), &[0.0]).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_f32()), (&[1, 1, 4, 1][..], vec![4., 5., 46., 50.]));
    }

    #[test]
    fn channels() {
        let filter = (&[2, 1, 1, 2][..], &[1., 2., 3., 4.][..]);
        let y = test(&[1, 1, 1], (&[2, 1, 1, 2], &[1., 10., 5., 0.]), filter, &[0.25, -1.0]).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_f32()), (&[2, 1, 1, 2][..], vec![21.25, 42., 5.25, 14.]));
    }

    #[test]
    fn refusals() {
        let error = |options: &[i32], filter: &[i32], bias: &[f32]| {
            let data = vec![0.0; filter.iter().product::<i32>() as usize];
            let test = test(options, (&[1, 1, 2, 1], &[1., 10.]), (filter, &data), bias);
            test.run().unwrap_err().message().to_owned()
        };
        assert_eq!(error(&[], &[1, 3, 3, 1], &[0.0]), "the custom options have 0 bytes, they lack 'padding'");
        assert_eq!(error(&[0, 1, 1], &[1, 3, 3, 1], &[0.0]), "padding 0 is unknown; 1 is SAME, 2 is VALID");
        assert_eq!(error(&[1, 0, 1], &[1, 3, 3, 1], &[0.0]), "a stride is 0; it must be at least 1");
        assert_eq!(
            error(&[1, 1, 1], &[1, 3, 3, 2], &[0.0]),
            "filter 'in1' is [1, 3, 3, 2], input 'in0' has 1 channels; they must agree"
        );
        assert_eq!(
            error(&[1, 1, 1], &[1, 3, 3, 1], &[0.0, 0.0]),
            "bias 'in2' is [2], filter 'in1' gives 1 channels; they must agree"
        );
        assert_eq!(
            error(&[2, i32::MAX, 1], &[1, 3, 3, 1], &[0.0]),
            "2 pixels, a filter of 3 and stride 2147483647 give 2147483650 pixels"
        );
    }
}
