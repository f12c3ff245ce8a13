//! The fastest of the sizes that were tried, by the times that a device's events tell.
//!
//! Defined by: tflite/delegates/gpu/cl/cl_command_queue.cc (`GetBestWorkGroupIndex`), which takes one sample of each.

use crate::{GpuInfo, Vendor};

/// How a device is to be timed. The dispatches of a size are waited for before the next one's: a caller may cancel then, and on Mali
/// memory of those that are under way grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Procedure {
    /// Each dispatch is waited for: some Adreno 3xx tell wrong numbers otherwise, and now and then even so.
    pub one_by_one: bool,
    /// Samples of each size, the first of which warms up where there are others.
    pub samples: usize,
}

impl Procedure {
    /// For this device.
    pub fn on(info: &GpuInfo) -> Procedure {
        Procedure { one_by_one: is_doubtful(info), samples: 3 }
    }
}

/// Whether events may tell nonsense.
fn is_doubtful(info: &GpuInfo) -> bool {
    matches!(info.vendor, Vendor::Adreno(adreno) if adreno.0 < 400)
}

/// A time that no dispatch takes, in nanoseconds: 100 s.
const NONSENSE: u64 = 100_000_000_000;

/// The candidate with the shortest time, the first of several; `None` if no time is to be believed. Per candidate its samples in
/// nanoseconds, whose shortest counts. Where events are doubtful, so do only times from a tenth of the mean on of those that are possible.
pub fn fastest(info: &GpuInfo, samples: &[Vec<u64>]) -> Option<usize> {
    let all = || samples.iter().flatten().copied().filter(|&time| time < NONSENSE);
    let least = match is_doubtful(info) {
        true => mean(all())? / 10.0,
        false => 0.0,
    };
    let shortest =
        |times: &Vec<u64>| times.iter().copied().filter(|&t| t < NONSENSE && t as f64 >= least).min();
    let times = samples.iter().enumerate().filter_map(|(i, times)| Some((shortest(times)?, i)));
    times.min().map(|(_, i)| i)
}

/// `None` of nothing.
fn mean(times: impl Iterator<Item = u64>) -> Option<f64> {
    let (sum, count) = times.fold((0.0, 0u64), |(sum, count), time| (sum + time as f64, count + 1));
    (count > 0).then(|| sum / count as f64)
}

/// The times of a size without the first one, which warms up, where there are others.
pub fn warm(times: &[u64]) -> &[u64] {
    &times[usize::from(times.len() > 1)..]
}
