//! Ops on the three colors of the last axis.

use core::marker::PhantomData;

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::kernel::{Call, Inputs, Kernel, expect_rank, expect_type};
use super::node_def::NodeDef;
use super::number::{put_reals, real, reals};

/// An op of this family.
pub trait Member: Send + Sync + 'static {
    /// The name of the custom op.
    const NAME: &'static str;
    /// Number of inputs; the second one is a scalar.
    const INPUTS: usize;
    /// The minimum rank of the images.
    const RANK: usize;
    /// The image types that are supported.
    const TYPES: &'static [ElementType];
    /// Computes the new color from the old one and the scalar.
    fn color(color: [f64; 3], by: f64) -> [f64; 3];
}

/// A prepared node of the family.
pub struct Color<M>(PhantomData<fn() -> M>);

impl<M: Member> Kernel for Color<M> {
    const NAME: &'static str = M::NAME;

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(M::INPUTS..=M::INPUTS, 1..=1)?;
        expect_type(&node.input(0)?, M::TYPES)?;
        Ok(Color(PhantomData))
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let dims = x.dims(0)?;
        ensure!(
            dims.rank() >= M::RANK && dims.as_slice().last() == Some(&3),
            "the image is {:?}; {} or more axes are needed, the last one of size 3",
            dims.as_slice(),
            M::RANK
        );
        if M::INPUTS > 1 {
            expect_rank(&x.get(1)?, 0)?;
        }
        Ok(Some(dims))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let x = reals(&call.input(0)?)?;
        let by = if M::INPUTS > 1 { real(&call.input(1)?)? } else { 0.0 };
        put_reals(call.output(0)?, x.as_chunks::<3>().0.iter().flat_map(|&color| M::color(color, by)))
    }
}

/// Converts red, green and blue to hue, saturation and value, each in 0..=1.
pub fn hsv([r, g, b]: [f64; 3]) -> [f64; 3] {
    let (high, low) = (r.max(g).max(b), r.min(g).min(b));
    let range = high - low;
    let saturation = if high > 0.0 { range / high } else { 0.0 };
    if range <= 0.0 {
        return [0.0, saturation, high];
    }
    let hue = if high == r {
        (g - b) / range
    } else if high == g {
        (b - r) / range + 2.0
    } else {
        (r - g) / range + 4.0
    } / 6.0;
    [if hue < 0.0 { hue + 1.0 } else { hue }, saturation, high]
}

/// Converts hue, saturation and value to red, green and blue.
pub fn rgb([hue, saturation, value]: [f64; 3]) -> [f64; 3] {
    let h = hue * 6.0;
    let part = |x: f64| ((1.0 - saturation) + saturation * x.clamp(0.0, 1.0)) * value;
    [part((h - 3.0).abs() - 1.0), part(2.0 - (h - 2.0).abs()), part(2.0 - (h - 4.0).abs())]
}
