//! Tokenizers: text to tokens and back.

use std::collections::HashMap;
use std::path::Path;

use kitoken::Kitoken;

use crate::definition::{self, guarded};
use crate::error::{Error, Result};
use crate::files;
use crate::sentencepiece::Tokens;
use crate::settings::Settings;
use crate::special::Special;
use crate::template::{Affixes, Template};

/// A tokenizer: a `tokenizer.json` of Hugging Face's tokenizers, or a model of SentencePiece.
pub struct Tokenizer {
    coder: Kitoken,
    /// Whether tokens in texts, such as `<s>`, are tokens. SentencePiece treats them as text.
    finds_tokens: bool,
    /// By token: whether it exists.
    known: Vec<bool>,
    special: Special,
    template: Option<String>,
    affixes: Option<Affixes>,
    /// See [`definition::put_in_order`].
    bytes: HashMap<u32, u8>,
    /// See [`Tokens::doubles`].
    doubles: HashMap<u32, u32>,
}

impl Tokenizer {
    /// Reads a tokenizer, and the settings in the files next to it.
    ///
    /// # Errors
    /// A file is unreadable, malformed, or a tokenizer of a kind that is not supported.
    pub fn from_file(path: &Path) -> Result<Self> {
        let settings = Settings::next_to(path)?;
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
        let tokens = definition::read(bytes, is_json)?;
        let known = definition::known(&tokens)?;
        let Tokens { definition, doubles } = tokens;
        let special = Special::of(&definition, &settings);
        let bytes = definition::bytes_out_of_order(&definition);
        let coder = definition::compile(definition, is_json)?;
        let Settings { template, affixes, stop_sequences, .. } = settings;
        let mut tokenizer =
            Tokenizer { coder, finds_tokens: is_json, known, special, template, affixes, bytes, doubles };
        for sequence in &stop_sequences {
            let text = tokenizer.decode(sequence)?;
            tokenizer.special.stop_texts.push(String::from_utf8_lossy(&text).into_owned());
        }
        Ok(tokenizer)
    }

    /// One more than the last token.
    pub fn vocabulary(&self) -> usize {
        self.known.len()
    }

    /// The token that begins a text, if there is one.
    pub fn start(&self) -> Option<u32> {
        self.special.start
    }

    /// Tokens that end an answer.
    pub fn stops(&self) -> &[u32] {
        &self.special.stops
    }

    /// Texts that end an answer.
    pub fn stop_texts(&self) -> &[String] {
        &self.special.stop_texts
    }

    /// The chat template that belongs to the tokenizer, if there is one.
    ///
    /// # Errors
    /// The template is malformed.
    pub fn template(&self) -> Result<Option<Template>> {
        match (&self.template, &self.affixes) {
            (Some(source), _) => Template::jinja(source).map(Some),
            (None, affixes) => Ok(affixes.clone().map(Template::Affixes)),
        }
    }

    /// The token with this text, if it is one that text does not consist of, such as `<end_of_turn>`.
    pub fn special(&self, text: &str) -> Option<u32> {
        self.special.id(text)
    }

    /// The text of such a token.
    pub(crate) fn special_text(&self, id: u32) -> Option<&str> {
        self.special.text(id)
    }

    /// The tokens of a text, after the start token if the tokenizer puts it there.
    ///
    /// # Errors
    /// The text cannot be written with the vocabulary.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>> {
        let ids = self.encode_with(text, self.finds_tokens)?;
        Ok(self.special.prefix.into_iter().chain(ids).collect())
    }

    /// The tokens of a text that continues another one, without a start token.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_more(&self, text: &str) -> Result<Vec<u32>> {
        self.encode_with(text, self.finds_tokens)
    }

    /// The tokens of the text that a template returned: names of tokens in it are tokens, and it has its start token.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_rendered(&self, text: &str) -> Result<Vec<u32>> {
        self.encode_with(text, true)
    }

    fn encode_with(&self, text: &str, finds_tokens: bool) -> Result<Vec<u32>> {
        let ids = guarded("the tokenizer fails on this text", || self.coder.encode(text, finds_tokens))?;
        let mut ids = ids.map_err(|error| Error::Tokenizer(format!("the text has no tokens: {error}")))?;
        definition::put_in_order(&mut ids, &self.bytes);
        Ok(ids)
    }

    /// The bytes of tokens. They need not be UTF-8, and special tokens are skipped.
    ///
    /// # Errors
    /// The tokenizer cannot join them.
    pub fn decode(&self, ids: &[u32]) -> Result<Vec<u8>> {
        let exists = |id: &u32| self.known.get(*id as usize).is_some_and(|known| *known);
        let original = |id: u32| self.doubles.get(&id).copied().unwrap_or(id);
        let ids: Vec<u32> = ids.iter().copied().filter(exists).map(original).collect();
        let bytes = guarded("the tokenizer fails on these tokens", || self.coder.decode(&ids, false))?;
        bytes.map_err(|error| Error::Tokenizer(format!("the tokens have no text: {error}")))
    }
}
