//! A container.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use flate2::read::ZlibDecoder;

use crate::error::{Error, Result};
use crate::metadata::Metadata;
use crate::section::{Items, Kind, Section};
use crate::{HEADER_AT, HEADER_END_AT, MAGIC, MOST_HEADER, VERSION, header};

/// Larger tokenizers and metadata are errors.
const MOST_BYTES: u64 = 256 << 20;

/// A container whose header was verified, and the open file.
#[derive(Debug)]
pub struct Container {
    file: File,
    /// The version of the format.
    pub version: [u32; 3],
    /// Properties of the container.
    pub items: Items,
    /// The sections, in the order of the header.
    pub sections: Vec<Section>,
}

impl Container {
    /// Whether the file at this path begins as a container does.
    pub fn is_at(path: &Path) -> bool {
        let mut magic = [0; MAGIC.len()];
        path.is_file()
            && File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok()
            && magic == MAGIC
    }

    /// Reads the header of a file and verifies it: each section is inside the file, after the header, and outside of
    /// the others.
    ///
    /// # Errors
    /// The file is unreadable, not a container, malformed, or of another major version.
    pub fn read(mut file: File) -> Result<Self> {
        let length = file.metadata()?.len();
        let mut start = [0; HEADER_AT];
        if length < HEADER_AT as u64 {
            return Err(Error::malformed(format!("it has {length} bytes, at least {HEADER_AT} are needed")));
        }
        file.seek(SeekFrom::Start(0))?;
        file.read_exact(&mut start)?;
        let (magic, rest) = start.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(Error::malformed("it does not begin with LITERTLM"));
        }
        let number =
            |k: usize| u32::from_le_bytes([rest[4 * k], rest[4 * k + 1], rest[4 * k + 2], rest[4 * k + 3]]);
        let version = [number(0), number(1), number(2)];
        if version[0] != VERSION[0] {
            return Err(Error::malformed(format!(
                "its major version is {}, only {} is known",
                version[0], VERSION[0]
            )));
        }
        let mut end = [0; 8];
        end.copy_from_slice(&start[HEADER_END_AT..]);
        let end = u64::from_le_bytes(end);
        let size = end.checked_sub(HEADER_AT as u64).filter(|&size| size <= MOST_HEADER && end <= length);
        let Some(size) = size else {
            return Err(Error::malformed(format!(
                "its header ends at {end}; it must end from {HEADER_AT} to {}",
                length.min(HEADER_AT as u64 + MOST_HEADER)
            )));
        };
        let mut bytes = vec![0; size as usize];
        file.read_exact(&mut bytes)?;
        let (items, sections) = header::parse(&bytes)?;
        check_places(&sections, end, length)?;
        Ok(Container { file, version, items, sections })
    }

    /// Reads the container at a path.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn open(path: &Path) -> Result<Self> {
        Container::read(File::open(path)?)
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The language model: the only model, or the one that takes tokens and returns logits.
    ///
    /// # Errors
    /// The container has no model, or several candidates.
    pub fn model(&self) -> Result<&Section> {
        let models: Vec<&Section> = self.of(Kind::MODEL).collect();
        if let [model] = *models {
            return Ok(model);
        }
        let name = |model: &Section| model.text("model_type").unwrap_or("no model_type").to_owned();
        let mut main = models.iter().filter(|model| name(model).to_lowercase().ends_with("prefill_decode"));
        match (main.next(), main.next()) {
            (Some(model), None) => Ok(model),
            _ => {
                let names: Vec<String> = models.iter().map(|model| name(model)).collect();
                Err(Error::Choice(format!(
                    "the container has {} models ({}); one must be the only one, or the only one with the model_type \
                     tf_lite_prefill_decode",
                    models.len(),
                    names.join(", ")
                )))
            }
        }
    }

    /// The constants of a model, if another section has them: the one with the same `model_type`. The model calls them
    /// [`WEIGHTS`](crate::WEIGHTS).
    pub fn weights(&self, model: &Section) -> Option<&Section> {
        self.of(Kind::WEIGHTS).find(|weights| weights.text("model_type") == model.text("model_type"))
    }

    /// The bytes of the tokenizer: a `tokenizer.json` or a model of SentencePiece. `None` if the container lacks one.
    ///
    /// # Errors
    /// The file is unreadable, or the tokenizer too large or badly compressed.
    pub fn tokenizer(&self) -> Result<Option<Vec<u8>>> {
        if let Some(section) = self.of(Kind::SENTENCEPIECE).next() {
            return self.bytes(section).map(Some);
        }
        self.of(Kind::TOKENIZER_JSON).next().map(|section| inflate(&self.bytes(section)?)).transpose()
    }

    /// The metadata of a language model, empty if the container has none.
    ///
    /// # Errors
    /// The file is unreadable, or the metadata malformed.
    pub fn metadata(&self) -> Result<Metadata> {
        match self.of(Kind::METADATA).next() {
            Some(section) => Metadata::parse(&self.bytes(section)?),
            None => Ok(Metadata::default()),
        }
    }

    /// The bytes of a section, other than a model.
    ///
    /// # Errors
    /// The file is unreadable, or the section is empty or too large.
    pub fn bytes(&self, section: &Section) -> Result<Vec<u8>> {
        let (kind, length) = (section.kind, section.length());
        if !(1..=MOST_BYTES).contains(&length) {
            return Err(Error::malformed(format!(
                "{kind}: it has {length} bytes, from 1 to {MOST_BYTES} are read"
            )));
        }
        let mut file = &self.file;
        file.seek(SeekFrom::Start(section.begin))?;
        let mut bytes = vec![0; length as usize];
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn of(&self, kind: Kind) -> impl Iterator<Item = &Section> {
        self.sections.iter().filter(move |section| section.kind == kind)
    }
}

fn check_places(sections: &[Section], header: u64, length: u64) -> Result<()> {
    for (k, Section { begin, end, kind, .. }) in sections.iter().enumerate() {
        if begin > end || *begin < header || *end > length {
            return Err(Error::malformed(format!(
                "section {k} ({kind}) is from {begin} to {end}; the header ends at {header}, the file at {length}"
            )));
        }
    }
    let mut order: Vec<usize> = (0..sections.len()).filter(|&k| sections[k].length() > 0).collect();
    order.sort_by_key(|&k| sections[k].begin);
    for pair in order.windows(2) {
        let (a, b) = (&sections[pair[0]], &sections[pair[1]]);
        if a.end > b.begin {
            return Err(Error::malformed(format!(
                "section {} ends at {}, after section {} begins at {}",
                pair[0], a.end, pair[1], b.begin
            )));
        }
    }
    Ok(())
}

/// A compressed `tokenizer.json`.
fn inflate(bytes: &[u8]) -> Result<Vec<u8>> {
    let (length, compressed) =
        bytes.split_first_chunk().ok_or_else(|| Error::malformed("the tokenizer has no length"))?;
    let length = u64::from_le_bytes(*length);
    if length > MOST_BYTES {
        return Err(Error::malformed(format!(
            "the tokenizer has {length} bytes, at most {MOST_BYTES} are read"
        )));
    }
    let mut text = Vec::new();
    let inflated = ZlibDecoder::new(compressed).take(length + 1).read_to_end(&mut text);
    inflated.map_err(|error| Error::malformed(format!("the tokenizer is badly compressed: {error}")))?;
    if text.len() as u64 != length {
        return Err(Error::malformed(format!("the tokenizer has {} bytes instead of {length}", text.len())));
    }
    Ok(text)
}
