//! MAXIMUM and MINIMUM: `y = a if a ∘ b, else b`, with broadcasting. Quantized elements are compared as plain integers.
//!
//! A comparison with NaN is false, so the result is then `b`, whether it is NaN or not.
//! Defined by: tflite/kernels/maximum_minimum.cc.

use core::cmp::Ordering;
use core::marker::PhantomData;

use arenite_abi::prelude::*;
use half::{bf16, f16};

use super::binary;
use super::broadcast::Broadcast;

/// The types whose elements can be compared.
const COMPARED: ElementTypes = ElementTypes::of(&[F32, F16, BF16, I8, U8, I16, I32, I64]);

/// The types that are supported only for empty tensors.
const EMPTY: ElementTypes = ElementTypes::of(&[F64, U16, U32, U64, C64, C128, ElementType::Bool]);

/// The parameters of one of the two ops, which its op file provides.
pub trait Member: Send + Sync + 'static {
    /// The code of the op.
    const CODE: OpCode;
    /// The result is the first element if it compares to the second like this.
    const FIRST: Ordering;
}

plain! {
    /// A prepared node of the family.
    pub struct Extremum<marker M> {
        broadcast: Broadcast<2>,
        member: PhantomData<M>,
    }
}

impl<M: Member> Op for Extremum<M> {
    const CODE: OpCode = M::CODE;
    const VERSIONS: RangeInclusive<i32> = 1..=4;
    const TYPES: ElementTypes = ElementTypes::from_bits(COMPARED.bits() | EMPTY.bits());
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let operands = binary::prepare(node, cx)?;
        binary::same_type(&operands)?;
        let (a, b) = (&operands.a, &operands.b);
        if !COMPARED.contains(a.ty) && !a.is_empty() && !b.is_empty() {
            return Err(unsupported!("no kernel for {}", a.ty));
        }
        Ok(Extremum { broadcast: operands.broadcast()?, member: PhantomData })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match cx.node().output(0)?.ty {
            F32 => self.map::<f32>(cx),
            F16 => self.map::<f16>(cx),
            BF16 => self.map::<bf16>(cx),
            I8 => self.map::<i8>(cx),
            U8 => self.map::<u8>(cx),
            I16 => self.map::<i16>(cx),
            I32 => self.map::<i32>(cx),
            I64 => self.map::<i64>(cx),
            _ => Ok(()),
        }
    }
}

impl<M: Member> Extremum<M> {
    fn map<T: Element + PartialOrd>(&self, cx: &EvalContext<'_>) -> Result<()> {
        binary::map(cx, &self.broadcast, |a: T, b: T| if a.partial_cmp(&b) == Some(M::FIRST) { a } else { b })
    }
}

/// Helpers for the tests of both ops.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    /// Runs the op in place of its first input, which has the output's shape.
    pub(crate) fn run<O: Op>(a: Tensor, b: Tensor) -> Tensor {
        let spec = Spec::of(a.ty());
        OpTest::<O>::new().input(a).input(b).output(spec).in_place().run().unwrap().remove(0)
    }

    /// Checks elements of every type: `pick` is the result for -3 and 5, and for 5 and -3.
    pub(crate) fn expect<O: Op>(pick: i8) {
        let (a, b) = ([-3i8, 5], [5i8, -3]);
        let want = [pick, pick];
        macro_rules! check {
            ($($ty:ty: $from:expr),*) => {$(
                let [x, y, z] = [a, b, want].map(|list: [i8; 2]| Tensor::of::<$ty>(&[2], &list.map($from)));
                assert_eq!(run::<O>(x, y), z.named("out0"));
            )*};
        }
        check!(
            f32: f32::from, f16: f16::from, bf16: bf16::from, i8: |x| x, i16: i16::from, i32: i32::from,
            i64: i64::from, u8: |x| (x + 3) as u8
        );
    }

    /// Checks that a comparison with NaN, or of two zeros, gives the second element.
    pub(crate) fn expect_second<O: Op>() {
        let a = Tensor::f32(&[4], &[f32::NAN, 1.0, 0.0, -0.0]);
        let y = run::<O>(a, Tensor::f32(&[4], &[1.0, f32::NAN, -0.0, 0.0])).as_f32();
        assert_eq!(y.iter().map(|y| y.is_nan()).collect::<Vec<_>>(), [false, true, false, false]);
        assert_eq!((y[0], y[2].is_sign_negative(), y[3].is_sign_negative()), (1.0, true, false));
    }

    /// Checks that empty tensors need no comparison.
    pub(crate) fn expect_empty<O: Op>() {
        let (a, b) = (Tensor::u16(&[0, 3], &[]), Tensor::u16(&[1, 3], &[1, 2, 3]));
        assert_eq!(run::<O>(a, b).shape(), [0, 3]);
    }
}
