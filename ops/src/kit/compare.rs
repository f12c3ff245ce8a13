//! Comparisons: `y = a ∘ b` with broadcasting, of numbers, quantized numbers, booleans and strings.
//!
//! Quantized numbers are converted to a common unit of 2^-8, each with its own scale:
//! ```text
//! a' = ((a - za) 2^8) × sa      b' likewise      y = a' ∘ b'
//! ```
//! Defined by: tflite/kernels/comparisons.cc and reference/comparisons.h.

use core::cmp::Ordering;
use core::marker::PhantomData;

use arenite_abi::prelude::*;
use half::{bf16, f16};

use super::binary;
use super::broadcast::Broadcast;
use super::node;
use super::quantized::Quantized;
use super::requantize::Multiplier;
use super::strings::Strings;

/// The parameters of a comparison, which its op file provides.
pub trait Relation: Send + Sync + 'static {
    /// The code of the op.
    const CODE: OpCode;
    /// The versions that are supported.
    const VERSIONS: RangeInclusive<i32>;
    /// The input types that are supported.
    const INPUTS: &'static [ElementType];
    /// Whether i16 inputs are compared with their quantization.
    const SCALES_WORDS: bool;

    /// Whether the relation holds for two elements in this order; `None` if one is NaN.
    fn holds(order: Option<Ordering>) -> bool;
}

plain! {
    /// A prepared comparison node.
    pub struct Comparison<marker R> {
        broadcast: Broadcast<2>,
        scaled: Maybe<[CommonScale; 2]>,
        relation: PhantomData<R>,
    }
}

impl<R: Relation> Op for Comparison<R> {
    const CODE: OpCode = R::CODE;
    const VERSIONS: RangeInclusive<i32> = R::VERSIONS;
    const TYPES: ElementTypes = ElementTypes::from_bits(
        ElementTypes::of(R::INPUTS).bits() | ElementTypes::of(&[ElementType::Bool]).bits(),
    );
    const OUTPUT_TYPE: OutputType = OutputType::Fixed(ElementType::Bool);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let operands = binary::prepare(node, cx)?;
        let (a, b, y) = (&operands.a, &operands.b, &operands.y);
        if !R::INPUTS.contains(&a.ty) {
            return Err(unsupported!("no kernel for inputs of {}", a.ty));
        }
        ensure!(y.ty == ElementType::Bool, "output {y} is {}; it must be BOOL", y.ty);
        let scaled = match a.ty {
            I8 | U8 => true,
            I16 => R::SCALES_WORDS && a.quantization().is_some(),
            _ => false,
        };
        let scaled = if scaled { Some([CommonScale::new(a)?, CommonScale::new(b)?]) } else { None };
        Ok(Comparison { broadcast: operands.broadcast()?, scaled: scaled.into(), relation: PhantomData })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match (cx.node().input(0)?.ty, self.scaled.as_ref()) {
            (I8, Some(scaled)) => self.scaled::<i8>(cx, scaled),
            (U8, Some(scaled)) => self.scaled::<u8>(cx, scaled),
            (I16, Some(scaled)) => self.scaled::<i16>(cx, scaled),
            (I16, None) => self.plain::<i16>(cx),
            (F32, _) => self.plain::<f32>(cx),
            (F16, _) => self.plain::<f16>(cx),
            (BF16, _) => self.plain::<bf16>(cx),
            (I32, _) => self.plain::<i32>(cx),
            (I64, _) => self.plain::<i64>(cx),
            (ElementType::Bool, _) => self.map(cx, |a: Bool, b: Bool| (a.0 != 0).partial_cmp(&(b.0 != 0))),
            (ElementType::String, _) => self.strings(cx),
            (ty, _) => Err(unsupported!("no kernel for inputs of {ty}")),
        }
    }
}

impl<R: Relation> Comparison<R> {
    fn map<T: Element>(&self, cx: &EvalContext<'_>, order: impl Fn(T, T) -> Option<Ordering>) -> Result<()> {
        binary::map(cx, &self.broadcast, |a: T, b: T| Bool(R::holds(order(a, b)).into()))
    }

    fn plain<T: Element + PartialOrd>(&self, cx: &EvalContext<'_>) -> Result<()> {
        self.map(cx, |a: T, b: T| a.partial_cmp(&b))
    }

    fn scaled<T: Quantized>(&self, cx: &EvalContext<'_>, scaled: &[CommonScale; 2]) -> Result<()> {
        let [sa, sb] = scaled;
        // Tables of bytes pay for tensors that are larger, and small machines have no room for them.
        if cfg!(feature = "std") && size_of::<T>() == 1 && cx.node().output(0)?.len() > 2 * BYTES {
            let byte = |x: i32| (x - T::LIMITS.min) as u8 as usize;
            let [a, b] = scaled.map(|scale| {
                core::array::from_fn::<i32, BYTES, _>(|i| scale.apply(i as i32 + T::LIMITS.min))
            });
            return self.map(cx, |x: T, y: T| Some(a[byte(x.into())].cmp(&b[byte(y.into())])));
        }
        self.map(cx, |a: T, b: T| Some(sa.apply(a.into()).cmp(&sb.apply(b.into()))))
    }

    fn strings(&self, cx: &EvalContext<'_>) -> Result<()> {
        let (a, b) = (cx.input(0)?, cx.input(1)?);
        let (a, b) = (Strings::of(&a)?, Strings::of(&b)?);
        let y = cx.output_cells::<Bool>(0)?;
        self.broadcast
            .for_each2(|i, ia, ib| y[i].set(Bool(R::holds(Some(a.get(ia).cmp(&b.get(ib)))).into())));
        Ok(())
    }
}

