//! Passes: each rewrites a whole net.
//!
//! | order | pass | why there |
//! |---|---|---|
//! | 0 | `grids` | results that have a grid are rounded to it, whatever becomes of their layers; it does nothing to nets without reals |
//! | 1 | `pads` | it changes windows, which the engine's own passes look at |
//! | 2 | the engine's | those that look at windows, or put nodes in front of them |
//! | 3 | `normalize` | it reads chains of functions, which `fuse` would give away to other layers |
//! | 4 | `fuse` | what is left of functions goes to the layers whose results they read |
//! | 5 | `clamps` | it looks for clamps that `fuse` gave to layers |
//! | 6 | `views` | an epilogue with operands lies as its results do, so products must have theirs before their output moves |
//!
//! What an engine does with bytes, or with nodes that run together, comes behind all of these: see its own `rewrite`.

mod clamps;
mod fuse;
mod grids;
mod normalize;
mod pads;
mod views;

pub use normalize::LayerNorm;

use crate::{Limits, Net, Own};

/// Applies all passes; `windows` are the engine's own of the second place.
pub fn rewrite<'a, X: Own<'a>>(net: &mut Net<'a, X>, limits: &Limits, windows: impl FnOnce(&mut Net<'a, X>)) {
    grids::round(net);
    pads::take_pads(net);
    windows(net);
    normalize::normalize(net);
    fuse::fuse(net, limits);
    clamps::take_clamps(net);
    views::view(net);
}
