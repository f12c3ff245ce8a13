//! Products of rows of `f32` with 4-bit or 2-bit weights: quantizes the rows, and multiplies their bytes with panels of
//! packed weights.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use super::conv_hybrid::Finish;
use crate::kernels::u8i4_gemm::{Blocks, Gemm, Product};
use crate::memory::{Disjoint, Source};
use crate::reach::epilogue::{self, Epilogue, OutputRows};
use crate::reach::rows_u8::{QuantizedRows, RowQuantizer};
use crate::step::{Grain, Run, Step};
use crate::store::Block;

/// Rows that one item multiplies: few enough for all threads to get some.
const ROWS: usize = 32;

/// A product with packed weights.
pub(crate) struct ProductSubByte {
    /// The kernels.
    pub gemm: &'static Gemm,
    /// How columns are cut.
    pub blocks: Blocks,
    /// Columns of the output.
    pub columns: usize,
    /// Rows of the input, each with a scale.
    pub rows: RowQuantizer,
    /// Panel after panel.
    pub panels: Block<u8>,
    /// A number per column of all panels.
    pub bias: Vec<f32>,
    /// How results are finished.
    pub results: Finish,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl ProductSubByte {
    /// Computes some rows of the columns of a panel.
    ///
    /// # Safety
    /// No other thread may access these results in `output`, the tensor.
    unsafe fn tile(
        &self,
        panel: usize,
        rows: std::ops::Range<usize>,
        input: &QuantizedRows<'_>,
        output: Disjoint<'_, f32>,
        epilogue: &Epilogue<'_>,
    ) {
        let (depth, width, from) = (self.blocks.depth(), self.gemm.width, panel * self.gemm.width);
        let (first, count, columns) = (rows.start, rows.len(), width.min(self.columns - from));
        let bytes = width * self.blocks.column_bytes();
        let start = first * self.columns + from;
        let product = Product {
            a: input.bytes.at(first * depth, count * depth),
            rows: input.rows.at(first, count),
            count,
            blocks: self.blocks,
            panel: Source::of(&self.panels).at(panel * bytes, bytes),
            bias: Source::of(&self.bias).at(from, width),
            limits: self.results.clamp,
            c: output.tile(start, [count, self.columns, columns]),
            stride: self.columns,
            columns,
        };
        // SAFETY: `at` and `tile` checked that rows, panel, biases and results exist; the panels were packed by this
        // member for these blocks, which `ops::hybrid` checked. The results are this thread's, as `# Safety` requires.
        unsafe { self.gemm.multiply(&product) };
        let rows = OutputRows { first: start, stride: self.columns, count, len: columns };
        // SAFETY: the same results.
        unsafe { epilogue.apply(self.results.map, output, rows) };
    }
}

impl Step for ProductSubByte {
    fn name(&self) -> &'static str {
        self.gemm.name
    }

    fn scratch(&self) -> usize {
        self.rows.scratch()
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let output = cx.output::<f32>(self.output).share();
        let epilogue = epilogue::bind(&self.results.epilogue, cx);
        let quantized = self.rows.quantize(cx, cx.input(self.input), cx.scratch())?;
        let (count, parts) = (self.rows.count, self.rows.count.div_ceil(ROWS));
        let items = self.columns.div_ceil(self.gemm.width) * parts;
        // Products of bytes are faster than those of `f32`.
        let cost = self.gemm.width * self.blocks.depth() * count.min(ROWS) / 4;
        cx.parallel_for(items, Grain::of_cost(cost), |range| {
            for item in range {
                let first = item % parts * ROWS;
                // SAFETY: items are rows by columns of a panel, which no other item has, and each is one thread's.
                unsafe {
                    self.tile(item / parts, first..count.min(first + ROWS), &quantized, output, &epilogue)
                };
            }
        })
    }
}
