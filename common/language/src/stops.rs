//! Ends text before a stop word, while it arrives in pieces.

/// Passes text on until a stop word appears. Text that may be the beginning of one waits.
#[derive(Clone, Debug, Default)]
pub struct StopWords {
    words: Vec<String>,
    waiting: String,
    stopped: bool,
}

impl StopWords {
    /// Stops before any of these words; empty ones are ignored.
    pub fn new(words: impl IntoIterator<Item = String>) -> Self {
        let words = words.into_iter().filter(|word| !word.is_empty()).collect();
        StopWords { words, ..StopWords::default() }
    }

    /// Takes the next piece and returns the text that can be shown.
    pub fn push(&mut self, piece: &str) -> String {
        if self.stopped {
            return String::new();
        }
        self.waiting.push_str(piece);
        let found = self.words.iter().filter_map(|word| self.waiting.find(word.as_str())).min();
        if let Some(found) = found {
            self.stopped = true;
            self.waiting.truncate(found);
            return std::mem::take(&mut self.waiting);
        }
        let waits = |start: usize| self.words.iter().any(|word| word.starts_with(&self.waiting[start..]));
        let starts = self.waiting.char_indices().map(|(start, _)| start);
        let held = starts.into_iter().find(|&start| waits(start)).unwrap_or(self.waiting.len());
        let rest = self.waiting.split_off(held);
        std::mem::replace(&mut self.waiting, rest)
    }

    /// Whether a stop word appeared.
    pub fn has_stopped(&self) -> bool {
        self.stopped
    }

    /// The text that waits, when no more comes.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(words: &[&str], pieces: &[&str]) -> (Vec<String>, bool, String) {
        let mut stops = StopWords::new(words.iter().map(|&word| word.to_owned()));
        let shown = pieces.iter().map(|piece| stops.push(piece)).collect();
        (shown, stops.has_stopped(), stops.finish())
    }

    #[test]
    fn text_ends_before_the_first_stop_word() {
        assert_eq!(shown(&["User:"], &["Hi", " Us", "er", ": me"]).0, ["Hi", " ", "", ""]);
        assert!(shown(&["User:"], &["Hi User: User:"]).1);
        assert_eq!(shown(&["b", "a"], &["xaby", "z"]).0, ["x", ""]);
    }

    #[test]
    fn text_that_only_begins_like_a_stop_word_is_shown_later() {
        assert_eq!(
            shown(&["aab"], &["a", "a", "a", "c", "äa"]),
            (["", "", "a", "aac", "ä"].map(str::to_owned).to_vec(), false, "a".to_owned())
        );
        assert_eq!(shown(&[""], &["x"]), (vec!["x".to_owned()], false, String::new()));
    }
}
