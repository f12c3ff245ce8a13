//! The library's form of a tokenizer: how it is read, checked, and corrected where the library differs from the
//! libraries that define the formats.

use std::collections::HashMap;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use kitoken::convert::convert_tokenizers;
use kitoken::{Definition, Fallback, Kitoken, Model, Regex, Split, SplitBehavior, SplitPattern};

use crate::error::{Error, Result};
use crate::sentencepiece::{self, Tokens};

/// Larger vocabularies are errors.
const MOST_TOKENS: usize = 1 << 24;

/// GPT-2's pattern of words, which `"use_regex": true` means. It is put in place of the library's, which splits a tab
/// before punctuation elsewhere.
const WORDS: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// The library's pattern for `"use_regex": true`.
const WORDS_OF_LIBRARY: &str = r"'(?:[sdmt]|ll|ve|re)|\s?\p{L}+|\s?\p{N}+|\s?[^\s\p{L}\p{N}]+";

/// Reads a `tokenizer.json` or a model of SentencePiece.
pub(crate) fn read(bytes: &[u8], is_json: bool) -> Result<Tokens> {
    if !is_json {
        return sentencepiece::read(bytes);
    }
    let definition = guarded(MALFORMED, || convert_tokenizers(bytes))?;
    let mut definition = definition.map_err(|error| refused(is_json, error))?;
    correct(&mut definition)?;
    Ok(Tokens { definition, doubles: HashMap::new() })
}

/// Makes a tokenizer of a definition.
pub(crate) fn compile(definition: Definition, is_json: bool) -> Result<Kitoken> {
    guarded(MALFORMED, || Kitoken::try_from(definition))?.map_err(|error| refused(is_json, error))
}

const MALFORMED: &str = "the tokenizer is malformed";

fn refused(is_json: bool, error: impl Display) -> Error {
    let kind = if is_json { "a tokenizer.json" } else { "a model of SentencePiece" };
    Error::Tokenizer(format!("not {kind} that is supported: {error}"))
}

/// Puts GPT-2's pattern where the library has another.
fn correct(definition: &mut Definition) -> Result<()> {
    for split in &mut definition.config.split {
        if let Split::Pattern { pattern: SplitPattern::Regex(regex), behavior: SplitBehavior::Isolate } =
            split
            && **regex == *WORDS_OF_LIBRARY
        {
            *regex = Regex::new(WORDS).map_err(|error| Error::Tokenizer(error.to_string()))?;
        }
    }
    Ok(())
}

/// The tokens that are one byte of a longer character, if the library returns them in the wrong order.
pub(crate) fn bytes_out_of_order(definition: &Definition) -> HashMap<u32, u8> {
    match &definition.model {
        Model::Unigram { vocab, .. } if definition.config.fallback.first() == Some(&Fallback::Bytes) => {
            let bytes = vocab.iter().filter(|token| token.bytes.len() == 1 && token.bytes[0] >= 0x80);
            bytes.map(|token| (token.id, token.bytes[0])).collect()
        }
        _ => HashMap::new(),
    }
}

/// A unigram model of the library writes a character that has no token by the tokens of its bytes, the last one first.
/// This puts the first one first.
pub(crate) fn put_in_order(ids: &mut [u32], bytes: &HashMap<u32, u8>) {
    let mut begin = 0;
    for at in 0..ids.len() {
        match bytes.get(&ids[at]) {
            Some(0x80..=0xbf) => {}
            Some(_) => {
                ids[begin..=at].reverse();
                begin = at + 1;
            }
            None => begin = at + 1,
        }
    }
}

/// Which tokens exist. The library expects at least one, and scores that can be compared.
pub(crate) fn known(tokens: &Tokens) -> Result<Vec<bool>> {
    let Tokens { definition, doubles } = tokens;
    if definition.model.vocab().is_empty() {
        return Err(Error::Tokenizer("the tokenizer has no tokens".into()));
    }
    if let Model::Unigram { scores, .. } = &definition.model
        && scores.iter().any(|score| score.is_nan())
    {
        return Err(Error::Tokenizer("the tokenizer has tokens whose score is NaN".into()));
    }
    let special = definition.specials.iter().map(|token| token.id).filter(|&id| id != u32::MAX);
    let ids = definition.model.vocab().iter().map(|token| token.id).chain(special);
    let ids = ids.chain(doubles.keys().copied());
    let mut known = Vec::new();
    for id in ids {
        let at = id as usize;
        if at >= MOST_TOKENS {
            return Err(Error::Tokenizer(format!(
                "token {id} is too large: at most {MOST_TOKENS} are possible"
            )));
        }
        if at >= known.len() {
            known.resize(at + 1, false);
        }
        known[at] = true;
    }
    Ok(known)
}

/// Runs code of the library, which panics on some malformed tokenizers and when a pattern takes too many steps.
pub(crate) fn guarded<T>(what: &str, code: impl FnOnce() -> T) -> Result<T> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        Error::Tokenizer(format!("{what}: {text}"))
    })
}
