//! Philox4x32: random numbers as a function of a key and a counter.
//!
//! Defined by: J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011); tflite/kernels/rng_util.cc.
//!
//! ```text
//! (hi0, lo0) = A × c0      (hi1, lo1) = B × c2          ten rounds, the key raised after each
//! c = (hi1 ^ c1 ^ k0, lo1, hi0 ^ c3 ^ k1, lo0)
//! ```

const A: u64 = 0xd251_1f53;
const B: u64 = 0xcd9e_8d57;
const RAISE: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];

/// The four random numbers for `key` and `counter`.
pub fn block(mut key: [u32; 2], mut counter: [u32; 4]) -> [u32; 4] {
    for _ in 0..10 {
        let [c0, c1, c2, c3] = counter;
        let (p0, p1) = (A * u64::from(c0), B * u64::from(c2));
        counter = [(p1 >> 32) as u32 ^ c1 ^ key[0], p1 as u32, (p0 >> 32) as u32 ^ c3 ^ key[1], p0 as u32];
        key = [key[0].wrapping_add(RAISE[0]), key[1].wrapping_add(RAISE[1])];
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::block;

    #[test]
    fn known_answers() {
        // From the authors' table of known answers (Random123, kat_vectors).
        for (counter, key, want) in [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ] {
            assert_eq!(block(key, counter), want);
        }
    }
}
