//! The delegate's options.

use std::path::PathBuf;

use arenite_abi::prelude::*;

use crate::device::Settings;
use crate::precision::Precision;
use crate::storage::Storage;
use crate::work_groups::Tuning;

/// What a user asks of the delegate.
///
/// | option | value | without it |
/// |---|---|---|
/// | `device` | its number in the list of devices, or a part of its name | the first GPU, else the first device |
/// | `memory` | the planner that hands out shared objects for activations; empty: the interpreter's own | `greedy-in-order` |
/// | `precision` | in how many bits floats are stored: `f32`, `f16`; kernels compute with 32 | `f32` |
/// | `storage` | how kernels read slices: `buffer` by pointers, `image` through images over the same memory | `buffer` |
/// | `tuning` | `fast`: sizes of work-groups by a formula; `exhaustive`: by timing all that fit; `fixed`: 8 × 4 × 1 | `fast` |
/// | `products` | of matrices: `tiled` through local memory, `direct` without, `auto` as the device and their sizes are | `auto` |
/// | `winograd` | which convolutions of 3 × 3 are computed with fewer multiplications: `auto` large ones, `true` all that can, `false` none | `auto` |
/// | `cache_dir` | a folder where programs and sizes that were timed stay from one start to the next | none |
/// | `min_work` | operations that a group of nodes must have per byte that crosses for it: see `transfer` | 0 |
pub struct Options {
    /// Which device.
    pub device: Option<String>,
    /// Whose shared objects.
    pub memory: String,
    /// How floats are stored.
    pub precision: Precision,
    /// What kernels read slices from.
    pub storage: Storage,
    /// How kernels are made ready.
    pub settings: Settings,
    /// Operations per byte.
    pub min_work: f64,
    /// Which products go through local memory; see [`Tiles::asked`](crate::ops::tiled::Tiles::asked).
    pub products: Option<String>,
    /// Which convolutions; see [`Winograd::asked`](crate::ops::winograd::Winograd::asked).
    pub winograd: Option<String>,
}

const KNOWN: &[&str] =
    &["device", "memory", "precision", "storage", "tuning", "cache_dir", "min_work", "products", "winograd"];

impl Options {
    /// Reads them.
    ///
    /// # Errors
    /// One that is not known, or has another value; the error names it.
    pub fn read(options: &OptionPairs<'_>) -> Result<Options> {
        options.expect_only(KNOWN)?;
        let precisions = [("f32", Precision::F32), ("f16", Precision::F16)];
        let precision = one_of(options, "precision", &precisions)?;
        let storage = one_of(options, "storage", &[("buffer", Storage::Buffer), ("image", Storage::Image)])?;
        let tunings = [("fast", Tuning::Fast), ("exhaustive", Tuning::Exhaustive), ("fixed", Tuning::Fixed)];
        let tuning = one_of(options, "tuning", &tunings)?;
        let min_work: f64 = options.parse("min_work", 0.0)?;
        if min_work.is_nan() || min_work < 0.0 {
            return Err(invalid!("option min_work = '{min_work}' is no number of operations"));
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

/// The meaning of an option's value; the first one if it is not given.
fn one_of<T: Copy>(options: &OptionPairs<'_>, key: &str, values: &[(&str, T)]) -> Result<T> {
    let text = options.get(key).unwrap_or(values[0].0);
    let found = values.iter().find(|(value, _)| *value == text);
    found.map(|&(_, meaning)| meaning).ok_or_else(|| {
        let known: Vec<&str> = values.iter().map(|&(value, _)| value).collect();
        invalid!("option {key} = '{text}' is not there; known: {}", known.join(", "))
    })
}
