//! CONV_3D: the sum of input × filter over a window and all channels, plus bias, then the activation. f32.
//!
//! Defined by: tflite/kernels/conv3d.cc.
//!
//! ```text
//! input [N, D, H, W, C]   filter [d, h, w, C, O]   bias [O]   output [N, D', H', W', O]
//! ```

use arenite_abi::prelude::*;

use crate::kit::activation::Limits;
use crate::kit::arguments::expect_type;
use crate::kit::bias::float_bias;
use crate::kit::node;
use crate::kit::pace::Pace;
use crate::kit::volume::{self, Options3d};
use crate::kit::window::Axis;

plain! {
    /// A prepared `CONV_3D` node.
    pub struct Conv3d {
        /// The windows along depth, height and width.
        windows: [Axis; 3],
        batches: usize,
        channels: usize,
        filters: usize,
        limits: Limits<f32>,
    }
}

impl Op for Conv3d {
    const CODE: OpCode = OpCode::Builtin(op::CONV_3D);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(2..=3, 1..=1)?;
        let (x, filter) = (node.input(0)?, node.input(1)?);
        [&x, &filter, &node.output(0)?].into_iter().try_for_each(|x| expect_type(x, &[F32]))?;
        for (tensor, first) in [(&x, 1), (&filter, 0)] {
            node::dims(tensor)?;
            ensure!(
                tensor.rank() == 5 && tensor.shape[first..].iter().all(|&size| size > 0),
                "{tensor} is {:?}; it must have 5 dimensions, of which only the batch may be zero",
                tensor.shape
            );
        }
        ensure!(
            x.shape[4] == filter.shape[3],
            "filter {filter} is {:?}, input {x} has {} channels; they must agree",
            filter.shape,
            x.shape[4]
        );
        volume::check_bias(node.optional_input(2)?, filter.shape[4])?;
        let options = Options3d::read(node)?;
        let mut windows = [Axis::default(); 3];
        for (axis, window) in windows.iter_mut().enumerate() {
            *window = options.window(axis, x.shape[axis + 1], filter.shape[axis])?;
        }
        let [depth, height, width] = windows.map(|window| window.output as i32);
        cx.set_output_shape(0, &[x.shape[0], depth, height, width, filter.shape[4]])?;
        Ok(Conv3d {
            windows,
            batches: x.shape[0] as usize,
            channels: x.shape[4] as usize,
            filters: filter.shape[4] as usize,
            limits: options.limits,
        })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, filter) = (cx.input_slice::<f32>(0)?, cx.input_slice::<f32>(1)?);
        let bias = float_bias(cx, 2)?;
        let y = cx.output_slice::<f32>(0)?;
        let mut pace = Pace::new(cx);
        let [depth, height, width] = self.windows;
        let mut pixels = y.chunks_exact_mut(self.filters);
        for batch in 0..self.batches {
            for d in 0..depth.output {
                for h in 0..height.output {
                    for (w, y) in (0..width.output).zip(&mut pixels) {
                        y.fill(0.0);
                        self.add_up([batch, d, h, w], x, filter, y, &mut pace)?;
                        for (channel, y) in y.iter_mut().enumerate() {
                            *y = self.limits.clamp(*y + bias.get(channel).copied().unwrap_or(0.0));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl Conv3d {
    /// Adds the products of one window to all channels of a pixel.
    fn add_up(
        &self,
        [batch, d, h, w]: [usize; 4],
        x: &[f32],
        filter: &[f32],
        y: &mut [f32],
        pace: &mut Pace<'_, '_>,
    ) -> Result<()> {
        let [depth, height, width] = self.windows;
        for (td, id) in depth.inside(d) {
            for (th, ih) in height.inside(h) {
                for (tw, iw) in width.inside(w) {
                    pace.ahead(self.channels * self.filters)?;
                    let pixel = ((batch * depth.input + id) * height.input + ih) * width.input + iw;
                    let tap = (td * height.filter + th) * width.filter + tw;
                    let x = &x[pixel * self.channels..][..self.channels];
                    let taps = filter[tap * self.channels * self.filters..].chunks_exact(self.filters);
                    for (&x, taps) in x.iter().zip(taps) {
                        y.iter_mut().zip(taps).for_each(|(y, tap)| *y += x * tap);
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::schema::{Conv3DOptions, activation, padding};
    use arenite_abi::testing::{OpTest, OptionsBuilder, Spec, Tensor};

    fn node(
        x: Tensor,
        filter: Tensor,
        options: impl Fn(OptionsBuilder<Conv3DOptions>) -> OptionsBuilder<Conv3DOptions>,
    ) -> OpTest<Conv3d> {
        let ones = move |o: OptionsBuilder<Conv3DOptions>| {
            options(
                o.set(Conv3DOptions::STRIDE_D, 1)
                    .set(Conv3DOptions::STRIDE_W, 1)
                    .set(Conv3DOptions::STRIDE_H, 1),
            )
        };
        OpTest::new().options(ones).input(x).constant(filter).output(Spec::f32())
    }

    fn count(shape: &[i32]) -> Tensor {
        let elements: Vec<f32> = (0..shape.iter().product()).map(|i| i as f32).collect();
        Tensor::f32(shape, &elements)
    }

    #[test]
    fn windows() {
        // The cube holds 0..8. Neighbors in depth give x[0] − x[1] = −4, and twice that plus a bias.
        let (x, filter) = (count(&[1, 2, 2, 2, 1]), Tensor::f32(&[2, 1, 1, 1, 2], &[1.0, 2.0, -1.0, -2.0]));
        let y = node(x.clone(), filter.clone(), |o| o.set(Conv3DOptions::PADDING, padding::VALID))
            .constant(Tensor::f32(&[2], &[0.5, 9.0]));
        let y = y.run().unwrap().remove(0);
        assert_eq!((y.shape(), y.as_f32()), (&[1, 1, 2, 2, 2][..], [-3.5, 1.0].repeat(4)));
        // With padding at the end, and RELU.
        let y = node(x, filter, |o| {
            o.set(Conv3DOptions::PADDING, padding::SAME)
                .set(Conv3DOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU)
        })
        .run()
        .unwrap()
        .remove(0);
        assert_eq!(y.shape(), [1, 2, 2, 2, 2]);
        assert_eq!(y.as_f32()[8..], [4.0, 8.0, 5.0, 10.0, 6.0, 12.0, 7.0, 14.0]);
    }

    #[test]
    fn strides_and_dilations() {
        // Along the width 0..5, with taps at distance 2: x[w] + 10 x[w + 2] for every second w.
        let (x, filter) = (count(&[1, 1, 1, 5, 1]), Tensor::f32(&[1, 1, 2, 1, 1], &[1.0, 10.0]));
        let test = OpTest::<Conv3d>::new().input(x).constant(filter).output(Spec::f32());
        let y = test
            .options(|o| {
                o.set(Conv3DOptions::PADDING, padding::VALID)
                    .set(Conv3DOptions::STRIDE_D, 1)
                    .set(Conv3DOptions::STRIDE_W, 2)
                    .set(Conv3DOptions::STRIDE_H, 1)
                    .set(Conv3DOptions::DILATION_W_FACTOR, 2)
            })
            .run()
            .unwrap();
        assert_eq!((y[0].shape(), y[0].as_f32()), (&[1, 1, 1, 2, 1][..], vec![20.0, 42.0]));
    }
}
