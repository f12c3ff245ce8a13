//! Reads and writes tensors as NumPy files. NumPy lacks some types: packed integers are stored as one byte each,
//! bfloat16 as its bits in uint16, and 8-bit floats as their bits in uint8.

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

/// Reads the file at `path` as the bytes of `tensor`, which is input `index`.
///
/// # Errors
/// The file is not an array of plain numbers in C order, or its type or shape differs from the tensor's. The message
/// names both and suggests a fix.
pub(crate) fn read(path: &Path, tensor: &Tensor<'_>, index: usize) -> Result<Vec<u8>> {
    let fail = |message: String| Failure::with(path.display(), message);
    let array = Array::open(path, tensor, index).map_err(fail)?;
    check_shape(array.header.shape(), tensor, index).map_err(fail)?;
    let bytes = array.bytes().map_err(fail)?;
    pack(tensor.ty, bytes).map_err(fail)
}

/// Reads the file at `path` as values of `tensor` for one step after another, if its first dimension counts steps: it
/// has one dimension more than the tensor, or counts in place of the tensor's first dimension of 1. `None` if it has
/// the tensor's own shape.
///
/// # Errors
/// The same errors as [`read`].
pub(crate) fn read_steps(path: &Path, tensor: &Tensor<'_>, index: usize) -> Result<Option<Vec<Vec<u8>>>> {
    let fail = |message: String| Failure::with(path.display(), message);
    let array = Array::open(path, tensor, index).map_err(fail)?;
    let dims: Vec<u64> = tensor.shape.iter().map(|&d| u64::try_from(d).unwrap_or(0)).collect();
    let found = array.header.shape();
    let steps = match (found, &dims[..]) {
        _ if found == dims => return Ok(None),
        ([steps, rest @ ..], wanted) if rest == wanted => *steps,
        ([steps, rest @ ..], [1, wanted @ ..]) if rest == wanted => *steps,
        _ => {
            let (have, want) = (text::shape(found), text::shape(tensor.shape));
            let name = Visible(tensor.name);
            return Err(fail(format!(
                "its shape is {have}, but input {index} '{name}' has {want}; for --each the array needs one more \
                 dimension, which counts the steps"
            )));
        }
    };
    let bytes = array.bytes().map_err(fail)?;
    let size = usize::try_from(steps).ok().and_then(|steps| bytes.len().checked_div(steps)).unwrap_or(0);
    if size == 0 {
        return Err(fail("it has no elements".into()));
    }
    let steps = bytes.chunks_exact(size).map(|step| pack(tensor.ty, step.to_vec()));
    steps.collect::<Result<_, _>>().map(Some).map_err(fail)
}

/// An array of a tensor's type whose data is not read yet.
struct Array {
    header: NpyHeader,
    item: usize,
    reader: BufReader<File>,
}

impl Array {
    fn open(path: &Path, tensor: &Tensor<'_>, index: usize) -> Result<Self, String> {
        let file = file::open(path).map_err(|e| e.to_string())?;
        let mut reader = BufReader::new(file);
        check_header_length(&mut reader)?;
        let header = NpyHeader::from_reader(&mut reader).map_err(|e| format!("not an npy file: {e}"))?;
        let found = plain_type(&header.dtype())?;
        check_type(&found, tensor, index)?;
        if header.order() == Order::Fortran && header.shape().len() > 1 {
            return Err("it is in Fortran order; save it with np.ascontiguousarray(array)".into());
        }
        Ok(Array { header, item: found.num_bytes().unwrap_or(1), reader })
    }

    fn bytes(self) -> Result<Vec<u8>, String> {
        let sizes = self.header.shape().iter().copied().chain([self.item as u64]);
        let needed = sizes.into_iter().try_fold(1u64, u64::checked_mul);
        let needed = needed.ok_or_else(|| "it is larger than memory".to_owned())?;
        let mut bytes = Vec::new();
        self.reader.take(needed).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
        if bytes.len() as u64 != needed {
            return Err(format!("it is truncated: {} bytes of data, {needed} are needed", bytes.len()));
        }
        Ok(bytes)
    }
}

/// An array of any type, as numbers.
pub(crate) struct Numbers {
    pub shape: Vec<u64>,
    pub values: Vec<f64>,
    /// Whether the file holds floats.
    pub is_float: bool,
}

/// Reads an array of plain numbers.
///
/// # Errors
/// The file cannot be read, or is not an array of plain numbers in little-endian C order.
pub(crate) fn read_numbers(path: &Path) -> Result<Numbers> {
    numbers(path).map_err(|message| Failure::with(path.display(), message))
}

