//! Quantization with a scale that depends on the position along one axis.

use arenite_abi::prelude::*;

use super::indexing::Dims;
use super::node;
use super::requantize::Quant;

plain! {
    /// Maps each element of a tensor to its channel.
    #[derive(Clone, Copy)]
    pub struct ChannelQuant {
        count: usize,
        /// The number of elements between neighbors along the axis.
        inner: usize,
    }
}

impl ChannelQuant {
    /// Checks the quantization of `x` against `shape`, the tensor's actual shape. A per-tensor quantization has a
    /// single channel.
    ///
    /// # Errors
    /// `x` is not quantized, has blockwise scales, or the number of scales or zero points does not match the axis.
    pub fn new(x: &TensorView<'_>, shape: &[i32]) -> Result<Self> {
        let q = x.quantization().ok_or_else(|| invalid!("{x} is {} without quantization", x.ty))?;
        let dims =
            Dims::new(shape).ok_or_else(|| invalid!("{x} is {shape:?}; at most 8 axes are supported"))?;
        if q.block_size != 0 {
            return Err(unsupported!(
                "{x} has blockwise scales; only per-tensor and per-channel scales are supported"
            ));
        }
        if !q.is_per_channel() {
            node::quant(x)?;
            return Ok(ChannelQuant { count: 1, inner: 1 });
        }
        ensure!(
            q.dimension < dims.rank() && dims.size(q.dimension) == q.scales.len(),
            "{x} {shape:?} has {} scales along dimension {}; the numbers must agree",
            q.scales.len(),
            q.dimension
        );
        ensure!(
            q.zero_points.len() == 1 || q.zero_points.len() == q.scales.len(),
            "{x} has {} scales and {} zero points; there must be one zero point, or as many as scales",
            q.scales.len(),
            q.zero_points.len()
        );
        let (_, count, inner) = dims.split_at(q.dimension);
        Ok(ChannelQuant { count, inner })
    }

    /// The scale and the zero point of element `i`. `q` must be the quantization that was checked.
    #[inline]
    pub fn quant(&self, q: &Quantization<'_>, i: usize) -> Quant {
        let channel = i / self.inner.max(1) % self.count.max(1);
        let zero_point = q.zero_points.get(channel).or(q.zero_points.first());
        Quant {
            scale: q.scales.get(channel).copied().unwrap_or(0.0),
            zero_point: zero_point.map_or(0, |&z| z as i32),
        }
    }
}
