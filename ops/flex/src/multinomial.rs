//! Multinomial: draws classes by their unnormalized log probabilities. Reals to I32, I64. Inputs: logits `[batch,
//! classes]`, count.
//! Defined by: tensorflow/core/kernels/multinomial_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, expect_rank, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{put_integers, reals};
use crate::kit::random::{Source, blocks, double_unit};

/// The `FlexMultinomial` op.
pub type Multinomial = Node<Definition>;

/// Attributes, shape function and kernel of `FlexMultinomial`.
pub struct Definition {
    source: Source,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexMultinomial";
    const STATEFUL: bool = true;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition { source: Source::of(def)? })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        expect_rank(&x.get(1)?, 0)?;
        let (dims, Some(count)) = (x.dims(0)?, x.integer(1)?) else { return Ok(None) };
        ensure!(
            dims.rank() == 2 && dims.size(1) > 0,
            "logits are {:?}; [batch, classes] is needed",
            dims.as_slice()
        );
        shape_of([dims.size(0) as i64, count]).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (dims, output) = (call.dims(0)?, call.output_dims(0)?);
        let (classes, samples) = (dims.size(1), output.size(1));
        let logits = reals(&call.input(0)?)?;
        let each = samples.next_multiple_of(4);
        let mut generator = self.source.reserve(blocks(dims.size(0).saturating_mul(each)));
        let mut waiting: Vec<f64> = Vec::new();
        let mut values = Vec::with_capacity(output.flat_size());
        for logits in logits.chunks_exact(classes) {
            let largest = logits.iter().copied().filter(|x| x.is_finite()).fold(f64::NEG_INFINITY, f64::max);
            let mut sum = 0.0;
            let sums: Vec<f64> = logits
                .iter()
                .map(|&x| {
                    sum += if x.is_finite() { libm::exp(x - largest) } else { 0.0 };
                    sum
                })
                .collect();
            for _ in 0..samples {
                if waiting.is_empty() {
                    let [a, b, c, d] = generator.block();
                    waiting.extend([double_unit(c, d), double_unit(a, b)]);
                }
                let to = waiting.pop().unwrap_or_default() * sum;
                values.push(sums.partition_point(|&s| s <= to).min(classes - 1) as i64);
            }
        }
        put_integers(call.output(0)?, values)
    }
}
