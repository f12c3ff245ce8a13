//! What kernels do with their results before they write them, as text.

use std::fmt::Write as _;

use arenite_abi::prelude::*;
use arenite_layers::{Binary, Clamp, EpilogueOp, Unary};

use crate::builder::{Buffer, Builder};
use crate::layout::Layout;

/// Text of an epilogue, and what it reads.
pub struct Epilogue {
    /// Defines `EPILOGUE_PARAMETERS` and `EPILOGUE(v, at, s)`, which changes the `float4` `v`: slice `at` of the result, slice `s` of
    /// its row.
    pub text: String,
    /// In the order of the parameters.
    pub buffers: Vec<Buffer>,
}

/// A number as the text of the float with its bits.
pub fn float(number: f32) -> String {
    format!("as_float(0x{:08x}u)", number.to_bits())
}

/// Of a layer whose results lie so.
pub fn epilogue(
    builder: &mut Builder<'_, '_>,
    clamp: Clamp,
    functions: &[EpilogueOp],
    layout: Layout,
) -> Result<Epilogue> {
    let (mut parameters, mut code, mut buffers) = (String::new(), String::new(), Vec::new());
    if clamp != Clamp::NONE {
        write_clamp(&mut code, clamp);
    }
    for function in functions {
        let operand = match *function {
            EpilogueOp::Clamp(clamp) => {
                write_clamp(&mut code, clamp);
                continue;
            }
            EpilogueOp::Unary(function) => {
                let _ = write!(code, " v = {};", unary(function));
                continue;
            }
            EpilogueOp::Scalar(function, number) => {
                let _ = write!(code, " v = {};", binary(function, &format!("((float4)({}))", float(number))));
                continue;
            }
            EpilogueOp::Binary(_, id) => builder.view(id, layout)?,
            EpilogueOp::Row(_, id, channels) => builder.view(id, Layout { rows: 1, channels })?,
        };
        let (function, index) = match *function {
            EpilogueOp::Row(function, ..) => (function, "s"),
            EpilogueOp::Binary(function, _) => (function, "at"),
            _ => continue,
        };
        let name = format!("operand{}", buffers.len());
        let _ = write!(parameters, ", __global const float4 *{name}");
        let _ = write!(code, " v = {};", binary(function, &format!("{name}[{index}]")));
        buffers.push(operand.buffer);
    }
    let text = format!("#define EPILOGUE_PARAMETERS {parameters}\n#define EPILOGUE(v, at, s) {code}\n");
    Ok(Epilogue { text, buffers })
}

fn write_clamp(code: &mut String, clamp: Clamp) {
    let _ = write!(code, " v = at_most(at_least(v, {}), {});", float(clamp.low), float(clamp.high));
}

fn unary(function: Unary) -> &'static str {
    match function {
        Unary::Abs => "fabs(v)",
        Unary::Neg => "-v",
        Unary::Sqrt => "sqrt(v)",
        Unary::Rsqrt => "1.0f / sqrt(v)",
        Unary::Square => "v * v",
        Unary::Floor => "floor(v)",
        Unary::Ceil => "ceil(v)",
        Unary::Round => "rint(v)",
        Unary::Exp => "exp(v)",
        Unary::Elu => "select(v, expm1(v), isless(v, (float4)(0.0f)))",
        Unary::Logistic => "1.0f / (1.0f + exp(-v))",
        Unary::Tanh => "tanh(v)",
        Unary::HardSwish => "v * at_most(at_least(v + 3.0f, 0.0f), 6.0f) / 6.0f",
        Unary::Silu => "v / (1.0f + exp(-v))",
        Unary::Gelu => "0.5f * v * (1.0f + erf(v * 0.70710678118654752f))",
        Unary::GeluTanh => "0.5f * v * (1.0f + tanh(0.79788456080286536f * (v + 0.044715f * v * v * v)))",
    }
}

/// A function of `v` and another `float4`.
pub fn binary(function: Binary, o: &str) -> String {
    match function {
        Binary::Add => format!("v + {o}"),
        Binary::Sub => format!("v - {o}"),
        Binary::SubFrom => format!("{o} - v"),
        Binary::Mul => format!("v * {o}"),
        Binary::Div => format!("v / {o}"),
        Binary::DivInto => format!("{o} / v"),
        Binary::Min => format!("select({o}, v, isless(v, {o}))"),
        Binary::MinOf => format!("select(v, {o}, isless({o}, v))"),
        Binary::Max => format!("select({o}, v, isgreater(v, {o}))"),
        Binary::MaxOf => format!("select(v, {o}, isgreater({o}, v))"),
        Binary::SquaredDifference => format!("(v - {o}) * (v - {o})"),
        Binary::Leak => format!("select(v, v * {o}, isless(v, (float4)(0.0f)))"),
        Binary::LeakOf => format!("select({o}, v * {o}, isless({o}, (float4)(0.0f)))"),
    }
}
