//! HASHTABLE: the handle of the hash table with this number, which all subgraphs share.
//! Defined by: tflite/kernels/hashtable.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::HashtableOptions;

use crate::kit::resource;

/// Prepared node: the handle is constant.
pub struct Hashtable;

/// Numbers of the types in the options, of keys and of values.
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
            "a hash table with keys and values of types number {types:?}; from INT64 to STRING and back is served"
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
    fn a_table_has_a_handle() {
        assert_eq!(run(I64, ElementType::String).unwrap(), [0; 4]);
        assert_eq!(run(ElementType::String, I64).unwrap(), [0; 4]);
    }

    #[test]
    fn refusals() {
        let error = run(I64, I64).unwrap_err();
        assert_eq!(
            error.message(),
            "a hash table with keys and values of types number (4, 4); from INT64 to STRING and back is served"
        );
    }
}
