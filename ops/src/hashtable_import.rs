//! HASHTABLE_IMPORT: fills a hash table with keys and values, once; later imports change nothing.
//! Defined by: tflite/kernels/hashtable_import.cc.

use arenite_abi::prelude::*;

use crate::kit::resource::{self, HashTable};

/// Prepared node: room to sort the keys.
pub struct HashtableImport(Scratch<u32>);

impl Op for HashtableImport {
    const CODE: OpCode = OpCode::Builtin(138);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=3, 0..=0)?;
        resource::expect_handle(node, 0)?;
        let (keys, values) = (node.input(1)?, node.input(2)?);
        resource::expect_key_and_value(&keys, &values)?;
        ensure!(
            keys.shape == values.shape && u32::try_from(keys.len()).is_ok(),
            "'{}' is {:?}, '{}' is {:?}; a hash table has as many keys as values",
            keys.name,
            keys.shape,
            values.name,
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
