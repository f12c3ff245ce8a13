//! FULLY_CONNECTED: `y[b, u] = activation(Σ_d x[b, d] × w[u, d] + bias[u])`. f32; u8; i8 × i8, i4, i2; i16 × i8, i4,
//! i2, i16; f32 × u8, i8, i4, i2, where inputs are quantized at run time (hybrid).
//! Defined by: tflite/kernels/fully_connected.cc.

mod fixed;
mod hybrid;

use arenite_abi::prelude::*;
use arenite_abi::schema::{FullyConnectedOptions, weights_format};

use crate::kit::activation::{Activation, Limits};
use crate::kit::bias::float_bias;
use crate::kit::dot::{IN_ORDER, dot_f32, few_f32};
use crate::kit::node;
use crate::kit::pace::Pace;
use crate::kit::packed;

use fixed::Fixed;
use hybrid::Hybrid;

plain! {
    /// A prepared `FULLY_CONNECTED` node.
    pub struct FullyConnected {
        layer: Layer,
        kernel: Kernel,
    }
}

plain! {
    /// The sizes: `x` is `[batches, depth]`, the filter `[units, depth]`, `y` `[batches, units]`.
    #[derive(Clone, Copy)]
    struct Layer {
        batches: usize,
        depth: usize,
        units: usize,
    }
}

plain! {
    enum Kernel {
        /// The depth is zero: the output is filled with zero bytes, without bias.
        Zero,
        Float(Limits<f32>),
        Fixed(Fixed),
        Hybrid(Hybrid),
    }
}

/// The node's tensors and options.
struct Dense<'a> {
    x: TensorView<'a>,
    filter: TensorView<'a>,
    bias: Option<TensorView<'a>>,
    y: TensorView<'a>,
    activation: Activation,
    asymmetric: bool,
    /// The schema's number of the type of the bias and of the sums; 0 if the model does not specify it.
    bias_type: i8,
}

impl Op for FullyConnected {
    const CODE: OpCode = OpCode::Builtin(op::FULLY_CONNECTED);
    const VERSIONS: RangeInclusive<i32> = 1..=14;
    const EMBED: Option<Embed<Self>> = Some(Embed::with(|op, cx| cx.put(op.form(), op)));

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let parts = Dense::read(node);
        let (parts, layer) = begin(&parts, node, cx)?;
        let kernel = match (parts.x.ty, parts.filter.ty, parts.y.ty) {
            (F32, F32 | U8 | I8 | I4 | I2, F32) | (U8, U8, U8 | I16) if layer.depth == 0 => Kernel::Zero,
            (I8, I8 | I4 | I2, I8) | (I16, I8 | I4 | I2 | I16, I16) if layer.depth == 0 => Kernel::Zero,
            (F32, F32, F32) => Kernel::Float(parts.float_range()?),
            (F32, U8 | I8 | I4 | I2, F32) => Kernel::Hybrid(Hybrid::prepare(parts, &layer, cx)?),
            (U8, U8, U8 | I16) | (I8, I8 | I4 | I2, I8) | (I16, I8 | I4 | I2 | I16, I16) => {
                Kernel::Fixed(Fixed::prepare::<false>(parts, &layer, cx)?)
            }
            (x, w, y) => return Err(unsupported!("no kernel for input {x}, filter {w} and output {y}")),
        };
        Ok(FullyConnected { layer, kernel })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match &self.kernel {
            Kernel::Zero => {
                cx.output(0)?.into_bytes().fill(0);
                Ok(())
            }
            Kernel::Float(limits) => self.layer.eval_f32(cx, *limits),
            Kernel::Fixed(fixed) => fixed.eval(&self.layer, cx),
            Kernel::Hybrid(hybrid) => hybrid.eval(&self.layer, cx),
        }
    }

    fn form(&self) -> &'static str {
        match &self.kernel {
            Kernel::Float(_) => "ar_embed_fully_connected_f32",
            Kernel::Fixed(fixed) if fixed.is_i8() => "ar_embed_fully_connected_i8",
            _ => "",
        }
    }
}

/// Checks options and sizes, and sets the shape of the output.
#[inline(never)] // so that its values are not on the stack while a kernel is prepared
fn begin<'p, 'a>(
    parts: &'p Result<Dense<'a>>,
    node: &NodeView<'_>,
    cx: &mut PrepareContext<'_>,
) -> Result<(&'p Dense<'a>, Layer)> {
    let parts = parts.as_ref().map_err(|&error| error)?;
    let keep_dims = node.options()?.get(FullyConnectedOptions::KEEP_NUM_DIMS)?;
    let layer = Layer::new(parts)?;
    set_output_shape(parts, &layer, keep_dims, cx)?;
    Ok((parts, layer))
}

