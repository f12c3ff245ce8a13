//! SignalOverlapAdd: adds up overlapping frames `[.., frames, size]`, which start every `frame_step` samples, to `[..,
//! frames × step]`. The tail of the last frame is added in the next invocation. f32; i16, saturating.
//! Defined by: tflite-micro's signal/micro/kernels/overlap_add.cc, signal/src/overlap_add.cc.

use core::cell::Cell;

use arenite_abi::prelude::*;

use crate::kit::custom_options::CustomOptions;
use crate::kit::pace::Pace;
use crate::kit::signal::{self, Shape, check_type, expect, last_axis};

plain! {
    /// A prepared `SignalOverlapAdd` node.
    pub struct SignalOverlapAdd {
        size: usize,
        step: usize,
        frames: usize,
        sums: Sums,
    }
}

plain! {
    /// The sums that are still incomplete, one frame for each row.
    enum Sums {
        Float(State<f32>),
        Short(State<i16>),
    }
}

impl Op for SignalOverlapAdd {
    const CODE: OpCode = OpCode::Custom("SignalOverlapAdd");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I16]);
    const STATEFUL: bool = true;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        let (size, others) = last_axis(&x)?;
        let step = signal::option_in(&CustomOptions::of(node), "frame_step", 1..=size as i32)?;
        check_type(node, &x)?;
        expect(&y, x.ty)?;
        let [others @ .., frames] = others else {
            return Err(invalid!("{x} is {:?}; it must have two axes or more", x.shape));
        };
        let samples = frames
            .checked_mul(step)
            .ok_or_else(|| invalid!("{frames} frames in steps of {step} are too many samples"))?;
        cx.set_output_shape(0, Shape::new(others, &[samples])?.as_slice())?;
        let frames = *frames as usize;
        let rows = x.len().checked_div(frames * size).unwrap_or(0);
        let sums = match x.ty {
            F32 => Sums::Float(cx.state(rows * size, |_| 0.0)?),
            I16 => Sums::Short(cx.state(rows * size, |_| 0)?),
            ty => return Err(Error::unsupported("SignalOverlapAdd", ty)),
        };
        Ok(SignalOverlapAdd { size, step: step as usize, frames, sums })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match &self.sums {
            Sums::Float(sums) => self.add(cx, sums, |a: f32, b| a + b),
            Sums::Short(sums) => self.add(cx, sums, i16::saturating_add),
        }
    }
}

impl SignalOverlapAdd {
    fn add<T: Element + Default>(
        &self,
        cx: &EvalContext<'_>,
        sums: &State<T>,
        plus: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (x, y) = (cx.input_slice::<T>(0)?, cx.output_slice::<T>(0)?);
        let (sums, mut pace) = (cx.state(sums)?, Pace::new(cx));
        let frames = x.chunks_exact(self.size).zip(y.chunks_exact_mut(self.step));
        for (i, (x, y)) in frames.enumerate() {
            pace.ahead(self.size)?;
            let sums = &sums[i / self.frames * self.size..][..self.size];
            sums.iter().zip(x).for_each(|(sum, &x)| sum.set(plus(sum.get(), x)));
            y.iter_mut().zip(sums).for_each(|(y, sum)| *y = sum.get());
            let later = sums[self.step..].iter().map(Cell::get).chain(core::iter::repeat(T::default()));
            sums.iter().zip(later).for_each(|(sum, later)| sum.set(later));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(x: Tensor, step: i64) -> OpTest<SignalOverlapAdd> {
        let y = Spec::of(x.ty());
        OpTest::new().flexbuffer(|o| o.int("frame_step", step)).input(x).output(y)
    }

    #[test]
    fn frames_add_up() {
        let x = |x: &[i16]| [Tensor::i16(&[2, 3], x)];
        let steps = [x(&[1, 2, 3, 10, 20, 30]), x(&[100, 200, 300, 0, 0, 0]), x(&[0; 6])];
        let test = test(steps[0][0].clone(), 1);
        let y = test.run_steps(&[&steps[0], &steps[1], &steps[2]]).unwrap();
        let y: Vec<Vec<i16>> = y.iter().map(|y| y[0].as_i16()).collect();
        assert_eq!(y, [vec![1, 12], vec![123, 230], vec![300, 0]]);
    }

    #[test]
    fn floats_by_row() {
        let x = |x: &[f32]| [Tensor::f32(&[2, 1, 2], x)];
        let steps = [x(&[1., 2., 3., 4.]), x(&[0.5, 0., 0.25, 0.])];
        let y = test(steps[0][0].clone(), 1).run_steps(&[&steps[0], &steps[1]]).unwrap();
        assert_eq!((y[0][0].shape(), y[0][0].as_f32()), (&[2, 1][..], vec![1., 3.]));
        assert_eq!(y[1][0].as_f32(), [2.5, 4.25]);
    }

    #[test]
    fn sums_saturate() {
        let x = [Tensor::i16(&[1, 2], &[30000, -30000])];
        let y = test(x[0].clone(), 2).run_steps(&[&x, &x]).unwrap();
        assert_eq!(y[1][0].as_i16(), [30000, -30000]);
        let x = [Tensor::i16(&[2, 2], &[0, 30000, 30000, 0])];
        assert_eq!(test(x[0].clone(), 1).run_steps(&[&x]).unwrap()[0][0].as_i16(), [0, 32767]);
    }
}
