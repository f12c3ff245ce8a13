//! Tokens of texts and texts of tokens; malformed tokenizers.

use arenite_text::{Pieces, Settings, Tokenizer};

use crate::{PAIRS, pairs};

/// A field of a message: its number and wire type, and bytes preceded by their length.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let (low, high) = (bytes.len() as u8 | 0x80, u8::try_from(bytes.len() >> 7).expect("it is short"));
    [&[number << 3 | 2, low, high], bytes].concat()
}

/// A piece of a model of SentencePiece: its text, score and type.
type Piece<'t> = (&'t str, f32, u8);

fn pieces(pieces: &[Piece<'_>]) -> Vec<u8> {
    let piece = |&(text, score, kind): &Piece<'_>| {
        field(1, &[&*field(1, text.as_bytes()), &[0x15], &score.to_le_bytes(), &[0x18, kind]].concat())
    };
    pieces.iter().flat_map(piece).collect()
}

/// A trainer: the algorithm (3), whether bytes are the fallback (35).
fn trainer(algorithm: u8, bytes: bool) -> Vec<u8> {
    field(2, &[0x18, algorithm, 0x98, 2, bytes.into()])
}

/// A normalizer: with a dummy prefix (3), spaces stay (4).
fn normalizer() -> Vec<u8> {
    field(3, &[&*field(1, b"identity"), &[0x18, 1, 0x20, 0]].concat())
}

/// A model of SentencePiece with the most probable pieces, and bytes as fallback.
fn unigram(list: &[Piece<'_>]) -> Vec<u8> {
    [pieces(list), trainer(1, true), normalizer()].concat()
}

const NORMAL: u8 = 1;
const UNKNOWN: u8 = 2;
const CONTROL: u8 = 3;
const DEFINED: u8 = 4;
const UNUSED: u8 = 5;
const BYTE: u8 = 6;

fn sentences() -> Tokenizer {
    let bytes = unigram(&[
        ("<unk>", 0.0, UNKNOWN),
        ("<s>", 0.0, CONTROL),
        ("</s>", 0.0, CONTROL),
        ("▁", -3.0, NORMAL),
        ("a", -3.0, NORMAL),
        ("▁ab", -2.0, NORMAL),
        ("b", -3.5, NORMAL),
        ("<0xE2>", -9.0, BYTE),
        ("<0x82>", -9.0, BYTE),
        ("<0xAC>", -9.0, BYTE),
        ("<turn>", 0.0, DEFINED),
    ]);
    Tokenizer::from_bytes(&bytes, Settings::default()).expect("it is well-formed")
}

#[test]
fn pairs_are_merged_and_other_bytes_have_tokens() {
    let tokenizer = pairs();
    assert_eq!((tokenizer.vocabulary(), tokenizer.start(), tokenizer.stops()), (11, Some(0), &[1][..]));
    // Computed by Hugging Face's library.
    assert_eq!(tokenizer.encode("a ab").expect("it has tokens"), [0, 5, 5, 3]);
    assert_eq!(tokenizer.encode_more("b€</s>").expect("it has tokens"), [4, 3, 7, 8, 9, 1]);
    assert_eq!(tokenizer.decode(&[0, 5, 5, 3, 1]).expect("they exist"), b"a ab");
    assert_eq!(tokenizer.decode(&[4, 3, 7, 8, 9, 4000]).expect("they exist"), "b€".as_bytes());
    assert_eq!((tokenizer.special("</s>"), tokenizer.special("a")), (Some(1), None));
}

#[test]
fn models_of_sentencepiece_have_the_most_probable_pieces() {
    let tokenizer = sentences();
    assert_eq!((tokenizer.vocabulary(), tokenizer.start(), tokenizer.stops()), (11, Some(1), &[2][..]));
    // SentencePiece chooses these pieces, if the model has all 256 bytes.
    assert_eq!(tokenizer.encode("ab a€").expect("it has tokens"), [1, 5, 3, 4, 7, 8, 9]);
    // In a text, only tokens that the model's author defined are found; in the text of a template, all.
    assert_eq!(tokenizer.encode_more("<turn>").expect("it has tokens").last(), Some(&10));
    assert_eq!(
        tokenizer.encode_rendered("<s>ab").expect("it has tokens").iter().filter(|&&id| id == 1).count(),
        1
    );
    assert_eq!(tokenizer.decode(&[1, 5, 3, 4, 7, 8, 9]).expect("they exist"), "ab a€".as_bytes());
}

#[test]
fn pieces_join_to_the_text_of_all_tokens() {
    for (seed, tokenizer) in [pairs(), sentences()].iter().enumerate() {
        let mut random = 17 + seed as u64;
        for length in 0..60 {
            let ids: Vec<u32> = (0..length).map(|_| next(&mut random)).collect();
            let (given, rest) = ids.split_at(ids.len() / 3);
            let mut pieces = Pieces::after(tokenizer, given).expect("they exist");
            let before = tokenizer.decode(given).expect("they exist");
            let mut text = String::new();
            for &id in rest {
                text += &pieces.push(tokenizer, id).expect("it exists");
            }
            text += &pieces.finish(tokenizer).expect("they exist");
            let whole = tokenizer.decode(&ids).expect("they exist");
            // Invalid bytes may be cut elsewhere, so they are not compared.
            let marks = |text: &str| text.replace('\u{fffd}', "");
            assert_eq!(marks(&text), marks(&String::from_utf8_lossy(&whole[before.len()..])), "{ids:?}");
        }
    }
}

fn next(random: &mut u64) -> u32 {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*random >> 40) as u32 % 11
}

