//! How a queue comes to the sizes of work-groups: by a formula at once, or by timing, which a caller may cancel, so it is done in the first
//! invocation. What was timed on a device is known to all of its queues, and to later starts by way of the folder.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use arenite_abi::prelude::*;

use crate::GpuInfo;
use crate::cache::Cache;
use crate::device::{Effort, Settings};
use crate::sizes::{Asked, Sizes, from_text, to_text};
use crate::work_groups::{Extent, Kind, Tuning, candidates};

/// Sizes that were found on a device, by the key of a kernel's text.
#[derive(Default)]
pub struct Found(Mutex<HashMap<String, Sizes>>);

impl Found {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Sizes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A kernel whose work-group is to be timed.
pub struct Untimed {
    /// Of the kernel's text, its driver and its device.
    key: String,
    asked: Asked,
    sizes: Vec<Extent>,
}

/// What a queue does for its kernels.
pub struct Tuner {
    tuning: Tuning,
    cache: Option<Cache>,
    effort: Cell<Effort>,
}

impl Tuner {
    /// As `settings` have it, on such a device.
    pub fn new(settings: &Settings, info: &GpuInfo) -> Tuner {
        let cache = settings.cache.as_deref().map(Cache::new);
        Tuner { tuning: settings.tuning.on(info), cache, effort: Cell::default() }
    }

    /// The folder, if there is one.
    pub fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    /// What was done so far.
    pub fn effort(&self) -> Effort {
        self.effort.get()
    }

    /// Adds to that.
    pub fn count(&self, add: impl FnOnce(&mut Effort)) {
        let mut effort = self.effort.get();
        add(&mut effort);
        self.effort.set(effort);
    }

    /// The size that a kernel runs in, and what has to be timed for a better one. `key` tells texts, drivers and devices apart.
    pub fn size(
        &self,
        found: &Found,
        key: impl FnOnce() -> String,
        (grid, kind): (Extent, Kind),
        (info, most): (&GpuInfo, u32),
    ) -> (Extent, Option<Untimed>) {
        let sizes = candidates(self.tuning, kind, info, most, grid);
        if let [size] = sizes[..] {
            return (size, None);
        }
        let (key, asked) = (key(), Asked::new(grid, most, kind));
        let load = || {
            let text =
                self.cache.as_ref().and_then(|cache| String::from_utf8(cache.load("sizes", &key)?).ok());
            text.map_or_else(Sizes::new, |text| from_text(&text, info.axes))
        };
        let known = found.all().entry(key.clone()).or_insert_with(load).get(&asked).copied();
        if let Some(size) = known {
            self.count(|effort| effort.recalled += 1);
            return (size, None);
        }
        (candidates(Tuning::Fast, kind, info, most, grid)[0], Some(Untimed { key, asked, sizes }))
    }

    /// The best size, as `best` finds it; that of a kernel with equal text and grid if one was timed meanwhile.
    ///
    /// # Errors
    /// Those of `best`; then nothing is kept.
    pub fn time(
        &self,
        found: &Found,
        untimed: &Untimed,
        best: impl FnOnce(&[Extent]) -> Result<Extent>,
    ) -> Result<Extent> {
        let Untimed { key, asked, sizes } = untimed;
        if let Some(size) = found.all().get(key).and_then(|known| known.get(asked).copied()) {
            self.count(|effort| effort.recalled += 1);
            return Ok(size);
        }
        let start = Instant::now();
        let size = best(sizes)?;
        self.count(|effort| {
            effort.tuned += 1;
            effort.tuning += start.elapsed().as_nanos() as u64;
        });
        let mut all = found.all();
        let known = all.entry(key.clone()).or_default();
        known.insert(*asked, size);
        if let Some(cache) = &self.cache {
            cache.save("sizes", key, to_text(known).as_bytes());
        }
        Ok(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vendor;

    const INFO: GpuInfo = GpuInfo { vendor: Vendor::Other, axes: [64; 3], total: 64 };

    fn tuner(folder: &std::path::Path) -> Tuner {
        Tuner::new(&Settings { tuning: Tuning::Exhaustive, cache: Some(folder.to_owned()) }, &INFO)
    }

    fn ask(tuner: &Tuner, found: &Found) -> (Extent, Option<Untimed>) {
        tuner.size(found, || "key".to_owned(), ([64, 4, 1], Kind::Other), (&INFO, 64))
    }

    /// Timed once, known to another queue of the device, and to another start; not if it was cancelled.
    #[test]
    fn what_was_timed_is_not_timed_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let (first, found) = (tuner(folder.path()), Found::default());
        let (fast, untimed) = ask(&first, &found);
        let untimed = untimed.expect("nothing is known");
        let cancelled = first.time(&found, &untimed, |_| Err(unavailable!("cancelled")));
        assert!(cancelled.is_err() && first.effort() == Effort::default());
        let last = first.time(&found, &untimed, |sizes| Ok(sizes[sizes.len() - 1])).expect("it is timed");
        assert_ne!(last, fast);
        let again = first.time(&found, &untimed, |_| panic!("it is known"));
        assert_eq!((again.ok(), first.effort().tuned, first.effort().recalled), (Some(last), 1, 1));
        for found in [found, Found::default()] {
            let later = tuner(folder.path());
            assert!(matches!(ask(&later, &found), (size, None) if size == last));
            assert_eq!((later.effort().tuned, later.effort().recalled), (0, 1));
        }
    }
}
