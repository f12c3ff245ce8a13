//! Sizes of work-groups that were found by timing: per kernel's text, and per grid of it.

use std::collections::BTreeMap;

use crate::work_groups::{Bounds, Extent, Kind};

/// What a size was found for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asked {
    /// Work-items.
    pub grid: Extent,
    /// Most of a work-group of the compiled kernel.
    pub most: u32,
    /// Whether it is a convolution.
    pub is_convolution: bool,
}

impl Asked {
    /// For a kernel that can have so many work-items.
    pub fn new(grid: Extent, most: u32, kind: Kind) -> Self {
        Asked { grid, most, is_convolution: kind == Kind::Convolution }
    }
}

/// The sizes of one text.
pub type Sizes = BTreeMap<Asked, Extent>;

/// As it is kept: a line each.
pub fn to_text(sizes: &Sizes) -> String {
    let line = |(asked, [x, y, z]): (&Asked, &Extent)| {
        let Asked { grid: [gx, gy, gz], most, is_convolution } = asked;
        format!("{gx} {gy} {gz} {most} {} {x} {y} {z}\n", u32::from(*is_convolution))
    };
    sizes.iter().map(line).collect()
}

/// What [`to_text`] wrote, and a device with these limits can run; the rest is left out.
pub fn from_text(text: &str, axes: Extent) -> Sizes {
    let line = |line: &str| -> Option<(Asked, Extent)> {
        let numbers: Vec<u32> = line.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
        let [gx, gy, gz, most, kind @ (0 | 1), x, y, z] = numbers[..] else { return None };
        let asked = Asked { grid: [gx, gy, gz], most, is_convolution: kind == 1 };
        Bounds { axes, total: most }.allow([x, y, z]).then_some((asked, [x, y, z]))
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_they_were_written_and_checked() {
        let asked = Asked::new([7, 5, 3], 64, Kind::Convolution);
        let sizes = Sizes::from([(asked, [8, 4, 1]), (Asked::new([7, 5, 4], 64, Kind::Other), [1, 1, 64])]);
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
