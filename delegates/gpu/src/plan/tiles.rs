//! Which products of matrices go through local memory, and the tiles of their kernel.

use arenite_abi::prelude::*;

use crate::GpuInfo;
use crate::device::DeviceInfo;
use crate::work_groups::{TILES, volume};

/// The work-items of a work-group along both axes, and the slices of a tile.
pub(crate) const SIDE: usize = 8;
/// Rows of a work-item.
pub(crate) const ROWS: usize = 4;

/// Bytes of local memory: two tiles of floats.
const BYTES: u64 = (2 * SIDE * ROWS * SIDE * 16) as u64;

/// Which products go through local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tiles {
    /// None.
    None,
    /// Products that fill tiles.
    Large,
    /// All supported products.
    All,
}

impl Tiles {
    /// Parses the option `products`; `about` describes a device that has the kernels.
    pub(crate) fn asked(option: Option<&str>, about: Option<&DeviceInfo>) -> Result<Tiles> {
        match (option.unwrap_or("auto"), about) {
            ("auto", Some(about)) if about.kind == "gpu" && Tiles::fit(about) => Ok(Tiles::Large),
            ("auto" | "direct", _) => Ok(Tiles::None),
            ("tiled", Some(about)) if Tiles::fit(about) => Ok(Tiles::All),
            ("tiled", _) => Err(unsupported!("option products = 'tiled': the device has no kernels for it")),
            (other, _) => Err(invalid!("option products = '{other}' is unknown; known: auto, direct, tiled")),
        }
    }

    /// Whether a device has room for a work-group and its tiles.
    fn fit(about: &DeviceInfo) -> bool {
        let GpuInfo { axes, total, .. } = about.limits;
        let within = TILES.iter().zip(axes).all(|(size, most)| *size <= most);
        within && u128::from(total) >= volume(TILES) && about.local >= BYTES
    }

    /// Whether a product of these sizes goes through local memory.
    pub(crate) fn take(self, [rows, depth, columns]: [usize; 3]) -> bool {
        match self {
            Tiles::None => false,
            Tiles::Large => rows >= SIDE * ROWS && depth >= SIDE && columns >= 4 * SIDE,
            Tiles::All => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(kind: &'static str, total: u32, local: u64) -> DeviceInfo {
        let limits = GpuInfo { vendor: crate::Vendor::Other, axes: [total; 3], total };
        let (name, driver) = ("a".to_owned(), "b".to_owned());
        DeviceInfo {
            name,
            driver,
            kind,
            memory: 1 << 30,
            largest: 1 << 30,
            local,
            units: 1,
            images: 0,
            limits,
        }
    }

    #[test]
    fn gpus_with_enough_local_memory_use_tiles() {
        let asked = |option, about: &DeviceInfo| Tiles::asked(option, Some(about)).ok();
        let (gpu, cpu) = (about("gpu", 256, 32768), about("cpu", 4096, 1 << 20));
        assert_eq!([asked(None, &gpu), asked(None, &cpu)], [Some(Tiles::Large), Some(Tiles::None)]);
        assert_eq!(
            [asked(Some("tiled"), &cpu), asked(Some("direct"), &gpu)],
            [Some(Tiles::All), Some(Tiles::None)]
        );
        for small in [about("gpu", 32, 32768), about("gpu", 256, 8191)] {
            assert_eq!([asked(None, &small), asked(Some("tiled"), &small)], [Some(Tiles::None), None]);
        }
        let message =
            |about| Tiles::asked(Some("slow"), about).expect_err("no such value").message().to_owned();
        assert_eq!(message(Some(&gpu)), "option products = 'slow' is unknown; known: auto, direct, tiled");
        assert!(Tiles::asked(Some("tiled"), None).is_err());
    }

    #[test]
    fn small_products_do_not_use_tiles() {
        assert!(Tiles::Large.take([32, 8, 32]) && !Tiles::Large.take([31, 8, 32]));
        assert!(!Tiles::Large.take([32, 7, 32]) && !Tiles::Large.take([32, 8, 31]));
        assert!(Tiles::All.take([1, 1, 1]) && !Tiles::None.take([999, 99, 999]));
    }
}
