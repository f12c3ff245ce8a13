//! Models of SentencePiece, in the library's form.

use std::collections::{HashMap, HashSet};

use kitoken::{
    CharsMap, Configuration, Decoding, Definition, Fallback, InsertionPosition, Metadata, Model,
    Normalization, Processing, Regex, SpecialToken, SpecialTokenKind, Split, SplitBehavior, Template, Token,
};
use prost::Message;

use crate::error::{Error, Result};

/// Larger models are errors. The largest in use have 4.7 MB.
const MOST_BYTES: usize = 16 << 20;

/// Longer pieces are errors, since encoding tries all lengths.
const MOST_PIECE_BYTES: usize = 1024;

/// The mark of a space in pieces.
const SPACE: char = '▁';

/// The parts of a model that determine tokens.
#[derive(Message)]
struct File {
    #[prost(message, repeated, tag = "1")]
    pieces: Vec<Piece>,
    #[prost(message, optional, tag = "2")]
    trainer: Option<Trainer>,
    #[prost(message, optional, tag = "3")]
    normalizer: Option<Normalizer>,
    /// How decoded text is changed.
    #[prost(message, optional, tag = "5")]
    denormalizer: Option<Normalizer>,
}

#[derive(Message)]
struct Piece {
    #[prost(string, tag = "1")]
    text: String,
    #[prost(float, tag = "2")]
    score: f32,
    #[prost(int32, optional, tag = "3", default = "1")]
    kind: Option<i32>,
}

/// Values of `Piece::kind`.
mod kind {
    pub(super) const NORMAL: i32 = 1;
    pub(super) const UNKNOWN: i32 = 2;
    pub(super) const CONTROL: i32 = 3;
    pub(super) const USER_DEFINED: i32 = 4;
    pub(super) const UNUSED: i32 = 5;
    pub(super) const BYTE: i32 = 6;
    pub(super) const ALL: [i32; 6] = [NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE];
}

#[derive(Message)]
struct Trainer {
    /// 1: the most probable pieces, 2: merged pairs.
    #[prost(int32, optional, tag = "3", default = "1")]
    algorithm: Option<i32>,
    /// Whether spaces belong to the word before them.
    #[prost(bool, tag = "24")]
    suffixes: bool,
    #[prost(bool, tag = "35")]
    byte_fallback: bool,
    /// The text of the unknown token.
    #[prost(string, optional, tag = "44", default = " \u{2047} ")]
    unknown: Option<String>,
    #[prost(string, optional, tag = "46", default = "<s>")]
    start: Option<String>,
    #[prost(string, optional, tag = "47", default = "</s>")]
    end: Option<String>,
}

#[derive(Message)]
struct Normalizer {
    /// A table of replaced characters; empty if all are kept.
    #[prost(bytes = "vec", tag = "2")]
    table: Vec<u8>,
    #[prost(bool, optional, tag = "3", default = "true")]
    adds_space: Option<bool>,
    #[prost(bool, optional, tag = "4", default = "true")]
    removes_spaces: Option<bool>,
    #[prost(bool, optional, tag = "5", default = "true")]
    escapes_spaces: Option<bool>,
}

/// A tokenizer in the library's form.
pub(crate) struct Tokens {
    pub definition: Definition,
    /// Tokens of single bytes that the definition lacks, since another token has the same byte: that token.
    pub doubles: HashMap<u32, u32>,
}

/// Reads a model.
///
/// # Errors
/// It is malformed, too large, or has rules that are not supported.
pub(crate) fn read(bytes: &[u8]) -> Result<Tokens> {
    if bytes.len() > MOST_BYTES {
        return refuse(format!("it has {} bytes, at most {MOST_BYTES} are read", bytes.len()));
    }
    let file = File::decode(bytes).or_else(|error| refuse(error.to_string()))?;
    let trainer = file.trainer.unwrap_or_default();
    let vocabulary = Vocabulary::of(&file.pieces, &trainer)?;
    let config = configuration(&vocabulary, &trainer, file.normalizer.as_ref(), file.denormalizer.as_ref())?;
    let Vocabulary { model, specials, doubles, .. } = vocabulary;
    let meta = Metadata { source: "sentencepiece".to_owned(), ..Metadata::default() };
    Ok(Tokens { definition: Definition { meta, model, specials, config }, doubles })
}

fn refuse<T>(text: impl AsRef<str>) -> Result<T> {
    let text = text.as_ref();
    Err(Error::Tokenizer(format!("cannot use this SentencePiece model: {text}")))
}

