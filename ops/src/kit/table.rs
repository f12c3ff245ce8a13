//! Real functions of quantized tensors by lookup: one entry per value of i8 or u8, 513 entries with interpolation for
//! i16.
//!
//! Defined by: tflite/kernels/internal/common.h (`LUTPopulate`, `LUTLookup`).

use arenite_abi::prelude::*;

use super::lut::{self, LUT8_SIZE, LUT16_SIZE};
use super::node;
use super::node::quant;
use super::unary;

plain! {
    /// The table of one node, in the host's memory.
    pub enum FunctionTable {
        /// A table for i8, indexed by the bit pattern.
        I8(Table<i8>),
        /// A table for u8.
        U8(Table<u8>),
        /// A table for i16.
        I16(Table<i16>),
    }
}

impl FunctionTable {
    /// Builds the table of `f` for inputs quantized as `x` and outputs quantized as `y`.
    ///
    /// # Errors
    /// The type is not i8, u8 or i16, or a tensor is not quantized.
    pub fn prepare(
        x: &TensorView<'_>,
        y: &TensorView<'_>,
        cx: &mut PrepareContext<'_>,
        f: impl FnMut(f32) -> f32,
    ) -> Result<Self> {
        node::same_type(x, y)?;
        let (from, to) = (quant(x)?, quant(y)?);
        for (t, q) in [(x, from), (y, to)] {
            ensure!(q.scale > 0.0, "{t} has scale {}; it must be above zero", q.scale);
        }
        match x.ty {
            I8 => {
                let mut entries = [0; LUT8_SIZE];
                lut::populate_i8(from, to, f, &mut entries);
                cx.table(LUT8_SIZE, |i| entries[i]).map(FunctionTable::I8)
            }
            U8 => {
                let mut entries = [0; LUT8_SIZE];
                lut::populate_u8(from, to, f, &mut entries);
                cx.table(LUT8_SIZE, |i| entries[i]).map(FunctionTable::U8)
            }
            I16 => {
                let mut entries = [0; LUT16_SIZE];
                lut::populate_i16((from.scale, from.zero_point), (to.scale, to.zero_point), f, &mut entries);
                cx.table(LUT16_SIZE, |i| entries[i]).map(FunctionTable::I16)
            }
            ty => Err(unsupported!("no table for {ty}; only i8, u8 and i16 have one")),
        }
    }

    /// Looks up every element of input 0.
    ///
    /// # Errors
    /// A tensor does not have the prepared type.
    pub fn eval(&self, cx: &EvalContext<'_>) -> Result<()> {
        match self {
            FunctionTable::I8(table) => {
                let table = sized::<_, LUT8_SIZE>(cx.table(table)?)?;
                unary::map(cx, |q: i8| lut::lookup_i8(q, table))
            }
            FunctionTable::U8(table) => {
                let table = sized::<_, LUT8_SIZE>(cx.table(table)?)?;
                unary::map(cx, |q: u8| table[usize::from(q)])
            }
            FunctionTable::I16(table) => {
                let table = sized::<_, LUT16_SIZE>(cx.table(table)?)?;
                unary::map(cx, |q: i16| lut::lookup_i16(q, table))
            }
        }
    }
}

fn sized<T, const N: usize>(table: &[T]) -> Result<&[T; N]> {
    table.try_into().map_err(|_| {
        Error::new(Status::Internal, format_args!("the table has {} entries, not {N}", table.len()))
    })
}
