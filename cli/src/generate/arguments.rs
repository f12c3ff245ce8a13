//! The options of `arenite generate`.

use std::path::PathBuf;

use arenite_language::Sampling;
use clap::Args;

use crate::mapped::Loading;
use crate::options::Common;

const NOTES: &str = "\
The model needs the signature `decode`, and may have `prefill_N` for N tokens at once. Their inputs
are `tokens`, `input_pos`, a mask if there is one, and the caches: inputs and outputs with the same
names. Text needs a tokenizer: that of the container, or a tokenizer.json or tokenizer.model next to
the model. Without one, turns and answers are tokens. Each line of stdin is a turn if neither --prompt
nor --ids is given, and continues the conversation. Ctrl-C ends the answer, a second one the program.";

#[derive(Args)]
#[command(after_help = NOTES)]
pub(crate) struct Arguments {
    /// The model, a .tflite file, or a .litertlm container
    pub model: PathBuf,

    /// Continue these tokens
    #[arg(long, value_name = "ID,…", value_delimiter = ',', help_heading = "Input")]
    pub ids: Vec<u32>,

    #[cfg(feature = "text")]
    #[command(flatten)]
    pub text: TextOptions,

    /// End the answer after this many tokens
    #[arg(
        short = 'n',
        long,
        visible_alias = "max-tokens",
        value_name = "N",
        default_value_t = 128,
        help_heading = "Answer"
    )]
    pub count: usize,

    /// End the answer after one of these tokens
    #[arg(long, value_name = "ID,…", value_delimiter = ',', help_heading = "Answer")]
    pub stop_ids: Vec<u32>,

    #[command(flatten)]
    pub sampling: SamplingOptions,

    #[command(flatten)]
    pub loading: Loading,

    #[command(flatten)]
    pub common: Common,
}

/// Options that need a tokenizer.
#[cfg(feature = "text")]
#[derive(Args)]
#[command(next_help_heading = "Text")]
pub(crate) struct TextOptions {
    /// Continue or answer this text
    #[arg(long, value_name = "TEXT", conflicts_with = "ids")]
    pub prompt: Option<String>,

    /// Use this tokenizer.json or model of SentencePiece; `none` for tokens instead of text
    #[arg(long, value_name = "FILE", conflicts_with = "ids")]
    pub tokenizer: Option<PathBuf>,

    /// Treat each text as a message, with the chat template that belongs to the tokenizer
    #[arg(long, conflicts_with = "ids")]
    pub chat: bool,

    /// Treat each text as a message, with this template, written in Jinja
    #[arg(long, value_name = "FILE", conflicts_with = "ids")]
    pub template: Option<PathBuf>,

    /// Begin the chat with these instructions
    #[arg(long, value_name = "TEXT", conflicts_with = "ids")]
    pub system: Option<String>,

    /// End the answer before this text or at this token; can be repeated
    #[arg(long = "stop", value_name = "TEXT", conflicts_with = "ids")]
    pub stops: Vec<String>,
}

#[derive(Args)]
#[command(next_help_heading = "Choice of tokens")]
pub(crate) struct SamplingOptions {
    /// Divide logits by this; 0 always chooses the likeliest token
    #[arg(long, value_name = "T", default_value_t = 0.0, allow_negative_numbers = true)]
    temperature: f32,

    /// Choose among this many of the likeliest tokens; 0 for all
    #[arg(long, value_name = "K", default_value_t = 0)]
    top_k: usize,

    /// Choose among the likeliest tokens whose probabilities reach this sum
    #[arg(long, value_name = "P", default_value_t = 1.0, allow_negative_numbers = true)]
    top_p: f32,

    /// Choose among tokens with at least this part of the likeliest one's probability
    #[arg(long, value_name = "P", default_value_t = 0.0, allow_negative_numbers = true)]
    min_p: f32,

    /// Begin the random numbers here; the same seed gives the same answers
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

impl From<&SamplingOptions> for Sampling {
    fn from(options: &SamplingOptions) -> Self {
        let &SamplingOptions { temperature, top_k, top_p, min_p, seed } = options;
        Sampling { temperature, top_k, top_p, min_p, seed }
    }
}
