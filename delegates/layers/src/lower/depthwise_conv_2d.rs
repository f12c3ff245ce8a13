//! DEPTHWISE_CONV_2D: with a constant filter; strides, dilations, several results per channel. A filter of one tap is a
//! product and a sum with rows, which are fused with the layer before them.

use arenite_abi::prelude::*;
use arenite_abi::schema::DepthwiseConv2DOptions;
use arenite_base::{Binary, Clamp};

use super::activation::clamp_of;
use super::source::{Source, expect_elements};
use crate::layer::{Common, DepthwiseConv2d, Elementwise, EpilogueOp, Window};
use crate::net::Node;

/// The sizes of a DEPTHWISE_CONV_2D of any types.
pub struct Geometry {
    /// The window over the input.
    pub window: Window,
    /// Results per channel of the input.
    pub multiplier: usize,
    /// One of [`activation`](arenite_abi::schema::activation).
    pub activation: i8,
}

impl Geometry {
    /// Reads the options of a node and checks its shapes.
    ///
    /// # Errors
    /// The options are malformed or not supported, or the shapes do not fit them.
    pub fn read(x: &Source<'_, '_>) -> Result<Geometry> {
        let ((_, image), (_, filter), (_, result)) = (x.input(0)?, x.input(1)?, x.output(0)?);
        expect_elements(image)?;
        expect_elements(result)?;
        let &[1, height, width, filters] = &filter.shape[..] else {
            return Err(unsupported!("the filter has shape {:?}", filter.shape));
        };
        let options = x.node.options()?;
        let window = Window::read(&options, &image.shape, [height, width])?;
        let multiplier = filters / window.channels;
        ensure!(
            multiplier > 0 && multiplier * window.channels == filters,
            "the filter has shape {:?}, the input {:?}",
            filter.shape,
            image.shape
        );
        window.expect_output(&result.shape, filters)?;
        let activation = options.get(DepthwiseConv2DOptions::FUSED_ACTIVATION_FUNCTION)?;
        Ok(Geometry { window, multiplier, activation })
    }

    /// Channels of the output.
    pub fn filters(&self) -> usize {
        self.window.channels * self.multiplier
    }
}

/// Lowers DEPTHWISE_CONV_2D.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    x.expect_f32(3)?;
    let geometry = Geometry::read(x)?;
    geometry.window.expect_taps(x.limits.depthwise_taps)?;
    let weights = x.weights(1)?;
    if let Some(product) = product(x, &geometry)? {
        return Ok(product);
    }
    let layer = DepthwiseConv2d {
        window: geometry.window,
        multiplier: geometry.multiplier,
        weights,
        bias: x.bias(2, geometry.filters())?,
        clamp: clamp_of(geometry.activation)?,
        epilogue: Vec::new(),
    };
    Ok(Node::new(Common::DepthwiseConv2d(layer), vec![x.input(0)?.0], vec![x.output(0)?.0]))
}

/// The product and the sum that equal a filter of one tap: `x · weight + bias`, clamped. Without a bias, 0 is added: a
/// sum of products is never −0. `None` if the filter has more taps, or if its weights are not stored as `f32`.
fn product<'a>(x: &Source<'_, 'a>, geometry: &Geometry) -> Result<Option<Node<Common<'a>>>> {
    let ((image, from), (filter, weights), (result, to)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    let Geometry { window: Window { rows, columns, channels, .. }, activation, .. } = *geometry;
    let is_point = rows.taps * columns.taps == 1 && from.shape == to.shape && channels > 1;
    let [rows, columns] = [rows, columns].map(|axis| axis.stride == 1 && axis.before == 0);
    if !(is_point && rows && columns && weights.real.is_none() && weights.elements::<f32>()?.is_some()) {
        return Ok(None);
    }
    let bias = x.bias::<f32>(2, channels)?.and_then(|_| x.optional_input(2)).map(|(id, _)| id);
    let (clamp, mut functions) = (clamp_of(activation)?, Vec::new());
    functions.push(match bias {
        Some(bias) => EpilogueOp::Row(Binary::Add, bias, channels),
        None => EpilogueOp::Scalar(Binary::Add, 0.0),
    });
    functions.extend(clamp.is_needed().then_some(EpilogueOp::Clamp(clamp)));
    let layer = Common::Elementwise(Elementwise::Two(Binary::Mul, Clamp::NONE, functions));
    let inputs = [image, filter].into_iter().chain(bias).collect();
    Ok(Some(Node::new(layer, inputs, vec![result])))
}
