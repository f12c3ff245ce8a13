//! The Fourier transform of real signals, in floats and in fixed point: mixed radix, decimation in time, with the order
//! of operations and the rounding of KISS FFT (tflite-micro's signal/src/kiss_fft_wrappers,
//! github.com/mborgerding/kissfft).
//!
//! ```text
//! n reals are n/2 complex numbers (even samples, odd samples)
//! spectrum: n/2 + 1 complex numbers, X[k] = Σ x[t] e^(−2πi kt/n); fixed point gives X[k] / n
//! ```

use arenite_abi::prelude::*;

/// The maximum number of factors of a length: 3³¹ exceeds every length.
const MAX_FACTORS: usize = 32;

/// A complex number as real and imaginary part.
type Complex<T> = [T; 2];

/// The element type of a signal.
pub trait Sample: Element + Copy {
    /// The number zero.
    const ZERO: Self;
    /// Converts a number between −1 and 1.
    fn from_real(x: f64) -> Self;
    /// Returns `self + other`.
    fn plus(self, other: Self) -> Self;
    /// Returns `self − other`.
    fn minus(self, other: Self) -> Self;
    /// Returns `−self`.
    fn negated(self) -> Self;
    /// Returns `self × other`.
    fn times(self, other: Self) -> Self;
    /// Returns `a × b + c × d`, rounded once.
    fn sum_of_products(a: Self, b: Self, c: Self, d: Self) -> Self;
    /// Returns `a × b − c × d`, rounded once.
    fn difference_of_products(a: Self, b: Self, c: Self, d: Self) -> Self;
    /// Keeps a sum of `count` numbers in range: fixed-point numbers are divided by `count`.
    fn scaled_down(self, count: i32) -> Self;
    /// Returns `(self + other) / 2`.
    fn half_sum(self, other: Self) -> Self;
    /// Returns `(self − other) / 2`.
    fn half_difference(self, other: Self) -> Self;
}

macro_rules! float {
    ($($ty:ty),*) => {$(
        impl Sample for $ty {
            const ZERO: Self = 0.0;
            fn from_real(x: f64) -> Self {
                x as $ty
            }
            fn plus(self, other: Self) -> Self {
                self + other
            }
            fn minus(self, other: Self) -> Self {
                self - other
            }
            fn negated(self) -> Self {
                -self
            }
            fn times(self, other: Self) -> Self {
                self * other
            }
            fn sum_of_products(a: Self, b: Self, c: Self, d: Self) -> Self {
                a * b + c * d
            }
            fn difference_of_products(a: Self, b: Self, c: Self, d: Self) -> Self {
                a * b - c * d
            }
            fn scaled_down(self, _: i32) -> Self {
                self
            }
            fn half_sum(self, other: Self) -> Self {
                (self + other) * 0.5
            }
            fn half_difference(self, other: Self) -> Self {
                (self - other) * 0.5
            }
        }
    )*};
}

float!(f32, f64);

/// Fixed point with one sign bit and only fraction bits; sums wrap around. `$wide` holds products, `$sum` a sum before
/// it is halved.
macro_rules! fixed {
    ($($ty:ident, $wide:ident, $sum:ident;)*) => {$(
        impl Sample for $ty {
            const ZERO: Self = 0;
            fn from_real(x: f64) -> Self {
                libm::floor(0.5 + f64::from($ty::MAX) * x) as $ty
            }
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            fn negated(self) -> Self {
                self.wrapping_neg()
            }
            fn times(self, other: Self) -> Self {
                Self::sum_of_products(self, other, 0, 0)
            }
            fn sum_of_products(a: Self, b: Self, c: Self, d: Self) -> Self {
                let (ab, cd) = ($wide::from(a) * $wide::from(b), $wide::from(c) * $wide::from(d));
                (ab.wrapping_add(cd).wrapping_add(1 << ($ty::BITS - 2)) >> ($ty::BITS - 1)) as $ty
            }
            fn difference_of_products(a: Self, b: Self, c: Self, d: Self) -> Self {
                let (ab, cd) = ($wide::from(a) * $wide::from(b), $wide::from(c) * $wide::from(d));
                (ab.wrapping_sub(cd).wrapping_add(1 << ($ty::BITS - 2)) >> ($ty::BITS - 1)) as $ty
            }
            fn scaled_down(self, count: i32) -> Self {
                self.times((i64::from($ty::MAX) / i64::from(count)) as $ty)
            }
            fn half_sum(self, other: Self) -> Self {
                ($sum::from(self).wrapping_add($sum::from(other)) >> 1) as $ty
            }
            fn half_difference(self, other: Self) -> Self {
                ($sum::from(self).wrapping_sub($sum::from(other)) >> 1) as $ty
            }
        }
    )*};
}

