//! `arenite.toml`: where plugins are, which of them may load, and which planner and delegates to use. `docs/config.md`
//! describes each key.
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
//! # require = true               # fail if a node runs elsewhere; or ["CONV_2D"]: if a node of these ops does
//! options = { winograd = false } # options of the delegate; an unknown option is an error
//! [ops.CONV_2D]
//! prefer = ["org.example.*"]     # plugins whose op is used; delegates do not claim it
//! priority = { "org.example.fast" = 20 }
//! [threads]
//! count = 4
//! [tie]
//! caches = true                  # each output of a signature is tied to the input of its name, type and shape
//! # pairs = [{ signature = "step", output = "next", input = "state" }]
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
mod ties;

pub use error::{ConfigError, Position};
pub use ties::{TieConfig, TiedOutput};

use crate::planning::lifetime::Lifetimes;
use arenite_layout::Techniques;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// The delegate name that turns all delegates off, including the default one. It must be the only one.
pub const NO_DELEGATE: &str = "none";

/// The only value of `schema` that this version reads.
pub const SCHEMA: i64 = 1;

/// The maximum length of a config file in bytes.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// The maximum of `[threads] count`.
pub const MAX_THREADS: usize = crate::pool::MAX_THREADS;

/// The contents of an `arenite.toml`. The default equals an empty file: no directories, every plugin allowed, the
/// default planner, no delegates listed, the default quota.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// `[plugins]`: where to search for plugins, and which may load.
    pub plugins: PluginsConfig,
    /// `[planner]`; `None` selects the default planner.
    pub planner: Option<PlannerConfig>,
    /// `[[delegate]]`, in the order of the file: the first one claims nodes first. The default delegate is added at the
    /// end, unless the list contains `none`.
    pub delegates: Vec<DelegateConfig>,
    /// `[ops.NAME]` by operator name (`CONV_2D`, or the name of a custom op).
    pub ops: BTreeMap<String, OpConfig>,
    /// `[planner] preserve_all` and `outputs`: how long tensors live.
    pub lifetimes: Lifetimes,
    /// `[threads] count`, in `1..=MAX_THREADS`; `None` means one per processor.
    pub threads: Option<NonZeroUsize>,
    /// `[memory]`: techniques for sharing memory between tensors.
    pub techniques: Techniques,
    /// `[tie]`: outputs that become inputs of the next invocation.
    pub ties: TieConfig,
    /// `[quota]`: limits on the resources that a model can use.
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
    /// Patterns for plugin ids. A plugin may load if its id matches one of them; `None` allows every plugin.
    pub allow: Option<Vec<String>>,
    /// SHA-256 digests, as 64 hexadecimal digits, by path or by file name. If set, only libraries in this list whose
    /// digest matches are opened. Paths are absolute when read by [`Config::from_file`].
    pub sha256: Option<BTreeMap<String, String>>,
    /// Whether a plugin that fails to load is an error; otherwise it is a warning.
    pub strict: bool,
    /// Whether the plugins that are linked into the program are used.
    pub builtin: bool,
    /// The install prefix of the calling library; `lib/arenite/plugins` below it is searched last. Ignored if the
    /// program is in a folder named `bin`: its prefix is the parent folder. Not part of the file.
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
    /// What to do when no plugin has this delegate, or when its device is [unavailable](crate::Status::Unavailable).
    /// All other problems, such as an unknown option, are errors.
    pub on_missing: OnMissing,
    /// Names of ops that this delegate must not run.
    pub exclude_ops: Vec<String>,
    /// The minimum number of nodes in a partition for this delegate; 0 and 1 set no limit.
    pub min_nodes: usize,
    /// The maximum number of partitions in a subgraph; the ones with the most nodes are kept. `None` sets no limit.
    pub max_partitions: Option<NonZeroUsize>,
    /// The nodes that it must run. Settings that continue without the delegate contradict it.
    pub require: Require,
    /// What to do when its device becomes [unavailable](crate::Status::Unavailable) during an invocation.
    pub on_failure: OnFailure,
    /// `options` as text, in the order of the file. Integers are decimal, floats have a point or an
    /// exponent (or are `inf`, `NaN`), booleans are `true` or `false`.
    pub options: Vec<(String, String)>,
}

impl DelegateConfig {
    /// The delegate of this name, without options. It is an error if the delegate is missing.
    pub fn new(name: impl Into<String>) -> Self {
        DelegateConfig {
            name: name.into(),
            on_missing: OnMissing::Error,
            exclude_ops: Vec::new(),
            min_nodes: 0,
            max_partitions: None,
            require: Require::Nothing,
            on_failure: OnFailure::Error,
            options: Vec::new(),
        }
    }
}

