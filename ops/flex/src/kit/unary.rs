//! Ops that apply a function to each element.

use arenite_abi::prelude::*;
use arenite_ops::kit::unary::{map, prepare_types, try_map};

use super::family::Family;
use super::node_def::NodeDef;
use super::number::Number;
use crate::by_type;

/// The function for each kind of number; `None` makes `prepare` reject that kind.
pub struct Functions {
    /// The function of reals.
    pub float: Option<fn(f64) -> f64>,
    /// The function of integers; only the low bits of the result are kept.
    pub int: Option<fn(i128) -> i128>,
    /// The function of complex numbers.
    pub complex: Option<fn(Complex64) -> Complex64>,
    /// The function of booleans.
    pub bool: Option<fn(bool) -> bool>,
    /// From reals to booleans.
    pub test: Option<fn(f64) -> bool>,
    /// From complex numbers to reals.
    pub part: Option<fn(Complex64) -> f64>,
}

impl Functions {
    /// Supports no kind of number.
    pub const NONE: Functions =
        Functions { float: None, int: None, complex: None, bool: None, test: None, part: None };
}

/// A prepared node.
pub struct Unary(&'static Functions);

impl Family for Unary {
    type Member = Functions;
    const SHARING: Sharing = Sharing::InPlace;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>, of: &'static Functions) -> Result<Self> {
        prepare(node, cx, of)?;
        Ok(Unary(of))
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        eval(cx, self.0)
    }
}

fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>, of: &Functions) -> Result<()> {
    NodeDef::of(node)?;
    let (x, y) = prepare_types(node, cx)?;
    let result = match x.ty {
        _ if of.test.is_some() && is_float(x.ty) => ElementType::Bool,
        C64 if of.part.is_some() => F32,
        C128 if of.part.is_some() => F64,
        ty => {
            let served = match ty {
                F16 | BF16 | F32 | F64 => of.float.is_some(),
                C64 | C128 => of.complex.is_some(),
                ElementType::Bool => of.bool.is_some(),
                I8 | U8 | I16 | U16 | I32 | U32 | I64 | U64 => of.int.is_some(),
                _ => false,
            };
            ensure!(served, "input {x} is {ty}, which this op does not support");
            ty
        }
    };
    ensure!(y.ty == result, "input is {}, output {y} is {}; it must be {result}", x.ty, y.ty);
    Ok(())
}

fn is_float(ty: ElementType) -> bool {
    matches!(ty, F16 | BF16 | F32 | F64)
}

fn eval(cx: &EvalContext<'_>, of: &Functions) -> Result<()> {
    let ty = cx.node().input(0)?.ty;
    if let (Some(f), true) = (of.test, is_float(ty)) {
        return by_type!(ty, float: T => map(cx, |x: T| Bool(f(x.wide()).into())));
    }
    match (ty, of.part) {
        (C64, Some(f)) => return map(cx, |x: Complex32| f(x.wide()) as f32),
        (C128, Some(f)) => return map(cx, f),
        _ => {}
    }
    by_type!(ty,
        float: T => { let f = served(of.float)?; map(cx, |x: T| T::narrow(f(x.wide()))) },
        int: T => { let f = served(of.int)?; map(cx, |x: T| T::narrow(f(x.wide()))) },
        complex: T => { let f = served(of.complex)?; map(cx, |x: T| T::narrow(f(x.wide()))) },
        bool: T => { let f = served(of.bool)?; try_map(cx, |x: T| Ok(T::narrow(f(x.wide())))) },
    )
}

fn served<F>(function: Option<F>) -> Result<F> {
    function.ok_or_else(|| invalid!("this op does not support its type"))
}
