//! `arenite.toml`: where plugins are, which of them may load, and which planner and delegates to use. `docs/config.md` tells what each
//! key means.
//!
//! ```toml
//! schema = 1
//! [plugins]
//! dirs = ["plugins"]             # folders to search, without subfolders
//! paths = ["extra/libmine.so"]   # single files
//! allow = ["org.arenite.*"]      # patterns of plugin ids; default: every plugin
//! # sha256 = { "libmine.so" = "64 hexadecimal digits" }   # only these libraries may be opened; default: any
//! strict = true                  # a plugin that fails to load is an error, not a warning
//! builtin = false                # do not use the plugins that are linked into the program
//! [planner]
//! use = "arena"
//! preserve_all = false           # true: overwrite no tensor
//! outputs = "producer"           # or "start": when the memory of outputs is reserved
//! [memory]                       # techniques that let tensors share memory; all but the last are on by default
//! views = true                   # RESHAPE and similar ops share their input's memory
//! in_place = true                # elementwise ops overwrite an input with no later reader
//! split = true                   # contiguous parts are read in place
//! concat = true                  # operands are computed inside the result
//! overlap = true                 # convolutions and pools overwrite input they have already read
//! reorder = true                 # nodes run in the order that needs the least memory
//! overwrite_inputs = false       # reuse the memory of inputs; fill them before each run
//! [[delegate]]
//! use = "cpu"
//! on_missing = "skip"            # or "error", the default
//! exclude_ops = ["SOFTMAX"]
//! min_nodes = 3
//! max_partitions = 4             # keep the ones with the most nodes
//! on_failure = "fallback"        # or "error", the default
//! options = { winograd = false } # options of the delegate; an unknown option is an error
//! [ops.CONV_2D]
//! prefer = ["org.arenite.ops"]
//! priority = { "org.example.fast" = 20 }
//! [threads]
//! count = 4
//! [quota]
//! bytes = 1073741824
//! device_bytes = 268435456
//! nodes = 100000
//! depth = 16
//! calls = 1000000
//! time = 5000                    # milliseconds
//! ```

#![forbid(unsafe_code)]

mod error;
mod parse;
mod reader;

pub use error::{ConfigError, Place};

use crate::planning::lifetime::Lifetimes;
use arenite_layout::Techniques;
use parse::parse;
use reader::Document;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The name that stands for no delegate, alone: the runtime adds none of its own then.
pub const NO_DELEGATE: &str = "none";

/// The only value of `schema` that this version reads.
pub const SCHEMA: i64 = 1;

/// A config file longer than this many bytes is refused.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// The most threads that `[threads] count` may ask for.
pub const MAX_THREADS: usize = crate::pool::MAX_THREADS;

/// What an `arenite.toml` says. The default is what an empty file would say: no directories, every
/// plugin allowed, the runtime's own choice of planner, no delegate, no quota.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// `[plugins]`: where plugins are and which may load.
    pub plugins: PluginsConfig,
    /// `[planner]`; `None` leaves the choice to the runtime.
    pub planner: Option<PlannerConfig>,
    /// `[[delegate]]`, in the order of the file: the first one claims nodes first. The runtime adds its default delegate behind
    /// them, unless one is `none`.
    pub delegates: Vec<DelegateConfig>,
    /// `[ops.NAME]` by operator name (`CONV_2D`, or the name of a custom op).
    pub ops: BTreeMap<String, OpConfig>,
    /// `[planner] preserve_all` and `outputs`: how long tensors live.
    pub lifetimes: Lifetimes,
    /// `[threads] count`, in `1..=MAX_THREADS`; `None` means one per processor.
    pub threads: Option<NonZeroUsize>,
    /// `[memory]`: how tensors may lie over one another.
    pub techniques: Techniques,
    /// `[quota]`: limits on what a model may ask for.
    pub quota: QuotaConfig,
}

