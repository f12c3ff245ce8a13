//! Fourier transforms along the innermost axes, of any length, computed in f64.
//!
//! Lengths that are powers of two use Cooley and Tukey's algorithm. Others use Bluestein's, which is a convolution
//! whose length is the next power of two above `2 n`.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use core::f64::consts::PI;

use super::complex::{complex, conj, mul, real};
use super::elements::unravel;
use super::kernel::{Call, Inputs, Program, shape_of};
use super::node_def::NodeDef;
use super::number::{complexes, put_complexes};

/// Computes `X[k] = Σ x[n] e^(∓2πi k n / N)`, with the upper sign for the forward transform. The inverse lacks the
/// factor `1 / N`.
pub fn transform(line: &mut [Complex64], backwards: bool) {
    match line.len() {
        0 | 1 => {}
        n if n.is_power_of_two() => powers_of_two(line, backwards),
        _ => bluestein(line, backwards),
    }
}

/// Returns `e^(∓πi k / n)`.
fn root(k: usize, n: usize, backwards: bool) -> Complex64 {
    let angle = PI * k as f64 / n as f64;
    complex(libm::cos(angle), if backwards { libm::sin(angle) } else { -libm::sin(angle) })
}

fn powers_of_two(line: &mut [Complex64], backwards: bool) {
    let n = line.len();
    let unused = usize::BITS - n.trailing_zeros();
    for i in 0..n {
        let j = i.reverse_bits() >> unused;
        if i < j {
            line.swap(i, j);
        }
    }
    let roots: Vec<Complex64> = (0..n / 2).map(|k| root(k, n / 2, backwards)).collect();
    let mut half = 1;
    while half < n {
        for block in line.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (k, (a, b)) in low.iter_mut().zip(high).enumerate() {
                let turned = mul(*b, roots[k * (n / 2 / half)]);
                (*a, *b) = (
                    complex(a.re + turned.re, a.im + turned.im),
                    complex(a.re - turned.re, a.im - turned.im),
                );
            }
        }
        half *= 2;
    }
}

/// Bluestein's algorithm: `k n = (k² + n² − (k − n)²) / 2` turns the sum into a convolution.
fn bluestein(line: &mut [Complex64], backwards: bool) {
    let n = line.len();
    let size = (2 * n - 1).next_power_of_two();
    // The root has period 2 n in k².
    let chirp: Vec<Complex64> =
        (0..n).map(|k| root((k as u128 * k as u128 % (2 * n as u128)) as usize, n, backwards)).collect();
    let mut a = vec![real(0.0); size];
    let mut b = vec![real(0.0); size];
    for k in 0..n {
        a[k] = mul(line[k], chirp[k]);
        b[k] = conj(chirp[k]);
        b[(size - k) % size] = conj(chirp[k]);
    }
    powers_of_two(&mut a, false);
    powers_of_two(&mut b, false);
    a.iter_mut().zip(&b).for_each(|(a, b)| *a = mul(*a, *b));
    powers_of_two(&mut a, true);
    for k in 0..n {
        let sum = mul(a[k], chirp[k]);
        line[k] = complex(sum.re / size as f64, sum.im / size as f64);
    }
}

/// Transforms lines of length `dims[axis]` along an axis.
fn along(data: &mut [Complex64], dims: &[usize], axis: usize, backwards: bool) {
    let (n, inner) = (dims[axis], dims[axis + 1..].iter().product::<usize>());
    let mut line = vec![real(0.0); n];
    for block in data.chunks_exact_mut((n * inner).max(1)) {
        for i in 0..inner {
            line.iter_mut().zip(block[i..].iter().step_by(inner)).for_each(|(to, from)| *to = *from);
            transform(&mut line, backwards);
            block[i..].iter_mut().step_by(inner).zip(&line).for_each(|(to, from)| *to = *from);
        }
    }
}

/// The kinds of input and output.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// Complex to complex.
    Complex,
    /// Real to the non-redundant half of the spectrum.
    ToHalf,
    /// The non-redundant half of a spectrum to real.
    FromHalf,
}

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// The number of innermost axes to transform.
    pub axes: usize,
    /// The kinds of input and output.
    pub kind: Kind,
    /// Whether it is an inverse transform.
    pub backwards: bool,
}

