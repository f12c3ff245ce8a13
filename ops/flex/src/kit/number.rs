//! Elements widened to numbers: reals to f64, integers to i128, complex numbers to pairs of f64.
//!
//! Sums, differences, products, quotients and square roots of f32 and smaller types give the same results when they are
//! computed in f64 and then rounded as when TensorFlow computes them in the type itself.

use arenite_abi::prelude::*;
use arenite_ops::kit::node;

/// An element type of numbers.
pub trait Number: Element {
    /// The type that computations use.
    type Wide: Copy;

    /// Widens the element.
    fn wide(self) -> Self::Wide;

    /// Rounds a number to the nearest element; integers keep their low bits.
    fn narrow(wide: Self::Wide) -> Self;
}

macro_rules! numbers {
    ($($ty:ty => $wide:ty, |$x:ident| $widen:expr, $narrow:expr;)*) => {$(
        impl Number for $ty {
            type Wide = $wide;

            #[inline]
            fn wide(self) -> $wide {
                let $x = self;
                $widen
            }

            #[inline]
            fn narrow($x: $wide) -> $ty {
                $narrow
            }
        }
    )*};
}

numbers! {
    half::f16 => f64, |x| x.to_f64(), half::f16::from_f32(x as f32);
    half::bf16 => f64, |x| x.to_f64(), half::bf16::from_f32(x as f32);
    f32 => f64, |x| f64::from(x), x as f32;
    f64 => f64, |x| x, x;
    i8 => i128, |x| x.into(), x as i8;
    u8 => i128, |x| x.into(), x as u8;
    i16 => i128, |x| x.into(), x as i16;
    u16 => i128, |x| x.into(), x as u16;
    i32 => i128, |x| x.into(), x as i32;
    u32 => i128, |x| x.into(), x as u32;
    i64 => i128, |x| x.into(), x as i64;
    u64 => i128, |x| x.into(), x as u64;
    Complex32 => Complex64, |x| Complex64 { re: x.re.into(), im: x.im.into() },
        Complex32 { re: x.re as f32, im: x.im as f32 };
    Complex64 => Complex64, |x| x, x;
    Bool => bool, |x| x.0 != 0, Bool(x.into());
}

/// Evaluates an expression in which `$t` is the Rust type of `$ty`, depending on the kind of number. Other types are an
/// error.
#[macro_export]
macro_rules! by_type {
    (@arms $ty:ident [$($arms:tt)*] float: $t:ident => $body:expr $(, $($rest:tt)*)?) => {
        $crate::by_type!(@arms $ty [$($arms)* (F16 half::f16, $t, $body) (BF16 half::bf16, $t, $body)
            (F32 f32, $t, $body) (F64 f64, $t, $body)] $($($rest)*)?)
    };
    (@arms $ty:ident [$($arms:tt)*] int: $t:ident => $body:expr $(, $($rest:tt)*)?) => {
        $crate::by_type!(@arms $ty [$($arms)* (I8 i8, $t, $body) (U8 u8, $t, $body) (I16 i16, $t, $body)
            (U16 u16, $t, $body) (I32 i32, $t, $body) (U32 u32, $t, $body) (I64 i64, $t, $body)
            (U64 u64, $t, $body)] $($($rest)*)?)
    };
    (@arms $ty:ident [$($arms:tt)*] complex: $t:ident => $body:expr $(, $($rest:tt)*)?) => {
        $crate::by_type!(@arms $ty [$($arms)* (C64 arenite_abi::Complex32, $t, $body)
            (C128 arenite_abi::Complex64, $t, $body)] $($($rest)*)?)
    };
    (@arms $ty:ident [$($arms:tt)*] bool: $t:ident => $body:expr $(, $($rest:tt)*)?) => {
        $crate::by_type!(@arms $ty [$($arms)* (Bool arenite_abi::Bool, $t, $body)] $($($rest)*)?)
    };
    (@arms $ty:ident [$(($variant:ident $rust:ty, $t:ident, $body:expr))*]) => {
        match $ty {
            $(arenite_abi::ElementType::$variant => {
                type $t = $rust;
                $body
            })*
            _ => Err(arenite_abi::unsupported!("{} is not an element type of this op", $ty)),
        }
    };
    ($ty:expr, $($kinds:tt)+) => {{
        let ty: arenite_abi::ElementType = $ty;
        $crate::by_type!(@arms ty [] $($kinds)+)
    }};
}

/// Rounds to the precision of the real type `T`.
pub fn round_to<T: Number<Wide = f64>>(x: f64) -> f64 {
    T::narrow(x).wide()
}

