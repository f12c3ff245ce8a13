//! Definitions of a benchmark: contenders, models, numbers of threads. See `bench.toml` for the format.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::failure::{Failure, Result};

/// The definitions that come with the suite.
pub(crate) const BUILTIN: &str = include_str!("../bench.toml");

/// A file of definitions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Definitions {
    pub threads: Vec<usize>,
    #[serde(rename = "contender")]
    pub contenders: Vec<ContenderDefinition>,
    #[serde(rename = "model")]
    pub models: Vec<ModelDefinition>,
    #[serde(rename = "cap", default)]
    pub caps: Vec<CapDefinition>,
}

/// An instruction set to which contenders can be limited.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CapDefinition {
    pub name: String,
    /// Environment variables that set the limit.
    pub environment: BTreeMap<String, String>,
    /// The contenders that support it.
    pub contenders: Vec<String>,
}

/// A runtime in a process that uses the protocol of `protocol.rs`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContenderDefinition {
    pub name: String,
    /// The program and its arguments; `{self}`, `{python}`, `{bench}` are replaced.
    pub command: Vec<String>,
    #[serde(default)]
    pub reads: Format,
}

/// The format of the files that a contender reads.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    #[default]
    Tflite,
    Onnx,
}

/// A network, in one or more kinds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelDefinition {
    pub name: String,
    /// Kinds whose files are in the zoo.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Kinds whose files are elsewhere; `{shared}` is replaced.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// A file to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    pub model: String,
    pub kind: String,
    pub file: PathBuf,
}

/// Paths on this machine.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// The path of this program.
    pub program: PathBuf,
    pub python: PathBuf,
    /// The folder of the suite.
    pub bench: PathBuf,
    pub zoo: PathBuf,
    pub shared: PathBuf,
}

impl Places {
    /// `text` with each `{name}` replaced.
    pub(crate) fn resolve(&self, text: &str) -> String {
        [
            ("{self}", &self.program),
            ("{python}", &self.python),
            ("{bench}", &self.bench),
            ("{zoo}", &self.zoo),
            ("{shared}", &self.shared),
        ]
        .into_iter()
        .fold(text.to_owned(), |text, (name, path)| text.replace(name, &path.display().to_string()))
    }
}

impl Definitions {
    /// Parses definitions and checks rules that the format does not enforce.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let definitions: Definitions =
            toml::from_str(text).map_err(|error| Failure::with("definitions", error))?;
        if definitions.contenders.is_empty() {
            return Err(Failure::new("definitions: no contender; at least one is needed"));
        }
        if definitions.threads.contains(&0) {
            return Err(Failure::new("definitions: threads must be at least 1"));
        }
        let empty = definitions.models.iter().find(|model| model.kinds.is_empty() && model.files.is_empty());
        match empty {
            Some(model) => {
                Err(Failure::with(format!("model '{}'", model.name), "has neither kinds nor files"))
            }
            None => Ok(definitions),
        }
    }

    /// The cap of this name.
    pub(crate) fn cap(&self, name: &str) -> Result<&CapDefinition> {
        self.caps.iter().find(|cap| cap.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.caps.iter().map(|cap| cap.name.as_str()).collect();
            Failure::new(format!("--cap {name}: unknown cap; known: {}", known.join(", ")))
        })
    }

    /// All files of the definitions, whether they exist or not.
    pub(crate) fn subjects(&self, places: &Places) -> Vec<Subject> {
        let of_model = |model: &ModelDefinition| {
            let name = model.name.clone();
            let zoo = model
                .kinds
                .iter()
                .map(|kind| (kind.clone(), format!("{{zoo}}/{}_{kind}.tflite", model.name)));
            let files = model.files.iter().map(|(kind, file)| (kind.clone(), file.clone()));
            let subject = move |(kind, file): (String, String)| Subject {
                model: name.clone(),
                kind,
                file: places.resolve(&file).into(),
            };
            zoo.chain(files).map(subject).collect::<Vec<_>>()
        };
        self.models.iter().flat_map(of_model).collect()
    }
}

