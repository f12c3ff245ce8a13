//! Containers: round trips, and malformed containers.
#![forbid(unsafe_code)]

use std::fs::File;
use std::io::Write;

use arenite_litertlm::{Affixes, Container, Ids, Kind, Message, Metadata, Pair, Part, Token, Value, write};
use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Bytes in a file that is open for reading.
fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().expect("there is room");
    file.write_all(bytes).expect("there is room");
    file
}

fn read(bytes: &[u8]) -> Container {
    Container::read(file(bytes)).expect("it is valid")
}

fn refused(bytes: &[u8]) -> String {
    Container::read(file(bytes)).map(drop).expect_err("it is malformed").to_string()
}

fn compressed(text: &[u8], length: u64) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(length.to_le_bytes().to_vec(), Compression::default());
    encoder.write_all(text).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

fn metadata() -> Metadata {
    let pair = |prefix: &str| Some(Pair { prefix: prefix.into(), suffix: "\n".into() });
    Metadata {
        start: Some(Token { ids: Some(Ids { ids: vec![2] }), text: None }),
        stops: vec![Token::of("<end_of_turn>"), Token { ids: Some(Ids { ids: vec![5, 6] }), text: None }],
        affixes: Some(Affixes { user: pair("u"), model: pair("m"), system: None }),
        max_tokens: 1024,
        template: Some("{{ bos_token }}".into()),
    }
}

fn example() -> Vec<u8> {
    let part = |kind, bytes| Part { kind, items: &[], bytes };
    write(&[
        part(Kind::METADATA, &metadata().encode_to_vec()),
        part(Kind::TOKENIZER_JSON, &compressed(b"{\"a\": 1}", 8)),
        Part { kind: Kind::MODEL, items: &[("model_type", "tf_lite_embedder")], bytes: b"embedder" },
        Part { kind: Kind::MODEL, items: &[("model_type", "tf_lite_prefill_decode")], bytes: b"model" },
        part(Kind(77), b"new"),
    ])
}

#[test]
fn what_is_written_is_read() {
    let container = read(&example());
    assert_eq!(container.version[0], 1);
    assert_eq!(container.metadata().expect("it exists"), metadata());
    assert_eq!(container.tokenizer().expect("it is valid").as_deref(), Some(&b"{\"a\": 1}"[..]));
    let model = container.model().expect("one takes tokens");
    assert_eq!(model.items, [("model_type".to_owned(), Value::Text("tf_lite_prefill_decode".into()))]);
    assert_eq!((model.length(), model.begin % (16 << 10)), (5, 0));
    assert_eq!(container.bytes(model).expect("it exists"), b"model");
    let unknown = &container.sections[4];
    assert_eq!(
        (unknown.kind.to_string(), container.bytes(unknown).expect("it exists")),
        ("kind 77".into(), b"new".to_vec())
    );
    let stops = metadata().stops;
    assert_eq!((stops[0].id(), stops[1].id(), stops[1].sequence()), (None, None, Some(vec![5, 6])));

    let empty = read(&write(&[]));
    assert_eq!((empty.sections.len(), empty.metadata().expect("none is needed")), (0, Metadata::default()));
    assert_eq!(empty.tokenizer().expect("none is needed"), None);
}

#[test]
fn weights_belong_to_the_model_of_their_type() {
    let part = |kind, items, bytes| Part { kind, items, bytes };
    let container = read(&write(&[
        part(Kind::WEIGHTS, &[("model_type", "tf_lite_embedder")], b"embedder"),
        part(Kind::WEIGHTS, &[("model_type", "tf_lite_prefill_decode")], b"weights"),
        part(Kind::MODEL, &[("model_type", "tf_lite_prefill_decode")], b"model"),
    ]));
    let model = container.model().expect("there is one");
    let weights = container.weights(model).expect("there are some");
    assert_eq!(container.bytes(weights).expect("they are readable"), b"weights");
    let other =
        read(&write(&[part(Kind::WEIGHTS, &[("model_type", "x")], b"x"), part(Kind::MODEL, &[], b"m")]));
    assert_eq!(other.weights(other.model().expect("there is one")), None);
}

#[test]
fn the_choice_among_models_must_be_clear() {
    let model = |items| Part { kind: Kind::MODEL, items, bytes: b"x" };
    let two = read(&write(&[model(&[("model_type", "tf_lite_embedder")]), model(&[])]));
    let message = two.model().expect_err("neither is named").to_string();
    assert!(message.contains("2 models (tf_lite_embedder, no model_type)"), "{message}");
    assert!(read(&write(&[])).model().expect_err("it has no model").to_string().contains("0 models"));
}

