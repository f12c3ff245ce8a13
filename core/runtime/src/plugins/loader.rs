//! Finds plugin libraries, opens them, and performs the handshake between host and plugin.

use std::collections::BTreeMap;
use std::fs::File;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use arenite_abi::Plugin;
use arenite_abi::raw::{
    ABI_FLOOR, ABI_VERSION, ArEntryV1, ArPluginBuildV1, ArPluginV1, BUILD_SYMBOL, ENTRY_SYMBOL,
};

use crate::config::Config;
use crate::error::{Error, LoadError, LoadFailure, Result};
use crate::host::{HOST, message};
use crate::plugins::library_file::{self, CheckedLibrary, LibrarySource};
use crate::plugins::registry::{AbiVersion, Origin, Registry};
use crate::plugins::{built, descriptor, digest, foreign};

/// Environment variable with a list of folders, separated as in `PATH`.
pub const PLUGIN_PATH: &str = "ARENITE_PLUGIN_PATH";

/// Folder below the install prefix.
const PREFIX_FOLDER: &str = "lib/arenite/plugins";

impl Registry {
    /// Loads all plugins that the configuration and the environment name, in this order: linked-in plugins, `paths`,
    /// `dirs`, `ARENITE_PLUGIN_PATH`, the install prefix.
    ///
    /// # Errors
    /// Under `strict`, the first plugin that fails to load; otherwise it is listed in [`failures`](Self::failures).
    pub fn discover(config: &Config) -> Result<Self> {
        let mut registry = Registry::new();
        registry.add_discovered(config)?;
        Ok(registry)
    }

    /// Adds the plugins that [`discover`](Self::discover) finds after the registered ones.
    ///
    /// # Errors
    /// See [`discover`](Self::discover).
    pub fn add_discovered(&mut self, config: &Config) -> Result<()> {
        discover(self, config)?;
        self.preferences = config.ops.clone();
        Ok(())
    }

    /// Registers a plugin that is linked in, unless its id is already registered.
    ///
    /// # Errors
    /// The plugin breaks the contract, or one of its planners or delegates has a name that is taken.
    pub fn add_plugin(&mut self, plugin: &'static Plugin) -> Result<()> {
        let failure = |reason| Error::Plugin(LoadFailure { path: PathBuf::from("(linked in)"), reason });
        let descriptor = introduce(plugin).map_err(failure)?;
        // SAFETY: `Plugin::new` requires a descriptor whose parts are static.
        match unsafe { self.register(descriptor, Origin::Static, AbiVersion::FIRST) } {
            Ok(()) | Err(LoadError::Duplicate(_)) => Ok(()),
            Err(reason) => Err(failure(reason)),
        }
    }

    /// Loads one library.
    ///
    /// # Errors
    /// The library cannot be opened, is no plugin, or has a part that breaks the contract or whose name or id is taken.
    pub fn load_file(&mut self, path: impl Into<PathBuf>) -> Result<()> {
        let path = path.into();
        match load(self, &path, &[]) {
            Ok(()) => Ok(()),
            Err(reason) => Err(Error::Plugin(LoadFailure { path, reason })),
        }
    }

    /// Loads all libraries of a folder, in the order of their names, not recursively. Libraries that fail to load are
    /// listed in [`failures`](Self::failures).
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn load_dir(&mut self, dir: impl Into<PathBuf>) -> Result<()> {
        load_dir(self, &dir.into(), &[])
    }
}

/// Loads all plugins that the configuration and the environment name.
pub(crate) fn discover(registry: &mut Registry, config: &Config) -> Result<()> {
    let rules = Rules { allow: config.plugins.allow.as_deref(), sha256: config.plugins.sha256.as_ref() };
    if config.plugins.builtin {
        registry.add_static_plugins()?;
    }
    for path in &config.plugins.paths {
        if let Err(reason) = load_by(rules, registry, path, LibrarySource::Named) {
            note(registry, path.clone(), reason);
        }
    }
    for path in relative_places() {
        note(registry, path, LoadError::File(format!("{PLUGIN_PATH} takes absolute paths only")));
    }
    for dir in places(config) {
        load_dir_by(rules, registry, &dir.path, dir.must_exist)?;
    }
    match registry.not_loaded().into_iter().next() {
        Some(failure) if config.plugins.strict => Err(Error::Plugin(failure)),
        _ => Ok(()),
    }
}

/// Loads all libraries of a folder.
pub(crate) fn load_dir(registry: &mut Registry, dir: &Path, allow: &[String]) -> Result<()> {
    let rules = Rules { allow: (!allow.is_empty()).then_some(allow), sha256: None };
    load_dir_by(rules, registry, dir, true)
}

/// Loads one library and registers its offer.
pub(crate) fn load(registry: &mut Registry, path: &Path, allow: &[String]) -> Result<(), LoadError> {
    let rules = Rules { allow: (!allow.is_empty()).then_some(allow), sha256: None };
    load_by(rules, registry, path, LibrarySource::Named)
}

