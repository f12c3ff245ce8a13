//! Tokenizers in containers.

use arenite_litertlm::{Affixes as Around, Container, Pair, Token};

use crate::error::{Error, Result};
use crate::settings::Settings;
use crate::template::Affixes;
use crate::tokenizer::Tokenizer;

impl Tokenizer {
    /// The tokenizer of a container, with the tokens and the template in its metadata. `None` if it has no tokenizer.
    ///
    /// # Errors
    /// The tokenizer or the metadata are malformed, or of a kind that is not supported.
    pub fn of_container(container: &Container) -> Result<Option<Self>> {
        let failed = |error: arenite_litertlm::Error| Error::File(error.to_string());
        let Some(bytes) = container.tokenizer().map_err(failed)? else { return Ok(None) };
        let metadata = container.metadata().map_err(failed)?;
        let settings = Settings {
            adds_start: metadata.start.is_some().then_some(true),
            start: metadata.start.as_ref().and_then(|token| token.text.clone()),
            start_id: metadata.start.as_ref().and_then(Token::id),
            stops: metadata.stops.iter().filter_map(|token| token.text.clone()).collect(),
            stop_ids: metadata.stops.iter().filter_map(Token::id).collect(),
            stop_sequences: metadata.stops.iter().filter_map(Token::sequence).collect(),
            template: metadata.template.filter(|template| !template.is_empty()),
            affixes: metadata.affixes.map(affixes),
        };
        Tokenizer::from_bytes(&bytes, settings).map(Some)
    }
}

fn affixes(around: Around) -> Affixes {
    let pair = |pair: Option<Pair>| pair.map(|pair| (pair.prefix, pair.suffix)).unwrap_or_default();
    Affixes { system: pair(around.system), user: pair(around.user), assistant: pair(around.model) }
}
