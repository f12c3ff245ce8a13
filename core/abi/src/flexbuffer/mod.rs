//! Checked reading of flexbuffers, which contain the options of custom ops.
//!
//! Nothing is verified in advance and nothing is allocated. Every read checks its bounds and fails if the buffer ends
//! too early. Format: <https://flatbuffers.dev/internals/#flexbuffers>.
//!
//! ```text
//! buffer  = … root value │ root's packed type │ root's width
//! packed type = kind << 2 | log2 of the width of the target
//! offset at p = distance back from p: the target lies at p − offset
//! vector  = length │ element 0 │ …  (untyped ones: one packed type per element follows)
//! map     = offset of the keys │ their width │ length │ value 0 │ … │ packed types
//! ```
//!
//! ```
//! use arenite_abi::flexbuffer::FlexMap;
//!
//! // {"n": 7}
//! let bytes = [b'n', 0, 1, 3, 1, 1, 1, 7, 4, 2, 36, 1];
//! let options = FlexMap::from_bytes(&bytes)?;
//! assert_eq!(options.i64("n", 0)?, 7);
//! assert_eq!(options.i64("absent", 3)?, 3);
//! # Ok::<(), arenite_abi::Error>(())
//! ```

mod bytes;
mod kind;

use crate::{Result, ensure, invalid};
use bytes::{Width, back, float, in_bounds, length_before, signed, terminated, truncated, unsigned};
pub use kind::FlexKind;

/// Maximum nesting depth of maps and vectors.
pub const MAX_DEPTH: u8 = 32;

const INT: u8 = 1;
const KEY: u8 = 4;
const BOOL: u8 = 26;
const MAP: u8 = 9;
const VECTOR: u8 = 10;
/// Vectors of 2, 3 and 4 ints, uints and floats, without a length.
const FIXED_VECTORS: core::ops::RangeInclusive<u8> = 16..=24;
/// Vectors of ints, uints, floats, keys and strings.
const TYPED_VECTORS: core::ops::RangeInclusive<u8> = 11..=15;
/// Numbers stored at the end of an offset.
const INDIRECT: core::ops::RangeInclusive<u8> = 6..=8;
const VECTOR_OF_BOOLS: u8 = 36;

/// A value in a flexbuffer.
#[derive(Clone, Copy)]
pub struct FlexValue<'a> {
    buffer: &'a [u8],
    /// Position of the value or of the offset to it, which occupies `slot` bytes.
    at: usize,
    slot: Width,
    raw: u8,
    /// Width at the target of the offset.
    target: Width,
    depth: u8,
}