/// Passes the host to a plugin that is linked in.
pub(crate) fn introduce(plugin: &'static Plugin) -> Result<*const ArPluginV1, LoadError> {
    let mut version = ABI_VERSION;
    // SAFETY: the host is a static, `version` is writable.
    let descriptor = unsafe { plugin.handshake(&HOST, &mut version) };
    if descriptor.is_null() { Err(refused(version)) } else { Ok(descriptor) }
}

/// The rules for loading libraries; without a rule, every library may load.
#[derive(Clone, Copy)]
struct Rules<'a> {
    /// Patterns for plugin ids.
    allow: Option<&'a [String]>,
    /// The digests of all libraries that may be opened.
    sha256: Option<&'a BTreeMap<String, String>>,
}

struct SearchFolder {
    path: PathBuf,
    /// Whether a missing folder is an error.
    must_exist: bool,
}

fn places(config: &Config) -> Vec<SearchFolder> {
    let mut places: Vec<SearchFolder> =
        config.plugins.dirs.iter().map(|dir| SearchFolder { path: dir.clone(), must_exist: true }).collect();
    if let Some(list) = std::env::var_os(PLUGIN_PATH) {
        let dirs = std::env::split_paths(&list).filter(|dir| dir.is_absolute());
        places.extend(dirs.map(|path| SearchFolder { path, must_exist: true }));
    }
    if let Some(prefix) = install_prefix().or_else(|| config.plugins.prefix.clone()) {
        places.push(SearchFolder { path: prefix.join(PREFIX_FOLDER), must_exist: false });
    }
    places
}

/// Relative folders in the environment variable, which are never searched.
fn relative_places() -> Vec<PathBuf> {
    let list = std::env::var_os(PLUGIN_PATH).unwrap_or_default();
    std::env::split_paths(&list).filter(|dir| dir.is_relative() && !dir.as_os_str().is_empty()).collect()
}

/// The parent of the program's folder, if that folder is called `bin`.
fn install_prefix() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    Some(program.parent().filter(|dir| dir.ends_with("bin"))?.parent()?.to_owned())
}

fn load_dir_by(rules: Rules<'_>, registry: &mut Registry, dir: &Path, must_exist: bool) -> Result<()> {
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !must_exist => return Ok(()),
        Err(error) => {
            let reason = LoadError::File(format!("the plugin folder cannot be read: {error}"));
            note(registry, dir.to_owned(), reason);
            return Ok(());
        }
    };
    registry.searched.push(dir.display().to_string());
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.extension().is_some_and(|e| e == std::env::consts::DLL_EXTENSION))
        .collect();
    files.sort();
    for path in files {
        match load_by(rules, registry, &path, LibrarySource::Searched) {
            Ok(()) => {}
            // A folder may also contain libraries that are not plugins.
            Err(LoadError::NoEntry) => tracing::debug!(path = %path.display(), "not a plugin"),
            Err(reason) => note(registry, path, reason),
        }
    }
    Ok(())
}

fn note(registry: &mut Registry, path: PathBuf, reason: LoadError) {
    let failure = LoadFailure { path, reason };
    tracing::warn!("{failure}");
    registry.failures.push(failure);
}

fn load_by(
    rules: Rules<'_>,
    registry: &mut Registry,
    path: &Path,
    found: LibrarySource,
) -> Result<(), LoadError> {
    let _span = tracing::info_span!("load_plugin", path = %path.display()).entered();
    let CheckedLibrary { identity, file, needed } =
        library_file::check(path, found).map_err(|error| LoadError::File(error.to_string()))?;
    if registry.files.contains(&identity) {
        return Ok(());
    }
    // The path is made absolute so that the system's loader does not search for it.
    let absolute = path.canonicalize().map_err(|error| LoadError::File(error.to_string()))?;
    let host = built::Host::of_process(has_function);
    host.check_needed(&needed).map_err(LoadError::Build)?;
    let library = match rules.sha256 {
        None => open(&absolute)?,
        Some(list) => {
            digest::check(list, path, &file).map_err(LoadError::Digest)?;
            open_checked(&absolute, file)?
        }
    };
    // Libraries are never unloaded, because registrations and the data of plugins point into them.
    let library = ManuallyDrop::new(library);
    let (descriptor, version) = negotiate(&library, host)?;
    // SAFETY: the descriptor came from the handshake with a library that is never unloaded.
    let id = unsafe { descriptor::id(descriptor) }.map_err(LoadError::Descriptor)?;
    if let Some(allow) = rules.allow
        && !allow.iter().any(|pattern| crate::config::matches_pattern(pattern, &id))
    {
        return Err(LoadError::NotAllowed(id));
    }
    let abi = AbiVersion { major: (version >> 16) as u16, minor: version as u16 };
    // SAFETY: as for the id.
    unsafe { registry.register(descriptor, Origin::File(absolute), abi) }?;
    registry.files.push(identity);
    Ok(())
}

