//! FLOOR_DIV: `y = floor(a / b)`, with broadcasting, divided in f64. f32, i8, i16, i32. Supports in-place operation.
//!
//! A zero divisor is an error, also for f32.
//! Defined by: tflite/kernels/floor_div.cc and reference/floor_div.h.

use arenite_abi::prelude::*;

use crate::kit::binary;
use crate::kit::broadcast::Broadcast;

plain! {
    /// A prepared `FLOOR_DIV` node.
    pub struct FloorDiv {
        broadcast: Broadcast<2>,
        /// The number of leading outputs that saturate; later ones wrap. This matters only for the lowest i8 or i16
        /// divided by −1.
        saturating: usize,
    }
}

/// TFLite's SIMD code, which saturates, processes this many elements at a time if the shapes are equal.
const GROUP: usize = 8;

impl Op for FloorDiv {
    const CODE: OpCode = OpCode::Builtin(op::FLOOR_DIV);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, I16, I32]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let operands = binary::prepare(node, cx)?;
        binary::same_type(&operands)?;
        let (a, b) = (&operands.a, &operands.b);
        if !Self::TYPES.contains(a.ty) {
            return Err(Error::unsupported("FLOOR_DIV", a.ty));
        }
        let saturating = if a.shape == b.shape { a.len() - a.len() % GROUP } else { 0 };
        Ok(FloorDiv { broadcast: operands.broadcast()?, saturating })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let loops = &self.broadcast;
        match cx.node().output(0)?.ty {
            F32 => {
                binary::nonzero(cx, 0f32)?;
                binary::map(cx, loops, |a: f32, b: f32| quotient(a.into(), b.into()) as f32)
            }
            I32 => {
                binary::nonzero(cx, 0i32)?;
                // The only quotient that overflows wraps.
                binary::map(cx, loops, |a: i32, b: i32| quotient(a.into(), b.into()) as i64 as i32)
            }
            I16 => self.short(cx, |x: i32| x as i16, |x| x.clamp(i16::MIN.into(), i16::MAX.into()) as i16),
            _ => self.short(cx, |x: i32| x as i8, |x| x.clamp(i8::MIN.into(), i8::MAX.into()) as i8),
        }
    }
}

impl FloorDiv {
    fn short<T: Element + Into<f64> + Default + PartialEq>(
        &self,
        cx: &EvalContext<'_>,
        wrap: impl Fn(i32) -> T,
        saturate: impl Fn(i32) -> T,
    ) -> Result<()> {
        binary::nonzero(cx, T::default())?;
        binary::map_indexed(cx, &self.broadcast, |i, a: T, b: T| {
            let quotient = quotient(a.into(), b.into()) as i32;
            if i < self.saturating { saturate(quotient) } else { wrap(quotient) }
        })
    }
}

#[inline]
fn quotient(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    // At this size, numbers have no fraction; the sum with it rounds smaller ones to integers.
    const WHOLE: f64 = (1u64 << 52) as f64;
    let size = quotient.abs();
    let nearest = ((size + WHOLE) - WHOLE).copysign(quotient);
    let below = nearest - f64::from(u8::from(nearest > quotient));
    if size < WHOLE { below.copysign(quotient) } else { quotient }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(a: Tensor, b: Tensor) -> Result<Tensor> {
        let y = Spec::of(a.ty());
        OpTest::<FloorDiv>::new().input(a).input(b).output(y).in_place().run().map(|mut y| y.remove(0))
    }

    #[test]
    fn rounds_down() {
        let a = Tensor::f32(&[2, 3], &[5.5, -5.5, -0.0, 1e30, f32::INFINITY, -1.0]);
        let y = run(a, Tensor::f32(&[2, 1], &[2.0, 1e-30])).unwrap();
        assert_eq!(y.as_f32(), [2.0, -3.0, 0.0, f32::INFINITY, f32::INFINITY, -1e30]);
        assert!(y.as_f32()[2].is_sign_negative());
        let y = run(Tensor::i32(&[4], &[7, -7, 7, -7]), Tensor::i32(&[4], &[2, 2, -2, -2])).unwrap();
        assert_eq!(y.as_i32(), [3, -4, -4, 3]);
        let y = run(Tensor::i16(&[2], &[-32768, 9]), Tensor::i16(&[1], &[10])).unwrap();
        assert_eq!(y.as_i16(), [-3277, 0]);
        let y = run(Tensor::i8(&[3], &[100, -100, 1]), Tensor::i8(&[], &[-7])).unwrap();
        assert_eq!(y.as_i8(), [-15, 14, -1]);
    }

    #[test]
    fn not_a_number() {
        let y = run(Tensor::f32(&[2], &[f32::NAN, 1.0]), Tensor::f32(&[2], &[1.0, f32::NAN])).unwrap();
        assert!(y.as_f32().iter().all(|y| y.is_nan()));
    }

    #[test]
    fn the_lowest_divided_by_minus_one_saturates_in_groups() {
        let y = run(Tensor::i8(&[9], &[-128; 9]), Tensor::i8(&[9], &[-1; 9])).unwrap();
        assert_eq!(y.as_i8(), [127, 127, 127, 127, 127, 127, 127, 127, -128]);
        let y = run(Tensor::i16(&[9], &[i16::MIN; 9]), Tensor::i16(&[9], &[-1; 9])).unwrap();
        assert_eq!((y.as_i16()[7], y.as_i16()[8]), (i16::MAX, i16::MIN));
        let y = run(Tensor::i8(&[9], &[-128; 9]), Tensor::i8(&[1], &[-1])).unwrap();
        assert_eq!(y.as_i8(), [-128; 9]);
        let y = run(Tensor::i32(&[9], &[i32::MIN; 9]), Tensor::i32(&[9], &[-1; 9])).unwrap();
        assert_eq!(y.as_i32(), [i32::MIN; 9]);
    }

    #[test]
    fn refusals() {
        let message = |a, b| run(a, b).unwrap_err().message().to_owned();
        let f = |list: &[f32]| Tensor::f32(&[list.len() as i32], list);
        assert_eq!(message(f(&[1.0, 1.0]), f(&[1.0, -0.0])), "element 1 of 'in1' is a zero divisor");
        let b = |list: &[i8]| Tensor::i8(&[list.len() as i32], list);
        assert_eq!(message(b(&[1]), b(&[0])), "element 0 of 'in1' is a zero divisor");
        assert_eq!(
            message(b(&[1, 2]), b(&[1, 2, 3])),
            "inputs 'in0' [2] and 'in1' [3] do not broadcast; sizes must be equal or 1"
        );
        let long = Tensor::i64(&[1], &[1]);
        assert_eq!(run(long.clone(), long).unwrap_err().status(), Status::Unsupported);
    }
}
