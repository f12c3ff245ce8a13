//! Whole numbers inside a loop that depend on the number of the round alone: `base + step · round`.
//!
//! ```text
//! i ─► ADD(·, 1) ─► i'                     i: [0 + 1·r]    i': [1 + 1·r]
//! i ─► RESHAPE ─► CONCATENATION(·, 0, 0)   [0 + 1·r, 0, 0]
//! LESS(i, 50)                              true in rounds 0..50
//! ```
//! Rounds are few enough, and numbers small enough, that nothing here overflows 64 bits; what would wrap around in 32
//! bits is not known.

use std::collections::HashMap;
use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_abi::schema::activation;
use arenite_layers::lower::fused_activation;

/// `base + step · round`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Affine {
    /// In round 0.
    pub base: i64,
    /// From one round to the next.
    pub step: i64,
}

/// Most rounds of a loop.
pub(super) const MOST_ROUNDS: usize = 1 << 20;
/// Most numbers of a tensor that is followed.
const NUMBERS: usize = 64;

impl Affine {
    /// The same number in each round.
    pub(super) fn constant(number: i64) -> Affine {
        Affine { base: number, step: 0 }
    }

    /// In this round.
    pub(super) fn at(self, round: usize) -> i64 {
        self.base + self.step * round as i64
    }

    /// Whether the value is inside `range` in all of `rounds`.
    pub(super) fn stays_in(self, range: Range<i64>, rounds: usize) -> bool {
        rounds == 0 || range.contains(&self.at(0)) && range.contains(&self.at(rounds - 1))
    }

    /// Whether a 32-bit number has it in all of `rounds`.
    fn fits(self, rounds: usize) -> bool {
        let range = i64::from(i32::MIN)..i64::from(i32::MAX) + 1;
        let small = |x: i64| x.unsigned_abs() <= 1 << 33;
        small(self.base) && small(self.step) && self.stays_in(range, rounds)
    }
}

/// The known tensors of a subgraph during the first rounds of a loop.
pub(super) struct RoundCounts<'a> {
    graph: GraphView<'a>,
    rounds: usize,
    numbers: HashMap<i32, Vec<Affine>>,
    /// In how many rounds, from the first on, a truth value holds before it does not; `None`: always.
    truths: HashMap<i32, Option<usize>>,
}

impl<'a> RoundCounts<'a> {
    /// Starts with the constants.
    pub(super) fn of(graph: GraphView<'a>, rounds: usize) -> Self {
        RoundCounts { graph, rounds, numbers: HashMap::new(), truths: HashMap::new() }
    }

    /// Sets the elements of a tensor.
    pub(super) fn set(&mut self, tensor: i32, numbers: Vec<Affine>) {
        self.numbers.insert(tensor, numbers);
    }

    /// The numbers of a tensor, if they depend on the round alone.
    pub(super) fn numbers(&self, tensor: i32) -> Option<Vec<Affine>> {
        if let Some(numbers) = self.numbers.get(&tensor) {
            return Some(numbers.clone());
        }
        let tensor = self.graph.tensor(usize::try_from(tensor).ok()?).ok()?;
        if tensor.ty != I32 || !tensor.is_constant() {
            return None;
        }
        let numbers = tensor.as_slice::<i32>().ok().filter(|numbers| numbers.len() <= NUMBERS)?;
        Some(numbers.iter().map(|&number| Affine::constant(number.into())).collect())
    }

    /// The one number of a tensor.
    pub(super) fn number(&self, tensor: i32) -> Option<Affine> {
        match self.numbers(tensor)?[..] {
            [number] => Some(number),
            _ => None,
        }
    }

    /// Follows a node. Whether all that it writes is known.
    pub(super) fn follow(&mut self, node: &NodeView<'a>) -> bool {
        let &[output] = node.output_indices() else { return false };
        if let Some(truth) = self.truth(node) {
            self.truths.insert(output, truth);
            return true;
        }
        match self.compute(node) {
            Some(numbers) if numbers.len() <= NUMBERS && numbers.iter().all(|x| x.fits(self.rounds)) => {
                self.numbers.insert(output, numbers);
                true
            }
            _ => false,
        }
    }

    /// In how many rounds a truth value holds before it does not. `None` if that is not known, or never.
    pub(super) fn rounds_of(&self, tensor: i32) -> Option<usize> {
        *self.truths.get(&tensor)?
    }

    /// Whether all known numbers fit 32 bits in `rounds` rounds.
    pub(super) fn all_fit(&self, rounds: usize) -> bool {
        self.numbers.values().flatten().all(|number| number.fits(rounds))
    }

