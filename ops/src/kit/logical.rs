//! LOGICAL_AND and LOGICAL_OR: functions of two booleans that broadcast.
//!
//! Defined by: tflite/kernels/logical.cc.

use core::marker::PhantomData;

use arenite_abi::prelude::*;

use super::binary;
use super::broadcast::Broadcast;

/// The parameters of one member of the family, which its op file provides.
pub trait Member: Send + Sync + 'static {
    /// The code of the op.
    const CODE: OpCode;

    /// The function of two booleans.
    fn value(a: bool, b: bool) -> bool;
}

plain! {
    /// A prepared node of the family.
    pub struct Logical<marker M> {
        broadcast: Broadcast<2>,
        member: PhantomData<M>,
    }
}

impl<M: Member> Op for Logical<M> {
    const CODE: OpCode = M::CODE;
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[ElementType::Bool]);
    const OUTPUT_TYPE: OutputType = OutputType::Fixed(ElementType::Bool);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let operands = binary::prepare(node, cx)?;
        binary::same_type(&operands)?;
        Ok(Logical { broadcast: operands.broadcast()?, member: PhantomData })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        binary::map(cx, &self.broadcast, |a: Bool, b: Bool| Bool(M::value(a.0 != 0, b.0 != 0).into()))
    }
}

/// Helpers for the tests in the members' files.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    /// Checks the outputs for false and false, false and true, true and false, true and true.
    pub(crate) fn expect<O: Op>(want: [bool; 4]) {
        let all = Tensor::bool(&[2], &[false, true]);
        let test = OpTest::<O>::new().input(Tensor::bool(&[2, 1], &[false, true])).input(all);
        let y = test.output(Spec::bool()).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_bool()), (&[2, 2][..], want.to_vec()));
        // Every byte but 0 is true.
        let [a, b] = [[0, 0, 2, 2], [0, 4, 0, 4]].map(|bytes| Tensor::of(&[4], &bytes.map(Bool)));
        let y = OpTest::<O>::new().input(a).input(b).output(Spec::bool()).in_place().run().unwrap();
        assert_eq!(y[0].bytes(), want.map(u8::from));
    }
}
