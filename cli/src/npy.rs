//! Tensors as NumPy files. Packed integers take a byte each, bfloat16 its bits as uint16, 8-bit floats theirs as uint8:
//! NumPy has no such types.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use arenite::text::Visible;
use arenite::{ElementType, Tensor};
use npyz::{DType, Endianness, NpyHeader, Order, TypeChar, TypeStr, WriteOptions, WriterBuilder};

use crate::answer::{Failure, Result};
use crate::text;
use arenite_common::file;
use arenite_common::values::{Number, element, element_count};

/// Reads the bytes that the file at `path` gives to `tensor`, input `index`.
///
/// # Errors
/// A file that is no array of plain numbers in C order, or one of another type or shape than the tensor: the text says
/// both and what to do.
pub fn read(path: &Path, tensor: &Tensor<'_>, index: usize) -> Result<Vec<u8>> {
    let fail = |message: String| Failure::with(path.display(), message);
    let file = file::open(path).map_err(|e| fail(e.to_string()))?;
    let mut reader = BufReader::new(file);
    check_header_length(&mut reader).map_err(fail)?;
    let header = NpyHeader::from_reader(&mut reader).map_err(|e| fail(format!("it is no npy file: {e}")))?;
    let found = plain_type(&header.dtype()).map_err(fail)?;
    check_type(&found, tensor, index).map_err(fail)?;
    check_shape(header.shape(), tensor, index).map_err(fail)?;
    if header.order() == Order::Fortran && header.shape().len() > 1 {
        return Err(fail("it is in Fortran order; save it with np.ascontiguousarray(array)".into()));
    }
    let item = found.num_bytes().unwrap_or(1);
    let needed = element_count(tensor.shape).checked_mul(item);
    let needed = needed.ok_or_else(|| fail("it is larger than memory".into()))?;
    let mut bytes = Vec::new();
    reader.take(needed as u64).read_to_end(&mut bytes).map_err(|e| fail(e.to_string()))?;
    if bytes.len() != needed {
        return Err(fail(format!("it is cut short: {} bytes of data, {needed} are needed", bytes.len())));
    }
    pack(tensor.ty, bytes).map_err(fail)
}

/// The longest header that is read: NumPy's own limit.
const MAX_HEADER: u32 = 10_000;

/// Refuses a header of more than [`MAX_HEADER`] bytes, for which the reader would allocate up to 4 GB. Reads nothing.
fn check_header_length(reader: &mut impl BufRead) -> Result<(), String> {
    let start = reader.fill_buf().map_err(|e| e.to_string())?;
    let length = match start.get(6..12) {
        Some(&[major, _, a, b, c, d]) if major > 1 => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    };
    match length {
        0..=MAX_HEADER => Ok(()),
        _ => Err(format!("its header has {length} bytes, at most {MAX_HEADER} are read")),
    }
}

/// Writes a tensor. A type without a NumPy form is an error.
pub fn write(path: &Path, tensor: &Tensor<'_>) -> Result<()> {
    let fail = |error: &dyn std::fmt::Display| Failure::with(path.display(), error);
    let ty = type_str(tensor.ty).ok_or_else(|| fail(&format!("NumPy has no form for {}", tensor.ty)))?;
    let shape: Vec<u64> = tensor.shape.iter().map(|&d| u64::try_from(d).unwrap_or(0)).collect();
    let bytes = unpack(tensor.ty, tensor.bytes()?, element_count(tensor.shape));
    let file = File::create(path).map_err(|e| fail(&e))?;
    let options = WriteOptions::new_header_only().dtype(DType::Plain(ty)).shape(&shape);
    let mut writer = options.writer(BufWriter::new(file)).write_header_only().map_err(|e| fail(&e))?;
    writer.write_all(&bytes).and_then(|()| writer.flush()).map_err(|e| fail(&e))
}

/// The NumPy type of a tensor's elements.
fn type_str(ty: ElementType) -> Option<TypeStr> {
    use ElementType::*;
    let text = match ty {
        F32 => "<f4",
        F64 => "<f8",
        F16 => "<f2",
        I8 | I4 | I2 => "|i1",
        I16 => "<i2",
        I32 => "<i4",
        I64 => "<i8",
        U8 | U4 | F8E4M3 | F8E5M2 => "|u1",
        U16 | BF16 => "<u2",
        U32 => "<u4",
        U64 => "<u8",
        Bool => "|b1",
        C64 => "<c8",
        C128 => "<c16",
        String | Resource | Variant => return None,
    };
    text.parse().ok()
}

fn plain_type(dtype: &DType) -> Result<TypeStr, String> {
    match dtype {
        DType::Plain(ty) if ty.num_bytes().is_some() && !ty.uses_pickled_array() => Ok(ty.clone()),
        other => Err(format!("its dtype {} is no plain number", other.descr())),
    }
}

fn check_type(found: &TypeStr, tensor: &Tensor<'_>, index: usize) -> Result<(), String> {
    let port = format!("input {index} '{}'", Visible(tensor.name));
    let wanted = type_str(tensor.ty).ok_or_else(|| format!("{port} is {}, not a number", tensor.ty))?;
    if (found.type_char(), found.size_field()) != (wanted.type_char(), wanted.size_field()) {
        let (have, want) = (numpy_name(found), numpy_name(&wanted));
        let advice = match (found.type_char(), tensor.scales, is_float(tensor.ty)) {
            (TypeChar::Float, [scale], false) => {
                let zero_point = tensor.zero_points.first().copied().unwrap_or(0);
                let quantized = format!("np.round(array / {scale}) {zero_point:+}");
                let stored = match integer_range(tensor.ty) {
                    Some((low, high)) => format!("np.clip({quantized}, {low}, {high})"),
                    None => format!("({quantized})"),
                };
                format!("quantize it first: {stored}.astype(np.{want})")
            }
            (TypeChar::Float, _, false) => format!("round it first: np.round(array).astype(np.{want})"),
            (TypeChar::Int | TypeChar::Uint, ..) if integer_range(tensor.ty).is_some() => {
                let (low, high) = integer_range(tensor.ty).unwrap_or_default();
                format!("if its values lie in {low}..={high}, convert it first: array.astype(np.{want})")
            }
            _ => format!("convert it first: array.astype(np.{want})"),
        };
        return Err(format!("it holds {have}, but {port} is {}; {advice}", tensor.ty));
    }
    if found.endianness() == Endianness::Big && found.size_field() > 1 {
        return Err("it is big-endian; save it in little-endian order".into());
    }
    Ok(())
}

