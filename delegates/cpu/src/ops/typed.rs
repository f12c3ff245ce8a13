//! Comparisons, selections, casts, logic, and arithmetic of whole numbers.

use arenite_abi::prelude::*;
use arenite_abi::schema::activation;
use arenite_layers::layer::moves::width;
use arenite_layers::lower::{expect_elements, fused_activation};
use arenite_layers::{Id, Loops, Node, Source, Value};

use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::typed_map::{ElementFn, INPUTS, TypedMap};

/// A function of elements of any type.
pub(crate) struct TypedFunction {
    name: &'static str,
    f: ElementFn,
    /// The shape that the first input is seen as.
    first: Vec<usize>,
}

/// Lowers the node if its op is one of these for its types.
pub(crate) fn lower(x: &Source<'_, '_>) -> Option<Result<Node<TypedFunction>>> {
    let code = x.node.builtin_code();
    let ty = x.input(0).ok()?.1.ty;
    let is_plain = match fused_activation(&x.node) {
        Ok(fused) => fused.is_none_or(|fused| fused == activation::NONE),
        Err(error) => return Some(Err(error)),
    };
    let found = match (code, ty) {
        (op::SELECT | op::SELECT_V2, _) => return Some(select(x, code)),
        (op::CAST, _) => return Some(cast(x)),
        (
            op::LESS | op::GREATER | op::GREATER_EQUAL | op::LESS_EQUAL | op::EQUAL | op::NOT_EQUAL,
            F32 | I32 | I64,
        ) => match ty {
            F32 => ("compare", compare::<f32>(code)),
            I32 => ("compare", compare::<i32>(code)),
            _ => ("compare", compare::<i64>(code)),
        },
        (op::ADD | op::MUL | op::SUB | op::MAXIMUM | op::MINIMUM, I32 | I64) if is_plain => {
            ("arithmetic", if ty == I32 { arithmetic_i32(code) } else { arithmetic_i64(code) })
        }
        (op::LOGICAL_OR, ElementType::Bool) => ("logic", two::<u8, u8, Disjunction>()),
        (op::LOGICAL_AND, ElementType::Bool) => ("logic", two::<u8, u8, Conjunction>()),
        (op::LOGICAL_NOT, ElementType::Bool) => ("logic", one::<u8, u8, Negation>()),
        _ => return None,
    };
    let result = if found.0 == "arithmetic" { ty } else { ElementType::Bool };
    let inputs = if code == op::LOGICAL_NOT { &[ty][..] } else { &[ty, ty] };
    Some(expect_types(x, inputs, result).and_then(|()| node(x, found.0, found.1, None)))
}

/// An error unless the node has just these inputs, and one output, of these types.
fn expect_types(x: &Source<'_, '_>, inputs: &[ElementType], output: ElementType) -> Result<()> {
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

fn node(
    x: &Source<'_, '_>,
    name: &'static str,
    f: ElementFn,
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
    Ok(Node::new(TypedFunction { name, f, first }, inputs, vec![output]))
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
    node(x, "select", f, first)
}

fn cast(x: &Source<'_, '_>) -> Result<Node<TypedFunction>> {
    let ((_, a), (_, y)) = (x.input(0)?, x.output(0)?);
    let f: ElementFn = match (a.ty, y.ty) {
        (I32, F32) => one::<i32, f32, Conversion>(),
        (I64, F32) => one::<i64, f32, Conversion>(),
        (U8, F32) => one::<u8, f32, Conversion>(),
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
    node(x, "cast", f, Some(y.shape.clone()))
}

impl LayerStep for TypedFunction {
    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }

    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, _: &Build) -> Result<Box<dyn Step>> {
        let y = &net.values[node.outputs[0]];
        let others = node.inputs.iter().skip(1).map(|&id| &net.values[id].shape[..]);
        let shapes: Vec<&[usize]> = std::iter::once(&self.first[..]).chain(others).collect();
        let loops = Loops::new(&shapes, &y.shape);
        let loops = loops.ok_or_else(|| invalid!("shapes {shapes:?} do not broadcast to {:?}", y.shape))?;
        Ok(Box::new(TypedMap::new(self.name, self.f, loops, node.inputs.to_vec(), node.outputs[0])?))
    }
}

/// A function of one element.
trait One<X, Y> {
    fn of(x: X) -> Y;
}

/// A function of two elements.
trait Two<X, Y> {
    fn of(a: X, b: X) -> Y;
}

/// `F` of one operand.
fn one<X: Copy, Y, F: One<X, Y>>() -> ElementFn {
    /// # Safety
    /// See [`RunFn`](crate::steps::typed_map::RunFn).
    unsafe fn run<X: Copy, Y, F: One<X, Y>>(
        n: usize,
        x: [*const u8; INPUTS],
        moves: [bool; INPUTS],
        y: *mut u8,
    ) {
        let (x, y) = (x[0].cast::<X>(), y.cast::<Y>());
        for i in 0..n {
            // SAFETY: `n` elements are readable, or one if the operand does not move, and `n` results writable, as the
            // caller guarantees.
            unsafe { y.add(i).write_unaligned(F::of(x.add(if moves[0] { i } else { 0 }).read_unaligned())) };
        }
    }
    // SAFETY: `run` reads elements `X` and writes results `Y`; both are numbers.
    unsafe { ElementFn::new(run::<X, Y, F>, [size_of::<X>(), 0, 0], size_of::<Y>()) }
}

