//! MULTINOMIAL: draws classes with probability `e^logit / Σ e^logit` for each row of logits. Logits f32; output i32,
//! i64.
//! Defined by: tflite/kernels/random_ops.cc.
//!
//! ```text
//! logits [batch, classes]   samples, a number   y [batch, samples]
//! total(k) = Σ e^(logit − max) of the classes 0..=k, finite logits only, in f64
//! y = the first class with total(class) > u × total(last),  u even in 0..1
//! ```

use arenite_abi::prelude::*;

use crate::kit::arguments::{Integers, expect_type};
use crate::kit::pace::Pace;
use crate::kit::random::{BLOCK, Generator, unit_f64};

plain! {
    /// A prepared `MULTINOMIAL` node.
    pub struct Multinomial {
        generator: Generator,
        /// The totals of one row.
        totals: Scratch<f64>,
        is_static: bool,
    }
}

impl Op for Multinomial {
    const CODE: OpCode = OpCode::Builtin(op::MULTINOMIAL);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32, I64]);
    const STATEFUL: bool = true;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (logits, samples, y) = node.binary()?;
        expect_type(&logits, &[F32])?;
        expect_type(&samples, &[I32])?;
        expect_type(&y, &[I32, I64])?;
        let [batch, classes] = *logits.shape else {
            return Err(invalid!("logits {logits} are {:?}; they must have 2 dimensions", logits.shape));
        };
        ensure!(classes > 0, "logits {logits} are {:?}; there must be a class", logits.shape);
        ensure!(samples.rank() == 0, "{samples} is {:?}; it must be one number", samples.shape);
        let is_static = samples.is_constant();
        match is_static {
            true => cx.set_output_shape(0, &[batch, count(&samples)?])?,
            false => cx.set_output_dynamic(0)?,
        }
        Ok(Multinomial {
            generator: Generator::read(node, cx)?,
            totals: cx.scratch(classes as usize)?,
            is_static,
        })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (logits, samples) = (cx.input(0)?, count(&cx.input(1)?)?);
        let y = match self.is_static {
            true => cx.output(0)?,
            false => cx.resize_output(0, &[logits.shape[0], samples])?,
        };
        match y.ty() {
            I64 => self.draw(cx, logits.as_slice()?, samples as usize, y.into_slice::<i64>()?, |class| class),
            _ => self
                .draw(cx, logits.as_slice()?, samples as usize, y.into_slice::<i32>()?, |class| class as i32),
        }
    }
}

fn count(samples: &TensorView<'_>) -> Result<i32> {
    let count = Integers::scalar(samples)?;
    ensure!(count >= 0, "{samples} is {count}; the number of samples must not be negative");
    Ok(count as i32)
}

impl Multinomial {
    fn draw<T>(
        &self,
        cx: &EvalContext<'_>,
        logits: &[f32],
        samples: usize,
        y: &mut [T],
        class: impl Fn(i64) -> T,
    ) -> Result<()> {
        let totals = cx.scratch(&self.totals)?;
        let batch = (logits.len() / totals.len()) as u64;
        // TensorFlow reserves 256 times the numbers that are needed at most, because it does not know how many it will
        // draw.
        let blocks = (samples as u64).div_ceil(BLOCK as u64) * BLOCK as u64;
        let count = batch.wrapping_mul(blocks).wrapping_mul(2 * 256);
        let (sequence, mut block) = self.generator.take(cx, count)?;
        let mut pace = Pace::new(cx);
        if samples == 0 {
            return Ok(());
        }
        let mut halves = [[0u32; 2]; 2].into_iter().skip(2);
        for (row, y) in logits.chunks_exact(totals.len()).zip(y.chunks_exact_mut(samples)) {
            pace.ahead(row.len())?;
            add_up(row, totals);
            for y in y {
                pace.ahead(totals.len().ilog2() as usize + 1)?;
                let [high, low] = halves.next().unwrap_or_else(|| {
                    let [a, b, c, d] = sequence.block(block);
                    block = block.wrapping_add(1);
                    halves = [[0; 2], [c, d]].into_iter().skip(1);
                    [a, b]
                });
                let at = unit_f64(high, low) * totals[totals.len() - 1];
                *y = class(totals.partition_point(|&total| total <= at) as i64);
            }
        }
        Ok(())
    }
}

/// Accumulates the totals; infinite and NaN logits are ignored.
fn add_up(logits: &[f32], totals: &mut [f64]) {
    let finite = |&logit: &f32| logit.is_finite();
    let max = f64::from(logits.iter().copied().filter(finite).fold(f32::MIN, f32::max));
    let mut total = 0.0;
    for (logit, to) in logits.iter().zip(totals) {
        if finite(logit) {
            total += libm::exp(f64::from(*logit) - max);
        }
        *to = total;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::schema::RandomOptions;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn node(logits: &[f32]) -> OpTest<Multinomial> {
        let test = OpTest::new().options(|o| o.set(RandomOptions::SEED, 11).set(RandomOptions::SEED2, 12));
        test.input(Tensor::f32(&[2, logits.len() as i32 / 2], logits))
    }

    #[test]
    fn classes_follow_their_probabilities() {
        // Row 0 always draws class 1; row 1 draws 0 and 2 with the odds 1 : 3.
        let (inf, third) = (f32::NEG_INFINITY, 3f32.ln());
        let logits = [inf, 5.0, f32::NAN, 0.0, inf, third];
        let test = node(&logits).input(Tensor::i32(&[], &[4000])).output(Spec::i64());
        let y = test.run().unwrap().remove(0);
        assert_eq!(y.shape(), [2, 4000]);
        let y = y.as_i64();
        assert!(y[..4000].iter().all(|&class| class == 1));
        let twos = y[4000..].iter().filter(|&&class| class == 2).count();
        assert_eq!(y[4000..].iter().filter(|&&class| class == 0).count(), 4000 - twos);
        assert!((2900..3100).contains(&twos), "{twos}");
        let narrow = node(&logits).constant(Tensor::i32(&[], &[4000])).output(Spec::i32());
        let narrow = narrow.run().unwrap()[0].as_i32();
        assert!(narrow.iter().zip(&y).all(|(&a, &b)| i64::from(a) == b));
    }

    #[test]
    fn rows_without_a_finite_logit_give_the_number_of_classes() {
        let y = node(&[f32::NAN; 4]).constant(Tensor::i32(&[], &[2])).output(Spec::i32()).run().unwrap();
        assert_eq!(y[0].as_i32(), [2; 4]);
    }
}
