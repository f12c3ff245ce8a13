//! ADD, SUB, MUL, SQUARED_DIFFERENCE of bytes, with broadcasting.
//!
//! ```text
//! sums:      a' = (a − za) · 2^20 · sa / (2 max(sa, sb))     y = (a' ± b') · 2 max(sa, sb) / (2^20 · sy) + zy
//! squares:   the same with 2^7                               y = (a' − b')² · (2 max(sa, sb))² / (2^14 · sy) + zy
//! products:                                                  y = (a − za)(b − zb) · sa · sb / sy + zy
//! ```
//! Defined by: tflite/kernels/{add,sub,mul,squared_difference}.cc and the SIMD kernels of ADD in
//! optimized/integer_ops/add.h and optimized/optimized_ops.h, which round otherwise than scalar code, and treat whole
//! groups of results.

use arenite_abi::prelude::*;
use arenite_abi::schema::activation;
use arenite_base::Quant;
use arenite_layers::lower::{expect_elements, fused_activation};
use arenite_layers::{Loops, Node, Source};

use super::lines::Lines;
use super::quantization::{quant_of, raised, range};
use crate::fixed_point::{Factor, Multiplier, Ties};
use crate::kernels::u8_lines::PADDING;
use crate::kernels::u8_pair::{Combine, Pairs};
use crate::line::{self, ByteLimits};
use crate::ops::build::Build;
use crate::ops::values::{NetValues, NodeValues};
use crate::reach::bordered::Border;
use crate::requantize::Bytes;
use crate::step::Step;
use crate::steps::lines_u8::Columns;
use crate::steps::pair_u8::{Groups, PairU8, Ways};

/// A function of two tensors.
#[derive(Clone, Debug)]
pub(crate) struct Pairwise {
    combine: Combine,
    activation: i8,
    loops: Loops<2>,
    groups: Groups,
    rounding: Rounding,
    /// Of the copy that is the second output, if there is one.
    border: Option<Border>,
}

/// How grouped operands are scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rounding {
    /// Twice, as scalar code does: after the multiplication and after the shift to the right.
    Twice,
    /// Once: both shifts come first.
    Once,
    /// After the multiplication; the shift rounds down.
    OnceThenDown,
}

/// Results that are all scaled as scalar code does.
const NO_GROUPS: Groups = Groups { run: usize::MAX, grouped: 0 };

/// Lowers the node if its op is one of these.
pub(super) fn lower(x: &Source<'_, '_>, code: i32) -> Option<Result<Node<Pairwise>>> {
    let combine = match code {
        op::ADD => Combine::Add,
        op::SUB => Combine::Sub,
        op::MUL => Combine::Mul,
        op::SQUARED_DIFFERENCE => Combine::SquaredDifference,
        _ => return None,
    };
    Some(node(x, combine))
}

