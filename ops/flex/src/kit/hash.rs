//! Hashes of strings.

/// SipHash-2-4. Defined by: <https://www.aumasson.jp/siphash/siphash.pdf>.
pub fn sip(key: [u64; 2], text: &[u8]) -> u64 {
    let mut v = [
        key[0] ^ 0x736f_6d65_7073_6575,
        key[1] ^ 0x646f_7261_6e64_6f6d,
        key[0] ^ 0x6c79_6765_6e65_7261,
        key[1] ^ 0x7465_6462_7974_6573,
    ];
    let round = |v: &mut [u64; 4]| {
        v[0] = v[0].wrapping_add(v[1]);
        v[2] = v[2].wrapping_add(v[3]);
        v[1] = v[1].rotate_left(13) ^ v[0];
        v[3] = v[3].rotate_left(16) ^ v[2];
        v[0] = v[0].rotate_left(32).wrapping_add(v[3]);
        v[2] = v[2].wrapping_add(v[1]);
        v[1] = v[1].rotate_left(17) ^ v[2];
        v[3] = v[3].rotate_left(21) ^ v[0];
        v[2] = v[2].rotate_left(32);
    };
    let (words, rest) = text.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    last[7] = text.len() as u8;
    for word in words.iter().chain([&last]) {
        let word = u64::from_le_bytes(*word);
        v[3] ^= word;
        round(&mut v);
        round(&mut v);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    (0..4).for_each(|_| round(&mut v));
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;

fn word(text: &[u8], at: usize) -> u64 {
    text.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn half(text: &[u8], at: usize) -> u64 {
    text.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u32::from_le_bytes(*bytes).into())
}

fn shift_mix(x: u64) -> u64 {
    x ^ x >> 47
}

fn mix(u: u64, v: u64, by: u64) -> u64 {
    let a = shift_mix((u ^ v).wrapping_mul(by));
    shift_mix((v ^ a).wrapping_mul(by)).wrapping_mul(by)
}

/// FarmHash's fingerprint (`farmhashna::Hash64`). Defined by: <https://github.com/google/farmhash>.
pub fn farm(text: &[u8]) -> u64 {
    let n = text.len();
    let size = n as u64;
    let by = K2.wrapping_add(size.wrapping_mul(2));
    match n {
        0 => K2,
        1..=3 => {
            let y = u64::from(text[0]) + (u64::from(text[n >> 1]) << 8);
            let z = size + (u64::from(text[n - 1]) << 2);
            shift_mix(y.wrapping_mul(K2) ^ z.wrapping_mul(K0)).wrapping_mul(K2)
        }
        4..=7 => mix(size.wrapping_add(half(text, 0) << 3), half(text, n - 4), by),
        8..=16 => {
            let a = word(text, 0).wrapping_add(K2);
            let b = word(text, n - 8);
            let c = b.rotate_right(37).wrapping_mul(by).wrapping_add(a);
            let d = a.rotate_right(25).wrapping_add(b).wrapping_mul(by);
            mix(c, d, by)
        }
        17..=32 => {
            let a = word(text, 0).wrapping_mul(K1);
            let b = word(text, 8);
            let c = word(text, n - 8).wrapping_mul(by);
            let d = word(text, n - 16).wrapping_mul(K2);
            let u = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
            mix(u, a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c), by)
        }
        33..=64 => farm_to_64(text, by),
        _ => farm_long(text),
    }
}

fn farm_to_64(text: &[u8], by: u64) -> u64 {
    let n = text.len();
    let a = word(text, 0).wrapping_mul(K2);
    let b = word(text, 8);
    let c = word(text, n - 8).wrapping_mul(by);
    let d = word(text, n - 16).wrapping_mul(K2);
    let y = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
    let z = mix(y, a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c), by);
    let e = word(text, 16).wrapping_mul(by);
    let f = word(text, 24);
    let g = y.wrapping_add(word(text, n - 32)).wrapping_mul(by);
    let h = z.wrapping_add(word(text, n - 24)).wrapping_mul(by);
    let u = e.wrapping_add(f).rotate_right(43).wrapping_add(g.rotate_right(30)).wrapping_add(h);
    mix(u, e.wrapping_add(f.wrapping_add(a).rotate_right(18)).wrapping_add(g), by)
}

fn weak(text: &[u8], at: usize, a: u64, b: u64) -> (u64, u64) {
    let [w, x, y, z] = [0, 8, 16, 24].map(|i| word(text, at + i));
    let a = a.wrapping_add(w);
    let b = b.wrapping_add(a).wrapping_add(z).rotate_right(21);
    let c = a;
    let a = a.wrapping_add(x).wrapping_add(y);
    let b = b.wrapping_add(a.rotate_right(44));
    (a.wrapping_add(z), b.wrapping_add(c))
}

fn farm_long(text: &[u8]) -> u64 {
    const SEED: u64 = 81;
    let n = text.len();
    let mut x = SEED;
    let mut y = SEED.wrapping_mul(K1).wrapping_add(113);
    let mut z = shift_mix(y.wrapping_mul(K2).wrapping_add(113)).wrapping_mul(K2);
    let (mut v, mut w) = ((0u64, 0u64), (0u64, 0u64));
    x = x.wrapping_mul(K2).wrapping_add(word(text, 0));
    let end = (n - 1) / 64 * 64;
    for at in (0..end).step_by(64) {
        x = x
            .wrapping_add(y)
            .wrapping_add(v.0)
            .wrapping_add(word(text, at + 8))
            .rotate_right(37)
            .wrapping_mul(K1);
        y = y.wrapping_add(v.1).wrapping_add(word(text, at + 48)).rotate_right(42).wrapping_mul(K1);
        x ^= w.1;
        y = y.wrapping_add(v.0).wrapping_add(word(text, at + 40));
        z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(K1);
        v = weak(text, at, v.1.wrapping_mul(K1), x.wrapping_add(w.0));
        w = weak(text, at + 32, z.wrapping_add(w.1), y.wrapping_add(word(text, at + 16)));
        (x, z) = (z, x);
    }
    let by = K1.wrapping_add((z & 0xff) << 1);
    let at = n - 64;
    w.0 = w.0.wrapping_add((n as u64 - 1) & 63);
    v.0 = v.0.wrapping_add(w.0);
    w.0 = w.0.wrapping_add(v.0);
    x = x
        .wrapping_add(y)
        .wrapping_add(v.0)
        .wrapping_add(word(text, at + 8))
        .rotate_right(37)
        .wrapping_mul(by);
    y = y.wrapping_add(v.1).wrapping_add(word(text, at + 48)).rotate_right(42).wrapping_mul(by);
    x ^= w.1.wrapping_mul(9);
    y = y.wrapping_add(v.0.wrapping_mul(9)).wrapping_add(word(text, at + 40));
    z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(by);
    v = weak(text, at, v.1.wrapping_mul(by), x.wrapping_add(w.0));
    w = weak(text, at + 32, z.wrapping_add(w.1), y.wrapping_add(word(text, at + 16)));
    (x, z) = (z, x);
    mix(
        mix(v.0, w.0, by).wrapping_add(shift_mix(y).wrapping_mul(K0)).wrapping_add(z),
        mix(v.1, w.1, by).wrapping_add(x),
        by,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values() {
        // The paper's example: the key is 00 … 0f, the text 00 … 0e.
        let text: Vec<u8> = (0..15).collect();
        assert_eq!(sip([0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908], &text), 0xa129_ca61_49be_45e5);
        assert_eq!((farm(b""), farm(b"hello")), (K2, 13_009_744_463_427_800_296));
    }
}
