//! Reductions along axes that the second input names: SUM, MEAN, REDUCE_MAX, ...
//!
//! Defined by: tflite/kernels/reduce.cc, tflite/kernels/internal/optimized/reduce.h.

use core::marker::PhantomData;

use arenite_abi::plain::Plain;
use arenite_abi::prelude::*;
use arenite_abi::schema::ReducerOptions;

use super::indexing::{Axes, Dims, Fold, KeepDims, Reduction};
use super::node;
use super::number::Combine;
use super::quantized::Quantized;

/// One reduction; the value is computed in `prepare`.
pub trait Reduce: Plain + Copy + Send + Sync + 'static {
    /// The code of the op.
    const CODE: OpCode;
    /// The versions that are supported.
    const VERSIONS: RangeInclusive<i32>;
    /// The types of input and output that are supported, and INT32 for the axes.
    const TYPES: ElementTypes;

    /// Checks the quantization of input and output; their types are equal.
    ///
    /// # Errors
    /// A quantization is missing or not supported.
    fn prepare(x: &TensorView<'_>, y: &TensorView<'_>, groups: &Groups) -> Result<Self>;

    /// Computes the output.
    ///
    /// # Errors
    /// A type is not supported, or the invocation is cancelled.
    fn eval(&self, x: &TensorView<'_>, y: TensorViewMut<'_>, groups: &Groups) -> Result<()>;
}

plain! {
    /// The groups of elements that are reduced to one.
    #[derive(Clone, Copy, Debug)]
    pub struct Groups {
        /// The shape of the input.
        pub dims: Dims,
        /// The axes that are reduced.
        pub axes: Axes,
        /// Whether the reduced axes stay with size 1.
        pub keep_dims: KeepDims,
        /// The loops over the groups.
        pub reduction: Reduction,
    }
}

plain! {
    /// A prepared node of the family.
    pub struct Reducer<R> {
        keep_dims: KeepDims,
        /// Absent if the axes are known only in `eval`.
        plan: Maybe<Plan<R>>,
    }
}

plain! {
    struct Plan<R> {
        groups: Groups,
        reduce: R,
    }
}

impl<R: Reduce> Op for Reducer<R> {
    const CODE: OpCode = R::CODE;
    const VERSIONS: RangeInclusive<i32> = R::VERSIONS;
    const TYPES: ElementTypes = R::TYPES;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, axes, y) = node.binary()?;
        node::same_type(&x, &y)?;
        ensure!(axes.ty == I32, "axes {axes} are {}; they must be INT32", axes.ty);
        let keep_dims = match node.options()?.get(ReducerOptions::KEEP_DIMS)? {
            true => KeepDims::Keep,
            false => KeepDims::Drop,
        };
        let Some(list) = axes.constant::<i32>()? else {
            cx.set_output_dynamic(0)?;
            return Ok(Reducer { keep_dims, plan: Maybe::Absent });
        };
        let groups = Groups::new(&x, list, keep_dims)?;
        cx.set_output_shape(0, groups.reduction.output().as_slice())?;
        let reduce = R::prepare(&x, &y, &groups)?;
        Ok(Reducer { keep_dims, plan: Maybe::Present(Plan { groups, reduce }) })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = cx.input(0)?;
        if let Some(Plan { groups, reduce }) = self.plan.as_ref() {
            return reduce.eval(&x, cx.output(0)?, groups);
        }
        let groups = Groups::new(&x, cx.input_slice(1)?, self.keep_dims)?;
        let reduce = R::prepare(&x, &cx.node().output(0)?, &groups)?;
        reduce.eval(&x, cx.resize_output(0, groups.reduction.output().as_slice())?, &groups)
    }
}

impl Groups {
    fn new(x: &TensorView<'_>, list: &[i32], keep_dims: KeepDims) -> Result<Groups> {
        let dims = node::dims(x)?;
        let axes = Axes::new(list, dims.rank()).ok_or_else(|| {
            invalid!("axes are {list:?}, input {x} has {} axes; each axis must exist", dims.rank())
        })?;
        Ok(Groups { dims, axes, keep_dims, reduction: Reduction::new(&dims, axes, keep_dims) })
    }

