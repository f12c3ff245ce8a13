//! LSH_PROJECTION: locality-sensitive hashes: for each seed, the sign of the weighted sum of the items' fingerprints.
//! Seeds and weights f32, items of any type, output i32.
//!
//! Defined by: tflite/kernels/lsh_projection.cc.
//!
//! ```text
//! seeds [hashes, bits], bits ≤ 32    items [n, …]    weights [n], or absent: 1 each
//! bit[h, b] = Σ weights[i] × fingerprint(bytes of seeds[h, b], then of items[i]) > 0     in f64
//! DENSE:  y [hashes × bits]: the bits           SPARSE: y [hashes]: h × 2^bits + the bits as a number, first one highest
//! ```

use arenite_abi::prelude::*;
use arenite_abi::schema::{LSHProjectionOptions, lsh_projection};

use crate::kit::arguments::expect_type;
use crate::kit::fingerprint::fingerprint;
use crate::kit::pace::Pace;

plain! {
    /// A prepared `LSH_PROJECTION` node.
    pub struct LshProjection {
        form: Form,
        /// The number of bits per hash.
        bits: usize,
        items: usize,
    }
}

plain! {
    enum Form {
        Sparse,
        Dense,
    }
}

impl Op for LshProjection {
    const CODE: OpCode = OpCode::Builtin(op::LSH_PROJECTION);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(2..=3, 1..=1)?;
        let form = match node.options()?.get(LSHProjectionOptions::TYPE)? {
            lsh_projection::SPARSE => Form::Sparse,
            lsh_projection::DENSE => Form::Dense,
            other => return Err(invalid!("its type is number {other}; it must be 1 (SPARSE) or 2 (DENSE)")),
        };
        let (seeds, items) = (node.input(0)?, node.input(1)?);
        expect_type(&seeds, &[F32])?;
        expect_type(&node.output(0)?, &[I32])?;
        let [hashes, bits @ 0..=32] = *seeds.shape else {
            return Err(invalid!(
                "seeds {seeds} are {:?}; they must be [hashes, bits], bits at most 32",
                seeds.shape
            ));
        };
        let count =
            items.shape.first().copied().filter(|&count| count >= 1).ok_or_else(|| {
                invalid!("items {items} are {:?}; at least one item is needed", items.shape)
            })?;
        if let Some(weights) = node.optional_input(2)? {
            expect_type(&weights, &[F32])?;
            ensure!(
                *weights.shape == [count],
                "weights {weights} are {:?}, items {items} {:?}; a weight per item is needed",
                weights.shape,
                items.shape
            );
        }
        let size = match form {
            Form::Sparse => Some(hashes),
            Form::Dense => hashes.checked_mul(bits),
        };
        let size = size.ok_or_else(|| invalid!("seeds {seeds} are {:?}: too many", seeds.shape))?;
        cx.set_output_shape(0, &[size])?;
        Ok(LshProjection { form, bits: bits as usize, items: count as usize })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (seeds, bytes) = (cx.input_slice::<f32>(0)?, cx.input(1)?.bytes());
        let weights = cx.optional_slice::<f32>(2)?;
        let length = bytes.len() / self.items;
        let mut pace = Pace::new(cx);
        let mut bit = |seed: f32| {
            pace.ahead(bytes.len().saturating_add(self.items))?;
            let item = |i: usize| &bytes[i * length..][..length];
            let sum: f64 = (0..self.items)
                .map(|i| {
                    let value = fingerprint(seed.to_le_bytes(), item(i)) as i64 as f64;
                    weights.map_or(value, |weights| f64::from(weights[i]) * value)
                })
                .sum();
            Ok(i32::from(sum > 0.0))
        };
        let y = cx.output_slice::<i32>(0)?;
        match self.form {
            Form::Dense => y.iter_mut().zip(seeds).try_for_each(|(y, &seed)| bit(seed).map(|bit| *y = bit)),
            Form::Sparse => {
                // A shift by 32 is a shift by 0, as on the machines that TFLite was built for.
                let step = 1i32.wrapping_shl(self.bits as u32);
                for (h, y) in y.iter_mut().enumerate() {
                    let mut seeds = seeds[h * self.bits..][..self.bits].iter();
                    let number =
                        seeds.try_fold(0, |number: i32, &seed| Ok::<_, Error>(number << 1 | bit(seed)?))?;
                    *y = number.wrapping_add((h as i32).wrapping_mul(step));
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn node(form: i8, seeds: Tensor, items: Tensor) -> OpTest<LshProjection> {
        OpTest::new()
            .options(|o| o.set(LSHProjectionOptions::TYPE, form))
            .constant(seeds)
            .input(items)
            .output(Spec::i32())
    }

    const SEEDS: [f32; 6] = [0.123, 0.456, -0.321, 1.234, 5.678, -4.321];

    #[test]
    fn known_answers() {
        // The expected values come from the tests of TFLite's kernel.
        let seeds = || Tensor::f32(&[3, 2], &SEEDS);
        let items = || Tensor::i32(&[5], &[12345, 54321, 67890, 9876, -12345678]);
        let weights = || Tensor::f32(&[5], &[1.0; 5]);
        let y = node(2, seeds(), items()).input(weights()).run().unwrap();
        assert_eq!(y[0].as_i32(), [0, 0, 0, 1, 0, 0]);
        let y = node(1, seeds(), items()).run().unwrap();
        assert_eq!(y[0].as_i32(), [0, 4 + 1, 8]);
        let items = [
            1234, 2345, 3456, 1234, 4567, 5678, 6789, 4567, 7891, 8912, 9123, 7890, -987, -876, -765, -987,
            -543, -432, -321, -543,
        ];
        let weights = Tensor::f32(&[5], &[0.12, 0.34, 0.56, 0.67, 0.78]);
        let y = node(1, seeds(), Tensor::i32(&[5, 2, 2], &items)).input(weights).run().unwrap();
        assert_eq!(y[0].as_i32(), [2, 4 + 1, 8 + 1]);
    }
}
