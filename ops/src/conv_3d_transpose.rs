//! CONV_3D_TRANSPOSE: the gradient of CONV_3D. Each input element adds a multiple of the filter to a window of the
//! output; then bias and activation. f32.
//!
//! Defined by: tflite/kernels/conv3d_transpose.cc.
//!
//! ```text
//! shape [5]   filter [d, h, w, O, C]   input [N, D, H, W, C]   bias [O]   output [N, D', H', W', O]
//! D is the number of windows of d taps along D', and so on
//! ```

use arenite_abi::prelude::*;

use crate::kit::arguments::{Integers, expect_type, expect_vector};
use crate::kit::bias::float_bias;
use crate::kit::dot::dot_f32;
use crate::kit::node;
use crate::kit::pace::Pace;
use crate::kit::volume::{self, Options3d};
use crate::kit::window::Axis;

plain! {
    /// A prepared `CONV_3D_TRANSPOSE` node.
    pub struct Conv3dTranspose {
        options: Options3d,
        is_static: bool,
    }
}

impl Op for Conv3dTranspose {
    const CODE: OpCode = OpCode::Builtin(op::CONV_3D_TRANSPOSE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=4, 1..=1)?;
        let (shape, filter, x) = (node.input(0)?, node.input(1)?, node.input(2)?);
        expect_type(&shape, &[I32])?;
        ensure!(expect_vector(&shape)? == 5, "shape {shape} is {:?}; it must hold 5 sizes", shape.shape);
        [&x, &filter, &node.output(0)?].into_iter().try_for_each(|x| expect_type(x, &[F32]))?;
        for tensor in [&x, &filter] {
            node::dims(tensor)?;
            ensure!(tensor.rank() == 5, "{tensor} is {:?}; it must have 5 dimensions", tensor.shape);
        }
        ensure!(
            x.shape[4] == filter.shape[4],
            "filter {filter} is {:?}, input {x} has {} channels; they must agree",
            filter.shape,
            x.shape[4]
        );
        volume::check_bias(node.optional_input(3)?, filter.shape[3])?;
        let options = Options3d::read(node)?;
        match shape.is_constant() {
            true => cx.set_output_shape(0, &output(&options, &shape, &filter, &x)?.0)?,
            false => cx.set_output_dynamic(0)?,
        }
        Ok(Conv3dTranspose { options, is_static: shape.is_constant() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (filter, x) = (cx.input(1)?, cx.input(2)?);
        let (shape, windows) = output(&self.options, &cx.input(0)?, &filter, &x)?;
        let y = if self.is_static { cx.output(0)? } else { cx.resize_output(0, &shape)? };
        let y = y.into_slice::<f32>()?;
        y.fill(0.0);
        add_up(cx, windows, &filter, &x, y)?;
        let channels = (shape[4] as usize).max(1);
        let bias = float_bias(cx, 3)?;
        for pixel in y.chunks_exact_mut(channels) {
            for (channel, y) in pixel.iter_mut().enumerate() {
                *y = self.options.limits.clamp(*y + bias.get(channel).copied().unwrap_or(0.0));
            }
        }
        Ok(())
    }
}

/// The output's shape, and the windows over it, one for each position of the input.
fn output(
    options: &Options3d,
    shape: &TensorView<'_>,
    filter: &TensorView<'_>,
    x: &TensorView<'_>,
) -> Result<([i32; 5], [Axis; 3])> {
    let list = Integers::of(shape)?;
    let sizes: [i64; 5] = (*list).try_into().map_err(|_| invalid!("{shape} must hold 5 sizes"))?;
    let sizes = sizes.map(|size| size as i32);
    ensure!(
        sizes.iter().all(|&size| size >= 0) && sizes[0] == x.shape[0] && sizes[4] == filter.shape[3],
        "the output's shape is {sizes:?}, input {x} is {:?}, filter {filter} {:?}; batches and channels must agree",
        x.shape,
        filter.shape
    );
    let mut windows = [Axis::default(); 3];
    for (axis, window) in windows.iter_mut().enumerate() {
        *window = options.window(axis, sizes[axis + 1], filter.shape[axis])?;
        ensure!(
            window.output == x.shape[axis + 1] as usize,
            "the output's shape is {sizes:?}, which has {} windows along axis {}; input {x} is {:?}",
            window.output,
            axis + 1,
            x.shape
        );
    }
    Ok((sizes, windows))
}

/// Adds the filters multiplied by the elements of `x`.
fn add_up(
    cx: &EvalContext<'_>,
    [depth, height, width]: [Axis; 3],
    filter: &TensorView<'_>,
    x: &TensorView<'_>,
    y: &mut [f32],
) -> Result<()> {
    let (channels, inputs) = (filter.shape[3] as usize, filter.shape[4] as usize);
    let (filter, batches) = (filter.as_slice::<f32>()?, x.shape[0] as usize);
    if channels == 0 || inputs == 0 {
        return Ok(());
    }
    let mut pixels = x.as_slice::<f32>()?.chunks_exact(inputs);
    let mut pace = Pace::new(cx);
    for batch in 0..batches {
        for d in 0..depth.output {
            for h in 0..height.output {
                for (w, x) in (0..width.output).zip(&mut pixels) {
                    for (td, yd) in depth.inside(d) {
                        for ((th, yh), (tw, yw)) in pairs(height.inside(h), width.inside(w)) {
                            pace.ahead(channels * inputs)?;
                            let pixel = ((batch * depth.input + yd) * height.input + yh) * width.input + yw;
                            let tap = (td * height.filter + th) * width.filter + tw;
                            let taps = filter[tap * channels * inputs..].chunks_exact(inputs);
                            let y = &mut y[pixel * channels..][..channels];
                            y.iter_mut().zip(taps).for_each(|(y, tap)| *y += dot_f32(x, tap));
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

fn pairs<T: Copy>(
    a: impl Iterator<Item = T>,
    b: impl Iterator<Item = T> + Clone,
) -> impl Iterator<Item = (T, T)> {
    a.flat_map(move |a| b.clone().map(move |b| (a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::schema::{Conv3DOptions, activation, padding};
    use arenite_abi::testing::{OpTest, OptionsBuilder, Spec, Tensor};

    fn node(
        options: impl Fn(OptionsBuilder<Conv3DOptions>) -> OptionsBuilder<Conv3DOptions>,
    ) -> OpTest<Conv3dTranspose> {
        let ones = move |o: OptionsBuilder<Conv3DOptions>| {
            options(
                o.set(Conv3DOptions::STRIDE_D, 1)
                    .set(Conv3DOptions::STRIDE_W, 2)
                    .set(Conv3DOptions::STRIDE_H, 1),
            )
        };
        OpTest::new().options(ones).output(Spec::f32())
    }

    #[test]
    fn windows() {
        // Along the width with stride 2: 1 × (1, 10, 100) and 2 × (1, 10, 100) overlap in the middle.
        let (filter, x) =
            (Tensor::f32(&[1, 1, 3, 1, 1], &[1.0, 10.0, 100.0]), Tensor::f32(&[1, 1, 1, 2, 1], &[1.0, 2.0]));
        let shape = || Tensor::i32(&[5], &[1, 1, 1, 5, 1]);
        let valid = || node(|o| o.set(Conv3DOptions::PADDING, padding::VALID));
        let want = [1.0, 10.0, 102.0, 20.0, 200.0];
        for test in [valid().constant(shape()), valid().input(shape())] {
            let y = test.constant(filter.clone()).input(x.clone()).run().unwrap().remove(0);
            assert_eq!((y.shape(), y.as_f32()), (&[1, 1, 1, 5, 1][..], want.to_vec()));
        }
        let test = node(|o| {
            o.set(Conv3DOptions::PADDING, padding::VALID)
                .set(Conv3DOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU6)
        })
        .constant(shape())
        .constant(filter);
        let y = test.input(x).constant(Tensor::f32(&[1], &[-5.0])).run().unwrap();
        assert_eq!(y[0].as_f32(), [0.0, 5.0, 6.0, 6.0, 6.0]);
        // Taps at distance 2 along the depth; two input and two output channels.
        let filter = Tensor::f32(&[2, 1, 1, 2, 2], &[1.0, 0.0, 0.0, 1.0, 3.0, 0.0, 0.0, 3.0]);
        let test =
            node(|o| o.set(Conv3DOptions::PADDING, padding::VALID).set(Conv3DOptions::DILATION_D_FACTOR, 2))
                .constant(Tensor::i32(&[5], &[1, 3, 1, 1, 2]));
        let y = test.constant(filter).input(Tensor::f32(&[1, 1, 1, 1, 2], &[5.0, 7.0])).run().unwrap();
        assert_eq!(y[0].as_f32(), [5.0, 7.0, 0.0, 0.0, 15.0, 21.0]);
    }
}
