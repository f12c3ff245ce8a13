//! Base64 for URLs (RFC 4648, section 5): six bits per character.
//!
//! ```text
//! bytes        aaaaaabb bbbbcccc ccdddddd
//! characters   a, b, c, d of A–Z a–z 0–9 - _      1 byte → 2 characters, 2 bytes → 3, the rest of the bits is 0
//! ```

use arenite_abi::prelude::*;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const PAD: u8 = b'=';

/// Encodes bytes; with `pad`, `=` completes the last group of four characters.
pub fn encode(bytes: &[u8], pad: bool) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits =
            group.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - group.len()));
        text.extend((0..=group.len()).map(|i| ALPHABET[(bits >> (18 - 6 * i) & 63) as usize]));
        if pad {
            text.extend(std::iter::repeat_n(PAD, 3 - group.len()));
        }
    }
    text
}

/// Decodes text. The last group of four characters may end with one or two `=`.
///
/// # Errors
/// A character is not in the alphabet, or one character is left over.
pub fn decode(text: &[u8]) -> Result<Vec<u8>> {
    let text = match text {
        [rest @ .., PAD, PAD] if text.len().is_multiple_of(4) => rest,
        [rest @ .., PAD] if text.len().is_multiple_of(4) => rest,
        _ => text,
    };
    ensure!(text.len() % 4 != 1, "{} characters of Base64 are one too many or too few", text.len());
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for group in text.chunks(4) {
        let mut bits = 0;
        for &character in group {
            let place = ALPHABET.iter().position(|&known| known == character);
            let six = place.ok_or_else(|| {
                invalid!("the byte {character:#04x} is not in the Base64 alphabet for URLs")
            })?;
            bits = bits << 6 | six as u32;
        }
        bits <<= 6 * (4 - group.len());
        bytes.extend(&bits.to_be_bytes()[1..group.len()]);
    }
    Ok(bytes)
}
