//! The delegate's options.

use std::path::PathBuf;

use arenite_abi::prelude::*;

use crate::device::Settings;
use crate::store::precision::Precision;
use crate::store::storage::Storage;
use crate::work_groups::{Extent, FIXED, Tuning};

/// The options of the delegate.
///
/// | option | value | default |
/// |---|---|---|
/// | `device` | a number in the list of devices, or part of a name | the first GPU, else the first device |
/// | `memory` | the planner of shared objects for activations; empty: the interpreter's | `greedy-in-order` |
/// | `precision` | the precision of stored floats: `f32`, `f16`; kernels compute with 32 bits | `f32` |
/// | `storage` | how kernels read slices: `buffer` through pointers, `image` through images over buffers | `buffer` |
/// | `tuning` | work-groups: `fast` by a formula, `exhaustive` by timing all that fit, `fixed` 8 × 4 × 1, or a size such as `16x4x1` | `fast` |
/// | `products` | matrix products: `tiled` through local memory, `direct` without, `auto` by device and size | `auto` |
/// | `winograd` | 3 × 3 convolutions with fewer multiplications: `auto` large ones, `true` all, `false` none | `auto` |
/// | `cache_dir` | a folder that keeps compiled programs and tuned sizes between processes | none |
/// | `min_work` | the least operations of a group of nodes per transferred byte: see `net::transfer` | 0 |
pub(crate) struct Options {
    /// Selects the device.
    pub device: Option<String>,
    /// The planner of shared objects.
    pub memory: String,
    /// The precision of stored floats.
    pub precision: Precision,
    /// The storage that kernels read slices from.
    pub storage: Storage,
    /// Settings for the preparation of kernels.
    pub settings: Settings,
    /// The least operations per transferred byte.
    pub min_work: f64,
    /// Which products go through local memory; see [`Tiles::asked`](crate::plan::tiles::Tiles::asked).
    pub products: Option<String>,
    /// Which convolutions use Winograd's algorithm; see [`Winograd::asked`](crate::plan::winograd::Winograd::asked).
    pub winograd: Option<String>,
}

const KNOWN: &[&str] =
    &["device", "memory", "precision", "storage", "tuning", "cache_dir", "min_work", "products", "winograd"];

impl Options {
    /// Parses options.
    ///
    /// # Errors
    /// An option is unknown or has an invalid value.
    pub(crate) fn read(options: &OptionPairs<'_>) -> Result<Options> {
        options.expect_only(KNOWN)?;
        let precisions = [("f32", Precision::F32), ("f16", Precision::F16)];
        let precision = one_of(options, "precision", &precisions)?;
        let storage = one_of(options, "storage", &[("buffer", Storage::Buffer), ("image", Storage::Image)])?;
        let tuning = tuning(options)?;
        let min_work: f64 = options.parse("min_work", 0.0)?;
        if min_work.is_nan() || min_work < 0.0 {
            return Err(invalid!("option min_work = '{min_work}' is not a number of operations"));
        }
        Ok(Options {
            device: options.get("device").map(str::to_owned),
            memory: options.get("memory").unwrap_or("greedy-in-order").to_owned(),
            precision,
            storage,
            settings: Settings { tuning, cache: options.get("cache_dir").map(PathBuf::from) },
            min_work,
            products: options.get("products").map(str::to_owned),
            winograd: options.get("winograd").map(str::to_owned),
        })
    }
}

/// Parses the tuning: a name or a size.
fn tuning(options: &OptionPairs<'_>) -> Result<Tuning> {
    let size = options.get("tuning").and_then(|text| {
        let numbers: Vec<u32> = text.split('x').map(str::parse).collect::<Result<_, _>>().ok()?;
        Extent::try_from(numbers).ok().filter(|size| !size.contains(&0))
    });
    let fixed = ("fixed", Tuning::Fixed(FIXED));
    let names = [("fast", Tuning::Fast), ("exhaustive", Tuning::Exhaustive), fixed];
    size.map_or_else(|| one_of(options, "tuning", &names), |size| Ok(Tuning::Fixed(size)))
}

/// Parses an option's value. The first choice is the default.
fn one_of<T: Copy>(options: &OptionPairs<'_>, key: &str, values: &[(&str, T)]) -> Result<T> {
    let text = options.get(key).unwrap_or(values[0].0);
    let found = values.iter().find(|(value, _)| *value == text);
    found.map(|&(_, meaning)| meaning).ok_or_else(|| {
        let known: Vec<&str> = values.iter().map(|&(value, _)| value).collect();
        invalid!("option {key} = '{text}' is unknown; known: {}", known.join(", "))
    })
}
