//! SignalStacker: stacks each frame with the `stacker_left_context` frames before it and the `stacker_right_context`
//! frames after it, every `stacker_step` frames. The first frame also replaces the missing frames before it. While
//! there are too few frames, the first output is zero and the second one is false. i16, bool.
//! Defined by: tflite-micro's signal/micro/kernels/stacker.cc, signal/src/circular_buffer.cc.

use arenite_abi::prelude::*;

use crate::kit::custom_options::CustomOptions;
use crate::kit::signal::{self, Queue, expect, expect_list};

plain! {
    /// A prepared `SignalStacker` node.
    pub struct SignalStacker {
        channels: usize,
        left: usize,
        step: usize,
        frames: State<i16>,
        /// The number of buffered samples; −1 before the first frame.
        count: State<i32>,
    }
}

impl Op for SignalStacker {
    const CODE: OpCode = OpCode::Custom("SignalStacker");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[I16, ElementType::Bool]);
    const STATEFUL: bool = true;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(1..=1, 2..=2)?;
        let options = CustomOptions::of(node);
        let channels = signal::option_in(&options, "num_channels", 1..=i32::MAX)?;
        let left = signal::option_in(&options, "stacker_left_context", 0..=1 << 24)?;
        let right = signal::option_in(&options, "stacker_right_context", 0..=1 << 24)?;
        let step = signal::option_in(&options, "stacker_step", 1..=left + right + 1)?;
        let x = node.input(0)?;
        let count = expect_list(&x, I16)?;
        ensure!(
            count >= channels as usize,
            "{x} has {count} elements, option 'num_channels' is {channels}; they must agree"
        );
        expect(&node.output(0)?, I16)?;
        expect(&node.output(1)?, ElementType::Bool)?;
        let stacked = channels
            .checked_mul(left + right + 1)
            .ok_or_else(|| invalid!("{} frames of {channels} channels are too many", left + right + 1))?;
        cx.set_output_shape(0, &[stacked])?;
        cx.set_output_shape(1, &[])?;
        Ok(SignalStacker {
            channels: channels as usize,
            left: left as usize,
            step: step as usize,
            frames: cx.state(stacked as usize, |_| 0)?,
            count: cx.state(1, |_| -1)?,
        })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = &cx.input_slice::<i16>(0)?[..self.channels];
        let (frames, count) = (cx.state(&self.frames)?, &cx.state(&self.count)?[0]);
        let is_first = count.get() < 0;
        let mut queue = Queue::new(frames, count.get().max(0) as usize);
        for _ in 0..if is_first { self.left + 1 } else { 1 } {
            queue.push(x);
        }
        let (y, valid) = (cx.output_slice::<i16>(0)?, queue.len() >= frames.len());
        match valid {
            true => {
                queue.copy_to(y);
                queue.discard(self.step * self.channels);
            }
            false => y.fill(0),
        }
        count.set(queue.len() as i32);
        cx.output_slice::<Bool>(1)?.fill(Bool(u8::from(valid)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{FlexBuilder, OpTest, Spec, Tensor};

    fn test(change: impl FnOnce(FlexBuilder) -> FlexBuilder) -> OpTest<SignalStacker> {
        let options = |o: FlexBuilder| {
            let o = o.int("num_channels", 2).int("stacker_left_context", 1);
            o.int("stacker_right_context", 1).int("stacker_step", 2)
        };
        let test = OpTest::new().flexbuffer(|o| change(options(o))).input(Tensor::i16(&[2], &[0; 2]));
        test.output(Spec::of(I16)).output(Spec::bool())
    }

    #[test]
    fn frames_are_stacked_with_their_neighbors() {
        let steps: Vec<[Tensor; 1]> = (1..=5).map(|i| [Tensor::i16(&[2], &[i, 10 * i])]).collect();
        let steps: Vec<&[Tensor]> = steps.iter().map(|step| &step[..]).collect();
        let y = test(|o| o).run_steps(&steps).unwrap();
        let y: Vec<(Vec<i16>, bool)> = y.iter().map(|y| (y[0].as_i16(), y[1].as_bool()[0])).collect();
        let nothing = || (vec![0; 6], false);
        let want = [
            nothing(),
            (vec![1, 10, 1, 10, 2, 20], true),
            nothing(),
            (vec![2, 20, 3, 30, 4, 40], true),
            nothing(),
        ];
        assert_eq!(y, want);
    }
}
