//! The protocol buffer with a language model's tokens and templates.

use prost::Message;

use crate::error::{Error, Result};

/// Tokens, affixes and limits of a language model.
#[derive(Clone, PartialEq, Message)]
pub struct Metadata {
    /// The token that begins a text.
    #[prost(message, optional, tag = "1")]
    pub start: Option<Token>,
    /// Tokens that end an answer.
    #[prost(message, repeated, tag = "2")]
    pub stops: Vec<Token>,
    /// Texts around messages.
    #[prost(message, optional, tag = "3")]
    pub affixes: Option<Affixes>,
    /// The most tokens of a conversation.
    #[prost(int32, tag = "5")]
    pub max_tokens: i32,
    /// A chat template, written in Jinja.
    #[prost(string, optional, tag = "7")]
    pub template: Option<String>,
}

/// A token, by its text or by its numbers.
#[derive(Clone, PartialEq, Message)]
pub struct Token {
    /// Its numbers.
    #[prost(message, optional, tag = "1")]
    pub ids: Option<Ids>,
    /// Its text.
    #[prost(string, optional, tag = "2")]
    pub text: Option<String>,
}

/// Numbers of tokens.
#[derive(Clone, PartialEq, Message)]
pub struct Ids {
    /// The numbers.
    #[prost(int32, repeated, tag = "1")]
    pub ids: Vec<i32>,
}

/// Texts around the messages of each role.
#[derive(Clone, PartialEq, Message)]
pub struct Affixes {
    /// Around the person's messages.
    #[prost(message, optional, tag = "1")]
    pub user: Option<Pair>,
    /// Around the model's messages.
    #[prost(message, optional, tag = "2")]
    pub model: Option<Pair>,
    /// Around instructions.
    #[prost(message, optional, tag = "3")]
    pub system: Option<Pair>,
}

/// A text before and one after.
#[derive(Clone, PartialEq, Message)]
pub struct Pair {
    /// Before.
    #[prost(string, tag = "1")]
    pub prefix: String,
    /// After.
    #[prost(string, tag = "2")]
    pub suffix: String,
}

impl Metadata {
    /// Reads a protocol buffer; fields that are not known are skipped.
    ///
    /// # Errors
    /// The bytes are malformed.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        Metadata::decode(bytes)
            .map_err(|error| Error::malformed(format!("the language model's metadata: {error}")))
    }
}

impl Token {
    /// A token with this text.
    pub fn of(text: &str) -> Self {
        Token { ids: None, text: Some(text.to_owned()) }
    }

    /// Its number, if it has exactly one.
    pub fn id(&self) -> Option<u32> {
        match self.ids.as_ref()?.ids.as_slice() {
            &[id] => u32::try_from(id).ok(),
            _ => None,
        }
    }

    /// Its numbers, if it has several.
    pub fn sequence(&self) -> Option<Vec<u32>> {
        let ids = self.ids.as_ref().map(|ids| ids.ids.as_slice()).filter(|ids| ids.len() > 1)?;
        ids.iter().map(|&id| u32::try_from(id).ok()).collect()
    }
}
