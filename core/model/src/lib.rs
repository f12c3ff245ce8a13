//! Verified, borrowed views of `.tflite` models.
//!
//! [`Model::new`] verifies the structure and the meaning of a file once. Afterwards, every accessor is a cheap read of
//! the file's own bytes. [`ModelBuffer`] (feature `std`) owns those bytes. They come from [`Source`]s: a file that is
//! read or mapped, a vector, or memory of the caller; one for the model, and one for each other file with constants.
//! Without the feature `alloc` (part of `std`, on by default) a model needs no heap: [`Model::new_in`] verifies it with
//! memory of the caller.
//!
//! ```no_run
//! # #[cfg(feature = "std")] {
//! let file = arenite_model::ModelBuffer::from_file("model.tflite")?;
//! let model = file.model();
//! for operator in model.subgraphs().get(0).into_iter().flat_map(|graph| graph.operators()) {
//!     println!("{:?}", model.operator_code(&operator).map(|code| code.builtin_code()));
//! }
//! # }
//! # Ok::<(), arenite_model::ModelError>(())
//! ```

#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code, missing_docs)]

#[cfg(feature = "alloc")]
extern crate alloc;

mod buffers;
mod builtin_names;
mod detail;
mod error;
mod external;
mod model;
#[cfg(feature = "std")]
#[allow(unsafe_code)]
mod model_buffer;
mod path;
mod schema;
#[cfg(feature = "std")]
#[allow(unsafe_code)]
mod source;
#[cfg(feature = "sparse")]
mod sparse;
mod types;
mod verify;
#[cfg(feature = "std")]
pub mod writer;

pub use builtin_names::{
    CUSTOM, builtin_operator_code, builtin_operator_name, builtin_options_2_name, builtin_options_name,
};
pub use detail::{Detail, detail};
pub use error::{Definition, ModelError};
pub use model::Model;
#[cfg(feature = "std")]
pub use model_buffer::ModelBuffer;
pub use path::Path;
pub use schema::{
    BlockwiseQuantization, Buffer, CustomQuantization, DimensionMetadata, ExternalBuffer,
    ExternalBufferGroup, Int32Vector, LinearScales, List, Malformed, Metadata, MultiAxisQuantization,
    Operator, OperatorCode, QuantizationDetails, QuantizationParameters, RawTable, SignatureDef,
    SparseIndexVector, SparsityParameters, SubGraph, Tables, Tensor, TensorMap, Uint8Vector, Uint16Vector,
    VariantSubType,
};
#[cfg(feature = "std")]
pub use source::Source;
#[cfg(feature = "sparse")]
pub use sparse::expand_sparse;
pub use types::tensor_type;