/// Checks that an input has a real type and that the output has the same type.
///
/// # Errors
/// The input does not have a real type, or the types differ.
pub fn same_reals(x: &TensorView<'_>, y: &TensorView<'_>) -> Result<()> {
    let served = matches!(x.ty, F16 | BF16 | F32 | F64);
    ensure!(served, "input {x} is {}, which this op does not support", x.ty);
    node::same_type(x, y)?;
    Ok(())
}

/// The lowest finite number of a real type.
pub fn lowest_real(ty: ElementType) -> f64 {
    match ty {
        F16 => half::f16::MIN.to_f64(),
        BF16 => half::bf16::MIN.to_f64(),
        F64 => f64::MIN,
        _ => f32::MIN.into(),
    }
}

/// The lowest number of an integer type.
pub fn lowest_integer(ty: ElementType) -> i128 {
    match ty {
        I8 => i8::MIN.into(),
        I16 => i16::MIN.into(),
        I32 => i32::MIN.into(),
        I64 => i64::MIN.into(),
        _ => 0,
    }
}

/// Rounds to the precision of the real element type `ty`.
///
/// # Errors
/// `ty` is not a real type.
pub fn round_as(ty: ElementType, x: f64) -> Result<f64> {
    by_type!(ty, float: T => Ok(round_to::<T>(x)))
}

/// The real or integer elements of `x`, widened.
///
/// # Errors
/// The type is neither real nor integer.
pub fn reals(x: &TensorView<'_>) -> Result<Vec<f64>> {
    by_type!(x.ty,
        float: T => Ok(x.as_slice::<T>()?.iter().map(|&x| x.wide()).collect()),
        int: T => Ok(x.as_slice::<T>()?.iter().map(|&x| x.wide() as f64).collect()),
    )
}

/// The real number that `x` holds as its only element.
///
/// # Errors
/// `x` does not have exactly one element, or is not a number.
pub fn real(x: &TensorView<'_>) -> Result<f64> {
    ensure!(x.len() == 1, "{x} is {:?}; one element is needed", x.shape);
    Ok(reals(x)?.first().copied().unwrap_or_default())
}

/// The real or complex elements of `x` as complex numbers.
///
/// # Errors
/// The type is neither real nor complex.
pub fn complexes(x: &TensorView<'_>) -> Result<Vec<Complex64>> {
    by_type!(x.ty,
        complex: T => Ok(x.as_slice::<T>()?.iter().map(|&x| x.wide()).collect()),
        float: T => Ok(x.as_slice::<T>()?.iter().map(|&x| Complex64 { re: x.wide(), im: 0.0 }).collect()),
    )
}

/// Writes reals to an output of a real type.
///
/// # Errors
/// The output does not have a real type.
pub fn put_reals(y: TensorViewMut<'_>, values: impl IntoIterator<Item = f64>) -> Result<()> {
    put_reals_of(y, &mut values.into_iter())
}

fn put_reals_of(y: TensorViewMut<'_>, values: &mut dyn Iterator<Item = f64>) -> Result<()> {
    by_type!(y.ty(), float: T => {
        y.into_slice::<T>()?.iter_mut().zip(values).for_each(|(y, value)| *y = T::narrow(value));
        Ok(())
    })
}

/// Writes integers to an output of an integer type.
///
/// # Errors
/// The output does not have an integer type.
pub fn put_integers(y: TensorViewMut<'_>, values: impl IntoIterator<Item = i64>) -> Result<()> {
    put_integers_of(y, &mut values.into_iter())
}

fn put_integers_of(y: TensorViewMut<'_>, values: &mut dyn Iterator<Item = i64>) -> Result<()> {
    by_type!(y.ty(), int: T => {
        y.into_slice::<T>()?.iter_mut().zip(values).for_each(|(y, value)| *y = T::narrow(value.into()));
        Ok(())
    })
}

/// Writes complex numbers to a complex output, or their real parts to a real one.
///
/// # Errors
/// The output is neither complex nor real.
pub fn put_complexes(y: TensorViewMut<'_>, values: impl IntoIterator<Item = Complex64>) -> Result<()> {
    put_complexes_of(y, &mut values.into_iter())
}

fn put_complexes_of(y: TensorViewMut<'_>, values: &mut dyn Iterator<Item = Complex64>) -> Result<()> {
    by_type!(y.ty(),
        complex: T => {
            y.into_slice::<T>()?.iter_mut().zip(values).for_each(|(y, value)| *y = T::narrow(value));
            Ok(())
        },
        float: T => {
            y.into_slice::<T>()?.iter_mut().zip(values).for_each(|(y, value)| *y = T::narrow(value.re));
            Ok(())
        },
    )
}
