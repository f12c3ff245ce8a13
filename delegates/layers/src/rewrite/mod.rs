//! Passes that rewrite a net.
//!
//! | order | pass | reason for the position |
//! |---|---|---|
//! | 0 | `grids` | adds the rounding of quantized results, before layers are fused |
//! | 1 | `pads` | changes windows, which the engine's passes read |
//! | 2 | the engine's | passes that read windows, or insert nodes before them |
//! | 3 | `normalize` | reads chains of functions, which `fuse` would append to other layers |
//! | 4 | `fuse` | appends the remaining functions to the layers that they read |
//! | 5 | `clamps` | merges clamps that `fuse` appended to layers |
//! | 6 | `views` | changes layouts of results, which operands of epilogues share, so it follows `fuse` |
//!
//! An engine's passes on quantized layers, or on nodes that run together, follow: see its `rewrite`.

mod clamps;
mod fuse;
mod grids;
mod normalize;
mod pads;
mod views;

use crate::{EngineLayer, Limits, Net};

/// Applies all passes; `windows` runs the engine's passes of position 2.
pub fn rewrite<'a, X: EngineLayer<'a>>(
    net: &mut Net<'a, X>,
    limits: &Limits,
    windows: impl FnOnce(&mut Net<'a, X>),
) {
    grids::round(net);
    pads::take_pads(net);
    windows(net);
    normalize::normalize(net);
    fuse::fuse(net, limits);
    clamps::take_clamps(net);
    views::view(net);
}
