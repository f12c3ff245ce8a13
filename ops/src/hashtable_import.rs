//! HASHTABLE_IMPORT: fills a hash table with keys and values, once; later imports have no effect.
//! Defined by: tflite/kernels/hashtable_import.cc.

use arenite_abi::prelude::*;

use crate::kit::resource::{self, HashTable};

/// A prepared `HASHTABLE_IMPORT` node: scratch memory to sort the keys.
pub struct HashtableImport(Scratch<u32>);

impl Op for HashtableImport {
    const CODE: OpCode = OpCode::Builtin(op::HASHTABLE_IMPORT);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=3, 0..=0)?;
        resource::expect_handle(node, 0)?;
        let (keys, values) = (node.input(1)?, node.input(2)?);
        resource::expect_key_and_value(&keys, &values)?;
        ensure!(
            keys.shape == values.shape && u32::try_from(keys.len()).is_ok(),
            "{keys} is {:?}, {values} is {:?}; a hash table has as many keys as values",
            keys.shape,
            values.shape
        );
        cx.scratch(keys.len()).map(HashtableImport)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let mut model = cx.model()?;
        let handle = resource::handle(&mut model, cx, 0)?;
        let table = HashTable::of(&mut model, handle)?;
        if table.is_imported(&model)? {
            return Ok(());
        }
        table.import(&mut model, &cx.input(1)?, &cx.input(2)?, cx.scratch(&self.0)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Outcome, Tensor};

    fn run(keys: Tensor, values: Tensor) -> Result<Outcome> {
        let handle = Tensor::raw(ElementType::Resource, &[1], &0i32.to_le_bytes());
        OpTest::<HashtableImport>::new().input(handle).input(keys).input(values).run_with_variables()
    }

    #[test]
    fn keys_are_sorted_and_the_first_duplicate_wins() {
        let outcome = run(Tensor::i64(&[4], &[7, -1, 7, 3]), Tensor::strings(&[4], &["a", "b", "c", "d"]));
        let order = outcome.unwrap().resources.remove(2);
        assert_eq!((&order.0[..6], order.1.as_u32()), (&b"order "[..], vec![1, 3, 0]));
    }

    #[test]
    fn refusals() {
        let error = run(Tensor::i64(&[2], &[7, 8]), Tensor::strings(&[1], &["a"])).unwrap_err();
        assert_eq!(error.message(), "'in1' is [2], 'in2' is [1]; a hash table has as many keys as values");
    }
}
