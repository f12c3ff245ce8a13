//! Compares an output with the expected one: `|got − want| ≤ float_abs + float_rel × |want|`; integers by steps; bool
//! and strings exactly.

use std::fmt;

use arenite::ElementType;
use half::{bf16, f16};

use crate::case::Tolerance;

/// The difference between an output and the expected one.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The index of the first element that differs, per dimension.
    pub index: Vec<i32>,
    /// The value of that element.
    pub got: String,
    /// Its expected value.
    pub want: String,
    /// The number of elements that differ.
    pub count: usize,
    /// The number of elements.
    pub of: usize,
    /// The largest difference; NaN if one of the values is not finite.
    pub largest: f64,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { index, got, want, count, of, largest } = self;
        write!(
            f,
            "at {index:?} got {got}, want {want}; {count} of {of} differ, the largest difference is {largest}"
        )
    }
}

/// Compares elements of type `ty`, given as little-endian bytes of equal length. Packed types are not supported.
///
/// # Errors
/// Elements of the type cannot be compared.
pub fn elements(
    ty: ElementType,
    shape: &[i32],
    got: &[u8],
    want: &[u8],
    tolerance: Tolerance,
) -> Result<Option<Difference>, String> {
    use ElementType::*;
    let float = |got: f64, want: f64| float(got, want, tolerance);
    let integer = |got: i128, want: i128| integer(got, want, tolerance);
    macro_rules! by {
        ($number:ty, $judge:expr) => {
            first(
                shape,
                numbers(got, <$number>::from_le_bytes),
                numbers(want, <$number>::from_le_bytes),
                $judge,
            )
        };
    }
    Ok(match ty {
        F32 => by!(f32, |g, w| float(g.into(), w.into())),
        F16 => by!(f16, |g: f16, w: f16| float(g.into(), w.into())),
        BF16 => by!(bf16, |g: bf16, w: bf16| float(g.into(), w.into())),
        F64 => by!(f64, float),
        I8 => by!(i8, |g, w| integer(g.into(), w.into())),
        I16 => by!(i16, |g, w| integer(g.into(), w.into())),
        I32 => by!(i32, |g, w| integer(g.into(), w.into())),
        I64 => by!(i64, |g, w| integer(g.into(), w.into())),
        U8 => by!(u8, |g, w| integer(g.into(), w.into())),
        U16 => by!(u16, |g, w| integer(g.into(), w.into())),
        U32 => by!(u32, |g, w| integer(g.into(), w.into())),
        U64 => by!(u64, |g, w| integer(g.into(), w.into())),
        Bool => by!(u8, |g, w| (g != w).then(|| (f64::from(g) - f64::from(w)).abs())),
        C64 => first(shape, pairs(got, f32::from_le_bytes), pairs(want, f32::from_le_bytes), |g, w| {
            complex(g.map(f64::from), w.map(f64::from), tolerance)
        }),
        C128 => first(shape, pairs(got, f64::from_le_bytes), pairs(want, f64::from_le_bytes), |g, w| {
            complex(g, w, tolerance)
        }),
        String | Resource | Variant | I4 | I2 | U4 | F8E4M3 | F8E5M2 => {
            return Err(format!("elements of {ty} cannot be compared"));
        }
    })
}

/// Compares strings.
pub fn strings(shape: &[i32], got: &[&[u8]], want: &[Vec<u8>]) -> Option<Difference> {
    let text = |s: &[u8]| Text(s.escape_ascii().to_string());
    let (got, want) = (got.iter().map(|s| text(s)), want.iter().map(|s| text(s)));
    first(shape, got.collect(), want.collect(), |g, w| (g != w).then_some(f64::NAN))
}

/// The difference, if it exceeds the tolerance.
fn float(got: f64, want: f64, tolerance: Tolerance) -> Option<f64> {
    if got == want || (got.is_nan() && want.is_nan()) {
        return None;
    }
    let distance = (got - want).abs();
    let fits = want.is_finite() && distance <= tolerance.float_abs + tolerance.float_rel * want.abs();
    (!fits).then_some(distance)
}

fn complex(got: [f64; 2], want: [f64; 2], tolerance: Tolerance) -> Option<f64> {
    if !want.iter().chain(&got).all(|part| part.is_finite()) {
        return float(got[0], want[0], tolerance).or_else(|| float(got[1], want[1], tolerance));
    }
    let distance = (got[0] - want[0]).hypot(got[1] - want[1]);
    let fits = distance <= tolerance.float_abs + tolerance.float_rel * want[0].hypot(want[1]);
    (!fits).then_some(distance)
}

fn integer(got: i128, want: i128, tolerance: Tolerance) -> Option<f64> {
    let distance = got.abs_diff(want) as f64;
    (distance > tolerance.int_steps).then_some(distance)
}

