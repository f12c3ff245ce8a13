//! The random number engine of the C++ standard library and its distributions.
//!
//! Defined by: `minstd_rand0`, which is `default_random_engine` of GNU libstdc++, and its `uniform_real_distribution`
//! and `normal_distribution`. The kernels that use it have no seed: each prepared node starts from state 1.
//!
//! ```text
//! x = 16807 × x mod (2³¹ − 1)        1 ≤ x < 2³¹ − 1
//! ```

use arenite_abi::prelude::*;

use super::float;

const MODULUS: u64 = 0x7fff_ffff;
/// The number of different values that an engine returns.
const RANGE: f64 = 2_147_483_646.0;

plain! {
    /// An engine between evaluations.
    pub struct Engine(State<u32>);
}

/// An engine while it draws numbers.
pub struct Minstd(u32);

impl Engine {
    /// An engine in its initial state. It must be the first state that the node requests.
    ///
    /// # Errors
    /// There is no memory.
    pub fn new(cx: &mut PrepareContext<'_>) -> Result<Engine> {
        cx.state(1, |_| 1).map(Engine)
    }

    /// Lets `f` draw numbers, and stores the resulting state.
    ///
    /// # Errors
    /// The state belongs to another node.
    pub fn draw(&self, cx: &EvalContext<'_>, f: impl FnOnce(&mut Minstd)) -> Result<()> {
        if let Some(state) = cx.state(&self.0)?.first() {
            let mut engine = Minstd(state.get());
            f(&mut engine);
            state.set(engine.0);
        }
        Ok(())
    }
}

impl Minstd {
    /// A number from 0 to `RANGE` − 1.
    fn next(&mut self) -> u32 {
        self.0 = (u64::from(self.0) * 16_807 % MODULUS) as u32;
        self.0 - 1
    }

    /// Uniform in `0..1`, from one number of the engine.
    pub fn unit_f32(&mut self) -> f32 {
        let x = self.next() as f32 / RANGE as f32;
        if x < 1.0 { x } else { 1.0 - f32::EPSILON / 2.0 }
    }

    /// Uniform in `0..1`, from two numbers of the engine.
    pub fn unit_f64(&mut self) -> f64 {
        let low = f64::from(self.next());
        let x = (low + f64::from(self.next()) * RANGE) / (RANGE * RANGE);
        if x < 1.0 { x } else { 1.0 - f64::EPSILON / 2.0 }
    }

    /// Fills `y` with normally distributed numbers (Marsaglia's polar method).
    pub fn fill_normal_f32(&mut self, y: &mut [f32]) {
        for pair in y.chunks_mut(2) {
            let (a, b, radius) =
                polar(|| 2.0 * self.unit_f32() - 1.0, |a, b| a * a + b * b, |r| r <= 1.0 && r != 0.0);
            let factor = float::sqrt(-2.0 * float::log(radius) / radius);
            pair.iter_mut().zip([b * factor, a * factor]).for_each(|(y, x)| *y = x);
        }
    }

    /// Like [`fill_normal_f32`](Self::fill_normal_f32), in f64.
    pub fn fill_normal_f64(&mut self, y: &mut [f64]) {
        for pair in y.chunks_mut(2) {
            let (a, b, radius) =
                polar(|| 2.0 * self.unit_f64() - 1.0, |a, b| a * a + b * b, |r| r <= 1.0 && r != 0.0);
            let factor = libm::sqrt(-2.0 * libm::log(radius) / radius);
            pair.iter_mut().zip([b * factor, a * factor]).for_each(|(y, x)| *y = x);
        }
    }
}

/// The first point whose squared distance from the origin is accepted, and that distance.
fn polar<T: Copy>(
    mut draw: impl FnMut() -> T,
    square: impl Fn(T, T) -> T,
    accept: impl Fn(T) -> bool,
) -> (T, T, T) {
    loop {
        let (a, b) = (draw(), draw());
        let radius = square(a, b);
        if accept(radius) {
            return (a, b, radius);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ten_thousandth_number_is_the_one_in_the_standard() {
        let mut engine = Minstd(1);
        (0..9_999).for_each(|_| _ = engine.next());
        assert_eq!(engine.next() + 1, 1_043_618_065);
    }

    #[test]
    fn units() {
        let mut engine = Minstd(1);
        assert_eq!(engine.unit_f32(), 16_806.0 / 2_147_483_648.0);
        // 16807² mod (2³¹ − 1) = 282475249.
        assert_eq!(engine.unit_f32(), 282_475_248f32 / 2_147_483_648.0);
        let both = (16_806.0 + 282_475_248.0 * RANGE) / (RANGE * RANGE);
        assert_eq!(Minstd(1).unit_f64(), both);
        // The engine returns its largest number after the inverse of 16807, times −1: 2³¹ − 1 − 1407677000.
        assert_eq!(Minstd(739_806_647).unit_f32(), 1.0 - f32::EPSILON / 2.0);
    }
}