impl<'a> FlexValue<'a> {
    /// Reads the root of `bytes`.
    ///
    /// # Errors
    /// `bytes` is too short or malformed.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self> {
        let [rest @ .., packed, slot] = bytes else {
            return Err(invalid!(
                "custom options have {} bytes, which is too few for a flexbuffer",
                bytes.len()
            ));
        };
        let slot = Width::new(u64::from(*slot))?;
        let at = rest.len().checked_sub(slot.bytes()).ok_or_else(truncated)?;
        FlexValue::new(bytes, at, slot, *packed, 0)
    }

    fn new(buffer: &'a [u8], at: usize, slot: Width, packed: u8, depth: u8) -> Result<Self> {
        ensure!(depth <= MAX_DEPTH, "custom options nest deeper than {MAX_DEPTH}");
        let raw = packed >> 2;
        FlexKind::from_raw(raw)?;
        Ok(FlexValue { buffer, at, slot, raw, target: Width(1 << (packed & 3)), depth })
    }

    /// The kind of the value.
    pub fn kind(&self) -> FlexKind {
        FlexKind::from_raw(self.raw).unwrap_or(FlexKind::Null)
    }

    /// Whether the value is null.
    pub fn is_null(&self) -> bool {
        self.kind() == FlexKind::Null
    }

    /// A number as an integer. Fractions are truncated, numbers out of range are clamped.
    ///
    /// # Errors
    /// The value is not a number, or outside the buffer.
    pub fn as_i64(&self) -> Result<i64> {
        let (at, width) = self.number()?;
        match self.kind() {
            FlexKind::Int => signed(self.buffer, at, width),
            FlexKind::UInt | FlexKind::Bool => {
                Ok(i64::try_from(unsigned(self.buffer, at, width)?).unwrap_or(i64::MAX))
            }
            _ => Ok(float(self.buffer, at, width)? as i64),
        }
    }

    /// A number as an i32.
    ///
    /// # Errors
    /// The value is not a number, out of range, or outside the buffer.
    pub fn as_i32(&self) -> Result<i32> {
        let value = self.as_i64()?;
        i32::try_from(value).map_err(|_| invalid!("custom options: {value} does not fit 32 bits"))
    }

    /// A number as an unsigned integer. Negative numbers are 0, fractions are truncated.
    ///
    /// # Errors
    /// The value is not a number, or outside the buffer.
    pub fn as_u64(&self) -> Result<u64> {
        let (at, width) = self.number()?;
        match self.kind() {
            FlexKind::Int => Ok(signed(self.buffer, at, width)?.max(0) as u64),
            FlexKind::UInt | FlexKind::Bool => unsigned(self.buffer, at, width),
            _ => Ok(float(self.buffer, at, width)? as u64),
        }
    }

    /// A number as a float.
    ///
    /// # Errors
    /// The value is not a number, or outside the buffer.
    pub fn as_f64(&self) -> Result<f64> {
        let (at, width) = self.number()?;
        match self.kind() {
            FlexKind::Int => Ok(signed(self.buffer, at, width)? as f64),
            FlexKind::UInt | FlexKind::Bool => Ok(unsigned(self.buffer, at, width)? as f64),
            _ => float(self.buffer, at, width),
        }
    }

    /// A number as an f32.
    ///
    /// # Errors
    /// The value is not a number, or outside the buffer.
    pub fn as_f32(&self) -> Result<f32> {
        Ok(self.as_f64()? as f32)
    }

    /// A truth value. A number is true if it is not zero.
    ///
    /// # Errors
    /// The value is neither a truth value nor a number, or outside the buffer.
    pub fn as_bool(&self) -> Result<bool> {
        Ok(self.as_f64()? != 0.0)
    }

    /// A string or a key.
    ///
    /// # Errors
    /// The value is not text, not UTF-8, or outside the buffer.
    pub fn as_str(&self) -> Result<&'a str> {
        let bytes = match self.kind() {
            FlexKind::String => self.sized_bytes()?,
            FlexKind::Key => terminated(self.buffer, self.follow()?)?,
            _ => return Err(self.mismatch("a string")),
        };
        core::str::from_utf8(bytes).map_err(|_| invalid!("custom options: a string is not UTF-8"))
    }

    /// The bytes of a blob or of a string.
    ///
    /// # Errors
    /// The value is neither, or outside the buffer.
    pub fn as_bytes(&self) -> Result<&'a [u8]> {
        match self.kind() {
            FlexKind::Blob | FlexKind::String => self.sized_bytes(),
            _ => Err(self.mismatch("a blob")),
        }
    }

    /// A map.
    ///
    /// # Errors
    /// The value is not a map, or outside the buffer.
    pub fn as_map(&self) -> Result<FlexMap<'a>> {
        if self.kind() != FlexKind::Map {
            return Err(self.mismatch("a map"));
        }
        let (values, bytes) = (self.elements()?, self.target.bytes());
        let head = values.at.checked_sub(3 * bytes).ok_or_else(truncated)?;
        let keys_at = back(self.buffer, head, self.target)?;
        let key_width = Width::new(unsigned(self.buffer, head + bytes, self.target)?)?;
        let count = length_before(self.buffer, keys_at, key_width)?;
        ensure!(count == values.count, "custom options: a map has {count} keys and {} values", values.count);
        in_bounds(self.buffer, keys_at, count, key_width.bytes())?;
        Ok(FlexMap { values, keys_at, key_width })
    }

    /// A vector, typed or not, or the values of a map.
    ///
    /// # Errors
    /// The value is not a vector, or outside the buffer.
    pub fn as_vector(&self) -> Result<FlexVector<'a>> {
        match self.kind() {
            FlexKind::Vector | FlexKind::Map => self.elements(),
            _ => Err(self.mismatch("a vector")),
        }
    }

    /// Position and width of the number.
    fn number(&self) -> Result<(usize, Width)> {
        match self.raw {
            1..=3 | BOOL => Ok((self.at, self.slot)),
            raw if INDIRECT.contains(&raw) => Ok((self.follow()?, self.target)),
            _ => Err(self.mismatch("a number")),
        }
    }

    fn follow(&self) -> Result<usize> {
        back(self.buffer, self.at, self.slot)
    }

    fn sized_bytes(&self) -> Result<&'a [u8]> {
        let at = self.follow()?;
        let count = length_before(self.buffer, at, self.target)?;
        self.buffer.get(at..).and_then(|rest| rest.get(..count)).ok_or_else(truncated)
    }

    fn elements(&self) -> Result<FlexVector<'a>> {
        let at = self.follow()?;
        let (count, element) = match self.raw {
            MAP | VECTOR => (length_before(self.buffer, at, self.target)?, None),
            VECTOR_OF_BOOLS => (length_before(self.buffer, at, self.target)?, Some(BOOL)),
            raw if TYPED_VECTORS.contains(&raw) => {
                // Deprecated vectors of strings are read as vectors of keys, because each string ends with a zero byte.
                let element = (raw - TYPED_VECTORS.start() + INT).min(KEY);
                (length_before(self.buffer, at, self.target)?, Some(element))
            }
            raw if FIXED_VECTORS.contains(&raw) => {
                let from_first = raw - FIXED_VECTORS.start();
                (usize::from(from_first / 3 + 2), Some(from_first % 3 + INT))
            }
            _ => return Err(self.mismatch("a vector")),
        };
        let type_bytes = if element.is_none() { 1 } else { 0 };
        in_bounds(self.buffer, at, count, self.target.bytes() + type_bytes)?;
        Ok(FlexVector { buffer: self.buffer, at, count, width: self.target, element, depth: self.depth })
    }

    fn mismatch(&self, wanted: &str) -> crate::Error {
        invalid!("custom options: expected {wanted}, found {:?}", self.kind())
    }
}