fn first<T: Clone + fmt::Debug>(
    shape: &[i32],
    got: Vec<T>,
    want: Vec<T>,
    judge: impl Fn(T, T) -> Option<f64>,
) -> Option<Difference> {
    let of = got.len();
    let mut found: Option<Difference> = None;
    for (i, (got, want)) in got.into_iter().zip(want).enumerate() {
        let Some(distance) = judge(got.clone(), want.clone()) else { continue };
        let difference = found.get_or_insert_with(|| Difference {
            index: position(shape, i),
            got: format!("{got:?}"),
            want: format!("{want:?}"),
            count: 0,
            of,
            largest: 0.0,
        });
        difference.count += 1;
        let worse = distance.is_nan() || distance > difference.largest;
        difference.largest = if worse { distance } else { difference.largest };
    }
    found
}

/// The index of element number `i` of a dense array, per dimension.
fn position(shape: &[i32], mut i: usize) -> Vec<i32> {
    let mut index = vec![0; shape.len()];
    for (slot, &dim) in index.iter_mut().zip(shape).rev() {
        let dim = dim.max(1) as usize;
        *slot = (i % dim) as i32;
        i /= dim;
    }
    index
}

fn numbers<T, const N: usize>(bytes: &[u8], read: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks::<N>().0.iter().map(|chunk| read(*chunk)).collect()
}

fn pairs<T: Copy, const N: usize>(bytes: &[u8], read: impl Fn([u8; N]) -> T) -> Vec<[T; 2]> {
    numbers(bytes, read).as_chunks::<2>().0.to_vec()
}

/// The printed form of a string.
#[derive(Clone, PartialEq)]
struct Text(String);

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: Tolerance = Tolerance { float_abs: 0.01, float_rel: 0.0, int_steps: 1.0 };

    fn floats(got: &[f32], want: &[f32]) -> Option<Difference> {
        let bytes = |v: &[f32]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>();
        elements(ElementType::F32, &[2, 2], &bytes(got), &bytes(want), TOLERANCE).unwrap()
    }

    #[test]
    fn the_first_difference_is_reported() {
        let found = floats(&[1.0, 2.005, 3.5, 9.0], &[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!((found.index, found.count, found.of, found.largest), (vec![1, 0], 2, 4, 5.0));
        assert_eq!((found.got.as_str(), found.want.as_str()), ("3.5", "3.0"));
    }

    #[test]
    fn nan_and_infinity_equal_only_themselves() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        assert_eq!(floats(&[nan, inf, -inf, 0.0], &[nan, inf, -inf, 0.0]), None);
        assert_eq!(floats(&[nan, 0.0, 0.0, 0.0], &[0.0; 4]).map(|d| d.count), Some(1));
        assert_eq!(floats(&[0.0; 4], &[nan, 0.0, 0.0, 0.0]).map(|d| d.count), Some(1));
        assert_eq!(floats(&[inf, 0.0, 0.0, 0.0], &[-inf, 0.0, 0.0, 0.0]).map(|d| d.count), Some(1));
        assert_eq!(floats(&[1e30, 0.0, 0.0, 0.0], &[inf, 0.0, 0.0, 0.0]).map(|d| d.count), Some(1));
    }

    #[test]
    fn integers_count_in_steps() {
        let judge = |got: u8, want: u8| elements(ElementType::U8, &[1], &[got], &[want], TOLERANCE).unwrap();
        assert_eq!(judge(255, 254), None);
        assert_eq!(judge(0, 255).map(|d| d.largest), Some(255.0));
    }

    #[test]
    fn bools_and_strings_are_exact() {
        assert!(elements(ElementType::Bool, &[1], &[1], &[0], TOLERANCE).unwrap().is_some());
        let found = strings(&[2], &[b"a", b"\xff"], &[b"a".to_vec(), b"b".to_vec()]).unwrap();
        assert_eq!((found.got.as_str(), found.index), ("\"\\xff\"", vec![1]));
    }

    #[test]
    fn complex_numbers_are_compared_by_distance() {
        let bytes = |v: [f32; 2]| v.map(f32::to_le_bytes).concat();
        let judge = |got, want| {
            elements(ElementType::C64, &[], &bytes(got), &bytes(want), TOLERANCE).unwrap().is_some()
        };
        assert!(!judge([1.0, 2.005], [1.0, 2.0]));
        assert!(judge([1.008, 2.008], [1.0, 2.0]));
        assert!(!judge([f32::NAN, 1.0], [f32::NAN, 1.0]));
        assert!(judge([f32::NAN, 1.0], [f32::NAN, 2.0]));
    }
}
