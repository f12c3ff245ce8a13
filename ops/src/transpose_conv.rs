//! TRANSPOSE_CONV: the gradient of a convolution, `y[oy, ox, o] = activation(Σ x[iy, ix, i] × w[o, ky, kx, i] +
//! bias[o])` over all `iy × stride + ky − before = oy`, and likewise for x. NHWC, filter OHWI. f32; u8; i8; i16 × i8;
//! f32 × i8, where inputs are quantized at run time (hybrid).
//! Defined by: tflite/kernels/transpose_conv.cc, tflite/kernels/internal/optimized/optimized_ops.h and
//! optimized/integer_ops/transpose_conv.h (`TransposeConvV2`, `Quantize`), tflite/kernels/internal/reference.

mod geometry;

use arenite_abi::prelude::*;
use arenite_abi::schema::TransposeConvOptions as Fields;

use crate::kit::activation::{Activation, Limits};
use crate::kit::bias::{Bias, float_bias};
use crate::kit::channel_multipliers::{ChannelMultipliers, filter_scales};
use crate::kit::dot::{dot, dot_f32, dot_i64};
use crate::kit::hybrid::{QuantizedScratch, Symmetry};
use crate::kit::node;
use crate::kit::quantized::Quantized;

use geometry::{Geometry, Shape};

plain! {
    /// A prepared `TRANSPOSE_CONV` node.
    pub struct TransposeConv {
        options: Shape,
        /// The geometry; `None` if the output's shape depends on data.
        geometry: Maybe<Geometry>,
        kernel: Kernel,
    }
}

plain! {
    enum Kernel {
        Float(Limits<f32>),
        Fixed(Fixed),
        Hybrid(Hybrid),
    }
}

plain! {
    struct Fixed {
        input_zero: i32,
        filter_zero: i32,
        output_zero: i32,
        limits: Limits<i32>,
        rounding: Rounding,
        multipliers: ChannelMultipliers,
    }
}

plain! {
    /// Which sums round ties up, like SIMD code; all others round ties away from zero.
    #[derive(Clone, Copy)]
    enum Rounding {
        /// Whole groups of sixteen output elements.
        Elements,
        /// Whole groups of eight channels.
        Channels,
        /// No sums.
        Plain,
        /// Sums of 64 bits with a 15-bit multiplier.
        Wide,
    }
}

plain! {
    struct Hybrid {
        limits: Limits<f32>,
        /// The quantized images, one for each batch.
        images: QuantizedScratch,
    }
}

/// The node's tensors.
struct ConvNode<'a> {
    shape: TensorView<'a>,
    filter: TensorView<'a>,
    x: TensorView<'a>,
    bias: Option<TensorView<'a>>,
    y: TensorView<'a>,
    activation: Activation,
    /// The schema's number of the type of the bias and of the sums; 0 if the model does not specify it.
    bias_type: i8,
}