struct Vocabulary {
    model: Model,
    specials: Vec<SpecialToken>,
    unknown: u32,
    doubles: HashMap<u32, u32>,
}

impl Vocabulary {
    /// Sorts pieces of texts and special pieces. A piece's number is its place.
    fn of(pieces: &[Piece], trainer: &Trainer) -> Result<Self> {
        check(pieces)?;
        let numbered = || (0..).zip(pieces);
        let special = numbered().filter_map(|(id, piece)| {
            let kind = match piece.kind() {
                kind::UNKNOWN => SpecialTokenKind::Unknown,
                kind::CONTROL => SpecialTokenKind::Control,
                kind::USER_DEFINED => SpecialTokenKind::Priority,
                _ => return None,
            };
            let text = match kind {
                SpecialTokenKind::Unknown if !trainer.unknown().is_empty() => trainer.unknown(),
                _ => &piece.text,
            };
            let bytes = text.as_bytes().to_vec();
            Some(SpecialToken { id, bytes, kind, ident: None, score: 0.0, extract: false })
        });
        let mut specials: Vec<SpecialToken> = special.collect();
        // The library takes the first one that fits, SentencePiece the longest.
        specials.sort_by_key(|token| (std::cmp::Reverse(token.bytes.len()), token.id));
        let unknown = specials.iter().filter(|token| token.kind == SpecialTokenKind::Unknown);
        let unknown: Vec<u32> = unknown.map(|token| token.id).collect();
        let &[unknown] = &unknown[..] else {
            return refuse(format!("{} of its pieces have the type UNKNOWN, one should", unknown.len()));
        };

        let mut known: HashMap<Vec<u8>, (u32, f32)> = HashMap::new();
        let normal = numbered().filter(|(_, piece)| piece.kind() == kind::NORMAL);
        known.extend(normal.map(|(id, piece)| (piece.text.clone().into_bytes(), (id, piece.score))));
        let mut doubles = HashMap::new();
        for (id, piece) in numbered().filter(|(_, piece)| piece.kind() == kind::BYTE) {
            let byte = vec![byte(&piece.text).map_or_else(|| refuse(not_a_byte(id, &piece.text)), Ok)?];
            match known.get(&byte) {
                Some(&(other, _)) => drop(doubles.insert(id, other)),
                None => drop(known.insert(byte, (id, piece.score))),
            }
        }
        Ok(Vocabulary { model: model(known, trainer.algorithm())?, specials, unknown, doubles })
    }

    /// Whether a control token has this text.
    fn has_control(&self, text: &str) -> bool {
        let is_it =
            |token: &SpecialToken| token.kind == SpecialTokenKind::Control && token.bytes == text.as_bytes();
        self.specials.iter().any(is_it)
    }
}

/// Makes the checks of SentencePiece, and limits lengths.
fn check(pieces: &[Piece]) -> Result<()> {
    if pieces.is_empty() {
        return refuse("it has no pieces");
    }
    let mut texts = HashSet::new();
    for (id, piece) in pieces.iter().enumerate() {
        let Piece { text, score, .. } = piece;
        if text.is_empty() {
            return refuse(format!("piece {id} is empty"));
        }
        if text.len() > MOST_PIECE_BYTES {
            let bytes = text.len();
            return refuse(format!("piece {id} has {bytes} bytes, at most {MOST_PIECE_BYTES} are possible"));
        }
        if !kind::ALL.contains(&piece.kind()) {
            return refuse(format!("piece {id} {text:?} has the unknown type {}", piece.kind()));
        }
        if score.is_nan() {
            return refuse(format!("the score of piece {id} {text:?} is NaN"));
        }
        if !texts.insert(text) {
            return refuse(format!("piece {id} {text:?} occurs twice"));
        }
    }
    Ok(())
}

