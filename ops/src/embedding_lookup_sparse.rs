//! EMBEDDING_LOOKUP_SPARSE: weighted sums of rows of a table, one sum per bucket of a sparse tensor of row numbers.
//! f32.
//!
//! Defined by: tflite/kernels/embedding_lookup_sparse.cc.
//!
//! ```text
//! ids [n]   indices [n, rank]   dense_shape [rank]   weights [n]   table [rows, …]
//! bucket of i = the first rank − 1 numbers of indices[i], row-major in dense_shape
//! y[bucket] = Σ weights[i] × table[ids[i]]   divided by Σ weights (MEAN) or √Σ weights² (SQRTN), y: dense_shape[..−1] ++ […]
//! ```
//! Each run of equal buckets is divided at its end. Buckets outside the output are skipped.

use arenite_abi::prelude::*;
use arenite_abi::schema::{EmbeddingLookupSparseOptions, combiner};

use crate::kit::arguments::{Integers, expect_type, expect_vector};
use crate::kit::float;
use crate::kit::indexing::Dims;
use crate::kit::node;
use crate::kit::pace::Pace;

plain! {
    /// A prepared `EMBEDDING_LOOKUP_SPARSE` node.
    pub struct EmbeddingLookupSparse {
        combiner: Combiner,
        rows: usize,
        /// The number of elements in a row.
        row: usize,
        is_static: bool,
    }
}

plain! {
    #[derive(Clone, Copy)]
    enum Combiner {
        Sum,
        Mean,
        SquareRootOfSquares,
    }
}

impl Op for EmbeddingLookupSparse {
    const CODE: OpCode = OpCode::Builtin(op::EMBEDDING_LOOKUP_SPARSE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(5..=5, 1..=1)?;
        let combiner = match node.options()?.get(EmbeddingLookupSparseOptions::COMBINER)? {
            combiner::MEAN => Combiner::Mean,
            combiner::SQRTN => Combiner::SquareRootOfSquares,
            // TFLite reads numbers that the schema lacks in this way.
            _ => Combiner::Sum,
        };
        let table = check(node)?;
        let dims = node::dims(&table)?;
        let dense_shape = node.input(2)?;
        match dense_shape.is_constant() {
            true => cx.set_output_shape(0, output_shape(&dense_shape, &table)?.as_slice())?,
            false => cx.set_output_dynamic(0)?,
        }
        let is_static = dense_shape.is_constant();
        Ok(EmbeddingLookupSparse {
            combiner,
            rows: dims.size(0),
            row: dims.product(1, dims.rank()),
            is_static,
        })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let dense_shape = cx.input(2)?;
        let output = output_shape(&dense_shape, &cx.input(4)?)?;
        let y = if self.is_static { cx.output(0)? } else { cx.resize_output(0, output.as_slice())? };
        self.sum_up(cx, &Integers::of(&dense_shape)?, y.into_slice()?)
    }
}

/// Checks types and sizes, and returns the table.
fn check<'a>(node: &NodeView<'a>) -> Result<TensorView<'a>> {
    let (ids, indices, weights, table) = (node.input(0)?, node.input(1)?, node.input(3)?, node.input(4)?);
    [&ids, &indices, &node.input(2)?].into_iter().try_for_each(|x| expect_type(x, &[I32]))?;
    [&weights, &table, &node.output(0)?].into_iter().try_for_each(|x| expect_type(x, &[F32]))?;
    let count = [expect_vector(&ids)?, expect_vector(&weights)?];
    let rank = expect_vector(&node.input(2)?)?;
    ensure!(
        indices.rank() == 2
            && count.iter().all(|&n| indices.shape[0] as usize == n)
            && rank >= 1
            && indices.shape[1] as usize == rank,
        "ids {ids} are {:?}, weights {weights} {:?}, indices {indices} {:?}, the dense shape has {rank} numbers; they must be [n], [n], [n, rank] and rank",
        ids.shape,
        weights.shape,
        indices.shape
    );
    ensure!(table.rank() >= 2, "table {table} is {:?}; it must have at least 2 dimensions", table.shape);
    Ok(table)
}

/// The dense shape without its last size, followed by the shape of a table row.
fn output_shape(dense_shape: &TensorView<'_>, table: &TensorView<'_>) -> Result<Dims> {
    let dense = Integers::of(dense_shape)?;
    let (sizes, rank) = dense.saturated();
    let sizes = sizes[..rank.saturating_sub(1)].iter().chain(&table.shape[1..]).copied();
    Dims::from_sizes(sizes).ok_or_else(|| {
        invalid!(
            "dense shape {dense_shape} is {:?}, table {table} {:?}: sizes must not be negative, and at most 8 axes are supported",
            &dense[..], table.shape
        )
    })
}

