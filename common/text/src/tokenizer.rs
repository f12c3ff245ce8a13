//! Tokenizers: text to tokens and back.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use kitoken::convert::{convert_sentencepiece, convert_tokenizers};
use kitoken::{
    Definition, Fallback, InsertionPosition, Kitoken, Model, Regex, Split, SplitBehavior, SplitPattern,
};

use crate::error::{Error, Result};
use crate::files;
use crate::settings::Settings;

/// Larger vocabularies are refused.
const MOST_TOKENS: usize = 1 << 24;

/// GPT-2's pattern of words, which `"use_regex": true` means. It is put in place of the library's, which splits a tab
/// before punctuation elsewhere.
const WORDS: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// The library's pattern for `"use_regex": true`.
const WORDS_OF_LIBRARY: &str = r"'(?:[sdmt]|ll|ve|re)|\s?\p{L}+|\s?\p{N}+|\s?[^\s\p{L}\p{N}]+";

/// A tokenizer: a `tokenizer.json` of Hugging Face's tokenizers, or a model of SentencePiece.
pub struct Tokenizer {
    coder: Kitoken,
    /// Whether tokens in texts, such as `<s>`, are tokens. SentencePiece treats them as text.
    finds_tokens: bool,
    /// By token: whether it exists.
    known: Vec<bool>,
    /// Tokens that text does not consist of, and their texts.
    special: Vec<(String, u32)>,
    start: Option<u32>,
    /// The start token, if it is put before a text.
    prefix: Option<u32>,
    stops: Vec<u32>,
    template: Option<String>,
    /// See [`put_in_order`].
    bytes: HashMap<u32, u8>,
}

impl Tokenizer {
    /// Reads a tokenizer, and the settings in the files next to it.
    ///
    /// # Errors
    /// A file is unreadable, malformed, or a tokenizer of a kind that is not supported.
    pub fn from_file(path: &Path) -> Result<Self> {
        let settings = Settings::beside(path)?;
        let name = |error| match error {
            Error::Tokenizer(text) => Error::Tokenizer(format!("{}: {text}", path.display())),
            other => other,
        };
        Tokenizer::from_bytes(&files::read(path)?, settings).map_err(name)
    }

    /// As [`from_file`](Self::from_file), from the bytes of the file.
    ///
    /// # Errors
    /// The bytes are malformed, or a tokenizer of a kind that is not supported.
    pub fn from_bytes(bytes: &[u8], settings: Settings) -> Result<Self> {
        let is_json = bytes.trim_ascii_start().first() == Some(&b'{');
        let definition = guarded("the tokenizer is malformed", || match is_json {
            true => convert_tokenizers(bytes),
            false => convert_sentencepiece(bytes),
        })?;
        let kind = if is_json { "a tokenizer.json" } else { "a model of SentencePiece" };
        let mut definition =
            definition.map_err(|error| Error::Tokenizer(format!("not {kind} that is supported: {error}")))?;
        correct(&mut definition)?;
        let known = known(&definition)?;
        let special = definition.specials.iter().filter(|token| token.id != u32::MAX);
        let special = special.map(|token| (String::from_utf8_lossy(&token.bytes).into_owned(), token.id));
        let special: Vec<(String, u32)> = special.collect();
        let id = |text: &str| special.iter().find(|(special, _)| special == text).map(|&(_, id)| id);
        let inserted = |position| {
            let places = definition.config.templates.iter().filter(move |place| place.position == position);
            places.filter_map(|place| id(&place.content)).next()
        };
        let own = inserted(InsertionPosition::SequenceStart);
        let start = settings.start.as_deref().and_then(id).or(own);
        let prefix = match settings.adds_start {
            Some(true) => start,
            Some(false) => None,
            None => own,
        };
        let mut stops: Vec<u32> = settings.stops.iter().filter_map(|text| id(text)).collect();
        stops.extend(&settings.stop_ids);
        if stops.is_empty() {
            stops.extend(inserted(InsertionPosition::SequenceEnd));
        }
        let bytes = bytes_out_of_order(&definition);
        let coder = guarded("the tokenizer is malformed", || Kitoken::try_from(definition))?
            .map_err(|error| Error::Tokenizer(format!("not {kind} that is supported: {error}")))?;
        let template = settings.template;
        Ok(Tokenizer { coder, finds_tokens: is_json, known, special, start, prefix, stops, template, bytes })
    }

    /// One more than the last token.
    pub fn vocabulary(&self) -> usize {
        self.known.len()
    }

    /// The token that begins a text, if there is one.
    pub fn start(&self) -> Option<u32> {
        self.start
    }

    /// Tokens that end an answer.
    pub fn stops(&self) -> &[u32] {
        &self.stops
    }

    /// The chat template that was found with the tokenizer.
    pub fn template(&self) -> Option<&str> {
        self.template.as_deref()
    }

    /// The token with this text, if it is one that text does not consist of, such as `<end_of_turn>`.
    pub fn special(&self, text: &str) -> Option<u32> {
        self.special.iter().find(|(special, _)| special == text).map(|&(_, id)| id)
    }

    /// The text of such a token.
    pub(crate) fn special_text(&self, id: u32) -> Option<&str> {
        self.special.iter().find(|(_, special)| *special == id).map(|(text, _)| text.as_str())
    }

    /// The tokens of a text, after the start token if the tokenizer puts it there.
    ///
    /// # Errors
    /// The text cannot be written with the vocabulary.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>> {
        let ids = self.encode_with(text, self.finds_tokens)?;
        Ok(self.prefix.into_iter().chain(ids).collect())
    }

    /// The tokens of a text that continues another one, without a start token.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_more(&self, text: &str) -> Result<Vec<u32>> {
        self.encode_with(text, self.finds_tokens)
    }

    /// The tokens of what a template returned: names of tokens in it are tokens, and it has its start token.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_rendered(&self, text: &str) -> Result<Vec<u32>> {
        self.encode_with(text, true)
    }

    fn encode_with(&self, text: &str, finds_tokens: bool) -> Result<Vec<u32>> {
        let ids = guarded("the tokenizer fails on this text", || self.coder.encode(text, finds_tokens))?;
        let mut ids = ids.map_err(|error| Error::Tokenizer(format!("the text has no tokens: {error}")))?;
        put_in_order(&mut ids, &self.bytes);
        Ok(ids)
    }

    /// The bytes of tokens. They need not be UTF-8, and tokens that text does not consist of are left out.
    ///
    /// # Errors
    /// The tokenizer cannot join them.
    pub fn decode(&self, ids: &[u32]) -> Result<Vec<u8>> {
        let exists = |id: &u32| self.known.get(*id as usize).is_some_and(|known| *known);
        let ids: Vec<u32> = ids.iter().copied().filter(exists).collect();
        let bytes = guarded("the tokenizer fails on these tokens", || self.coder.decode(&ids, false))?;
        bytes.map_err(|error| Error::Tokenizer(format!("the tokens have no text: {error}")))
    }
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
fn bytes_out_of_order(definition: &Definition) -> HashMap<u32, u8> {
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
fn put_in_order(ids: &mut [u32], bytes: &HashMap<u32, u8>) {
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
fn known(definition: &Definition) -> Result<Vec<bool>> {
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
fn guarded<T>(what: &str, code: impl FnOnce() -> T) -> Result<T> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        Error::Tokenizer(format!("{what}: {text}"))
    })
}
