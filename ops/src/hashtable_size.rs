//! HASHTABLE_SIZE: the number of distinct keys in a hash table.
//! Defined by: tflite/kernels/hashtable_size.cc.

use arenite_abi::prelude::*;

use crate::kit::resource::{self, HashTable};

/// A prepared `HASHTABLE_SIZE` node.
pub struct HashtableSize;

impl Op for HashtableSize {
    const CODE: OpCode = OpCode::Builtin(op::HASHTABLE_SIZE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        resource::expect_handle(node, 0)?;
        let y = node.output(0)?;
        ensure!(y.ty == I64, "output {y} is {}; a size is INT64", y.ty);
        cx.set_output_shape(0, &[1])?;
        Ok(HashtableSize)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let mut model = cx.model()?;
        let handle = resource::handle(&mut model, cx, 0)?;
        let size = HashTable::of(&mut model, handle)?.len(&model)?;
        cx.output_slice::<i64>(0)?.copy_from_slice(&[size as i64]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn case() -> OpTest<HashtableSize> {
        let handle = Tensor::raw(ElementType::Resource, &[1], &0i32.to_le_bytes());
        OpTest::new().input(handle).output(Spec::i64())
    }

    #[test]
    fn values() {
        assert_eq!(case().run().unwrap()[0].as_i64(), [0]);
        let filled = case().resource(b"order  \0\0\0\0", Tensor::u32(&[2], &[1, 0]));
        assert_eq!(filled.run().unwrap()[0].as_i64(), [2]);
    }
}
