//! HASHTABLE_LOOKUP: looks up slices by their keys in a table with sorted keys. A missing key gives zeros or "". The
//! second output says which keys were found. Keys i32, values of any type, hits u8.
//!
//! Defined by: tflite/kernels/hashtable_lookup.cc; the search follows `bsearch` of the GNU C library.
//!
//! ```text
//! wanted [n]   keys [rows]   values [rows, …]   y [n, …]   hits [n]
//! ```

use arenite_abi::prelude::*;

use crate::kit::arguments::{expect_type, expect_vector};
use crate::kit::moves::{Run, Width};
use crate::kit::node;
use crate::kit::rearrange::declare_shape;
use crate::kit::rearrange::with_size;
use crate::kit::strings::{StringWriter, Strings, packed_bytes};

plain! {
    /// A prepared `HASHTABLE_LOOKUP` node: the number of elements in a slice.
    pub struct HashtableLookup {
        slice: usize,
    }
}

impl Op for HashtableLookup {
    const CODE: OpCode = OpCode::Builtin(op::HASHTABLE_LOOKUP);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=3, 2..=2)?;
        let (wanted, keys, values) = (node.input(0)?, node.input(1)?, node.input(2)?);
        let (y, hits) = (node.output(0)?, node.output(1)?);
        for list in [&wanted, &keys] {
            expect_type(list, &[I32])?;
            expect_vector(list)?;
        }
        expect_type(&hits, &[U8])?;
        node::same_type(&values, &y)?;
        ensure!(
            values.shape.first() == keys.shape.first()
                && (values.ty != ElementType::String || values.rank() == 1),
            "values {values} are {:?}, keys {keys} {:?}; a slice per key is needed, one string if they are strings",
            values.shape,
            keys.shape
        );
        let table = node::dims(&values)?;
        let output = with_size(&table, 0, wanted.shape[0])?;
        declare_shape(Some(output.as_slice()), cx, 0, values.ty)?;
        cx.set_output_shape(1, wanted.shape)?;
        Ok(HashtableLookup { slice: table.product(1, table.rank()) })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (wanted, keys) = (cx.input_slice::<i32>(0)?, cx.input_slice::<i32>(1)?);
        let values = cx.input(2)?;
        ensure!(!keys.is_empty(), "the table has no rows");
        let hits = cx.output_slice::<u8>(1)?;
        for (hit, &key) in hits.iter_mut().zip(wanted) {
            *hit = find(keys, key).is_some().into();
        }
        let rows = wanted.iter().map(|&key| find(keys, key));
        if values.ty == ElementType::String {
            return strings(cx, &Strings::of(&values)?, rows);
        }
        let (width, y) = (Width::of(values.ty)?, cx.output(0)?.into_bytes());
        y.fill(0);
        for (i, row) in rows.enumerate() {
            if let Some(row) = row {
                let (from, to) = (Run::contiguous(row * self.slice), Run::contiguous(i * self.slice));
                width.copy_run(values.bytes(), from, y, to, self.slice)?;
            }
        }
        Ok(())
    }
}

fn strings(
    cx: &EvalContext<'_>,
    values: &Strings<'_>,
    rows: impl ExactSizeIterator<Item = Option<usize>> + Clone,
) -> Result<()> {
    let count = rows.len();
    let texts = rows.map(|row| row.and_then(|row| values.get(row)).unwrap_or_default());
    let bytes = texts
        .clone()
        .try_fold(0usize, |sum, text| sum.checked_add(text.len()))
        .and_then(|bytes| packed_bytes(count, bytes))
        .ok_or_else(|| invalid!("{count} strings do not fit 2 GiB"))?;
    let y = cx.resize_string_output(0, &[count as i32], bytes)?.into_bytes();
    let mut writer = StringWriter::new(y, count)?;
    for text in texts {
        writer.push(text)?;
    }
    writer.finish()
}

/// The row of a key. If keys are equal or unsorted, it is the one that the bisection meets. Differences wrap, as in
/// TFLite.
fn find(keys: &[i32], key: i32) -> Option<usize> {
    let (mut from, mut to) = (0, keys.len());
    while from < to {
        let middle = (from + to) / 2;
        match key.wrapping_sub(keys[middle]) {
            0 => return Some(middle),
            ..0 => to = middle,
            _ => from = middle + 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn node(wanted: &[i32], keys: &[i32], values: Tensor) -> OpTest<HashtableLookup> {
        let ty = values.ty();
        let list = |of: &[i32]| Tensor::i32(&[of.len() as i32], of);
        let test = OpTest::new().input(list(wanted)).constant(list(keys)).constant(values);
        test.output(Spec::of(ty)).output(Spec::of(U8))
    }

    #[test]
    fn slices() {
        let values = Tensor::f32(&[3, 2], &[1.0, 1.1, 2.0, 2.1, 3.0, 3.1]);
        let y = node(&[5, 4, -7, 5], &[-7, 0, 5], values).run().unwrap();
        assert_eq!(y[0].as_f32(), [3.0, 3.1, 0.0, 0.0, 1.0, 1.1, 3.0, 3.1]);
        assert_eq!((y[0].shape(), y[1].as_u8()), (&[4, 2][..], vec![1, 0, 1, 1]));
        let y = node(&[2, 1, 9], &[1, 2], Tensor::i4(&[2, 3], &[1, 2, 3, 4, 5, 6])).run().unwrap();
        assert_eq!(y[0].as_i4(), [4, 5, 6, 1, 2, 3, 0, 0, 0]);
        let y = node(&[2, 3, 1], &[1, 2], Tensor::strings(&[2], &["one", "two"])).run().unwrap();
        assert_eq!(
            (y[0].as_strings(), y[1].as_u8()),
            (vec!["two".into(), "".into(), "one".into()], vec![1, 0, 1])
        );
    }

    #[test]
    fn searches() {
        assert_eq!(find(&[7, 7, 7, 7], 7), Some(2));
        assert_eq!(find(&[3, 1, 2], 3), None);
        assert_eq!(find(&[i32::MIN, i32::MAX], i32::MIN), None);
    }
}
