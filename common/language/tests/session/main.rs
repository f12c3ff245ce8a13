//! Sessions with a tiny model, and with the models of `ARENITE_SHARED` or `../shared`, if they exist.

mod levels;
mod shared;
mod tiny;

use arenite::model_file::tensor_type::INT32;
use arenite::{Interpreter, Model};
use arenite_builtin as _;
use arenite_language::{Error, Reason, Request, Result, Sampler, Sampling, Session};

use tiny::{CAPACITY, Form, VOCABULARY};

fn open(form: Form) -> Result<Session> {
    let model = Model::from_bytes(tiny::model(form)).expect("the model is valid");
    Session::new(Interpreter::builder(&model).threads(1).build()?)
}

fn session() -> Session {
    open(Form::default()).expect("it is a language model")
}

fn greedy() -> Sampler {
    Sampler::new(&Sampling::default()).expect("the options are in range")
}

const IDS: [u32; 9] = [3, 1, 4, 1, 5, 9, 2, 6, 10];

/// The logits after `ids`, one token at a time.
fn plain(ids: &[u32]) -> Vec<f32> {
    let mut session = session();
    ids.iter().for_each(|&id| session.append(&[id]).expect("there is room"));
    session.logits().expect("tokens were given").to_vec()
}

#[test]
fn prefill_and_decode_give_the_logits_of_decode_alone() {
    for count in 1..=IDS.len() {
        for form in [
            Form::default(),
            Form { logits: true, ..Form::default() },
            Form { mask: Some(12), ..Form::default() },
        ] {
            let mut session = open(form).expect("it is a language model");
            session.append(&IDS[..count]).expect("there is room");
            assert_eq!(session.tokens(), &IDS[..count]);
            assert_eq!(session.logits().expect("tokens were given"), plain(&IDS[..count]), "{count}");
        }
    }
}

#[test]
fn the_largest_prefill_that_fits_is_taken() {
    let mut session = session();
    let mut invocations = 0;
    session
        .append_while(&IDS, &mut || {
            invocations += 1;
            true
        })
        .expect("there is room");
    // 4 + 4 + 1: two prefills and decode.
    assert_eq!(invocations, 3);
    let mut invocations = 0;
    let done = session.set_tokens_while(&[&IDS[..3], &[7, 7, 7, 7]].concat(), &mut || {
        invocations += 1;
        invocations < 2
    });
    // The first three stay; of four, decode needs the last: a prefill of 2, and then the caller ends it.
    assert_eq!((done.expect("there is room"), session.tokens()), (2, &[3, 1, 4, 7, 7][..]));
}

#[test]
fn truncated_tokens_are_forgotten() {
    let mut session = session();
    session.append(&IDS).expect("there is room");
    session.truncate(4);
    assert!(matches!(session.logits(), Err(Error::Empty)));
    session.append(&[8]).expect("there is room");
    assert_eq!(session.logits().expect("tokens were given"), plain(&[3, 1, 4, 1, 8]));
    session.set_tokens(&[3, 1]).expect("there is room");
    assert_eq!(session.logits().expect("tokens were given"), plain(&[3, 1]));
    session.set_tokens(&[3, 1]).expect("nothing changes");
    assert_eq!(session.tokens(), &[3, 1]);
    assert!(matches!(session.set_tokens(&[]), Err(Error::Empty)));
}

#[test]
fn a_saved_state_is_continued_elsewhere() {
    let mut first = session();
    first.append(&IDS[..5]).expect("there is room");
    let state = first.save().expect("it is prepared");
    first.append(&[7, 7]).expect("there is room");
    let mut second = session();
    second.append(&[2, 2, 2]).expect("there is room");
    second.restore(&state).expect("the model is the same");
    assert_eq!((second.tokens(), state.tokens()), (&IDS[..5], &IDS[..5]));
    assert_eq!(second.logits().expect("they were saved"), plain(&IDS[..5]));
    second.append(&IDS[5..]).expect("there is room");
    assert_eq!(second.logits().expect("tokens were given"), plain(&IDS));
    assert_eq!(first.logits().expect("tokens were given"), plain(&[&IDS[..5], &[7, 7]].concat()));
}

