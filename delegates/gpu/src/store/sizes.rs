//! Work-group sizes found by timing, per kernel text and grid.

use std::collections::BTreeMap;

use crate::work_groups::{Bounds, Extent, Kind};

/// The launch that a size was found for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TuningKey {
    /// Work-items.
    pub grid: Extent,
    /// The work-group limit of the compiled kernel.
    pub most: u32,
    /// Whether it is a convolution.
    pub is_convolution: bool,
}

impl TuningKey {
    /// A launch of a kernel whose work-groups have at most `most` work-items.
    pub(crate) fn new(grid: Extent, most: u32, kind: Kind) -> Self {
        TuningKey { grid, most, is_convolution: kind == Kind::Convolution }
    }
}

/// The sizes of one kernel text.
pub(crate) type Sizes = BTreeMap<TuningKey, Extent>;

/// Serializes sizes, one per line.
pub(crate) fn to_text(sizes: &Sizes) -> String {
    let line = |(tuning_key, [x, y, z]): (&TuningKey, &Extent)| {
        let TuningKey { grid: [gx, gy, gz], most, is_convolution } = tuning_key;
        format!("{gx} {gy} {gz} {most} {} {x} {y} {z}\n", u32::from(*is_convolution))
    };
    sizes.iter().map(line).collect()
}

/// Parses the output of [`to_text`]. Sizes that exceed the device's limits are skipped.
pub(crate) fn from_text(text: &str, axes: Extent) -> Sizes {
    let line = |line: &str| -> Option<(TuningKey, Extent)> {
        let numbers: Vec<u32> = line.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
        let [gx, gy, gz, most, kind @ (0 | 1), x, y, z] = numbers[..] else { return None };
        let tuning_key = TuningKey { grid: [gx, gy, gz], most, is_convolution: kind == 1 };
        Bounds { axes, total: most }.allow([x, y, z]).then_some((tuning_key, [x, y, z]))
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed_and_checked() {
        let tuning_key = TuningKey::new([7, 5, 3], 64, Kind::Convolution);
        let sizes =
            Sizes::from([(tuning_key, [8, 4, 1]), (TuningKey::new([7, 5, 4], 64, Kind::Other), [1, 1, 64])]);
        assert_eq!(to_text(&sizes), "7 5 3 64 1 8 4 1\n7 5 4 64 0 1 1 64\n");
        assert_eq!(from_text(&to_text(&sizes), [64; 3]), sizes);
        for wrong in [
            "7 5 3 64 1 8 9 1",
            "7 5 3 64 2 8 4 1",
            "7 5 3 64 1 0 4 1",
            "7 5 3 64 1 8 4",
            "x",
            "7 5 3 64 1 8 4 65",
        ] {
            assert_eq!(from_text(wrong, [64; 3]), Sizes::new(), "{wrong}");
        }
    }
}
