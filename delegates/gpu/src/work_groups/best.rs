//! The fastest of several work-group sizes, by the times that the device reports.
//!
//! Defined by: tflite/delegates/gpu/cl/cl_command_queue.cc (`GetBestWorkGroupIndex`), which times each size once.

use crate::{GpuInfo, Vendor};

/// How to time a device. All dispatches of a size complete before the next size starts, so a caller can cancel, and on
/// Mali the memory of pending dispatches does not grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Procedure {
    /// Whether to wait for each dispatch: some Adreno 3xx report wrong times otherwise, and occasionally even then.
    pub one_by_one: bool,
    /// Samples per size. The first one is a warm-up if there are more.
    pub samples: usize,
}

impl Procedure {
    /// The procedure for a device.
    pub fn on(info: &GpuInfo) -> Procedure {
        Procedure { one_by_one: is_doubtful(info), samples: 3 }
    }
}

/// Whether reported times may be wrong.
fn is_doubtful(info: &GpuInfo) -> bool {
    matches!(info.vendor, Vendor::Adreno(adreno) if adreno.0 < 400)
}

/// An impossible time in nanoseconds: 100 s.
const NONSENSE: u64 = 100_000_000_000;

/// The first candidate with the shortest time; `None` if no time is credible. The shortest of a candidate's samples
/// counts. If times may be wrong, only times of at least a tenth of the mean of possible times are credible.
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

/// `None` for an empty list.
fn mean(times: impl Iterator<Item = u64>) -> Option<f64> {
    let (sum, count) = times.fold((0.0, 0u64), |(sum, count), time| (sum + time as f64, count + 1));
    (count > 0).then(|| sum / count as f64)
}

/// The samples of a size without the warm-up.
pub fn warm(times: &[u64]) -> &[u64] {
    &times[usize::from(times.len() > 1)..]
}
