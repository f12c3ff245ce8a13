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
            "'{}' is {}, which takes neither a precision nor a notation",
            x.name,
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
    use crate::kit::testing::tables::*;

    fn printed(attributes: &[(&str, Attribute<'_>)], x: Tensor, want: &[&str]) {
        gives::<super::AsString>(attributes, &[x], &[texts(want)]);
    }

    #[test]
    fn integers() {
        let x = || ints(&[1, -20]);
        printed(&[], x(), &["1", "-20"]);
        for (fill, want) in [
            ("", ["    1", "  -20"]),
            (" ", ["    1", "  -20"]),
            ("0", ["00001", "-0020"]),
            ("+", ["   +1", "  -20"]),
            ("-", ["1    ", "-20  "]),
            ("#", ["    1", "  -20"]),
        ] {
            printed(&[("width", Int(5)), ("fill", Text(fill))], x(), &want);
        }
        printed(&[("fill", Text("+"))], x(), &["+1", "-20"]);
        printed(&[("fill", Text(" "))], x(), &[" 1", "-20"]);
        printed(&[], Tensor::u64(&[1], &[u64::MAX]), &["18446744073709551615"]);
        printed(&[("fill", Text("+"))], Tensor::u8(&[1], &[7]), &["7"]);
        printed(&[("width", Int(8)), ("fill", Text("0"))], bools(&[true, false]), &["true", "false"]);
        gives::<super::AsString>(&[], &[long(i64::MIN)], &[text("-9223372036854775808")]);
        printed(&[], ints(&[]), &[]);
    }

    #[test]
    fn reals() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        let x = || floats(&[1.5, -2.25, -0.0, 1e20, nan, -inf]);
        let want = ["1.500000", "-2.250000", "-0.000000", "100000002004087734272.000000", "nan", "-inf"];
        printed(&[], x(), &want);
        let want = ["1.500000e+00", "-2.250000e+00", "-0.000000e+00", "1.000000e+20", "nan", "-inf"];
        printed(&[("scientific", Bool(true))], x(), &want);
        printed(&[("shortest", Bool(true))], x(), &["1.5", "-2.25", "-0", "1e+20", "nan", "-inf"]);
        let short = [("shortest", Bool(true)), ("precision", Int(3))];
        printed(&short, floats(&[999.5, 0.0001, 0.00001, 100.0]), &["1e+03", "0.0001", "1e-05", "100"]);
        let alternate = [("shortest", Bool(true)), ("fill", Text("#"))];
        printed(&alternate, floats(&[1.5, 1e20]), &["1.50000", "1.00000e+20"]);
        // Ties round to even.
        printed(&[("precision", Int(0))], floats(&[1.5, 2.5, 1234.5]), &["2", "2", "1234"]);
        printed(&[("precision", Int(0)), ("fill", Text("#"))], floats(&[3.0]), &["3."]);
        printed(&[("precision", Int(20))], doubles(&[1.0 / 3.0]), &["0.33333333333333331483"]);
        for (fill, want) in [
            ("0", ["0001.50", "-002.25", "    nan", "   -inf"]),
            ("+", ["  +1.50", "  -2.25", "   +nan", "   -inf"]),
            ("-", ["1.50   ", "-2.25  ", "nan    ", "-inf   "]),
        ] {
            let attributes = [("width", Int(7)), ("precision", Int(2)), ("fill", Text(fill))];
            printed(&attributes, floats(&[1.5, -2.25, nan, -inf]), &want);
        }
        let half = half::f16::from_f32(1.5);
        printed(&[("precision", Int(1))], Tensor::f16(&[1], &[half]), &["1.5"]);
        // The width applies to the real and to the imaginary part.
        let z = || Tensor::complex64(&[1], &[Complex32 { re: -0.0, im: 1.5 }]);
        printed(&[], z(), &["(-0.000000,1.500000)"]);
        let attributes = [("width", Int(6)), ("precision", Int(1)), ("fill", Text("0"))];
        printed(&attributes, z(), &["(-000.0,0001.5)"]);
    }

    #[test]
    fn strings() {
        printed(&[], texts(&["abc", ""]), &["abc", ""]);
        printed(&[("width", Int(4))], texts(&["abc"]), &[" abc"]);
        printed(&[("width", Int(4)), ("fill", Text("-")), ("precision", Int(2))], texts(&["abc"]), &["ab  "]);
    }

    #[test]
    fn refusals() {
        let refused = |attributes: &[(&str, Attribute<'_>)], x: Tensor, message: &str| {
            refuses::<super::AsString>(attributes, &[x], &[ElementType::String], message);
        };
        refused(&[("fill", Text("x"))], int(1), "attribute 'fill' is 'x'; it may be a space, +, -, 0 or #");
        refused(&[("fill", Text("00"))], int(1), "attribute 'fill' has 2 characters; at most one is allowed");
        let message = "'in0' is INT32, which takes neither a precision nor a notation";
        refused(&[("precision", Int(2))], int(1), message);
        refused(&[("scientific", Bool(true))], int(1), message);
        let both = [("scientific", Bool(true)), ("shortest", Bool(true))];
        refused(&both, float(1.0), "'scientific' and 'shortest' exclude each other");
        refused(&[("width", Int(1 << 20))], int(1), "precision -1 and width 1048576 are too large");
        refused(&[("width", Text("1"))], int(1), "attribute 'width' is of kind 2, this op reads kind 3");
    }
}
