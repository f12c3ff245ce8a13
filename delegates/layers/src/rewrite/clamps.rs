//! Gives a layer's own clamp those that follow it, which costs nothing where results are still in registers.
//!
//! ```text
//! CONV_2D [clamp to 0.., add z]            =>   CONV_2D, clamped to 0.. [add z]
//! ```
//! What is clamped twice lies between the bounds of the first clamp as the second one leaves them.

use crate::{Clamp, EpilogueOp, Net, Own, Parts};

/// Rewrites the net.
pub(super) fn take_clamps<'a, X: Own<'a>>(net: &mut Net<'a, X>) {
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
    use arenite_abi::prelude::*;

    use super::*;
    use crate::ops::{Pool2d, pool_2d::Kind};
    use crate::{Common, Layer, Node, Source, Unary, Window};

    enum NoLayer {}

    impl<'a> Own<'a> for NoLayer {
        fn lower(_: &Source<'_, 'a>) -> Option<Result<Node<Self>>> {
            None
        }

        fn parts_mut(&mut self) -> Parts<'_, 'a> {
            match *self {}
        }
    }

    #[test]
    fn clamps_in_front_of_all_else_become_the_layers() {
        let clamp = |low, high| Clamp { low, high };
        let of = |range: Clamp| EpilogueOp::Clamp(range);
        for (own, behind, want) in [
            (Clamp::FINITE, clamp(0.0, f32::INFINITY), clamp(0.0, f32::MAX)),
            (clamp(0.0, 6.0), clamp(-1.0, 1.0), clamp(0.0, 1.0)),
            (clamp(2.0, 6.0), clamp(-1.0, 1.0), clamp(1.0, 1.0)),
        ] {
            let epilogue = vec![of(behind), EpilogueOp::Unary(Unary::Neg), of(behind)];
            let layer = Pool2d { kind: Kind::Max, window: Window::point(1, 1), clamp: own, epilogue };
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
