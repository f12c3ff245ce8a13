//! SignalDelay: delays samples by `delay_length`, starting with zeros; each row of the last axis is a separate signal.
//! i16.
//! Defined by: tflite-micro's signal/micro/kernels/delay.cc.

use arenite_abi::prelude::*;

use crate::kit::custom_options::CustomOptions;
use crate::kit::signal::{self, expect, last_axis};

plain! {
    /// A prepared `SignalDelay` node.
    pub struct SignalDelay {
        frame: usize,
        delay: usize,
        /// The last `delay` samples of each row, which are not output yet.
        waiting: State<i16>,
    }
}

impl Op for SignalDelay {
    const CODE: OpCode = OpCode::Custom("SignalDelay");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[I16]);
    const STATEFUL: bool = true;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        let delay = signal::option_in(&CustomOptions::of(node), "delay_length", 0..=i32::MAX)? as usize;
        [&x, &y].into_iter().try_for_each(|tensor| expect(tensor, I16))?;
        let (frame, _) = last_axis(&x)?;
        cx.set_output_shape(0, x.shape)?;
        let waiting = cx.state((x.len() / frame).saturating_mul(delay), |_| 0)?;
        Ok(SignalDelay { frame, delay, waiting })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, y) = (cx.input_slice::<i16>(0)?, cx.output_slice::<i16>(0)?);
        let waiting = cx.state(&self.waiting)?;
        let rows = x.chunks_exact(self.frame).zip(y.chunks_exact_mut(self.frame));
        for (row, (x, y)) in rows.enumerate() {
            let waiting = &waiting[row * self.delay..][..self.delay];
            let old = self.delay.min(self.frame);
            y[..old].iter_mut().zip(waiting).for_each(|(y, waiting)| *y = waiting.get());
            y[old..].copy_from_slice(&x[..self.frame - old]);
            for i in 0..self.delay {
                let later = i + self.frame;
                waiting[i].set(match later.checked_sub(self.delay) {
                    Some(new) => x[new],
                    None => waiting[later].get(),
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(shape: &[i32], delay: i64) -> OpTest<SignalDelay> {
        let x = Tensor::i16(shape, &vec![0; shape.iter().product::<i32>() as usize]);
        let test = OpTest::new().flexbuffer(|o| o.int("delay_length", delay)).input(x);
        test.output(Spec::of(I16))
    }

    #[test]
    fn samples_are_delayed() {
        for delay in [0, 1, 3, 7, 20] {
            let samples: Vec<i16> = (1..=24).collect();
            // The second row is the negated first one.
            let steps: Vec<[Tensor; 1]> = samples
                .chunks(3)
                .map(|x| [Tensor::i16(&[2, 3], &[x.to_vec(), x.iter().map(|x| -x).collect()].concat())])
                .collect();
            let steps: Vec<&[Tensor]> = steps.iter().map(|step| &step[..]).collect();
            let y = test(&[2, 3], delay).run_steps(&steps).unwrap();
            let rows = |row: usize| -> Vec<i16> {
                y.iter().flat_map(|y| y[0].as_i16()[3 * row..][..3].to_vec()).collect()
            };
            let want: Vec<i16> = [vec![0; delay as usize], samples].concat()[..24].to_vec();
            assert_eq!(rows(0), want, "{delay}");
            assert_eq!(rows(1), want.iter().map(|x| -x).collect::<Vec<_>>());
        }
    }
}