/// A list of values.
#[derive(Clone, Copy)]
pub struct FlexVector<'a> {
    buffer: &'a [u8],
    at: usize,
    count: usize,
    width: Width,
    /// The kind of all elements; `None` if each has its own.
    element: Option<u8>,
    depth: u8,
}

impl<'a> FlexVector<'a> {
    /// The number of values.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the vector is empty.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The value at index `i`.
    ///
    /// # Errors
    /// `i` is out of range, or the value is malformed.
    pub fn get(&self, i: usize) -> Result<FlexValue<'a>> {
        ensure!(i < self.count, "custom options: element {i} of a vector of {}", self.count);
        // `elements` checked that all slots and types are inside the buffer.
        let slots = self.at + self.count * self.width.bytes();
        let packed = match self.element {
            Some(kind) => kind << 2,
            None => *self.buffer.get(slots + i).ok_or_else(truncated)?,
        };
        FlexValue::new(self.buffer, self.at + i * self.width.bytes(), self.width, packed, self.depth + 1)
    }

    /// Iterates over the values in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<FlexValue<'a>>> + use<'a> {
        let vector = *self;
        (0..vector.count).map(move |i| vector.get(i))
    }
}

/// Values with names.
#[derive(Clone, Copy)]
pub struct FlexMap<'a> {
    values: FlexVector<'a>,
    keys_at: usize,
    key_width: Width,
}

impl<'a> FlexMap<'a> {
    /// Reads the map at the root of `bytes`.
    ///
    /// # Errors
    /// `bytes` is malformed, or its root is not a map.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self> {
        FlexValue::from_bytes(bytes)?.as_map()
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether the map is empty.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Name and value of entry `i`, in the file's order.
    ///
    /// # Errors
    /// `i` is out of range, or the entry is malformed.
    pub fn entry(&self, i: usize) -> Result<(&'a str, FlexValue<'a>)> {
        let name = core::str::from_utf8(self.key(i)?)
            .map_err(|_| invalid!("custom options: the name of entry {i} is not UTF-8"))?;
        Ok((name, self.values.get(i)?))
    }

