//! CONCATENATION: joins tensors along an axis. Any type of fixed size, also i4; u8 inputs are requantized to the
//! output's scale. Scalars are joined to a vector, whether they are constant or not.
//! Defined by: tflite/kernels/concatenation.cc, tflite/kernels/internal/reference/concatenation.h.

use arenite_abi::prelude::*;
use arenite_abi::schema::ConcatenationOptions;
use core::cell::Cell;
use core::ops::Range;

use crate::kit::activation::{Activation, Limits};
use crate::kit::indexing::{Dims, normalize_axis};
use crate::kit::node;
use crate::kit::requantize::{Quant, round_f32};

plain! {
    /// A prepared `CONCATENATION` node.
    pub struct Concatenation {
        /// The product of the sizes before the axis: the number of turns, in each of which every input contributes
        /// a run of elements.
        outer: usize,
        /// The number of output elements per turn.
        turn: usize,
        /// The input that is read before anything is written over it: the largest one.
        first: Run,
    }
}

plain! {
    /// The elements of an input in a turn.
    #[derive(Clone, Copy, Default)]
    struct Run {
        input: usize,
        /// The offset in the output's turn.
        offset: usize,
    }
}

impl Op for Concatenation {
    const CODE: OpCode = OpCode::Builtin(op::CONCATENATION);
    const VERSIONS: RangeInclusive<i32> = 1..=7;
    const SHARING: Sharing = Sharing::AnyOf(&[Sharing::PartOfOutput, Sharing::Behind]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(1..=usize::MAX, 1..=1)?;
        let options = node.options()?;
        let activation = node::activation(options.get(ConcatenationOptions::FUSED_ACTIVATION_FUNCTION)?)?;
        if activation != Activation::None {
            return Err(unsupported!("no kernel for the fused activation {activation:?}"));
        }
        let (first, y) = (node.input(0)?, node.output(0)?);
        if y.ty.bits() == 0 {
            return Err(unsupported!("no kernel for type {}", y.ty));
        }
        let shape = output_shape(node, &first, options.get(ConcatenationOptions::AXIS)?)?;
        for i in 0..node.input_count() {
            check_type(&node.input(i)?, &y)?;
        }
        cx.set_output_shape(0, shape.dims.as_slice())?;
        let outer = shape.dims.product(0, shape.axis);
        let turn = shape.dims.product(shape.axis, shape.dims.rank());
        let concatenation = Concatenation { outer, turn, first: largest(node, outer)? };
        match outer {
            0 => {}
            1 => allow_parts(node, cx, &y)?,
            _ => allow_behind(node, cx, &y, &concatenation)?,
        }
        Ok(concatenation)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let to = Output { bytes: cx.output_byte_cells(0)?, turn: self.turn };
        if self.outer == 0 || self.turn == 0 {
            return Ok(());
        }
        if cx.node().output(0)?.ty.bits() < 8 {
            to.bytes.iter().for_each(|byte| byte.set(0));
        }
        let first = self.first.input;
        self.join(cx, &to, first, self.first.offset)?;
        let mut at = 0;
        for i in 0..cx.input_count() {
            if i != first {
                self.join(cx, &to, i, at)?;
            }
            at += cx.node().input(i)?.len() / self.outer;
        }
        Ok(())
    }
}

impl Concatenation {
    /// Writes input `i` at offset `at` of each turn.
    fn join(&self, cx: &EvalContext<'_>, to: &Output<'_>, i: usize, at: usize) -> Result<()> {
        let (x, y, bytes) = (cx.node().input(i)?, cx.node().output(0)?, cx.input_byte_cells(i)?);
        let (part, bits) = (at..at + x.len() / self.outer, y.ty.bits() as usize);
        let (from_quant, to_quant) = (quant_or_identity(&x), quant_or_identity(&y));
        if bits < 8 {
            to.pack(bytes, part, self.outer, bits);
        } else if y.ty == U8 && from_quant != to_quant {
            to.requantize(bytes, part, from_quant, to_quant);
        } else {
            to.copy(bytes, part, bits / 8);
        }
        Ok(())
    }
}

/// The largest input.
fn largest(node: &NodeView<'_>, outer: usize) -> Result<Run> {
    let (mut largest, mut most, mut at) = (Run::default(), 0, 0);
    for i in 0..node.input_count() {
        let part = node.input(i)?.len() / outer.max(1);
        if part > most {
            (largest, most) = (Run { input: i, offset: at }, part);
        }
        at += part;
    }
    Ok(largest)
}

