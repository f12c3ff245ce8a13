//! Quantization whose scale depends on the position along one dimension.

use arenite_abi::prelude::*;

use super::indexing::Dims;
use super::node;
use super::requantize::Quant;

/// Which channel each element of a tensor belongs to.
#[derive(Clone, Copy)]
pub struct ChannelQuant {
    count: usize,
    /// Elements between neighbours along the dimension.
    inner: usize,
}

impl ChannelQuant {
    /// Checks the quantization of `x` against `shape`, the tensor's true shape. One channel if it is per-tensor.
    pub fn new(x: &TensorView<'_>, shape: &[i32]) -> Result<Self> {
        let q = x.quantization().ok_or_else(|| invalid!("'{}' is {} without quantization", x.name, x.ty))?;
        let dims = Dims::new(shape)
            .ok_or_else(|| invalid!("'{}' is {shape:?}; at most 8 axes are served", x.name))?;
        if q.block_size != 0 {
            return Err(unsupported!(
                "'{}' has blockwise scales; per-tensor and per-channel ones are served",
                x.name
            ));
        }
        if !q.is_per_channel() {
            node::quant(x)?;
            return Ok(ChannelQuant { count: 1, inner: 1 });
        }
        ensure!(
            q.dimension < dims.rank() && dims.size(q.dimension) == q.scales.len(),
            "'{}' {shape:?} has {} scales along dimension {}; the numbers must agree",
            x.name,
            q.scales.len(),
            q.dimension
        );
        ensure!(
            q.zero_points.len() == 1 || q.zero_points.len() == q.scales.len(),
            "'{}' has {} scales and {} zero points; there must be as many, or one",
            x.name,
            q.scales.len(),
            q.zero_points.len()
        );
        let (_, count, inner) = dims.split_at(q.dimension);
        Ok(ChannelQuant { count, inner })
    }

    /// Scale and zero point of element `i`. `q` is the quantization that was checked.
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
