//! Element-wise ops on two tensors that broadcast, with a number or a boolean as the result.

use arenite_abi::prelude::*;
use arenite_ops::kit::binary::{self, Operands, map};
use arenite_ops::kit::broadcast::Broadcast;
use arenite_ops::kit::node::{self, dims};
use arenite_ops::kit::strings::{StringWriter, Strings};

use super::family::Family;
use super::kernel::string_bytes;
use super::node_def::NodeDef;
use super::number::{Number, round_to};
use crate::by_type;

/// The function for each kind of number; `None` makes `prepare` reject that kind.
pub struct Functions {
    /// The function of two reals.
    pub float: Option<fn(f64, f64) -> f64>,
    /// The function of two reals when intermediate results must be rounded to the tensor's type.
    pub stepwise: Option<Stepwise>,
    /// The function of two integers; `None` means division by zero. Only the low bits of the result are kept.
    pub int: Option<OfIntegers>,
    /// The function of two complex numbers.
    pub complex: Option<fn(Complex64, Complex64) -> Complex64>,
    /// The function of two booleans.
    pub bool: Option<fn(bool, bool) -> bool>,
    /// Set if the op concatenates strings.
    pub joins: Option<StringConcatenation>,
    /// Whether the inputs may differ in shape.
    pub broadcasts: bool,
}

/// Marks an op that concatenates strings.
pub struct StringConcatenation;

/// The width of an integer type in bits.
pub type Width = u32;

/// A function of reals that rounds intermediate results with its last argument.
pub type Stepwise = fn(f64, f64, fn(f64) -> f64) -> f64;

/// A function of integers.
pub type OfIntegers = fn(i128, i128, Width) -> Option<i128>;

impl Functions {
    /// Supports no kind of number.
    pub const NONE: Functions = Functions {
        float: None,
        stepwise: None,
        int: None,
        complex: None,
        bool: None,
        joins: None,
        broadcasts: true,
    };

    /// Supports no kind of number, and requires inputs of equal shape.
    pub const ALIKE: Functions = Functions { broadcasts: false, ..Functions::NONE };
}

/// A prepared node.
pub struct Binary {
    broadcast: Broadcast<2>,
    of: &'static Functions,
}

impl Family for Binary {
    type Member = Functions;
    const SHARING: Sharing = Sharing::InPlace;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>, of: &'static Functions) -> Result<Self> {
        NodeDef::of(node)?;
        let operands = binary::prepare(node, cx)?;
        binary::same_type(&operands)?;
        check(&operands, of)?;
        let Operands { a, b, .. } = operands;
        ensure!(
            of.broadcasts || a.shape == b.shape,
            "inputs {a} {:?} and {b} {:?} differ in shape; they must agree",
            a.shape,
            b.shape
        );
        Ok(Binary { broadcast: operands.broadcast()?, of })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        eval(cx, &self.broadcast, self.of)
    }
}

fn check(operands: &Operands<'_>, of: &Functions) -> Result<()> {
    let ty = operands.a.ty;
    let served = match ty {
        F16 | BF16 | F32 | F64 => of.float.is_some() || of.stepwise.is_some(),
        C64 | C128 => of.complex.is_some(),
        ElementType::Bool => of.bool.is_some(),
        ElementType::String => of.joins.is_some(),
        I8 | U8 | I16 | U16 | I32 | U32 | I64 | U64 => of.int.is_some(),
        _ => false,
    };
    ensure!(served, "inputs are {ty}, which this op does not support");
    Ok(())
}

fn eval(cx: &EvalContext<'_>, broadcast: &Broadcast<2>, of: &Functions) -> Result<()> {
    let ty = cx.node().input(0)?.ty;
    if let Some(f) = of.stepwise
        && matches!(ty, F16 | BF16 | F32 | F64)
    {
        return by_type!(ty, float: T => {
            map(cx, broadcast, |a: T, b: T| T::narrow(f(a.wide(), b.wide(), round_to::<T>)))
        });
    }
    if ty == ElementType::String {
        return join(cx, broadcast);
    }
    let mut undefined = None;
    by_type!(ty,
        float: T => { let f = served(of.float)?; map(cx, broadcast, |a: T, b: T| T::narrow(f(a.wide(), b.wide()))) },
        int: T => {
            let f = served(of.int)?;
            map(cx, broadcast, |a: T, b: T| T::narrow(f(a.wide(), b.wide(), T::TYPE.bits()).unwrap_or_else(|| {
                undefined = Some((a.wide(), b.wide()));
                0
            })))
        },
        complex: T => { let f = served(of.complex)?; map(cx, broadcast, |a: T, b: T| T::narrow(f(a.wide(), b.wide()))) },
        bool: T => { let f = served(of.bool)?; map(cx, broadcast, |a: T, b: T| T::narrow(f(a.wide(), b.wide()))) },
    )?;
    match undefined {
        None => Ok(()),
        Some((a, 0)) => Err(invalid!("the integer {a} is divided by zero")),
        Some((a, b)) => Err(invalid!("the integer {a} is raised to the power {b}, which is negative")),
    }
}

