//! HASHTABLE_FIND: the value of each key, or the default if the hash table lacks the key.
//! Defined by: tflite/kernels/hashtable_find.cc.

use arenite_abi::prelude::*;

use crate::kit::resource::{self, HashTable};
use crate::kit::strings::{self, StringWriter, Strings};

/// A prepared `HASHTABLE_FIND` node.
pub struct HashtableFind;

impl Op for HashtableFind {
    const CODE: OpCode = OpCode::Builtin(op::HASHTABLE_FIND);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        resource::expect_handle(node, 0)?;
        let (keys, default, y) = (node.input(1)?, node.input(2)?, node.output(0)?);
        resource::expect_key_and_value(&keys, &y)?;
        ensure!(
            default.ty == y.ty && !default.is_empty(),
            "the default {default} is {}{:?}, the values are {}; one value of that type is needed",
            default.ty,
            default.shape,
            y.ty
        );
        if y.ty == I64 {
            cx.set_output_shape(0, keys.shape)?
        } else {
            cx.set_output_dynamic(0)?
        }
        Ok(HashtableFind)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let mut model = cx.model()?;
        let handle = resource::handle(&mut model, cx, 0)?;
        let table = HashTable::of(&mut model, handle)?;
        let (keys, default) = (cx.input(1)?, cx.input(2)?);
        let (values, find) = table.find(&model, &keys)?;
        ensure!(
            values.ty == default.ty,
            "the hash table has values of type {}, the default {default} is {}; they must agree",
            values.ty,
            default.ty
        );
        if default.ty == I64 {
            let (values, default) = (values.as_slice::<i64>()?, default.as_slice::<i64>()?[0]);
            for (i, y) in cx.output_slice::<i64>(0)?.iter_mut().enumerate() {
                *y = find(i).and_then(|at| values.get(at).copied()).unwrap_or(default);
            }
            return Ok(());
        }
        let (values, default) = (Strings::of(&values)?, Strings::of(&default)?.get(0).unwrap_or_default());
        let text = |i| find(i).and_then(|at| values.get(at)).unwrap_or(default);
        let length = (0..keys.len()).try_fold(0usize, |sum, i| sum.checked_add(text(i).len()));
        let bytes = length.and_then(|length| strings::packed_bytes(keys.len(), length));
        let bytes = bytes.ok_or_else(|| invalid!("the values found have more than 2 GiB"))?;
        let target = cx.resize_string_output(0, keys.shape, bytes)?.into_bytes();
        let mut writer = StringWriter::new(target, keys.len())?;
        (0..keys.len()).try_for_each(|i| writer.push(text(i)))?;
        writer.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn case(stored: [Tensor; 3], keys: Tensor, default: Tensor) -> OpTest<HashtableFind> {
        let [k, v, order] = stored;
        let y = Spec::of(default.ty());
        OpTest::new()
            .input(Tensor::raw(ElementType::Resource, &[1], &0i32.to_le_bytes()))
            .input(keys)
            .input(default)
            .output(y)
            .resource(b"keys   \0\0\0\0", k)
            .resource(b"values \0\0\0\0", v)
            .resource(b"order  \0\0\0\0", order)
    }

    fn numbered() -> [Tensor; 3] {
        let order = Tensor::u32(&[2], &[1, 0]);
        [Tensor::i64(&[2], &[7, -1]), Tensor::strings(&[2], &["seven", "minus"]), order]
    }

    #[test]
    fn values() {
        let keys = Tensor::i64(&[3], &[-1, 0, 7]);
        let y = case(numbered(), keys, Tensor::strings(&[1], &["?"])).run().unwrap();
        assert_eq!(y[0].as_strings(), ["minus", "?", "seven"]);
        let [texts, numbers, order] =
            [Tensor::strings(&[2], &["b", "a"]), Tensor::i64(&[2], &[2, 1]), Tensor::u32(&[2], &[1, 0])];
        let keys = Tensor::strings(&[1, 3], &["a", "", "b"]);
        let y = case([texts, numbers, order], keys, Tensor::i64(&[], &[-5])).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_i64()), (&[1, 3][..], vec![1, -5, 2]));
    }

    #[test]
    fn refusals() {
        let error =
            case(numbered(), Tensor::strings(&[1], &["a"]), Tensor::i64(&[], &[0])).run().unwrap_err();
        assert_eq!(
            error.message(),
            "the hash table has keys of type INT64, 'in1' is STRING; they must agree"
        );
    }
}