/// The number of values of a byte.
const BYTES: usize = 256;

plain! {
    /// The conversion of one input to the common unit.
    #[derive(Clone, Copy)]
    struct CommonScale {
        zero_point: i32,
        multiplier: Multiplier,
    }
}

impl CommonScale {
    fn new(x: &TensorView<'_>) -> Result<CommonScale> {
        let quant = node::quant(x)?;
        let scale = f64::from(quant.scale);
        let multiplier = match scale < 1.0 {
            true => Multiplier::from_real_smaller_than_one(scale),
            false => Multiplier::from_real_greater_than_one(scale),
        };
        let multiplier =
            multiplier.ok_or_else(|| invalid!("{x} has scale {scale}; it must be above 0, and not 1"))?;
        Ok(CommonScale { zero_point: quant.zero_point, multiplier })
    }

    #[inline]
    fn apply(&self, q: i32) -> i32 {
        self.multiplier.apply_right(q.wrapping_sub(self.zero_point).wrapping_mul(1 << 8))
    }
}

/// Helpers for the tests of each comparison.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run<O: Op>(a: Tensor, b: Tensor) -> Vec<bool> {
        OpTest::<O>::new().input(a).input(b).output(Spec::bool()).run().unwrap()[0].as_bool()
    }

    /// Checks 1 ∘ 2, 2 ∘ 2, 3 ∘ 2 and, for floats, NaN ∘ 2.
    pub(crate) fn expect<O: Op>(less_equal_greater: [bool; 3], nan: bool) {
        let want = less_equal_greater;
        let [l, e, g] = want;
        let y = run::<O>(Tensor::f32(&[4], &[1.0, 2.0, 3.0, f32::NAN]), Tensor::f32(&[], &[2.0]));
        assert_eq!(y, [l, e, g, nan]);
        let h = |x: &[f32]| {
            Tensor::f16(&[x.len() as i32], &x.iter().map(|&x| f16::from_f32(x)).collect::<Vec<_>>())
        };
        assert_eq!(run::<O>(h(&[1.0, 2.0, 3.0, f32::NAN]), h(&[2.0])), [l, e, g, nan]);
        assert_eq!(run::<O>(Tensor::f32(&[1], &[-0.0]), Tensor::f32(&[1], &[0.0])), [e]);
        let (a, b) = (Tensor::i32(&[3, 1], &[1, 2, i32::MAX]), Tensor::i32(&[1, 2], &[2, i32::MIN]));
        assert_eq!(run::<O>(a, b), [l, g, e, g, g, g]);
        let (a, b) = (Tensor::i64(&[3], &[1, 1 << 40, i64::MAX]), Tensor::i64(&[3], &[2, 1 << 40, 0]));
        assert_eq!(run::<O>(a, b), want);
        assert_eq!(run::<O>(Tensor::i16(&[3], &[-7, 2, 3]), Tensor::i16(&[1], &[2])), want);
        assert_eq!(run::<O>(Tensor::i32(&[0, 3], &[]), Tensor::i32(&[3], &[1, 2, 3])), []);
    }

    /// Checks 8-bit numbers with scales, and the effect of a scale above one.
    pub(crate) fn expect_quantized<O: Op>([l, e, g]: [bool; 3]) {
        // 0.5 (q - 2) is compared with 0.25 (12 + 4) = 4.
        let a = Tensor::i8(&[3], &[9, 10, 11]).quantized(0.5, 2);
        let b = Tensor::i8(&[], &[12]).quantized(0.25, -4);
        let test = OpTest::<O>::new().input(a).input(b).output(Spec::bool()).in_place();
        assert_eq!(test.run().unwrap()[0].as_bool(), [l, e, g]);
        let a = Tensor::u8(&[2, 2], &[0, 128, 129, 255]).quantized(0.125, 128);
        let b = Tensor::u8(&[2], &[3, 3]).quantized(0.5, 3);
        assert_eq!(run::<O>(a, b), [l, e, g, g]);
        // Only the sign is left, and zero counts as positive.
        let q = |q: &[i8]| Tensor::i8(&[q.len() as i32], q).quantized(1.5, 0);
        assert_eq!(run::<O>(q(&[-9, -1, 0, 9]), q(&[1])), [l, l, e, e]);
    }

    /// Checks whether i16 is compared in steps or in units.
    pub(crate) fn expect_words<O: Op>(want: [bool; 2]) {
        let a = Tensor::i16(&[2], &[4, 5]).quantized(0.5, 0);
        assert_eq!(run::<O>(a, Tensor::i16(&[2], &[8, 5]).quantized(0.25, 0)), want);
    }

    /// Checks booleans and strings; `equal` is the result for equal elements.
    pub(crate) fn expect_identity<O: Op>(equal: bool) {
        let (a, b) = (Tensor::bool(&[2], &[false, true]), Tensor::bool(&[1], &[true]));
        assert_eq!(run::<O>(a, b), [!equal, equal]);
        let a = Tensor::strings(&[2, 1], &["ab", ""]);
        let b = Tensor::strings(&[3], &["", "ab", "abc"]);
        assert_eq!(run::<O>(a, b), [!equal, equal, !equal, equal, !equal, !equal]);
        let none = Tensor::strings::<&str>(&[0], &[]);
        assert_eq!(run::<O>(none.clone(), none), []);
        let broken = Tensor::raw(ElementType::String, &[1], &[1, 0, 0]);
        let test = OpTest::<O>::new().input(broken.clone()).input(broken).output(Spec::bool());
        assert_eq!(test.run().unwrap_err().message(), "'in0': 3 bytes hold no strings");
    }
}
