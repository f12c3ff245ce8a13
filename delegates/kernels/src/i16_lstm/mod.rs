//! The cells of an LSTM layer of bytes, with gates and cells of `i16`: from the sums of the gates to the cells and the
//! outputs of one row, in fixed point.
//!
//! ```text
//! gate[k] = saturate(scale(b[k] + bias) + saturate(scale(a[k] + bias)))     sums from the input, and from the output
//! c ← f · c + i · g        without an input gate: 1 − f instead of i
//! y = scale(o · tanh(c)) + zero point
//! ```
//!
//! Defined by: tflite/kernels/lstm_eval.cc (`LstmStepInteger8x8_16`).

mod body;

use arenite_base::memory::{Source, Target};

use crate::fixed_point::Factor;
use crate::fixed_point::q15::IntegerBits;
use crate::isa::Isa;
use crate::simd::*;

/// Cells that are computed together.
const LANES: usize = 16;

/// How the sums of a gate become a gate.
#[derive(Clone, Copy, Debug)]
pub struct GateFactors {
    /// Of sums from the input.
    pub input: Factor,
    /// Of sums from the previous output.
    pub output: Factor,
}

/// The form of an LSTM layer.
#[derive(Clone, Debug)]
pub struct Form {
    /// Of each gate: the input gate, unless the layer has none, then the forget, cell and output gates.
    pub gates: Vec<GateFactors>,
    /// The bits by which `i · g` is shifted right, up to 31.
    pub new_shift: u32,
    /// The integer bits of twice a cell.
    pub cell_bits: IntegerBits,
    /// The limit of the cells; 0 for none.
    pub clip: i16,
    /// From `o · tanh(c)` to the output.
    pub result: Factor,
    /// Of the output, as signed bytes.
    pub zero_point: i32,
}

/// The sums of the gates of a row, and the numbers that are added to them.
#[derive(Clone, Copy)]
pub struct Sums<'r> {
    /// `[gates][cells]`.
    pub sums: Source<'r, i32>,
    /// As many.
    pub biases: Source<'r, i32>,
}

/// The arguments of a kernel, for a row of `n` cells.
struct Row<'f> {
    form: &'f Form,
    n: usize,
    /// The sums and biases from the input, then those from the previous output.
    sums: [[*const i32; 2]; 2],
    cell: *mut i16,
    y: *mut u8,
}

/// The family for one instruction set.
#[non_exhaustive]
pub struct Lstm {
    /// The name, such as `i16_lstm__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    row: unsafe fn(&Row<'_>),
}

impl Lstm {
    /// Advances a row of cells by one time step and writes their outputs as unsigned bytes. `sums` are those from the
    /// input and from the previous output.
    ///
    /// # Panics
    /// If the form has neither three nor four gates, or a source or target has fewer elements than the row needs; `y`
    /// has one per cell.
    pub fn advance(
        &self,
        form: &Form,
        sums: [Sums<'_>; 2],
        cell: &mut Target<'_, i16>,
        y: &mut Target<'_, u8>,
    ) {
        let (n, gates) = (y.len(), form.gates.len());
        assert!(gates == 3 || gates == 4, "{gates} gates");
        let all = |Sums { sums, biases }| [sums, biases].map(|list: Source<'_, i32>| list.at(0, gates * n));
        let row = Row { form, n, sums: sums.map(all), cell: cell.at(0, n), y: y.at(0, n) };
        // SAFETY: the machine can run it, as it got the member from a table; `at` checked that sources and targets have
        // the elements of the row.
        unsafe { (self.row)(&row) }
    }
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Lstm { name: $name, isa: $isa, row }
    };
}

family! {
    Lstm: "i16_lstm" {
        fn row(row: &Row<'_>);
    }
    vectors
}
member_of_table!(Lstm);

#[cfg(test)]
mod tests;