fn numbers(path: &Path) -> Result<Numbers, String> {
    use ElementType::*;
    let mut reader = BufReader::new(file::open(path).map_err(|e| e.to_string())?);
    check_header_length(&mut reader)?;
    let header = NpyHeader::from_reader(&mut reader).map_err(|e| format!("not an npy file: {e}"))?;
    let found = plain_type(&header.dtype())?;
    if header.order() == Order::Fortran && header.shape().len() > 1 {
        return Err("it is in Fortran order; save it with np.ascontiguousarray(array)".into());
    }
    if found.endianness() == Endianness::Big && found.size_field() > 1 {
        return Err("it is big-endian; save it in little-endian order".into());
    }
    let types = [F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, Bool];
    let form = |ty: &TypeStr| (ty.type_char(), ty.size_field());
    let is_found = |ty: &ElementType| type_str(*ty).is_some_and(|ty| form(&ty) == form(&found));
    let ty = types.into_iter().find(is_found);
    let ty = ty.ok_or_else(|| format!("it holds {}, not real numbers", numpy_name(&found)))?;
    let shape = header.shape().to_vec();
    let bytes = Array { header, item: found.num_bytes().unwrap_or(1), reader }.bytes()?;
    let count = bytes.len() / (ty.bits() as usize).div_ceil(8).max(1);
    let values = (0..count).filter_map(|i| element(ty, &bytes, i)?.real()).collect();
    Ok(Numbers { shape, values, is_float: is_float(ty) })
}

/// The longest header that is read, in bytes: NumPy's own limit.
const MAX_HEADER: u32 = 10_000;

/// Rejects a header of more than [`MAX_HEADER`] bytes, for which the reader would allocate up to 4 GB. Only peeks at
/// the data.
fn check_header_length(reader: &mut impl BufRead) -> Result<(), String> {
    let start = reader.fill_buf().map_err(|e| e.to_string())?;
    let length = match start.get(6..12) {
        Some(&[major, _, a, b, c, d]) if major > 1 => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    };
    match length {
        0..=MAX_HEADER => Ok(()),
        _ => Err(format!("its header has {length} bytes; the limit is {MAX_HEADER}")),
    }
}

/// A tensor's elements as NumPy stores them.
///
/// # Errors
/// NumPy cannot represent the type, or the tensor has no data.
pub(crate) fn unpacked(tensor: &Tensor<'_>) -> Result<Vec<u8>> {
    if type_str(tensor.ty).is_none() {
        return Err(Failure::new(format!("NumPy cannot represent {}", tensor.ty)));
    }
    Ok(unpack(tensor.ty, tensor.bytes()?, element_count(tensor.shape)))
}

/// Writes an array of elements that are stored as NumPy does.
pub(crate) fn write(path: &Path, ty: ElementType, shape: &[u64], bytes: &[u8]) -> Result<()> {
    let fail = |error: &dyn std::fmt::Display| Failure::with(path.display(), error);
    let ty = type_str(ty).ok_or_else(|| fail(&format!("NumPy cannot represent {ty}")))?;
    let file = File::create(path).map_err(|e| fail(&e))?;
    let options = WriteOptions::new_header_only().dtype(DType::Plain(ty)).shape(shape);
    let mut writer = options.writer(BufWriter::new(file)).write_header_only().map_err(|e| fail(&e))?;
    writer.write_all(bytes).and_then(|()| writer.flush()).map_err(|e| fail(&e))
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
        other => Err(format!("its dtype {} is not a plain number", other.descr())),
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

/// The smallest and largest value of an integer type.
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

/// Packs one byte per element into the tensor's own format.
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
    fn packed_types_survive_a_round_trip() {
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
    fn integer_ranges_follow_from_the_number_of_bits() {
        assert_eq!(integer_range(ElementType::I2), Some((-2, 1)));
        assert_eq!(integer_range(ElementType::I8), Some((-128, 127)));
        assert_eq!(integer_range(ElementType::U4), Some((0, 15)));
        assert_eq!(integer_range(ElementType::I64), Some((i64::MIN, i64::MAX as u64)));
        assert_eq!(integer_range(ElementType::U64), Some((0, u64::MAX)));
        assert_eq!(integer_range(ElementType::F16), None);
    }

    #[test]
    fn a_value_out_of_range_is_rejected() {
        assert_eq!(pack(ElementType::I4, vec![8]).unwrap_err(), "it holds 8, but INT4 has -8 to 7");
        assert_eq!(pack(ElementType::U4, vec![16]).unwrap_err(), "it holds 16, but UINT4 has 0 to 15");
    }
}
