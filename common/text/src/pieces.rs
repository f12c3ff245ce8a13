//! Text of tokens that arrive one after another.

use crate::error::Result;
use crate::tokenizer::Tokenizer;

/// This many tokens are decoded again with the next one, because the text of a token can depend on earlier tokens: a
/// space at the beginning is skipped, and bytes of several tokens are one character.
const OVERLAP: usize = 4;

/// At this many tokens, the window shrinks to the overlap.
const WINDOW: usize = 16;

/// Decodes tokens one by one. A character whose bytes are not all there waits.
pub struct Pieces {
    /// The last tokens.
    window: Vec<u32>,
    /// The bytes of the window's text that were returned.
    shown: usize,
}

impl Pieces {
    /// For tokens that follow these.
    ///
    /// # Errors
    /// As [`Tokenizer::decode`].
    pub fn after(tokenizer: &Tokenizer, context: &[u32]) -> Result<Self> {
        let (kept, shown) = overlap(tokenizer, context)?;
        Ok(Pieces { window: kept.to_vec(), shown })
    }

    /// The text that a token adds; empty while a character is incomplete. Bytes that are not UTF-8 become U+FFFD.
    ///
    /// # Errors
    /// As [`Tokenizer::decode`].
    pub fn push(&mut self, tokenizer: &Tokenizer, id: u32) -> Result<String> {
        self.window.push(id);
        let bytes = tokenizer.decode(&self.window)?;
        let rest = bytes.get(self.shown..).unwrap_or_default();
        let complete = &rest[..complete(rest)];
        self.shown += complete.len();
        let text = String::from_utf8_lossy(complete).into_owned();
        if complete.len() == rest.len() && self.window.len() >= WINDOW {
            let (kept, shown) = overlap(tokenizer, &self.window)?;
            (self.window, self.shown) = (kept.to_vec(), shown);
        }
        Ok(text)
    }

    /// The bytes that still wait at the end.
    ///
    /// # Errors
    /// As [`Tokenizer::decode`].
    pub fn finish(&mut self, tokenizer: &Tokenizer) -> Result<String> {
        let bytes = tokenizer.decode(&self.window)?;
        let rest = bytes.get(self.shown..).unwrap_or_default();
        self.shown += rest.len();
        Ok(String::from_utf8_lossy(rest).into_owned())
    }
}

/// The last tokens and the length of their text. There are more of them if they have no text, because the next token
/// would seem to begin the text.
fn overlap<'a>(tokenizer: &Tokenizer, ids: &'a [u32]) -> Result<(&'a [u32], usize)> {
    let mut count = OVERLAP;
    loop {
        let kept = &ids[ids.len().saturating_sub(count)..];
        let length = tokenizer.decode(kept)?.len();
        if length > 0 || kept.len() == ids.len() {
            return Ok((kept, length));
        }
        count *= 2;
    }
}

/// The bytes before a character that more bytes may complete.
fn complete(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    let starts = (from..bytes.len()).rev().find(|&at| bytes[at] >= 0xc0);
    match starts {
        Some(at) if std::str::from_utf8(&bytes[at..]).is_err_and(|error| error.error_len().is_none()) => at,
        _ => bytes.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::complete;

    #[test]
    fn only_the_beginning_of_a_character_waits() {
        for (bytes, wanted) in [
            (&b""[..], 0),
            (b"ab", 2),
            ("aé".as_bytes(), 3),
            (&"aé".as_bytes()[..2], 1),
            (&"€".as_bytes()[..2], 0),
            (&"a🙂".as_bytes()[..4], 1),
            ("a🙂".as_bytes(), 5),
            (b"a\xff", 2),
            (b"a\x80\x80", 3),
            (b"\xe2\x28", 2),
        ] {
            assert_eq!(complete(bytes), wanted, "{bytes:?}");
        }
    }
}
