//! The report of `arenite generate`.

use std::fmt::{self, Display};
use std::path::PathBuf;

use arenite_language::{Answer, Reason, Work};
use serde::Serialize;

use crate::text::{DIM, thousands, time};

/// All turns, for `--json`. As text, the answers were printed while they came.
#[derive(Serialize)]
pub(super) struct Report {
    pub model: PathBuf,
    pub load_ms: f64,
    /// Positions in the caches.
    pub capacity: usize,
    pub vocabulary: usize,
    pub cache_bytes: usize,
    pub turns: Vec<Turn>,
}

/// One turn: what was given, and the answer.
#[derive(Serialize)]
pub(super) struct Turn {
    #[serde(flatten)]
    pub given: Given,
    pub ids: Vec<u32>,
    /// Why the answer ended.
    pub end: &'static str,
    pub prefill: Speed,
    pub decode: Speed,
}

/// What a turn was given, and the text of the answer if it has one.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Given {
    Tokens {
        given: Vec<u32>,
    },
    #[cfg(feature = "text")]
    Text {
        prompt: String,
        text: String,
    },
}

/// Tokens that were run, and how fast.
#[derive(Serialize)]
pub(super) struct Speed {
    tokens: usize,
    ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_per_second: Option<f64>,
}

impl From<Work> for Speed {
    fn from(work: Work) -> Self {
        Speed { tokens: work.tokens, ms: work.time.as_secs_f64() * 1e3, tokens_per_second: work.rate() }
    }
}

impl Turn {
    pub(super) fn new(given: Given, answer: Answer) -> Self {
        let end = match answer.reason {
            Reason::Count => "count",
            Reason::StopId => "stop id",
            Reason::Caller => "interrupted",
            Reason::Full => "caches are full",
        };
        let (prefill, decode) = (answer.prefill.into(), answer.decode.into());
        Turn { given, ids: answer.ids, end, prefill, decode }
    }
}

impl Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.tokens == 1 { "token" } else { "tokens" };
        write!(f, "{} {plural} in {}", thousands(self.tokens as u64), time(self.ms))?;
        match self.tokens_per_second {
            Some(rate) => write!(f, " ({rate:.1}/s)"),
            None => Ok(()),
        }
    }
}

impl Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Turn { prefill, decode, end, .. } = self;
        write!(f, "{DIM}prefill: {prefill}; decode: {decode}; ended by: {end}{DIM:#}")
    }
}