/// Opens a library and resolves all symbols, so that a missing one is an error here and does not end the process later.
fn open(path: &Path) -> Result<libloading::Library, LoadError> {
    #[cfg(unix)]
    // SAFETY: a plugin is trusted code, chosen by the user; its initialisers run here. The file was checked before.
    let library = unsafe {
        use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
        Library::open(Some(path), RTLD_NOW | RTLD_LOCAL).map(Into::into)
    };
    #[cfg(not(unix))]
    // SAFETY: a plugin is trusted code, chosen by the user; its initialisers run here. The file was checked before.
    // Windows resolves all symbols when it loads a library.
    let library = unsafe { libloading::Library::new(path) };
    library.map_err(|error| {
        let reason = std::error::Error::source(&error).map_or(String::new(), |source| format!(": {source}"));
        let message = format!("{error}{reason}");
        built::explain(&message).map_or(LoadError::Open(message), LoadError::Build)
    })
}

/// Opens the file whose digest was compared, even if another file has its path by now.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn open_checked(_: &Path, file: File) -> Result<libloading::Library, LoadError> {
    use std::os::fd::AsRawFd;
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    if !path.exists() {
        return Err(LoadError::Digest(
            "a library with a digest is opened through /proc, which is not mounted".into(),
        ));
    }
    let library = open(&path)?;
    // The system's loader identifies the library by this path, so the descriptor number must not be reused.
    std::mem::forget(file);
    Ok(library)
}

/// Opens a library. Between the comparison of digests and this call, only root and the caller can change the file.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn open_checked(path: &Path, _: File) -> Result<libloading::Library, LoadError> {
    open(path)
}

/// Compares layouts and agrees on a version.
fn negotiate(
    library: &libloading::Library,
    host: built::Host,
) -> Result<(*const ArPluginV1, u32), LoadError> {
    // SAFETY: the symbol has this type, by the contract.
    let entry: ArEntryV1 = match unsafe { library.get::<ArEntryV1>(ENTRY_SYMBOL) } {
        Ok(symbol) => *symbol,
        Err(_) => return Err(LoadError::NoEntry),
    };
    check_build(library, host)?;
    check_layout(library)?;
    let mut version = ABI_VERSION;
    message::clear_message();
    // SAFETY: the host is a static and `version` is writable; the layouts agree.
    let descriptor = unsafe { entry(&HOST, &mut version) };
    if descriptor.is_null() {
        return Err(refused(version));
    }
    if !(ABI_FLOOR..=ABI_VERSION).contains(&version) {
        return Err(LoadError::Version(format!(
            "it answers with ABI {}, this host speaks {} to {}",
            dotted(version),
            dotted(ABI_FLOOR),
            dotted(ABI_VERSION)
        )));
    }
    Ok((descriptor, version))
}

/// Compares how the plugin and this process were built. A plugin without this information is accepted.
fn check_build(library: &libloading::Library, host: built::Host) -> Result<(), LoadError> {
    // SAFETY: the address of a static; only `foreign::read` reads it.
    let Ok(symbol) = (unsafe { library.get::<*const ArPluginBuildV1>(BUILD_SYMBOL) }) else { return Ok(()) };
    // SAFETY: the library is never unloaded, so the address stays valid.
    let Some(address) = (unsafe { symbol.try_as_raw_ptr() }) else { return Ok(()) };
    // SAFETY: the contract requires a symbol of this name to be a static struct whose first field is its header.
    let plugin = unsafe { foreign::read(address.cast::<ArPluginBuildV1>(), BUILD_SYMBOL) };
    plugin.and_then(|plugin| host.check(&plugin)).map_err(LoadError::Build)
}

/// Whether the program, or a library loaded at its start, has this function.
fn has_function(name: &str) -> bool {
    #[cfg(unix)]
    // SAFETY: the function is not called.
    return unsafe { libloading::os::unix::Library::this().get::<*const std::ffi::c_void>(name) }.is_ok();
    #[cfg(not(unix))]
    {
        let _ = name;
        false
    }
}

/// Plugins written in Rust describe their layouts; for plugins written in C, the sizes in their headers are checked.
fn check_layout(library: &libloading::Library) -> Result<(), LoadError> {
    // SAFETY: the address of a static; only `layout::check` reads it.
    let symbol = unsafe { library.get::<*const std::ffi::c_void>(arenite_abi::layout::SYMBOL) };
    let Ok(symbol) = symbol else { return Ok(()) };
    // SAFETY: the library is never unloaded, so the address stays valid.
    let Some(address) = (unsafe { symbol.try_as_raw_ptr() }) else { return Ok(()) };
    // SAFETY: the address of that symbol in a library that is never unloaded.
    unsafe { arenite_abi::layout::check(address) }.map_err(LoadError::Layout)
}

fn refused(version: u32) -> LoadError {
    let wanted = message::take_message("");
    let wanted = if wanted.is_empty() { String::new() } else { format!(": {wanted}") };
    LoadError::Version(format!(
        "it needs ABI {} or later, this host speaks {}{wanted}",
        dotted(version),
        dotted(ABI_VERSION)
    ))
}

fn dotted(version: u32) -> String {
    format!("{}.{}", version >> 16, version & 0xffff)
}
