//! STABLEHLO_RNG_BIT_GENERATOR: random bits that depend only on a state, and the next state. Output i32, u32, i64, u64;
//! state u64.
//!
//! Defined by: tflite/kernels/rng_bit_generator.cc, tflite/kernels/rng_util.cc.
//!
//! ```text
//! state as 32-bit words   [key0, key1, c0, c1]            Threefry; Philox continues the counter with the key
//!                         [key0, key1, c0, c1, c2, c3]    Philox
//! block n = cipher(key, counter + n)                      the sum carries from c0 to c1 and no further
//! ```

use arenite_abi::prelude::*;
use arenite_abi::schema::{StablehloRngBitGeneratorOptions, rng_algorithm};

use crate::kit::arguments::expect_type;
use crate::kit::philox;

plain! {
    /// A prepared `STABLEHLO_RNG_BIT_GENERATOR` node.
    pub struct StablehloRngBitGenerator(Algorithm);
}

plain! {
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Algorithm {
        Philox,
        Threefry,
    }
}

impl Op for StablehloRngBitGenerator {
    const CODE: OpCode = OpCode::Builtin(op::STABLEHLO_RNG_BIT_GENERATOR);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);
    const TYPES: ElementTypes = ElementTypes::of(&[I32, U32, I64, U64]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(1..=1, 2..=2)?;
        let (state, next, bits) = (node.input(0)?, node.output(0)?, node.output(1)?);
        let algorithm = match node.options()?.get(StablehloRngBitGeneratorOptions::ALGORITHM)? {
            rng_algorithm::DEFAULT | rng_algorithm::PHILOX => Algorithm::Philox,
            rng_algorithm::THREEFRY => Algorithm::Threefry,
            other => return Err(invalid!("its algorithm is number {other}, the schema has 0 to 2")),
        };
        expect_type(&state, &[U64])?;
        expect_type(&next, &[U64])?;
        let served = match *state.shape {
            [3] => algorithm == Algorithm::Philox,
            [count] => count == 2,
            _ => false,
        };
        ensure!(
            served,
            "state {state} is {:?}; {algorithm:?} takes {}",
            state.shape,
            match algorithm {
                Algorithm::Philox => "[2] or [3]",
                Algorithm::Threefry => "[2]",
            }
        );
        ensure!(
            next.shape == state.shape,
            "state {state} is {:?}, the output {next} {:?}; they must agree",
            state.shape,
            next.shape
        );
        cx.set_output_shape(0, state.shape)?;
        cx.set_output_shape(1, bits.shape)?;
        Ok(StablehloRngBitGenerator(algorithm))
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let state = cx.input_slice::<u64>(0)?;
        let &[key, low, ..] = state else { return Err(invalid!("the state has {} numbers", state.len())) };
        let high = state.get(2).copied().unwrap_or(key);
        let bits = cx.output(1)?.into_bytes();
        // `counter + n` has 64 bits: the carry from c1 is lost.
        let blocks = match self.0 {
            Algorithm::Philox => fill(bits, |n| {
                let [c0, c1] = halves(low.wrapping_add(n));
                let [c2, c3] = halves(high);
                philox::block(halves(key), [c0, c1, c2, c3])
            }),
            Algorithm::Threefry => fill(bits, |n| threefry(halves(key), halves(low.wrapping_add(n)))),
        };
        let next = cx.output_slice::<u64>(0)?;
        next.copy_from_slice(state);
        next[1] = low.wrapping_add(blocks);
        Ok(())
    }
}

/// Fills `bytes` with the words of `block(0)`, `block(1)`, …, and returns the number of blocks.
fn fill<const N: usize>(bytes: &mut [u8], block: impl Fn(u64) -> [u32; N]) -> u64 {
    let mut blocks = 0;
    for bytes in bytes.chunks_mut(4 * N) {
        let words = block(blocks);
        bytes.chunks_exact_mut(4).zip(words).for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()));
        blocks += 1;
    }
    blocks
}

fn halves(x: u64) -> [u32; 2] {
    [x as u32, (x >> 32) as u32]
}

/// Threefry2x32 with 20 rounds (Salmon et al., 2011).
fn threefry([k0, k1]: [u32; 2], [c0, c1]: [u32; 2]) -> [u32; 2] {
    const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let keys = [k0, k1, k0 ^ k1 ^ 0x1bd1_1bda];
    let (mut a, mut b) = (c0.wrapping_add(k0), c1.wrapping_add(k1));
    for group in 0..5u32 {
        for rotation in ROTATIONS[group as usize % 2] {
            a = a.wrapping_add(b);
            b = b.rotate_left(rotation) ^ a;
        }
        let key = |i: u32| keys[(group + i) as usize % 3];
        a = a.wrapping_add(key(1));
        b = b.wrapping_add(key(2)).wrapping_add(group + 1);
    }
    [a, b]
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(algorithm: i8, state: &[u64], bits: Spec) -> Result<Vec<Tensor>> {
        let shape = [state.len() as i32];
        let test = OpTest::<StablehloRngBitGenerator>::new()
            .options(|o| o.set(StablehloRngBitGeneratorOptions::ALGORITHM, algorithm));
        test.input(Tensor::u64(&shape, state)).output(Spec::of(U64).shape(&shape)).output(bits).run()
    }

    #[test]
    fn known_answers() {
        // From the authors' table of known answers (Random123, kat_vectors).
        assert_eq!(threefry([0; 2], [0; 2]), [0x6b20_0159, 0x99ba_4efe]);
        assert_eq!(threefry([u32::MAX; 2], [u32::MAX; 2]), [0x1cb9_96fc, 0xbb00_2be7]);
        let (key, counter) = ([0x1319_8a2e, 0x0370_7344], [0x243f_6a88, 0x85a3_08d3]);
        assert_eq!(threefry(key, counter), [0xc492_3a9c, 0x483d_f7a0]);
        let y = run(1, &[0, 0, 0], Spec::of(U32).shape(&[4])).unwrap();
        assert_eq!(y[1].as_u32(), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    }

    #[test]
    fn states_go_on() {
        let y = run(2, &[5, u64::from(u32::MAX)], Spec::i32().shape(&[3])).unwrap();
        assert_eq!(y[0].as_u64(), [5, (1 << 32) + 1]);
        let words = [threefry([5, 0], [u32::MAX, 0]), threefry([5, 0], [0, 1])].concat();
        assert_eq!(y[1].as_i32(), words[..3].iter().map(|&w| w as i32).collect::<Vec<_>>());
        let y = run(0, &[5 << 32 | 6, 7], Spec::of(U64).shape(&[1, 3])).unwrap();
        assert_eq!(y[0].as_u64(), [5 << 32 | 6, 9]);
        let last = philox::block([6, 5], [8, 0, 6, 5]);
        assert_eq!(y[1].as_u64()[2], u64::from(last[1]) << 32 | u64::from(last[0]));
        assert_eq!(run(0, &[1, 2, 3], Spec::i64().shape(&[0])).unwrap()[0].as_u64(), [1, 2, 3]);
    }
}
