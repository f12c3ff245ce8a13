//! EMBEDDING_LOOKUP: gathers the rows of a table at a list of indices. Any type; or a table of i2, i4, i8, u8 that is
//! dequantized to f32 or f16, with a scale per tensor, per row, or per block of a row.
//!
//! Defined by: tflite/kernels/embedding_lookup.cc.
//!
//! ```text
//! indices [n]   table [rows, …]   y [n, …]:   y[i] = table[indices[i]], or scale × table[indices[i]]
//! ```

use arenite_abi::prelude::*;
use half::f16;

use crate::kit::arguments::{expect_type, expect_vector};
use crate::kit::moves::{Run, Width};
use crate::kit::node;
use crate::kit::packed;
use crate::kit::rearrange::with_size;

plain! {
    /// A prepared `EMBEDDING_LOOKUP` node.
    pub struct EmbeddingLookup {
        /// The number of elements in a row.
        row: usize,
        rows: usize,
        /// The number of elements that share a scale, if the table is dequantized.
        block: Maybe<usize>,
    }
}

impl Op for EmbeddingLookup {
    const CODE: OpCode = OpCode::Builtin(op::EMBEDDING_LOOKUP);
    const VERSIONS: RangeInclusive<i32> = 1..=5;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (indices, table, y) = node.binary()?;
        expect_type(&indices, &[I32])?;
        let count = expect_vector(&indices)?;
        ensure!(table.rank() >= 2, "table {table} is {:?}; it must have at least 2 dimensions", table.shape);
        let dims = node::dims(&table)?;
        let (rows, row) = (dims.size(0), dims.product(1, dims.rank()));
        let block = if table.ty == y.ty {
            Width::of(table.ty)?;
            None
        } else {
            Some(block(&table, &y, row)?)
        };
        cx.set_output_shape(0, with_size(&dims, 0, count as i32)?.as_slice())?;
        Ok(EmbeddingLookup { row, rows, block: block.into() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (indices, table, y) = (cx.input(0)?, cx.input(1)?, cx.output(0)?);
        let list = indices.as_slice::<i32>()?;
        let fits = |index: i32| usize::try_from(index).is_ok_and(|index| index < self.rows);
        if let Some((position, index)) = list.iter().enumerate().find(|(_, index)| !fits(**index)) {
            return Err(invalid!(
                "index {index} at position {position} of {indices} is out of bounds for 0..{}",
                self.rows
            ));
        }
        let rows = list.iter().map(|&index| index as usize);
        match (self.block.get(), y.ty()) {
            (None, _) => self.copy(&table, rows, y.into_bytes()),
            (Some(block), F32) => self.dequantize(&table, block, rows, y.into_slice::<f32>()?, |x| x),
            (Some(block), _) => self.dequantize(&table, block, rows, y.into_slice::<f16>()?, f16::from_f32),
        }
    }
}

/// The number of elements of a row that share a scale.
fn block(table: &TensorView<'_>, y: &TensorView<'_>, row: usize) -> Result<usize> {
    expect_type(table, &[I2, I4, I8, U8])?;
    expect_type(y, &[F32, F16])?;
    let Some(q) = table.quantization() else { return Ok(row) };
    if q.block_size > 0 {
        ensure!(
            table.rank() == 2 && matches!(table.ty, I2 | I4) && row.is_multiple_of(q.block_size),
            "table {table} is {}{:?} with {} elements to a scale; a row of INT2 or INT4 must be whole blocks",
            table.ty,
            table.shape,
            q.block_size
        );
        let blocks = row / q.block_size * table.shape[0] as usize;
        ensure!(q.scales.len() == blocks, "table {table} has {} scales for {blocks} blocks", q.scales.len());
        return Ok(q.block_size);
    }
    ensure!(
        y.ty != F32 || q.zero_points[0] == 0,
        "table {table} has zero point {}; it must be 0",
        q.zero_points[0]
    );
    let rows = table.shape[0] as usize;
    ensure!(
        !q.is_per_channel()
            || (q.dimension == 0 && q.scales.len() == rows && [1, rows].contains(&q.zero_points.len())),
        "table {table} is {:?} with {} scales along dimension {}; it needs one, or one per row",
        table.shape,
        q.scales.len(),
        q.dimension
    );
    Ok(row)
}

impl EmbeddingLookup {
    fn copy(&self, table: &TensorView<'_>, rows: impl Iterator<Item = usize>, y: &mut [u8]) -> Result<()> {
        let width = Width::of(table.ty)?;
        width.clear_rest(y);
        for (i, row) in rows.enumerate() {
            let (from, to) = (Run::contiguous(row * self.row), Run::contiguous(i * self.row));
            width.copy_run(table.bytes(), from, y, to, self.row)?;
        }
        Ok(())
    }