    /// The value of `name`; `None` if it is absent or null.
    ///
    /// # Errors
    /// The map is malformed.
    pub fn get(&self, name: &str) -> Result<Option<FlexValue<'a>>> {
        for i in 0..self.len() {
            if self.key(i)? == name.as_bytes() {
                return Ok(Some(self.values.get(i)?).filter(|value| !value.is_null()));
            }
        }
        Ok(None)
    }

    /// The integer `name`, or `default` if it is absent.
    ///
    /// # Errors
    /// The value has another kind, or the map is malformed.
    pub fn i64(&self, name: &str, default: i64) -> Result<i64> {
        self.get(name)?.map_or(Ok(default), |value| value.as_i64())
    }

    /// The 32-bit integer `name`, or `default` if it is absent.
    ///
    /// # Errors
    /// The value has another kind or is out of range, or the map is malformed.
    pub fn i32(&self, name: &str, default: i32) -> Result<i32> {
        self.get(name)?.map_or(Ok(default), |value| value.as_i32())
    }

    /// The float `name`, or `default` if it is absent.
    ///
    /// # Errors
    /// The value has another kind, or the map is malformed.
    pub fn f32(&self, name: &str, default: f32) -> Result<f32> {
        self.get(name)?.map_or(Ok(default), |value| value.as_f32())
    }

    /// The truth value `name`, or `default` if it is absent.
    ///
    /// # Errors
    /// The value has another kind, or the map is malformed.
    pub fn bool(&self, name: &str, default: bool) -> Result<bool> {
        self.get(name)?.map_or(Ok(default), |value| value.as_bool())
    }

    /// The string `name`, or `default` if it is absent.
    ///
    /// # Errors
    /// The value has another kind, or the map is malformed.
    pub fn str(&self, name: &str, default: &'a str) -> Result<&'a str> {
        self.get(name)?.map_or(Ok(default), |value| value.as_str())
    }

    fn key(&self, i: usize) -> Result<&'a [u8]> {
        ensure!(i < self.len(), "custom options: entry {i} of a map of {}", self.len());
        let buffer = self.values.buffer;
        terminated(buffer, back(buffer, self.keys_at + i * self.key_width.bytes(), self.key_width)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by Google's Python builder: max −100, big 2⁴⁰, x 1.5, ind 0.1 (indirect), on true, none null, text "hé",
    /// blob 1 2 3, ints [1, −2, 300], two [0.5, 2.5] (fixed length), bools [1, 0, 1], mixed [1, "b", {in: 70000}].
    #[rustfmt::skip]
    const ALL: &[u8] = &[109, 97, 120, 0, 98, 105, 103, 0, 120, 0, 105, 110, 100, 0, 0, 0, 154, 153, 153, 153, 153, 153, 185, 63, 111, 110, 0, 110, 111, 110, 101, 0, 116, 101, 120, 116, 0, 3, 104, 195, 169, 0, 98, 108, 111, 98, 0, 3, 1, 2, 3, 105, 110, 116, 115, 0, 3, 0, 1, 0, 254, 255, 44, 1, 116, 119, 111, 0, 0, 0, 0, 63, 0, 0, 32, 64, 98, 111, 111, 108, 115, 0, 3, 1, 0, 1, 109, 105, 120, 101, 100, 0, 1, 98, 0, 105, 110, 0, 1, 4, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 112, 17, 1, 0, 6, 3, 1, 26, 8, 4, 20, 38, 12, 121, 84, 51, 118, 78, 130, 45, 105, 109, 102, 71, 128, 0, 0, 0, 0, 0, 0, 0, 19, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 128, 0, 0, 0, 0, 0, 0, 0, 101, 0, 0, 0, 0, 0, 0, 0, 176, 0, 0, 0, 0, 0, 0, 0, 142, 0, 0, 0, 0, 0, 0, 0, 156, 255, 255, 255, 255, 255, 255, 255, 98, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 202, 0, 0, 0, 0, 0, 0, 0, 180, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 248, 63, 11, 100, 144, 35, 45, 7, 40, 3, 107, 20, 74, 15, 108, 39, 1];

    /// Reads everything that can be reached; returns the number of values read.
    fn walk(value: &FlexValue<'_>) -> usize {
        let _ = (value.as_i64(), value.as_u64(), value.as_i32(), value.as_f32(), value.as_bool());
        let _ = (value.as_str(), value.as_bytes());
        let mut count = 1;
        if let Ok(map) = value.as_map() {
            let _ = map.get("no such key");
            for i in 0..map.len().min(64) {
                count += map.entry(i).map_or(0, |(_, value)| walk(&value));
            }
        } else if let Ok(vector) = value.as_vector() {
            count += vector.iter().take(64).map(|value| value.map_or(0, |value| walk(&value))).sum::<usize>();
        }
        count
    }

    #[test]
    fn every_kind_is_read() -> Result<()> {
        let map = FlexMap::from_bytes(ALL)?;
        assert_eq!(map.len(), 12);
        assert_eq!(map.i32("max", 0)?, -100);
        assert_eq!(map.i64("big", 0)?, 1 << 40);
        assert_eq!(
            map.i32("big", 0).unwrap_err().message(),
            "custom options: 1099511627776 does not fit 32 bits"
        );
        assert_eq!(map.f32("x", 0.0)?, 1.5);
        assert_eq!(map.i64("x", 0)?, 1);
        assert_eq!(map.f32("ind", 0.0)?, 0.1);
        assert!(map.bool("on", false)?);
        assert!(map.get("none")?.is_none());
        assert_eq!(map.str("text", "")?, "hé");
        let get = |name| map.get(name).map(Option::unwrap);
        assert_eq!(get("blob")?.as_bytes()?, [1, 2, 3]);
        let ints = get("ints")?.as_vector()?;
        assert_eq!([0, 1, 2].map(|i| ints.get(i).and_then(|v| v.as_i32()).unwrap()), [1, -2, 300]);
        assert_eq!(ints.get(3).err().unwrap().message(), "custom options: element 3 of a vector of 3");
        let two = get("two")?.as_vector()?;
        assert_eq!((two.len(), two.get(1)?.as_f32()?), (2, 2.5));
        let bools = get("bools")?.as_vector()?;
        assert_eq!([0, 1, 2].map(|i| bools.get(i).and_then(|v| v.as_bool()).unwrap()), [true, false, true]);
        let mixed = get("mixed")?.as_vector()?;
        assert_eq!(mixed.get(0)?.kind(), FlexKind::Int);
        assert_eq!(mixed.get(1)?.as_str()?, "b");
        assert_eq!(mixed.get(2)?.as_map()?.i64("in", 0)?, 70000);
        assert_eq!(walk(&FlexValue::from_bytes(ALL)?), 1 + 12 + 3 + 2 + 3 + 3 + 1);
        Ok(())
    }

    #[test]
    fn wrong_kinds_are_rejected() -> Result<()> {
        let map = FlexMap::from_bytes(ALL)?;
        assert_eq!(
            map.i64("text", 0).unwrap_err().message(),
            "custom options: expected a number, found String"
        );
        assert!(map.get("max")?.unwrap().as_vector().is_err());
        assert!(map.get("ints")?.unwrap().as_map().is_err());
        assert!(FlexMap::from_bytes(&[]).is_err());
        assert!(FlexMap::from_bytes(&[5, 4, 1]).is_err());
        assert!(FlexValue::from_bytes(&[0, 99 << 2, 1]).is_err());
        assert!(FlexValue::from_bytes(&[0, 4, 3]).is_err());
        Ok(())
    }

    #[test]
    fn no_truncation_or_changed_byte_causes_a_panic() {
        for end in 0..ALL.len() {
            if let Ok(value) = FlexValue::from_bytes(&ALL[..end]) {
                walk(&value);
            }
            if let Ok(value) = FlexValue::from_bytes(&ALL[end..]) {
                walk(&value);
            }
        }
        let mut bytes = ALL.to_vec();
        for i in 0..bytes.len() {
            for value in [0, 1, 2, 0x7f, 0x80, 0xff, ALL[i].wrapping_add(1), ALL[i] ^ 0x20] {
                bytes[i] = value;
                if let Ok(value) = FlexValue::from_bytes(&bytes) {
                    walk(&value);
                }
            }
            bytes[i] = ALL[i];
        }
    }

    #[test]
    fn a_vector_that_contains_itself_is_rejected() {
        // A vector whose single element has offset 0, which refers to the element itself.
        let bytes = [1, 0, 10 << 2, 2, 10 << 2, 1];
        let mut value = FlexValue::from_bytes(&bytes).unwrap();
        let error = loop {
            match value.as_vector().and_then(|vector| vector.get(0)) {
                Ok(inner) => value = inner,
                Err(error) => break error,
            }
        };
        assert!(error.message().contains("deeper than 32"), "{error}");
    }
}
