//! `--compare`: another model file, or other settings for the same one.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::options::{Choice, Common, parse_threads};

/// The keys of settings, for messages.
const KEYS: &str = "delegate=, planner=, threads= and model=";

/// How a contender differs from the model and the settings of the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Variant {
    text: String,
    model: Option<PathBuf>,
    delegates: Vec<Choice>,
    planner: Option<Choice>,
    threads: Option<NonZeroUsize>,
}

impl FromStr for Variant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut variant = Variant { text: text.to_owned(), ..Variant::default() };
        let is_setting = |word: &str| matches!(word.split_once('='), Some((key, _)) if is_key(key));
        if !text.split_whitespace().next().is_some_and(is_setting) {
            if text.contains('=') && !Path::new(text).exists() {
                return Err(format!("neither an existing file nor a setting; settings are {KEYS}"));
            }
            variant.model = Some(text.into());
            return Ok(variant);
        }
        text.split_whitespace().try_for_each(|word| variant.set(word))?;
        Ok(variant)
    }
}

fn is_key(key: &str) -> bool {
    matches!(key, "delegate" | "planner" | "threads" | "model")
}

impl Variant {
    fn set(&mut self, word: &str) -> Result<(), String> {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let of_setting = |error: String| format!("{key}: {error}");
        match key {
            "delegate" => self.delegates.push(value.parse().map_err(of_setting)?),
            "planner" => self.planner = Some(value.parse().map_err(of_setting)?),
            "threads" => self.threads = Some(parse_threads(value).map_err(of_setting)?),
            "model" => self.model = Some(value.into()),
            _ => return Err(format!("'{word}' is not a setting; settings are {KEYS}")),
        }
        Ok(())
    }

    /// The text of the option.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The model file, if it is another one.
    pub(super) fn model(&self) -> Option<&Path> {
        self.model.as_deref()
    }

    /// The settings: `common`, changed by this variant.
    pub(super) fn apply(&self, common: &Common) -> Common {
        let mut changed = common.clone();
        if !self.delegates.is_empty() {
            changed.delegate.clone_from(&self.delegates);
        }
        changed.planner = self.planner.clone().or(changed.planner);
        changed.threads = self.threads.or(changed.threads);
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_separated_by_spaces() {
        let variant: Variant =
            "delegate=cpu:isa=avx2,winograd=false  threads=3 planner=naive".parse().unwrap();
        assert_eq!(variant.delegates, ["cpu:isa=avx2,winograd=false".parse().unwrap()]);
        assert_eq!((variant.threads, variant.model()), (NonZeroUsize::new(3), None));
        assert_eq!(variant.planner, Some("naive".parse().unwrap()));
        let both: Variant = "model=a.tflite delegate=none".parse().unwrap();
        assert_eq!((both.model(), both.delegates.len()), (Some(Path::new("a.tflite")), 1));
    }

    #[test]
    fn other_text_is_a_file() {
        let variant: Variant = "my models/other one.tflite".parse().unwrap();
        assert_eq!(variant.model(), Some(Path::new("my models/other one.tflite")));
    }

    #[test]
    fn mistakes_are_explained() {
        let error = |text: &str| text.parse::<Variant>().unwrap_err();
        assert!(
            error("thread=2").contains("neither an existing file nor a setting"),
            "{}",
            error("thread=2")
        );
        assert!(error("threads=0").starts_with("threads: expected a number from 1 to"));
        assert_eq!(error("delegate="), "delegate: the name is missing");
        assert!(error("delegate=cpu thread=2").starts_with("'thread=2' is not a setting"));
    }
}
