//! BITWISE_XOR and RIGHT_SHIFT: functions of two integers of one type that broadcast. i8, u8, i16, u16, i32, u32,
//! without regard to quantization.
//!
//! Defined by: tflite/kernels/{bitwise_xor,right_shift}.cc.

use core::marker::PhantomData;

use arenite_abi::prelude::*;

use super::binary;
use super::broadcast::Broadcast;

/// The parameters of one member of the family, which its op file provides.
pub trait Member: Send + Sync + 'static {
    /// The code of the op.
    const CODE: OpCode;

    /// The function on integers of `bits` bits. The result is truncated to the same width.
    fn value(a: i64, b: i64, bits: u32) -> i64;
}

plain! {
    /// A prepared node of the family.
    pub struct IntegerPair<marker M> {
        broadcast: Broadcast<2>,
        member: PhantomData<M>,
    }
}

impl<M: Member> Op for IntegerPair<M> {
    const CODE: OpCode = M::CODE;
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[I8, U8, I16, U16, I32, U32]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let operands = binary::prepare(node, cx)?;
        binary::same_type(&operands)?;
        match operands.y.ty {
            I8 | U8 | I16 | U16 | I32 | U32 => {}
            ty => return Err(unsupported!("no kernel for {ty}")),
        }
        Ok(IntegerPair { broadcast: operands.broadcast()?, member: PhantomData })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let loops = &self.broadcast;
        match cx.node().output(0)?.ty {
            I8 => binary::map(cx, loops, |a: i8, b: i8| M::value(a.into(), b.into(), 8) as i8),
            U8 => binary::map(cx, loops, |a: u8, b: u8| M::value(a.into(), b.into(), 8) as u8),
            I16 => binary::map(cx, loops, |a: i16, b: i16| M::value(a.into(), b.into(), 16) as i16),
            U16 => binary::map(cx, loops, |a: u16, b: u16| M::value(a.into(), b.into(), 16) as u16),
            I32 => binary::map(cx, loops, |a: i32, b: i32| M::value(a.into(), b.into(), 32) as i32),
            _ => binary::map(cx, loops, |a: u32, b: u32| M::value(a.into(), b.into(), 32) as u32),
        }
    }
}

/// Helpers for the tests in the members' files.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    /// Runs the op on two inputs of one type.
    pub(crate) fn run<O: Op, T: Element>(a: &[T], b: &[T]) -> Vec<T> {
        let [a, b] = [a, b].map(|x| Tensor::of(&[x.len() as i32], x));
        let y = OpTest::<O>::new().input(a).input(b).output(Spec::of(T::TYPE)).in_place().run().unwrap();
        y[0].elements()
    }
}
