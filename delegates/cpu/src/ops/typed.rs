//! Comparisons, selections, casts, logic, and arithmetic of whole numbers.
//!
//! Quantized numbers that are moved, ordered, negated or cast are plain integers. Most nets hold signed bytes as `q +
//! 128`; layers that compute with such bytes have a function for each form.

use arenite_abi::prelude::*;
use arenite_abi::schema::activation;
use arenite_layers::layer::moves::width;
use arenite_layers::lower::{expect_elements, fused_activation};
use arenite_layers::{Id, Loops, Node, Source, Value};

use super::typed_functions::*;
use super::typed_loops::{choose, one, sum_of_three, two};
use crate::isa::Isa;
use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::select_rows::SelectRows;
use crate::steps::typed_map::{ElementFn, INPUTS, TypedMap};

/// The name of choices.
const SELECT: &str = "select";

/// A function of elements of any type.
pub(crate) struct TypedFunction {
    name: &'static str,
    f: ElementFn,
    /// The function of signed bytes that are held as `q + 128`, if inputs are signed bytes.
    biased: Option<ElementFn>,
    /// The function for an instruction set, if it has kernels.
    pub(super) by_isa: Option<fn(Isa) -> ElementFn>,
    /// The shape that the first input is seen as.
    first: Vec<usize>,
}

impl TypedFunction {
    /// The function for the form in which the net holds bytes.
    fn function(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>) -> Result<ElementFn> {
        let Some(biased) = self.biased else { return Ok(self.f) };
        let first = &net.values[node.inputs[0]];
        for &id in node.inputs {
            let value = &net.values[id];
            ensure!(value.ty == first.ty, "{value} is {}, {first} is {}", value.ty, first.ty);
        }
        Ok(if first.ty == I8 { self.f } else { biased })
    }

    /// The shape that the condition is seen as, if the function chooses between two inputs by one.
    pub(crate) fn condition_shape(&self) -> Option<&[usize]> {
        (self.name == SELECT).then_some(&self.first)
    }

    /// Whether the layer also computes with signed bytes as the model has them.
    pub(crate) fn takes_signed(&self) -> bool {
        self.biased.is_some()
    }
}

/// Lowers the node if its op is one of these for its types.
pub(crate) fn lower(x: &Source<'_, '_>) -> Option<Result<Node<TypedFunction>>> {
    let code = x.node.builtin_code();
    let ty = x.input(0).ok()?.1.ty;
    let is_plain = match fused_activation(&x.node) {
        Ok(fused) => fused.is_none_or(|fused| fused == activation::NONE),
        Err(error) => return Some(Err(error)),
    };
    let (name, f) = match (code, ty) {
        (op::SELECT | op::SELECT_V2, _) => return Some(select(x, code)),
        (op::CAST, _) => return Some(cast(x)),
        (op::NEG, I8 | I16 | I32 | I64) => ("negation", negation(ty)),
        (op::ADD_N, I32) => match x.node.input_count() {
            2 => ("arithmetic", arithmetic_i32(op::ADD)),
            3 => ("arithmetic", sum_of_three()),
            _ => return None,
        },
        (
            op::LESS | op::GREATER | op::GREATER_EQUAL | op::LESS_EQUAL | op::EQUAL | op::NOT_EQUAL,
            F32 | I32 | I64,
        ) => ("compare", comparison(ty, code)),
        (op::MAXIMUM, I8 | U8 | I16) => ("order", order::<Maximum>(ty)),
        (op::MINIMUM, I8 | U8 | I16) => ("order", order::<Minimum>(ty)),
        (op::SQUARED_DIFFERENCE, I32) => ("arithmetic", two::<i32, i32, SquaredDifference>()),
        (op::ADD | op::MUL | op::SUB | op::MAXIMUM | op::MINIMUM, I32 | I64) if is_plain => {
            ("arithmetic", if ty == I32 { arithmetic_i32(code) } else { arithmetic_i64(code) })
        }
        (op::LOGICAL_OR, ElementType::Bool) => ("logic", two::<u8, u8, LogicalOr>()),
        (op::LOGICAL_AND, ElementType::Bool) => ("logic", two::<u8, u8, LogicalAnd>()),
        (op::LOGICAL_NOT, ElementType::Bool) => ("logic", one::<u8, u8, LogicalNot>()),
        _ => return None,
    };
    let biased = if ty == I8 { biased(code) } else { None };
    let result = if name == "compare" { ElementType::Bool } else { ty };
    let inputs = match code {
        op::LOGICAL_NOT | op::NEG => &[ty][..],
        op::ADD_N if x.node.input_count() == 3 => &[ty, ty, ty],
        _ => &[ty, ty],
    };
    Some(expect_types(x, inputs, result).and_then(|()| node(x, name, (f, biased), None)))
}

