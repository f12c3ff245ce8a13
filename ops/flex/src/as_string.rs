//! AsString: the digits of each number. Reals, integers, BOOL, complex numbers to STRING; attributes `precision`, `scientific`, `shortest`, `width`, `fill`.
//! Defined by: tensorflow/core/kernels/as_string_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::values::Values;

/// The op.
pub type AsString = Node<Definition>;

/// What it computes.
pub struct Definition {
    precision: i64,
    scientific: bool,
    shortest: bool,
    width: i64,
    fill: Vec<u8>,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexAsString";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        let (precision, width) = (def.int("precision", -1)?, def.int("width", -1)?);
        ensure!(precision <= 1 << 10 && width <= 1 << 16, "precision {precision} and width {width} are too large");
        let fill = def.bytes("fill", b"")?.to_vec();
        ensure!(fill.len() <= 1, "attribute 'fill' has {} characters; one is needed", fill.len());
        Ok(Definition {
            precision,
            scientific: def.bool("scientific", false)?,
            shortest: def.bool("shortest", false)?,
            width,
            fill,
        })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let x = call.input(0)?;
        let longest = self.width.max(0) as usize + self.precision.max(0) as usize + 1;
        call.string_count(&call.dims(0)?, x.len().saturating_mul(longest))?;
        let texts: Vec<String> = match (x.ty, Values::of(&x)?) {
            (ElementType::Bool, Values::Int(v)) => v.iter().map(|&b| if b != 0 { "true" } else { "false" }.into()).collect(),
            (_, Values::Int(v)) => v.iter().map(|i| i.to_string()).collect(),
            (_, Values::Real(v)) => v.iter().map(|&f| self.real(f)).collect(),
            (_, Values::Complex(v)) => v.iter().map(|z| format!("({},{})", self.real(z.re), self.real(z.im))).collect(),
        };
        let texts: Vec<String> = texts.into_iter().map(|text| self.padded(text, x.ty)).collect();
        call.put_strings(0, &call.dims(0)?, &texts)
    }
}

impl Definition {
    /// As `%f`, `%e` or `%g` print it.
    fn real(&self, x: f64) -> String {
        let precision = if self.precision < 0 { 6 } else { self.precision as usize };
        if !x.is_finite() {
            let sign = if x.is_sign_negative() && !x.is_nan() { "-" } else { "" };
            return format!("{sign}{}", if x.is_nan() { "nan" } else { "inf" });
        }
        let scientific = |precision: usize| {
            let text = format!("{x:.precision$e}");
            let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let exponent: i32 = exponent.parse().unwrap_or(0);
            let sign = if exponent < 0 { '-' } else { '+' };
            (digits.to_owned(), exponent, format!("e{sign}{:02}", exponent.abs()))
        };
        if self.scientific {
            let (digits, _, exponent) = scientific(precision);
            return digits + &exponent;
        }
        if !self.shortest {
            return format!("{x:.precision$}");
        }
        let significant = precision.max(1);
        let (digits, exponent, text) = scientific(significant - 1);
        let trim = |text: &str| match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text.to_owned(),
        };
        if exponent < -4 || exponent >= significant as i32 {
            return trim(&digits) + &text;
        }
        let after = (significant as i32 - 1 - exponent).max(0) as usize;
        trim(&format!("{x:.after$}"))
    }

    /// Filled to the width on the left; zeros go behind the sign, a minus for filling puts the spaces on the right.
    fn padded(&self, text: String, ty: ElementType) -> String {
        let missing = usize::try_from(self.width).unwrap_or(0).saturating_sub(text.len());
        if missing == 0 || ty == ElementType::Bool {
            return text;
        }
        match self.fill.first() {
            Some(b'0') if !text.ends_with(|c: char| c.is_ascii_digit() || c == ')') => " ".repeat(missing) + &text,
            Some(b'0') if text.starts_with('-') => format!("-{}{}", "0".repeat(missing), &text[1..]),
            Some(b'0') => "0".repeat(missing) + &text,
            Some(b'-') => text + &" ".repeat(missing),
            Some(b'+') if !text.starts_with('-') => " ".repeat(missing - 1) + "+" + &text,
            _ => " ".repeat(missing) + &text,
        }
    }
}
