//! An inference runtime for `.tflite` models whose operators, planners and delegates are plugins.
//!
//! ```
//! use arenite::{Interpreter, Model};
//!
//! # fn main() -> arenite::Result<()> {
//! # std::env::set_current_dir("..").unwrap();
//! let model = Model::from_file("examples/digits/digits_f32.tflite")?;
//! let mut interpreter = Interpreter::builder(&model).threads(2).build()?;
//! interpreter.allocate()?;
//! interpreter.input_mut(0)?.copy_from_slice(&[0.5f32; 16 * 16])?;
//! interpreter.invoke()?;
//! println!("{:?}", interpreter.output(0)?.as_slice::<f32>()?);
//! # Ok(()) }
//! ```
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `builtin` | yes | the reference ops and the planners, found by every [`Interpreter`] of the program |
//! | `cpu` | yes | the CPU delegate |
//! | `avx2`, `avx512`, `amx`, `neon` | yes | its instruction sets |
//! | `exact` | yes | the exact planner |
//! | `pictures` | yes | [`pictures`]: image files as inputs |
//! | `answers` | yes | [`answers`]: classes, boxes, segmentations and poses from outputs |
//! | `flex` | no | 317 of TensorFlow's ops |
//! | `opencl`, `vulkan` | no | the GPU delegates |
//!
//! [`model_file::writer`] writes models, for example for tests of ops.
//!
//! With `default-features = false` the program gets its plugins from [folders](InterpreterBuilder::config), or
//! [registers](Registry::add_plugin) its own.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "builtin")]
use arenite_builtin as _;

#[cfg(feature = "answers")]
pub use arenite_answers as answers;
#[cfg(feature = "pictures")]
pub use arenite_pictures as pictures;
pub use arenite_runtime::*;