/// Lets the output overwrite the largest input, which is read turn by turn. Turn `o` of it moves to turn `o` of the
/// output, which is longer, so the last turn moves farthest.
fn allow_behind(
    node: &NodeView<'_>,
    cx: &mut PrepareContext<'_>,
    y: &TensorView<'_>,
    concatenation: &Concatenation,
) -> Result<()> {
    let Concatenation { outer, turn, first: Run { input: first, offset } } = *concatenation;
    let tensor = node.input_indices()[first];
    let uses = node.input_indices().iter().filter(|&&t| t == tensor).count();
    let x = node.input(first)?;
    if y.ty.bits() < 8 || uses > 1 || x.is_constant() {
        return Ok(());
    }
    let distance = (outer - 1) * (turn - x.len() / outer) + offset;
    cx.allow_behind(0, first, distance * y.ty.bits() as usize / 8)
}

/// Lets inputs that are contiguous in the output be computed directly in their place there.
fn allow_parts(node: &NodeView<'_>, cx: &mut PrepareContext<'_>, y: &TensorView<'_>) -> Result<()> {
    let (element, mut offset) = (y.ty.bits() as usize / 8, 0);
    for i in 0..node.input_count() {
        let x = node.input(i)?;
        let bytes = x.len() * element;
        if bytes > 0 && (y.ty != U8 || quant_or_identity(&x) == quant_or_identity(y)) {
            cx.allow_part_of_output(i, 0, offset)?;
        }
        offset += bytes;
    }
    Ok(())
}

/// The bytes of the output; each input fills the elements `part` of every turn.
struct Output<'a> {
    bytes: &'a [Cell<u8>],
    turn: usize,
}

impl Output<'_> {
    fn copy(&self, x: ReadCells<'_, u8>, part: Range<usize>, size: usize) {
        let bytes = part.start * size..part.end * size;
        for (y, x) in self.bytes.chunks_exact(self.turn * size).zip(x.chunks_exact(bytes.len().max(1))) {
            x.copy_to(&y[bytes.clone()]);
        }
    }

    /// Computes `y = round(x × scale + bias) + zero point` in f32, with the reciprocal of the output's scale.
    fn requantize(&self, x: ReadCells<'_, u8>, part: Range<usize>, from: Quant, to: Quant) {
        let scale = from.scale * (1.0 / to.scale);
        let bias = -(from.zero_point as f32) * scale;
        for (y, x) in self.bytes.chunks_exact(self.turn).zip(x.chunks_exact(part.len().max(1))) {
            for (y, x) in y[part.clone()].iter().zip(x.iter()) {
                let steps = round_f32(f32::from(x) * scale + bias) as i32;
                y.set(Limits::U8.clamp(steps.saturating_add(to.zero_point)) as u8);
            }
        }
    }

    /// Packs elements that are smaller than a byte; the first one goes into the lowest bits.
    fn pack(&self, x: ReadCells<'_, u8>, part: Range<usize>, outer: usize, bits: usize) {
        let (per_byte, mask) = (8 / bits, (1u8 << bits) - 1);
        for o in 0..outer {
            for (k, at) in part.clone().enumerate() {
                let (from, to) = (o * part.len() + k, o * self.turn + at);
                let value = x.get(from / per_byte) >> (from % per_byte * bits) & mask;
                if let Some(byte) = self.bytes.get(to / per_byte) {
                    byte.set(byte.get() | value << (to % per_byte * bits));
                }
            }
        }
    }
}

struct JoinedShape {
    dims: Dims,
    axis: usize,
}

fn output_shape(node: &NodeView<'_>, first: &TensorView<'_>, axis: i32) -> Result<JoinedShape> {
    let dims = node::dims(first)?;
    let rank = dims.rank();
    let axis_error = || invalid!("axis is {axis}, input {first} has {rank} axes");
    let axis = if rank == 0 && axis == 0 { 0 } else { normalize_axis(axis, rank).ok_or_else(axis_error)? };
    let mut sizes = [1; 8];
    sizes[..rank].copy_from_slice(dims.as_slice());
    let mut joined: i32 = 0;
    for i in 0..node.input_count() {
        let x = node.input(i)?;
        let agrees = x.rank() == rank && (0..rank).all(|d| d == axis || x.shape[d] == first.shape[d]);
        ensure!(
            agrees,
            "input {x} is {:?}, input {first} is {:?}; they may differ along axis {axis} only",
            x.shape,
            first.shape
        );
        let size = x.shape.get(axis).copied().unwrap_or(1);
        joined = joined.checked_add(size).ok_or_else(|| invalid!("axis {axis} becomes too long for i32"))?;
    }
    sizes[axis] = joined;
    let dims = Dims::new(&sizes[..rank.max(1)]).ok_or_else(|| invalid!("the output is too large"))?;
    Ok(JoinedShape { dims, axis })
}

