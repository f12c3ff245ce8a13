//! Which convolutions are computed by Winograd's minimal filtering, and the tiles of their images.

use arenite_abi::prelude::*;
use arenite_layers::Window;

use crate::device::DeviceInfo;
use crate::{Adreno, Vendor};

/// Pixels of a tile of the output along each side.
pub(crate) const TILE: usize = 4;

/// The minimum size of convolutions that use Winograd's algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Winograd {
    /// Slices of input channels, and of output channels.
    slices: [usize; 2],
    /// Tiles of all images.
    tiles: usize,
}

impl Winograd {
    const NONE: Winograd = Winograd { slices: [usize::MAX; 2], tiles: usize::MAX };
    const ALL: Winograd = Winograd { slices: [0; 2], tiles: 0 };

    /// Parses the option `winograd`; `about` describes a device that has the kernels.
    pub(crate) fn asked(option: Option<&str>, about: Option<&DeviceInfo>) -> Result<Winograd> {
        match (option.unwrap_or("auto"), about) {
            ("auto", Some(about)) => Ok(Winograd::worth_it(about.kind, about.limits.vendor)),
            ("auto" | "false", _) => Ok(Winograd::NONE),
            ("true", Some(_)) => Ok(Winograd::ALL),
            ("true", None) => Err(unsupported!("option winograd = 'true': the device has no kernels for it")),
            (other, _) => Err(invalid!("option winograd = '{other}' is unknown; known: auto, false, true")),
        }
    }

    /// TensorFlow Lite's rule for GPUs: products must be large enough to outweigh the transforms. Processors need fewer
    /// tiles to be busy.
    fn worth_it(kind: &str, vendor: Vendor) -> Winograd {
        match vendor {
            _ if kind == "cpu" => Winograd { slices: [16; 2], tiles: 16 },
            Vendor::Adreno(Adreno(600..700)) => Winograd { slices: [32; 2], tiles: 128 },
            Vendor::Adreno(_) => Winograd { slices: [32; 2], tiles: 64 },
            Vendor::Amd => Winograd { slices: [16, 8], tiles: 32 },
            _ => Winograd { slices: [16; 2], tiles: 32 },
        }
    }

    /// Whether a convolution uses Winograd's algorithm.
    pub(crate) fn takes(self, window: &Window, filters: usize) -> bool {
        let fits = [window.rows, window.columns].iter().all(|a| [a.taps, a.stride, a.dilation] == [3, 1, 1]);
        let slices = [window.channels, filters].map(|channels| channels.div_ceil(4));
        let is_large = (0..2).all(|side| slices[side] >= self.slices[side]);
        fits && is_large && ImageTiles::of(window).count() >= self.tiles
    }
}

/// The tiles of all images.
pub(crate) struct ImageTiles {
    /// Number of images.
    pub images: usize,
    /// Tiles of an image along its height.
    pub rows: usize,
    /// Tiles of an image along its width.
    pub columns: usize,
}

impl ImageTiles {
    /// The tiles of the output.
    pub(crate) fn of(window: &Window) -> Self {
        let [rows, columns] = [window.rows, window.columns].map(|axis| axis.output.div_ceil(TILE));
        ImageTiles { images: window.batches, rows, columns }
    }

    /// Tiles of all images.
    pub(crate) fn count(&self) -> usize {
        self.images * self.rows * self.columns
    }
}

#[cfg(test)]
mod tests {
    use arenite_layers::Axis;

    use super::*;

    fn window(size: usize, taps: usize, stride: usize, channels: usize) -> Window {
        let axis = Axis { input: size, taps, output: size / stride, stride, dilation: 1, before: 1 };
        Window { batches: 1, rows: axis, columns: axis, channels }
    }

    #[test]
    fn large_convolutions_use_winograd() {
        for (size, filters, want) in [(16, 64, true), (12, 64, false), (16, 60, false)] {
            let takes = Winograd::worth_it("cpu", Vendor::Other).takes(&window(size, 3, 1, 64), filters);
            assert_eq!(takes, want, "a processor, {size} {filters}");
        }
        for (vendor, size, channels, filters, want) in [
            (Vendor::Other, 24, 64, 64, true),
            (Vendor::Other, 20, 64, 64, false),
            (Vendor::Other, 24, 60, 64, false),
            (Vendor::Amd, 24, 64, 32, true),
            (Vendor::Adreno(Adreno(540)), 32, 128, 128, true),
            (Vendor::Adreno(Adreno(640)), 32, 128, 128, false),
            (Vendor::Adreno(Adreno(640)), 48, 125, 125, true),
        ] {
            let takes = Winograd::worth_it("gpu", vendor).takes(&window(size, 3, 1, channels), filters);
            assert_eq!(takes, want, "{vendor:?} {size} {channels} {filters}");
        }
        assert!(
            Winograd::ALL.takes(&window(1, 3, 1, 1), 1) && !Winograd::NONE.takes(&window(99, 3, 1, 999), 999)
        );
        for (taps, stride) in [(1, 1), (5, 1), (3, 2)] {
            assert!(!Winograd::ALL.takes(&window(24, taps, stride, 64), 64), "{taps} {stride}");
        }
    }

    #[test]
    fn the_option_is_parsed() {
        let message = |option| Winograd::asked(option, None).map_err(|error| error.message().to_owned());
        assert_eq!(message(None), Ok(Winograd::NONE));
        assert_eq!(message(Some("false")), Ok(Winograd::NONE));
        assert_eq!(
            message(Some("true")),
            Err("option winograd = 'true': the device has no kernels for it".to_owned())
        );
        assert_eq!(
            message(Some("2")),
            Err("option winograd = '2' is unknown; known: auto, false, true".to_owned())
        );
    }
}
