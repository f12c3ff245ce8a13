//! Containers of language models: `.litertlm` files.
//!
//! ```text
//! 0           8           20        24           32                  header end      section 0    section 1
//! │ LITERTLM  │ 3 × u32   │ 4 bytes │ u64        │ flatbuffer          │ padding …    │ bytes …    │ bytes …
//! │           │ version   │         │ header end │ (`header`)          │              │            │
//! ```
//!
//! [`Container::read`] verifies the header and the place of each section. Sections begin at multiples of 16 KiB, so a
//! model can be mapped where it is. [`Metadata`] has the tokens and templates that the container names, and [`write()`]
//! makes a container.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod container;
mod error;
mod flat;
mod header;
mod metadata;
mod section;
mod writer;

pub use container::Container;
pub use error::{Error, Result};
pub use metadata::{Affixes, Ids, Metadata, Pair, Token};
pub use prost::Message;
pub use section::{Items, Kind, Section, Value};
pub use writer::{Part, write};

/// The first bytes of a container.
pub const MAGIC: [u8; 8] = *b"LITERTLM";

/// The name by which a model in a container knows the section with its constants.
pub const WEIGHTS: &str = "tflite_weights";

/// The version of the format that is written; other minor versions are read, too.
const VERSION: [u32; 3] = [1, 1, 0];

/// Where the end of the header is written, and where the header begins.
const HEADER_END_AT: usize = 24;
const HEADER_AT: usize = 32;

/// Sections begin at multiples of this.
const BLOCK: usize = 16 << 10;

/// Larger headers are errors.
const MOST_HEADER: u64 = 1 << 20;