    fn input(&self, node: &NodeView<'a>, i: usize) -> Option<Vec<Affine>> {
        self.numbers(*node.input_indices().get(i)?)
    }

    fn compute(&self, node: &NodeView<'a>) -> Option<Vec<Affine>> {
        if fused_activation(node).ok()?.is_some_and(|fused| fused != activation::NONE) {
            return None;
        }
        match node.builtin_code() {
            op::ADD => self.pairs(node, |a, b| {
                Some(Affine { base: a.base.checked_add(b.base)?, step: a.step.checked_add(b.step)? })
            }),
            op::SUB => self.pairs(node, |a, b| {
                Some(Affine { base: a.base.checked_sub(b.base)?, step: a.step.checked_sub(b.step)? })
            }),
            op::MUL => self.pairs(node, product),
            op::RESHAPE | op::SQUEEZE | op::EXPAND_DIMS => self.input(node, 0),
            op::CONCATENATION | op::PACK => self.join(node),
            _ => None,
        }
    }

    /// A function of two tensors of the same size, or of a tensor and a number.
    fn pairs(
        &self,
        node: &NodeView<'a>,
        f: impl Fn(Affine, Affine) -> Option<Affine>,
    ) -> Option<Vec<Affine>> {
        let (a, b) = (self.input(node, 0)?, self.input(node, 1)?);
        let len = a.len().max(b.len());
        let fits = |list: &[Affine]| list.len() == 1 || list.len() == len;
        if !fits(&a) || !fits(&b) {
            return None;
        }
        (0..len).map(|i| f(a[i % a.len()], b[i % b.len()])).collect()
    }

    /// Concatenates lists or numbers.
    fn join(&self, node: &NodeView<'a>) -> Option<Vec<Affine>> {
        let output = self.graph.tensor(usize::try_from(*node.output_indices().first()?).ok()?).ok()?;
        if output.shape.len() != 1 {
            return None;
        }
        let parts: Option<Vec<Vec<Affine>>> = (0..node.input_count()).map(|i| self.input(node, i)).collect();
        Some(parts?.concat())
    }

    fn truth(&self, node: &NodeView<'a>) -> Option<Option<usize>> {
        let number = |i: usize| self.number(*node.input_indices().get(i)?);
        let truth = |i: usize| self.truths.get(node.input_indices().get(i)?).copied();
        match node.builtin_code() {
            op::LESS => Some(rounds_below(number(0)?, number(1)?, 0)),
            op::GREATER => Some(rounds_below(number(1)?, number(0)?, 0)),
            op::GREATER_EQUAL => Some(rounds_below(number(1)?, number(0)?, 1)),
            op::LESS_EQUAL => Some(rounds_below(number(0)?, number(1)?, 1)),
            op::LOGICAL_AND => Some(match (truth(0)?, truth(1)?) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            }),
            _ => None,
        }
    }
}

fn product(a: Affine, b: Affine) -> Option<Affine> {
    let (x, factor) = match (a.step, b.step) {
        (_, 0) => (a, b.base),
        (0, _) => (b, a.base),
        _ => return None,
    };
    Some(Affine { base: x.base.checked_mul(factor)?, step: x.step.checked_mul(factor)? })
}

/// In how many rounds `a < b + slack` before it does not hold; `None`: it always does.
fn rounds_below(a: Affine, b: Affine, slack: i64) -> Option<usize> {
    let (gap, step) = (b.base + slack - a.base, a.step - b.step);
    match gap {
        ..=0 => Some(0),
        _ if step <= 0 => None,
        _ => Some(((gap + step - 1) / step) as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_those_of_the_loop() {
        for (a, step_a) in [(0, 1), (-7, 3), (5, 0), (5, -1), (10, 2)] {
            for (b, step_b) in [(0, 0), (10, 0), (50, -1), (3, 1)] {
                for slack in [0, 1] {
                    let (a, b) = (Affine { base: a, step: step_a }, Affine { base: b, step: step_b });
                    let counted = (0..1000).find(|&r| a.at(r) >= b.at(r) + slack);
                    assert_eq!(rounds_below(a, b, slack), counted, "{a:?} < {b:?} + {slack}");
                }
            }
        }
    }

    #[test]
    fn numbers_stay_where_both_ends_are() {
        let x = Affine { base: 3, step: -1 };
        assert!(x.stays_in(0..4, 4) && !x.stays_in(0..4, 5) && x.stays_in(9..10, 0));
        assert!(Affine { base: i64::from(i32::MAX) - 1, step: 1 }.fits(2));
        assert!(!Affine { base: i64::from(i32::MAX) - 1, step: 1 }.fits(3));
    }
}