impl Op for TransposeConv {
    const CODE: OpCode = OpCode::Builtin(op::TRANSPOSE_CONV);
    const VERSIONS: RangeInclusive<i32> = 1..=5;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, U8, I8, I16, I32, I64]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=4, 1..=1)?;
        let options = node.options()?;
        let parts = ConvNode {
            shape: node.input(0)?,
            filter: node.input(1)?,
            x: node.input(2)?,
            bias: node.optional_input(3)?,
            y: node.output(0)?,
            activation: node::range_activation(options.get(Fields::FUSED_ACTIVATION_FUNCTION)?)?,
            bias_type: options.get(Fields::QUANTIZED_BIAS_TYPE)?,
        };
        let options = Shape::read(&options)?;
        parts.check()?;
        let geometry = match parts.shape.constant::<i32>()? {
            Some(shape) => {
                let geometry = Geometry::new(&parts.x, &parts.filter, &options, shape)?;
                cx.set_output_shape(0, shape)?;
                Some(geometry)
            }
            None => {
                cx.set_output_dynamic(0)?;
                None
            }
        };
        let kernel = match (parts.x.ty, parts.filter.ty, parts.y.ty) {
            (F32, F32, F32) => Kernel::Float(parts.activation.f32_range()),
            (F32, I8, F32) => Kernel::Hybrid(Hybrid::prepare(&parts, cx)?),
            (U8, U8, U8) | (I8, I8, I8) | (I16, I8, I16) => Kernel::Fixed(Fixed::prepare(&parts, cx)?),
            (x, w, y) => return Err(unsupported!("no kernel for input {x}, filter {w} and output {y}")),
        };
        Ok(TransposeConv { options, geometry: geometry.into(), kernel })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (filter, x) = (cx.input(1)?, cx.input(2)?);
        let (g, y) = match self.geometry.get() {
            Some(geometry) => (geometry, cx.output(0)?),
            None => {
                let shape = cx.input_slice::<i32>(0)?;
                let geometry = Geometry::new(&x, &filter, &self.options, shape)?;
                (geometry, cx.resize_output(0, shape)?)
            }
        };
        match &self.kernel {
            Kernel::Float(limits) => eval_f32(cx, &g, *limits, y),
            Kernel::Hybrid(hybrid) => hybrid.eval(cx, &g, y),
            Kernel::Fixed(fixed) => match x.ty {
                U8 => fixed.eval::<u8, u8>(cx, &g, y),
                I8 => fixed.eval::<i8, i8>(cx, &g, y),
                _ => fixed.eval::<i16, i8>(cx, &g, y),
            },
        }
    }
}

impl Shape {
    fn read(options: &Options<'_, Fields>) -> Result<Shape> {
        let padding = node::padding(options.get(Fields::PADDING)?)?;
        let stride = [options.get(Fields::STRIDE_H)?, options.get(Fields::STRIDE_W)?];
        let limit = i32::from(i16::MAX);
        ensure!(
            stride.iter().all(|&s| s >= 1 && s <= limit),
            "its strides are {stride:?}; they must be 1 to {limit}"
        );
        Ok(Shape { padding, stride })
    }
}

impl ConvNode<'_> {
    fn check(&self) -> Result<()> {
        let ConvNode { shape, filter, x, .. } = self;
        ensure!(shape.ty == I32, "output shape {shape} is {}; it must be INT32", shape.ty);
        for tensor in [filter, x] {
            let dims = node::dims(tensor)?;
            let ok = dims.rank() == 4 && dims.as_slice()[1..3].iter().all(|&size| size > 0);
            ensure!(
                ok,
                "{tensor} is {:?}; it needs 4 axes, with height and width of at least 1",
                tensor.shape
            );
        }
        ensure!(
            x.shape[3] == filter.shape[3] && x.shape[3] > 0,
            "filter {filter} is {:?}, input {x} has {} channels; they must agree",
            filter.shape,
            x.shape[3]
        );
        self.check_bias()
    }

    fn check_bias(&self) -> Result<()> {
        let told = match u32::try_from(self.bias_type).ok().and_then(ElementType::from_raw) {
            Some(F32) => None,
            Some(ty @ (I32 | I64)) => Some(ty),
            _ => {
                let other = self.bias_type;
                return Err(invalid!("its bias type is number {other}; it must be 2 (INT32) or 4 (INT64)"));
            }
        };
        let Some(bias) = &self.bias else { return Ok(()) };
        let allowed = match (self.x.ty, told) {
            (F32, _) => bias.ty == F32,
            (I16, None) => matches!(bias.ty, I32 | I64),
            (I16, Some(told)) => bias.ty == told,
            _ => bias.ty == I32,
        };
        ensure!(allowed, "bias {bias} is {}, input '{}' is {}", bias.ty, self.x.name(), self.x.ty);
        let channels = self.filter.shape[0];
        ensure!(
            bias.len() == channels as usize,
            "bias {bias} has {} elements, filter '{}' is {:?}; it needs {channels}",
            bias.len(),
            self.filter.name(),
            self.filter.shape
        );
        Ok(())
    }
}