fixed! {
    i16, i32, i32;
    i32, i64, i32;
}

plain! {
    /// The direction of a transform.
    #[derive(Clone, Copy, PartialEq)]
    pub enum Direction {
        /// From samples to the spectrum.
        Forward,
        /// From the spectrum to the samples; float results are multiplied by the number of samples.
        Inverse,
    }
}

plain! {
    /// A prepared transform of one length.
    pub struct RealFft<T> {
        plan: Plan,
        roots: Table<T>,
        half_roots: Table<T>,
        buffer: Scratch<T>,
    }
}

plain! {
    /// The stages of the complex transform of half the length.
    #[derive(Clone, Copy)]
    struct Plan {
        direction: Direction,
        /// The number of complex numbers.
        length: usize,
        /// The radices and the lengths of the parts that they combine; the first stage is combined last.
        stages: [[usize; 2]; MAX_FACTORS],
    }
}

/// A transform with access to its tables and scratch memory.
pub struct ActiveTransform<'a, T> {
    plan: Plan,
    /// The numbers `e^(∓2πi k/length)`.
    roots: &'a [Complex<T>],
    /// The numbers `e^(∓πi ((k + 1)/length + ½))`.
    half_roots: &'a [Complex<T>],
    buffer: &'a mut [Complex<T>],
}

impl<T: Sample> RealFft<T> {
    /// Prepares a transform for signals of `length` samples.
    ///
    /// # Errors
    /// The length is odd, or not a product of 2, 3 and 5.
    pub fn prepare(cx: &mut PrepareContext<'_>, length: i32, direction: Direction) -> Result<Self> {
        ensure!(length >= 2 && length % 2 == 0, "the transform has length {length}; it must be even");
        let half = length as usize / 2;
        let stages = stages(half).ok_or_else(|| {
            invalid!("the transform has length {length}; it must be a product of 2, 3 and 5")
        })?;
        let sign = if direction == Direction::Inverse { -1.0 } else { 1.0 };
        let part = |i: usize, phase: f64| match i % 2 {
            0 => T::from_real(libm::cos(phase)),
            _ => T::from_real(libm::sin(phase)),
        };
        let pi = core::f64::consts::PI;
        let roots = cx.table(2 * half, |i| part(i, sign * (-2.0 * pi * (i / 2) as f64 / half as f64)))?;
        let half_roots =
            cx.table(half / 2 * 2, |i| part(i, sign * (-pi * ((i / 2 + 1) as f64 / half as f64 + 0.5))))?;
        let plan = Plan { direction, length: half, stages };
        Ok(RealFft { plan, roots, half_roots, buffer: cx.scratch(2 * half)? })
    }

    /// Starts the transform in `eval`; call this once per evaluation.
    ///
    /// # Errors
    /// The context does not provide the memory that `prepare` declared.
    pub fn begin<'a>(&self, cx: &EvalContext<'a>) -> Result<ActiveTransform<'a, T>> {
        Ok(ActiveTransform {
            plan: self.plan,
            roots: cx.table(&self.roots)?.as_chunks().0,
            half_roots: cx.table(&self.half_roots)?.as_chunks().0,
            buffer: cx.scratch(&self.buffer)?.as_chunks_mut().0,
        })
    }

    /// The number of samples.
    pub fn length(&self) -> usize {
        2 * self.plan.length
    }

    /// The approximate number of multiplications of one transform.
    pub fn work(&self) -> usize {
        self.length() * (usize::BITS - self.length().leading_zeros()) as usize
    }
}