/// A prepared node of the family.
pub struct Fourier(&'static Member);

impl Program for Fourier {
    type Member = Member;

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        let inputs = if of.kind == Kind::Complex { 1 } else { 2 };
        node.expect(inputs..=inputs, 1..=1)?;
        let (x, y) = (node.input(0)?, node.output(0)?);
        ensure!(x.rank() >= of.axes, "{x} is {:?}; its rank must be at least {}", x.shape, of.axes);
        let real = |ty| matches!(ty, F32 | F64);
        let complex = |ty| matches!(ty, C64 | C128);
        let sound = match of.kind {
            Kind::Complex => complex(x.ty) && x.ty == y.ty,
            Kind::ToHalf => real(x.ty) && complex(y.ty),
            Kind::FromHalf => complex(x.ty) && real(y.ty),
        };
        let needed = match of.kind {
            Kind::Complex => "one type of complex numbers is needed",
            Kind::ToHalf => "reals to complex numbers are needed",
            Kind::FromHalf => "complex numbers to reals are needed",
        };
        ensure!(sound, "input {x} is {}, output {y} is {}; {needed}", x.ty, y.ty);
        Ok(Fourier(of))
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let dims = x.dims(0)?;
        if self.0.kind == Kind::Complex {
            return Ok(Some(dims));
        }
        let Some(lengths) = lengths(x, self.0.axes)? else { return Ok(None) };
        let outer = dims.rank() - self.0.axes;
        let last = self.0.axes - 1;
        let inner = lengths.iter().enumerate().map(|(i, &n)| {
            if self.0.kind == Kind::ToHalf && i == last { n / 2 + i64::from(n > 0) } else { n }
        });
        shape_of(dims.as_slice()[..outer].iter().map(|&d| d.into()).chain(inner)).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (dims, output) = (call.dims(0)?, call.output_dims(0)?);
        let lengths = match self.0.kind {
            Kind::Complex => dims.as_slice()[dims.rank() - self.0.axes..].iter().map(|&d| d.into()).collect(),
            _ => lengths(&call.inputs(), self.0.axes)?.unwrap_or_default(),
        };
        // The transform has the given lengths; a half spectrum has half of the last one.
        let mut work: Vec<usize> = dims.as_slice().iter().map(|&d| d as usize).collect();
        let first = dims.rank() - self.0.axes;
        for (size, &n) in work[first..].iter_mut().zip(&lengths) {
            *size = n as usize;
        }
        let n = work.last().copied().unwrap_or(1);
        if let (Kind::FromHalf, Some(last)) = (self.0.kind, work.last_mut()) {
            *last = n / 2 + usize::from(n > 0);
        }
        let mut data = cropped(call, &dims, &work)?;
        if !data.is_empty() {
            for axis in (first..dims.rank())
                .rev()
                .filter(|&axis| self.0.kind != Kind::FromHalf || axis + 1 < dims.rank())
            {
                along(&mut data, &work, axis, self.0.backwards);
            }
        }
        let mut values = match self.0.kind {
            Kind::Complex => data,
            Kind::ToHalf => halves(&data, n),
            Kind::FromHalf => reals_of_halves(&data, n),
        };
        if self.0.backwards {
            let scale = lengths.iter().map(|&n| n as f64).product::<f64>();
            values.iter_mut().for_each(|v| *v = complex(v.re / scale, v.im / scale));
        }
        ensure!(values.len() == output.flat_size(), "the transform has {} elements", values.len());
        put_complexes(call.output(0)?, values)
    }
}

fn lengths(x: &Inputs<'_, '_>, axes: usize) -> Result<Option<Vec<i64>>> {
    let Some(lengths) = x.integers(1)? else { return Ok(None) };
    ensure!(
        x.get(1)?.rank() == 1 && lengths.len() == axes,
        "fft_length is {lengths:?} of rank {}; a list of {axes} lengths is needed",
        x.get(1)?.rank()
    );
    shape_of(lengths.iter().copied())?;
    Ok(Some(lengths))
}

/// The first `work` elements along each axis.
fn cropped(call: &Call<'_, '_>, dims: &Dims, work: &[usize]) -> Result<Vec<Complex64>> {
    let x = call.input(0)?;
    let all = complexes(&x)?;
    let size = shape_of(work.iter().map(|&n| n as i64))?;
    for (axis, &n) in work.iter().enumerate() {
        ensure!(
            n <= dims.size(axis) || size.flat_size() == 0,
            "axis {axis} of {x} has {} elements, the transform needs {n}",
            dims.size(axis)
        );
    }
    if size.as_slice() == dims.as_slice() {
        return Ok(all);
    }
    Ok((0..size.flat_size()).map(|k| all[super::elements::ravel(&unravel(k, &size), dims)]).collect())
}

fn halves(data: &[Complex64], n: usize) -> Vec<Complex64> {
    data.chunks_exact(n.max(1)).flat_map(|line| line[..n / 2 + 1].iter().copied()).collect()
}

fn reals_of_halves(data: &[Complex64], n: usize) -> Vec<Complex64> {
    let mut values = Vec::with_capacity(data.len() * 2);
    for half in data.chunks_exact(n / 2 + 1) {
        let mut line: Vec<Complex64> =
            (0..n).map(|k| if k <= n / 2 { half[k] } else { conj(half[n - k]) }).collect();
        // The two elements that mirror onto themselves contribute only their real parts.
        for k in [0, n / 2] {
            if let Some(value) = line.get_mut(k)
                && 2 * k % n.max(1) == 0
            {
                value.im = 0.0;
            }
        }
        transform(&mut line, true);
        values.extend(line);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_the_sum_for_every_length() {
        for n in 1..20 {
            let x: Vec<Complex64> = (0..n).map(|i| complex((i * i % 7) as f64, (i % 3) as f64)).collect();
            for backwards in [false, true] {
                let mut y = x.clone();
                transform(&mut y, backwards);
                for (k, y) in y.iter().enumerate() {
                    let want = x.iter().enumerate().fold(real(0.0), |sum, (i, &x)| {
                        super::super::complex::add(sum, mul(x, root(2 * i * k % (2 * n), n, backwards)))
                    });
                    assert!((want.re - y.re).abs() < 1e-11 && (want.im - y.im).abs() < 1e-11, "{n} {k}");
                }
            }
        }
    }
}