/// The least and the greatest value of an integer type.
fn integer_range(ty: ElementType) -> Option<(i64, u64)> {
    use ElementType::*;
    let bits = ty.bits();
    match ty {
        I2 | I4 | I8 | I16 | I32 | I64 => Some((i64::MIN >> (64 - bits), (1 << (bits - 1)) - 1)),
        U4 | U8 | U16 | U32 | U64 => Some((0, u64::MAX >> (64 - bits))),
        _ => None,
    }
}

fn is_float(ty: ElementType) -> bool {
    use ElementType::*;
    matches!(ty, F16 | BF16 | F32 | F64 | C64 | C128 | F8E4M3 | F8E5M2)
}

fn check_shape(found: &[u64], tensor: &Tensor<'_>, index: usize) -> Result<(), String> {
    let wanted = tensor.shape.iter().map(|&d| u64::try_from(d).unwrap_or(0));
    if wanted.eq(found.iter().copied()) {
        return Ok(());
    }
    let same_size =
        found.iter().try_fold(1u64, |n, &d| n.checked_mul(d)) == Some(element_count(tensor.shape) as u64);
    let advice = match found {
        _ if same_size => format!("reshape it: array.reshape({})", text::join(tensor.shape, ", ")),
        [] => "it is a single number".to_owned(),
        _ => format!("if the model takes that, add --resize {index}={}", text::join(found, "x")),
    };
    let (have, want) = (text::shape(found), text::shape(tensor.shape));
    Err(format!("its shape is {have}, but input {index} '{}' has {want}; {advice}", Visible(tensor.name)))
}

fn numpy_name(ty: &TypeStr) -> String {
    let kind = match ty.type_char() {
        TypeChar::Bool => return "bool_".into(),
        TypeChar::Int => "int",
        TypeChar::Uint => "uint",
        TypeChar::Float => "float",
        TypeChar::Complex => "complex",
        _ => return ty.to_string(),
    };
    format!("{kind}{}", ty.size_field() * 8)
}

/// From a byte per element to the tensor's own form.
fn pack(ty: ElementType, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    let (low, high) = match ty {
        ElementType::I4 => (-8, 7),
        ElementType::I2 => (-2, 1),
        ElementType::U4 => (0, 15),
        _ => return Ok(bytes),
    };
    let value = |byte: u8| if ty == ElementType::U4 { i16::from(byte) } else { i16::from(byte as i8) };
    if let Some(&bad) = bytes.iter().find(|&&byte| !(low..=high).contains(&value(byte))) {
        return Err(format!("it holds {}, but {ty} has {low} to {high}", value(bad)));
    }
    let width = ty.bits() as usize;
    let mask = (1u8 << width) - 1;
    let join = |group: &[u8]| group.iter().rev().fold(0u8, |byte, value| byte << width | value & mask);
    Ok(bytes.chunks(8 / width).map(join).collect())
}

/// The inverse of [`pack`].
fn unpack(ty: ElementType, bytes: &[u8], count: usize) -> Vec<u8> {
    if ty.bits() >= 8 {
        return bytes.to_vec();
    }
    let value = |i| match element(ty, bytes, i) {
        Some(Number::Int(value)) => value as i8 as u8,
        Some(Number::Unsigned(value)) => value as u8,
        _ => 0,
    };
    (0..count).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_types_survive_the_way_there_and_back() {
        for (ty, values) in [
            (ElementType::I4, vec![-8i8, 7, -1, 0, 3]),
            (ElementType::I2, vec![-2, 1, -1, 0, 1]),
            (ElementType::U4, vec![15, 0, 9]),
        ] {
            let bytes: Vec<u8> = values.iter().map(|&v| v as u8).collect();
            let packed = pack(ty, bytes.clone()).unwrap();
            assert_eq!(packed.len(), ty.bytes_of(values.len()).unwrap());
            assert_eq!(unpack(ty, &packed, values.len()), bytes, "{ty}");
        }
    }

    #[test]
    fn ranges_of_integers_are_those_of_their_bits() {
        assert_eq!(integer_range(ElementType::I2), Some((-2, 1)));
        assert_eq!(integer_range(ElementType::I8), Some((-128, 127)));
        assert_eq!(integer_range(ElementType::U4), Some((0, 15)));
        assert_eq!(integer_range(ElementType::I64), Some((i64::MIN, i64::MAX as u64)));
        assert_eq!(integer_range(ElementType::U64), Some((0, u64::MAX)));
        assert_eq!(integer_range(ElementType::F16), None);
    }

    #[test]
    fn a_value_that_does_not_fit_is_refused() {
        assert_eq!(pack(ElementType::I4, vec![8]).unwrap_err(), "it holds 8, but INT4 has -8 to 7");
        assert_eq!(pack(ElementType::U4, vec![16]).unwrap_err(), "it holds 16, but UINT4 has 0 to 15");
    }
}