fn check_type(x: &TensorView<'_>, y: &TensorView<'_>) -> Result<()> {
    ensure!(x.ty == y.ty, "input {x} is {}, output {y} is {}; types must agree", x.ty, y.ty);
    let (from, to) = (quant_or_identity(x), quant_or_identity(y));
    if x.ty == I8 && from != to {
        return Err(unsupported!(
            "input {x} has scale {} and zero point {}, the output {} and {}; i8 inputs cannot be requantized",
            from.scale,
            from.zero_point,
            to.scale,
            to.zero_point
        ));
    }
    ensure!(
        x.ty != I16 || (from.zero_point == 0 && to.zero_point == 0),
        "input {x} has zero point {}, the output {}; for i16 both must be 0",
        from.zero_point,
        to.zero_point
    );
    Ok(())
}

/// The quantization, or the identity if there is none, so that tensors without quantization compare as equal.
fn quant_or_identity(x: &TensorView<'_>) -> Quant {
    x.quantization().map_or(Quant { scale: 0.0, zero_point: 0 }, |q| Quant {
        scale: q.scales[0],
        zero_point: q.zero_points[0].clamp(i32::MIN.into(), i32::MAX.into()) as i32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(axis: i32, inputs: &[Tensor], y: Spec) -> OpTest<Concatenation> {
        inputs
            .iter()
            .fold(OpTest::new().options(|o| o.set(ConcatenationOptions::AXIS, axis)), |t, x| {
                t.input(x.clone())
            })
            .output(y)
    }

    #[test]
    fn along_each_axis() {
        let (a, b) = (Tensor::i32(&[2, 1], &[1, 2]), Tensor::i32(&[2, 2], &[3, 4, 5, 6]));
        for axis in [1, -1] {
            let y = test(axis, &[a.clone(), b.clone()], Spec::i32()).run().unwrap();
            assert_eq!((y[0].shape(), y[0].as_i32()), (&[2, 3][..], vec![1, 3, 4, 2, 5, 6]));
        }
        let y = test(0, &[b.clone(), b.clone()], Spec::i32()).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_i32()), (&[4, 2][..], vec![3, 4, 5, 6, 3, 4, 5, 6]));
        let empty = Tensor::i32(&[2, 0], &[]);
        let y = test(1, &[empty.clone(), a.clone(), empty.clone()], Spec::i32()).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_i32()), (&[2, 1][..], vec![1, 2]));
        let y = test(1, &[empty.clone(), empty], Spec::i32()).run().unwrap();
        assert_eq!(y[0].shape(), [2, 0]);
        let y = test(0, &[Tensor::f32(&[], &[1.5]), Tensor::f32(&[], &[2.5])], Spec::f32()).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_f32()), (&[2][..], vec![1.5, 2.5]));
    }

    #[test]
    fn four_bit_elements() {
        let (a, b) = (Tensor::i4(&[2, 1], &[-8, 7]), Tensor::i4(&[2, 2], &[1, -2, 3, -4]));
        let y = test(1, &[a, b], Spec::of(I4)).run().unwrap();
        assert_eq!(y[0].as_i4(), [-8, 1, -2, 7, 3, -4]);
    }

    #[test]
    fn u8_is_requantized() {
        // Scale 0.5 -> 1: (q - 10) / 2 + 3, ties away from zero.
        let a = Tensor::u8(&[4], &[10, 11, 20, 0]).quantized(0.5, 10);
        let b = Tensor::u8(&[2], &[200, 7]).quantized(1.0, 3);
        let y = test(0, &[a, b], Spec::u8(1.0, 3)).run().unwrap();
        assert_eq!(y[0].as_u8(), [3, 4, 8, 0, 200, 7]);
    }

    #[test]
    fn inputs_may_be_computed_in_place() {
        let (a, b) = (Tensor::i32(&[1, 2], &[1, 2]), Tensor::i32(&[3, 2], &[3, 4, 5, 6, 7, 8]));
        let test = OpTest::<Concatenation>::new().input(a).input(b).same_input(0).output(Spec::i32());
        let outputs = test.shares(&[Sharing::PartOfOutput]).run().unwrap();
        assert_eq!(outputs[0].as_i32(), [1, 2, 3, 4, 5, 6, 7, 8, 1, 2]);
        // The first is requantized, the second is not.
        let (a, b) = (Tensor::u8(&[2], &[1, 2]).quantized(2.0, 0), Tensor::u8(&[1], &[9]).quantized(1.0, 0));
        let test = OpTest::<Concatenation>::new().input(a).input(b).output(Spec::u8(1.0, 0));
        assert_eq!(test.shares(&[Sharing::PartOfOutput]).run().unwrap()[0].as_u8(), [2, 4, 9]);
    }
}
