//! Merges clamps at the start of an epilogue into the layer's clamp, which costs nothing while results are in
//! registers.
//!
//! ```text
//! CONV_2D [clamp to 0.., add z]            =>   CONV_2D, clamped to 0.. [add z]
//! ```
//! Two clamps equal one with the first one's bounds, clamped by the second.

use arenite_base::Clamp;

use crate::{EngineLayer, EpilogueOp, Net, Parts};

/// Rewrites the net.
pub(super) fn take_clamps<'a, X: EngineLayer<'a>>(net: &mut Net<'a, X>) {
    for node in &mut net.nodes {
        let Parts { epilogue: Some(epilogue), clamp: Some(clamp), .. } = node.layer.parts_mut() else {
            continue;
        };
        while let Some(&EpilogueOp::Clamp(Clamp { low, high })) = epilogue.first() {
            *clamp = Clamp { low: clamp.low.max(low).min(high), high: clamp.high.max(low).min(high) };
            epilogue.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use arenite_base::{PoolKind, Unary};

    use super::*;
    use crate::layer::Pool2d;
    use crate::{Common, Layer, Node, Window};

    enum NoLayer {}

    impl<'a> EngineLayer<'a> for NoLayer {
        fn parts_mut(&mut self) -> Parts<'_, 'a> {
            match *self {}
        }
    }

    #[test]
    fn leading_clamps_are_merged() {
        let clamp = |low, high| Clamp { low, high };
        let of = |range: Clamp| EpilogueOp::Clamp(range);
        for (own, behind, want) in [
            (Clamp::FINITE, clamp(0.0, f32::INFINITY), clamp(0.0, f32::MAX)),
            (clamp(0.0, 6.0), clamp(-1.0, 1.0), clamp(0.0, 1.0)),
            (clamp(2.0, 6.0), clamp(-1.0, 1.0), clamp(1.0, 1.0)),
        ] {
            let epilogue = vec![of(behind), EpilogueOp::Unary(Unary::Neg), of(behind)];
            let layer = Pool2d { kind: PoolKind::Max, window: Window::point(1, 1), clamp: own, epilogue };
            let node = Node::new(Layer::Common(Common::Pool2d(layer)), vec![0], vec![1]);
            let mut net = Net::<NoLayer> {
                values: Vec::new(),
                nodes: vec![node],
                constants: Vec::new(),
                inputs: vec![0],
                outputs: vec![1],
            };
            take_clamps(&mut net);
            let parts = net.nodes[0].layer.parts_mut();
            assert_eq!(parts.clamp.copied(), Some(want));
            assert_eq!(
                parts.epilogue.map(|list| &list[..]),
                Some(&[EpilogueOp::Unary(Unary::Neg), of(behind)][..])
            );
        }
    }
}