/// `F` of two operands.
fn two<X: Copy, Y, F: Two<X, Y>>() -> ElementFn {
    /// # Safety
    /// See [`RunFn`](crate::steps::typed_map::RunFn).
    unsafe fn run<X: Copy, Y, F: Two<X, Y>>(
        n: usize,
        x: [*const u8; INPUTS],
        moves: [bool; INPUTS],
        y: *mut u8,
    ) {
        let (a, b, y) = (x[0].cast::<X>(), x[1].cast::<X>(), y.cast::<Y>());
        let step = moves.map(usize::from);
        for i in 0..n {
            // SAFETY: `n` elements of an operand are readable, or one if it does not move, and `n` results writable, as
            // the caller guarantees.
            unsafe {
                let (a, b) = (a.add(i * step[0]).read_unaligned(), b.add(i * step[1]).read_unaligned());
                y.add(i).write_unaligned(F::of(a, b));
            }
        }
    }
    // SAFETY: `run` reads elements `X` of both operands and writes results `Y`; all are numbers.
    unsafe { ElementFn::new(run::<X, Y, F>, [size_of::<X>(), size_of::<X>(), 0], size_of::<Y>()) }
}

/// The second operand where the first is not zero, else the third.
fn choose<T: Copy>() -> ElementFn {
    /// # Safety
    /// See [`RunFn`](crate::steps::typed_map::RunFn).
    unsafe fn run<T: Copy>(n: usize, x: [*const u8; INPUTS], moves: [bool; INPUTS], y: *mut u8) {
        let (a, b, y) = (x[1].cast::<T>(), x[2].cast::<T>(), y.cast::<T>());
        let at = |moves: bool, i: usize| if moves { i } else { 0 };
        for i in 0..n {
            // SAFETY: as in `two`, for a condition of bytes and two operands.
            unsafe {
                let holds = *x[0].add(at(moves[0], i)) != 0;
                let chosen = if holds { a.add(at(moves[1], i)) } else { b.add(at(moves[2], i)) };
                y.add(i).write_unaligned(chosen.read_unaligned());
            }
        }
    }
    // SAFETY: `run` reads bytes of the condition and elements `T` of the other operands, and writes results `T`; all
    // are numbers.
    unsafe { ElementFn::new(run::<T>, [1, size_of::<T>(), size_of::<T>()], size_of::<T>()) }
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident $kind:ident<$x:ty, $y:ty>: |$($arg:ident),*| $value:expr;)*) => {$(
        impl $kind<$x, $y> for $name {
            #[inline]
            fn of($($arg: $x),*) -> $y {
                $value
            }
        }
    )*};
}

/// A conversion: whole numbers wrap, floats are cut off towards zero and saturate, NaN becomes the largest.
struct Conversion;
/// 1 of all but zero.
struct Truth;
struct Negation;
struct Conjunction;
struct Disjunction;
struct Add;
struct Subtract;
struct Multiply;
struct Maximum;
struct Minimum;

functions! {
    Conversion One<i32, f32>: |x| x as f32;
    Conversion One<i64, f32>: |x| x as f32;
    Conversion One<u8, f32>: |x| x.into();
    Conversion One<f32, i32>: |x| if x.is_nan() { i32::MAX } else { x as i32 };
    Conversion One<f32, i64>: |x| if x.is_nan() { i64::MAX } else { x as i64 };
    Conversion One<i32, i64>: |x| x.into();
    Conversion One<i64, i32>: |x| x as i32;
    Truth One<u8, f32>: |x| f32::from(u8::from(x != 0));
    Truth One<u8, i32>: |x| (x != 0).into();
    Truth One<u8, i64>: |x| (x != 0).into();
    Truth One<f32, u8>: |x| (x != 0.0).into();
    Truth One<i32, u8>: |x| (x != 0).into();
    Truth One<i64, u8>: |x| (x != 0).into();
    Negation One<u8, u8>: |x| (x == 0).into();
    Conjunction Two<u8, u8>: |a, b| (a != 0 && b != 0).into();
    Disjunction Two<u8, u8>: |a, b| (a != 0 || b != 0).into();
    Add Two<i32, i32>: |a, b| a.wrapping_add(b);
    Add Two<i64, i64>: |a, b| a.wrapping_add(b);
    Subtract Two<i32, i32>: |a, b| a.wrapping_sub(b);
    Subtract Two<i64, i64>: |a, b| a.wrapping_sub(b);
    Multiply Two<i32, i32>: |a, b| a.wrapping_mul(b);
    Multiply Two<i64, i64>: |a, b| a.wrapping_mul(b);
    Maximum Two<i32, i32>: |a, b| a.max(b);
    Maximum Two<i64, i64>: |a, b| a.max(b);
    Minimum Two<i32, i32>: |a, b| a.min(b);
    Minimum Two<i64, i64>: |a, b| a.min(b);
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

/// A comparison, by its op's code.
struct Compare<const CODE: i32>;

impl<const CODE: i32, T: PartialOrd> Two<T, u8> for Compare<CODE> {
    #[inline]
    fn of(a: T, b: T) -> u8 {
        let holds = match CODE {
            op::LESS => a < b,
            op::GREATER => a > b,
            op::GREATER_EQUAL => a >= b,
            op::LESS_EQUAL => a <= b,
            op::EQUAL => a == b,
            _ => a != b,
        };
        holds.into()
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