    fn dequantize<Y>(
        &self,
        table: &TensorView<'_>,
        block: usize,
        rows: impl Iterator<Item = usize>,
        y: &mut [Y],
        convert: impl Fn(f32) -> Y,
    ) -> Result<()> {
        if self.row == 0 {
            return Ok(());
        }
        let (bytes, q) = (table.bytes(), table.quantization());
        for (row, y) in rows.zip(y.chunks_exact_mut(self.row)) {
            for (b, y) in y.chunks_mut(block).enumerate() {
                let scale = q.as_ref().map_or(0.0, |q| q.scale_of(row * (self.row / block) + b));
                let first = row * self.row + b * block;
                for (k, y) in y.iter_mut().enumerate() {
                    *y = convert(element(table.ty, bytes, first, k) as f32 * scale);
                }
            }
        }
        Ok(())
    }
}

/// Element `first + k`; u8 is read as i8. A packed row or block is read from the start of its first byte.
fn element(ty: ElementType, bytes: &[u8], first: usize, k: usize) -> i32 {
    match ty {
        I2 => packed::read(ty, bytes, first / 4 * 4 + k),
        I4 => packed::read(ty, bytes, first / 2 * 2 + k),
        _ => bytes.get(first + k).map_or(0, |&b| (b as i8).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Quantized, Spec, Tensor};

    fn node(indices: &[i32], table: Tensor, ty: ElementType) -> OpTest<EmbeddingLookup> {
        let indices = Tensor::i32(&[indices.len() as i32], indices);
        OpTest::new().input(indices).constant(table).output(Spec::of(ty))
    }

    #[test]
    fn rows() {
        let y = node(&[2, 0], Tensor::i16(&[3, 1, 2], &[1, 2, 3, 4, 5, 6]), I16).run().unwrap().remove(0);
        assert_eq!((y.shape(), y.as_i16()), (&[2, 1, 2][..], vec![5, 6, 1, 2]));
        let y = node(&[1, 1], Tensor::i4(&[2, 3], &[1, 2, 3, -4, 5, 6]), I4).run().unwrap().remove(0);
        assert_eq!(y.as_i4(), [-4, 5, 6, -4, 5, 6]);
        let y = node(&[], Tensor::f32(&[0, 2], &[]), F32).run().unwrap().remove(0);
        assert_eq!(y.shape(), [0, 2]);
    }

    #[test]
    fn dequantized_rows() {
        let table = Tensor::i8(&[2, 2], &[1, -2, 3, -128]);
        let y = node(&[1, 0], table.clone().quantized(0.5, 0), F32).run().unwrap();
        assert_eq!(y[0].as_f32(), [1.5, -64.0, 0.5, -1.0]);
        let y = node(&[1, 0], table.clone().per_channel(&[0.5, 0.25], &[0, 0], 0), F16).run().unwrap();
        assert_eq!(y[0].as_f16(), [0.75, -32.0, 0.5, -1.0].map(f16::from_f32));
        assert_eq!(node(&[1], table, F32).run().unwrap()[0].as_f32(), [0.0, 0.0]);
        let y = node(&[0], Tensor::u8(&[1, 2], &[1, 255]).quantized(0.5, 0), F32).run().unwrap();
        assert_eq!(y[0].as_f32(), [0.5, -0.5]);
    }

    #[test]
    fn packed_rows() {
        let table = Tensor::i4(&[2, 4], &[1, -2, 3, -8, 4, 5, 6, 7]).quantized(0.5, 0);
        let y = node(&[1, 0], table, F32).run().unwrap();
        assert_eq!(y[0].as_f32(), [2.0, 2.5, 3.0, 3.5, 0.5, -1.0, 1.5, -4.0]);
        // The second row starts in the middle of a byte; it is read from the start of that byte.
        let table = Tensor::i4(&[2, 3], &[1, 2, 3, 4, 5, 6]).quantized(1.0, 0);
        assert_eq!(node(&[1], table, F32).run().unwrap()[0].as_f32(), [3.0, 4.0, 5.0]);
        // 1, -2, -1, 0 and 0, 1, 1, -1, starting at the lowest bits.
        let table = Tensor::raw(I2, &[2, 4], &[0b00_11_10_01, 0b11_01_01_00]).quantized(2.0, 0);
        let y = node(&[1, 0], table, F32).run().unwrap();
        assert_eq!(y[0].as_f32(), [0.0, 2.0, 2.0, -2.0, 2.0, -4.0, -2.0, 0.0]);
    }

    #[test]
    fn blockwise_scales() {
        let blocks = |block_size| Quantized {
            scales: vec![1.0, 0.5, 0.25, 2.0],
            zero_points: vec![0],
            dimension: 1,
            block_size,
        };
        let table = || Tensor::i4(&[2, 4], &[1, -2, 3, -8, 4, 5, 6, 7]);
        let y = node(&[1, 0], table().with_quantization(blocks(2)), F32).run().unwrap();
        assert_eq!(y[0].as_f32(), [1.0, 1.25, 12.0, 14.0, 1.0, -2.0, 1.5, -4.0]);
        let error = node(&[1], table().with_quantization(blocks(3)), F32).run().unwrap_err();
        assert_eq!(
            error.message(),
            "table 'in1' is INT4[2, 4] with 3 elements to a scale; a row of INT2 or INT4 must be whole blocks"
        );
    }
}
