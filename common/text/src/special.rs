//! Special tokens, which are not part of a text: start tokens and stop tokens.

use kitoken::{Definition, InsertionPosition};

use crate::settings::Settings;

/// The special tokens of a tokenizer.
pub(crate) struct Special {
    /// Their texts and numbers.
    tokens: Vec<(String, u32)>,
    pub(crate) start: Option<u32>,
    /// The start token, if it is put before a text.
    pub(crate) prefix: Option<u32>,
    pub(crate) stops: Vec<u32>,
    pub(crate) stop_texts: Vec<String>,
}

impl Special {
    pub(crate) fn of(definition: &Definition, settings: &Settings) -> Self {
        let tokens = definition.specials.iter().filter(|token| token.id != u32::MAX);
        let tokens = tokens.map(|token| (String::from_utf8_lossy(&token.bytes).into_owned(), token.id));
        let mut special = Special {
            tokens: tokens.collect(),
            start: None,
            prefix: None,
            stops: settings.stop_ids.clone(),
            stop_texts: Vec::new(),
        };
        let inserted = |special: &Special, position| {
            let mut places = definition.config.templates.iter().filter(|place| place.position == position);
            places.find_map(|place| special.id(&place.content))
        };
        let own = inserted(&special, InsertionPosition::SequenceStart);
        let named = settings.start.as_deref().and_then(|text| special.id(text));
        special.start = settings.start_id.or(named).or(own);
        special.prefix = match settings.adds_start {
            Some(true) => special.start,
            Some(false) => None,
            None => own,
        };
        for text in &settings.stops {
            match special.id(text) {
                Some(id) => special.stops.push(id),
                None => special.stop_texts.push(text.clone()),
            }
        }
        if special.stops.is_empty() {
            special.stops.extend(inserted(&special, InsertionPosition::SequenceEnd));
        }
        special
    }

    /// The token with this text.
    pub(crate) fn id(&self, text: &str) -> Option<u32> {
        self.tokens.iter().find(|(special, _)| special == text).map(|&(_, id)| id)
    }

    /// The text of a token.
    pub(crate) fn text(&self, id: u32) -> Option<&str> {
        self.tokens.iter().find(|(_, special)| *special == id).map(|(text, _)| text.as_str())
    }
}
