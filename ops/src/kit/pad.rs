//! Ops that place the input inside a larger tensor filled with one value.
//!
//! Defined by: tflite/kernels/pad.cc.

use arenite_abi::prelude::*;
use arenite_abi::tensor::cells_of;
use core::cell::Cell;

use super::arguments::{Integers, expect_type};
use super::indexing::{Dims, MAX_RANK, Nest};
use super::moves::{Run, Width};
use super::node;

plain! {
    /// Inputs: the tensor, the paddings `[rank, 2]` (before and after each axis), and optionally the value, which is
    /// zero by default.
    pub struct ConstantPad {
        plan: Maybe<Plan>,
        /// The element that represents zero, in the first bytes.
        zero: [u8; 16],
    }
}

plain! {
    /// The position of the input in the output.
    #[derive(Clone, Copy)]
    struct Plan {
        output: Dims,
        nest: Nest<1>,
    }
}

impl ConstantPad {
    /// Checks the node and sets the output's shape.
    ///
    /// # Errors
    /// The shapes or types of the inputs do not match, or constant paddings are negative or too large.
    pub fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<ConstantPad> {
        node.expect(2..=3, 1..=1)?;
        let (x, paddings, y) = (node.input(0)?, node.input(1)?, node.output(0)?);
        node::same_type(&x, &y)?;
        expect_type(&paddings, &[I32, I64, I8, I16, ElementType::Bool])?;
        ensure!(
            paddings.shape == [x.rank() as i32, 2],
            "paddings {paddings} are {:?}, input {x} has {} axes: they must be [{}, 2]",
            paddings.shape,
            x.rank(),
            x.rank()
        );
        let value = node.optional_input(2)?;
        if let Some(value) = &value {
            check_value(&x, value, &y)?;
        }
        let zero = zero(&x, &y)?;
        let plan = if paddings.is_constant() { Some(plan(&x, &paddings)?) } else { None };
        match &plan {
            Some(plan) => {
                cx.set_output_shape(0, plan.output.as_slice())?;
                plan.allow_behind(cx, x.ty.bits() as usize / 8)?;
            }
            None => cx.set_output_dynamic(0)?,
        }
        Ok(ConstantPad { plan: plan.into(), zero })
    }

    /// Fills the output and copies the input into it.
    ///
    /// # Errors
    /// Paddings that are known only now are negative or too large.
    pub fn eval(&self, cx: &EvalContext<'_>) -> Result<()> {
        let x = cx.node().input(0)?;
        let (plan, to) = match self.plan.get() {
            Some(plan) => (plan, cx.output_byte_cells(0)?),
            None => {
                let plan = plan(&x, &cx.input(1)?)?;
                (plan, cells_of(cx.resize_output(0, plan.output.as_slice())?.into_bytes()))
            }
        };
        let value = cx.optional_input(2)?;
        let bytes = x.ty.bits() as usize / 8;
        let element = value.as_ref().map_or(self.zero.get(..bytes), |value| value.bytes().get(..bytes));
        let element = element.ok_or_else(|| invalid!("the padding value does not have {bytes} bytes"))?;
        plan.pad(Width::of(x.ty)?, element, cx.input_byte_cells(0)?, to)
    }
}

impl Plan {
    /// Lets the output overwrite the input; the input's last element moves farthest.
    fn allow_behind(&self, cx: &mut PrepareContext<'_>, bytes: usize) -> Result<()> {
        match usize::try_from(self.nest.lag()) {
            Ok(lag) if lag < self.output.flat_size() && !self.nest.is_empty() => {
                cx.allow_behind(0, 0, lag * bytes)
            }
            _ => Ok(()),
        }
    }

