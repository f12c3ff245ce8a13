//! The file that keeps a partition's packed weights from one start to the next.

use std::path::{Path, PathBuf};

use arenite_abi::host::{self, LogLevel};
use arenite_abi::prelude::*;

use crate::settings::Settings;
use crate::store::{Cache, Origin, Store, hash};

/// A file in the folder of option `cache`. It need not exist.
pub(crate) struct CacheFile {
    path: PathBuf,
    origin: Origin,
}

impl CacheFile {
    /// The file of a partition whose constants have this hash.
    pub(crate) fn of(
        folder: &Path,
        settings: &Settings,
        partition: &PartitionView<'_>,
        contents: u128,
    ) -> CacheFile {
        let nodes: Vec<_> = partition
            .nodes()
            .map(|node| {
                let place = (node.subgraph(), node.index(), node.input_indices().to_vec());
                (place, node.builtin_code(), node.version())
            })
            .collect();
        let setting =
            format!("{} {} {:?} {nodes:?}", env!("CARGO_PKG_VERSION"), settings.isa, settings.winograd);
        let setting = hash(setting.as_bytes());
        let name = hash(format!("{contents:032x} {setting:016x}").as_bytes());
        let path = folder.join(format!("{name:016x}.arenite-weights"));
        CacheFile { path, origin: Origin { contents, setting } }
    }

    /// The contents of the file. `None` if it does not exist, cannot be read or belongs to another partition.
    pub(crate) fn open(&self) -> Option<Cache> {
        Cache::open(&self.path, &self.origin).unwrap_or_else(|error| {
            self.warn("cannot be read", &error);
            None
        })
    }

    /// Writes all blocks. Returns whether that succeeded; a failure is logged.
    pub(crate) fn save(&self, store: &Store) -> bool {
        store.save(&self.path, &self.origin).map_err(|error| self.warn("was not written", &error)).is_ok()
    }

    fn warn(&self, what: &str, error: &std::io::Error) {
        let message = format!("cache {} {what}: {error}; weights are packed in memory", self.path.display());
        host::log(LogLevel::Warn, "arenite_cpu", &message);
    }
}
