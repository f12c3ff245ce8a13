//! The storage of values on the device, and caches.
//!
//! | file | contents |
//! |---|---|
//! | `layout` | rows of channels, padded to slices of four |
//! | `precision` | floats of 32 or 16 bits |
//! | `wide` | the values that keep 32 bits where others have 16 |
//! | `storage` | buffers or images |
//! | `constants` | constants on the device, shared by partitions |
//! | `shared` | the queue and the values on the device that the partitions of an interpreter share |
//! | `cache` | compiled programs and tuned sizes in files |
//! | `tuner`, `sizes` | work-group sizes found by timing |
//! | `recent` | a bounded map of recently used values |

pub(crate) mod cache;
pub(crate) mod constants;
pub(crate) mod layout;
pub(crate) mod precision;
#[cfg(any(feature = "opencl", feature = "vulkan"))]
pub(crate) mod recent;
pub(crate) mod shared;
pub(crate) mod sizes;
pub(crate) mod storage;
pub(crate) mod tuner;
pub(crate) mod wide;
