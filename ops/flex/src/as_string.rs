//! AsString: each number as text, formatted as by C's `printf`. Reals, integers, BOOL, complex numbers, STRING to
//! STRING; attributes `precision`, `scientific`, `shortest`, `width`, `fill`.
//! Defined by: tensorflow/core/kernels/as_string_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::text::text_output;
use crate::kit::values::Values;

/// The `FlexAsString` op.
pub type AsString = Node<Definition>;

/// Attributes, shape function and kernel of `FlexAsString`.
pub struct Definition {
    precision: i64,
    style: Style,
    width: usize,
    fill: Option<u8>,
}

/// The conversion that is used for reals.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    /// As `%f` prints it.
    Fixed,
    /// As `%e` prints it.
    Scientific,
    /// As `%g` prints it.
    Shortest,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexAsString";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        text_output(&y)?;
        let (precision, width) = (def.int("precision", -1)?, def.int("width", -1)?);
        ensure!(
            precision <= 1 << 10 && width <= 1 << 16,
            "precision {precision} and width {width} are too large"
        );
        let style = match (def.bool("scientific", false)?, def.bool("shortest", false)?) {
            (false, false) => Style::Fixed,
            (true, false) => Style::Scientific,
            (false, true) => Style::Shortest,
            (true, true) => return Err(invalid!("'scientific' and 'shortest' exclude each other")),
        };
        let fill = def.bytes("fill", b"")?;
        ensure!(fill.len() <= 1, "attribute 'fill' has {} characters; at most one is allowed", fill.len());
        let fill = fill.first().copied();
        let known = fill.is_none_or(|fill| b" +-0#".contains(&fill));
        ensure!(known, "attribute 'fill' is '{}'; it may be a space, +, -, 0 or #", def.text("fill", "")?);
        let points = matches!(x.ty, F16 | BF16 | F32 | F64 | C64 | C128 | ElementType::String);
        ensure!(
            points || precision < 0 && style == Style::Fixed,
            "{x} is {}, which takes neither a precision nor a notation",
            x.ty
        );
        Ok(Definition { precision, style, width: width.max(0) as usize, fill })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (x, dims) = (call.input(0)?, call.dims(0)?);
        let longest = self.width + self.precision.max(0) as usize + 1;
        call.string_count(&dims, x.len().saturating_mul(longest))?;
        if x.ty == ElementType::String {
            let texts: Vec<Vec<u8>> = call.strings(0)?.iter().map(|text| self.text(text)).collect();
            return call.put_strings(0, &dims, &texts);
        }
        let signed = !matches!(x.ty, U8 | U16 | U32 | U64);
        let integer = |i: &i128| self.padded(*i < 0, &i.unsigned_abs().to_string(), signed, true);
        let texts: Vec<String> = match Values::of(&x)? {
            Values::Int(v) if x.ty == ElementType::Bool => v.iter().map(|&b| (b != 0).to_string()).collect(),
            Values::Int(v) => v.iter().map(integer).collect(),
            Values::Real(v) => v.iter().map(|&f| self.real(f)).collect(),
            Values::Complex(v) => {
                v.iter().map(|z| format!("({},{})", self.real(z.re), self.real(z.im))).collect()
            }
        };
        call.put_strings(0, &dims, &texts)
    }
}

impl Definition {
    fn real(&self, x: f64) -> String {
        if x.is_nan() {
            return self.padded(false, "nan", true, false);
        }
        let digits = if x.is_finite() { self.digits(x.abs()) } else { "inf".into() };
        self.padded(x.is_sign_negative(), &digits, true, x.is_finite())
    }

    /// The digits that `%f`, `%e` or `%g` print for a non-negative number.
    fn digits(&self, x: f64) -> String {
        let precision = if self.precision < 0 { 6 } else { self.precision as usize };
        let alternate = self.fill == Some(b'#');
        let pointed = |digits: String| {
            let lacks = alternate && !digits.contains('.');
            if lacks { digits + "." } else { digits }
        };
        let scientific = |precision: usize| {
            let text = format!("{x:.precision$e}");
            let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let exponent: i32 = exponent.parse().unwrap_or(0);
            let sign = if exponent < 0 { '-' } else { '+' };
            (pointed(digits.to_owned()), exponent, format!("e{sign}{:02}", exponent.abs()))
        };
        let trimmed = |digits: String| match digits.contains('.') && !alternate {
            true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => digits,
        };
        match self.style {
            Style::Fixed => pointed(format!("{x:.precision$}")),
            Style::Scientific => {
                let (digits, _, exponent) = scientific(precision);
                digits + &exponent
            }
            Style::Shortest => {
                let significant = precision.max(1);
                let (digits, exponent, text) = scientific(significant - 1);
                if exponent < -4 || exponent >= significant as i32 {
                    return trimmed(digits) + &text;
                }
                let after = (significant as i32 - 1 - exponent).max(0) as usize;
                trimmed(pointed(format!("{x:.after$}")))
            }
        }
    }

    /// Adds the sign and pads to the width. Zero padding goes between the sign and the digits; with `-` as the fill
    /// character, spaces go on the right.
    fn padded(&self, negative: bool, digits: &str, signed: bool, number: bool) -> String {
        let sign = match self.fill {
            _ if negative => "-",
            Some(b'+') if signed => "+",
            Some(b' ') if signed => " ",
            _ => "",
        };
        let missing = self.width.saturating_sub(sign.len() + digits.len());
        match self.fill {
            Some(b'0') if number => format!("{sign}{}{digits}", "0".repeat(missing)),
            Some(b'-') => format!("{sign}{digits}{}", " ".repeat(missing)),
            _ => format!("{}{sign}{digits}", " ".repeat(missing)),
        }
    }

    /// Pads a string as `%s` does.
    fn text(&self, text: &[u8]) -> Vec<u8> {
        let text = match usize::try_from(self.precision) {
            Ok(most) => &text[..most.min(text.len())],
            Err(_) => text,
        };
        let spaces = b" ".repeat(self.width.saturating_sub(text.len()));
        if self.fill == Some(b'-') { [text, &spaces].concat() } else { [&spaces, text].concat() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::testing::one;
    use crate::kit::write::Attribute::{Int, Text};
    use arenite_abi::testing::Tensor;

    #[test]
    fn blanks() {
        let x = [Tensor::i32(&[2], &[1, -20])];
        let blanks = one::<AsString>(&[("width", Int(5)), ("fill", Text(" "))], &x, ElementType::String);
        assert_eq!(blanks.as_strings(), ["    1", "  -20"]);
        let blanks = one::<AsString>(&[("fill", Text(" "))], &x, ElementType::String);
        assert_eq!(blanks.as_strings(), [" 1", "-20"]);
    }
}