/// The stages of a length: radices 4, 2, 3, 5 in this order.
fn stages(length: usize) -> Option<[[usize; 2]; MAX_FACTORS]> {
    let (mut stages, mut rest) = ([[1, 1]; MAX_FACTORS], length);
    let mut stage = stages.iter_mut();
    for radix in [4, 2, 3, 5] {
        while rest % radix == 0 && rest > 1 {
            rest /= radix;
            *stage.next()? = [radix, rest];
        }
    }
    (rest == 1).then_some(stages)
}

impl<T: Sample> ActiveTransform<'_, T> {
    /// Transforms `length` samples to their spectrum, `length + 2` alternating real and imaginary parts.
    pub fn forward(&mut self, samples: &[T], spectrum: &mut [T]) {
        let n = self.plan.length;
        let (samples, spectrum) = (&samples.as_chunks().0[..n], &mut spectrum.as_chunks_mut().0[..=n]);
        self.plan.combine(self.buffer, samples, 0, 1, 0, self.roots);
        let [even, odd] = self.buffer[0].map(|x: T| x.scaled_down(2));
        spectrum[0] = [even.plus(odd), T::ZERO];
        spectrum[n] = [even.minus(odd), T::ZERO];
        for k in 1..=n / 2 {
            let a = self.buffer[k].map(|x| x.scaled_down(2));
            let b = conjugate(self.buffer[n - k]).map(|x| x.scaled_down(2));
            let [re, im] = add(a, b);
            let turned = multiply(subtract(a, b), self.half_roots[k - 1]);
            spectrum[k] = [re.half_sum(turned[0]), im.half_sum(turned[1])];
            spectrum[n - k] = [re.half_difference(turned[0]), turned[1].half_difference(im)];
        }
    }

    /// Transforms a spectrum back to samples.
    pub fn inverse(&mut self, spectrum: &[T], samples: &mut [T]) {
        let n = self.plan.length;
        let (spectrum, samples) = (&spectrum.as_chunks().0[..=n], &mut samples.as_chunks_mut().0[..n]);
        let ([first, _], [last, _]): (Complex<T>, Complex<T>) = (spectrum[0], spectrum[n]);
        self.buffer[0] = [first.plus(last), first.minus(last)].map(|x| x.scaled_down(2));
        for k in 1..=n / 2 {
            let a = spectrum[k].map(|x| x.scaled_down(2));
            let b = conjugate(spectrum[n - k]).map(|x| x.scaled_down(2));
            let even = add(a, b);
            let odd = multiply(subtract(a, b), self.half_roots[k - 1]);
            self.buffer[k] = add(even, odd);
            self.buffer[n - k] = conjugate(subtract(even, odd));
        }
        self.plan.combine(samples, self.buffer, 0, 1, 0, self.roots);
    }
}

impl Plan {
    /// Transforms every `step`th number of `from`, starting at `start`, with the stages that begin at `stage`.
    fn combine<T: Sample>(
        &self,
        to: &mut [Complex<T>],
        from: &[Complex<T>],
        start: usize,
        step: usize,
        stage: usize,
        roots: &[Complex<T>],
    ) {
        let [radix, part] = self.stages[stage];
        for (i, to) in to.chunks_exact_mut(part).enumerate() {
            match part {
                1 => to[0] = from[start + i * step],
                _ => self.combine(to, from, start + i * step, step * radix, stage + 1, roots),
            }
        }
        to.iter_mut().for_each(|x| *x = x.map(|x| x.scaled_down(radix as i32)));
        for k in 0..part {
            match radix {
                2 => two(to, part, k, step, roots),
                3 => three(to, part, k, step, roots),
                4 => four(to, part, k, step, roots, self.direction),
                5 => five(to, part, k, step, roots),
                _ => {}
            }
        }
    }
}

