//! Members against real numbers, and against one another.

use proptest::prelude::*;

use super::*;
use crate::family::available;
use crate::fixed_point::{Multiplier, Ties};
use crate::random::integers;

/// Cells are Q4.11, gates Q3.12, outputs 1/127.
fn form(has_input_gate: bool, clip: i16) -> Form {
    let factor = |real| Multiplier::from_real(real).unwrap().factor(Ties::Away);
    let gate = GateFactors { input: factor(0.01), output: factor(1.5) };
    Form {
        gates: vec![gate; 3 + usize::from(has_input_gate)],
        new_shift: 19,
        cell_bits: IntegerBits::new(5),
        clip,
        result: factor(127.0 / f64::from(1 << 30)),
        zero_point: -3,
    }
}

/// The cell and the output of cell `j`.
fn expected(form: &Form, sum: impl Fn(usize) -> f64, cell: i16) -> [f64; 2] {
    let logistic = |k: usize| 1.0 / (1.0 + (-sum(k)).exp());
    let forget = form.gates.len() - 3;
    let input = if forget == 1 { logistic(0) } else { 1.0 - logistic(0) };
    let mut c = logistic(forget) * f64::from(cell) / 2048.0 + input * sum(forget + 1).tanh();
    if form.clip > 0 {
        c = c.clamp(f64::from(-form.clip) / 2048.0, f64::from(form.clip) / 2048.0);
    }
    [c, logistic(forget + 2) * c.tanh()]
}

proptest! {
    #[test]
    fn every_member_advances_cells(n in 1usize..50, seed: u64, has_input_gate: bool, clip in 0usize..2) {
        let form = form(has_input_gate, [0, 900][clip]);
        let count = form.gates.len() * n;
        let of = |at: u64, most: i32| integers(seed ^ at, count, -most, most);
        let lists = [of(1, 900_000), of(2, 2000), of(3, 9000), of(4, 500)];
        let cell: Vec<i16> = integers(seed ^ 5, n, -20_000, 20_000).iter().map(|&c| c as i16).collect();
        let mut first = None;
        for member in available(TABLE) {
            let (mut c, mut y) = (cell.clone(), vec![0u8; n]);
            let [a, of_a, b, of_b] = lists.each_ref().map(|list| Source::of(list));
            let sums = [Sums { sums: a, biases: of_a }, Sums { sums: b, biases: of_b }];
            member.advance(&form, sums, &mut Target::of(&mut c), &mut Target::of(&mut y));
            for j in 0..n {
                let gate = |k: usize| {
                    let [a, of_a, b, of_b] = lists.each_ref().map(|list| f64::from(list[k * n + j]));
                    let seen = (0.01 * (a + of_a)).clamp(-32768.0, 32767.0);
                    (seen + 1.5 * (b + of_b)).clamp(-32768.0, 32767.0) / 4096.0
                };
                let [want, output] = expected(&form, gate, cell[j]);
                prop_assert!((f64::from(c[j]) / 2048.0 - want).abs() < 0.01, "{} {j}: {} {want}", member.name, c[j]);
                let got = (f64::from(y[j]) - 128.0 - f64::from(form.zero_point)) / 127.0;
                prop_assert!((got - output).abs() < 0.02, "{} {j}: {got} {output}", member.name);
            }
            let got = (c, y);
            prop_assert_eq!(first.get_or_insert_with(|| got.clone()), &got, "{}", member.name);
        }
    }
}
