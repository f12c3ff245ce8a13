//! The file that keeps a partition's packed weights from one start to the next.

use std::path::{Path, PathBuf};

use arenite_abi::host::{self, LogLevel};
use arenite_abi::prelude::*;

use crate::delegate::Cpu;
use crate::store::{Cache, Origin, Store, hash};

/// A file in the folder that option `cache` names, whether it is there or not.
pub struct CacheFile {
    path: PathBuf,
    origin: Origin,
}

impl CacheFile {
    /// That of a partition whose constants have this hash.
    pub fn of(folder: &Path, settings: &Cpu, partition: &PartitionView<'_>, contents: u128) -> CacheFile {
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

    /// What it has; `None` if there is no such file, or it is another partition's, or it cannot be read.
    pub fn open(&self) -> Option<Cache> {
        Cache::open(&self.path, &self.origin).unwrap_or_else(|error| {
            self.warn("cannot be read", &error);
            None
        })
    }

    /// Writes all blocks, and says whether that went well.
    pub fn save(&self, store: &Store) -> bool {
        store.save(&self.path, &self.origin).map_err(|error| self.warn("was not written", &error)).is_ok()
    }

    fn warn(&self, what: &str, error: &std::io::Error) {
        let message = format!("cache {} {what}: {error}; weights are packed in memory", self.path.display());
        host::log(LogLevel::Warn, "arenite_cpu", &message);
    }
}
