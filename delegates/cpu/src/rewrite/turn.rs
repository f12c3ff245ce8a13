//! Turns images that are one pixel wide into one row of pixels, and their windows with them: kernels work along rows.
//!
//! ```text
//! [30, 1, 40] by 3 × 1      =>   [1, 30, 40] by 1 × 3          the elements stay where they are
//! ```

use arenite_layers::Window;

use crate::net::{Layer, Net};
use crate::reach::planes_u8;

/// The most bytes whose sum is a weight.
const TERMS: usize = 3;

/// Rewrites the net.
pub(super) fn turn(net: &mut Net<'_>) {
    for node in &mut net.nodes {
        let reads_planes = matches!(&node.layer, Layer::Engine(layer) if layer.reads_planes());
        let fits = |turned: &Window| !reads_planes || planes_u8::takes(turned, TERMS);
        let Some(window) = node.layer.parts_mut().window else { continue };
        if let Some(turned) = window.turned().filter(fits) {
            *window = turned;
        }
    }
}
