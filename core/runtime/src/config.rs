//! `arenite.toml`: where plugins are, which of them may load, and which planner and delegates to use.
//!
//! ```toml
//! schema = 1
//! [plugins]
//! dirs = ["plugins"]             # folders to search, not recursively
//! paths = ["extra/libmine.so"]   # single files
//! allow = ["org.arenite.*"]      # patterns on plugin ids; absent: every plugin
//! strict = true                  # a plugin that fails to load is an error, not a warning
//! builtin = false                # without the plugins that are linked into the program
//! [planner]
//! use = "arena"
//! [memory]                       # techniques that lay tensors over one another, all but the last on by default
//! views = true                   # RESHAPE and the like read their input where it lies
//! in_place = true                # elementwise ops write over an input that nobody reads later
//! split = true                   # contiguous parts are read where they lie
//! concat = true                  # parts are computed where they will lie
//! overlap = true                 # convolutions and pools follow an input that nobody reads later
//! reorder = true                 # nodes run in the order that needs the least memory
//! overwrite_inputs = false       # inputs are used again; they must be filled before each run
//! [[delegate]]
//! use = "cpu"
//! on_missing = "skip"            # or "error", the default
//! exclude_ops = ["SOFTMAX"]
//! min_nodes = 3
//! options = { threads = 2 }
//! [ops.CONV_2D]
//! prefer = ["org.arenite.ops"]
//! priority = { "org.example.fast" = 20 }
//! [threads]
//! count = 4
//! [quota]
//! bytes = 1073741824
//! nodes = 100000
//! depth = 16
//! calls = 1000000
//! time = 5000                     # milliseconds
//! ```

#![forbid(unsafe_code)]

mod error;
mod reader;

pub use error::{ConfigError, Place};

use crate::layout::Techniques;
use reader::{Document, Table};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

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
            strict: false,
            builtin: true,
            prefix: None,
        }
    }
}

/// `[planner]`.
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
    /// What to do when no plugin has this delegate, or when it cannot start here.
    pub on_missing: OnMissing,
    /// Names of ops that stay off this delegate.
    pub exclude_ops: Vec<String>,
    /// Partitions of fewer nodes stay off this delegate; 0 and 1 set no limit.
    pub min_nodes: usize,
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
            options: Vec::new(),
        }
    }
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

fn parse(document: &Document<'_>) -> Result<Config, ConfigError> {
    let tree = document.parse()?;
    let root = Table::root(document, &tree);
    check_schema(&root)?;
    root.only(&["schema", "plugins", "planner", "memory", "delegate", "ops", "threads", "quota"])?;
    Ok(Config {
        plugins: root.table("plugins")?.map_or(Ok(PluginsConfig::default()), |t| plugins(&t))?,
        planner: root.table("planner")?.map(|t| planner(&t)).transpose()?,
        delegates: root.tables("delegate")?.iter().map(delegate).collect::<Result<_, _>>()?,
        ops: root.table("ops")?.map_or(Ok(BTreeMap::new()), |t| ops(&t))?,
        threads: root.table("threads")?.map_or(Ok(None), |t| threads(&t))?,
        techniques: root.table("memory")?.map_or(Ok(Techniques::default()), |t| techniques(&t))?,
        quota: root.table("quota")?.map_or(Ok(QuotaConfig::default()), |t| quota(&t))?,
    })
}

/// Comes before everything else: a file of another schema may well have other keys.
fn check_schema(root: &Table<'_>) -> Result<(), ConfigError> {
    match root.integer("schema", i64::MIN..=i64::MAX)? {
        None => Err(root.missing("schema", "write `schema = 1` first")),
        Some(SCHEMA) => Ok(()),
        Some(other) => {
            Err(root
                .bad("schema", format!("the file has schema {other}, this version reads schema {SCHEMA}")))
        }
    }
}

