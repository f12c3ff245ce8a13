//! AVERAGE_POOL_2D, MAX_POOL_2D.

use arenite_abi::prelude::*;
use arenite_abi::schema::Pool2DOptions;
use arenite_base::PoolKind;

use super::activation::clamp_of;
use super::source::{Source, expect_elements};
use crate::layer::{Common, Pool2d, Window};
use crate::net::Node;

/// The sizes of a pool, whatever the types.
pub struct Geometry {
    /// The window over the input.
    pub window: Window,
    /// One of [`activation`](arenite_abi::schema::activation).
    pub activation: i8,
}

impl Geometry {
    /// Reads the options of a node and checks its shapes.
    ///
    /// # Errors
    /// The options are malformed or not supported, or the shapes do not fit them.
    pub fn read(x: &Source<'_, '_>) -> Result<Geometry> {
        let ((_, image), (_, result)) = (x.input(0)?, x.output(0)?);
        expect_elements(image)?;
        expect_elements(result)?;
        let options = x.node.options()?;
        let taps = [options.get(Pool2DOptions::FILTER_HEIGHT)?, options.get(Pool2DOptions::FILTER_WIDTH)?];
        let taps = taps.map(|taps| usize::try_from(taps).unwrap_or(0));
        let window = Window::read(&options, &image.shape, taps)?;
        window.expect_taps(x.limits.pool_taps)?;
        window.expect_output(&result.shape, window.channels)?;
        Ok(Geometry { window, activation: options.get(Pool2DOptions::FUSED_ACTIVATION_FUNCTION)? })
    }
}

/// Lowers a pool.
pub(super) fn lower<'a>(x: &Source<'_, 'a>, kind: PoolKind) -> Result<Node<Common<'a>>> {
    x.expect_f32(1)?;
    let Geometry { window, activation } = Geometry::read(x)?;
    let layer = Pool2d { kind, window, clamp: clamp_of(activation)?, epilogue: Vec::new() };
    Ok(Node::new(Common::Pool2d(layer), vec![x.input(0)?.0], vec![x.output(0)?.0]))
}
