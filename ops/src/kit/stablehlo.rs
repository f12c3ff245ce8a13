//! StableHLO's ops on two tensors of one shape: `y = a ∘ b`. There is no broadcasting and no clamping, and quantized
//! elements are treated as plain integers.
//!
//! Defined by: tflite/kernels/stablehlo_elementwise.{h,cc}.

use core::marker::PhantomData;

use arenite_abi::prelude::*;
use half::f16;

use super::binary;
use super::broadcast::Broadcast;

/// The parameters of one member of the family, which its op file provides.
pub trait Member: Send + Sync + 'static {
    /// The code of the op.
    const CODE: OpCode;
    /// The types that are supported.
    const TYPES: ElementTypes;

    /// Returns `a ∘ b`.
    fn combine<T: Number>(a: T, b: T) -> T;
}

/// The integer types and BOOL.
pub const WHOLE: ElementTypes = ElementTypes::of(&[I8, I16, I32, I64, U8, U16, U32, U64, ElementType::Bool]);

/// All types that the family supports.
pub const ALL: ElementTypes =
    ElementTypes::of(&[F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, ElementType::Bool]);

/// An element with C++'s arithmetic: integers wrap, a boolean is 0 or 1.
pub trait Number: Element {
    /// Returns `a + b`; for booleans `a or b`.
    fn sum(self, other: Self) -> Self;
    /// Returns `a × b`; for booleans `a and b`.
    fn product(self, other: Self) -> Self;
    /// Returns `b` if `a < b`, else `a`; so the first one of equals, and the first one if either is NaN.
    fn larger(self, other: Self) -> Self;
    /// Returns `b` if `b < a`, else `a`.
    fn smaller(self, other: Self) -> Self;
    /// Returns the bitwise AND.
    fn common_bits(self, other: Self) -> Self;
}

macro_rules! numbers {
    ($($ty:ty: |$a:ident, $b:ident| $sum:expr, $product:expr, $bits:expr;)*) => {$(
        impl Number for $ty {
            #[inline]
            fn sum(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $sum
            }
            #[inline]
            fn product(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $product
            }
            #[inline]
            fn larger(self, other: Self) -> Self {
                if self < other { other } else { self }
            }
            #[inline]
            fn smaller(self, other: Self) -> Self {
                if other < self { other } else { self }
            }
            #[inline]
            fn common_bits(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $bits
            }
        }
    )*};
}
macro_rules! integers {
    ($($ty:ty)*) => {
        numbers! { $($ty: |a, b| a.wrapping_add(b), a.wrapping_mul(b), a & b;)* }
    };
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);
numbers! {
    f32: |a, b| a + b, a * b, f32::from_bits(a.to_bits() & b.to_bits());
    f64: |a, b| a + b, a * b, f64::from_bits(a.to_bits() & b.to_bits());
    f16: |a, b| f16::from_f32(a.to_f32() + b.to_f32()), f16::from_f32(a.to_f32() * b.to_f32()),
        f16::from_bits(a.to_bits() & b.to_bits());
}

impl Number for Bool {
    fn sum(self, other: Self) -> Self {
        Bool((self.0 != 0 || other.0 != 0).into())
    }

    fn product(self, other: Self) -> Self {
        Bool((self.0 != 0 && other.0 != 0).into())
    }

    fn larger(self, other: Self) -> Self {
        self.sum(other)
    }

    fn smaller(self, other: Self) -> Self {
        self.product(other)
    }

    fn common_bits(self, other: Self) -> Self {
        self.product(other)
    }
}

plain! {
    /// A prepared node of the family.
    pub struct Elementwise<marker M> {
        loops: Broadcast<2>,
        member: PhantomData<M>,
    }
}

impl<M: Member> Op for Elementwise<M> {
    const CODE: OpCode = M::CODE;
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = M::TYPES;
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let operands = binary::prepare(node, cx)?;
        binary::same_type(&operands)?;
        let (a, b) = (&operands.a, &operands.b);
        ensure!(
            a.shape == b.shape,
            "inputs {a} {:?} and {b} {:?} must have the same shape",
            a.shape,
            b.shape
        );
        if !M::TYPES.contains(a.ty) {
            return Err(unsupported!("no kernel for {}", a.ty));
        }
        Ok(Elementwise { loops: operands.broadcast()?, member: PhantomData })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match cx.node().output(0)?.ty {
            F16 => self.map::<f16>(cx),
            F32 => self.map::<f32>(cx),
            F64 => self.map::<f64>(cx),
            I8 => self.map::<i8>(cx),
            I16 => self.map::<i16>(cx),
            I32 => self.map::<i32>(cx),
            I64 => self.map::<i64>(cx),
            U8 => self.map::<u8>(cx),
            U16 => self.map::<u16>(cx),
            U32 => self.map::<u32>(cx),
            U64 => self.map::<u64>(cx),
            ElementType::Bool => self.map::<Bool>(cx),
            ty => Err(unsupported!("no kernel for {ty}")),
        }
    }
}

impl<M: Member> Elementwise<M> {
    fn map<T: Number>(&self, cx: &EvalContext<'_>) -> Result<()> {
        binary::map(cx, &self.loops, M::combine::<T>)
    }
}

/// Helpers for the tests of each member.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    /// Checks elements of type `T`, in any shape.
    pub(crate) fn expect<O: Op, T: Element>(a: &[T], b: &[T], want: &[T]) {
        let shape = [1, a.len() as i32];
        let [a, b, want] = [a, b, want].map(|list| Tensor::of::<T>(&shape, list));
        let y = OpTest::<O>::new().input(a).input(b).output(Spec::of(T::TYPE)).in_place().run().unwrap();
        assert_eq!(y[0], want.named("out0"));
    }

    /// Checks the integers: `small` is the result for 6 and 5, `edge` for 0 and all ones (in u8, u32, u64 the largest
    /// number).
    pub(crate) fn expect_integers<O: Op>(small: i8, edge: i8) {
        macro_rules! check {
            ($($ty:ty)*) => {$(expect::<O, $ty>(&[6, 0], &[5, !0], &[small as $ty, edge as $ty]);)*};
        }
        check!(i8 i16 i32 i64);
    }

    /// Checks booleans: the results for (0, 0), (0, 1), (1, 0), (1, 1).
    pub(crate) fn expect_truth<O: Op>(want: [u8; 4]) {
        expect::<O, Bool>(&[0, 0, 1, 1].map(Bool), &[0, 1, 0, 1].map(Bool), &want.map(Bool));
    }

    /// Checks floats of every size.
    pub(crate) fn expect_floats<O: Op>(a: [f32; 4], b: [f32; 4], want: [f32; 4]) {
        expect::<O, f32>(&a, &b, &want);
        expect::<O, f64>(&a.map(f64::from), &b.map(f64::from), &want.map(f64::from));
        expect::<O, f16>(&a.map(f16::from_f32), &b.map(f16::from_f32), &want.map(f16::from_f32));
    }

    /// Checks that the first argument is the result for NaN and a number, and for equals.
    pub(crate) fn expect_first<O: Op>() {
        let a = Tensor::f32(&[4], &[f32::NAN, 1.0, 0.0, -0.0]);
        let b = Tensor::f32(&[4], &[1.0, f32::NAN, -0.0, 0.0]);
        let y = OpTest::<O>::new().input(a).input(b).output(Spec::f32()).run().unwrap()[0].as_f32();
        assert_eq!((y[0].is_nan(), y[1]), (true, 1.0));
        assert_eq!((y[2].is_sign_negative(), y[3].is_sign_negative()), (false, true));
    }
}
