//! Products of matrices with whole slices, through local memory or directly. Through local memory, each number is read
//! from the device's memory once per tile instead of once per work-item.

use arenite_abi::prelude::*;
use arenite_base::Clamp;

use crate::kernels::{self, Call, CountedMatrices, SliceMatrices};
use crate::plan::builder::Builder;
use crate::plan::fused_task::FusedTask;
use crate::plan::task::Buffer;
use crate::plan::tiles::ROWS;

/// Products of matrices with whole slices. Strides count slices.
pub(super) struct Product {
    /// Both matrices.
    pub operands: [Buffer; 2],
    /// The row strides of both matrices and the result.
    pub strides: [usize; 3],
    /// The first slices of both matrices and the result, per product.
    pub starts: Vec<[usize; 3]>,
    /// Rows of the result, slices of depth, and columns.
    pub sizes: [usize; 3],
    /// One number per column, padded.
    pub bias: Buffer,
}

impl Product {
    /// The task that does not use local memory, without clamp and functions.
    pub(super) fn direct<'e>(&self, builder: &mut Builder<'_, '_>) -> Result<FusedTask<'e>> {
        let [a, b] = self.operands;
        let numbers = CountedMatrices { matrices: self.numbers(), products: self.starts.len() };
        let starts = self.starts(builder)?;
        let call = kernels::Product { a, b, starts, bias: self.bias, numbers }.into();
        Ok(self.task(call))
    }

    /// The task that uses local memory, without clamp and functions.
    pub(super) fn tiled<'e>(&self, builder: &mut Builder<'_, '_>) -> Result<FusedTask<'e>> {
        let [a, b] = self.operands;
        let starts = self.starts(builder)?;
        let call = kernels::Tiled { a, b, starts, bias: self.bias, numbers: self.numbers() }.into();
        Ok(self.task(call))
    }

    fn task<'e>(&self, call: Call<Buffer>) -> FusedTask<'e> {
        let [rows, _, columns] = self.sizes;
        let grid = [columns.div_ceil(4), rows.div_ceil(ROWS), self.starts.len()];
        FusedTask { call, definitions: Vec::new(), grid, clamp: Clamp::NONE, functions: &[] }
    }

    fn numbers(&self) -> SliceMatrices {
        let Product { strides: [a_row, b_row, to_row], sizes: [rows, depth, columns], .. } = *self;
        SliceMatrices { rows, depth, columns, slices: columns.div_ceil(4), a_row, b_row, to_row }
    }

    fn starts(&self, builder: &mut Builder<'_, '_>) -> Result<Buffer> {
        let starts: Vec<i32> = self.starts.iter().flatten().map(|&start| start as i32).collect();
        builder.table(&starts)
    }
}
