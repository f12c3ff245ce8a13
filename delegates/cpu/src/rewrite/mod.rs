//! The delegate's own passes and the order of all passes. Each rewrites a whole net.
//!
//! | order | pass | reason |
//! |---|---|---|
//! | 1 | `scan` | first, and the other passes run on each body too: nodes that it moves out of loops are rewritten with the outer net |
//! | 2 | [`arenite_layers::rewrite`] | `attention` sees products before functions are fused with them; `turn` and `borders` follow `pads`, which widens windows, so that a border is copied once |
//! | 3 | `unsign` | after all passes that see types as in the model, before all that need unsigned bytes |
//! | 4 | `straighten` | makes lines and tables of sums and products with unsigned constants |
//! | 5 | `fuse_bytes` | joins tables, including the tables that `straighten` makes |
//! | 6 | `absorb` | after `fuse_bytes`: a table with other bytes is no longer joined |
//! | 7 | `cascade` | not in loops: it joins whole nodes, which no other pass looks into |
//! | 8 | `spread` | after `borders`, and after all passes that look at layers with one result |
//! | 9 | `join` | not in loops, and after all passes that look for copies |

mod absorb;
mod attention;
mod borders;
mod cascade;
mod fuse_bytes;
pub(crate) mod join;
mod scan;
mod spread;
mod straighten;
mod turn;
mod unsign;

use arenite_abi::prelude::*;

use crate::net::{LIMITS, Net};
use crate::ops::build::Build;
use unsign::Borders;

/// Applies all passes.
pub(crate) fn rewrite(net: &mut Net<'_>, build: &Build) -> Result<()> {
    scan::scan(net, |net| rewrite_one(net, build, Borders::Unsigned))?;
    rewrite_one(net, build, Borders::Signed)?;
    cascade::cascade(net, build);
    spread::spread(net, build);
    join::join(net);
    Ok(())
}

/// The passes for every net, also for bodies of loops.
fn rewrite_one(net: &mut Net<'_>, build: &Build, borders: Borders) -> Result<()> {
    arenite_layers::rewrite::rewrite(net, &LIMITS, |net| {
        attention::find(net);
        turn::turn(net);
        borders::add_borders(net);
    });
    unsign::unsign(net, borders)?;
    straighten::straighten(net, build.bytes.pairs)?;
    fuse_bytes::fuse_bytes(net)?;
    absorb::absorb(net);
    Ok(())
}
