//! The smallest and the largest element of a tensor, and how many are not a number, in one pass over its bytes.

use std::array;

use arenite::ElementType;

use crate::values::{Number, element};

/// The range of a tensor's stored values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extent {
    /// The smallest value, ignoring NaN; `None` for a tensor without numbers.
    pub min: Option<Number>,
    /// The largest value, ignoring NaN.
    pub max: Option<Number>,
    /// Number of elements that are NaN.
    pub nan: usize,
}

/// The range of the first `count` elements of packed `bytes`.
pub fn extent(ty: ElementType, bytes: &[u8], count: usize) -> Extent {
    use ElementType::*;
    match ty {
        I8 => whole(bytes, count, i8::from_le_bytes, |v| Number::Int(v.into())),
        I16 => whole(bytes, count, i16::from_le_bytes, |v| Number::Int(v.into())),
        I32 => whole(bytes, count, i32::from_le_bytes, |v| Number::Int(v.into())),
        I64 => whole(bytes, count, i64::from_le_bytes, Number::Int),
        U8 => whole(bytes, count, u8::from_le_bytes, |v| Number::Unsigned(v.into())),
        U16 => whole(bytes, count, u16::from_le_bytes, |v| Number::Unsigned(v.into())),
        U32 => whole(bytes, count, u32::from_le_bytes, |v| Number::Unsigned(v.into())),
        U64 => whole(bytes, count, u64::from_le_bytes, Number::Unsigned),
        F16 => {
            floats(bytes, count, |word| half::f16::from_le_bytes(word).to_f32(), f32::is_nan, Number::Float)
        }
        BF16 => {
            floats(bytes, count, |word| half::bf16::from_le_bytes(word).to_f32(), f32::is_nan, Number::Float)
        }
        F32 => floats(bytes, count, f32::from_le_bytes, f32::is_nan, Number::Float),
        F64 => floats(bytes, count, f64::from_le_bytes, f64::is_nan, Number::Double),
        _ => any(ty, bytes, count),
    }
}

fn words<const N: usize>(bytes: &[u8], count: usize) -> &[[u8; N]] {
    let words = bytes.as_chunks().0;
    &words[..count.min(words.len())]
}

fn whole<T: Ord + Copy, const N: usize>(
    bytes: &[u8],
    count: usize,
    read: impl Fn([u8; N]) -> T,
    number: impl Fn(T) -> Number,
) -> Extent {
    let words = words(bytes, count);
    let Some(first) = words.first().map(|&word| read(word)) else { return Extent::default() };
    let (mut min, mut max) = (first, first);
    for value in words.iter().map(|&word| read(word)) {
        min = min.min(value);
        max = max.max(value);
    }
    Extent { min: Some(number(min)), max: Some(number(max)), nan: 0 }
}

/// Comparisons of floats are not associative for the compiler, so each of these many positions has an extent of its
/// own, which lets it use vectors.
const LANES: usize = 16;

fn floats<T, const N: usize>(
    bytes: &[u8],
    count: usize,
    read: impl Fn([u8; N]) -> T,
    is_nan: impl Fn(T) -> bool,
    number: impl Fn(T) -> Number,
) -> Extent
where
    T: Copy + PartialOrd,
{
    let words = words(bytes, count);
    // Any element that is a number is a start for both.
    let start = words.iter().map(|&word| read(word)).find(|&value| !is_nan(value));
    let Some(start) = start else { return Extent { nan: words.len(), ..Extent::default() } };
    let (mut min, mut max, mut nan) = ([start; LANES], [start; LANES], [0usize; LANES]);
    let mut add = |values: [T; LANES]| {
        for (lane, value) in values.into_iter().enumerate() {
            min[lane] = if value < min[lane] { value } else { min[lane] };
            max[lane] = if value > max[lane] { value } else { max[lane] };
            nan[lane] += usize::from(is_nan(value));
        }
    };
    let (blocks, rest) = words.as_chunks::<LANES>();
    blocks.iter().for_each(|block| add(block.map(&read)));
    add(array::from_fn(|lane| rest.get(lane).map_or(start, |&word| read(word))));
    let least = min.into_iter().fold(start, |least, value| if value < least { value } else { least });
    let most = max.into_iter().fold(start, |most, value| if value > most { value } else { most });
    Extent { min: Some(number(least)), max: Some(number(most)), nan: nan.iter().sum() }
}

/// The extent of any type, number by number: types with less than a byte per element, and types without an order.
fn any(ty: ElementType, bytes: &[u8], count: usize) -> Extent {
    let mut extent = Extent::default();
    let mut range: Option<(f64, f64)> = None;
    for number in (0..count).map_while(|i| element(ty, bytes, i)) {
        let Some(real) = number.real() else { continue };
        let (least, most) = range.unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
        if real < least {
            extent.min = Some(number);
        }
        if real > most {
            extent.max = Some(number);
        }
        range = Some((least.min(real), most.max(real)));
    }
    extent
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats_of(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    /// The extent by comparing one number after the other.
    fn slow(ty: ElementType, bytes: &[u8], count: usize) -> Extent {
        let all = || (0..count).map_while(|i| element(ty, bytes, i));
        let ordered = || all().filter_map(|n| n.real().filter(|r| !r.is_nan()).map(|real| (real, n)));
        Extent {
            min: ordered().min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, n)| n),
            max: ordered().max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, n)| n),
            nan: all().filter(|n| n.real().is_some_and(f64::is_nan)).count(),
        }
    }

    #[test]
    fn every_type_and_length_has_the_extent_of_its_elements() {
        use ElementType::*;
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 56) as u8
        };
        let bytes: Vec<u8> = (0..800).map(|_| random()).collect();
        for ty in
            [Bool, I2, I4, U4, I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64, C64, C128, String]
        {
            for count in (0..50).chain([100]) {
                assert_eq!(extent(ty, &bytes, count), slow(ty, &bytes, count), "{ty} {count}");
            }
        }
    }

    #[test]
    fn nan_is_counted_and_never_an_extreme() {
        let mut values = vec![f32::NAN; 40];
        assert_eq!(
            extent(ElementType::F32, &floats_of(&values), 40),
            Extent { nan: 40, ..Extent::default() }
        );
        values[20] = -3.0;
        values[39] = f32::INFINITY;
        let found = extent(ElementType::F32, &floats_of(&values), 40);
        let wanted =
            Extent { min: Some(Number::Float(-3.0)), max: Some(Number::Float(f32::INFINITY)), nan: 38 };
        assert_eq!(found, wanted);
    }
}