fn plugins(table: &Table<'_>) -> Result<PluginsConfig, ConfigError> {
    table.only(&["dirs", "paths", "allow", "strict", "builtin"])?;
    let paths = |key| -> Result<Vec<PathBuf>, ConfigError> {
        Ok(table.strings(key)?.unwrap_or_default().into_iter().map(PathBuf::from).collect())
    };
    Ok(PluginsConfig {
        dirs: paths("dirs")?,
        paths: paths("paths")?,
        allow: table.strings("allow")?,
        strict: table.boolean("strict")?.unwrap_or_default(),
        builtin: table.boolean("builtin")?.unwrap_or(true),
        prefix: None,
    })
}

fn planner(table: &Table<'_>) -> Result<PlannerConfig, ConfigError> {
    table.only(&["use", "options"])?;
    Ok(PlannerConfig { name: required_name(table)?, options: table.options("options")? })
}

fn delegate(table: &Table<'_>) -> Result<DelegateConfig, ConfigError> {
    table.only(&["use", "on_missing", "exclude_ops", "min_nodes", "options"])?;
    let choices = [("error", OnMissing::Error), ("skip", OnMissing::Skip)];
    let most = i64::try_from(usize::MAX).unwrap_or(i64::MAX);
    let min_nodes = table.integer("min_nodes", 0..=most)?.unwrap_or_default();
    Ok(DelegateConfig {
        name: required_name(table)?,
        on_missing: table.choice("on_missing", &choices)?.unwrap_or_default(),
        exclude_ops: table.strings("exclude_ops")?.unwrap_or_default(),
        min_nodes: usize::try_from(min_nodes).unwrap_or(usize::MAX),
        options: table.options("options")?,
    })
}

fn required_name(table: &Table<'_>) -> Result<String, ConfigError> {
    table.string("use")?.ok_or_else(|| table.missing("use", "name what to use"))
}

fn ops(table: &Table<'_>) -> Result<BTreeMap<String, OpConfig>, ConfigError> {
    let read = |(name, op): (&str, Table<'_>)| {
        op.only(&["prefer", "priority"])?;
        let prefer = op.strings("prefer")?.unwrap_or_default();
        let priority = op.integers("priority", i64::from(i32::MIN)..=i64::from(i32::MAX))?;
        let narrow = |(id, value)| (id, i32::try_from(value).unwrap_or_default());
        let priority = priority.into_iter().map(narrow).collect();
        Ok((name.to_owned(), OpConfig { prefer, priority }))
    };
    table.each_table()?.into_iter().map(read).collect()
}

fn threads(table: &Table<'_>) -> Result<Option<NonZeroUsize>, ConfigError> {
    table.only(&["count"])?;
    let most = i64::try_from(MAX_THREADS).unwrap_or(i64::MAX);
    let count = table.integer("count", 1..=most)?;
    Ok(count.and_then(|n| usize::try_from(n).ok()).and_then(NonZeroUsize::new))
}

fn techniques(table: &Table<'_>) -> Result<Techniques, ConfigError> {
    table.only(&Techniques::NAMES)?;
    let mut techniques = Techniques::default();
    for name in Techniques::NAMES {
        if let (Some(on), Some(technique)) = (table.boolean(name)?, techniques.named(name)) {
            *technique = on;
        }
    }
    Ok(techniques)
}

fn quota(table: &Table<'_>) -> Result<QuotaConfig, ConfigError> {
    table.only(&["bytes", "nodes", "depth", "calls", "time"])?;
    let depth = table.integer("depth", 0..=i64::from(u32::MAX))?;
    Ok(QuotaConfig {
        bytes: table.integer("bytes", 0..=i64::MAX)?.map(i64::unsigned_abs),
        nodes: table.integer("nodes", 0..=i64::MAX)?.map(i64::unsigned_abs),
        depth: depth.and_then(|n| u32::try_from(n).ok()),
        calls: table.integer("calls", 0..=i64::MAX)?.map(i64::unsigned_abs),
        time: table.integer("time", 1..=i64::MAX)?.map(i64::unsigned_abs),
    })
}

#[cfg(test)]
mod tests;

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
