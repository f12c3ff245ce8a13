//! A 64-bit fingerprint of bytes that is the same on all machines.
//!
//! Defined by: `Fingerprint64` of FarmHash (github.com/google/farmhash, `farmhashna::Hash64`).

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;

/// The fingerprint of `head` followed by `tail`.
pub fn fingerprint(head: [u8; 4], tail: &[u8]) -> u64 {
    let text = Text { head, tail };
    match text.len() {
        0..=16 => text.up_to_16(),
        17..=32 => text.up_to_32(),
        33..=64 => text.up_to_64(),
        _ => text.long(),
    }
}

#[derive(Clone, Copy)]
struct Text<'a> {
    head: [u8; 4],
    tail: &'a [u8],
}

impl Text<'_> {
    fn len(self) -> usize {
        self.tail.len() + self.head.len()
    }

    fn byte(self, i: usize) -> u64 {
        match i.checked_sub(self.head.len()) {
            None => self.head[i].into(),
            Some(i) => self.tail[i].into(),
        }
    }

    fn word32(self, at: usize) -> u64 {
        (0..4).map(|i| self.byte(at + i) << (8 * i)).sum()
    }

    fn word(self, at: usize) -> u64 {
        match at.checked_sub(self.head.len()).and_then(|at| self.tail.get(at..)?.first_chunk()) {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => self.word32(at) | self.word32(at + 4) << 32,
        }
    }

    /// The fingerprint of 4 to 16 bytes.
    fn up_to_16(self) -> u64 {
        let length = self.len() as u64;
        let factor = K2.wrapping_add(length.wrapping_mul(2));
        if length >= 8 {
            let a = self.word(0).wrapping_add(K2);
            let b = self.word(self.len() - 8);
            let c = b.rotate_right(37).wrapping_mul(factor).wrapping_add(a);
            let d = a.rotate_right(25).wrapping_add(b).wrapping_mul(factor);
            return hash_16(c, d, factor);
        }
        hash_16(length.wrapping_add(self.word32(0) << 3), self.word32(self.len() - 4), factor)
    }

    fn up_to_32(self) -> u64 {
        let n = self.len();
        let factor = K2.wrapping_add(2 * n as u64);
        let a = self.word(0).wrapping_mul(K1);
        let b = self.word(8);
        let c = self.word(n - 8).wrapping_mul(factor);
        let d = self.word(n - 16).wrapping_mul(K2);
        let first = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
        let second = a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c);
        hash_16(first, second, factor)
    }

    fn up_to_64(self) -> u64 {
        let n = self.len();
        let factor = K2.wrapping_add(2 * n as u64);
        let a = self.word(0).wrapping_mul(K2);
        let b = self.word(8);
        let c = self.word(n - 8).wrapping_mul(factor);
        let d = self.word(n - 16).wrapping_mul(K2);
        let y = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
        let z = hash_16(y, a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c), factor);
        let e = self.word(16).wrapping_mul(factor);
        let f = self.word(24);
        let g = y.wrapping_add(self.word(n - 32)).wrapping_mul(factor);
        let h = z.wrapping_add(self.word(n - 24)).wrapping_mul(factor);
        let first = e.wrapping_add(f).rotate_right(43).wrapping_add(g.rotate_right(30)).wrapping_add(h);
        hash_16(first, e.wrapping_add(f.wrapping_add(a).rotate_right(18)).wrapping_add(g), factor)
    }

    fn long(self) -> u64 {
        const SEED: u64 = 81;
        let n = self.len();
        let mut y = SEED.wrapping_mul(K1).wrapping_add(113);
        let mut z = shift_mix(y.wrapping_mul(K2).wrapping_add(113)).wrapping_mul(K2);
        let (mut v, mut w) = ((0u64, 0u64), (0u64, 0u64));
        let mut x = SEED.wrapping_mul(K2).wrapping_add(self.word(0));
        let end = (n - 1) / 64 * 64;
        for at in (0..end).step_by(64) {
            let sum = x.wrapping_add(y).wrapping_add(v.0).wrapping_add(self.word(at + 8));
            x = sum.rotate_right(37).wrapping_mul(K1);
            y = y.wrapping_add(v.1).wrapping_add(self.word(at + 48)).rotate_right(42).wrapping_mul(K1);
            x ^= w.1;
            y = y.wrapping_add(v.0).wrapping_add(self.word(at + 40));
            z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(K1);
            v = self.weak_32(at, v.1.wrapping_mul(K1), x.wrapping_add(w.0));
            w = self.weak_32(at + 32, z.wrapping_add(w.1), y.wrapping_add(self.word(at + 16)));
            (x, z) = (z, x);
        }
        let factor = K1.wrapping_add((z & 0xff) << 1);
        let at = n - 64;
        w.0 = w.0.wrapping_add((n as u64 - 1) & 63);
        v.0 = v.0.wrapping_add(w.0);
        w.0 = w.0.wrapping_add(v.0);
        let sum = x.wrapping_add(y).wrapping_add(v.0).wrapping_add(self.word(at + 8));
        x = sum.rotate_right(37).wrapping_mul(factor);
        y = y.wrapping_add(v.1).wrapping_add(self.word(at + 48)).rotate_right(42).wrapping_mul(factor);
        x ^= w.1.wrapping_mul(9);
        y = y.wrapping_add(v.0.wrapping_mul(9)).wrapping_add(self.word(at + 40));
        z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(factor);
        v = self.weak_32(at, v.1.wrapping_mul(factor), x.wrapping_add(w.0));
        w = self.weak_32(at + 32, z.wrapping_add(w.1), y.wrapping_add(self.word(at + 16)));
        (x, z) = (z, x);
        let first = hash_16(v.0, w.0, factor).wrapping_add(shift_mix(y).wrapping_mul(K0)).wrapping_add(z);
        hash_16(first, hash_16(v.1, w.1, factor).wrapping_add(x), factor)
    }

    /// A fast, weak hash of 32 bytes and two seeds.
    fn weak_32(self, at: usize, a: u64, b: u64) -> (u64, u64) {
        let [w, x, y, z] = [0, 8, 16, 24].map(|i| self.word(at + i));
        let a = a.wrapping_add(w);
        let b = b.wrapping_add(a).wrapping_add(z).rotate_right(21);
        let c = a;
        let a = a.wrapping_add(x).wrapping_add(y);
        let b = b.wrapping_add(a.rotate_right(44));
        (a.wrapping_add(z), b.wrapping_add(c))
    }
}

