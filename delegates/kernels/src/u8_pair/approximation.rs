//! When results can be computed as real numbers.

use arenite_base::memory::{Source, Target};

use super::{Approximation, Combine, Form, Pair, Pairs};
use crate::fixed_point::Factor;

/// The largest error for which results are computed as reals: about as many numbers as twice this are too close to the
/// middle between two bytes.
const MOST_ERROR: f64 = 1.0 / 512.0;
/// Beyond this, a rounded number could be wrong.
const MOST: f64 = (1 << 20) as f64;
/// The distance between the bytes with which ties are counted.
const STEP: usize = 5;
/// The most pairs of bytes with results close to a half that are compared.
const CLOSE: usize = 512;
/// By how much offsets are changed until all results are exact, in 32nds of the largest error.
const CHANGES: [f64; 9] = [0.0, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0, 8.0, -8.0];
/// By how much factors of sums are changed, in units in the last place.
const NUDGES: [i32; 5] = [0, 1, -1, 2, -2];

/// A sum of a and b, scaled as in [`Approximation`], and its largest error.
struct Line {
    factors: [f64; 2],
    offset: f64,
    error: f64,
}

impl Line {
    /// `None` if the function is neither a sum nor a difference.
    ///
    /// ```text
    /// error of operands: rounded twice, at most 1½ units of the sum each; of the result: rounded twice, 3 units
    /// error of reals: 8 roundings of numbers of at most `most`
    /// ```
    fn new(combine: Combine, biases: [i32; 2], factors: [Factor; 3], zero_point: i32) -> Option<Line> {
        let signs = match combine {
            Combine::Add => [1.0, 1.0],
            Combine::Sub => [1.0, -1.0],
            Combine::SubFrom => [-1.0, 1.0],
            Combine::Mul | Combine::SquaredDifference => return None,
        };
        let unit = factors[2].real();
        let by: [f64; 2] = std::array::from_fn(|i| signs[i] * factors[i].real() * unit);
        let offset = f64::from(biases[0]) * by[0] + f64::from(biases[1]) * by[1] + f64::from(zero_point);
        let most = 255.0 * (by[0].abs() + by[1].abs()) + offset.abs();
        let error = 8.0 * unit + most / f64::from(1 << 21);
        (most < MOST && error < MOST_ERROR).then_some(Line { factors: by, offset, error })
    }

    /// Whether more results than one in 128 are halves.
    fn has_halves(&self) -> bool {
        let (mut halves, mut all) = (0, 0);
        for a in (0..256).step_by(STEP) {
            for b in (0..256).step_by(STEP) {
                let real = a as f64 * self.factors[0] + b as f64 * self.factors[1] + self.offset;
                let from_floor = real - (real as i64) as f64;
                halves += usize::from((from_floor.abs() - 0.5).abs() <= self.error);
                all += 1;
            }
        }
        halves * 128 > all
    }

    /// The pairs of bytes whose results are within twice the error of a half, which is more than the error with any
    /// changes. `None` if there are too many.
    ///
    /// An angle is the fraction of a step, in units of 2⁻³². Buckets of 2⁻⁸ of a step sort the angles of b.
    fn close(&self) -> Option<Vec<[u8; 2]>> {
        let angle = |real: f64| ((real - (real as i64) as f64) * 2f64.powi(32)) as i64 as u32;
        let within = 2 * angle(2.0 * self.error) + 8;
        let of_b: [u32; 256] = std::array::from_fn(|b| angle(b as f64 * self.factors[1]));
        let bucket = |angle: u32| (angle >> 24) as usize;
        let (mut ends, mut sorted) = ([0; 256], [0; 256]);
        of_b.iter().for_each(|&angle| ends[bucket(angle)] += 1);
        (1..256).for_each(|i| ends[i] += ends[i - 1]);
        let mut starts = ends;
        for (b, &angle) in of_b.iter().enumerate() {
            starts[bucket(angle)] -= 1;
            sorted[starts[bucket(angle)]] = b as u8;
        }
        let mut close = Vec::new();
        for a in 0..=255u8 {
            let least = angle(0.5 - self.offset - f64::from(a) * self.factors[0]).wrapping_sub(within / 2);
            let buckets = bucket(least.wrapping_add(within)).wrapping_sub(bucket(least)) % 256;
            let all = (0..=buckets).map(|i| (bucket(least) + i) % 256);
            let near = all.flat_map(|i| &sorted[starts[i]..ends[i]]);
            let near = near.filter(|&&b| of_b[usize::from(b)].wrapping_sub(least) <= within);
            close.extend(near.map(|&b| [a, b]).filter(|&bytes| self.is_within(bytes)));
            if close.len() > CLOSE {
                return None;
            }
        }
        Some(close)
    }

    /// Whether the result is in or next to the range of bytes. All others are clamped.
    fn is_within(&self, [a, b]: [u8; 2]) -> bool {
        let real = f64::from(a) * self.factors[0] + f64::from(b) * self.factors[1] + self.offset;
        (-1.0..256.0).contains(&real)
    }

    fn approximation(&self, form: Form) -> Approximation {
        Approximation {
            form,
            factors: self.factors.map(|by| by as f32),
            offsets: [self.offset as f32; 2],
            limit: (0.5 - self.error) as f32,
        }
    }
}

impl Approximation {
    /// For scaled operands `(a + bias a) · factor a`, `(b + bias b) · factor b`, results `combine(a, b) · factor y +
    /// zero point`. `None` if that is neither a sum nor a difference, if errors are too large, or if many results are
    /// halves.
    pub fn new(
        combine: Combine,
        biases: [i32; 2],
        factors: [Factor; 3],
        zero_point: i32,
    ) -> Option<Approximation> {
        let line = Line::new(combine, biases, factors, zero_point)?;
        (!line.has_halves()).then(|| line.approximation(Form::Checked))
    }