/// The function of signed bytes that are held as `q + 128`: they have the same order, and the same opposite modulo 256.
fn biased(code: i32) -> Option<ElementFn> {
    match code {
        op::MAXIMUM => Some(order::<Maximum>(U8)),
        op::MINIMUM => Some(order::<Minimum>(U8)),
        op::NEG => Some(one::<u8, u8, Negate>()),
        _ => None,
    }
}

/// An error unless the node has just these inputs, and one output, of these types.
pub(super) fn expect_types(x: &Source<'_, '_>, inputs: &[ElementType], output: ElementType) -> Result<()> {
    let (count, outputs) = (x.node.input_count(), x.node.output_count());
    ensure!(
        (count, outputs) == (inputs.len(), 1),
        "it has {count} inputs and {outputs} outputs, not {} and 1",
        inputs.len()
    );
    for (i, &ty) in inputs.iter().enumerate() {
        let (_, value) = x.input(i)?;
        ensure!(value.ty == ty, "input {i} {value} is {}, not {ty}", value.ty);
    }
    let (_, value) = x.output(0)?;
    ensure!(value.ty == output, "output {value} is {}, not {output}", value.ty);
    Ok(())
}

pub(super) fn node(
    x: &Source<'_, '_>,
    name: &'static str,
    (f, biased): (ElementFn, Option<ElementFn>),
    first: Option<Vec<usize>>,
) -> Result<Node<TypedFunction>> {
    let (output, y) = x.output(0)?;
    expect_elements(y)?;
    width(y)?;
    let mut values: Vec<(Id, &Value<'_>)> = Vec::new();
    for i in 0..x.node.input_count() {
        values.push(x.input(i)?);
        width(values[i].1)?;
    }
    ensure!(values.len() <= INPUTS, "it has {} inputs", values.len());
    let first = first.unwrap_or_else(|| values[0].1.shape.clone());
    let shapes =
        values.iter().enumerate().map(|(i, (_, value))| if i == 0 { &first[..] } else { &value.shape[..] });
    if Loops::<INPUTS>::new(&shapes.collect::<Vec<_>>(), &y.shape).is_none() {
        return Err(unsupported!("its shapes do not broadcast to {:?}", y.shape));
    }
    let inputs = values.iter().map(|&(id, _)| id).collect();
    Ok(Node::new(TypedFunction { name, f, biased, by_isa: None, first }, inputs, vec![output]))
}

fn select(x: &Source<'_, '_>, code: i32) -> Result<Node<TypedFunction>> {
    let ((_, condition), (_, a), (_, b), (_, y)) = (x.input(0)?, x.input(1)?, x.input(2)?, x.output(0)?);
    ensure!(condition.ty == ElementType::Bool, "the condition is {}", condition.ty);
    ensure!(x.node.input_count() == 3, "it has {} inputs, not 3", x.node.input_count());
    ensure!(a.ty == b.ty && a.ty == y.ty, "{}, {} and {} do not agree", a.ty, b.ty, y.ty);
    let f: ElementFn = match width(a)? {
        1 => choose::<u8>(),
        2 => choose::<u16>(),
        4 => choose::<u32>(),
        8 => choose::<u64>(),
        _ => return Err(unsupported!("{} is not supported", a.ty)),
    };
    // The one axis of SELECT's condition is the first of the others'.
    let by_rows = code == op::SELECT && condition.shape.len() == 1 && a.shape.len() > 1;
    let first = by_rows.then(|| {
        let mut shape = vec![1; a.shape.len()];
        shape[0] = condition.shape[0];
        shape
    });
    node(x, SELECT, (f, None), first)
}

fn cast(x: &Source<'_, '_>) -> Result<Node<TypedFunction>> {
    let ((_, a), (_, y)) = (x.input(0)?, x.output(0)?);
    let f: ElementFn = match (a.ty, y.ty) {
        (I32, F32) => one::<i32, f32, Conversion>(),
        (I64, F32) => one::<i64, f32, Conversion>(),
        (U8, F32) => one::<u8, f32, Conversion>(),
        (U8, I32) => one::<u8, i32, Conversion>(),
        (I8, F32) => one::<i8, f32, Conversion>(),
        (I8, I32) => one::<i8, i32, Conversion>(),
        (I8, I64) => one::<i8, i64, Conversion>(),
        (I16, F32) => one::<i16, f32, Conversion>(),
        (I16, I32) => one::<i16, i32, Conversion>(),
        (ElementType::Bool, F32) => one::<u8, f32, Truth>(),
        (ElementType::Bool, I32) => one::<u8, i32, Truth>(),
        (ElementType::Bool, I64) => one::<u8, i64, Truth>(),
        (F32, I32) => one::<f32, i32, Conversion>(),
        (F32, I64) => one::<f32, i64, Conversion>(),
        (I32, I64) => one::<i32, i64, Conversion>(),
        (I64, I32) => one::<i64, i32, Conversion>(),
        (F32, ElementType::Bool) => one::<f32, u8, Truth>(),
        (I32, ElementType::Bool) => one::<i32, u8, Truth>(),
        (I64, ElementType::Bool) => one::<i64, u8, Truth>(),
        (from, to) => return Err(unsupported!("a cast from {from} to {to} is not supported")),
    };
    ensure!(x.node.input_count() == 1, "it has {} inputs, not 1", x.node.input_count());
    ensure!(a.len() == y.len(), "input has shape {:?}, output {:?}", a.shape, y.shape);
    let biased = match (a.ty, y.ty) {
        (I8, F32) => Some(one::<u8, f32, FromBiased>()),
        (I8, I32) => Some(one::<u8, i32, FromBiased>()),
        (I8, I64) => Some(one::<u8, i64, FromBiased>()),
        _ => None,
    };
    node(x, "cast", (f, biased), Some(y.shape.clone()))
}

impl LayerStep for TypedFunction {
    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }

    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        let y = &net.values[node.outputs[0]];
        let others = node.inputs.iter().skip(1).map(|&id| &net.values[id].shape[..]);
        let shapes: Vec<&[usize]> = std::iter::once(&self.first[..]).chain(others).collect();
        let loops = Loops::new(&shapes, &y.shape);
        let loops = loops.ok_or_else(|| invalid!("shapes {shapes:?} do not broadcast to {:?}", y.shape))?;
        if self.name == SELECT
            && let Some(step) = SelectRows::new(build.copies, &loops, width(y)?, node.inputs, node.outputs[0])
        {
            return Ok(Box::new(step));
        }
        let f = match self.by_isa {
            Some(by_isa) => by_isa(build.isa),
            None => self.function(node, net)?.with(build.isa),
        };
        Ok(Box::new(TypedMap::new(self.name, f, loops, node.inputs.to_vec(), node.outputs[0])?))
    }
}