    /// Whether the output equals the input, because all reduced axes have size 1.
    pub fn is_copy(&self) -> bool {
        self.reduction.group_len() == 1
    }

    /// Computes `y = f(f(x[0], x[1]), x[2])…` for each group; for an empty group it is `nothing`.
    ///
    /// # Errors
    /// A tensor is not of `T`.
    pub fn fold<T: Element>(
        &self,
        x: &TensorView<'_>,
        y: TensorViewMut<'_>,
        nothing: T,
        f: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (x, y) = (x.as_slice::<T>()?, y.into_slice::<T>()?);
        self.reduction
            .fold(x, &Fold { first: |x| x, next: f }, |out, result| y[out] = result.unwrap_or(nothing));
        Ok(())
    }

    /// Like [`fold`](Self::fold), for an `f` that gives the same result in any order.
    fn fold_in_any_order<T: Element>(
        &self,
        x: &TensorView<'_>,
        y: TensorViewMut<'_>,
        nothing: T,
        f: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (x, y) = (x.as_slice::<T>()?, y.into_slice::<T>()?);
        let fold = Fold { first: |x| x, next: &f };
        self.reduction.fold_in_any_order(x, &fold, &f, |out, result| y[out] = result.unwrap_or(nothing));
        Ok(())
    }

    /// Combines the elements of each group as plain numbers, without regard to quantization.
    ///
    /// # Errors
    /// The type is not supported, or the invocation is cancelled.
    pub fn combine<C: Combine>(&self, x: &TensorView<'_>, y: TensorViewMut<'_>) -> Result<()> {
        match x.ty {
            F32 => self.fold::<f32>(x, y, C::nothing(), C::with),
            I32 => self.fold_in_any_order::<i32>(x, y, C::nothing(), C::with),
            I64 => self.fold_in_any_order::<i64>(x, y, C::nothing(), C::with),
            U8 => self.fold_in_any_order::<u8>(x, y, C::nothing(), C::with),
            I8 => self.fold_in_any_order::<i8>(x, y, C::nothing(), C::with),
            I16 => self.fold_in_any_order::<i16>(x, y, C::nothing(), C::with),
            ElementType::Bool => self.fold::<Bool>(x, y, Bool(0), |a, _| a),
            ty => Err(unsupported!("no kernel for {ty}")),
        }
    }
}

/// The sum of quantized numbers, which wraps.
pub fn wide_sum<T: Quantized>() -> Fold<impl Fn(T) -> i32, impl Fn(i32, T) -> i32> {
    Fold { first: |x: T| x.into(), next: |sum: i32, x: T| sum.wrapping_add(x.into()) }
}

/// Rejects BOOL unless there is nothing to compute.
///
/// # Errors
/// The input is BOOL, and a reduced axis has a size other than 1.
pub fn refuse_bool(x: &TensorView<'_>, groups: &Groups) -> Result<()> {
    if x.ty == ElementType::Bool && !groups.is_copy() {
        return Err(unsupported!("input {x} is BOOL; only axes of size 1 can be reduced"));
    }
    Ok(())
}

/// Rejects i16 with a zero point.
///
/// # Errors
/// The zero point of the input or of the output is not 0.
pub fn symmetric_words(x: &TensorView<'_>, y: &TensorView<'_>) -> Result<()> {
    let is_quantized = |t: &&TensorView<'_>| t.ty == I16 && t.quantization().is_some();
    [x, y].into_iter().filter(is_quantized).try_for_each(node::symmetric)
}

/// The parameters of REDUCE_MAX and REDUCE_MIN.
pub trait Extreme: Combine {
    /// The code of the op.
    const CODE: OpCode;
}

plain! {
    /// The reduction of REDUCE_MAX and REDUCE_MIN.
    pub struct Extremum<marker C> {
        combine: PhantomData<C>,
    }
}

impl<C> Clone for Extremum<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Extremum<C> {}

