//! The delegate's own passes, and the order of all: each rewrites a whole net.
//!
//! | order | pass | why there |
//! |---|---|---|
//! | 1 | `scan` | first of all, and the rest on each body: what it takes out of loops is rewritten with the net around |
//! | 2 | those of [`arenite_layers::rewrite`] | with `borders` among them: behind `pads`, which widens windows, so that a border is copied once |
//! | 3 | `unsign` | behind all that look at types as the model has them, in front of all that count on unsigned bytes |
//! | 4 | `straighten` | it makes lines and tables of sums and products with constants that are unsigned |
//! | 5 | `fuse_bytes` | it joins tables, those of `straighten` too |
//! | 6 | `cascade` | last, not in loops: it joins whole nodes, which no other pass looks into |

mod borders;
mod cascade;
mod fuse_bytes;
mod scan;
mod straighten;
mod unsign;

use arenite_abi::prelude::*;

use crate::net::{LIMITS, Net};
use crate::ops::Build;
use unsign::Borders;

/// Applies all passes.
pub fn rewrite(net: &mut Net<'_>, build: &Build) -> Result<()> {
    scan::scan(net, |net| rewrite_one(net, build, Borders::Unsigned))?;
    rewrite_one(net, build, Borders::Signed)?;
    cascade::cascade(net, build);
    Ok(())
}

/// What is done to any net, those inside of loops too.
fn rewrite_one(net: &mut Net<'_>, build: &Build, borders: Borders) -> Result<()> {
    arenite_layers::rewrite::rewrite(net, &LIMITS, borders::add_borders);
    unsign::unsign(net, borders)?;
    straighten::straighten(net, build.bytes.pairs)?;
    fuse_bytes::fuse_bytes(net)
}
