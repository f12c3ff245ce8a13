//! Products of matrices through local memory, where rows of all three are made of whole slices: each number is read from the device's
//! memory once per tile, not once per work-item.

use arenite_abi::prelude::*;
use arenite_layers::Clamp;

use super::WithEpilogue;
use crate::GpuInfo;
use crate::builder::{Argument, Buffer, Builder, numbers};
use crate::device::About;
use crate::kernel_name::KernelName;
use crate::work_groups::{Kind, TILES, volume};

/// Work-items of a work-group along both axes, and slices of a tile.
const SIDE: usize = 8;
/// Rows of a work-item.
const ROWS: usize = 4;

/// Bytes of local memory: two tiles of floats.
const BYTES: u64 = (2 * SIDE * ROWS * SIDE * 16) as u64;

/// Which products go through local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiles {
    /// None.
    None,
    /// Those that fill tiles.
    Large,
    /// All that can.
    All,
}

/// Matrices of whole slices. Strides from row to row count slices.
pub struct Product {
    /// Both matrices.
    pub operands: [Buffer; 2],
    /// From one row to the next, of both and of the result.
    pub strides: [usize; 3],
    /// Of each product, the slices where both matrices and the result begin.
    pub starts: Vec<[usize; 3]>,
    /// Rows of the result, slices of depth, and columns.
    pub sizes: [usize; 3],
    /// A slice per slice of columns.
    pub bias: Buffer,
}

impl Tiles {
    /// What the option `products` asks for; `about` is that of a device with such kernels.
    pub fn asked(option: Option<&str>, about: Option<&About>) -> Result<Tiles> {
        match (option.unwrap_or("auto"), about) {
            ("auto", Some(about)) if about.kind == "gpu" && Tiles::fit(about) => Ok(Tiles::Large),
            ("auto" | "direct", _) => Ok(Tiles::None),
            ("tiled", Some(about)) if Tiles::fit(about) => Ok(Tiles::All),
            ("tiled", _) => Err(unsupported!("option products = 'tiled': the device has no kernels for it")),
            (other, _) => {
                Err(invalid!("option products = '{other}' is not there; known: auto, direct, tiled"))
            }
        }
    }

    /// Whether a device has room for a work-group and its tiles.
    fn fit(about: &About) -> bool {
        let GpuInfo { axes, total, .. } = about.limits;
        let within = TILES.iter().zip(axes).all(|(size, most)| *size <= most);
        within && u128::from(total) >= volume(TILES) && about.local >= BYTES
    }

    /// Whether a product of these sizes does.
    pub fn take(self, [rows, depth, columns]: [usize; 3]) -> bool {
        match self {
            Tiles::None => false,
            Tiles::Large => rows >= SIDE * ROWS && depth >= SIDE && columns >= 4 * SIDE,
            Tiles::All => true,
        }
    }
}

impl Product {
    /// The task of such matrices where nothing goes through local memory, but for what is done to results.
    pub(super) fn direct<'e>(&self, builder: &mut Builder<'_, '_>) -> Result<WithEpilogue<'e>> {
        let mut task = self.task(builder)?;
        task.arguments.extend(numbers(&[self.starts.len()])?);
        Ok(WithEpilogue { name: KernelName::Product, kind: Kind::Other, ..task })
    }

    /// Its task, but for what is done to results.
    pub(super) fn task<'e>(&self, builder: &mut Builder<'_, '_>) -> Result<WithEpilogue<'e>> {
        let Product { operands: [a, b], strides, starts, sizes: [rows, depth, columns], bias } = self;
        let starts: Vec<i32> = starts.iter().flatten().map(|&start| start as i32).collect();
        let products = starts.len() / 3;
        let starts = builder.table(&starts)?;
        let slices = columns.div_ceil(4);
        let mut arguments = [*a, *b, starts, *bias].map(Argument::Buffer).to_vec();
        arguments.extend(numbers(&[*rows, *depth, *columns, slices])?);
        arguments.extend(numbers(strides)?);
        Ok(WithEpilogue {
            name: KernelName::Tiled,
            definitions: Vec::new(),
            arguments,
            grid: [slices, rows.div_ceil(ROWS), products],
            kind: Kind::Tiles,
            clamp: Clamp::NONE,
            functions: &[],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(kind: &'static str, total: u32, local: u64) -> About {
        let limits = GpuInfo { vendor: crate::Vendor::Other, axes: [total; 3], total };
        let (name, driver) = ("a".to_owned(), "b".to_owned());
        About { name, driver, kind, memory: 1 << 30, largest: 1 << 30, local, units: 1, images: 0, limits }
    }

    #[test]
    fn gpus_with_room_have_tiles() {
        let asked = |option, about: &About| Tiles::asked(option, Some(about)).ok();
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
        assert_eq!(message(Some(&gpu)), "option products = 'slow' is not there; known: auto, direct, tiled");
        assert!(Tiles::asked(Some("tiled"), None).is_err());
    }

    #[test]
    fn small_products_fill_no_tiles() {
        assert!(Tiles::Large.take([32, 8, 32]) && !Tiles::Large.take([31, 8, 32]));
        assert!(!Tiles::Large.take([32, 7, 32]) && !Tiles::Large.take([32, 8, 31]));
        assert!(Tiles::All.take([1, 1, 1]) && !Tiles::None.take([999, 99, 999]));
    }
}