    /// Writes the output from start to end, alternating between the padding before a run of the input and the run
    /// itself.
    fn pad(self, width: Width, element: &[u8], from: ReadCells<'_, u8>, to: &[Cell<u8>]) -> Result<()> {
        let (bytes, [step]) = (element.len(), self.nest.run_steps());
        let (mut written, mut result) = (0, Ok(()));
        self.nest.for_each_run(&mut |k, [first], length| {
            let (pieces, length) = if step == 1 { (1, length) } else { (length, 1) };
            for piece in 0..pieces {
                let at = first + piece * step as usize;
                let copied = width.fill_cells(element, &to[written * bytes..at * bytes]).and_then(|()| {
                    width.move_run(from, Run::contiguous(k + piece), to, Run::contiguous(at), length)
                });
                result = result.and(copied);
                written = at + length;
            }
        });
        result?;
        width.fill_cells(element, &to[written * bytes..])
    }
}

fn check_value(x: &TensorView<'_>, value: &TensorView<'_>, y: &TensorView<'_>) -> Result<()> {
    ensure!(
        value.ty == x.ty && value.len() == 1,
        "the value {value} is {} {:?}; it must be one {}",
        value.ty,
        value.shape,
        x.ty
    );
    if matches!(x.ty, I8 | U8 | I16) && x.quantization().is_some() {
        node::same_quantization(value, y)?;
    }
    Ok(())
}

/// The bytes of the element that represents zero: the output's zero point if it is quantized.
fn zero(x: &TensorView<'_>, y: &TensorView<'_>) -> Result<[u8; 16]> {
    let mut bytes = [0; 16];
    match x.ty {
        F32
        | F16
        | BF16
        | F64
        | C64
        | C128
        | I32
        | I64
        | U32
        | U64
        | U16
        | ElementType::Bool
        | F8E4M3
        | F8E5M2 => {}
        U8 => bytes[0] = zero_point(x, y, 0, 255)? as u8,
        I8 => bytes[0] = zero_point(x, y, -128, 127)? as u8,
        I16 => bytes[..2].copy_from_slice(&(zero_point(x, y, -32768, 32767)? as i16).to_le_bytes()),
        ty => return Err(unsupported!("no kernel pads {ty}, the type of input {x}")),
    }
    Ok(bytes)
}

/// The zero point, or 0 if the tensors are not quantized or have one scale per channel, as in TFLite.
fn zero_point(x: &TensorView<'_>, y: &TensorView<'_>, min: i64, max: i64) -> Result<i64> {
    let quantization = y.quantization().filter(|q| q.scales.len() == 1);
    let Some(q) = quantization.filter(|_| x.quantization().is_some() || x.ty == U8) else { return Ok(0) };
    let zero_point = q.zero_points[0];
    ensure!(
        (min..=max).contains(&zero_point),
        "output {y} has zero point {zero_point}, {} has {min}..={max}",
        y.ty
    );
    Ok(zero_point)
}

fn plan(x: &TensorView<'_>, paddings: &TensorView<'_>) -> Result<Plan> {
    let (dims, list) = (node::dims(x)?, Integers::of(paddings)?);
    let mut sizes = [0; MAX_RANK];
    for (axis, (&size, pair)) in x.shape.iter().zip(list.chunks_exact(2)).enumerate() {
        let padded = i64::from(size).checked_add(pair[0]).and_then(|sum| sum.checked_add(pair[1]));
        let padded = padded.and_then(|padded| i32::try_from(padded).ok());
        sizes[axis] = padded.filter(|_| pair[0] >= 0 && pair[1] >= 0).ok_or_else(|| {
            invalid!(
                "paddings {} and {} of axis {axis}, whose size is {size}, are negative or too large",
                pair[0],
                pair[1]
            )
        })?;
    }
    let output = Dims::from_sizes(sizes.into_iter().take(dims.rank()));
    let output = output.ok_or_else(|| invalid!("the padded output of {:?} is too large", x.shape))?;
    let strides = output.strides();
    let offset = list.chunks_exact(2).zip(strides).map(|(pair, stride)| pair[0] as isize * stride);
    // The offset is within the output, unless the input is empty.
    let start = if dims.flat_size() == 0 { 0 } else { offset.sum() };
    Ok(Plan { output, nest: Nest::new(&dims, [strides]).starting_at([start]) })
}