impl EmbeddingLookupSparse {
    fn sum_up(&self, cx: &EvalContext<'_>, dense_shape: &[i64], y: &mut [f32]) -> Result<()> {
        let (ids, table) = (cx.input(0)?, cx.input_slice::<f32>(4)?);
        let indices = cx.input_slice::<i32>(1)?.chunks_exact(dense_shape.len());
        let weights = cx.input_slice::<f32>(3)?;
        y.fill(0.0);
        let mut pace = Pace::new(cx);
        let mut sum: Option<Sum> = None;
        for ((&id, indices), &weight) in ids.as_slice::<i32>()?.iter().zip(indices).zip(weights) {
            pace.ahead(self.row)?;
            let row = usize::try_from(id)
                .ok()
                .filter(|&row| row < self.rows)
                .ok_or_else(|| invalid!("{ids} holds {id}; the table has rows 0..{}", self.rows))?;
            let bucket = bucket(indices, dense_shape);
            if let Some(ended) = sum.take_if(|sum| sum.bucket != bucket) {
                self.finish(&ended, y);
            }
            let sum = sum.get_or_insert(Sum { bucket, weights: 0.0, squares: 0.0 });
            sum.weights += weight;
            sum.squares += weight * weight;
            let to = sum.of(y, self.row).unwrap_or_default();
            to.iter_mut().zip(&table[row * self.row..]).for_each(|(y, x)| *y += x * weight);
        }
        if let Some(last) = sum {
            self.finish(&last, y);
        }
        Ok(())
    }

    fn finish(&self, sum: &Sum, y: &mut [f32]) {
        let divisor = match self.combiner {
            Combiner::Sum => return,
            Combiner::Mean => sum.weights,
            Combiner::SquareRootOfSquares => float::sqrt(sum.squares),
        };
        sum.of(y, self.row).unwrap_or_default().iter_mut().for_each(|y| *y /= divisor);
    }
}

/// The sum of a run of equal buckets.
struct Sum {
    bucket: Option<usize>,
    weights: f32,
    squares: f32,
}

impl Sum {
    fn of<'a>(&self, y: &'a mut [f32], row: usize) -> Option<&'a mut [f32]> {
        let first = self.bucket?.checked_mul(row)?;
        y.get_mut(first..first.checked_add(row)?)
    }
}

/// The bucket of an index vector, or `None` if no output can have it.
fn bucket(indices: &[i32], dense_shape: &[i64]) -> Option<usize> {
    let outer = dense_shape.len() - 1;
    let bucket = indices[..outer]
        .iter()
        .zip(dense_shape)
        .try_fold(0i64, |bucket, (&index, &size)| bucket.checked_mul(size)?.checked_add(index.into()));
    usize::try_from(bucket?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn node(combiner: i8, ids: &[i32], indices: &[i32], weights: &[f32]) -> OpTest<EmbeddingLookupSparse> {
        let n = ids.len() as i32;
        let test = OpTest::new()
            .options(|o| o.set(EmbeddingLookupSparseOptions::COMBINER, combiner))
            .input(Tensor::i32(&[n], ids));
        let test = test.input(Tensor::i32(&[n, 2], indices)).input(Tensor::i32(&[2], &[3, 2]));
        let test = test.input(Tensor::f32(&[n], weights)).output(Spec::f32());
        test.constant(Tensor::f32(&[2, 2], &[1.0, 2.0, 10.0, 20.0]))
    }

    #[test]
    fn sums() {
        // 3 × row 0 and 4 × row 1 in bucket 0, −1 × row 1 in bucket 2.
        let (ids, indices, weights) = ([0, 1, 1], [0, 0, 0, 1, 2, 0], [3.0, 4.0, -1.0]);
        for (combiner, want) in [
            (0, [43.0, 86.0, 0.0, 0.0, -10.0, -20.0]),
            (1, [43.0 / 7.0, 86.0 / 7.0, 0.0, 0.0, 10.0, 20.0]),
            (2, [8.6, 17.2, 0.0, 0.0, -10.0, -20.0]),
        ] {
            let y = node(combiner, &ids, &indices, &weights).run().unwrap().remove(0);
            assert_eq!((y.shape(), y.as_f32()), (&[3, 2][..], want.to_vec()));
        }
    }

    #[test]
    fn buckets_outside_the_output_are_skipped() {
        let y = node(1, &[0, 1], &[7, 0, -1, 0], &[1.0, 1.0]).run().unwrap().remove(0);
        assert_eq!(y.as_f32(), [0.0; 6]);
        assert_eq!(node(1, &[], &[], &[]).run().unwrap()[0].as_f32(), [0.0; 6]);
    }
}