/// Where a section's place is written: the last 8 bytes with this value in the header.
fn place(bytes: &[u8], value: u64) -> usize {
    let at = bytes[..600].windows(8).rposition(|window| window == value.to_le_bytes());
    at.expect("the header has it")
}

#[test]
fn places_outside_the_file_or_inside_others_are_errors() {
    let bytes = example();
    let container = read(&bytes);
    let (first, second) = (&container.sections[0], &container.sections[1]);
    let changed = |old: u64, new: u64| {
        let mut bytes = bytes.clone();
        let at = place(&bytes, old);
        bytes[at..at + 8].copy_from_slice(&new.to_le_bytes());
        refused(&bytes)
    };
    let length = bytes.len();
    for end in [length as u64 + 1, u64::MAX, first.begin - 1] {
        let message = changed(first.end, end);
        assert!(
            message
                .contains(&format!("section 0 (language model's metadata) is from {} to {end}", first.begin)),
            "{message}"
        );
        assert!(message.contains(&format!("the file at {length}")), "{message}");
    }
    assert!(changed(first.begin, 40).contains("section 0 (language model's metadata) is from 40"));
    let message = changed(first.end, second.begin + 1);
    assert!(
        message.contains(&format!(
            "section 0 ends at {}, after section 1 begins at {}",
            second.begin + 1,
            second.begin
        )),
        "{message}"
    );
}

#[test]
fn malformed_headers_are_errors() {
    let bytes = example();
    let with = |at: usize, new: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[at..at + new.len()].copy_from_slice(new);
        refused(&bytes)
    };
    assert_eq!(refused(b"LITERTLM"), "not a valid container: it has 8 bytes, at least 32 are needed");
    assert!(with(0, b"M").contains("does not begin with LITERTLM"));
    assert!(with(8, &[2]).contains("its major version is 2, only 1 is known"));
    assert!(with(24, &[31, 0]).contains("its header ends at 31; it must end from 32"));
    assert!(with(24, &u64::MAX.to_le_bytes()).contains(&u64::MAX.to_string()));
    assert!(with(32, &u32::MAX.to_le_bytes()).contains("are needed"));
    assert!(
        with(24, &[32, 0]).contains("the header has 0 bytes, 4 at 0 are needed"),
        "{}",
        with(24, &[32, 0])
    );
}

#[test]
fn badly_compressed_tokenizers_are_errors() {
    let message = |bytes: &[u8]| {
        let part = Part { kind: Kind::TOKENIZER_JSON, items: &[], bytes };
        read(&write(&[part])).tokenizer().map(drop).expect_err("it is malformed").to_string()
    };
    assert!(message(b"short").contains("has no length"));
    assert!(message(&compressed(b"abc", 2)).contains("has 3 bytes instead of 2"));
    assert!(message(&compressed(b"abc", 4)).contains("has 3 bytes instead of 4"));
    assert!(message(&compressed(b"abc", 1 << 40)).contains("at most 268435456"));
    assert!(message(&[3, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]).contains("badly compressed"));
    let part = Part { kind: Kind::METADATA, items: &[], bytes: &[0xff, 0xff] };
    let error = read(&write(&[part])).metadata().expect_err("it is malformed").to_string();
    assert!(error.contains("the language model's metadata: "), "{error}");
    let part = Part { kind: Kind::SENTENCEPIECE, items: &[], bytes: &[] };
    assert!(
        read(&write(&[part])).tokenizer().expect_err("it is empty").to_string().contains("it has 0 bytes")
    );
}

/// Each of ten thousand mutants of header and sections is an error, or can be read.
#[test]
fn mutants_are_refused_or_read() {
    let seed = example();
    let header = read(&seed).sections[0].begin as usize;
    let mut random = 9u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    let (mut accepted, places) = (0, 400.min(header));
    for _ in 0..10_000 {
        let mut bytes = seed.clone();
        for _ in 0..1 + next(3) {
            let at = if next(4) == 0 { header + next(bytes.len() - header) } else { next(places) };
            match next(4) {
                0 => bytes[at] = bytes[at].wrapping_add(1),
                1 => bytes[at] ^= 1 << next(8),
                2 => bytes[at] = [0, 0x7f, 0x80, 0xff][next(4)],
                _ => bytes.truncate(at + 1),
            }
            if bytes.len() <= header {
                break;
            }
        }
        let Ok(container) = Container::read(file(&bytes)) else { continue };
        accepted += 1;
        drop(container.model());
        drop(container.metadata());
        drop(container.tokenizer());
        container.sections.iter().for_each(|section| drop(container.bytes(section)));
    }
    assert!((100..9_900).contains(&accepted), "{accepted}");
}
