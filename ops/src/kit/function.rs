//! Ops that apply one real function: `y = f(x)`. Floats are computed in f32, quantized integers are looked up in a
//! table.

use core::marker::PhantomData;

use arenite_abi::prelude::*;
use half::{bf16, f16};

use super::node;
use super::table::FunctionTable;
use super::unary;

/// The parameters of one member of the family, which its op file provides.
pub trait Member: Send + Sync + 'static {
    /// The code of the op.
    const CODE: OpCode;
    /// The versions that are supported.
    const VERSIONS: RangeInclusive<i32>;
    /// The input and output types that are supported, out of f32, f16, bf16, i8 and i16.
    const TYPES: ElementTypes;
    /// See [`Op::OUTPUT_TYPE`].
    const OUTPUT_TYPE: OutputType = OutputType::File;

    /// The function.
    fn value(x: f32) -> f32;

    /// The value that tables hold for `x`; `lowest` is the smallest real number that the output can represent.
    fn tabled(x: f32, lowest: f32) -> f32 {
        let _ = lowest;
        Self::value(x)
    }
}

plain! {
    /// A prepared node of the family.
    pub struct Function<marker M> {
        /// The lookup table; `None` for floats.
        table: Maybe<FunctionTable>,
        member: PhantomData<M>,
    }
}

impl<M: Member> Op for Function<M> {
    const CODE: OpCode = M::CODE;
    const VERSIONS: RangeInclusive<i32> = M::VERSIONS;
    const TYPES: ElementTypes = M::TYPES;
    const OUTPUT_TYPE: OutputType = M::OUTPUT_TYPE;
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = unary::prepare(node, cx)?;
        let table = match x.ty {
            F32 | F16 | BF16 => None,
            I8 | I16 => Some(table::<M>(&x, &y, cx)?),
            ty => return Err(unsupported!("no kernel for {ty}")),
        };
        Ok(Function { table: table.into(), member: PhantomData })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match (self.table.as_ref(), cx.node().output(0)?.ty) {
            (Some(table), _) => table.eval(cx),
            (None, F16) => unary::map(cx, |x: f16| f16::from_f32(M::value(x.to_f32()))),
            (None, BF16) => unary::map(cx, |x: bf16| bf16::from_f32(M::value(x.to_f32()))),
            (None, _) => unary::map(cx, M::value),
        }
    }
}

fn table<M: Member>(
    x: &TensorView<'_>,
    y: &TensorView<'_>,
    cx: &mut PrepareContext<'_>,
) -> Result<FunctionTable> {
    if x.ty == I16 {
        [x, y].into_iter().try_for_each(node::symmetric)?;
    }
    let smallest = if x.ty == I8 { i8::MIN.into() } else { i16::MIN.into() };
    let lowest = node::quant(y)?.dequantize(smallest);
    FunctionTable::prepare(x, y, cx, |x| M::tabled(x, lowest))
}

/// Helpers for the tests in the members' files.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    /// Checks floats of every type that the op supports.
    pub(crate) fn expect<O: Op>(cases: &[(f32, f32)]) {
        let (x, want): (Vec<f32>, Vec<f32>) = cases.iter().copied().unzip();
        let shape = &[cases.len() as i32];
        let run = |x: Tensor| {
            let y = Spec::of(x.ty());
            OpTest::<O>::new().input(x).output(y).in_place().run().unwrap().remove(0)
        };
        let bits = |values: Vec<f32>| -> Vec<u32> {
            values.iter().map(|x| if x.is_nan() { 1 } else { x.to_bits() }).collect()
        };
        let y = run(Tensor::f32(shape, &x)).as_f32();
        assert_eq!(bits(y.clone()), bits(want.clone()), "{y:?}, want {want:?}");
        let halves = |x: &[f32]| x.iter().map(|&x| f16::from_f32(x)).collect::<Vec<_>>();
        if O::TYPES.contains(F16) {
            let y = run(Tensor::f16(shape, &halves(&x))).as_f16();
            assert_near(&y.iter().map(|x| x.to_f32()).collect::<Vec<_>>(), &want, 2e-3);
        }
        if O::TYPES.contains(BF16) {
            let x: Vec<_> = x.iter().map(|&x| bf16::from_f32(x)).collect();
            let y = run(Tensor::bf16(shape, &x)).as_bf16();
            assert_near(&y.iter().map(|x| x.to_f32()).collect::<Vec<_>>(), &want, 1e-2);
        }
    }

    fn assert_near(got: &[f32], want: &[f32], relative: f32) {
        for (&got, &want) in got.iter().zip(want) {
            let near =
                got == want || (got - want).abs() <= relative * want.abs() || got.is_nan() && want.is_nan();
            assert!(near, "{got}, want {want}");
        }
    }
}