#[test]
fn malformed_tokenizers_are_errors() {
    let refused = |bytes: &[u8]| match Tokenizer::from_bytes(bytes, Settings::default()) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.to_string(),
    };
    assert!(refused(b"{\"model\": 1}").starts_with("not a tokenizer.json that is supported: "));
    assert!(refused(b"\xffno protobuf").starts_with("cannot use this SentencePiece model: "));
    assert_eq!(refused(b""), "cannot use this SentencePiece model: it has no pieces");
    assert_eq!(
        refused(br#"{"model": {"type": "BPE", "vocab": {}, "merges": []}}"#),
        "the tokenizer has no tokens"
    );
    let far = PAIRS.replace("\"c\": 10", "\"c\": 4294967294");
    assert!(refused(far.as_bytes()).contains("token 4294967294 is too large"), "{}", refused(far.as_bytes()));
    let words = br#"{"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}"#;
    assert!(refused(words).starts_with("not a tokenizer.json that is supported: "), "{}", refused(words));
}

#[test]
fn models_of_sentencepiece_that_cannot_be_used_are_refused() {
    const UNK: Piece<'_> = ("<unk>", 0.0, UNKNOWN);
    let long = "a".repeat(1025);
    let lists: [(&[Piece<'_>], &str); 8] = [
        (&[UNK, ("a", f32::NAN, NORMAL)], "the score of piece 1 \"a\" is NaN"),
        (&[UNK, ("", 0.0, NORMAL)], "piece 1 is empty"),
        (&[UNK, ("a", 0.0, NORMAL), ("a", 1.0, DEFINED)], "piece 2 \"a\" occurs twice"),
        (&[UNK, ("a", 0.0, 9)], "piece 1 \"a\" has the unknown type 9"),
        (&[UNK, (&long, 0.0, NORMAL)], "piece 1 has 1025 bytes, at most 1024 are possible"),
        (&[UNK, ("<0xG1>", 0.0, BYTE)], "piece 1 \"<0xG1>\" must be a byte such as <0x0A>"),
        (&[("a", 0.0, NORMAL)], "0 of its pieces have the type UNKNOWN, one should"),
        (&[UNK, ("?", 0.0, UNKNOWN)], "2 of its pieces have the type UNKNOWN, one should"),
    ];
    let usable = pieces(&[UNK, ("a", 0.0, NORMAL)]);
    let table = |tag: u8| field(tag, &field(2, b"\x08\0\0\0"));
    let parts = [
        (trainer(3, false), "it splits texts into words"),
        (trainer(4, false), "it splits texts into characters"),
        (trainer(5, false), "it has the unknown type 5"),
        (field(3, &[0x28, 0]), "its pieces have spaces, not '▁'"),
        (table(3), "the table of replaced characters: "),
        (table(5), "it replaces characters of decoded text"),
        (vec![0x3a, 0xff, 0xff, 0xff, 0xff, 0x0f], ""),
        (vec![0; 16 << 20], "it has 16777248 bytes, at most 16777216 are read"),
    ];
    let models = lists.map(|(list, why)| (unigram(list), why)).into_iter();
    for (model, why) in models.chain(parts.map(|(part, why)| ([&usable[..], &part].concat(), why))) {
        let error = Tokenizer::from_bytes(&model, Settings::default()).map(drop).expect_err(why).to_string();
        let why = format!("cannot use this SentencePiece model: {why}");
        assert!(error.starts_with(&why), "{error}");
    }
    assert!(Tokenizer::from_bytes(&usable, Settings::default()).is_ok(), "a model needs no more than pieces");
}

#[test]
fn pairs_are_merged_in_the_order_of_their_scores() {
    let list = [
        ("<unk>", 0.0, UNKNOWN),
        ("<s>", 0.0, CONTROL),
        ("<0x61>", 0.0, BYTE),
        ("▁", -9.0, NORMAL),
        ("a", -9.0, NORMAL),
        ("b", -9.0, NORMAL),
        ("c", -9.0, NORMAL),
        ("ab", -2.0, NORMAL),
        ("bc", -1.0, NORMAL),
        ("x", 0.0, UNUSED),
        ("<t>", 0.0, DEFINED),
        ("<t>a", 0.0, DEFINED),
    ];
    let model = [pieces(&list), trainer(2, false), normalizer()].concat();
    let tokenizer = Tokenizer::from_bytes(&model, Settings::default()).expect("it is well-formed");
    let ids = |text: &str| tokenizer.encode_more(text).expect("it has tokens");
    // SentencePiece's tokens: the better pair first, the longest of the defined ones, one token for all of `xyz`.
    assert_eq!(ids("abc"), [3, 4, 8]);
    assert_eq!(ids("<t>ab"), [3, 11, 5]);
    assert_eq!(ids("cxyza"), [3, 6, 0, 4]);
    assert_eq!(
        tokenizer.decode(&[3, 2, 5, 9, 6]).expect("they exist"),
        b"abc",
        "token 2 is the byte of token 4"
    );
    assert_eq!((tokenizer.start(), tokenizer.stops(), tokenizer.vocabulary()), (Some(1), &[][..], 12));
}

/// Texts of spaces, and marks of spaces: the tokens of Python's package sentencepiece 0.2.3.
#[test]
fn spaces_have_the_tokens_of_sentencepiece() {
    let removed: &[(&str, &[u32])] =
        &[("", &[]), (" ", &[]), ("   ", &[]), ("  a  ", &[3]), ("a  a", &[3, 3]), ("a▁", &[3])];
    let kept: &[(&str, &[u32])] = &[
        ("", &[]),
        (" ", &[4]),
        ("   ", &[4, 4]),
        ("  a  ", &[4, 3, 4]),
        ("a  a", &[3, 1, 3]),
        ("a▁", &[3, 1]),
        ("▁", &[4]),
    ];
    for (algorithm, suffixes) in [(1, false), (1, true), (2, false), (2, true)] {
        let list = [
            ("<unk>", 0.0, UNKNOWN),
            ("▁", -3.0, NORMAL),
            ("a", -3.0, NORMAL),
            (if suffixes { "a▁" } else { "▁a" }, -2.0, NORMAL),
            ("▁▁", -2.5, NORMAL),
        ];
        // The algorithm (3), whether spaces belong to the word before (24).
        let trainer = field(2, &[0x18, algorithm, 0xc0, 1, suffixes.into()]);
        for (removes, texts) in [(1, removed), (0, kept)] {
            // A dummy prefix (3), whether spaces are removed (4).
            let rule = field(3, &[0x18, 1, 0x20, removes]);
            let model = [&pieces(&list)[..], &trainer, &rule].concat();
            let tokenizer = Tokenizer::from_bytes(&model, Settings::default()).expect("it is well-formed");
            for (text, ids) in texts {
                let found = tokenizer.encode_more(text).expect("it has tokens");
                assert_eq!(found, *ids, "{text:?}, algorithm {algorithm}, suffixes: {suffixes}, {removes}");
            }
        }
    }
}

/// Each mutant works or is an error.
#[test]
fn mutated_tokenizers_do_not_panic() {
    let mut random = 5;
    let seeds = [
        PAIRS.as_bytes().to_vec(),
        unigram(&[("<unk>", 0.0, UNKNOWN), ("a", -1.0, NORMAL), ("▁", -2.0, NORMAL)]),
    ];
    let mut accepted = 0;
    for case in 0..600 {
        let mut bytes = seeds[case % 2].clone();
        for _ in 0..1 + case % 3 {
            let at = (u64::from(next(&mut random)) << 16 ^ random >> 20) as usize % bytes.len();
            match case % 5 {
                0 => bytes.truncate(at + 1),
                1 => bytes[at] = bytes[at].wrapping_add(1),
                2 => bytes[at] ^= 1 << (case % 8),
                3 => bytes[at] = b'9',
                _ => bytes.insert(at, (random >> 33) as u8),
            }
        }
        let Ok(tokenizer) = Tokenizer::from_bytes(&bytes, Settings::default()) else { continue };
        accepted += 1;
        if let Ok(ids) = tokenizer.encode("a ab €</s>") {
            drop(tokenizer.decode(&ids));
        }
    }
    assert!(accepted > 20, "{accepted}");
}
