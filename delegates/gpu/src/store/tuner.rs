//! The choice of work-group sizes: by a formula, or by timing. Timing happens in the first invocation, where a caller
//! can cancel it. Timed sizes are shared by all queues of a device, and by later processes through the cache folder.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use arenite_abi::prelude::*;

use crate::GpuInfo;
use crate::device::{Effort, Settings};
use crate::store::cache::Cache;
use crate::store::sizes::{Sizes, TuningKey, from_text, to_text};
use crate::work_groups::{Choice, Extent, KernelLimits, Kind, Tuning, WorkGroup, candidates};

/// Timed sizes of a device, by the key of a kernel's text.
#[derive(Default)]
pub struct TunedSizes(Mutex<HashMap<String, Sizes>>);

impl TunedSizes {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Sizes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A kernel whose work-group is not tuned yet.
pub struct UntunedKernel {
    /// The key of text, driver and device.
    key: String,
    tuning_key: TuningKey,
    sizes: Vec<Extent>,
}

/// A launch that needs a work-group.
#[derive(Clone, Copy, Debug)]
pub struct LaunchSize {
    /// Work-items.
    pub grid: Extent,
    /// How its work-groups are chosen.
    pub kind: Kind,
    /// The limits that the driver reports for the compiled kernel.
    pub limits: KernelLimits,
}

/// Selects the work-groups of a queue's kernels.
pub struct Tuner {
    tuning: Tuning,
    cache: Option<Cache>,
    effort: Cell<Effort>,
}

impl Tuner {
    /// A tuner for a device.
    pub fn new(settings: &Settings, info: &GpuInfo) -> Tuner {
        let cache = settings.cache.as_deref().map(Cache::new);
        Tuner { tuning: settings.tuning.on(info), cache, effort: Cell::default() }
    }

    /// The cache folder, if there is one.
    pub fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    /// The effort so far.
    pub fn effort(&self) -> Effort {
        self.effort.get()
    }

    /// Adds to the effort.
    pub fn count(&self, add: impl FnOnce(&mut Effort)) {
        let mut effort = self.effort.get();
        add(&mut effort);
        self.effort.set(effort);
    }

    /// The work-group of a kernel, and the candidates to time for a better one. `key` identifies text, driver and
    /// device.
    pub fn size(
        &self,
        found: &TunedSizes,
        key: impl FnOnce() -> String,
        launch: LaunchSize,
        info: &GpuInfo,
    ) -> (WorkGroup, Option<UntunedKernel>) {
        let LaunchSize { grid, kind, limits } = launch;
        let sizes = candidates(self.tuning, kind, info, limits, grid);
        if let [size] = sizes[..] {
            return (WorkGroup { size, choice: Choice::untimed(self.tuning, kind) }, None);
        }
        let (key, tuning_key) = (key(), TuningKey::new(grid, limits.most, kind));
        let load = || {
            let text =
                self.cache.as_ref().and_then(|cache| String::from_utf8(cache.load("sizes", &key)?).ok());
            text.map_or_else(Sizes::new, |text| from_text(&text, info.axes))
        };
        let known = found.all().entry(key.clone()).or_insert_with(load).get(&tuning_key).copied();
        if let Some(size) = known {
            self.count(|effort| effort.recalled += 1);
            return (WorkGroup { size, choice: Choice::Recalled }, None);
        }
        let size = candidates(Tuning::Fast, kind, info, limits, grid)[0];
        (WorkGroup { size, choice: Choice::Formula }, Some(UntunedKernel { key, tuning_key, sizes }))
    }

    /// The best size, found by `best`, or by an earlier timing of the same text and grid.
    ///
    /// # Errors
    /// The errors of `best`; no size is recorded then.
    pub fn time(
        &self,
        found: &TunedSizes,
        untuned: &UntunedKernel,
        best: impl FnOnce(&[Extent]) -> Result<Extent>,
    ) -> Result<WorkGroup> {
        let UntunedKernel { key, tuning_key, sizes } = untuned;
        if let Some(size) = found.all().get(key).and_then(|known| known.get(tuning_key).copied()) {
            self.count(|effort| effort.recalled += 1);
            return Ok(WorkGroup { size, choice: Choice::Recalled });
        }
        let start = Instant::now();
        let size = best(sizes)?;
        self.count(|effort| {
            effort.tuned += 1;
            effort.tuning += start.elapsed().as_nanos() as u64;
        });
        let mut all = found.all();
        let known = all.entry(key.clone()).or_default();
        known.insert(*tuning_key, size);
        if let Some(cache) = &self.cache {
            cache.save("sizes", key, to_text(known).as_bytes());
        }
        Ok(WorkGroup { size, choice: Choice::Timed })
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

    fn ask(tuner: &Tuner, found: &TunedSizes) -> (WorkGroup, Option<UntunedKernel>) {
        tuner.size(
            found,
            || "key".to_owned(),
            LaunchSize { grid: [64, 4, 1], kind: Kind::Other, limits: KernelLimits { most: 64, wave: 1 } },
            &INFO,
        )
    }

    /// A timed size is known to other queues of the device and to later processes, unless timing was cancelled.
    #[test]
    fn timed_sizes_are_reused() {
        let folder = tempfile::tempdir().expect("a folder");
        let (first, found) = (tuner(folder.path()), TunedSizes::default());
        let (fast, untuned) = ask(&first, &found);
        let untuned = untuned.expect("nothing is known");
        let cancelled = first.time(&found, &untuned, |_| Err(unavailable!("cancelled")));
        assert!(cancelled.is_err() && first.effort() == Effort::default());
        let last = first.time(&found, &untuned, |sizes| Ok(sizes[sizes.len() - 1])).expect("it is timed");
        assert_eq!([fast.choice, last.choice], [Choice::Formula, Choice::Timed]);
        assert_ne!(last.size, fast.size);
        let last = WorkGroup { choice: Choice::Recalled, ..last };
        let again = first.time(&found, &untuned, |_| panic!("it is known"));
        assert_eq!((again.ok(), first.effort().tuned, first.effort().recalled), (Some(last), 1, 1));
        for found in [found, TunedSizes::default()] {
            let later = tuner(folder.path());
            assert!(matches!(ask(&later, &found), (group, None) if group == last));
            assert_eq!((later.effort().tuned, later.effort().recalled), (0, 1));
        }
    }
}
