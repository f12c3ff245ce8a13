//! Settings in the files next to a tokenizer: `tokenizer_config.json`, `generation_config.json`,
//! `special_tokens_map.json` and `chat_template.jinja`.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::files;
use crate::template::Affixes;

/// Settings outside of a tokenizer's own file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The text of the token that begins a text.
    pub start: Option<String>,
    /// The token that begins a text, if its number is known.
    pub start_id: Option<u32>,
    /// Whether the start token is put before a text; if unknown, the tokenizer decides.
    pub adds_start: Option<bool>,
    /// The texts of tokens that end an answer, or texts that do.
    pub stops: Vec<String>,
    /// Tokens that end an answer.
    pub stop_ids: Vec<u32>,
    /// Several tokens whose text ends an answer.
    pub stop_sequences: Vec<Vec<u32>>,
    /// A chat template, written in Jinja.
    pub template: Option<String>,
    /// Texts around messages, for models without a template in Jinja.
    pub affixes: Option<Affixes>,
}

/// `tokenizer_config.json` and `special_tokens_map.json`.
#[derive(Default, Deserialize)]
struct TokenizerConfig {
    bos_token: Option<Content>,
    eos_token: Option<Content>,
    add_bos_token: Option<bool>,
    chat_template: Option<Templates>,
}

/// `generation_config.json`.
#[derive(Default, Deserialize)]
struct GenerationConfig {
    eos_token_id: Option<Ids>,
}

/// A token: its text, or an object with it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Object { content: String },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Ids {
    One(u32),
    Many(Vec<u32>),
}

/// One template, or several with names.
#[derive(Deserialize)]
#[serde(untagged)]
enum Templates {
    One(String),
    Named(Vec<NamedTemplate>),
}

#[derive(Deserialize)]
struct NamedTemplate {
    name: String,
    template: String,
}

impl Settings {
    /// Reads the files next to a tokenizer; missing files are skipped.
    ///
    /// # Errors
    /// A file is unreadable or malformed.
    pub fn next_to(tokenizer: &Path) -> Result<Self> {
        let prefix = files::prefix(tokenizer);
        let path = |name: &str| tokenizer.with_file_name(format!("{prefix}{name}"));
        let map: TokenizerConfig = parse(&path("special_tokens_map.json"))?;
        let config: TokenizerConfig = parse(&path("tokenizer_config.json"))?;
        let generation: GenerationConfig = parse(&path("generation_config.json"))?;
        let template = path("chat_template.jinja");
        let template = match template.is_file() {
            true => Some(files::read_text(&template)?),
            false => config.chat_template.and_then(Templates::chosen),
        };
        Ok(Settings {
            start: config.bos_token.or(map.bos_token).map(Content::text),
            adds_start: config.add_bos_token,
            stops: config.eos_token.or(map.eos_token).map(Content::text).into_iter().collect(),
            stop_ids: match generation.eos_token_id {
                None => Vec::new(),
                Some(Ids::One(id)) => vec![id],
                Some(Ids::Many(ids)) => ids,
            },
            template,
            ..Settings::default()
        })
    }
}

impl Content {
    fn text(self) -> String {
        match self {
            Content::Text(text) | Content::Object { content: text } => text,
        }
    }
}

impl Templates {
    /// The template named `default`, else the first.
    fn chosen(self) -> Option<String> {
        match self {
            Templates::One(template) => Some(template),
            Templates::Named(mut list) => {
                let at = list.iter().position(|named| named.name == "default").unwrap_or(0);
                (at < list.len()).then(|| list.swap_remove(at).template)
            }
        }
    }
}

/// A JSON file; the default if it does not exist.
fn parse<T: DeserializeOwned + Default>(path: &Path) -> Result<T> {
    if !path.exists() {
        return Ok(T::default());
    }
    serde_json::from_slice(&files::read(path)?)
        .map_err(|error| Error::File(format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_next_to_a_tokenizer_are_read() {
        let folder = tempfile::tempdir().expect("there is room");
        let tokenizer = folder.path().join("m.tokenizer.json");
        assert_eq!(Settings::next_to(&tokenizer).expect("no file is needed"), Settings::default());
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("there is room");
        };
        write("tokenizer_config.json", "of another model");
        write(
            "m.tokenizer_config.json",
            r#"{"bos_token": {"content": "<s>", "lstrip": false}, "eos_token": "</s>", "add_bos_token": true,
                "chat_template": [{"name": "tools", "template": "t"}, {"name": "default", "template": "d"}]}"#,
        );
        write("m.generation_config.json", r#"{"eos_token_id": [2, 7]}"#);
        let settings = Settings::next_to(&tokenizer).expect("they are well-formed");
        assert_eq!(settings.start.as_deref(), Some("<s>"));
        assert_eq!((settings.adds_start, settings.stop_ids), (Some(true), vec![2, 7]));
        assert_eq!((settings.stops, settings.template.as_deref()), (vec!["</s>".to_owned()], Some("d")));
        write("m.chat_template.jinja", "file");
        let settings = Settings::next_to(&tokenizer).expect("they are well-formed");
        assert_eq!(settings.template.as_deref(), Some("file"));
        write("m.generation_config.json", r#"{"eos_token_id": "x"}"#);
        let message = Settings::next_to(&tokenizer).expect_err("it is a text").to_string();
        assert!(message.contains("m.generation_config.json: "), "{message}");
    }
}