fn two<T: Sample>(x: &mut [Complex<T>], part: usize, k: usize, step: usize, roots: &[Complex<T>]) {
    let b = multiply(x[k + part], roots[k * step]);
    (x[k], x[k + part]) = (add(x[k], b), subtract(x[k], b));
}

fn three<T: Sample>(x: &mut [Complex<T>], part: usize, k: usize, step: usize, roots: &[Complex<T>]) {
    let b = multiply(x[k + part], roots[k * step]);
    let c = multiply(x[k + 2 * part], roots[2 * k * step]);
    let sine = roots[step * part][1];
    let (sum, difference) = (add(b, c), subtract(b, c).map(|x| x.times(sine)));
    let middle = subtract(x[k], sum.map(|x| x.half_sum(T::ZERO)));
    let turned = [difference[1], difference[0].negated()];
    x[k] = add(x[k], sum);
    x[k + part] = subtract(middle, turned);
    x[k + 2 * part] = add(middle, turned);
}

fn four<T: Sample>(
    x: &mut [Complex<T>],
    part: usize,
    k: usize,
    step: usize,
    roots: &[Complex<T>],
    direction: Direction,
) {
    let b = multiply(x[k + part], roots[k * step]);
    let c = multiply(x[k + 2 * part], roots[2 * k * step]);
    let d = multiply(x[k + 3 * part], roots[3 * k * step]);
    let (even, odd) = (add(x[k], c), subtract(x[k], c));
    let (sum, difference) = (add(b, d), subtract(b, d));
    let plus = [odd[0].plus(difference[1]), odd[1].minus(difference[0])];
    let minus = [odd[0].minus(difference[1]), odd[1].plus(difference[0])];
    x[k] = add(even, sum);
    x[k + 2 * part] = subtract(even, sum);
    (x[k + part], x[k + 3 * part]) = match direction {
        Direction::Forward => (plus, minus),
        Direction::Inverse => (minus, plus),
    };
}

fn five<T: Sample>(x: &mut [Complex<T>], part: usize, k: usize, step: usize, roots: &[Complex<T>]) {
    let [cos_1, sin_1] = roots[step * part];
    let [cos_2, sin_2] = roots[2 * step * part];
    let first = x[k];
    let [b, c, d, e] = [1, 2, 3, 4].map(|i| multiply(x[k + i * part], roots[i * k * step]));
    let (outer, outer_difference) = (add(b, e), subtract(b, e));
    let (inner, inner_difference) = (add(c, d), subtract(c, d));
    x[k] = add(first, add(outer, inner));

    let mix = |i: usize, a: T, b: T| first[i].plus(outer[i].times(a)).plus(inner[i].times(b));
    let middle = [mix(0, cos_1, cos_2), mix(1, cos_1, cos_2)];
    let [re, im] = [0, 1].map(|i| outer_difference[i].times(sin_1));
    let [re_2, im_2] = [0, 1].map(|i| inner_difference[i].times(sin_2));
    let side = [im.plus(im_2), re.negated().minus(re_2)];
    x[k + part] = subtract(middle, side);
    x[k + 4 * part] = add(middle, side);

    let middle = [mix(0, cos_2, cos_1), mix(1, cos_2, cos_1)];
    let [re, im] = [0, 1].map(|i| outer_difference[i].times(sin_2));
    let [re_2, im_2] = [0, 1].map(|i| inner_difference[i].times(sin_1));
    let side = [im_2.minus(im), re.minus(re_2)];
    x[k + 2 * part] = add(middle, side);
    x[k + 3 * part] = subtract(middle, side);
}

fn add<T: Sample>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    [a[0].plus(b[0]), a[1].plus(b[1])]
}

fn subtract<T: Sample>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    [a[0].minus(b[0]), a[1].minus(b[1])]
}

fn multiply<T: Sample>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    [T::difference_of_products(a[0], b[0], a[1], b[1]), T::sum_of_products(a[0], b[1], a[1], b[0])]
}

fn conjugate<T: Sample>(a: Complex<T>) -> Complex<T> {
    [a[0], a[1].negated()]
}
