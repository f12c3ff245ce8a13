//! Language models in `.tflite` files: signatures `prefill_*` and `decode` with caches as inputs and outputs.
//!
//! A [`Session`] finds the signatures, holds the caches, and takes tokens. [`Sampler`] chooses the next token from the
//! logits, and [`Session::generate`] does both until the answer ends:
//!
//! ```no_run
//! # fn main() -> arenite_language::Result<()> {
//! use arenite_language::{Request, Sampler, Sampling, Session};
//!
//! let model = arenite::Model::from_file("model.tflite")?;
//! let interpreter = arenite::Interpreter::builder(&model).build()?;
//! let mut session = Session::new(interpreter)?;
//! let mut sampler = Sampler::new(&Sampling::default())?;
//! let answer = session.generate(&[1, 15043], &mut sampler, &Request::of(20), &mut |_| true)?;
//! println!("{:?}", answer.ids);
//! # Ok(()) }
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod error;
mod generate;
mod layout;
mod sampler;
mod session;
mod stops;

pub use error::{Error, Result};
pub use generate::{Answer, Reason, Request, Work};
pub use sampler::{Sampler, Sampling};
pub use session::{Session, State};
pub use stops::StopWords;
