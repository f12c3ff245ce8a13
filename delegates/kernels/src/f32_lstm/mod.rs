//! The cells of an LSTM layer of `f32`: from the sums of the gates to the cells and the outputs of one row.
//!
//! ```text
//! gate[k] = a[k] + b[k]         sums of products with the input, and with the previous output
//! c ← clip(σ(f) · c + σ(i) · tanh(g))        without an input gate: 1 − σ(f) instead of σ(i)
//! y = σ(o) · tanh(c)
//! ```

mod body;

use arenite_base::memory::{Source, Target};

use crate::isa::Isa;
use crate::simd::*;

/// The arguments of a kernel, for a row of `n` cells.
#[derive(Clone, Copy)]
struct Row {
    n: usize,
    /// `[gates][n]` sums: the input gate, if the layer has one, then the forget, cell and output gates.
    a: *const f32,
    /// As many sums, which are added to `a`.
    b: *const f32,
    has_input_gate: bool,
    clip: f32,
    cell: *mut f32,
    y: *mut f32,
}

/// The form of an LSTM layer.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Whether it has an input gate.
    pub has_input_gate: bool,
    /// The limit of the cells; 0 for none.
    pub clip: f32,
}

impl Form {
    /// The number of gates.
    pub fn gates(&self) -> usize {
        3 + usize::from(self.has_input_gate)
    }
}

/// The family for one instruction set.
#[non_exhaustive]
pub struct Lstm {
    /// The name, such as `f32_lstm__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    row: unsafe fn(&Row),
}

impl Lstm {
    /// Advances a row of cells by one time step and writes their outputs. A gate is the sum of both `gates`.
    ///
    /// # Panics
    /// If a source or target has fewer elements than the row needs; `y` has one per cell.
    pub fn advance(
        &self,
        form: Form,
        gates: [Source<'_, f32>; 2],
        cell: &mut Target<'_, f32>,
        y: &mut Target<'_, f32>,
    ) {
        let n = y.len();
        let [a, b] = gates.map(|gates| gates.at(0, form.gates() * n));
        let Form { has_input_gate, clip } = form;
        let row = Row { n, a, b, has_input_gate, clip, cell: cell.at(0, n), y: y.at(0, n) };
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
    Lstm: "f32_lstm" {
        fn row(row: &Row);
    }
    vectors
}
member_of_table!(Lstm);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::family::available;
    use crate::random::values;

    fn logistic(x: f64) -> f64 {
        1.0 / (1.0 + (-x).exp())
    }

    proptest! {
        #[test]
        fn every_member_advances_cells(n in 1usize..70, seed: u64, has_input_gate: bool, clip in 0usize..3) {
            let form = Form { has_input_gate, clip: [0.0, 0.25, 3.0][clip] };
            let gates = form.gates();
            let (a, b, cell) = (values(seed, gates * n), values(seed ^ 3, gates * n), values(seed ^ 9, n));
            for member in available(TABLE) {
                let (mut c, mut y) = (cell.clone(), vec![0.0; n]);
                c.push(7.0);
                let sums = [Source::of(&a), Source::of(&b)];
                member.advance(form, sums, &mut Target::of(&mut c), &mut Target::of(&mut y));
                for j in 0..n {
                    let gate = |k: usize| f64::from(a[k * n + j]) + f64::from(b[k * n + j]);
                    let forget = logistic(gate(gates - 3));
                    let input = if has_input_gate { logistic(gate(0)) } else { 1.0 - forget };
                    let mut want = forget * f64::from(cell[j]) + input * gate(gates - 2).tanh();
                    if form.clip > 0.0 {
                        want = want.clamp(f64::from(-form.clip), f64::from(form.clip));
                    }
                    let output = logistic(gate(gates - 1)) * want.tanh();
                    prop_assert!((f64::from(c[j]) - want).abs() < 1e-5, "{} {j}: {} {want}", member.name, c[j]);
                    prop_assert!((f64::from(y[j]) - output).abs() < 1e-5, "{} {j}: {} {output}", member.name, y[j]);
                }
                prop_assert_eq!(c[n], 7.0);
            }
        }
    }
}
