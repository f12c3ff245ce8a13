//! The rule by which SentencePiece normalizes text before it looks for pieces.

use kitoken::{CharsMap, Definition, Normalization};
use prost::Message;

use crate::error::{Error, Result};

/// The part of a model of SentencePiece that has the rule.
#[derive(Message)]
struct Model {
    #[prost(message, optional, tag = "3")]
    normalizer: Option<Normalizer>,
}

#[derive(Message)]
struct Normalizer {
    /// A table of what is replaced by what.
    #[prost(bytes = "vec", optional, tag = "2")]
    table: Option<Vec<u8>>,
}

/// Uses the model's own table. The library knows some rules by their names, and replaces fewer characters than the
/// tables do.
pub(crate) fn use_table(definition: &mut Definition, model: &[u8]) -> Result<()> {
    let model = Model::decode(model).map_err(|error| Error::Tokenizer(error.to_string()))?;
    let table = model.normalizer.and_then(|normalizer| normalizer.table).unwrap_or_default();
    if table.is_empty() {
        return Ok(());
    }
    let map = CharsMap::try_from(table)
        .map_err(|error| Error::Tokenizer(format!("the table of replaced characters: {error}")))?;
    let rules = &mut definition.config.normalization;
    rules.retain(|rule| {
        use Normalization::{CaseFold, CharsMap, NMT, Unicode};
        !matches!(rule, CaseFold { .. } | CharsMap { .. } | NMT | Unicode { .. })
    });
    rules.insert(0, Normalization::CharsMap { map });
    Ok(())
}
