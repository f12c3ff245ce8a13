//! Random numbers from a seed, or from the key and the counter of Philox, which are inputs.
//!
//! ```text
//! (a, b, c, d) = Philox(key = a constant, counter = both seeds)
//! numbers      = Philox(key = (a, b), counter = (0, 0, c, d)), then the next counters
//! ```
//! Defined by: tensorflow/core/kernels/stateless_random_ops.cc, stateless_random_ops_v2.cc;
//! tensorflow/core/framework/rng_alg.h.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::kernel::{Call, Inputs, Program, expect_rank, expect_type, integers};
use super::node_def::NodeDef;
use super::number::put_reals;
use super::random::{Distribution, Philox, draw};

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// The distribution that is sampled.
    pub draws: Distribution,
    /// Whether the inputs are key, counter and algorithm instead of seeds.
    pub key: bool,
}

/// A prepared node of the family.
pub struct Stateless(&'static Member);

/// The key that scrambles seeds.
const KEY: u64 = 0x0246_1e29_3ec8_f720;

/// The numbers of the algorithms Philox and "choose one", which is Philox on a CPU.
const PHILOX: i64 = 1;
const AUTO: i64 = 3;

impl Program for Stateless {
    type Member = Member;

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        let count = if of.key { 4 } else { 2 };
        node.expect(count..=count, 1..=1)?;
        expect_rank(&node.input(0)?, 1)?;
        let lengths: &[i32] = if of.key { &[1, 2] } else { &[2] };
        for (x, &length) in (1..).map(|i| node.input(i)).zip(lengths) {
            let x = x?;
            expect_type(&x, if of.key { &[U64] } else { &[I32, I64, U32, U64] })?;
            ensure!(x.shape == [length], "{x} is {:?}; [{length}] is needed", x.shape);
        }
        Ok(Stateless(of))
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.sizes(0)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let y = call.output(0)?;
        let (count, ty) = (y.spec().len(), y.ty());
        put_reals(y, draw(self.generator(call)?, count, self.0.draws, ty)?)
    }
}

impl Stateless {
    fn generator(&self, call: &Call<'_, '_>) -> Result<Philox> {
        if self.0.key {
            let algorithm = integers(&call.input(3)?)?;
            ensure!(
                matches!(algorithm[..], [PHILOX | AUTO]),
                "the algorithm is {algorithm:?}; only Philox ([1]) is supported"
            );
            let (key, counter) = (call.slice::<u64>(1)?, call.slice::<u64>(2)?);
            return Ok(Philox::of_key(key[0], [counter[0], counter[1]]));
        }
        let seeds = call.input(1)?;
        let seeds = match seeds.ty {
            U64 => seeds.as_slice::<u64>()?.to_vec(),
            _ => integers(&seeds)?.iter().map(|&seed| seed as u64).collect(),
        };
        let [a, b, c, d] = Philox::of_key(KEY, [seeds[0], seeds[1]]).block().map(u64::from);
        Ok(Philox::of_key(b << 32 | a, [0, d << 32 | c]))
    }
}
