//! SignalFramer: frames of the latest `frame_size` samples, one every `frame_step` samples; each row of the last axis
//! is a separate signal. With `prefill` the first frames start with zeros. Without it frames are zero and the second
//! output is false until there are enough samples. i16, bool.
//! Defined by: tflite-micro's signal/micro/kernels/framer.cc, signal/src/circular_buffer.cc.

use arenite_abi::prelude::*;

use crate::kit::custom_options::CustomOptions;
use crate::kit::pace::Pace;
use crate::kit::signal::{self, Queue, Shape, expect, last_axis};

plain! {
    /// A prepared `SignalFramer` node.
    pub struct SignalFramer {
        samples: usize,
        size: usize,
        step: usize,
        /// The number of samples that a row can store.
        capacity: usize,
        kept: State<i16>,
        /// The number of samples that a row stores now.
        count: State<i32>,
    }
}

impl Op for SignalFramer {
    const CODE: OpCode = OpCode::Custom("SignalFramer");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[I16, ElementType::Bool]);
    const STATEFUL: bool = true;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(1..=1, 2..=2)?;
        let options = CustomOptions::of(node);
        let size = signal::option_in(&options, "frame_size", 1..=1 << 30)?;
        let step = signal::option_in(&options, "frame_step", 1..=1 << 30)?;
        let prefill = options.flag("prefill")?;
        ensure!(!prefill || step <= size, "frames of {size} in steps of {step} leave nothing to prefill");
        let x = node.input(0)?;
        expect(&x, I16)?;
        expect(&node.output(0)?, I16)?;
        expect(&node.output(1)?, ElementType::Bool)?;
        let (samples, others) = last_axis(&x)?;
        ensure!(
            samples % step as usize == 0,
            "{x} has rows of {samples} samples, which is not a whole number of steps of {step}"
        );
        let frames = samples as i32 / step;
        cx.set_output_shape(0, Shape::new(others, &[frames, size])?.as_slice())?;
        cx.set_output_shape(1, &[])?;
        let (size, step) = (size as usize, step as usize);
        let capacity = size.next_multiple_of(step);
        let kept = cx.state((x.len() / samples).saturating_mul(capacity), |_| 0)?;
        let first = if prefill { size - step } else { 0 };
        let count = cx.state(1, |_| first as i32)?;
        Ok(SignalFramer { samples, size, step, capacity, kept, count })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, y) = (cx.input_slice::<i16>(0)?, cx.output_slice::<i16>(0)?);
        let (kept, count) = (cx.state(&self.kept)?, &cx.state(&self.count)?[0]);
        let frames = self.samples / self.step;
        let (mut valid, mut left, mut pace) = (true, count.get(), Pace::new(cx));
        let rows = x.chunks_exact(self.samples).zip(y.chunks_exact_mut(frames * self.size));
        for ((x, y), kept) in rows.zip(kept.chunks_exact(self.capacity)) {
            let mut queue = Queue::new(kept, count.get() as usize);
            for (x, y) in x.chunks_exact(self.step).zip(y.chunks_exact_mut(self.size)) {
                pace.ahead(self.capacity)?;
                queue.push(x);
                if queue.len() < self.size {
                    y.fill(0);
                    valid = false;
                    continue;
                }
                queue.copy_to(y);
                queue.discard(self.step);
            }
            left = queue.len() as i32;
        }
        count.set(left);
        cx.output_slice::<Bool>(1)?.fill(Bool(u8::from(valid)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(shape: &[i32], size: i64, step: i64, prefill: bool) -> OpTest<SignalFramer> {
        let x = Tensor::i16(shape, &vec![0; shape.iter().product::<i32>() as usize]);
        let test = OpTest::new()
            .flexbuffer(|o| o.int("frame_size", size).int("frame_step", step).bool("prefill", prefill));
        test.input(x).output(Spec::of(I16)).output(Spec::bool())
    }

    /// The frames of each step, and whether they are valid.
    fn frames(test: &OpTest<SignalFramer>, steps: &[&[i16]], shape: &[i32]) -> Vec<(Vec<i16>, bool)> {
        let steps: Vec<[Tensor; 1]> = steps.iter().map(|x| [Tensor::i16(shape, x)]).collect();
        let steps: Vec<&[Tensor]> = steps.iter().map(|step| &step[..]).collect();
        let y = test.run_steps(&steps).unwrap();
        y.iter().map(|y| (y[0].as_i16(), y[1].as_bool()[0])).collect()
    }

    #[test]
    fn frames_overlap() {
        let steps: [&[i16]; 3] = [&[1, 2, 3, 4], &[5, 6, 7, 8], &[9, 10, 11, 12]];
        let y = frames(&test(&[4], 5, 2, false), &steps, &[4]);
        assert_eq!(y[0], (vec![0; 10], false));
        assert_eq!(y[1], (vec![1, 2, 3, 4, 5, 3, 4, 5, 6, 7], true));
        assert_eq!(y[2], (vec![5, 6, 7, 8, 9, 7, 8, 9, 10, 11], true));
        let y = frames(&test(&[4], 5, 2, true), &steps, &[4]);
        assert_eq!(y[0], (vec![0, 0, 0, 1, 2, 0, 1, 2, 3, 4], true));
        assert_eq!(y[1], (vec![2, 3, 4, 5, 6, 4, 5, 6, 7, 8], true));
    }

    #[test]
    fn rows_and_gaps() {
        let y = frames(&test(&[2, 2], 3, 1, true), &[&[1, 2, 11, 12], &[3, 4, 13, 14]], &[2, 2]);
        assert_eq!(y[0].0, [0, 0, 1, 0, 1, 2, 0, 0, 11, 0, 11, 12]);
        assert_eq!(y[1].0, [1, 2, 3, 2, 3, 4, 11, 12, 13, 12, 13, 14]);
        // Of steps of 4 samples, the first 2 are used.
        let y = frames(&test(&[4], 2, 4, false), &[&[1, 2, 3, 4], &[5, 6, 7, 8]], &[4]);
        assert_eq!(y, [(vec![1, 2], true), (vec![5, 6], true)]);
    }
}
