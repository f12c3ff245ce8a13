//! HASHTABLE: a handle to the hash table with a given number; all subgraphs share the table.
//! Defined by: tflite/kernels/hashtable.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::HashtableOptions;

use crate::kit::resource;

/// A prepared `HASHTABLE` node, which has no state because the handle is constant.
pub struct Hashtable;

/// The pairs of key type and value type that are supported, as the options number them.
const SERVED: [(i8, i8); 2] =
    [(I64 as i8, ElementType::String as i8), (ElementType::String as i8, I64 as i8)];

impl Op for Hashtable {
    const CODE: OpCode = OpCode::Builtin(op::HASHTABLE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let options = node.options()?;
        let types = (options.get(HashtableOptions::KEY_DTYPE)?, options.get(HashtableOptions::VALUE_DTYPE)?);
        ensure!(
            SERVED.contains(&types),
            "a hash table with keys and values of types number {types:?}; only INT64 to STRING and STRING to INT64 are supported"
        );
        let number = options.get(HashtableOptions::TABLE_ID)?.to_le_bytes();
        resource::declare_handle(node, cx, &[1], &[b"table", &number])?;
        Ok(Hashtable)
    }

    fn eval(&self, _: &mut EvalContext<'_>) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec};

    fn run(key: ElementType, value: ElementType) -> Result<Vec<u8>> {
        let case = OpTest::<Hashtable>::new().output(Spec::of(ElementType::Resource));
        let case = case.options(|o| {
            o.set(HashtableOptions::TABLE_ID, 3)
                .set(HashtableOptions::KEY_DTYPE, key as i8)
                .set(HashtableOptions::VALUE_DTYPE, value as i8)
        });
        Ok(case.run()?[0].bytes().to_vec())
    }

    #[test]
    fn the_output_is_the_handle_of_the_table() {
        assert_eq!(run(I64, ElementType::String).unwrap(), [0; 4]);
        assert_eq!(run(ElementType::String, I64).unwrap(), [0; 4]);
    }
}
