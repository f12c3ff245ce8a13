//! Program texts: definitions, common functions, the epilogue and the kernel.

use std::fmt::Write as _;

use arenite_abi::prelude::*;
use arenite_base::{Binary, Clamp, Unary};

use crate::device::{Definition, Function, Kernel};
use crate::functions::{binary_functions, unary_functions};
use crate::kernels::{Access, KernelName};
use crate::store::precision::Precision;

/// The text of a kernel.
macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("../ops/", $name, ".cl"))
    };
}

/// The flag that selects images.
const IMAGES: &str = "IMAGES";

const COMMON: &str = include_str!("../ops/common.cl");
/// Arguments that are images, with the precision of their pixels.
pub(super) type Images = Vec<(usize, Precision)>;

fn body(kernel: &Kernel) -> Result<&'static str> {
    use KernelName as K;
    Ok(match kernel.name {
        K::BatchMatmul => text!("batch_matmul"),
        K::Chain => text!("chain"),
        K::Conv2d => text!("conv_2d"),
        K::DepthwiseConv2d => text!("depthwise_conv_2d"),
        K::Elementwise => text!("elementwise"),
        K::Gather => text!("gather"),
        K::L2Norm => text!("l2_norm"),
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
        K::Product => return Err(unsupported!("the kernel '{}' has no OpenCL text", kernel.name)),
    })
}

fn is_flagged(kernel: &Kernel, flag: &str) -> bool {
    kernel.definitions.iter().any(|definition| matches!(definition, Definition::Flag(name) if *name == flag))
}

/// The images of a kernel that selects images: buffers declared as `Source` or `Input`, and operands of the epilogue.
pub(super) fn images(kernel: &Kernel) -> Images {
    if !is_flagged(kernel, IMAGES) {
        return Images::new();
    }
    let stored = if is_flagged(kernel, "HALVES") { Precision::F16 } else { Precision::F32 };
    let input = if is_flagged(kernel, "WIDE") { Precision::F32 } else { stored };
    let declaration = kernel.name.declaration();
    let declared = declaration.buffers.iter().enumerate().filter_map(|(i, (_, access))| match access {
        Access::Source => Some((i, stored)),
        Access::Input => Some((i, input)),
        _ => None,
    });
    let has_operand = |function: &&Function| matches!(function, Function::Binary(_) | Function::Row(_));
    let operands = kernel.epilogue.iter().flatten().filter(has_operand).count();
    declared.chain((declaration.parameter_count()..).take(operands).map(|i| (i, stored))).collect()
}

/// The text of a kernel's program, which reads images or through pointers. It does not depend on sizes, so nodes share
/// programs.
pub(super) fn text(kernel: &Kernel, reads_images: bool) -> Result<String> {
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
    let declaration = kernel.name.declaration();
    let behind = if kernel.epilogue.is_some() { " EPILOGUE_PARAMETERS" } else { "" };
    let _ = writeln!(text, "#define PARAMETERS {}{behind}", declaration.opencl());
    text.push_str(body);
    Ok(text)
}

/// Defines `EPILOGUE_PARAMETERS` and `EPILOGUE(v, at, s)`. The macro changes the `float4` `v`, which is slice `at` of
/// the result and slice `s` of its row.
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

/// The numbers of a kernel's epilogue, which are its last arguments. The program does not depend on them.
pub(super) fn numbers(kernel: &Kernel) -> impl Iterator<Item = f32> + '_ {
    let numbers = |function: &Function| match *function {
        Function::Clamp(Clamp { low, high }) => vec![low, high],
        Function::Scalar(_, number) => vec![number],
        Function::Unary(_) | Function::Binary(_) | Function::Row(_) => Vec::new(),
    };
    kernel.epilogue.iter().flatten().flat_map(numbers)
}

fn unary(function: Unary) -> &'static str {
    macro_rules! text {
        ($($name:ident $opencl:literal $wgsl:literal;)*) => {
            match function {
                $(Unary::$name => $opencl,)*
            }
        };
    }
    unary_functions!(text)
}

/// A function of `v` and another `float4`.
fn binary(function: Binary, o: &str) -> String {
    macro_rules! text {
        ($($name:ident $opencl:literal $wgsl:literal;)*) => {
            match function {
                $(Binary::$name => format!($opencl, o = o),)*
            }
        };
    }
    binary_functions!(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_follow_the_declaration() {
        let images = |name, flags: &[&'static str], functions: &[Function]| {
            let definitions = flags.iter().map(|&flag| Definition::Flag(flag)).collect();
            images(&Kernel { name, definitions, epilogue: Some(functions.to_vec()) })
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
