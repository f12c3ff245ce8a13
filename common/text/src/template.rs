//! Chat templates: messages to the text that a model was trained with.

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error as JinjaError, ErrorKind, Value, context};

use crate::error::{Error, Result};

/// Instructions that a template may run, so that a loop without an end is an error.
const FUEL: u64 = 10_000_000;

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Instructions that come before the conversation.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its author.
    pub role: Role,
    /// Its text.
    pub content: String,
}

impl Message {
    fn value(&self) -> Value {
        let role = match self.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        Value::from_pairs([("role", role), ("content", &*self.content)])
    }
}

/// Texts around the messages of each role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affixes {
    /// Before and after instructions.
    pub system: (String, String),
    /// Before and after the person's messages.
    pub user: (String, String),
    /// Before and after the model's messages. An answer follows the first.
    pub assistant: (String, String),
}

/// A chat template.
pub enum Template {
    /// Written in Jinja, as in `tokenizer_config.json`.
    Jinja(Box<Jinja>),
    /// A text before and one after each message.
    Affixes(Affixes),
}

/// A compiled template.
pub struct Jinja {
    environment: Environment<'static>,
}

/// The name under which an environment has its only template.
const NAME: &str = "chat template";

impl Template {
    /// A template in Jinja.
    ///
    /// # Errors
    /// The template is malformed.
    pub fn jinja(source: &str) -> Result<Self> {
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.map_err(failed)?);
        environment.set_fuel(Some(FUEL));
        environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_function("raise_exception", |text: String| -> Result<String, JinjaError> {
            Err(JinjaError::new(ErrorKind::InvalidOperation, text))
        });
        environment.add_template_owned(NAME, source.to_owned()).map_err(failed)?;
        Ok(Template::Jinja(Box::new(Jinja { environment })))
    }

    /// The text of the messages, up to where the model's answer begins. `start` and `stop` are the texts of the tokens
    /// that begin a text and end an answer.
    ///
    /// # Errors
    /// The template refuses the messages, or fails.
    pub fn render(&self, messages: &[Message], start: &str, stop: &str) -> Result<String> {
        match self {
            Template::Jinja(jinja) => {
                let messages: Vec<Value> = messages.iter().map(Message::value).collect();
                let values = context! { messages, add_generation_prompt => true, bos_token => start, eos_token => stop };
                jinja.environment.get_template(NAME).and_then(|chat| chat.render(values)).map_err(failed)
            }
            Template::Affixes(affixes) => {
                let around = |message: &Message| {
                    let (before, after) = affixes.of(message.role);
                    format!("{before}{}{after}", message.content)
                };
                let text: String = messages.iter().map(around).collect();
                Ok(text + &affixes.assistant.0)
            }
        }
    }

    /// Whether the template writes the start token itself.
    pub(crate) fn writes_start(&self) -> bool {
        matches!(self, Template::Jinja(_))
    }
}

impl Affixes {
    fn of(&self, role: Role) -> &(String, String) {
        match role {
            Role::System => &self.system,
            Role::User => &self.user,
            Role::Assistant => &self.assistant,
        }
    }
}

/// The error with its causes, the last of which often says most.
fn failed(error: JinjaError) -> Error {
    let mut text = format!("the chat template fails: {error}");
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        text += &format!(": {inner}");
        cause = inner.source();
    }
    Error::Template(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages() -> Vec<Message> {
        let message = |role, content: &str| Message { role, content: content.to_owned() };
        vec![
            message(Role::System, "Be brief. "),
            message(Role::User, " Hi"),
            message(Role::Assistant, "Hello"),
        ]
    }

    #[test]
    fn jinja_has_what_templates_of_models_use() {
        let source = "{%- if messages[0]['role'] == 'system' %}
            {%- set rest = messages[1:] %}{{ bos_token + messages[0].content.strip() }}
        {%- endif %}
        {%- for message in rest %}
            {%- if loop.last %}{% continue %}{% endif %}
            {{- '<' ~ message['role'].upper() + '>' + message['content'] | trim + eos_token }}
        {%- endfor %}
        {%- if add_generation_prompt %}{{ '<A>' }}{% endif %}
        {{- messages[1] | tojson }}{{ strftime_now is defined }}";
        let template = Template::jinja(source).expect("it is well-formed");
        assert_eq!(
            template.render(&messages(), "<s>", "</s>").expect("it fits"),
            "<s>Be brief.<USER>Hi</s><A>{\"content\": \" Hi\", \"role\": \"user\"}False"
        );
    }

    #[test]
    fn templates_that_fail_say_why() {
        let message = |source: &str| match Template::jinja(source) {
            Err(error) => error.to_string(),
            Ok(template) => template.render(&messages(), "", "").expect_err("it fails").to_string(),
        };
        let refused = message("{{ raise_exception('no system messages, please') }}");
        assert!(refused.contains("no system messages, please"), "{refused}");
        assert!(message("{% for %}").contains("syntax error"), "{}", message("{% for %}"));
        let endless =
            message("{% for a in range(10000) %}{% for b in range(10000) %}{% endfor %}{% endfor %}");
        assert!(endless.contains("fuel"), "{endless}");
        assert!(message("{{ messages.x.y }}").contains("undefined"), "{}", message("{{ messages.x.y }}"));
    }

    #[test]
    fn affixes_surround_each_message() {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let affixes =
            Affixes { system: pair("[", "]"), user: pair("<u>", "</u>"), assistant: pair("<m>", "</m>") };
        let text = Template::Affixes(affixes).render(&messages(), "<s>", "</s>").expect("it cannot fail");
        assert_eq!(text, "[Be brief. ]<u> Hi</u><m>Hello</m><m>");
    }
}