/// If [`NO_DELEGATE`] has options, is required to run nodes or is listed with another delegate: its index and the error
/// message.
pub(crate) fn misused_none(delegates: &[DelegateConfig]) -> Option<(usize, String)> {
    let index = delegates.iter().position(|delegate| delegate.name == NO_DELEGATE)?;
    if let Some(other) = delegates.iter().find(|delegate| delegate.name != NO_DELEGATE) {
        let text =
            format!("'none' means no delegate, but '{}' is listed as well: remove one of them", other.name);
        return Some((index, text));
    }
    if delegates[index].require != Require::Nothing {
        return Some((index, "'none' means no delegate, so it cannot be required to run nodes".to_owned()));
    }
    let (key, _) = delegates[index].options.first()?;
    Some((index, format!("'none' means no delegate, and has no option '{key}'")))
}

/// The nodes that a delegate must run. It is an error, with the reasons, if one of them runs elsewhere. Nodes whose
/// results are known before the first invocation are exempt: the host computes them once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Require {
    /// The delegate runs what it claims.
    #[default]
    Nothing,
    /// All nodes, also in subgraphs that are called.
    AllNodes,
    /// All nodes of these ops, by the schema's or the custom op's name.
    Ops(Vec<String>),
}

impl Require {
    /// Whether the delegate must run the nodes of this op.
    pub(crate) fn includes(&self, op: &str) -> bool {
        match self {
            Require::Nothing => false,
            Require::AllNodes => true,
            Require::Ops(names) => names.iter().any(|name| name == op),
        }
    }
}

impl std::fmt::Display for Require {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Require::Nothing => f.write_str("no nodes"),
            Require::AllNodes => f.write_str("all nodes"),
            Require::Ops(names) => write!(f, "all nodes of {}", names.join(", ")),
        }
    }
}

impl DelegateConfig {
    /// If `require` contradicts another setting: the message of the error.
    pub(crate) fn contradiction(&self) -> Option<String> {
        let setting = match (&self.require, self.on_missing, self.on_failure) {
            (Require::Nothing, ..) => return None,
            (_, OnMissing::Skip, _) => "on_missing = \"skip\"",
            (_, _, OnFailure::Fallback) => "on_failure = \"fallback\"",
            _ => return None,
        };
        Some(format!("`require` and `{setting}` contradict each other: leave one of them out"))
    }
}

/// What to do about a missing delegate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnMissing {
    /// Fail.
    #[default]
    Error,
    /// Continue without it.
    Skip,
}

/// What to do when a delegate loses its device or its device memory while the model runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// The invocation fails.
    #[default]
    Error,
    /// The invocation runs again without the delegate.
    Fallback,
}

/// `[ops.NAME]`: which plugin's op is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpConfig {
    /// Patterns of plugin ids, most preferred first. They take precedence over all plugins that are not listed, and for
    /// builtin ops over delegates: a delegate does not claim a node that a preferred plugin's op serves.
    pub prefer: Vec<String>,
    /// Priority by plugin id. It replaces the priority in the plugin's registration. Delegates do not claim a node of a
    /// builtin op if a plugin with a positive priority here serves it.
    pub priority: BTreeMap<String, i32>,
}

/// `[quota]`; `None` selects the default limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuotaConfig {
    /// The maximum bytes of memory that one interpreter can use.
    pub bytes: Option<u64>,
    /// The maximum bytes of device memory that one interpreter can use.
    pub device_bytes: Option<u64>,
    /// The maximum number of nodes in all subgraphs of a model together.
    pub nodes: Option<u64>,
    /// The maximum nesting depth of subgraph calls.
    pub depth: Option<u32>,
    /// The maximum number of subgraph calls in one `invoke`.
    pub calls: Option<u64>,
    /// The time limit of one `allocate` or `invoke`, in milliseconds.
    pub time: Option<u64>,
}

impl PluginsConfig {
    /// Whether a plugin with this id may load.
    pub fn allows(&self, id: &str) -> bool {
        match &self.allow {
            None => true,
            Some(patterns) => patterns.iter().any(|pattern| matches_pattern(pattern, id)),
        }
    }
}

/// Whether `text` matches `pattern`. Each `*` matches any sequence of characters, including an empty one; all other
/// characters match themselves. Time: `O(pattern * text)`.
pub fn matches_pattern(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    // Matching each middle piece as far left as possible leaves the most text for the following pieces.
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = rest.get(at + piece.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The known name with the smallest edit distance, if it is close enough to suggest as a correction.
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
