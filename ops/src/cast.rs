//! CAST: to another element type. Integers wrap; floats are cut off towards zero and saturate, NaN becomes the largest
//! integer; all but zero is true; a complex number gives its real part. f32 to and from i2, i4, u4.
//! Defined by: tflite/kernels/cast.cc.

use arenite_abi::prelude::*;
use half::{bf16, f16};

use crate::kit::{packed, unary};

/// Prepared node.
pub struct Cast;

impl Op for Cast {
    const CODE: OpCode = OpCode::Builtin(53);
    const VERSIONS: RangeInclusive<i32> = 1..=9;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = unary::prepare_types(node, cx)?;
        match (x.ty, y.ty) {
            (I2 | I4 | U4, F32) | (F32, I2 | I4 | U4) => Ok(Cast),
            (from, to) if is_plain(from) && is_plain(to) => Ok(Cast),
            (from, to) => Err(unsupported!("no kernel from {from} to {to}")),
        }
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (from, to) = (cx.node().input(0)?.ty, cx.node().output(0)?.ty);
        match from {
            I2 | I4 | U4 => unpack(cx, from),
            F32 if packed::limits(to).is_some() => pack(cx, to),
            F32 => cast::<f32>(cx, to),
            F64 => cast::<f64>(cx, to),
            F16 => cast::<f16>(cx, to),
            BF16 => cast::<bf16>(cx, to),
            I8 => cast::<i8>(cx, to),
            U8 => cast::<u8>(cx, to),
            I16 => cast::<i16>(cx, to),
            U16 => cast::<u16>(cx, to),
            I32 => cast::<i32>(cx, to),
            U32 => cast::<u32>(cx, to),
            I64 => cast::<i64>(cx, to),
            ElementType::Bool => cast::<Bool>(cx, to),
            _ => cast::<Complex32>(cx, to),
        }
    }
}

/// A [`Number`] as a whole number of type `$ty`.
macro_rules! whole {
    ($number:expr, $ty:ty) => {
        match $number {
            Number::Whole(x) => x as $ty,
            Number::Single(x) if x.is_nan() => <$ty>::MAX,
            Number::Single(x) => x as $ty,
            Number::Double(x) if x.is_nan() => <$ty>::MAX,
            Number::Double(x) => x as $ty,
        }
    };
}
fn is_plain(ty: ElementType) -> bool {
    matches!(ty, F32 | F64 | F16 | BF16 | I8 | U8 | I16 | U16 | I32 | U32 | I64 | ElementType::Bool | C64)
}

fn cast<X: Source>(cx: &EvalContext<'_>, to: ElementType) -> Result<()> {
    match to {
        F32 => unary::map(cx, |x: X| x.number().to_f32()),
        F64 => unary::map(cx, |x: X| x.number().to_f64()),
        F16 => unary::map(cx, |x: X| f16::from_f32(x.number().to_f32())),
        BF16 => unary::map(cx, |x: X| bf16::from_f32(x.number().to_f32())),
        I8 => unary::map(cx, |x: X| whole!(x.number(), i8)),
        U8 => unary::map(cx, |x: X| whole!(x.number(), u8)),
        I16 => unary::map(cx, |x: X| whole!(x.number(), i16)),
        U16 => unary::map(cx, |x: X| whole!(x.number(), u16)),
        I32 => unary::map(cx, |x: X| whole!(x.number(), i32)),
        U32 => unary::map(cx, |x: X| whole!(x.number(), u32)),
        I64 => unary::map(cx, |x: X| whole!(x.number(), i64)),
        ElementType::Bool => unary::map(cx, |x: X| Bool(x.number().is_true().into())),
        _ => unary::map(cx, |x: X| x.complex()),
    }
}

/// A number of any of the plain types, without loss.
enum Number {
    Whole(i64),
    Single(f32),
    Double(f64),
}

impl Number {
    fn to_f32(&self) -> f32 {
        match *self {
            Number::Whole(x) => x as f32,
            Number::Single(x) => x,
            Number::Double(x) => x as f32,
        }
    }

    fn to_f64(&self) -> f64 {
        match *self {
            Number::Whole(x) => x as f64,
            Number::Single(x) => x.into(),
            Number::Double(x) => x,
        }
    }

    fn is_true(&self) -> bool {
        match *self {
            Number::Whole(x) => x != 0,
            Number::Single(x) => x != 0.0,
            Number::Double(x) => x != 0.0,
        }
    }
}

trait Source: Element {
    fn number(self) -> Number;

    fn complex(self) -> Complex32 {
        Complex32 { re: self.number().to_f32(), im: 0.0 }
    }
}

macro_rules! sources {
    ($($ty:ty => |$x:ident| $number:expr,)*) => {$(
        impl Source for $ty {
            fn number(self) -> Number {
                let $x = self;
                $number
            }
        }
    )*};
}
sources! {
    f32 => |x| Number::Single(x),
    f64 => |x| Number::Double(x),
    f16 => |x| Number::Single(x.to_f32()),
    bf16 => |x| Number::Single(x.to_f32()),
    i8 => |x| Number::Whole(x.into()),
    u8 => |x| Number::Whole(x.into()),
    i16 => |x| Number::Whole(x.into()),
    u16 => |x| Number::Whole(x.into()),
    i32 => |x| Number::Whole(x.into()),
    u32 => |x| Number::Whole(x.into()),
    i64 => |x| Number::Whole(x),
    Bool => |x| Number::Whole((x.0 != 0).into()),
}

impl Source for Complex32 {
    fn number(self) -> Number {
        Number::Single(self.re)
    }

    fn complex(self) -> Complex32 {
        self
    }
}

fn unpack(cx: &EvalContext<'_>, from: ElementType) -> Result<()> {
    let bytes = cx.input(0)?.bytes();
    for (i, y) in cx.output(0)?.into_slice::<f32>()?.iter_mut().enumerate() {
        *y = packed::read(from, bytes, i) as f32;
    }
    Ok(())
}

/// Clamps, then cuts off; NaN becomes the largest value.
fn pack(cx: &EvalContext<'_>, to: ElementType) -> Result<()> {
    let limits = packed::limits(to).ok_or_else(|| Error::unsupported("CAST", to))?;
    let x = cx.input(0)?.as_slice::<f32>()?;
    packed::write(to, cx.output(0)?.into_bytes(), x.len(), |i| match x[i] {
        x if x.is_nan() => limits.max,
        x => limits.clamp(x as i32),
    });
    Ok(())
}