/// The byte of a piece such as `<0x0A>`.
fn byte(text: &str) -> Option<u8> {
    let digits = text.strip_prefix("<0x")?.strip_suffix('>')?;
    let is_pair = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_pair.then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

fn not_a_byte(id: u32, text: &str) -> String {
    format!("piece {id} {text:?} must be a byte such as <0x0A>")
}

/// The library's model: pairs are merged in the order of the vocabulary, best score first.
fn model(known: HashMap<Vec<u8>, (u32, f32)>, algorithm: i32) -> Result<Model> {
    let mut pieces: Vec<(Token, f32)> =
        known.into_iter().map(|(bytes, (id, score))| (Token { id, bytes }, score)).collect();
    pieces.sort_by(|(a, x), (b, y)| y.total_cmp(x).then(a.id.cmp(&b.id)));
    match algorithm {
        1 => {
            let (vocab, scores): (Vec<Token>, Vec<f32>) = pieces.into_iter().unzip();
            Ok(Model::Unigram { vocab, scores })
        }
        2 => {
            let vocab: Vec<Token> = pieces.into_iter().map(|(token, _)| token).collect();
            Ok(Model::BytePair { vocab, chars: true })
        }
        3 => refuse("it splits texts into words; only UNIGRAM and BPE models are supported"),
        4 => refuse("it splits texts into characters; only UNIGRAM and BPE models are supported"),
        other => refuse(format!("it has the unknown type {other}")),
    }
}

/// The changes to a text before it is encoded, and after it is decoded.
fn configuration(
    vocabulary: &Vocabulary,
    trainer: &Trainer,
    normalizer: Option<&Normalizer>,
    denormalizer: Option<&Normalizer>,
) -> Result<Configuration> {
    if denormalizer.is_some_and(|rule| !rule.table.is_empty()) {
        return refuse("it replaces characters of decoded text");
    }
    let default = Normalizer::default();
    let rule = normalizer.unwrap_or(&default);
    if !rule.escapes_spaces() {
        return refuse(format!("its pieces have spaces, not '{SPACE}'"));
    }
    let mut config = Configuration::default();
    if trainer.byte_fallback {
        config.fallback.push(Fallback::Bytes);
    }
    config.fallback.extend([Fallback::Unknown, Fallback::Skip]);
    config.processing.push(Processing::Collapse { id: vocabulary.unknown });
    normalize(&mut config, rule, trainer.suffixes)?;
    let places = [
        (trainer.start(), InsertionPosition::SequenceStart),
        (trainer.end(), InsertionPosition::SequenceEnd),
    ];
    for (text, position) in places.into_iter().filter(|(text, _)| vocabulary.has_control(text)) {
        config.templates.push(Template { content: text.to_owned(), position });
    }
    Ok(config)
}

/// Characters are replaced, spaces removed and marked; texts are cut before or after spaces.
fn normalize(config: &mut Configuration, rule: &Normalizer, suffixes: bool) -> Result<()> {
    let steps = &mut config.normalization;
    if !rule.table.is_empty() {
        let map = CharsMap::try_from(rule.table.clone())
            .or_else(|error| refuse(format!("the table of replaced characters: {error}")))?;
        steps.push(Normalization::CharsMap { map });
    }
    if rule.removes_spaces() {
        steps.push(Normalization::Strip { character: ' ', left: u32::MAX, right: u32::MAX });
        steps.push(Normalization::Collapse { character: ' ' });
    }
    steps.push(Normalization::Replace { pattern: " ".into(), replacement: SPACE.to_string() });
    let [left, right] = if suffixes { [0, 1] } else { [1, 0] };
    // SentencePiece removes marks at the end, too: also the one before a text that is otherwise empty.
    let ends = rule.removes_spaces();
    if ends && suffixes {
        steps.push(Normalization::Strip { character: SPACE, left: 0, right: u32::MAX });
    }
    if rule.adds_space() {
        steps.push(match ends && suffixes {
            true => after_a_text()?,
            false => Normalization::Extend { character: SPACE, left, right, pad: false },
        });
        config.decoding.push(Decoding::Strip { character: SPACE, left, right });
    }
    if ends && !suffixes {
        steps.push(Normalization::Strip { character: SPACE, left: 0, right: u32::MAX });
    }
    config
        .decoding
        .push(Decoding::Replace { pattern: SPACE.to_string().into(), replacement: " ".to_owned() });
    let pattern = match rule.removes_spaces() {
        // A string: of a character, the library takes the first byte.
        true => SPACE.to_string().into(),
        false => Regex::new("▁+").or_else(|error| refuse(error.to_string()))?.into(),
    };
    let behavior = if suffixes { SplitBehavior::MergeLeft } else { SplitBehavior::MergeRight };
    config.split.push(Split::Pattern { pattern, behavior });
    Ok(())
}

/// Adds the mark of a space after a text that is not empty.
fn after_a_text() -> Result<Normalization> {
    let end = Regex::new(r"(?s)(?<=.)\z").or_else(|error| refuse(error.to_string()))?;
    Ok(Normalization::Replace { pattern: end.into(), replacement: SPACE.to_string() })
}