/// `[plugins]`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PluginsConfig {
    /// Folders to search for plugin libraries, in order. Absolute when read by [`Config::from_file`].
    pub dirs: Vec<PathBuf>,
    /// Plugin libraries named one by one, in order. Absolute when read by [`Config::from_file`].
    pub paths: Vec<PathBuf>,
    /// Patterns on plugin ids, of which one must match; `None` allows every plugin.
    pub allow: Option<Vec<String>>,
    /// SHA-256 digests, as 64 hexadecimal digits, by path or by file name. With a list, no library is opened that it does not name
    /// with its digest. Paths are absolute when read by [`Config::from_file`].
    pub sha256: Option<BTreeMap<String, String>>,
    /// Whether a plugin that fails to load is an error; otherwise it is a warning.
    pub strict: bool,
    /// Whether the plugins that are linked into the program are used.
    pub builtin: bool,
    /// Where the library that asks was installed: `lib/arenite/plugins` below it is searched last. A program in a folder `bin`
    /// has the folder above that one, whatever stands here. Not part of the file.
    pub prefix: Option<PathBuf>,
}

impl Default for PluginsConfig {
    fn default() -> Self {
        PluginsConfig {
            dirs: Vec::new(),
            paths: Vec::new(),
            allow: None,
            sha256: None,
            strict: false,
            builtin: true,
            prefix: None,
        }
    }
}

/// `[planner]`, `use` and `options`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannerConfig {
    /// `use`: the planner's name.
    pub name: String,
    /// `options`: see [`DelegateConfig::options`].
    pub options: Vec<(String, String)>,
}

impl PlannerConfig {
    /// The planner of this name, without options.
    pub fn new(name: impl Into<String>) -> Self {
        PlannerConfig { name: name.into(), options: Vec::new() }
    }
}

/// One `[[delegate]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DelegateConfig {
    /// `use`: the delegate's name.
    pub name: String,
    /// What to do when no plugin has this delegate, or when its device is [not there](crate::Status::Unavailable). Whatever
    /// else keeps it from starting, such as an unknown option, is an error.
    pub on_missing: OnMissing,
    /// Names of ops that stay off this delegate.
    pub exclude_ops: Vec<String>,
    /// Partitions of fewer nodes stay off this delegate; 0 and 1 set no limit.
    pub min_nodes: usize,
    /// The most partitions that this delegate gets in a subgraph: those with the most nodes; `None` sets no limit.
    pub max_partitions: Option<NonZeroUsize>,
    /// What becomes of an invocation in which its device is [unavailable](crate::Status::Unavailable).
    pub on_failure: OnFailure,
    /// `options` as text, in the order of the file. Integers are decimal, floats have a point or an
    /// exponent (or are `inf`, `NaN`), booleans are `true` or `false`.
    pub options: Vec<(String, String)>,
}

impl DelegateConfig {
    /// The delegate of this name, which must be there, without options.
    pub fn new(name: impl Into<String>) -> Self {
        DelegateConfig {
            name: name.into(),
            on_missing: OnMissing::Error,
            exclude_ops: Vec::new(),
            min_nodes: 0,
            max_partitions: None,
            on_failure: OnFailure::Error,
            options: Vec::new(),
        }
    }
}

/// What is wrong with [`NO_DELEGATE`] among these delegates, and with which of them.
pub(crate) fn misused_none(delegates: &[DelegateConfig]) -> Option<(usize, String)> {
    let index = delegates.iter().position(|delegate| delegate.name == NO_DELEGATE)?;
    if let Some(other) = delegates.iter().find(|delegate| delegate.name != NO_DELEGATE) {
        let text = format!(
            "'none' stands for no delegate, but '{}' is named too: leave one of them out",
            other.name
        );
        return Some((index, text));
    }
    let (key, _) = delegates[index].options.first()?;
    Some((index, format!("'none' stands for no delegate, and has no option '{key}'")))
}

/// What to do about a delegate that is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnMissing {
    /// Fail.
    #[default]
    Error,
    /// Go on without it.
    Skip,
}

/// What to do when a delegate's device is lost, or its memory is, while the model runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// The invocation fails.
    #[default]
    Error,
    /// The invocation runs again without the delegate.
    Fallback,
}

