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
        ensure!(x.ty == ElementType::String, "'{}' is {}, not STRING", x.name, x.ty);
        let served = matches!(y.ty, F32 | F64 | I32 | I64 | U32 | U64);
        ensure!(served, "'{}' is {}; it must be a number of 32 or 64 bits", y.name, y.ty);
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

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let x = texts(&["1", " -1.5 ", "+2.", ".5", "1e3", "1e-400"]);
        let want = [1.0, -1.5, 2.0, 0.5, 1000.0, 0.0];
        gives::<super::StringToNumber>(&[], from_ref(&x), &[floats(&want)]);
        let doubled = [("out_type", Type(F64))];
        gives::<super::StringToNumber>(&doubled, &[x], &[doubles(&want.map(f64::from))]);
        let (inf, x) = (f32::INFINITY, texts(&["inf", "-Infinity", "INF", "1e39", "nan", "NaN"]));
        gives::<super::StringToNumber>(&[], &[x], &[floats(&[inf, -inf, inf, inf, f32::NAN, f32::NAN])]);
        let x = texts(&["0x10", "-0x1p3", "0x1.8P-1", "0xfF"]);
        gives::<super::StringToNumber>(&[], &[x], &[floats(&[16.0, -8.0, 0.75, 255.0])]);
        let x = texts(&["010", "+1", "\t-2147483648\n"]);
        gives::<super::StringToNumber>(&[("out_type", Type(I32))], &[x], &[ints(&[10, 1, i32::MIN])]);
        let x = texts(&["9223372036854775807", "-9223372036854775808"]);
        gives::<super::StringToNumber>(&[("out_type", Type(I64))], &[x], &[longs(&[i64::MAX, i64::MIN])]);
        let most = Tensor::u32(&[], &[u32::MAX]);
        gives::<super::StringToNumber>(&[("out_type", Type(U32))], &[text("4294967295")], &[most]);
        let most = Tensor::u64(&[], &[u64::MAX]);
        gives::<super::StringToNumber>(&[("out_type", Type(U64))], &[text("18446744073709551615")], &[most]);
    }

    #[test]
    fn refusals() {
        for (x, ty) in [
            ("", F32),
            (".", F32),
            ("1e", F64),
            ("1 2", F32),
            ("1_0", F64),
            ("--1", F32),
            ("+-1", F64),
            ("0x", F32),
            ("0x+1", F32),
            ("inf1", F64),
            ("e5", F32),
            ("1.5", I32),
            ("0x10", I32),
            ("2147483648", I32),
            ("9223372036854775808", I64),
            ("-1", U32),
            ("4294967296", U32),
            ("-1", U64),
        ] {
            let message = format!("'{x}' is not a number of type {ty}");
            refuses::<super::StringToNumber>(&[("out_type", Type(ty))], &[text(x)], &[ty], &message);
        }
        refuses::<super::StringToNumber>(&[], &[int(1)], &[F32], "'in0' is INT32, not STRING");
        let message = "'out0' is INT8; it must be a number of 32 or 64 bits";
        refuses::<super::StringToNumber>(&[("out_type", Type(I8))], &[text("1")], &[I8], message);
    }
}
