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
            ensure!(served, "input '{}' is {ty}, which this op does not support", x.name);
            ty
        }
    };
    ensure!(y.ty == result, "input is {}, output '{}' is {}; it must be {result}", x.ty, y.name, y.ty);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::testing::{one, refusal};
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn values() {
        let x = Tensor::f32(&[3], &[-1.0, 0.0, 4.0]);
        assert_eq!(
            one::<crate::elementwise::elementary::Sqrt>(&[], from_ref(&x), F32).as_f32()[1..],
            [0.0, 2.0]
        );
        assert_eq!(
            one::<crate::elementwise::special::Relu>(&[], from_ref(&x), F32).as_f32(),
            [0.0, 0.0, 4.0]
        );
        assert_eq!(
            one::<crate::elementwise::simple::IsNan>(&[], &[x], ElementType::Bool).as_bool(),
            [false; 3]
        );
        let x = Tensor::i8(&[2], &[-128, 5]);
        assert_eq!(one::<crate::elementwise::simple::Neg>(&[], from_ref(&x), I8).as_i8(), [-128, -5]);
        assert_eq!(one::<crate::elementwise::simple::Invert>(&[], &[x], I8).as_i8(), [127, -6]);
        let z = Tensor::of(&[1], &[Complex32 { re: 3.0, im: -4.0 }]);
        assert_eq!(one::<crate::elementwise::simple::ComplexAbs>(&[], from_ref(&z), F32).as_f32(), [5.0]);
        let square = one::<crate::elementwise::simple::Square>(&[], &[z], C64).elements::<Complex32>();
        assert_eq!(square, [Complex32 { re: -7.0, im: -24.0 }]);
        let truth = Tensor::bool(&[2], &[true, false]);
        assert_eq!(
            one::<crate::elementwise::simple::LogicalNot>(&[], &[truth], ElementType::Bool).as_bool(),
            [false, true]
        );
    }

    #[test]
    fn refusals() {
        let x = Tensor::i32(&[1], &[1]);
        assert_eq!(
            refusal::<crate::elementwise::special::Erf>(&[], &[x], &[I32]),
            "input 'in0' is INT32, which this op does not support"
        );
        let x = Tensor::f32(&[1], &[1.0]);
        assert_eq!(
            refusal::<crate::elementwise::special::Erf>(&[], &[x], &[F64]),
            "input is FLOAT32, output 'out0' is FLOAT64; it must be FLOAT32"
        );
    }
}
