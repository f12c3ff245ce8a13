//! Texts of programs: what all share, definitions, the epilogue, the kernel.

use std::fmt::Write as _;

use arenite_abi::prelude::*;
use arenite_layers::{Binary, Clamp, Unary};

use crate::device::{Definition, Function, Kernel};
use crate::kernel_name::KernelName;
use crate::precision::Precision;

/// The text of a kernel.
macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("../ops/", $name, ".cl"))
    };
}

/// The flag that asks for images.
const IMAGES: &str = "IMAGES";

const COMMON: &str = include_str!("../ops/common.cl");
/// Arguments that are images, and how their pixels are stored.
pub type Images = Vec<(usize, Precision)>;

fn body(kernel: &Kernel) -> Result<&'static str> {
    use KernelName as K;
    Ok(match kernel.name {
        K::BatchMatmul => text!("batch_matmul"),
        K::Chain => text!("chain"),
        K::Conv2d => text!("conv_2d"),
        K::DepthwiseConv2d => text!("depthwise_conv_2d"),
        K::Elementwise => text!("elementwise"),
        K::Gather => text!("gather"),
        K::LayerNorm => text!("layer_norm"),
        K::Lstm => text!("lstm"),
        K::Moves => text!("moves"),
        K::Pool2d => text!("pool_2d"),
        K::Reduce => text!("reduce"),
        K::Resize => text!("resize"),
        K::Softmax => text!("softmax"),
        K::Tiled => text!("tiled"),
        K::TransposeConv => text!("transpose_conv"),
        K::WinogradInverse => text!("winograd_inverse"),
        K::WinogradTransform => text!("winograd_transform"),
        K::Product => return Err(unsupported!("there is no OpenCL kernel '{}'", kernel.name)),
    })
}

fn is_flagged(kernel: &Kernel, flag: &str) -> bool {
    kernel.definitions.iter().any(|definition| matches!(definition, Definition::Flag(name) if *name == flag))
}

/// Those of a kernel that asks for images: what its text declares as `SOURCE` or `INPUT`, and operands of the epilogue.
pub fn images(kernel: &Kernel) -> Result<Images> {
    if !is_flagged(kernel, IMAGES) {
        return Ok(Images::new());
    }
    let stored = if is_flagged(kernel, "HALVES") { Precision::F16 } else { Precision::F32 };
    let input = if is_flagged(kernel, "WIDE") { Precision::F32 } else { stored };
    let (_, head) = body(kernel)?.split_once(&format!("void {}(", kernel.name)).unwrap_or_default();
    let parameters: Vec<&str> = head.split(')').next().unwrap_or(head).split(',').map(str::trim).collect();
    let declared =
        parameters.iter().enumerate().filter_map(|(i, parameter)| match parameter.split_once(' ')? {
            ("SOURCE", _) => Some((i, stored)),
            ("INPUT", _) => Some((i, input)),
            _ => None,
        });
    let has_operand = |function: &&Function| matches!(function, Function::Binary(_) | Function::Row(_));
    let operands = kernel.epilogue.iter().flatten().filter(has_operand).count();
    Ok(declared.chain((parameters.len()..).take(operands).map(|i| (i, stored))).collect())
}

/// The text of a program with the kernel, which reads images or through pointers. Programs are shared by all nodes that do the same,
/// whatever their sizes.
pub fn text(kernel: &Kernel, reads_images: bool) -> Result<String> {
    let body = body(kernel)?;
    let mut text = String::new();
    for definition in &kernel.definitions {
        let _ = match *definition {
            Definition::Flag(IMAGES) if !reads_images => Ok(()),
            Definition::Flag(name) => writeln!(text, "#define {name}"),
            Definition::Number(name, number) => writeln!(text, "#define {name} {number}"),
            Definition::Function(function) => writeln!(text, "#define FUNCTION ({})", binary(function, "o")),
        };
    }
    text.push_str(COMMON);
    if let Some(functions) = &kernel.epilogue {
        write_epilogue(&mut text, functions);
    }
    text.push_str(body);
    Ok(text)
}

