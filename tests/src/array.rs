//! Arrays of conformance cases: npy files and strings.

use std::io::Read;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use npyz::{Endianness, NpyFile, Order};

use crate::case::TensorText;
use crate::source::Source;
use arenite::ElementType;

/// A dense array in C order.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Element type. Packed integers are stored as [`ElementType::I8`].
    pub ty: ElementType,
    /// Dimensions.
    pub shape: Vec<i32>,
    /// Elements.
    pub data: Data,
}

/// The elements of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Numbers as little-endian bytes.
    Bytes(Vec<u8>),
    /// The strings of a string tensor.
    Strings(Vec<Vec<u8>>),
}

impl Array {
    /// Reads the array that `text` describes, from the npy file `file` unless `text` names another.
    ///
    /// # Errors
    /// The file is missing, or does not hold such an array.
    pub fn read(source: &Source, text: &TensorText, file: &str) -> Result<Array, String> {
        if let Some(strings) = &text.strings {
            let decoded: Result<_, _> = strings.iter().map(|s| BASE64_STANDARD.decode(s)).collect();
            let strings = decoded.map_err(|e| format!("case.json: strings of '{}': {e}", text.name))?;
            return Ok(Array {
                ty: ElementType::String,
                shape: text.shape.clone(),
                data: Data::Strings(strings),
            });
        }
        let file = text.file.as_deref().unwrap_or(file);
        let array = from_npy(&source.read(file)?).map_err(|e| format!("{file}: {e}"))?;
        let ty =
            element_type(&text.dtype).ok_or_else(|| format!("case.json: unknown dtype '{}'", text.dtype))?;
        let bits = array.ty == ElementType::U16 && ty == ElementType::BF16;
        if array.ty != ty && !bits {
            return Err(format!(
                "{file}: the element type is {}, but case.json has {}",
                array.ty, text.dtype
            ));
        }
        Ok(Array { ty, ..array })
    }
}

/// Parses the bytes of an npy file.
///
/// # Errors
/// The bytes are not an npy file of a type that tensors have.
pub fn from_npy(bytes: &[u8]) -> Result<Array, String> {
    let file = NpyFile::new(bytes).map_err(|e| e.to_string())?;
    let header = file.header();
    let npyz::DType::Plain(text) = header.dtype() else {
        return Err("structured arrays are not supported".into());
    };
    let name = text.to_string();
    let ty =
        numpy_type(name.get(1..).unwrap_or("")).ok_or_else(|| format!("type {name} is not supported"))?;
    if text.endianness() == Endianness::Big {
        return Err("big-endian arrays are not supported".into());
    }
    if header.order() != Order::C && header.shape().len() > 1 {
        return Err("Fortran order is not supported".into());
    }
    let shape: Result<Vec<i32>, _> = header.shape().iter().map(|&d| i32::try_from(d)).collect();
    let shape = shape.map_err(|_| "a dimension does not fit into 32 bits")?;
    let count = header.len() as usize;
    let mut data = Vec::new();
    file.into_inner().read_to_end(&mut data).map_err(|e| e.to_string())?;
    if Some(data.len()) != ty.bytes_of(count) {
        return Err(format!("the header has {count} elements of {ty}, but {} bytes follow", data.len()));
    }
    Ok(Array { ty, shape, data: Data::Bytes(data) })
}

fn numpy_type(code: &str) -> Option<ElementType> {
    use ElementType::*;
    Some(match code {
        "f2" => F16,
        "f4" => F32,
        "f8" => F64,
        "i1" => I8,
        "i2" => I16,
        "i4" => I32,
        "i8" => I64,
        "u1" => U8,
        "u2" => U16,
        "u4" => U32,
        "u8" => U64,
        "b1" => Bool,
        "c8" => C64,
        "c16" => C128,
        _ => return None,
    })
}

fn element_type(dtype: &str) -> Option<ElementType> {
    // The schema's names are numpy's in upper case.
    ElementType::ALL.iter().copied().find(|ty| ty.name().eq_ignore_ascii_case(dtype))
}
