//! Products of a few rows of bytes with a packed matrix of signed bytes, on one thread: a step of a recurrent layer.

use arenite_abi::prelude::*;

use super::dense::MatrixSizes;
use crate::isa::Isa;
use crate::kernels::u8i8_gemm::{Cached, Extent, Gemm, Product, ProductSizes, Results};
use crate::memory::{Source, Target};
use crate::store::{Block, Store};

/// Most rows of a product.
const ROWS: usize = 32;

/// A packed matrix of signed bytes.
pub(crate) struct DenseU8 {
    gemm: &'static Gemm,
    sizes: MatrixSizes,
    packed: Block<u8>,
    /// By column: the sum of its weights.
    sums: Vec<i32>,
}

impl DenseU8 {
    /// Packs the weights `weight(column, line)`, which `name` must determine.
    pub(crate) fn new(
        isa: Isa,
        store: &Store,
        name: &str,
        sizes: MatrixSizes,
        weight: &dyn Fn(usize, usize) -> i8,
    ) -> Result<DenseU8> {
        let MatrixSizes { depth, columns } = sizes;
        let gemm = Gemm::select_for(isa, ProductSizes { rows: 1, taps: 1, k: depth, columns });
        let of_column = |j: usize| (0..depth).fold(0, |sum: i32, i| sum.wrapping_add(weight(j, i).into()));
        let sums = (0..columns).map(of_column).collect();
        let key = format!("{} {columns} × {depth}, {name}", gemm.name);
        let packed = store.block(&key, gemm.packed_len(1, depth, columns), |packed: &mut [u8]| {
            gemm.pack(1, depth, columns, packed, |j, _, i| weight(j, i));
        })?;
        Ok(DenseU8 { gemm, sizes, packed, sums })
    }

    /// Added to the sums of each column: the column's bias, minus its part of the rows' zero point.
    pub(crate) fn biases(&self, zero_point: i32, bias: &dyn Fn(usize) -> i32) -> Vec<i32> {
        let share = |(j, sum): (usize, &i32)| bias(j).wrapping_sub(sum.wrapping_mul(zero_point));
        self.sums.iter().enumerate().map(share).collect()
    }

    /// Elements from one row of sums to the next.
    pub(crate) fn pitch(&self) -> usize {
        self.sizes.columns.next_multiple_of(self.gemm.lanes)
    }

    /// Writes the sums of the rows of `x`, as many as `y` has room for.
    pub(crate) fn multiply(&self, x: Source<'_, u8>, y: &mut Target<'_, i32>) {
        let (MatrixSizes { depth, columns }, pitch) = (self.sizes, self.pitch());
        let rows = y.len() / pitch;
        // SAFETY: the member was selected for this machine.
        let _session = unsafe { self.gemm.begin() };
        let most = self.gemm.mr.min(ROWS);
        for first in (0..rows).step_by(most) {
            let count = most.min(rows - first);
            let from = x.at(first * depth, count * depth);
            let mut pointers = [from; ROWS];
            pointers.iter_mut().enumerate().take(count).for_each(|(r, p)| *p = from.wrapping_add(r * depth));
            let product = Product {
                a: pointers.as_ptr(),
                step: 0,
                rows: count,
                taps: 1,
                k: depth,
                reach: Extent::of(depth, x.len() - (first + count - 1) * depth),
                weights: self.packed.as_ptr(),
                cached: Cached::of(self.packed.len()),
                column_bytes: self.gemm.column_bytes(1, depth),
                results: Results::Sums,
                c: y.at(first * pitch, count * pitch).cast(),
                stride: pitch * size_of::<i32>(),
                columns,
            };
            // SAFETY: the session has begun; each of `count` rows has `depth` bytes and, as `Extent::of` found, the
            // bytes up to its reach; the panels were packed by this member; rows of `y` have room for whole vectors.
            unsafe { self.gemm.multiply(&product) };
        }
    }
}