impl FullyConnected {
    /// `prepare` for f32 alone.
    ///
    /// # Errors
    /// As for `prepare`, or the node has another form.
    pub fn prepare_f32(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let parts = Dense::read(node);
        let (parts, layer) = begin(&parts, node, cx)?;
        if (parts.x.ty, parts.filter.ty, parts.y.ty) != (F32, F32, F32) || layer.depth == 0 {
            return Err(node::only_form("f32"));
        }
        Ok(FullyConnected { layer, kernel: Kernel::Float(parts.float_range()?) })
    }

    /// `prepare` for i8 alone.
    ///
    /// # Errors
    /// As for `prepare`, or the node has another form.
    pub fn prepare_i8(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let parts = Dense::read(node);
        let (parts, layer) = begin(&parts, node, cx)?;
        if (parts.x.ty, parts.filter.ty, parts.y.ty) != (I8, I8, I8) || layer.depth == 0 {
            return Err(node::only_form("i8"));
        }
        Ok(FullyConnected { layer, kernel: Kernel::Fixed(Fixed::prepare::<true>(parts, &layer, cx)?) })
    }

    /// `eval` for f32 alone.
    ///
    /// # Errors
    /// As for `eval`, or the node has another form.
    pub fn eval_f32(&self, cx: &EvalContext<'_>) -> Result<()> {
        match &self.kernel {
            Kernel::Float(limits) => self.layer.eval_f32(cx, *limits),
            _ => Err(node::other_form()),
        }
    }

    /// `eval` for i8 alone.
    ///
    /// # Errors
    /// As for `eval`, or the node has another form.
    pub fn eval_i8(&self, cx: &EvalContext<'_>) -> Result<()> {
        match &self.kernel {
            Kernel::Fixed(fixed) => fixed.eval_i8(&self.layer, cx),
            _ => Err(node::other_form()),
        }
    }
}

impl<'a> Dense<'a> {
    fn read(node: &NodeView<'a>) -> Result<Self> {
        let options = node.options()?;
        if options.get(FullyConnectedOptions::WEIGHTS_FORMAT)? != weights_format::DEFAULT {
            return Err(unsupported!(
                "its weights are in the shuffled 4x16 format; convert the model with the default format"
            ));
        }
        node.expect(2..=3, 1..=1)?;
        Ok(Dense {
            x: node.input(0)?,
            filter: node.input(1)?,
            bias: node.optional_input(2)?,
            y: node.output(0)?,
            activation: node::activation(options.get(FullyConnectedOptions::FUSED_ACTIVATION_FUNCTION)?)?,
            asymmetric: options.get(FullyConnectedOptions::ASYMMETRIC_QUANTIZE_INPUTS)?,
            bias_type: options.get(FullyConnectedOptions::QUANTIZED_BIAS_TYPE)?,
        })
    }

    fn expect_bias(&self, types: &[ElementType]) -> Result<()> {
        let Some(bias) = &self.bias else { return Ok(()) };
        ensure!(
            types.contains(&bias.ty),
            "bias {bias} is {}; with input {} it must be {types:?}",
            bias.ty,
            self.x.ty
        );
        Ok(())
    }

    fn expect_range(&self) -> Result<()> {
        if self.activation.is_range() {
            return Ok(());
        }
        Err(unsupported!("no kernel for {} with the fused activation {:?}", self.x.ty, self.activation))
    }

    fn float_range(&self) -> Result<Limits<f32>> {
        self.expect_bias(&[F32])?;
        self.expect_range()?;
        Ok(self.activation.f32_range())
    }
}

impl Layer {
    fn new(parts: &Dense<'_>) -> Result<Layer> {
        let (x, filter) = (&parts.x, &parts.filter);
        let dims = node::dims(filter)?;
        ensure!(dims.rank() == 2, "filter {filter} is {:?}; it must have 2 axes", filter.shape);
        let (units, depth) = (dims.size(0), dims.size(1));
        let x_dims = node::dims(x)?;
        let batches = match depth {
            0 => x_dims.product(0, x_dims.rank().saturating_sub(1)),
            _ => x_dims.flat_size() / depth,
        };
        ensure!(
            depth == 0 || x_dims.flat_size() % depth == 0,
            "input {x} is {:?}, filter {filter} is {:?}; the input's size must be a multiple of {depth}",
            x.shape,
            filter.shape
        );
        if let Some(bias) = &parts.bias {
            ensure!(
                bias.len() == units,
                "bias {bias} has {} elements, filter {filter} is {:?}; it needs {units}",
                bias.len(),
                filter.shape
            );
        }
        Ok(Layer { batches, depth, units })
    }