impl<C: Extreme> Reduce for Extremum<C> {
    const CODE: OpCode = C::CODE;
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32, I64, U8, I8, I16, ElementType::Bool]);

    fn prepare(x: &TensorView<'_>, y: &TensorView<'_>, groups: &Groups) -> Result<Self> {
        refuse_bool(x, groups)?;
        symmetric_words(x, y)?;
        if node::type_limits(x.ty).is_some() {
            node::same_quantization(x, y)?;
        }
        Ok(Extremum { combine: PhantomData })
    }

    fn eval(&self, x: &TensorView<'_>, y: TensorViewMut<'_>, groups: &Groups) -> Result<()> {
        groups.combine::<C>(x, y)
    }
}

/// The parameters of REDUCE_ANY and REDUCE_ALL.
pub trait Quantifier: Send + Sync + 'static {
    /// The code of the op.
    const CODE: OpCode;
    /// The boolean that decides the result as soon as it is found.
    const DECIDES: bool;
}

plain! {
    /// The reduction of REDUCE_ANY and REDUCE_ALL.
    pub struct Quantified<marker Q> {
        quantifier: PhantomData<Q>,
    }
}

impl<Q> Clone for Quantified<Q> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q> Copy for Quantified<Q> {}

impl<Q: Quantifier> Reduce for Quantified<Q> {
    const CODE: OpCode = Q::CODE;
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[ElementType::Bool, I32]);

    fn prepare(x: &TensorView<'_>, _: &TensorView<'_>, _: &Groups) -> Result<Self> {
        ensure!(x.ty == ElementType::Bool, "input {x} is {}; it must be BOOL", x.ty);
        Ok(Quantified { quantifier: PhantomData })
    }

    fn eval(&self, x: &TensorView<'_>, y: TensorViewMut<'_>, groups: &Groups) -> Result<()> {
        let (x, y) = (x.as_slice::<Bool>()?, y.into_slice::<Bool>()?);
        let decides = |x: Bool| u8::from((x.0 != 0) == Q::DECIDES);
        let fold = Fold { first: decides, next: |decided, x| decided | decides(x) };
        groups.reduction.fold_in_any_order(
            x,
            &fold,
            |a, b| a | b,
            |out, decided| {
                y[out] = Bool(u8::from((decided == Some(1)) == Q::DECIDES));
            },
        );
        Ok(())
    }
}

/// Helpers for the tests of the reductions.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use arenite_abi::schema::{OptionsTable, SubOptions};
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    /// A node whose axes are constant.
    pub(crate) fn node<O: Op>(x: Tensor, list: &[i32], keep_dims: bool, y: Spec) -> OpTest<O> {
        let axes = Tensor::i32(&[list.len() as i32], list);
        OpTest::new()
            .options(|o| o.set(ReducerOptions::KEEP_DIMS, keep_dims))
            .input(x)
            .constant(axes)
            .output(y)
    }

    /// The output for constant axes; checks that it is the same for axes that are known only in `eval`.
    pub(crate) fn run<O: Op>(x: &Tensor, list: &[i32], keep_dims: bool, y: Spec) -> Result<Tensor> {
        let known = node::<O>(x.clone(), list, keep_dims, y.clone()).run();
        let late =
            OpTest::<O>::new().options(|o| o.set(ReducerOptions::KEEP_DIMS, keep_dims)).input(x.clone());
        let late = late.input(Tensor::i32(&[list.len() as i32], list)).output(y).run();
        crate::kit::assert_same(&known, &late);
        known.map(|mut y| y.remove(0))
    }

    /// Checks the errors that are common to all members, for floats or for booleans.
    pub(crate) fn expect_refusals<O: Op>(x: &Tensor, y: Spec) {
        let error = run::<O>(x, &[0, 2], false, y.clone()).unwrap_err();
        assert_eq!(error.message(), "axes are [0, 2], input 'in0' has 2 axes; each axis must exist");
        let error = run::<O>(x, &[i32::MIN], false, y.clone()).unwrap_err();
        assert_eq!(error.message(), "axes are [-2147483648], input 'in0' has 2 axes; each axis must exist");
        let test = OpTest::<O>::new().input(x.clone()).constant(Tensor::i32(&[], &[1]));
        assert!(test.clone().output(y.clone()).options_table(SubOptions::INFO.tag, &[], 0).run().is_err());
        assert!(test.output(y).run().is_ok());
    }
}