fn shift_mix(x: u64) -> u64 {
    x ^ x >> 47
}

fn hash_16(u: u64, v: u64, factor: u64) -> u64 {
    let a = shift_mix((u ^ v).wrapping_mul(factor));
    shift_mix((v ^ a).wrapping_mul(factor)).wrapping_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::fingerprint;

    #[test]
    fn every_length_class_matches_the_reference() {
        // TensorFlow's results (`tf.fingerprint`).
        let text: Vec<u8> = (0..300).map(|i| (i * 37 + 11) as u8).collect();
        for (length, want) in [
            (4, 0xcc1e_7781_37ae_6d69),
            (7, 0x9608_38fb_c6d9_c975),
            (8, 0x7d50_7025_ed4e_ecfd),
            (16, 0xd836_4803_26a9_74d6),
            (17, 0x5cde_d6cb_65c9_dac6),
            (32, 0xa033_00e1_b2be_6da7),
            (33, 0x8391_54ca_6781_5696),
            (64, 0x000f_03ea_c52d_3535),
            (65, 0xfb36_0c50_23f6_0db6),
            (128, 0x33ef_435f_17af_1739),
            (193, 0x63bc_aa15_a48f_8fe3),
            (300, 0x7011_8fe7_a7f7_08b5),
        ] {
            let (head, tail) = text[..length].split_first_chunk().unwrap();
            assert_eq!(fingerprint(*head, tail), want, "{length} bytes");
        }
    }
}