/// The function `F` of whole numbers of this type.
fn order<F>(ty: ElementType) -> ElementFn
where
    F: Two<i8, i8> + Two<u8, u8> + Two<i16, i16>,
{
    match ty {
        I8 => two::<i8, i8, F>(),
        U8 => two::<u8, u8, F>(),
        _ => two::<i16, i16, F>(),
    }
}

fn negation(ty: ElementType) -> ElementFn {
    match ty {
        I8 => one::<i8, i8, Negate>(),
        I16 => one::<i16, i16, Negate>(),
        I32 => one::<i32, i32, Negate>(),
        _ => one::<i64, i64, Negate>(),
    }
}

fn arithmetic_i32(code: i32) -> ElementFn {
    match code {
        op::ADD => two::<i32, i32, Add>(),
        op::SUB => two::<i32, i32, Subtract>(),
        op::MUL => two::<i32, i32, Multiply>(),
        op::MAXIMUM => two::<i32, i32, Maximum>(),
        _ => two::<i32, i32, Minimum>(),
    }
}

fn arithmetic_i64(code: i32) -> ElementFn {
    match code {
        op::ADD => two::<i64, i64, Add>(),
        op::SUB => two::<i64, i64, Subtract>(),
        op::MUL => two::<i64, i64, Multiply>(),
        op::MAXIMUM => two::<i64, i64, Maximum>(),
        _ => two::<i64, i64, Minimum>(),
    }
}

fn comparison(ty: ElementType, code: i32) -> ElementFn {
    match ty {
        F32 => compare::<f32>(code),
        I32 => compare::<i32>(code),
        _ => compare::<i64>(code),
    }
}

fn compare<T: PartialOrd + Copy>(code: i32) -> ElementFn {
    match code {
        op::LESS => two::<T, u8, Compare<{ op::LESS }>>(),
        op::GREATER => two::<T, u8, Compare<{ op::GREATER }>>(),
        op::GREATER_EQUAL => two::<T, u8, Compare<{ op::GREATER_EQUAL }>>(),
        op::LESS_EQUAL => two::<T, u8, Compare<{ op::LESS_EQUAL }>>(),
        op::EQUAL => two::<T, u8, Compare<{ op::EQUAL }>>(),
        _ => two::<T, u8, Compare<{ op::NOT_EQUAL }>>(),
    }
}
