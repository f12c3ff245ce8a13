//! Text in a file. On small machines it is verified by a loop of a hundred bytes: the standard library's function is
//! faster, but takes 600 bytes of flash.

/// The text in `bytes`; `None` if it is not UTF-8.
#[cfg(feature = "alloc")]
pub(super) fn parse(bytes: &[u8]) -> Option<&str> {
    core::str::from_utf8(bytes).ok()
}

/// Whether `bytes` are UTF-8.
#[cfg(feature = "alloc")]
pub(super) fn is_text(bytes: &[u8]) -> bool {
    parse(bytes).is_some()
}

/// The text in `bytes`; `None` if it is not UTF-8.
#[cfg(not(feature = "alloc"))]
pub(super) fn parse(bytes: &[u8]) -> Option<&str> {
    // SAFETY: `is_text` accepts UTF-8 only; the test below compares it with the standard library.
    if is_text(bytes) { Some(unsafe { core::str::from_utf8_unchecked(bytes) }) } else { None }
}

#[cfg(not(feature = "alloc"))]
pub(super) use is_utf8 as is_text;

/// Whether `bytes` are UTF-8. A character of one byte is ASCII. The first of several bytes has as many leading ones as
/// the character has bytes, the others are `10xxxxxx`, and the sequence is the shortest for its character.
#[cfg(any(test, not(feature = "alloc")))]
#[inline(never)] // one copy
pub(super) fn is_utf8(bytes: &[u8]) -> bool {
    let mut rest = bytes.iter();
    while let Some(&first) = rest.next() {
        let ones = first.leading_ones();
        if ones == 0 {
            continue;
        }
        let mut number = u32::from(first) & 0x7f >> ones;
        for _ in 1..ones {
            match rest.next() {
                Some(next) if next & 0xc0 == 0x80 => number = number << 6 | u32::from(next & 0x3f),
                _ => return false,
            }
        }
        // A byte `10xxxxxx` begins no character.
        let is_shortest = |c: char| ones > 1 && c.len_utf8() == ones as usize;
        if !char::from_u32(number).is_some_and(is_shortest) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::is_utf8;

    #[track_caller]
    fn check(bytes: &[u8]) {
        assert_eq!(is_utf8(bytes), core::str::from_utf8(bytes).is_ok(), "{bytes:02x?}");
    }

    /// All sequences of two bytes, and all of three and four whose last bytes are at the limits of their ranges.
    #[test]
    fn the_same_bytes_are_text_as_for_the_standard_library() {
        const LIMITS: [u8; 8] = [0x00, 0x7f, 0x80, 0x8f, 0x90, 0xbf, 0xc0, 0xff];
        for first in 0..=u8::MAX {
            check(&[first]);
            for second in 0..=u8::MAX {
                check(&[first, second]);
                for third in LIMITS {
                    check(&[first, second, third]);
                    for fourth in LIMITS {
                        check(&[first, second, third, fourth]);
                        check(&[b'a', first, second, third, fourth, b'z']);
                    }
                }
            }
        }
        check("Größe, 長さ, 📏".as_bytes());
        check(&[0xf8, 0x88, 0x80, 0x80, 0x80]);
    }
}
