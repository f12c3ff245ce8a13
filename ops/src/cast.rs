//! CAST: converts to another element type. Integers wrap. Floats are truncated towards zero and saturate; NaN becomes
//! the largest integer. Any non-zero number is true. Of a complex number the real part is kept. i2, i4 and u4 convert
//! to and from f32.
//! Defined by: tflite/kernels/cast.cc.

use arenite_abi::prelude::*;
use half::{bf16, f16};

use crate::kit::{packed, unary};

plain! {
    /// A prepared `CAST` node.
    pub struct Cast;
}

impl Op for Cast {
    const CODE: OpCode = OpCode::Builtin(op::CAST);
    const VERSIONS: RangeInclusive<i32> = 1..=9;
    const SHARING: Sharing = Sharing::AnyOf(&[Sharing::InPlace, Sharing::Behind]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = unary::prepare_types(node, cx)?;
        unary::allow_behind(cx, &x, &y)?;
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
            C64 if to == C64 => unary::map(cx, |x: Complex32| x),
            _ => cast(cx, reader(from), to),
        }
    }
}

/// The number of elements that are read before any is written, because the output may share the input's memory.
const CHUNK: usize = 64;

/// Converts a [`Number`] to the integer type `$ty`.
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

/// Reads elements of the input, starting at an index. Readers and writers are compiled once per type, not once per pair
/// of types.
type Read = fn(&EvalContext<'_>, usize, &mut [Number]) -> Result<()>;

fn reader(from: ElementType) -> Read {
    match from {
        F32 => read::<f32>,
        F64 => read::<f64>,
        F16 => read::<f16>,
        BF16 => read::<bf16>,
        I8 => read::<i8>,
        U8 => read::<u8>,
        I16 => read::<i16>,
        U16 => read::<u16>,
        I32 => read::<i32>,
        U32 => read::<u32>,
        I64 => read::<i64>,
        ElementType::Bool => read::<Bool>,
        _ => read::<Complex32>,
    }
}

fn read<X: Element + Into<Number>>(cx: &EvalContext<'_>, first: usize, numbers: &mut [Number]) -> Result<()> {
    let x = cx.input_cells::<X>(0)?;
    for (i, number) in numbers.iter_mut().enumerate() {
        *number = x.get(first + i).into();
    }
    Ok(())
}

fn cast(cx: &EvalContext<'_>, read: Read, to: ElementType) -> Result<()> {
    match to {
        F32 => write(cx, read, |x| x.to_f32()),
        F64 => write(cx, read, |x| x.to_f64()),
        F16 => write(cx, read, |x| f16::from_f32(x.to_f32())),
        BF16 => write(cx, read, |x| bf16::from_f32(x.to_f32())),
        I8 => write(cx, read, |x| whole!(x, i8)),
        U8 => write(cx, read, |x| whole!(x, u8)),
        I16 => write(cx, read, |x| whole!(x, i16)),
        U16 => write(cx, read, |x| whole!(x, u16)),
        I32 => write(cx, read, |x| whole!(x, i32)),
        U32 => write(cx, read, |x| whole!(x, u32)),
        I64 => write(cx, read, |x| whole!(x, i64)),
        ElementType::Bool => write(cx, read, |x| Bool(x.is_true().into())),
        _ => write(cx, read, |x| Complex32 { re: x.to_f32(), im: 0.0 }),
    }
}

/// Writes the output. If it shares the input's memory, elements are read before they are overwritten.
fn write<Y: Element>(cx: &EvalContext<'_>, read: Read, of: fn(Number) -> Y) -> Result<()> {
    let mut numbers = [Number::Whole(0); CHUNK];
    for (chunk, y) in cx.output_cells::<Y>(0)?.chunks(CHUNK).enumerate() {
        let numbers = &mut numbers[..y.len()];
        read(cx, chunk * CHUNK, numbers)?;
        y.iter().zip(&*numbers).for_each(|(y, &number)| y.set(of(number)));
    }
    Ok(())
}

/// A lossless number of any plain type; of a complex number, the real part.
#[derive(Clone, Copy)]
enum Number {
    Whole(i64),
    Single(f32),
    Double(f64),
}

impl Number {
    fn to_f32(self) -> f32 {
        match self {
            Number::Whole(x) => x as f32,
            Number::Single(x) => x,
            Number::Double(x) => x as f32,
        }
    }

    fn to_f64(self) -> f64 {
        match self {
            Number::Whole(x) => x as f64,
            Number::Single(x) => x.into(),
            Number::Double(x) => x,
        }
    }

    fn is_true(self) -> bool {
        match self {
            Number::Whole(x) => x != 0,
            Number::Single(x) => x != 0.0,
            Number::Double(x) => x != 0.0,
        }
    }
}

macro_rules! sources {
    ($($ty:ty => |$x:ident| $number:expr,)*) => {$(
        impl From<$ty> for Number {
            fn from($x: $ty) -> Number {
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
    Complex32 => |x| Number::Single(x.re),
}

fn unpack(cx: &EvalContext<'_>, from: ElementType) -> Result<()> {
    let bytes = cx.input(0)?.bytes();
    for (i, y) in cx.output_slice::<f32>(0)?.iter_mut().enumerate() {
        *y = packed::read(from, bytes, i) as f32;
    }
    Ok(())
}

/// Clamps, then truncates; NaN becomes the largest value.
fn pack(cx: &EvalContext<'_>, to: ElementType) -> Result<()> {
    let limits = packed::limits(to).ok_or_else(|| Error::unsupported("CAST", to))?;
    let x = cx.input_slice::<f32>(0)?;
    packed::write(to, cx.output(0)?.into_bytes(), x.len(), |i| match x[i] {
        x if x.is_nan() => limits.max,
        x => limits.clamp(x as i32),
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, to: ElementType) -> Tensor {
        OpTest::<Cast>::new().input(x).output(Spec::of(to)).run().unwrap().remove(0)
    }

    #[test]
    fn floats_truncate_and_saturate() {
        let x = || Tensor::f32(&[5], &[1.9, -1.9, 1e20, -1e20, f32::NAN]);
        assert_eq!(run(x(), I8).as_i8(), [1, -1, 127, -128, 127]);
        assert_eq!(run(x(), U8).as_u8(), [1, 0, 255, 0, 255]);
        assert_eq!(run(x(), I16).as_i16(), [1, -1, i16::MAX, i16::MIN, i16::MAX]);
        assert_eq!(run(x(), U16).as_u16(), [1, 0, u16::MAX, 0, u16::MAX]);
        assert_eq!(run(x(), I32).as_i32(), [1, -1, i32::MAX, i32::MIN, i32::MAX]);
        assert_eq!(run(x(), U32).as_u32(), [1, 0, u32::MAX, 0, u32::MAX]);
        assert_eq!(run(x(), I64).as_i64(), [1, -1, i64::MAX, i64::MIN, i64::MAX]);
        assert_eq!(run(x(), I4).as_i4(), [1, -1, 7, -8, 7]);
        assert_eq!(run(x(), U4).bytes(), [0x01, 0x0f, 0x0f]);
        assert_eq!(run(x(), I2).bytes(), [0b10_01_11_01, 0b01]);
        assert_eq!(run(Tensor::f64(&[2], &[-2.5, f64::NAN]), I32).as_i32(), [-2, i32::MAX]);
        assert_eq!(run(Tensor::f16(&[1], &[f16::MAX]), I16).as_i16(), [i16::MAX]);
    }

    #[test]
    fn integers_wrap() {
        let x = || Tensor::i32(&[2], &[-1, 300]);
        assert_eq!(run(x(), I8).as_i8(), [-1, 44]);
        assert_eq!(run(x(), U8).as_u8(), [255, 44]);
        assert_eq!(run(x(), U32).as_u32(), [u32::MAX, 300]);
        assert_eq!(run(x(), I64).as_i64(), [-1, 300]);
        assert_eq!(run(x(), F32).as_f32(), [-1.0, 300.0]);
        assert_eq!(run(x(), F64).as_f64(), [-1.0, 300.0]);
        assert_eq!(run(Tensor::i64(&[1], &[(1 << 53) + 1]), F64).as_f64(), [9_007_199_254_740_992.0]);
        assert_eq!(run(Tensor::i4(&[3], &[-8, 7, -1]), F32).as_f32(), [-8.0, 7.0, -1.0]);
        assert_eq!(run(Tensor::raw(U4, &[2], &[0xf3]), F32).as_f32(), [3.0, 15.0]);
    }

    #[test]
    fn booleans_halves_and_complex_numbers() {
        let x = Tensor::f32(&[4], &[0.0, -0.0, 0.1, f32::NAN]);
        assert_eq!(run(x, ElementType::Bool).as_bool(), [false, false, true, true]);
        assert_eq!(run(Tensor::bool(&[2], &[true, false]), F32).as_f32(), [1.0, 0.0]);
        let x = Tensor::f32(&[2], &[1.0 + 1.0 / 512.0, 70_000.0]);
        assert_eq!(run(x.clone(), F16).as_f16(), [f16::from_f32(1.001_953_1), f16::INFINITY]);
        assert_eq!(run(x, BF16).as_bf16()[0], bf16::ONE);
        assert_eq!(run(Tensor::bf16(&[1], &[bf16::ONE]), F16).as_f16(), [f16::ONE]);
        let z = Complex32 { re: -2.5, im: 9.0 };
        assert_eq!(run(Tensor::complex64(&[1], &[z]), I32).as_i32(), [-2]);
        assert_eq!(run(Tensor::complex64(&[1], &[z]), C64).as_complex64(), [z]);
        let y = run(Tensor::u16(&[], &[7]), C64);
        assert_eq!((y.shape(), y.as_complex64()), (&[][..], vec![Complex32 { re: 7.0, im: 0.0 }]));
    }

    #[test]
    fn same_size_works_in_place() {
        let x = Tensor::f32(&[2], &[1.5, -2.5]);
        let test = OpTest::<Cast>::new().input(x).output(Spec::i32()).in_place();
        assert_eq!(test.run().unwrap()[0].as_i32(), [1, -2]);
    }

    #[test]
    fn narrow_and_wide_elements_overwrite_the_input() {
        let cast = |x: Tensor, ty| {
            let test = OpTest::<Cast>::new().input(x).output(Spec::of(ty));
            test.shares(&[Sharing::Behind]).run().unwrap().remove(0)
        };
        let small: Vec<i8> = (-50..50).collect();
        let wide: Vec<i64> = small.iter().map(|&x| x.into()).collect();
        assert_eq!(cast(Tensor::i8(&[100], &small), I64).elements::<i64>(), wide);
        assert_eq!(cast(Tensor::i64(&[100], &wide), I8).as_i8(), small);
    }
}
