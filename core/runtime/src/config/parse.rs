//! Converts the tables of a TOML document to a [`Config`].

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::reader::{BooleanOrStrings, Document, Table};
use super::{
    Config, ConfigError, DelegateConfig, MAX_FILE_BYTES, MAX_THREADS, OnFailure, OnMissing, OpConfig,
    PlannerConfig, PluginsConfig, QuotaConfig, Require, SCHEMA, TieConfig, misused_none, ties::ties,
};
use crate::planning::lifetime::{Lifetimes, OutputLifetimeStart};
use crate::quota::MAX_DEPTH;
use arenite_layout::Techniques;

impl Config {
    /// Reads a config file. Relative `dirs` and `paths` are resolved against the folder of the file.
    ///
    /// # Errors
    /// The file cannot be read, is longer than [`MAX_FILE_BYTES`], or has another error in the list of
    /// [`ConfigError`]. Errors in the text name the file, the line and the column.
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

    /// Parses the text of a config file. Relative `dirs` and `paths` are not changed.
    fn from_str(text: &str) -> Result<Config, ConfigError> {
        parse(&Document::new(text, None))
    }
}

fn read_text(path: &Path) -> Result<String, ConfigError> {
    let read_error = |source| ConfigError::Read { path: path.to_owned(), source };
    // Checked before opening, because opening a named pipe would wait for a writer.
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

/// Parses the whole document.
pub(super) fn parse(document: &Document<'_>) -> Result<Config, ConfigError> {
    let tree = document.parse()?;
    let root = Table::root(document, &tree);
    check_schema(&root)?;
    root.only(&["schema", "plugins", "planner", "memory", "delegate", "ops", "threads", "tie", "quota"])?;
    let tables = root.tables("delegate")?;
    let delegates: Vec<DelegateConfig> = tables.iter().map(delegate).collect::<Result<_, _>>()?;
    if let Some((i, message)) = misused_none(&delegates) {
        return Err(tables[i].bad("use", message));
    }
    Ok(Config {
        plugins: root.table("plugins")?.map_or(Ok(PluginsConfig::default()), |t| plugins(&t))?,
        planner: root.table("planner")?.map_or(Ok(None), |t| planner(&t))?,
        lifetimes: root.table("planner")?.map_or(Ok(Lifetimes::default()), |t| lifetimes(&t))?,
        delegates,
        ops: root.table("ops")?.map_or(Ok(BTreeMap::new()), |t| ops(&t))?,
        threads: root
            .table_like("threads", "a table (`[threads]`, `count = ...`)")?
            .map_or(Ok(None), |t| threads(&t))?,
        techniques: root.table("memory")?.map_or(Ok(Techniques::default()), |t| techniques(&t))?,
        ties: root.table("tie")?.map_or(Ok(TieConfig::default()), |t| ties(&t))?,
        quota: root.table("quota")?.map_or(Ok(QuotaConfig::default()), |t| quota(&t))?,
    })
}

/// Must be called before any other check, because another schema may have other keys.
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
    table.only(&["dirs", "paths", "allow", "sha256", "strict", "builtin"])?;
    let paths = |key| -> Result<Vec<PathBuf>, ConfigError> {
        Ok(table.strings(key)?.unwrap_or_default().into_iter().map(PathBuf::from).collect())
    };
    Ok(PluginsConfig {
        dirs: paths("dirs")?,
        paths: paths("paths")?,
        allow: table.strings("allow")?,
        sha256: digests(table)?,
        strict: table.boolean("strict")?.unwrap_or_default(),
        builtin: table.boolean("builtin")?.unwrap_or(true),
        prefix: None,
    })
}

fn digests(table: &Table<'_>) -> Result<Option<BTreeMap<String, String>>, ConfigError> {
    if !table.has("sha256") {
        return Ok(None);
    }
    let digests: BTreeMap<String, String> = table.options("sha256")?.into_iter().collect();
    let is_digest = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some((name, digest)) = digests.iter().find(|(_, digest)| !is_digest(digest)) {
        let message = format!("'{name}' has '{digest}'; a SHA-256 digest has 64 hexadecimal digits");
        return Err(table.bad("sha256", message));
    }
    Ok(Some(digests))
}

/// `None` if the table has neither `use` nor `options`: it may set lifetimes only.
fn planner(table: &Table<'_>) -> Result<Option<PlannerConfig>, ConfigError> {
    table.only(&["use", "options", "preserve_all", "outputs"])?;
    if !table.has("use") && !table.has("options") {
        return Ok(None);
    }
    Ok(Some(PlannerConfig { name: required_name(table)?, options: table.options("options")? }))
}

fn lifetimes(table: &Table<'_>) -> Result<Lifetimes, ConfigError> {
    let outputs = [("producer", OutputLifetimeStart::Producer), ("start", OutputLifetimeStart::Start)];
    Ok(Lifetimes {
        preserve_all: table.boolean("preserve_all")?.unwrap_or_default(),
        outputs: table.choice("outputs", &outputs)?.unwrap_or_default(),
    })
}

fn delegate(table: &Table<'_>) -> Result<DelegateConfig, ConfigError> {
    table.only(&[
        "use",
        "on_missing",
        "exclude_ops",
        "min_nodes",
        "max_partitions",
        "on_failure",
        "require",
        "options",
    ])?;
    let missing = [("error", OnMissing::Error), ("skip", OnMissing::Skip)];
    let failure = [("error", OnFailure::Error), ("fallback", OnFailure::Fallback)];
    let config = DelegateConfig {
        name: required_name(table)?,
        on_missing: table.choice("on_missing", &missing)?.unwrap_or_default(),
        exclude_ops: table.strings("exclude_ops")?.unwrap_or_default(),
        min_nodes: table.count("min_nodes", 0)?.unwrap_or_default(),
        max_partitions: table.count("max_partitions", 1)?.and_then(NonZeroUsize::new),
        on_failure: table.choice("on_failure", &failure)?.unwrap_or_default(),
        require: match table.boolean_or_strings("require")? {
            None | Some(BooleanOrStrings::Boolean(false)) => Require::Nothing,
            Some(BooleanOrStrings::Boolean(true)) => Require::AllNodes,
            Some(BooleanOrStrings::Strings(names)) => Require::Ops(names),
        },
        options: table.options("options")?,
    };
    match config.contradiction() {
        Some(message) => Err(table.bad("require", message)),
        None => Ok(config),
    }
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
    table.only(&["bytes", "device_bytes", "nodes", "depth", "calls", "time"])?;
    let depth = table.integer("depth", 0..=i64::from(MAX_DEPTH))?;
    Ok(QuotaConfig {
        bytes: table.integer("bytes", 0..=i64::MAX)?.map(i64::unsigned_abs),
        device_bytes: table.integer("device_bytes", 0..=i64::MAX)?.map(i64::unsigned_abs),
        nodes: table.integer("nodes", 0..=i64::MAX)?.map(i64::unsigned_abs),
        depth: depth.and_then(|n| u32::try_from(n).ok()),
        calls: table.integer("calls", 0..=i64::MAX)?.map(i64::unsigned_abs),
        time: table.integer("time", 1..=i64::MAX)?.map(i64::unsigned_abs),
    })
}
