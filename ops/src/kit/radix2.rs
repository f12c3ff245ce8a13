//! In-place Fourier transforms of many sequences of complex numbers at once, for lengths that are powers of two.
//!
//! ```text
//! X[k] = Σ x[n] × e^(−2πi nk / N)          decimation in time: bits of the index reversed, then log2 N rounds of butterflies
//! ```

use core::ops::{Add, Mul, Sub};

/// The real type that a transform is computed in.
pub trait Real: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// The nearest number of the type.
    fn from_f64(x: f64) -> Self;
}

impl Real for f32 {
    fn from_f64(x: f64) -> f32 {
        x as f32
    }
}

impl Real for f64 {
    fn from_f64(x: f64) -> f64 {
        x
    }
}

/// The positions of the sequences in a slice of complex numbers: element `n` of sequence `s` is at `n × step + s ×
/// distance`.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The number of elements of a sequence, a power of two.
    pub length: usize,
    /// The distance from one element to the next.
    pub step: usize,
    /// The number of sequences.
    pub count: usize,
    /// The distance from one sequence to the next.
    pub distance: usize,
}

/// Transforms all sequences of `x`, complex numbers as `[real, imaginary]`.
///
/// Calls `rest` before each round with the number of butterflies in it, and stops if it fails.
///
/// # Errors
/// The error of `rest`.
pub fn transform<R: Real, E>(
    x: &mut [[R; 2]],
    layout: &Layout,
    mut rest: impl FnMut(usize) -> Result<(), E>,
) -> Result<(), E> {
    let &Layout { length, step, count, distance } = layout;
    let shift = length.leading_zeros() + 1;
    for n in 0..length {
        let reversed = if length == 1 { 0 } else { n.reverse_bits() >> shift };
        if n < reversed {
            (0..count).for_each(|s| x.swap(n * step + s * distance, reversed * step + s * distance));
        }
    }
    let mut half = 1;
    while half < length {
        rest(length / 2 * count)?;
        for k in 0..half {
            let w = root::<R>(k, 2 * half);
            for s in 0..count {
                for n in (k..length).step_by(2 * half) {
                    let (a, b) = (n * step + s * distance, (n + half) * step + s * distance);
                    let product = multiply(x[b], w);
                    x[b] = [x[a][0] - product[0], x[a][1] - product[1]];
                    x[a] = [x[a][0] + product[0], x[a][1] + product[1]];
                }
            }
        }
        half *= 2;
    }
    Ok(())
}

/// Converts the transform of `z[n] = x[2n] + i x[2n + 1]`, `length` numbers at the front of `z`, to the transform of
/// the real sequence `x`, `length + 1` numbers.
///
/// ```text
/// E = (Z[k] + Z*[L − k]) / 2    O = (Z[k] − Z*[L − k]) / 2i    X[k] = E + e^(−πi k / L) O    X[L − k] = (E − …)*
/// ```
pub fn split_real<R: Real>(z: &mut [[R; 2]], length: usize) {
    let half = R::from_f64(0.5);
    let [re, im] = z[0];
    z[0] = [re + im, R::from_f64(0.0)];
    z[length] = [re - im, R::from_f64(0.0)];
    for k in 1..=length / 2 {
        let (a, b) = (z[k], z[length - k]);
        let even = [half * (a[0] + b[0]), half * (a[1] - b[1])];
        let odd = [half * (a[1] + b[1]), half * (b[0] - a[0])];
        let turned = multiply(odd, root(k, 2 * length));
        z[length - k] = [even[0] - turned[0], turned[1] - even[1]];
        z[k] = [even[0] + turned[0], even[1] + turned[1]];
    }
}

/// Returns `e^(−2πi k / n)`.
fn root<R: Real>(k: usize, n: usize) -> [R; 2] {
    let angle = -core::f64::consts::TAU * k as f64 / n as f64;
    [R::from_f64(libm::cos(angle)), R::from_f64(libm::sin(angle))]
}

fn multiply<R: Real>(a: [R; 2], b: [R; 2]) -> [R; 2] {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow(x: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let term = |k: usize, n: usize| multiply(x[n], root(k * n % x.len(), x.len()));
        let sum = |k| (0..x.len()).map(|n| term(k, n)).fold([0.0; 2], |s, t| [s[0] + t[0], s[1] + t[1]]);
        (0..x.len()).map(sum).collect()
    }

    fn close(a: &[[f64; 2]], b: &[[f64; 2]]) -> bool {
        a.iter().flatten().zip(b.iter().flatten()).all(|(a, b)| (a - b).abs() < 1e-9)
    }

    fn numbers(count: usize) -> Vec<[f64; 2]> {
        (0..count).map(|i| [(i * i % 7) as f64 - 3.0, (i * 5 % 11) as f64]).collect()
    }

    #[test]
    fn sequences() {
        for length in [1, 2, 4, 8, 32] {
            let x = numbers(length);
            let mut y = x.clone();
            let whole = Layout { length, step: 1, count: 1, distance: 0 };
            transform(&mut y, &whole, |_| Ok::<_, ()>(())).unwrap();
            assert!(close(&y, &slow(&x)), "{length}: {y:?}");
        }
        // Two columns of four rows.
        let x = numbers(8);
        let mut y = x.clone();
        transform(&mut y, &Layout { length: 4, step: 2, count: 2, distance: 1 }, |_| Ok::<_, ()>(()))
            .unwrap();
        for column in 0..2 {
            let of = |z: &[[f64; 2]]| z.iter().skip(column).step_by(2).copied().collect::<Vec<_>>();
            assert!(close(&of(&y), &slow(&of(&x))), "column {column}");
        }
    }

    #[test]
    fn real_sequences() {
        for length in [1, 2, 4, 16] {
            let mut z = numbers(length);
            let x: Vec<[f64; 2]> = z.iter().flatten().map(|&x| [x, 0.0]).collect();
            z.push([0.0; 2]);
            transform(&mut z, &Layout { length, step: 1, count: 1, distance: 0 }, |_| Ok::<_, ()>(()))
                .unwrap();
            split_real(&mut z, length);
            assert!(close(&z, &slow(&x)[..=length]), "{length}: {z:?}");
        }
    }
}