    /// Row `b` of the input.
    fn row<'a, T>(&self, x: &'a [T], b: usize) -> &'a [T] {
        x.get(b * self.depth..(b + 1) * self.depth).unwrap_or(&[])
    }

    fn eval_f32(&self, cx: &EvalContext<'_>, limits: Limits<f32>) -> Result<()> {
        let (x, w) = (cx.input_slice::<f32>(0)?, cx.input_slice::<f32>(1)?);
        let bias = float_bias(cx, 2)?;
        let y = cx.output_slice::<f32>(0)?;
        let mut pace = Pace::new(cx);
        let depth = self.depth.max(1);
        let (mut rows, units) = (x.chunks_exact(depth), Pace::items(depth));
        for y in y.chunks_exact_mut(self.units.max(1)) {
            let (x, mut w, mut bias) = (rows.next().unwrap_or_default(), w, bias);
            for y in y.chunks_mut(units) {
                pace.ahead(y.len() * depth)?;
                units_f32(x, w, bias, limits, y);
                w = w.get(y.len() * x.len()..).unwrap_or_default();
                bias = bias.get(y.len()..).unwrap_or_default();
            }
        }
        Ok(())
    }
}

/// Units of one batch. Without a bias, `bias` is empty.
#[inline(never)] // with fewer values in registers than in the loops around it
fn units_f32(x: &[f32], w: &[f32], bias: &[f32], limits: Limits<f32>, y: &mut [f32]) {
    // Two loops, because few units of few inputs notice the choice.
    match x.len() < IN_ORDER {
        true => each_unit(x, w, bias, limits, y, few_f32),
        false => each_unit(x, w, bias, limits, y, dot_f32),
    }
}

#[inline(always)]
fn each_unit(
    x: &[f32],
    mut w: &[f32],
    bias: &[f32],
    limits: Limits<f32>,
    y: &mut [f32],
    dot: impl Fn(&[f32], &[f32]) -> f32,
) {
    for (u, y) in y.iter_mut().enumerate() {
        let Some((row, rest)) = w.split_at_checked(x.len()) else { break };
        w = rest;
        *y = limits.clamp(dot(x, row) + bias.get(u).copied().unwrap_or(0.0));
    }
}

fn set_output_shape(
    parts: &Dense<'_>,
    layer: &Layer,
    keep_dims: bool,
    cx: &mut PrepareContext<'_>,
) -> Result<()> {
    let size = |n: usize| i32::try_from(n).map_err(|_| invalid!("an output of {n} rows is too large"));
    if !keep_dims {
        return cx.set_output_shape(0, &[size(layer.batches)?, size(layer.units)?]);
    }
    let (x, filter) = (&parts.x, &parts.filter);
    let mut sizes = [0; 8];
    let sizes = &mut sizes[..x.rank()];
    sizes.copy_from_slice(x.shape);
    let last = sizes.last_mut().ok_or_else(|| invalid!("input {x} is a scalar and has no axes to keep"))?;
    ensure!(
        layer.depth == 0 || *last == filter.shape[1],
        "input {x} is {:?}, filter {filter} is {:?}; where axes are kept the last ones must agree",
        x.shape,
        filter.shape
    );
    *last = filter.shape[0];
    cx.set_output_shape(0, sizes)
}

/// The rows of a filter whose elements are bytes, or are unpacked row by row.
enum FilterRows<'a, W> {
    Plain(&'a [W]),
    Packed { ty: ElementType, bytes: &'a [u8], row: &'a mut [W] },
}

impl<'a> FilterRows<'a, i8> {
    fn of(filter: &TensorView<'a>, cx: &EvalContext<'a>, row: &Scratch<i8>) -> Result<FilterRows<'a, i8>> {
        Ok(match filter.ty {
            I4 | I2 => FilterRows::Packed { ty: filter.ty, bytes: filter.bytes(), row: cx.scratch(row)? },
            _ => FilterRows::Plain(filter.as_words()?),
        })
    }

    /// Calls `f(unit, row)` for each row of the filter, until it fails.
    fn for_each(&mut self, layer: &Layer, mut f: impl FnMut(usize, &[i8]) -> Result<()>) -> Result<()> {
        for u in 0..layer.units {
            match self {
                FilterRows::Plain(w) => f(u, layer.row(w, u))?,
                FilterRows::Packed { ty, bytes, row } => {
                    packed::unpack(*ty, bytes, u * layer.depth, row);
                    f(u, row)?;
                }
            }
        }
        Ok(())
    }
}

/// Scratch memory for one unpacked row of the filter, if it is packed.
fn row_scratch(filter: &TensorView<'_>, layer: &Layer, cx: &mut PrepareContext<'_>) -> Result<Scratch<i8>> {
    cx.scratch(if filter.ty.bits() < 8 { layer.depth } else { 0 })
}

#[cfg(test)]
mod tests;