fn eval_f32(cx: &EvalContext<'_>, g: &Geometry, limits: Limits<f32>, y: TensorViewMut<'_>) -> Result<()> {
    let (w, x) = (cx.input_slice::<f32>(1)?, cx.input_slice::<f32>(2)?);
    let bias = float_bias(cx, 3)?;
    let y = y.into_slice::<f32>()?;
    g.for_each(cx, |out, _, channel, taps| {
        let mut sum = 0.0;
        taps.for_each(x, w, |x, w| sum += dot_f32(x, w));
        y[out] = limits.clamp(sum + bias.get(channel).copied().unwrap_or(0.0));
    })
}

impl Fixed {
    fn prepare(parts: &ConvNode<'_>, cx: &mut PrepareContext<'_>) -> Result<Fixed> {
        let ConvNode { x, filter, y, .. } = parts;
        let channels = filter.shape[0] as usize;
        let scales = filter_scales(filter, channels, 0)?;
        let (from, to) = (node::quant(x)?, node::quant(y)?);
        ensure!(
            x.ty != I16 || (from.zero_point == 0 && to.zero_point == 0),
            "input {x} has zero point {}, output {y} {}; for i16 both must be 0",
            from.zero_point,
            to.zero_point
        );
        let filter_zero = scales.zero_points[0] as i32;
        let multipliers = match x.ty {
            U8 => ChannelMultipliers::per_tensor(cx, [x, filter, y])?,
            _ => ChannelMultipliers::per_channel(cx, [x, filter, y], channels, 0)?,
        };
        Ok(Fixed {
            input_zero: from.zero_point,
            filter_zero: if x.ty == U8 { filter_zero } else { 0 },
            output_zero: to.zero_point,
            limits: node::quantized_range(parts.activation, y)?,
            rounding: parts.rounding(filter_zero),
            multipliers,
        })
    }

    fn eval<X: Quantized, W: Quantized>(
        &self,
        cx: &EvalContext<'_>,
        g: &Geometry,
        y: TensorViewMut<'_>,
    ) -> Result<()> {
        let (w, x) = (cx.input_slice::<W>(1)?, cx.input_slice::<X>(2)?);
        let bias = Bias::read(cx, 3)?;
        let multipliers = self.multipliers.read(cx)?;
        let y = y.into_slice::<X>()?;
        let simd_elements = y.len() - y.len() % 16;
        let simd_channels = g.channels - g.channels % 8;
        g.for_each(cx, |out, _, channel, taps| {
            let (bias, multiplier) = (bias.at(channel), multipliers.of(channel));
            let sum = || {
                let mut sum = 0i32;
                taps.for_each(x, w, |x, w| {
                    sum = sum.wrapping_add(dot(x, self.input_zero, w, self.filter_zero));
                });
                sum.wrapping_add(bias as i32)
            };
            let scaled = match self.rounding {
                Rounding::Elements if out < simd_elements => multiplier.apply_ties_up(sum()),
                Rounding::Channels if channel < simd_channels => multiplier.apply_ties_up(sum()),
                Rounding::Elements | Rounding::Channels | Rounding::Plain => multiplier.apply(sum()),
                Rounding::Wide => {
                    let mut sum = bias;
                    taps.for_each(x, w, |x, w| {
                        sum = sum.wrapping_add(dot_i64(x, self.input_zero, w, self.filter_zero));
                    });
                    multiplier.apply_i64(sum)
                }
            };
            y[out] = X::saturate(self.limits.clamp(scaled.wrapping_add(self.output_zero)));
        })
    }
}

