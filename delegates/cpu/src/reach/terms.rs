//! Splits centred weights into sums of signed bytes: the first byte takes as much as fits, the next one takes the rest,
//! and so on.
//!
//! ```text
//! 200 = 127 + 73     −255 = −128 − 127     255 = 127 + 127 + 1
//! ```

/// How many bytes a weight from −255 to 255 is the sum of.
pub(crate) fn terms(weight: i16) -> usize {
    match weight {
        -128..=127 => 1,
        -256..=254 => 2,
        _ => 3,
    }
}

/// Byte `i` of the sum; 0 after the last one.
pub(crate) fn term(weight: i16, i: usize) -> i8 {
    let rest = (0..i).fold(weight, |rest, _| rest - rest.clamp(-128, 127));
    rest.clamp(-128, 127) as i8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_add_up() {
        for weight in -255..=255 {
            let all = terms(weight);
            assert_eq!((0..all).map(|i| i16::from(term(weight, i))).sum::<i16>(), weight);
            assert_eq!((term(weight, all), all > 1 && term(weight, all - 1) == 0), (0, false), "{weight}");
        }
    }
}
