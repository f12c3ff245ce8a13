//! StringToNumber: parses each string as a number. STRING to F32, F64, I32, I64, U32, U64.
//! Defined by: tensorflow/core/kernels/string_to_number_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::number::put_reals;
use crate::kit::text::strip;
use crate::kit::values::Values;

/// The `FlexStringToNumber` op.
pub type StringToNumber = Node<Definition>;

/// Shape function and kernel of `FlexStringToNumber`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexStringToNumber";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        ensure!(x.ty == ElementType::String, "{x} is {}, not STRING", x.ty);
        let served = matches!(y.ty, F32 | F64 | I32 | I64 | U32 | U64);
        ensure!(served, "{y} is {}; it must be a number of 32 or 64 bits", y.ty);
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let strings = call.strings(0)?;
        let y = call.output(0)?;
        let ty = y.ty();
        let texts = strings
            .iter()
            .map(|text| core::str::from_utf8(strip(text)).map_err(|_| invalid!("a string is not UTF-8")));
        if matches!(ty, F32 | F64) {
            let value = |text| real(text, ty).ok_or_else(|| not_a_number(text, ty));
            return put_reals(y, texts.map(|text| text.and_then(value)).collect::<Result<Vec<_>>>()?);
        }
        let value = |text: &str| text.parse().ok().filter(|&value| fits(value, ty));
        let values =
            texts.map(|text| text.and_then(|text| value(text).ok_or_else(|| not_a_number(text, ty))));
        Values::Int(values.collect::<Result<Vec<_>>>()?).put(y)
    }
}

fn fits(value: i128, ty: ElementType) -> bool {
    match ty {
        I32 => i32::try_from(value).is_ok(),
        I64 => i64::try_from(value).is_ok(),
        U32 => u32::try_from(value).is_ok(),
        _ => u64::try_from(value).is_ok(),
    }
}

/// Parses a number like C's `strtod`: decimal, hexadecimal, `inf` or `nan`.
fn real(text: &str, ty: ElementType) -> Option<f64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let lower = digits.to_ascii_lowercase();
    let magnitude = if let Some(hex) = lower.strip_prefix("0x") {
        hexadecimal(hex)?
    } else if let Some(payload) = lower.strip_prefix("nan(").and_then(|rest| rest.strip_suffix(')')) {
        payload.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_').then_some(f64::NAN)?
    } else if lower.starts_with(['+', '-']) {
        return None;
    } else if ty == F32 {
        lower.parse::<f32>().ok()?.into()
    } else {
        lower.parse().ok()?
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// Parses `h.hhp±d`; `None` if there are more than 28 digits.
fn hexadecimal(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once('p').unwrap_or((text, "0"));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all = [whole, part].concat();
    if all.starts_with('+') || all.len() > 28 {
        return None;
    }
    let exponent = i64::from(exponent.parse::<i32>().ok()?) - 4 * part.len() as i64;
    let value = u128::from_str_radix(&all, 16).ok()? as f64;
    Some(libm::ldexp(value, exponent.clamp(-5000, 5000) as i32))
}

fn not_a_number(text: &str, ty: ElementType) -> Error {
    invalid!("'{text}' is not a number of type {ty}")
}
