//! Values, types and functions in generated Rust files.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use arenite_abi::ElementType;

use super::tables::{Node, Place, Tensor};

/// A function that nodes run.
pub(super) struct Form<'e> {
    /// Its symbol in C.
    pub symbol: &'e str,
    /// The path of the op's type.
    op: String,
    /// The method; `None` for `Op::eval`.
    method: Option<&'e str>,
}

impl Form<'_> {
    /// The type `KernelN` that names the function.
    pub(super) fn item(&self, number: usize) -> String {
        let op = &self.op;
        let call = match self.method {
            Some(method) => format!("op.{method}(cx)"),
            None => "e::Op::eval(op, cx)".into(),
        };
        format!(
            "struct Kernel{number};\nimpl e::Kernel for Kernel{number} {{\n    type Op = {op};\n    \
             fn run(op: &{op}, cx: &mut e::EvalContext<'_>) -> e::Result<()> {{ {call} }}\n}}"
        )
    }
}

/// The functions that the nodes run, without duplicates, or the first node whose function has no path. `forms` has the
/// paths of forms in `arenite-ops`, by symbol.
pub(super) fn kernels<'e>(nodes: &'e [Node], forms: &[(&str, &'e str)]) -> Result<Vec<Form<'e>>, &'e Node> {
    let mut found: Vec<Form<'e>> = Vec::new();
    for node in nodes {
        let symbol = &node.kernel[..];
        if found.iter().any(|form| form.symbol == symbol) {
            continue;
        }
        let form =
            forms.iter().find(|(name, _)| *name == symbol).and_then(|(_, path)| path.rsplit_once("::"));
        found.push(match form {
            Some((op, method)) => Form { symbol, op: format!("arenite_ops::{op}"), method: Some(method) },
            None if node.path.is_empty() => return Err(node),
            None => Form { symbol, op: node.path.clone(), method: None },
        });
    }
    Ok(found)
}

/// An expression for the memory of a tensor or a buffer.
pub(super) fn memory(place: Place, bytes: usize) -> String {
    match place {
        Place::Nowhere => format!("M::none({bytes})"),
        Place::Arena(at) => format!("ARENA.at({at}, {bytes})"),
        Place::Variable(at) => format!("VARIABLES.at({at}, {bytes})"),
        Place::Constant(i) => format!("M::constant(&CONSTANT_{i})"),
    }
}

/// A list of numbers.
pub(super) fn numbers(list: &[i32]) -> String {
    format!("&[{}]", list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
}

/// A literal with exactly this value.
pub(super) fn real(value: f32) -> String {
    if value.is_finite() { format!("{value:?}") } else { format!("f32::from_bits({:#x})", value.to_bits()) }
}

/// How a program sees a tensor: the type of its elements, their number, and the call of `Model` that gives them.
/// `suffix` is `_mut` for a call that may write; `ty` replaces the tensor's type.
pub(super) fn view(tensor: &Tensor, suffix: &str, ty: Option<ElementType>) -> (&'static str, usize, String) {
    let (item, size) = match ty.unwrap_or(tensor.ty) {
        ElementType::F32 => ("f32", 4),
        ElementType::F64 => ("f64", 8),
        ElementType::I8 => ("i8", 1),
        ElementType::I16 => ("i16", 2),
        ElementType::U16 => ("u16", 2),
        ElementType::I32 => ("i32", 4),
        ElementType::U32 => ("u32", 4),
        ElementType::I64 => ("i64", 8),
        ElementType::U64 => ("u64", 8),
        _ => ("u8", 1),
    };
    let (call, at) = match tensor.place {
        Place::Nowhere => (format!("self.0.arena{suffix}"), 0),
        Place::Arena(at) => (format!("self.0.arena{suffix}"), at),
        Place::Variable(at) => (format!("self.0.variable{suffix}"), at),
        Place::Constant(i) => (format!("tables::CONSTANT_{i}.elements"), 0),
    };
    let bytes = if tensor.place == Place::Nowhere { 0 } else { tensor.bytes };
    let (item, size) = if (at | bytes).is_multiple_of(size) { (item, size) } else { ("u8", 1) };
    let count = bytes / size;
    let types = match tensor.place {
        Place::Constant(_) => format!("{item}, {count}"),
        _ => format!("{item}, {at}, {count}"),
    };
    (item, count, format!("{call}::<{types}>()"))
}
