//! CTCGreedyDecoder: the most probable symbol of each step, without blanks, as a sparse tensor. F32, F64. Inputs:
//! logits `[time, batch, classes]`, lengths `[batch]`. Outputs: indices, values, shape, negated sums of the logits.
//! Defined by: tensorflow/core/kernels/ctc_decoder_ops.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, integers, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{put_reals, reals};

/// The `FlexCTCGreedyDecoder` op.
pub type CtcGreedyDecoder = Node<Definition>;

/// Attributes, shape function and kernel of `FlexCTCGreedyDecoder`.
pub struct Definition {
    merge_repeated: bool,
    blank: i64,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexCTCGreedyDecoder";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 4..=4)?;
        Ok(Definition {
            merge_repeated: def.bool("merge_repeated", false)?,
            blank: def.int("blank_index", -1)?,
        })
    }

    fn shape(&self, x: &Inputs<'_, '_>, output: usize) -> Result<Option<Dims>> {
        let dims = x.dims(0)?;
        ensure!(
            dims.rank() == 3 && x.dims(1)?.as_slice() == [dims.size(1) as i32],
            "logits are {:?} and lengths {:?}; [time, batch, classes] and [batch] are needed",
            dims.as_slice(),
            x.dims(1)?.as_slice()
        );
        ensure!(dims.flat_size() > 0, "logits are {:?}; they must not be empty", dims.as_slice());
        match output {
            2 => shape_of([2]).map(Some),
            3 => shape_of([dims.size(1) as i64, 1]).map(Some),
            _ => Ok(None),
        }
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        let (time, batch, classes) = (dims.size(0), dims.size(1), dims.size(2));
        let blank = if self.blank < 0 { self.blank + classes as i64 } else { self.blank };
        ensure!(
            (0..classes as i64).contains(&blank),
            "blank_index {} is not one of {classes} classes",
            self.blank
        );
        let (logits, lengths) = (reals(&call.input(0)?)?, integers(&call.input(1)?)?);
        let (mut indices, mut values, mut longest, mut sums) = (Vec::new(), Vec::new(), 0, vec![0.0; batch]);
        for (b, &length) in lengths.iter().enumerate() {
            ensure!(length <= time as i64, "length {b} is {length}; it must be at most {time}");
            let (mut previous, mut count) = (-1, 0);
            for t in 0..length.max(0) as usize {
                let row = &logits[(t * batch + b) * classes..][..classes];
                let best = (1..classes).fold(0, |best, c| if row[c] > row[best] { c } else { best });
                sums[b] -= row[best];
                let best = best as i64;
                if best != blank && !(self.merge_repeated && best == previous) {
                    indices.extend([b as i64, count]);
                    values.push(best);
                    count += 1;
                }
                previous = best;
            }
            longest = longest.max(count);
        }
        let count = values.len() as i32;
        call.resized::<i64>(0, &[count, 2])?.copy_from_slice(&indices);
        call.resized::<i64>(1, &[count])?.copy_from_slice(&values);
        call.output_slice::<i64>(2)?.copy_from_slice(&[batch as i64, longest]);
        put_reals(call.output(3)?, sums)
    }
}