/// Defines `EPILOGUE_PARAMETERS` and `EPILOGUE(v, at, s)`, which changes the `float4` `v`: slice `at` of the result, slice `s` of its row.
fn write_epilogue(text: &mut String, functions: &[Function]) {
    let (mut operands, mut numbers) = (String::new(), String::new());
    let (mut operand_count, mut number_count) = (0, 0);
    let mut code = String::new();
    for function in functions {
        let mut operand = |index| {
            let name = format!("operand{operand_count}");
            operand_count += 1;
            let _ = write!(operands, ", SOURCE {name}");
            format!("READ4({name}, {index})")
        };
        let mut number = || {
            let name = format!("number{number_count}");
            number_count += 1;
            let _ = write!(numbers, ", float {name}");
            name
        };
        let value = match *function {
            Function::Clamp(_) => format!("at_most(at_least(v, {}), {})", number(), number()),
            Function::Unary(function) => unary(function).to_owned(),
            Function::Scalar(function, _) => binary(function, &format!("((float4)({}))", number())),
            Function::Binary(function) => binary(function, &operand("at")),
            Function::Row(function) => binary(function, &operand("s")),
        };
        let _ = write!(code, " v = {value};");
    }
    let parameters = operands + &numbers;
    let _ = write!(text, "#define EPILOGUE_PARAMETERS {parameters}\n#define EPILOGUE(v, at, s) {code}\n");
}

/// The numbers of a kernel's epilogue, which are its last arguments: programs are the same whatever they are.
pub fn numbers(kernel: &Kernel) -> impl Iterator<Item = f32> + '_ {
    let numbers = |function: &Function| match *function {
        Function::Clamp(Clamp { low, high }) => vec![low, high],
        Function::Scalar(_, number) => vec![number],
        Function::Unary(_) | Function::Binary(_) | Function::Row(_) => Vec::new(),
    };
    kernel.epilogue.iter().flatten().flat_map(numbers)
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
        Unary::Round => "select(rint(v) + 0.0f, v, isequal(v, (float4)(0.0f)))",
        Unary::Exp => "exp(v)",
        Unary::Elu => "select(v, expm1(v), isless(v, (float4)(0.0f)))",
        Unary::Logistic => "1.0f / (1.0f + exp(-v))",
        Unary::Tanh => "tanh(v)",
        Unary::HardSwish => "v * at_most(at_least(v + 3.0f, 0.0f), 6.0f) / 6.0f",
        Unary::Silu => "finite(v / (1.0f + exp(-v)))",
        Unary::Gelu => "0.5f * v * (1.0f + ended(erf(v * 0.70710678118654752f), v, -5.66f))",
        Unary::GeluTanh => {
            "0.5f * v * (1.0f + ended(tanh(0.79788456080286536f * (v + 0.044715f * v * v * v)), v, -6.0f))"
        }
    }
}

/// A function of `v` and another `float4`.
fn binary(function: Binary, o: &str) -> String {
    match function {
        Binary::Add => format!("finite(v + {o})"),
        Binary::Sub => format!("finite(v - {o})"),
        Binary::SubFrom => format!("finite({o} - v)"),
        Binary::Mul => format!("finite(v * {o})"),
        Binary::Div => format!("finite(v / {o})"),
        Binary::DivInto => format!("finite({o} / v)"),
        Binary::Min => format!("select({o}, v, isless(v, {o}))"),
        Binary::MinOf => format!("select(v, {o}, isless({o}, v))"),
        Binary::Max => format!("select({o}, v, isgreater(v, {o}))"),
        Binary::MaxOf => format!("select(v, {o}, isgreater({o}, v))"),
        Binary::SquaredDifference => format!("(v - {o}) * (v - {o})"),
        Binary::Leak => format!("select(v, v * {o}, isless(v, (float4)(0.0f)))"),
        Binary::LeakOf => format!("select({o}, v * {o}, isless({o}, (float4)(0.0f)))"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_what_texts_declare() {
        let images = |name, flags: &[&'static str], functions: &[Function]| {
            let definitions = flags.iter().map(|&flag| Definition::Flag(flag)).collect();
            images(&Kernel { name, definitions, epilogue: Some(functions.to_vec()) }).expect("it is known")
        };
        let (wide, half) = (Precision::F32, Precision::F16);
        let functions =
            [Function::Row(Binary::Add), Function::Scalar(Binary::Mul, 2.0), Function::Binary(Binary::Max)];
        assert_eq!(images(KernelName::Conv2d, &["HALVES"], &functions), []);
        let all = images(KernelName::Conv2d, &["HALVES", "WIDE", IMAGES], &functions);
        assert_eq!(all, [(1, wide), (2, wide), (20, half), (21, half)]);
        assert_eq!(images(KernelName::Tiled, &[IMAGES], &[]), [(1, wide), (2, wide)]);
        assert_eq!(images(KernelName::Chain, &["HALVES", IMAGES], &functions[..1]), [(1, half), (5, half)]);
        assert_eq!(images(KernelName::Moves, &[IMAGES], &[]), []);
    }
}
