//! Rounding to the values of a quantized type.
//!
//! ```text
//! scale = (max − min) / (high − low)      zero = round(low − min / scale), within low..=high
//! y = (⌊(clamp(x) − min') / scale − zero' + ½⌋) × scale      min' = (low − zero) × scale, zero' = ⌊−min' / scale + ½⌋
//! ```
//! Defined by: tensorflow/core/kernels/fake_quant_ops_functor.h.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::kernel::{Call, Inputs, Program, expect_type};
use super::node_def::NodeDef;

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// Whether each element of the last axis has its own limits.
    pub per_channel: bool,
}

/// A prepared node of the family.
pub struct FakeQuant {
    low: f32,
    high: f32,
}

impl Program for FakeQuant {
    type Member = Member;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let x = node.input(0)?;
        for i in 0..3 {
            expect_type(&node.input(i)?, &[F32])?;
        }
        let bits = def.int("num_bits", 8)?;
        ensure!((2..=16).contains(&bits), "attribute 'num_bits' is {bits}; 2 to 16 are supported");
        let limits = match of.per_channel {
            true => x.shape.get(x.rank().saturating_sub(1)..).unwrap_or(&[]),
            false => &[],
        };
        ensure!(!of.per_channel || x.rank() > 0, "{x} is a scalar; channels are needed");
        for limit in [node.input(1)?, node.input(2)?] {
            ensure!(limit.shape == limits, "{limit} is {:?}; {limits:?} is needed", limit.shape);
        }
        let low = if def.bool("narrow_range", false)? { 1.0 } else { 0.0 };
        Ok(FakeQuant { low, high: ((1 << bits) - 1) as f32 })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (min, max) = (call.slice::<f32>(1)?, call.slice::<f32>(2)?);
        let steps =
            min.iter().zip(max).map(|(&min, &max)| self.steps(min, max)).collect::<Result<Vec<_>>>()?;
        let elements = call.output_slice::<f32>(0)?.iter_mut().zip(call.slice::<f32>(0)?);
        for ((y, &x), steps) in elements.zip(steps.iter().cycle()) {
            *y = steps.as_ref().map_or(0.0, |steps| steps.round(x));
        }
        Ok(())
    }
}

/// The values between two limits: `scale` times an integer.
struct Steps {
    min: f32,
    max: f32,
    scale: f32,
    inverse: f32,
    zero: f32,
}

impl FakeQuant {
    /// `None` if both limits are 0.
    fn steps(&self, min: f32, max: f32) -> Result<Option<Steps>> {
        if min == 0.0 && max == 0.0 {
            return Ok(None);
        }
        ensure!(min <= max, "the minimum {min} is above the maximum {max}");
        let scale = (max - min) / (self.high - self.low);
        let zero = (self.low - min / scale).clamp(self.low, self.high).round();
        let (min, max) = ((self.low - zero) * scale, (self.high - zero) * scale);
        let inverse = 1.0 / scale;
        Ok(Some(Steps { min, max, scale, inverse, zero: (-min * inverse + 0.5).floor() }))
    }
}

impl Steps {
    fn round(&self, x: f32) -> f32 {
        let shifted = x.min(self.max).max(self.min) - self.min;
        (shifted * self.inverse - self.zero + 0.5).floor() * self.scale
    }
}
