//! Turns of text.

use std::path::Path;

use arenite_language::{Sampler, Session};
use arenite_litertlm::Container;
use arenite_text::{Conversation, End, Request, Template, Tokenizer, find_tokenizer};

use super::arguments::{Arguments, TextOptions};
use super::report::{Given, Turn};
use super::turns::Talk;
use crate::answer::{Failure, Result};

/// A conversation in text.
pub(super) struct Texts {
    conversation: Conversation,
    sampler: Sampler,
    request: Request,
}

impl Texts {
    pub(super) fn new(
        arguments: &Arguments,
        tokenizer: Tokenizer,
        session: Session,
        sampler: Sampler,
    ) -> Result<Self> {
        let options = &arguments.text;
        let template = template(options, &tokenizer)?;
        let mut conversation = Conversation::new(session, tokenizer)?;
        if let Some(template) = template {
            conversation = conversation.with_template(template, options.system.as_deref());
        }
        let request = Request {
            count: arguments.count,
            stop_ids: arguments.stop_ids.clone(),
            stops: options.stops.clone(),
        };
        Ok(Texts { conversation, sampler, request })
    }
}

impl Talk for Texts {
    fn session(&self) -> &Session {
        self.conversation.session()
    }

    fn answer(&mut self, line: &str, show: &mut dyn FnMut(&str) -> bool) -> Result<Turn> {
        let answer = self.conversation.answer(line, &mut self.sampler, &self.request, show)?;
        let given = Given::Text { prompt: line.to_owned(), text: answer.text };
        let mut turn = Turn::new(given, answer.tokens);
        if answer.end == End::StopText {
            turn.end = "stop text";
        }
        Ok(turn)
    }
}

/// The tokenizer that the options name, or the one next to the model. `None` if turns are tokens.
pub(super) fn tokenizer(arguments: &Arguments) -> Result<Option<Tokenizer>> {
    let options = &arguments.text;
    let needs = options.prompt.is_some() || is_chat(options) || !options.stops.is_empty();
    let path = match &options.tokenizer {
        _ if !arguments.ids.is_empty() => return Ok(None),
        Some(path) if path == Path::new("none") => None,
        Some(path) => Some(path.clone()),
        None => match of_container(&arguments.model)? {
            Some(tokenizer) => return Ok(Some(tokenizer)),
            None => find_tokenizer(&arguments.model),
        },
    };
    match path {
        Some(path) => Ok(Some(Tokenizer::from_file(&path)?)),
        None if needs => Err(Failure::new(format!(
            "{}: text needs a tokenizer, and none is next to the model: name a tokenizer.json or a model of \
             SentencePiece with --tokenizer",
            arguments.model.display()
        ))),
        None => Ok(None),
    }
}

/// The tokenizer in a container.
fn of_container(model: &Path) -> Result<Option<Tokenizer>> {
    if !Container::is_at(model) {
        return Ok(None);
    }
    let container = Container::open(model).map_err(|error| Failure::with(model.display(), error))?;
    Tokenizer::of_container(&container).map_err(|error| Failure::with(model.display(), error))
}

fn is_chat(options: &TextOptions) -> bool {
    options.chat || options.template.is_some() || options.system.is_some()
}

/// The chat template, if texts are messages.
fn template(options: &TextOptions, tokenizer: &Tokenizer) -> Result<Option<Template>> {
    if let Some(path) = &options.template {
        let source = std::fs::read_to_string(path).map_err(|error| Failure::with(path.display(), error))?;
        return Ok(Some(Template::jinja(&source).map_err(|error| Failure::with(path.display(), error))?));
    }
    if !is_chat(options) {
        return Ok(None);
    }
    let template = tokenizer.template()?.ok_or_else(|| {
        Failure::new(
            "a chat needs a template, and none belongs to the tokenizer (chat_template.jinja, or chat_template in \
             tokenizer_config.json): name one with --template",
        )
    })?;
    Ok(Some(template))
}

impl From<arenite_text::Error> for Failure {
    fn from(error: arenite_text::Error) -> Self {
        Failure::new(error.to_string())
    }
}