impl Subject {
    /// A file without a definition: kind and name come from its path. `a/b_i8.tflite` is the model `b` of kind `i8`;
    /// `a/b/model.tflite` is `b`.
    pub(crate) fn from_path(path: &Path) -> Self {
        let text = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let stem = match text(path.file_stem()) {
            stem if stem == "model" => text(path.parent().and_then(Path::file_name)),
            stem => stem,
        };
        let endings = [
            ("_f32", "f32"),
            ("_f16", "f16"),
            ("_dr8", "dr8"),
            ("_i8", "i8"),
            ("_int8", "i8"),
            ("_quant", "i8"),
        ];
        let found = endings.iter().find_map(|(ending, kind)| Some((stem.strip_suffix(ending)?, *kind)));
        let (model, kind) = found.unwrap_or((&stem, "-"));
        Subject { model: model.to_owned(), kind: kind.to_owned(), file: path.to_owned() }
    }

    /// All `.tflite` files of a folder, up to two levels deep and sorted by name; or the file itself.
    pub(crate) fn all_in(path: &Path) -> Result<Vec<Self>> {
        let mut files = Vec::new();
        collect(path, 2, &mut files)?;
        files.sort();
        Ok(files.iter().map(|file| Subject::from_path(file)).collect())
    }

    /// The file that a contender of this format reads.
    pub(crate) fn file_for(&self, format: Format) -> PathBuf {
        match format {
            Format::Tflite => self.file.clone(),
            Format::Onnx => self.file.with_extension("onnx"),
        }
    }

    /// `resnet50 f32`.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.model, self.kind)
    }
}

fn collect(path: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    if path.is_file() {
        if path.extension().is_some_and(|extension| extension == "tflite") {
            files.push(path.to_owned());
        }
        return Ok(());
    }
    let failed = |error| Failure::with(path.display(), error);
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?.path();
        if depth > 0 || entry.is_file() {
            collect(&entry, depth.saturating_sub(1), files)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        Places {
            program: "/bin/bench".into(),
            python: "/bin/python".into(),
            bench: "/bench".into(),
            zoo: "/zoo".into(),
            shared: "/shared".into(),
        }
    }

    #[test]
    fn the_definitions_of_the_suite_are_valid() {
        let definitions = Definitions::parse(BUILTIN).unwrap();
        assert_eq!(definitions.threads, [1, 2]);
        assert_eq!(definitions.contenders[0].name, "arenite");
        assert!(definitions.contenders.iter().any(|contender| contender.reads == Format::Onnx));
        let subjects = definitions.subjects(&places());
        let zoo = subjects.iter().filter(|subject| subject.file.starts_with("/zoo")).count();
        assert_eq!((zoo, subjects.len()), (47, 56));
        let mut titles: Vec<String> = subjects.iter().map(Subject::title).collect();
        titles.sort();
        titles.dedup();
        assert_eq!(titles.len(), subjects.len(), "a model is defined twice");
        assert!(subjects.iter().all(|subject| !subject.file.to_string_lossy().contains('{')));
    }

    #[test]
    fn wrong_definitions_are_refused() {
        let contender = "[[contender]]\nname = 'a'\ncommand = ['a']\n";
        for (text, message) in [
            ("threads = [1]\nmodel = []\ncontender = []".to_owned(), "no contender"),
            (format!("threads = [0]\nmodel = []\n{contender}"), "threads must be at least 1"),
            (format!("threads = [1]\n{contender}[[model]]\nname = 'm'"), "model 'm': has neither"),
            (format!("threads = [1]\nthread = 2\n{contender}"), "unknown field `thread`"),
        ] {
            let error = Definitions::parse(&text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn model_and_kind_come_from_the_path() {
        let of = |path: &str| Subject::from_path(Path::new(path)).title();
        assert_eq!(of("/zoo/mobilenet_v2_dr8.tflite"), "mobilenet_v2 dr8");
        assert_eq!(of("models/kws_int8/model.tflite"), "kws i8");
        assert_eq!(of("x.tflite"), "x -");
    }

    #[test]
    fn an_onnx_file_is_next_to_the_tflite_file() {
        let subject = Subject::from_path(Path::new("/zoo/unet_f32.tflite"));
        assert_eq!(subject.file_for(Format::Onnx), Path::new("/zoo/unet_f32.onnx"));
    }
}