fn node(x: &Source<'_, '_>, combine: Combine) -> Result<Node<Pairwise>> {
    let ((a_id, a), (b_id, b), (output, y)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    for value in [a, b, y] {
        expect_elements(value)?;
        if value.ty != y.ty {
            return Err(unsupported!("{value} is {}, {y} is {}", value.ty, y.ty));
        }
    }
    let activation = fused_activation(&x.node)?.unwrap_or(activation::NONE);
    let loops = Loops::new(&[&a.shape, &b.shape], &y.shape)
        .ok_or_else(|| unsupported!("broadcasting {:?} with {:?} is not supported", a.shape, b.shape))?;
    let (groups, rounding) = match combine {
        Combine::Add => groups(&a.shape, &b.shape, y.ty),
        _ => (NO_GROUPS, Rounding::Twice),
    };
    let layer = Pairwise { combine, activation, loops, groups, rounding, border: None };
    range(activation, quant_of(y)?)?;
    layer.ways([quant_of(a)?, quant_of(b)?, quant_of(y)?])?;
    Ok(Node::new(layer, vec![a_id, b_id], vec![output]))
}

/// A function of two operands one of which is constant, as a function of the other.
pub(crate) enum ByteFunction {
    /// The constant is one number: the result of each byte.
    Table(Box<[u8; 256]>),
    /// The constant is a row: a straight line for each column.
    Lines(Lines),
}

impl Pairwise {
    /// The step.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn Step>> {
        let step = self.step(node, net, build.bytes.pairs)?;
        Ok(Box::new(step.with_copy(node.bordered(self.border, net))))
    }

    /// The place of the border of a copy.
    pub(crate) fn border_mut(&mut self) -> &mut Option<Border> {
        &mut self.border
    }

    fn step(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, pairs: &'static Pairs) -> Result<PairU8> {
        let (inputs, output) = ([node.inputs[0], node.inputs[1]], node.outputs[0]);
        let [a, b, y] = [inputs[0], inputs[1], output].map(|id| raised(net, id));
        let ((a, flip_a), (b, flip_b), (y, flip)) = (a?, b?, y?);
        let ways = self.ways([a, b, y])?;
        let bytes = Bytes { flip, ..range(self.activation, y)? };
        let shape = (self.loops.clone(), self.groups);
        Ok(PairU8::new(pairs, self.combine, shape, ways, (bytes, [flip_a, flip_b]), inputs, output))
    }

    /// The function with operand `o` constant: a table for one byte, lines for a row. `None` if neither computes the
    /// same bytes.
    pub(crate) fn with_constant(
        &self,
        o: usize,
        constant: &[u8],
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        pairs: &'static Pairs,
    ) -> Result<Option<ByteFunction>> {
        let (is_number, columns) = (constant.len() == 1, self.loops.run);
        let is_row = self.loops.is_row(o) && constant.len() == columns && columns >= PADDING;
        if !self.loops.covers(1 - o) || !(is_number || is_row) || self.combine == Combine::SquaredDifference {
            return Ok(None);
        }
        let step = self.step(node, net, pairs)?;
        if is_number {
            let table = self.groups.is_even().then(|| step.with_constant(o, constant[0], 0)).flatten();
            return Ok(table.map(|table| ByteFunction::Table(Box::new(table))));
        }
        let quants = self.quants(node, net)?;
        let [_, Ways { biases, factors }] = self.ways(quants)?;
        let by = |byte: u8| match self.combine {
            Combine::Mul => f64::from(i32::from(byte) + biases[o]) * factors[2].real(),
            Combine::Sub if o == 0 => -factors[1].real() * factors[2].real(),
            _ => factors[1 - o].real() * factors[2].real(),
        };
        let steepest = constant.iter().fold(0f64, |most, &byte| most.max(by(byte).abs()));
        let Some(shift) = line::shift(steepest) else { return Ok(None) };
        let (zero, bytes) = (quants[1 - o].zero_point as u8, range(self.activation, quants[2])?);
        let limits = ByteLimits { low: bytes.low, high: bytes.high };
        // Few bytes are many columns'.
        let mut found = [[None; 256]; 2];
        let mut fits = Vec::with_capacity(columns);
        for (column, &byte) in constant.iter().enumerate() {
            let known = &mut found[usize::from(self.groups.is_grouped(column))][usize::from(byte)];
            if known.is_none() {
                let values = step.with_constant(o, byte, column);
                *known = values.and_then(|values| line::fit(&values, zero, by(byte), shift, limits));
            }
            let Some(fit) = *known else { return Ok(None) };
            fits.push(fit);
        }
        let stage = Columns::new(zero, shift, limits, &fits);
        Ok(Some(ByteFunction::Lines(Lines::new(stage, columns))))
    }

    /// Of the operands and the result, as unsigned bytes.
    fn quants(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>) -> Result<[Quant; 3]> {
        let raised = |id| raised(net, id).map(|(quant, _)| quant);
        Ok([raised(node.inputs[0])?, raised(node.inputs[1])?, raised(node.outputs[0])?])
    }

    /// The function of two bytes, if the operands have the result's shape and every element has the same function.
    pub(crate) fn of_bytes(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
    ) -> Result<Option<impl Fn(u8, u8) -> u8 + use<>>> {
        if self.groups.grouped > 0 || !self.loops.covers(0) || !self.loops.covers(1) {
            return Ok(None);
        }
        let quants @ [_, _, y] = self.quants(node, net)?;
        let [_, Ways { biases, factors }] = self.ways(quants)?;
        let (combine, bytes) = (self.combine, range(self.activation, y)?);
        let scaled = move |i: usize, q: u8| {
            let x = i32::from(q) + biases[i];
            if combine == Combine::Mul { x } else { factors[i].apply(x) }
        };
        Ok(Some(move |a, b| {
            let c = factors[2].apply(combine.apply(scaled(0, a), scaled(1, b)));
            c.saturating_add(bytes.zero_point).max(bytes.low.into()).min(bytes.high.into()) as u8
        }))
    }

    /// The scaling of grouped results, and of the others.
    fn ways(&self, [a, b, y]: [Quant; 3]) -> Result<[Ways; 2]> {
        let biases = [-a.zero_point, -b.zero_point];
        if self.combine == Combine::Mul {
            let real = f64::from(a.scale * b.scale / y.scale);
            let factor = multiplier(real, 14)?.factor(Ties::Away).without_left();
            return Ok([Ways { biases, factors: [Factor::ZERO, Factor::ZERO, factor] }; 2]);
        }
        let twice = 2.0 * a.scale.max(b.scale);
        let (left, real) = match self.combine {
            Combine::SquaredDifference => {
                (7, f64::from(twice) * f64::from(twice) / f64::from((1u32 << 14) as f32 * y.scale))
            }
            _ => (20, f64::from(twice) / f64::from((1u32 << 20) as f32 * y.scale)),
        };
        let result = multiplier(real, 0)?.factor(Ties::Away);
        let [a, b] = [a.scale, b.scale].map(|scale| f64::from(scale) / f64::from(twice));
        let (a, b) = (multiplier(a, 0)?, multiplier(b, 0)?);
        Ok([self.rounding, Rounding::Twice].map(|rounding| Ways {
            biases,
            factors: [operand(a, left, rounding), operand(b, left, rounding), result],
        }))
    }
}