/// `[ops.NAME]`: which plugin's op wins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpConfig {
    /// Plugin ids, best first. They win over any plugin that is not listed.
    pub prefer: Vec<String>,
    /// Priority by plugin id, in place of the one that the plugin's registration states.
    pub priority: BTreeMap<String, i32>,
}

/// `[quota]`; `None` leaves the runtime's own limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuotaConfig {
    /// Most bytes of memory that one interpreter may hold.
    pub bytes: Option<u64>,
    /// Most bytes of devices' memory that one interpreter may hold.
    pub device_bytes: Option<u64>,
    /// Most nodes of a model, all subgraphs together.
    pub nodes: Option<u64>,
    /// Deepest nesting of subgraph calls.
    pub depth: Option<u32>,
    /// Most calls of subgraphs in one `invoke`.
    pub calls: Option<u64>,
    /// Longest `allocate` or `invoke`, in milliseconds.
    pub time: Option<u64>,
}

impl Config {
    /// Reads a config file. Relative `dirs` and `paths` are resolved against the folder of the file.
    ///
    /// # Errors
    /// The file cannot be read, is longer than [`MAX_FILE_BYTES`], or is wrong in one of the ways
    /// that [`ConfigError`] lists; those name the file, the line and the column.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Config, ConfigError> {
        let path = path.as_ref();
        let text = read_text(path)?;
        let mut config = parse(&Document::new(&text, Some(path)))?;
        let read_error = |source| ConfigError::Read { path: path.to_owned(), source };
        let absolute = std::path::absolute(path).map_err(read_error)?;
        if let Some(folder) = absolute.parent() {
            let plugins = &mut config.plugins;
            for entry in plugins.dirs.iter_mut().chain(&mut plugins.paths) {
                *entry = folder.join(&*entry);
            }
            let absolute = |(key, digest): (String, String)| match key.contains(std::path::is_separator) {
                true => (folder.join(key).display().to_string(), digest),
                false => (key, digest),
            };
            plugins.sha256 = plugins.sha256.take().map(|list| list.into_iter().map(absolute).collect());
        }
        Ok(config)
    }
}

impl FromStr for Config {
    type Err = ConfigError;

    /// Reads the text of a config file. Relative `dirs` and `paths` stay as they are written.
    fn from_str(text: &str) -> Result<Config, ConfigError> {
        parse(&Document::new(text, None))
    }
}

impl PluginsConfig {
    /// Whether a plugin of this id may load.
    pub fn allows(&self, id: &str) -> bool {
        match &self.allow {
            None => true,
            Some(patterns) => patterns.iter().any(|pattern| matches_pattern(pattern, id)),
        }
    }
}

/// Whether `text` matches `pattern`, in which each `*` stands for any run of characters, also an
/// empty one, and every other character for itself. Time: `O(pattern * text)`.
pub fn matches_pattern(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    // The leftmost place of each middle piece leaves most room for the pieces after it.
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = rest.get(at + piece.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}

fn read_text(path: &Path) -> Result<String, ConfigError> {
    let read_error = |source| ConfigError::Read { path: path.to_owned(), source };
    // Asked before opening: opening a named pipe would wait for a writer.
    let kind = std::fs::metadata(path).map_err(read_error)?;
    if !kind.is_file() && !kind.is_dir() {
        return Err(read_error(io::Error::new(io::ErrorKind::InvalidInput, "is not a regular file")));
    }
    let file = File::open(path).map_err(read_error)?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(read_error)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(ConfigError::TooLarge { path: path.to_owned(), limit: MAX_FILE_BYTES });
    }
    String::from_utf8(bytes).map_err(|error| ConfigError::NotUtf8 {
        path: path.to_owned(),
        offset: error.utf8_error().valid_up_to(),
    })
}

/// The known name with the least edit distance, if it is near enough to be what was meant.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let distance = |known: &str| strsim::osa_distance(&name, &known.to_lowercase());
    known
        .map(|known| (distance(known), known))
        .min()
        .filter(|(d, _)| *d <= 1 + name.len() / 3)
        .map(|(_, k)| k)
}

#[cfg(test)]
mod tests;
