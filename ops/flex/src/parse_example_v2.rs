//! ParseExampleV2: the features of serialized `tf.Example` messages as tensors.
//!
//! ```text
//! inputs   serialized [batch] or [], names, sparse keys, dense keys, ragged keys, a default for each dense key
//! outputs  for each sparse key its indices, then for each its values, then for each its shape,
//!          the values of each dense key, the values of each ragged key, the row splits of each ragged key
//! ```
//! Defined by: tensorflow/core/kernels/example_parsing_ops.cc, tensorflow/core/util/example_proto_fast_parsing.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::strings::Strings;

use crate::kit::example::{Example, FeatureValues};
use crate::kit::kernel::{Call, Inputs, Kernel, Node, expect_type, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::number::put_integers;

/// The `FlexParseExampleV2` op.
pub type ParseExampleV2 = Node<Definition>;

/// Attributes, shape function and kernel of `FlexParseExampleV2`.
pub struct Definition {
    sparse: Vec<ElementType>,
    ragged: Vec<ElementType>,
    dense: Vec<Dense>,
}

/// A dense key: the type and the shape of its values in one example. A first size of −1 is the largest of the batch.
struct Dense {
    ty: ElementType,
    shape: Vec<i64>,
}

/// The first input of a default.
const DEFAULTS: usize = 5;

impl Kernel for Definition {
    const NAME: &'static str = "FlexParseExampleV2";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        let (sparse, ragged) = (def.types("sparse_types")?, def.types("ragged_value_types")?);
        let (types, shapes) = (def.types("Tdense")?, def.shapes("dense_shapes")?);
        ensure!(types.len() == shapes.len(), "{} dense types and {} shapes", types.len(), shapes.len());
        let dense: Vec<_> = types.into_iter().zip(shapes).map(|(ty, shape)| Dense { ty, shape }).collect();
        let (inputs, outputs) = (DEFAULTS + dense.len(), 3 * sparse.len() + dense.len() + 2 * ragged.len());
        node.expect(inputs..=inputs, outputs..=outputs)?;
        for i in [0, 2, 3, 4] {
            expect_type(&node.input(i)?, &[ElementType::String])?;
        }
        ensure!(node.input(0)?.rank() <= 1, "{} has more than one axis", node.input(0)?);
        for (i, of) in dense.iter().enumerate() {
            let given = node.input(DEFAULTS + i)?;
            expect_type(&given, &[of.ty])?;
            let rest = of.shape.get(1..).unwrap_or(&[]);
            let fits = rest.iter().all(|&size| size >= 0);
            ensure!(fits, "dense shape {i} is {:?}; only the first size may be unknown", of.shape);
        }
        for (i, keys, count) in
            [(2, "sparse", sparse.len()), (3, "dense", dense.len()), (4, "ragged", ragged.len())]
        {
            let given = node.input(i)?.len();
            ensure!(given == count, "{given} {keys} keys for {count} types");
        }
        Ok(Definition { sparse, ragged, dense })
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let serialized = call.strings(0)?;
        let batch = Batch {
            examples: serialized.iter().map(Example::parse).collect::<Result<_>>()?,
            single: call.input(0)?.rank() == 0,
        };
        let (sparse, dense, ragged) = (call.strings(2)?, call.strings(3)?, call.strings(4)?);
        let count = self.sparse.len();
        for (i, &ty) in self.sparse.iter().enumerate() {
            batch.put_sparse(call, [i, count + i, 2 * count + i], &batch.column(key(&sparse, i), ty)?)?;
        }
        for (i, of) in self.dense.iter().enumerate() {
            let rows = batch.column(key(&dense, i), of.ty)?;
            let padded = of.shape.first() == Some(&-1);
            let default = FeatureValues::of_tensor(&call.input(DEFAULTS + i)?)?;
            let laid =
                if padded { of.pad(&rows, &default)? } else { of.fill(&rows, &default, key(&dense, i))? };
            batch.put_dense(call, 3 * count + i, laid)?;
        }
        let first = 3 * count + self.dense.len();
        for (i, &ty) in self.ragged.iter().enumerate() {
            let rows = batch.column(key(&ragged, i), ty)?;
            batch.put_ragged(call, [first + i, first + self.ragged.len() + i], &rows)?;
        }
        Ok(())
    }
}

fn key<'a>(keys: &Strings<'a>, i: usize) -> &'a [u8] {
    keys.get(i).unwrap_or_default()
}

/// The values of a key in each example, `None` where it is absent, and their type.
struct Column<'a> {
    rows: Vec<Option<FeatureValues<'a>>>,
    ty: ElementType,
}

/// Values of one shape.
struct LaidValues<'a> {
    shape: Vec<i64>,
    values: FeatureValues<'a>,
}