fn join(cx: &EvalContext<'_>, broadcast: &Broadcast<2>) -> Result<()> {
    let (a, b) = (Strings::of(&cx.input(0)?)?, Strings::of(&cx.input(1)?)?);
    let shape = broadcast.output();
    let text = |strings: &Strings<'_>| {
        let times = shape.flat_size() / strings.len().max(1);
        strings.iter().map(<[u8]>::len).fold(0usize, usize::saturating_add).saturating_mul(times)
    };
    let bytes = string_bytes(shape.flat_size(), text(&a).saturating_add(text(&b)))?;
    let room = cx.resize_string_output(0, shape.as_slice(), bytes)?.into_bytes();
    let mut writer = StringWriter::new(room, shape.flat_size())?;
    let mut joined = Ok(());
    broadcast.for_each2(|_, ia, ib| {
        let parts = [a.get(ia), b.get(ib)].into_iter().flatten();
        joined = core::mem::replace(&mut joined, Ok(())).and_then(|()| writer.push_parts(parts));
    });
    joined?;
    writer.finish()
}

fn served<F>(function: Option<F>) -> Result<F> {
    function.ok_or_else(|| invalid!("this op does not support its type"))
}

/// The predicate for each kind of number.
pub struct Predicates {
    /// The predicate of two reals.
    pub float: fn(f64, f64) -> bool,
    /// The predicate of two integers.
    pub int: fn(i128, i128) -> bool,
    /// For complex numbers, booleans and strings: `true` tests for equality, `false` for inequality; `None` rejects
    /// them.
    pub equality: Option<bool>,
}

/// A prepared comparison.
pub struct Comparison {
    /// `None` if the shapes do not broadcast, which makes the tensors unequal.
    broadcast: Option<Broadcast<2>>,
    of: &'static Predicates,
}

impl Family for Comparison {
    type Member = Predicates;
    const SHARING: Sharing = Sharing::InPlace;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>, of: &'static Predicates) -> Result<Self> {
        let def = NodeDef::of(node)?;
        let (a, b, y) = node.binary()?;
        let differ = of.equality.is_some()
            && !def.bool("incompatible_shape_error", true)?
            && Broadcast::new([&dims(&a)?, &dims(&b)?]).is_none();
        let broadcast = if differ {
            node::same_type(&a, &b)?;
            cx.set_output_shape(0, &[])?;
            None
        } else {
            Some(binary::prepare(node, cx)?.broadcast()?)
        };
        let served = match a.ty {
            F16 | BF16 | F32 | F64 | I8 | U8 | I16 | U16 | I32 | U32 | I64 | U64 => true,
            C64 | C128 | ElementType::Bool | ElementType::String => of.equality.is_some(),
            _ => false,
        };
        ensure!(served, "inputs are {}, which this op does not support", a.ty);
        ensure!(y.ty == ElementType::Bool, "output {y} is {}; it must be BOOL", y.ty);
        Ok(Comparison { broadcast, of })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let Some(broadcast) = &self.broadcast else {
            let unequal = self.of.equality == Some(false);
            cx.output(0)?.into_slice::<Bool>()?.fill(Bool(unequal.into()));
            return Ok(());
        };
        compare(cx, broadcast, self.of)
    }
}

fn compare(cx: &EvalContext<'_>, broadcast: &Broadcast<2>, of: &Predicates) -> Result<()> {
    let ty = cx.node().input(0)?.ty;
    let equal = of.equality.unwrap_or_default();
    if ty == ElementType::String {
        let (a, b) = (Strings::of(&cx.input(0)?)?, Strings::of(&cx.input(1)?)?);
        let y = cx.output(0)?.into_slice::<Bool>()?;
        broadcast.for_each2(|i, ia, ib| y[i] = Bool((equal == (a.get(ia) == b.get(ib))).into()));
        return Ok(());
    }
    let truth = |truth: bool| Bool(truth.into());
    by_type!(ty,
        float: T => map(cx, broadcast, |a: T, b: T| truth((of.float)(a.wide(), b.wide()))),
        int: T => map(cx, broadcast, |a: T, b: T| truth((of.int)(a.wide(), b.wide()))),
        complex: T => map(cx, broadcast, |a: T, b: T| truth(equal == (a == b))),
        bool: T => map(cx, broadcast, |a: T, b: T| truth(equal == (a.wide() == b.wide()))),
    )
}
