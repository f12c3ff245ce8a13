//! The file that keeps a partition's packed weights from one start to the next.

use std::path::{Path, PathBuf};

use arenite_abi::host::{self, LogLevel};
use arenite_abi::prelude::*;

use crate::delegate::Cpu;
use crate::net::Net;
use crate::store::{Cache, Origin, Store, hash};

/// A file in the folder that option `cache` names, whether it is there or not.
pub struct CacheFile {
    path: PathBuf,
    origin: Origin,
}

impl CacheFile {
    /// That of a partition, which is `net` before it is rewritten.
    pub fn of(
        folder: &Path,
        settings: &Cpu,
        partition: &PartitionView<'_>,
        net: &Net<'_>,
        constants: Constants<'_>,
    ) -> Result<CacheFile> {
        let nodes: Vec<_> = partition
            .nodes()
            .map(|node| (node.subgraph(), node.index(), node.input_indices().to_vec()))
            .collect();
        let setting =
            format!("{} {} {:?} {nodes:?}", env!("CARGO_PKG_VERSION"), settings.isa, settings.winograd);
        let setting = hash(setting.as_bytes());
        let file = constants.origin()?.unwrap_or_else(|| sums(net));
        let words = [&file[..], &[setting]].concat();
        let name = hash(bytemuck::cast_slice(&words));
        let path = folder.join(format!("{name:016x}.arenite-weights"));
        Ok(CacheFile { path, origin: Origin { file, setting } })
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

/// Hashes of the contents of all constants: of a model that is no file.
fn sums(net: &Net<'_>) -> [u64; 4] {
    let mut sums = [0u64; 4];
    for constant in net.values.iter().filter_map(|value| value.constant) {
        for (i, sum) in sums.iter_mut().enumerate() {
            let part = hash(constant.bytes()).rotate_left(16 * i as u32);
            *sum = hash(&[sum.to_le_bytes(), part.to_le_bytes()].concat());
        }
    }
    sums
}