impl Dense {
    /// Every example has as many values as the shape; the default replaces absent ones.
    fn fill<'a>(
        &self,
        column: &Column<'a>,
        default: &FeatureValues<'a>,
        key: &[u8],
    ) -> Result<LaidValues<'a>> {
        let count = shape_of(self.shape.iter().copied())?.flat_size();
        let mut values = FeatureValues::none(self.ty)?;
        for (example, row) in column.rows.iter().enumerate() {
            let name = String::from_utf8_lossy(key);
            match row {
                None if default.len() == count => values.append(default),
                None => {
                    return Err(invalid!("example {example} has no feature '{name}', which has no default"));
                }
                Some(row) if row.len() == count => values.append(row),
                Some(row) => {
                    return Err(invalid!(
                        "feature '{name}' of example {example} has {} values; {:?} needs {count}",
                        row.len(),
                        self.shape
                    ));
                }
            }
        }
        Ok(LaidValues { shape: self.shape.clone(), values })
    }

    /// Every example has as many values as the longest; the default is appended to the others.
    fn pad<'a>(&self, column: &Column<'a>, default: &FeatureValues<'a>) -> Result<LaidValues<'a>> {
        let step = shape_of(self.shape[1..].iter().copied())?.flat_size().max(1);
        let longest = column.rows.iter().flatten().map(FeatureValues::len).max().unwrap_or(0);
        let mut values = FeatureValues::none(self.ty)?;
        for row in &column.rows {
            let given = row.as_ref().map_or(0, FeatureValues::len);
            ensure!(given.is_multiple_of(step), "{given} values do not fit the shape {:?}", self.shape);
            ensure!(
                given == longest || default.len() == 1,
                "rows of {given} and {longest} values need one default; there are {}",
                default.len()
            );
            row.iter().for_each(|row| values.append(row));
            (given..longest).for_each(|_| values.append(default));
        }
        let shape = [&[(longest / step) as i64], &self.shape[1..]].concat();
        Ok(LaidValues { shape, values })
    }
}

/// The examples; a single one gives tensors without the batch axis.
struct Batch<'a> {
    examples: Vec<Example<'a>>,
    single: bool,
}

impl<'a> Batch<'a> {
    fn column(&self, key: &[u8], ty: ElementType) -> Result<Column<'a>> {
        let row = |(i, example): (usize, &Example<'a>)| {
            example.feature(key, ty).map_err(|error| {
                invalid!("feature '{}' of example {i}: {}", String::from_utf8_lossy(key), error.message())
            })
        };
        Ok(Column { rows: self.examples.iter().enumerate().map(row).collect::<Result<_>>()?, ty })
    }

    fn put_sparse(&self, call: &Call<'_, '_>, outputs: [usize; 3], column: &Column<'a>) -> Result<()> {
        let (mut indices, mut values, mut longest) = (Vec::new(), FeatureValues::none(column.ty)?, 0);
        for (example, row) in column.rows.iter().enumerate() {
            let Some(row) = row else { continue };
            longest = longest.max(row.len());
            for i in 0..row.len() {
                indices.extend(if self.single { None } else { Some(example as i64) });
                indices.push(i as i64);
            }
            values.append(row);
        }
        let axes = if self.single { 1 } else { 2 };
        let count = values.len() as i64;
        if call.wants(outputs[0]) {
            call.resized::<i64>(outputs[0], &[count as i32, axes])?.copy_from_slice(&indices);
        }
        values.put(call, outputs[1], &shape_of([count])?)?;
        if call.wants(outputs[2]) {
            let shape = [self.examples.len() as i64, longest as i64];
            call.resized::<i64>(outputs[2], &[axes])?.copy_from_slice(&shape[2 - axes as usize..]);
        }
        Ok(())
    }

    fn put_dense(&self, call: &Call<'_, '_>, output: usize, laid: LaidValues<'a>) -> Result<()> {
        let batch = if self.single { None } else { Some(self.examples.len() as i64) };
        laid.values.put(call, output, &shape_of(batch.into_iter().chain(laid.shape))?)
    }

    fn put_ragged(&self, call: &Call<'_, '_>, outputs: [usize; 2], column: &Column<'a>) -> Result<()> {
        let (mut values, mut splits) = (FeatureValues::none(column.ty)?, vec![0]);
        for row in &column.rows {
            row.iter().for_each(|row| values.append(row));
            splits.push(values.len() as i64);
        }
        if self.single {
            splits.clear();
        }
        values.put(call, outputs[0], &shape_of([values.len() as i64])?)?;
        if call.wants(outputs[1]) {
            let y = call.cx.resize_output(outputs[1], &[splits.len() as i32])?;
            put_integers(y, splits)?;
        }
        Ok(())
    }
}