/// The factor, shifted left by at most `most` bits, so that products with it do not overflow.
fn multiplier(real: f64, most: i32) -> Result<Multiplier> {
    Multiplier::from_real(real)
        .filter(|m| m.shift <= most)
        .ok_or_else(|| unsupported!("the scales give the factor {real}, which is out of range"))
}

/// `m · 2^left` for operands.
fn operand(m: Multiplier, left: u32, rounding: Rounding) -> Factor {
    let right = m.right();
    let once = Factor { left, value: m.value, rounding: 1 << 30, shift: 31, is_away: false };
    let factor = match rounding {
        Rounding::Once if right <= left => Factor { left: left - right, ..once },
        Rounding::OnceThenDown => Factor { shift: 31 + right, ..once },
        _ => Factor { left, ..m.factor(Ties::Away) },
    };
    factor.without_left()
}

/// The groups of ADD. Read from the last dimension on, the shapes have up to four sections: equal sizes, sizes where
/// one operand has ones, equal sizes, and sizes where the other has ones. A run is the first section, or the second if
/// the first is empty. Other shapes have no groups.
fn groups(a: &[usize], b: &[usize], ty: ElementType) -> (Groups, Rounding) {
    let rank = a.len().max(b.len());
    let size = |shape: &[usize], i: usize| shape.len().checked_sub(i + 1).map_or(1, |i| shape[i]);
    let mut pairs: Vec<(usize, usize)> = (0..rank).map(|i| (size(a, i), size(b, i))).collect();
    let wide = if ty == I8 { (16, Rounding::Once) } else { (8, Rounding::OnceThenDown) };
    let Some(&(first, _)) = pairs.iter().find(|(a, b)| a != b) else {
        return grouped(pairs.iter().map(|pair| pair.0).product(), wide);
    };
    if first != 1 {
        pairs.iter_mut().for_each(|pair| *pair = (pair.1, pair.0));
    }
    let mut rest = pairs.into_iter().peekable();
    let mut section = |accepts: fn(&(usize, usize)) -> bool| {
        let mut product = 1;
        while let Some((_, size)) = rest.next_if(accepts) {
            product *= size;
        }
        product
    };
    let (equal, ones) = (section(|(a, b)| a == b), section(|(a, _)| *a == 1));
    section(|(a, b)| a == b);
    section(|(_, b)| *b == 1);
    section(|(a, b)| a == b);
    match (rest.next(), equal) {
        (Some(_), _) => (NO_GROUPS, Rounding::Twice),
        (None, ..=1) => grouped(ones, (8, Rounding::OnceThenDown)),
        (None, run) => grouped(run, wide),
    }
}

fn grouped(run: usize, (group, rounding): (usize, Rounding)) -> (Groups, Rounding) {
    let run = run.max(1);
    (Groups { run, grouped: run / group * group }, rounding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_follow_shapes() {
        let of = |a: &[usize], b: &[usize], ty| {
            let (Groups { run, grouped }, rounding) = groups(a, b, ty);
            (run, grouped, rounding)
        };
        assert_eq!(of(&[2, 13], &[2, 13], I8), (26, 16, Rounding::Once));
        assert_eq!(of(&[2, 13], &[2, 13], U8), (26, 24, Rounding::OnceThenDown));
        assert_eq!(of(&[4, 2, 9], &[2, 9], I8), (18, 16, Rounding::Once));
        assert_eq!(of(&[1], &[4, 5], I8), (20, 16, Rounding::OnceThenDown));
        assert_eq!(of(&[2, 4, 1], &[2, 1, 5], I8), (5, 0, Rounding::OnceThenDown));
        assert_eq!(of(&[2, 1, 2, 1, 3], &[1, 2, 1, 2, 3], I8), (usize::MAX, 0, Rounding::Twice));
    }

    #[test]
    fn roundings_differ_where_they_should() {
        // x · 2² · ¾ · ½: −1 gives −1.5, 3 gives 4.5.
        let m = Multiplier { value: 3 << 29, shift: -1 };
        let all = |x: i32| {
            [Rounding::Twice, Rounding::Once, Rounding::OnceThenDown].map(|r| operand(m, 2, r).apply(x))
        };
        assert_eq!((all(-1), all(3)), ([-2, -1, -2], [5, 5, 4]));
    }
}
