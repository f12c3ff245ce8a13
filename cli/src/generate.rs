//! `arenite generate`: lets a language model continue text or tokens.

mod arguments;
mod report;
#[cfg(feature = "text")]
mod texts;
mod tokens;
mod turns;

use std::time::Instant;

use arenite_language::{Request, Sampler, Sampling, Session};

pub(crate) use self::arguments::Arguments;
use self::tokens::Tokens;
use self::turns::Turns;
use crate::answer::{Answer, Failure, Result};

/// Runs the command.
pub(crate) fn generate(arguments: &Arguments) -> Result<Answer> {
    let begin = Instant::now();
    let sampler = Sampler::new(&Sampling::from(&arguments.sampling))?;
    #[cfg(feature = "text")]
    let tokenizer = texts::tokenizer(arguments)?;
    let model = arguments.loading.model(&arguments.model)?;
    let interpreter = arguments.common.interpreter(&model)?;
    let session =
        Session::new(interpreter).map_err(|error| Failure::with(arguments.model.display(), error))?;
    #[cfg(feature = "text")]
    if let Some(tokenizer) = tokenizer {
        let talk = texts::Texts::new(arguments, tokenizer, session, sampler)?;
        let prompt = arguments.text.prompt.as_deref();
        return Turns::new(arguments, talk)?.run(prompt, begin.elapsed());
    }
    let request = Request { count: arguments.count, stop_ids: arguments.stop_ids.clone() };
    let ids: Vec<String> = arguments.ids.iter().map(u32::to_string).collect();
    let first = (!ids.is_empty()).then(|| ids.join(","));
    Turns::new(arguments, Tokens::new(session, sampler, request))?.run(first.as_deref(), begin.elapsed())
}

impl From<arenite_language::Error> for Failure {
    fn from(error: arenite_language::Error) -> Self {
        Failure::new(error.to_string())
    }
}
