//! RFFT2D: `f32`, of constant lengths.

use arenite_abi::prelude::*;
use arenite_layers::lower::expect_elements;
use arenite_layers::{Node, Source};

use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::{Step, StepValues};
use crate::steps::rfft::{RfftF32, RfftSizes};

/// The longest row or column; the tables of roots have 48 bytes per complex number of a row.
const LONGEST: i64 = 1 << 16;

/// A transform.
pub(crate) struct Rfft(RfftSizes);

/// Lowers the node if it is a transform; `None` leaves it to others.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Option<Result<Node<Rfft>>> {
    (x.node.builtin_code() == op::RFFT2D).then(|| transform(x))
}

fn transform(x: &Source<'_, '_>) -> Result<Node<Rfft>> {
    let ((input, from), (output, to)) = (x.input(0)?, x.output(0)?);
    expect_elements(from)?;
    expect_elements(to)?;
    if (from.ty, to.ty) != (F32, C64) {
        return Err(unsupported!(
            "{from} is {} and {to} is {}; only FLOAT32 to COMPLEX64 is supported",
            from.ty,
            to.ty
        ));
    }
    let &[height, width] = &x.integers(1)?[..] else {
        return Err(invalid!("the transform needs two lengths"));
    };
    let is_power = |n: i64| (1..=LONGEST).contains(&n) && n.count_ones() == 1;
    if !is_power(height) || !is_power(width) || width < 2 {
        return Err(unsupported!(
            "lengths [{height}, {width}] are not supported; they must be powers of two up to {LONGEST}, the last one \
             at least 2"
        ));
    }
    let (height, width) = (height as usize, width as usize);
    let [outer @ .., rows, columns] = &from.shape[..] else {
        return Err(invalid!("{from} is {:?}; it needs two dimensions", from.shape));
    };
    let expected = [outer, &[height, width / 2 + 1]].concat();
    ensure!(to.shape == expected, "{to} is {:?}; the transform of {from} is {expected:?}", to.shape);
    let sizes =
        RfftSizes { slices: outer.iter().product(), input: [*rows, *columns], lengths: [height, width] };
    Ok(Node::new(Rfft(sizes), vec![input], vec![output]))
}

impl LayerStep for Rfft {
    fn build(&self, node: &NodeValues<'_>, _: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        let values = StepValues { input: node.inputs[0], output: node.outputs[0] };
        build.store.allowance.keep(RfftF32::table_bytes(&self.0), "roots of unity")?;
        Ok(Box::new(RfftF32::new(build.f64_fft, self.0, build.threads, values)))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
