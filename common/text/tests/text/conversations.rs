//! Conversations: where answers end, turns, templates, and errors.

use arenite::{Interpreter, Model};
use arenite_builtin as _;
use arenite_language::{Reason, Sampler, Sampling, Session};
use arenite_text::{Affixes, Conversation, End, Error, Request, Settings, Template, Tokenizer};

use crate::{PAIRS, pairs, tiny};

fn session() -> Session {
    let model = Model::from_bytes(tiny::model(tiny::Form::default())).expect("it is valid");
    let interpreter = Interpreter::builder(&model).threads(1).build().expect("its ops are known");
    Session::new(interpreter).expect("it is a language model")
}

fn greedy() -> Sampler {
    Sampler::new(&Sampling::default()).expect("it has no options")
}

/// The tokens that the model alone chooses after these.
fn chosen(context: &[u32], count: usize) -> Vec<u32> {
    let request = arenite_language::Request::of(count);
    session().generate(context, &mut greedy(), &request, &mut |_| true).expect("they fit").ids
}

fn conversation() -> Conversation {
    // The model likes some tokens more than the end, so the tests choose where answers end.
    let tokenizer = Tokenizer::from_bytes(PAIRS.as_bytes(), Settings::default()).expect("it is well-formed");
    Conversation::new(session(), tokenizer).expect("the vocabularies agree")
}

#[test]
fn answers_are_the_text_of_the_models_tokens() {
    let mut conversation = conversation();
    let mut shown = String::new();
    let answer = conversation
        .answer("a ab", &mut greedy(), &Request::of(5), &mut |piece| {
            shown += piece;
            true
        })
        .expect("it fits");
    let ids = chosen(&[0, 5, 5, 3], 5);
    assert_eq!((&answer.tokens.ids, answer.end), (&ids, End::Tokens(Reason::Count)));
    let whole = pairs().decode(&[&[0, 5, 5, 3], &*ids].concat()).expect("they exist");
    assert_eq!(shown, String::from_utf8_lossy(&whole[4..]));
    assert_eq!(answer.text, shown);
    // The next turn continues, without a start token.
    let more = conversation.answer("b", &mut greedy(), &Request::of(1), &mut |_| true).expect("it fits");
    assert_eq!(more.tokens.ids, chosen(&[&[0, 5, 5, 3], &*ids, &[4, 3]].concat(), 1));
    assert_eq!(more.tokens.prefill.tokens, 3);
}

#[test]
fn stop_texts_and_stop_tokens_are_left_out() {
    let whole = conversation().answer("ab", &mut greedy(), &Request::of(6), &mut |_| true).expect("it fits");
    let at = whole.text.char_indices().nth(2).expect("it has some characters").0;
    let stop = whole.text[at..].chars().take(2).collect::<String>();
    let first = whole.text.find(&stop).expect("the answer contains it");
    let request = Request { stops: vec!["never".into(), stop], ..Request::of(6) };
    let answer = conversation().answer("ab", &mut greedy(), &request, &mut |_| true).expect("it fits");
    assert_eq!((answer.text.as_str(), answer.end), (&whole.text[..first], End::StopText));

    let stop = whole.tokens.ids[2];
    let before = whole.tokens.ids.iter().position(|&id| id == stop).expect("the answer contains it");
    let request = Request { stop_ids: vec![stop], ..Request::of(6) };
    let answer = conversation().answer("ab", &mut greedy(), &request, &mut |_| true).expect("it fits");
    assert_eq!((answer.tokens.ids.len(), answer.end), (before + 1, End::Tokens(Reason::StopId)));
    assert!(whole.text.starts_with(&answer.text) && answer.text.len() < whole.text.len());
}

#[test]
fn the_caller_can_end_an_answer() {
    let mut pieces = 0;
    let answer = conversation().answer("ab", &mut greedy(), &Request::of(6), &mut |piece| {
        pieces += usize::from(!piece.is_empty());
        pieces < 2
    });
    let answer = answer.expect("it fits");
    assert_eq!(answer.end, End::Tokens(Reason::Caller));
    assert!(answer.tokens.ids.len() < 6);
}

#[test]
fn a_chat_is_rendered_again_each_turn() {
    let template = "{{ bos_token }}{% for m in messages %}{{ 'a' if m.role == 'user' else 'b' }}{{ m.content }}{% endfor %}";
    let chat = |template| conversation().with_template(template, None);
    let mut jinja = chat(Template::jinja(template).expect("it is well-formed"));
    let first = jinja.answer("b", &mut greedy(), &Request::of(2), &mut |_| true).expect("it fits");
    let context = pairs().encode_rendered("<s>ab").expect("it has tokens");
    assert_eq!(first.tokens.ids, chosen(&context, 2));
    let second = jinja.answer("c", &mut greedy(), &Request::of(1), &mut |_| true).expect("it fits");
    let context = format!("<s>abb{}ac", first.text.trim());
    assert_eq!(second.tokens.ids, chosen(&pairs().encode_rendered(&context).expect("it has tokens"), 1));

    let pair = |a: &str| (a.to_owned(), String::new());
    let affixes = Affixes { system: pair(""), user: pair("a"), assistant: pair("b") };
    let mut plain = chat(Template::Affixes(affixes));
    let answer = plain.answer("", &mut greedy(), &Request::of(2), &mut |_| true).expect("it fits");
    assert_eq!(
        answer.tokens.ids,
        chosen(&[&[0][..], &pairs().encode_more("ab").expect("it has tokens")].concat(), 2)
    );
}

#[test]
fn a_text_that_fails_is_not_part_of_the_conversation() {
    let template = "{{ raise_exception('empty') if messages[-1].content == '' }}{% for m in messages %}{{ m.content }}{% endfor %}";
    let mut chat = conversation().with_template(Template::jinja(template).expect("it is well-formed"), None);
    let mut answer = |text: &str| chat.answer(text, &mut greedy(), &Request::of(1), &mut |_| true);
    assert!(matches!(answer(""), Err(Error::Template(text)) if text.contains("empty")));
    let long = answer("c c c c c c c").expect_err("it is too long").to_string();
    assert!(long.contains("14 tokens do not fit") && long.contains("12 positions"), "{long}");
    assert_eq!(answer("a").expect("it fits").tokens.ids, chosen(&[5], 1));
}

#[test]
fn the_tokenizer_must_not_have_more_tokens_than_the_model() {
    let more = PAIRS.replace("\"c\": 10", "\"c\": 10, \"d\": 11");
    let tokenizer = Tokenizer::from_bytes(more.as_bytes(), Settings::default()).expect("it is well-formed");
    let error = Conversation::new(session(), tokenizer).map(drop).expect_err("the model has 11");
    assert!(matches!(error, Error::Vocabulary { tokenizer: 12, model: 11 }));
    assert!(error.to_string().contains("12 tokens, the model's vocabulary 11"), "{error}");
}