    /// Sums, differences or products as reals that need no check, because these are the bytes of all `exact` pairs:
    /// the results that are close to a half are compared, and all others are right. `None` if no such numbers were
    /// found.
    pub fn proven(
        pairs: &Pairs,
        combine: Combine,
        biases: [i32; 2],
        factors: [Factor; 3],
        zero_point: i32,
        exact: &[Pair<'_>],
    ) -> Option<Approximation> {
        let (near, close, error, nudges) = match combine {
            Combine::Mul => {
                let near = product(biases, factors[2], zero_point)?;
                (near, close_products(biases, &near)?, PRODUCT_ERROR, &NUDGES[..1])
            }
            _ => {
                let line = Line::new(combine, biases, factors, zero_point)?;
                (line.approximation(Form::Sum), line.close()?, line.error, &NUDGES[..])
            }
        };
        let samples: Vec<Samples<'_>> =
            exact.iter().map(|pair| Samples::new(pairs, combine, *pair, &close)).collect();
        let nudged = |factor: f32, by: i32| match factor.is_normal() {
            true => f32::from_bits(factor.to_bits().wrapping_add_signed(by)),
            false => factor,
        };
        let factors = nudges.iter().flat_map(|&a| nudges.iter().map(move |&b| [a, b]));
        let mut changed = factors.flat_map(|by| CHANGES.map(|change| (by, change * error / 32.0)));
        changed.find_map(|(by, change)| {
            let near = Approximation {
                factors: std::array::from_fn(|i| nudged(near.factors[i], by[i])),
                offsets: near.offsets.map(|offset| (f64::from(offset) + change) as f32),
                ..near
            };
            samples.iter().all(|samples| samples.are_right(pairs, combine, near)).then_some(near)
        })
    }
}

/// The results of a pair for some bytes of a and b.
struct Samples<'p> {
    pair: Pair<'p>,
    groups: Vec<[[u8; GROUP]; 3]>,
}

/// Results at a time, which all members compute as reals.
const GROUP: usize = 64;

impl<'p> Samples<'p> {
    /// Computes the results exactly. Groups are filled with repetitions.
    fn new(pairs: &Pairs, f: Combine, pair: Pair<'p>, close: &[[u8; 2]]) -> Self {
        let groups = close.chunks(GROUP).map(|close| {
            let operand = |o: usize| -> [u8; GROUP] {
                std::array::from_fn(|i| close[i % close.len()][o] ^ pair.flips[o])
            };
            let ([a, b], mut y) = ([operand(0), operand(1)], [0; GROUP]);
            pairs.combined(f, &pair, [&a, &b].map(|x| Source::of(&x[..])), &mut Target::of(&mut y));
            [a, b, y]
        });
        Samples { pair, groups: groups.collect() }
    }

    /// Whether the approximation gives the same results.
    fn are_right(&self, pairs: &Pairs, f: Combine, near: Approximation) -> bool {
        let pair = self.pair.near(Some(near));
        self.groups.iter().all(|[a, b, exact]| {
            let mut y = [0; GROUP];
            pairs.combined(f, &pair, [a, b].map(|x| Source::of(&x[..])), &mut Target::of(&mut y));
            y == *exact
        })
    }
}

/// The largest error of products as reals between 0 and 255: 4 roundings.
const PRODUCT_ERROR: f64 = 1.0 / 16_384.0;

/// Products with their factor. Rounding twice adds a part of a step, or subtracts it from products below zero. `None`
/// if zero points are no bytes or the factor is unusual.
fn product(biases: [i32; 2], y: Factor, zero_point: i32) -> Option<Approximation> {
    let step = 2f64.powi(y.shift as i32);
    let offset = f64::from(zero_point) + y.rounding as f64 / step - 0.5;
    let away = if y.is_away { 2f64.powi(31) / step } else { 0.0 };
    let factor = y.real();
    // Of a smaller factor, more than one product could be close to the same half.
    let is_usual = 8.0 * PRODUCT_ERROR < factor && factor < 0.25;
    let are_bytes = (0..=255).contains(&zero_point) && biases.iter().all(|bias| (-255..=0).contains(bias));
    (is_usual && are_bytes).then_some(Approximation {
        form: Form::Product,
        factors: [factor as f32, 0.0],
        offsets: [(offset - away) as f32, offset as f32],
        limit: 0.5,
    })
}

/// A pair of bytes for each product whose result is close to a half between two bytes. Results grow with products.
fn close_products(biases: [i32; 2], near: &Approximation) -> Option<Vec<[u8; 2]>> {
    let factor = f64::from(near.factors[0]);
    let mut close = Vec::new();
    for (offset, half) in near.offsets.iter().flat_map(|offset| (0..255).map(move |y| (offset, y))) {
        let exact = (f64::from(half) + 0.5 - f64::from(*offset)) / factor;
        let product = (exact + 0.5).floor();
        if (product - exact).abs() * factor <= 2.0 * PRODUCT_ERROR && product.abs() < 65_536.0 {
            close.extend(operands(product as i32, biases));
        }
    }
    (close.len() <= CLOSE).then_some(close)
}

/// Bytes with this product, if there are any.
fn operands(product: i32, biases: [i32; 2]) -> Option<[u8; 2]> {
    (0..=255u8).find_map(|a| {
        let scaled = i32::from(a) + biases[0];
        let b = product.checked_div(scaled).filter(|b| b * scaled == product)? - biases[1];
        Some([a, u8::try_from(b).ok()?])
    })
}
