//! Conversations in text.

use arenite_language::{Answer as Tokens, Reason, Sampler, Session, StopWords};

use crate::error::{Error, Result};
use crate::pieces::Pieces;
use crate::template::{Message, Role, Template};
use crate::tokenizer::Tokenizer;

/// When an answer ends. The tokenizer's stop tokens end it, too.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// After this many tokens.
    pub count: usize,
    /// At one of these tokens.
    pub stop_ids: Vec<u32>,
    /// Before one of these texts. One that is the text of a token such as `<end_of_turn>` means the token.
    pub stops: Vec<String>,
}

impl Request {
    /// An answer of at most `count` tokens.
    pub fn of(count: usize) -> Self {
        Request { count, ..Request::default() }
    }
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// As for tokens.
    Tokens(Reason),
    /// A stop text would follow.
    StopText,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its text, without what ended it.
    pub text: String,
    /// Why it ended.
    pub end: End,
    /// Its tokens, including stop tokens, and the time they took.
    pub tokens: Tokens,
}

/// A conversation: a session, a tokenizer, and the texts so far.
///
/// Without a template, each text continues what precedes it. With a template, each text is a message.
pub struct Conversation {
    session: Session,
    tokenizer: Tokenizer,
    chat: Option<Chat>,
    /// All tokens so far, without a template.
    context: Vec<u32>,
}

struct Chat {
    template: Template,
    messages: Vec<Message>,
}

impl Conversation {
    /// A conversation without a template.
    ///
    /// # Errors
    /// The tokenizer has tokens that the model lacks.
    pub fn new(session: Session, tokenizer: Tokenizer) -> Result<Self> {
        let (own, model) = (tokenizer.vocabulary(), session.vocabulary());
        if own > model {
            return Err(Error::Vocabulary { tokenizer: own, model });
        }
        Ok(Conversation { session, tokenizer, chat: None, context: Vec::new() })
    }

    /// Makes it a chat: each text is a message, after instructions if there are any.
    #[must_use]
    pub fn with_template(mut self, template: Template, system: Option<&str>) -> Self {
        let system = system.map(|text| Message { role: Role::System, content: text.to_owned() });
        self.chat = Some(Chat { template, messages: system.into_iter().collect() });
        self
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Answers a text. `proceed` gets the pieces of the answer, and an empty text before each invocation; the answer
    /// ends if it returns `false`.
    ///
    /// # Errors
    /// The tokens do not fit into the caches, or the tokenizer, the template or the model fails. Then the text is not
    /// part of the conversation.
    pub fn answer(
        &mut self,
        text: &str,
        sampler: &mut Sampler,
        request: &Request,
        proceed: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Answer> {
        if let Some(chat) = &mut self.chat {
            chat.messages.push(Message { role: Role::User, content: text.to_owned() });
        }
        let answer =
            self.tokens_of(text).and_then(|context| self.continued(context, sampler, request, proceed));
        if let (Some(chat), Err(_)) = (&mut self.chat, &answer) {
            chat.messages.pop();
        }
        let (context, answer) = answer?;
        match &mut self.chat {
            Some(chat) => {
                chat.messages.push(Message { role: Role::Assistant, content: answer.text.trim().to_owned() });
            }
            None => self.context = [context, answer.tokens.ids.clone()].concat(),
        }
        Ok(answer)
    }

    /// All tokens before the answer.
    fn tokens_of(&self, text: &str) -> Result<Vec<u32>> {
        let Some(Chat { template, messages }) = &self.chat else {
            return match self.context.is_empty() {
                true => self.tokenizer.encode(text),
                false => Ok([&*self.context, &self.tokenizer.encode_more(text)?].concat()),
            };
        };
        let name = |id: Option<u32>| id.and_then(|id| self.tokenizer.special_text(id)).unwrap_or_default();
        let start = self.tokenizer.start();
        let text = template.render(messages, name(start), name(self.tokenizer.stops().first().copied()))?;
        let ids = self.tokenizer.encode_rendered(&text)?;
        let start = if template.writes_start() { None } else { start };
        Ok(start.into_iter().chain(ids).collect())
    }

    /// Generates the answer to the context.
    fn continued(
        &mut self,
        context: Vec<u32>,
        sampler: &mut Sampler,
        request: &Request,
        proceed: &mut dyn FnMut(&str) -> bool,
    ) -> Result<(Vec<u32>, Answer)> {
        let Conversation { session, tokenizer, chat, .. } = self;
        let (wanted, stops) = ends(tokenizer, request);
        let mut shown = ShownText {
            pieces: Pieces::after(tokenizer, &context)?,
            stops,
            text: String::new(),
            is_trimmed: chat.is_some(),
        };
        let mut failure = None;
        let tokens = session.generate(&context, sampler, &wanted, &mut |id| {
            let Some(id) = id else { return proceed("") };
            if wanted.stop_ids.contains(&id) {
                return true;
            }
            match shown.pieces.push(tokenizer, id) {
                Ok(piece) => proceed(shown.take(&piece)) && !shown.stops.has_stopped(),
                Err(error) => {
                    failure = Some(error);
                    false
                }
            }
        })?;
        if let Some(failure) = failure {
            return Err(failure);
        }
        shown.finish(tokenizer, proceed)?;
        let end = if shown.stops.has_stopped() { End::StopText } else { End::Tokens(tokens.reason) };
        Ok((context, Answer { text: shown.text, end, tokens }))
    }
}

/// The tokens that end an answer, and the texts that do.
fn ends(tokenizer: &Tokenizer, request: &Request) -> (arenite_language::Request, StopWords) {
    let (named, texts): (Vec<_>, Vec<_>) =
        request.stops.iter().partition(|text| tokenizer.special(text).is_some());
    let named: Vec<u32> = named.into_iter().filter_map(|text| tokenizer.special(text)).collect();
    let stop_ids = [&*named, &request.stop_ids, tokenizer.stops()].concat();
    let texts = texts.into_iter().chain(tokenizer.stop_texts()).cloned();
    (arenite_language::Request { count: request.count, stop_ids }, StopWords::new(texts))
}

/// The text of an answer while it grows.
struct ShownText {
    pieces: Pieces,
    stops: StopWords,
    text: String,
    /// Whether spaces at the beginning are skipped.
    is_trimmed: bool,
}

impl ShownText {
    /// Adds a piece, up to a stop text, and returns what can be shown.
    fn take(&mut self, piece: &str) -> &str {
        let piece = self.stops.push(piece);
        self.add(piece)
    }

    /// Shows the text that waits, unless a stop text ended the answer.
    fn finish(&mut self, tokenizer: &Tokenizer, proceed: &mut dyn FnMut(&str) -> bool) -> Result<()> {
        if !self.stops.has_stopped() {
            let rest = self.pieces.finish(tokenizer)?;
            proceed(self.take(&rest));
            let rest = self.stops.finish();
            proceed(self.add(rest));
        }
        Ok(())
    }

    fn add(&mut self, piece: String) -> &str {
        let at = self.text.len();
        match self.is_trimmed && self.text.is_empty() {
            true => self.text.push_str(piece.trim_start()),
            false => self.text.push_str(&piece),
        }
        &self.text[at..]
    }
}
