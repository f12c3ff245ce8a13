//! Parses and formats the text of a table: types, tensors, lists of types, forms of messages.

use std::format;
use std::string::String;
use std::vec::Vec;

use half::{bf16, f16};

use crate::ElementType::{self, *};
use crate::schema::{FieldInfo, TableInfo};
use crate::tensor::{Bool, Complex32, Complex64, element_count};
use crate::testing::{Quantized, Spec, Tensor};

/// The type with this name, for example `F32`.
///
/// # Panics
/// The type does not exist.
pub fn type_of(name: &str) -> ElementType {
    let found = ElementType::ALL.iter().find(|ty| format!("{ty:?}") == name);
    *found.unwrap_or_else(|| panic!("'{name}' is not a type"))
}

/// Parses numbers separated by commas.
///
/// # Panics
/// One is not a number.
pub fn numbers<N: core::str::FromStr>(text: &str) -> Vec<N> {
    let number = |x: &str| x.parse().unwrap_or_else(|_| panic!("'{x}' is not a number"));
    text.split(',').filter(|x| !x.is_empty()).map(number).collect()
}

/// The fields of an options table in a text such as `axis=1 keep_dims=true`, and the texts of their values. The word
/// `()`, a table without fields, is skipped.
///
/// # Panics
/// The table has no such field.
pub fn fields(table: TableInfo, text: &str) -> impl Iterator<Item = (&'static FieldInfo, &str)> {
    text.split_whitespace().filter(|word| *word != "()").map(move |word| {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let field = table.fields.iter().find(|field| field.name.eq_ignore_ascii_case(name));
        (field.unwrap_or_else(|| panic!("{} has no field '{name}'", table.name)), value)
    })
}

/// A tensor of any type but VARIANT. Data that is not numeric is replaced by consecutive numbers. Types without a Rust
/// type get zeros.
pub fn tensor(ty: ElementType, shape: &[i32], data: &[&str]) -> Tensor {
    let real: Vec<f64> = data.iter().enumerate().map(|(i, x)| x.parse().unwrap_or(i as f64)).collect();
    macro_rules! made {
        ($($ty:ident => $make:expr,)*) => {
            match ty {
                $($ty => Tensor::of(shape, &real.iter().map($make).collect::<Vec<_>>()),)*
                I4 => Tensor::i4(shape, &real.iter().map(|&x| x as i8).collect::<Vec<_>>()),
                String => {
                    let texts: Vec<_> = data.iter().map(|text| text.replace('_', " ")).collect();
                    Tensor::strings(shape, &texts)
                }
                _ => Tensor::raw(ty, shape, &std::vec![0; (data.len() * ty.bits() as usize).div_ceil(8)]),
            }
        };
    }
    use ElementType::{Bool as Truth, String};
    made! {
        F16 => |&x| f16::from_f64(x), BF16 => |&x| bf16::from_f64(x), F32 => |&x| x as f32, F64 => |&x| x,
        I8 => |&x| x as i128 as i8, U8 => |&x| x as i128 as u8, I16 => |&x| x as i128 as i16,
        U16 => |&x| x as i128 as u16, I32 => |&x| x as i128 as i32, U32 => |&x| x as i128 as u32,
        I64 => |&x| x as i128 as i64, U64 => |&x| x as i128 as u64,
        C64 => |&x| Complex32 { re: x as f32, im: 0.0 }, C128 => |&x| Complex64 { re: x, im: 0.0 },
        Truth => |&x| Bool(u8::from(x != 0.0)),
    }
}

pub(super) fn listed(text: &'static str) -> Vec<&'static str> {
    text.split_whitespace().filter(|_| text != "none").collect()
}

/// Splits an input into type, shape and data.
pub(super) fn parts(text: &str) -> (&str, Vec<i32>, Vec<&str>) {
    let parts = text.trim_start_matches(['=', '~']).split_once('[').and_then(|(ty, rest)| {
        let (shape, rest) = rest.split_once("]{")?;
        Some((ty, shape, rest.split_once('}')?.0))
    });
    let (ty, shape, data) = parts.unwrap_or_else(|| panic!("'{text}' is not an input"));
    let shape: Vec<i32> = numbers(shape);
    let count = element_count(&shape);
    let data = if data.is_empty() && ty != "String" { "0" } else { data };
    let data = data.split(',').cycle().take(count).collect();
    (ty, shape, data)
}

/// Parses scales, zero points and their dimension.
fn quantization(text: &str) -> Option<Quantized> {
    let mut parts = text.split_once('@')?.1.split(',');
    let mut list = || parts.next().unwrap_or_default().replace(';', ",");
    let (scales, zero_points) = (numbers(&list()), numbers(&list()));
    let dimension = numbers(&list()).first().copied().unwrap_or(0);
    Some(Quantized { scales, zero_points, dimension, block_size: 0 })
}

pub(super) fn quantized(text: &str, tensor: Tensor) -> Tensor {
    match quantization(text) {
        Some(quantization) => tensor.with_quantization(quantization),
        None => tensor,
    }
}

/// The output described by `text`.
///
/// # Panics
/// The text has another form.
pub fn output(text: &str) -> Spec {
    output_of(text, None)
}

/// The output described by `text`, with this type or its own.
pub(super) fn output_of(text: &str, ty: Option<ElementType>) -> Spec {
    let own = text.split(['@', '[']).next().unwrap_or_default();
    let spec = Spec::of(ty.unwrap_or_else(|| type_of(own)));
    let shape = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    let spec = shape.map_or(spec.clone(), |(shape, _)| spec.shape(&numbers::<i32>(shape)));
    match quantization(text) {
        Some(quantization) => spec.with_quantization(quantization),
        None => spec,
    }
}

/// Names for sets of types.
const SETS: &[(&str, &[&str])] = &[
    ("reals", &["F16", "BF16", "F32", "F64"]),
    ("integers", &["I8", "U8", "I16", "U16", "I32", "U32", "I64", "U64"]),
    ("complex", &["C64", "C128"]),
    ("fixed", &["reals", "integers", "complex", "Bool", "Resource", "F8E4M3", "F8E5M2"]),
];

/// Abbreviates a list of types by the names of sets.
pub(super) fn abridged(mut types: Vec<String>) -> Vec<String> {
    for (name, set) in SETS {
        if set.iter().all(|ty| types.iter().any(|x| x == ty)) {
            types.retain(|ty| !set.contains(&&**ty));
            types.insert(0, (*name).into());
        }
    }
    types
}

/// Replaces names, types, shapes and numbers in a message by `#`, consecutive ones by a single `#`.
pub(super) fn form(message: &str) -> String {
    let known = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let ty = bare.split('[').next();
        let named = word.starts_with(['\'', '[']) || ElementType::ALL.iter().any(|x| Some(x.name()) == ty);
        named || bare.starts_with(|c: char| c.is_ascii_digit()) && bare.parse::<f64>().is_ok()
    };
    let mut words: Vec<&str> = message.split(' ').map(|word| if known(word) { "#" } else { word }).collect();
    words.dedup_by(|a, b| *a == "#" && *b == "#");
    words.join(" ")
}