impl ConvNode<'_> {
    fn rounding(&self, filter_zero: i32) -> Rounding {
        let narrow = self.bias_type == 2 || self.bias.as_ref().is_some_and(|bias| bias.ty == I32);
        match self.x.ty {
            U8 => Rounding::Elements,
            I8 => Rounding::Channels,
            _ if !narrow => Rounding::Wide,
            _ if filter_zero != 0 => Rounding::Plain,
            _ => Rounding::Channels,
        }
    }
}

impl Hybrid {
    fn prepare(parts: &ConvNode<'_>, cx: &mut PrepareContext<'_>) -> Result<Hybrid> {
        let channels = parts.filter.shape[0] as usize;
        filter_scales(&parts.filter, channels, 0)?;
        let batches = parts.x.shape[0].max(0) as usize;
        let image = parts.x.len() / batches.max(1);
        let images = QuantizedScratch::prepare(cx, batches, image, Symmetry::Asymmetric)?;
        Ok(Hybrid { limits: parts.activation.f32_range(), images })
    }

    fn eval(&self, cx: &EvalContext<'_>, g: &Geometry, y: TensorViewMut<'_>) -> Result<()> {
        let (filter, x) = (cx.input(1)?, cx.input_slice::<f32>(2)?);
        let q = filter.quantization().ok_or_else(|| invalid!("filter {filter} lost its scales"))?;
        let w = filter.as_slice::<i8>()?;
        let bias = float_bias(cx, 3)?;
        let mut images = self.images.begin(cx)?;
        images.quantize(x);
        let y = y.into_slice::<f32>()?;
        g.for_each(cx, |out, batch, channel, taps| {
            let (image, mut sum) = (images.row(batch), 0i32);
            taps.for_each(images.elements(), w, |x, w| {
                sum = sum.wrapping_add(dot(x, image.zero_point, w, 0))
            });
            let real = sum as f32 * (q.scale_of(channel) * image.scale);
            y[out] = self.limits.clamp(real + bias.get(channel).copied().unwrap_or(0.0));
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::schema::activation;
    use arenite_abi::schema::padding::{SAME, VALID};
    use arenite_abi::testing::{OpTest, OptionsBuilder, Spec, Tensor};

    fn test(shape: &[i32; 4], filter: Tensor, x: Tensor, y: Spec) -> OpTest<TransposeConv> {
        OpTest::new().constant(Tensor::i32(&[4], shape)).constant(filter).input(x).output(y)
    }

    fn options(
        padding: i8,
        width: i32,
        height: i32,
    ) -> impl FnOnce(OptionsBuilder<Fields>) -> OptionsBuilder<Fields> {
        move |o| o.set(Fields::PADDING, padding).set(Fields::STRIDE_W, width).set(Fields::STRIDE_H, height)
    }

    #[test]
    fn floats() {
        // Stride 2 spreads a row [1 2] by a filter [1 10 100]: 1 10 100 + 2 20 200 from column 2 on.
        let x = Tensor::f32(&[1, 1, 2, 1], &[1., 2.]);
        let filter = Tensor::f32(&[1, 1, 3, 1], &[1., 10., 100.]);
        let valid = test(&[1, 1, 5, 1], filter.clone(), x.clone(), Spec::f32());
        let y = valid.clone().options(options(VALID, 2, 1)).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_f32()), (&[1, 1, 5, 1][..], vec![1., 10., 102., 20., 200.]));
        // SAME: an output of 4 needs (2 - 1) × 2 + 3 = 5 columns, so one column of padding after.
        let y = test(&[1, 1, 4, 1], filter.clone(), x.clone(), Spec::f32()).options(options(SAME, 2, 1));
        assert_eq!(y.run().unwrap()[0].as_f32(), [1., 10., 102., 20.]);
        // The shape may depend on data; bias and activation::RELU6.
        let y = OpTest::<TransposeConv>::new()
            .input(Tensor::i32(&[4], &[1, 1, 5, 1]))
            .input(filter)
            .input(x)
            .input(Tensor::f32(&[1], &[-8.]))
            .output(Spec::f32())
            .options(|o| options(VALID, 2, 1)(o).set(Fields::FUSED_ACTIVATION_FUNCTION, activation::RELU6))
            .run()
            .unwrap();
        assert_eq!(y[0].as_f32(), [0., 2., 6., 6., 6.]);
    }

    #[test]
    fn two_axes_and_channels() {
        // Pixels (1, 2) and (3, 4) in two rows; unit filters pick a channel in each corner of 2 × 1.
        let x = Tensor::f32(&[1, 2, 1, 2], &[1., 2., 3., 4.]);
        let filter = Tensor::f32(&[2, 2, 1, 2], &[1., 0., 0., 1., 10., 0., 0., 10.]);
        let y = test(&[1, 3, 1, 2], filter, x, Spec::f32()).options(options(VALID, 1, 1)).run().unwrap();
        assert_eq!(y[0].as_f32(), [1., 10., 2. + 3., 20. + 30., 4., 40.]);
    }

    #[test]
    fn quantized() {
        let y = |filter: Tensor, x: Tensor, y: Spec| {
            test(&[1, 1, 4, 1], filter, x, y).options(options(VALID, 2, 1)).run().unwrap().remove(0)
        };
        let x = Tensor::u8(&[1, 1, 2, 1], &[3, 0]).quantized(0.5, 2);
        let filter = Tensor::u8(&[1, 1, 2, 1], &[5, 1]).quantized(0.5, 1);
        // 1 × (4, 0) and -2 × (4, 0), in quarters.
        assert_eq!(y(filter, x, Spec::u8(1.0, 5)).as_u8(), [6, 5, 3, 5]);
        let x = Tensor::i8(&[1, 1, 2, 1], &[3, 0]).quantized(0.5, 2);
        let filter = Tensor::i8(&[1, 1, 2, 1], &[5, 1]).quantized(0.5, 0);
        // 5, 1, -10, -2 quarters, rounded twice, ties away from zero in the second step: 5/2 is 3, 3/2 is 2; 1/2 is 1,
        // and again; -10/2 is -5, then -3; -2/2 is -1, then -1.
        assert_eq!(y(filter.clone(), x, Spec::i8(1.0, 5)).as_i8(), [7, 6, 2, 4]);
        let x = Tensor::i16(&[1, 1, 2, 1], &[100, -100]).quantized(0.5, 0);
        assert_eq!(y(filter.clone(), x.clone(), Spec::i16(0.5, 0)).as_i16(), [250, 50, -250, -50]);
        let bias = |b: Tensor| {
            test(&[1, 1, 4, 1], filter.clone(), x.clone(), Spec::i16(0.5, 0)).options(options(VALID, 2, 1));
            let test = OpTest::<TransposeConv>::new().constant(Tensor::i32(&[4], &[1, 1, 4, 1]));
            let test = test.constant(filter.clone()).input(x.clone()).constant(b).output(Spec::i16(0.5, 0));
            test.options(options(VALID, 2, 1)).run().unwrap()[0].as_i16()
        };
        assert_eq!(bias(Tensor::i32(&[1], &[2])), [251, 51, -249, -49]);
        assert_eq!(bias(Tensor::i64(&[1], &[2])), [251, 51, -249, -49]);
    }

    #[test]
    fn hybrid() {
        let x = Tensor::f32(&[2, 1, 1, 1], &[255.0, -51.0]);
        let filter = Tensor::i8(&[2, 1, 2, 1], &[1, 2, 3, 4]).per_channel(&[1.0, 0.5], &[0, 0], 0);
        let y = test(&[2, 1, 2, 2], filter, x, Spec::f32()).options(options(VALID, 1, 1)).run().unwrap();
        let want = [255.0, 382.5, 510.0, 510.0, -51.0, -76.5, -102.0, -102.0];
        for (got, want) in y[0].as_f32().iter().zip(want) {
            assert!((got - want).abs() < 1e-3, "{got} {want}");
        }
    }
}