#[test]
fn an_answer_ends_by_count_stop_id_caller_or_full_caches() {
    let answer = |request: Request, until: usize| {
        let mut shown = Vec::new();
        let mut session = session();
        let answer = session
            .generate(&IDS[..5], &mut greedy(), &request, &mut |id| {
                shown.extend(id);
                shown.len() < until
            })
            .expect("there is room");
        assert_eq!(answer.ids, shown);
        (answer, session.tokens().len())
    };
    let (by_count, held) = answer(Request::of(4), 99);
    assert_eq!((by_count.reason, by_count.ids.len(), held), (Reason::Count, 4, 8));
    assert_eq!((by_count.prefill.tokens, by_count.decode.tokens), (5, 3));
    let mut wanted = Vec::new();
    for _ in 0..4 {
        let logits = plain(&[&IDS[..5], &wanted].concat());
        wanted.push(greedy().choose(&logits).expect("they are numbers"));
    }
    assert_eq!(by_count.ids, wanted);

    let stop_ids = vec![wanted[2]];
    let end = wanted.iter().position(|id| *id == wanted[2]).expect("it was chosen") + 1;
    let (by_id, _) = answer(Request { count: 9, stop_ids }, 99);
    assert_eq!((by_id.reason, &by_id.ids[..]), (Reason::StopId, &wanted[..end]));
    let (by_caller, _) = answer(Request::of(9), 2);
    assert_eq!((by_caller.reason, &by_caller.ids[..]), (Reason::Caller, &wanted[..2]));
    let (full, held) = answer(Request::of(99), 99);
    assert_eq!((full.reason, full.ids.len(), held), (Reason::Full, CAPACITY - 5 + 1, CAPACITY));
}

#[test]
fn tokens_beyond_the_vocabulary_and_beyond_the_caches_are_errors() {
    let mut session = session();
    assert_eq!((session.vocabulary(), session.capacity()), (VOCABULARY, CAPACITY));
    let error = session.append(&[0, 11]).expect_err("token 11 does not exist").to_string();
    assert_eq!(error, "token 11 does not exist; the model's vocabulary has 11, from 0");
    let error = session.append(&[0; 13]).expect_err("13 do not fit").to_string();
    assert!(error.starts_with("13 tokens do not fit into the model's caches of 12 positions"), "{error}");
    assert!(session.tokens().is_empty());
    session.append(&[0; 12]).expect("12 fit");
    assert!(matches!(session.append(&[0]), Err(Error::Full { needed: 13, capacity: 12 })));
}

#[test]
fn masks_of_other_shapes_and_types_are_refused() {
    let masked = Form { mask: Some(CAPACITY as i32), ..Form::default() };
    assert!(open(masked).is_ok());
    let message = |form| open(form).map(drop).expect_err("its mask does not fit").to_string();
    assert_eq!(
        message(Form { mask: Some(9), ..masked }),
        "signature 'decode': its caches do not have the same number of positions: 'kv_cache_k_0' has shape \
         [1, 12, 11], 9 positions are expected, since mask 'mask' has shape [1, 1, 1, 9]"
    );
    assert_eq!(
        message(Form { other_mask: Some(9), ..masked }),
        "signature 'prefill_4': mask 'mask' has shape [1, 1, 4, 9]; its rows must have one column for each of the \
         caches' 12 positions"
    );
    assert_eq!(
        message(Form { more_rows: 1, ..masked }),
        "signature 'decode': mask 'mask' has shape [1, 1, 2, 12]; it must have as many rows as tokens, 1"
    );
    assert_eq!(
        message(Form { mask_type: Some(INT32), ..masked }),
        "signature 'decode': mask 'mask' is INT32; it must be FLOAT32, FLOAT16 or BOOL"
    );
}

#[test]
fn models_that_lack_a_part_are_refused_with_its_name() {
    let message = |form| open(form).map(drop).expect_err("it lacks a part").to_string();
    let found = message(Form { no_decode: true, ..Form::default() });
    assert!(found.contains("no signature 'decode'") && found.contains("'prefill_2', 'prefill_4'"), "{found}");
    let found = message(Form { positions: Some("where"), ..Form::default() });
    assert!(
        found.starts_with("signature 'decode': it has no input 'input_pos'; its inputs: 'tokens', 'where'"),
        "{found}"
    );
    let found = message(Form { extra: true, ..Form::default() });
    assert!(found.contains("input 'lora_a' is neither tokens, positions, mask nor a cache"), "{found}");
    let found = message(Form { other_capacity: Some(14), ..Form::default() });
    assert_eq!(
        found,
        "signature 'prefill_4': cache 'kv_cache_k_0' has shape [1, 14, 11], in 'decode' [1, 12, 11]"
    );
    let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/digits/digits_f32.tflite");
    let model = Model::from_file(digits).expect("the example is valid");
    let interpreter = Interpreter::builder(&model).build().expect("it can be built");
    let found = Session::new(interpreter).map(drop).expect_err("it knows no tokens").to_string();
    assert!(found.contains("no signature 'decode'"), "{found}");
}
