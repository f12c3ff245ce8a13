//! For build scripts: verifies, prepares and plans a `.tflite` model, and writes it as Rust source. The program that
//! includes the source needs neither a heap nor the standard library nor `unsafe`.
//!
//! ```toml
//! [dependencies]
//! arenite-micro = { version = "0.1", default-features = false }
//! arenite-ops = { version = "0.1", default-features = false }
//!
//! [build-dependencies]
//! arenite-embed = "0.1"
//! ```
//!
//! `build.rs` writes `hello_world.rs` to Cargo's `OUT_DIR`, for the machine that the program is compiled for:
//!
//! ```no_run
//! fn main() -> Result<(), arenite_embed::Error> {
//!     arenite_embed::Model::new("models/hello_world.tflite").write()
//! }
//! ```
//!
//! The program:
//!
//! ```ignore
//! mod hello_world {
//!     arenite_micro::include_model!("hello_world");
//! }
//!
//! fn sine(x: f32) -> Option<f32> {
//!     let mut model = hello_world::Model::take()?;
//!     *model.input_0() = [x];
//!     model.run().ok()?;
//!     Some(model.output_0()[0])
//! }
//! ```
//!
//! `arenite embed MODEL --lang rust` writes the same file.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod prepared;

use std::fmt::{self, Debug, Display, Formatter};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use arenite_micro::{PointerWidth, Sources};

pub use prepared::{Prepared, reference_ops};

/// A model to embed.
#[derive(Clone, Debug)]
pub struct Model {
    path: PathBuf,
    name: Option<String>,
    arena: Option<String>,
}

impl Model {
    /// The model in this file. Relative paths are relative to the package, as everywhere in build scripts.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Model { path: path.into(), name: None, arena: None }
    }

    /// Calls the generated file `NAME.rs`, instead of after the model's file.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Lets the model use the arena at this path, such as `crate::ARENA`, which other models may share:
    ///
    /// ```
    /// static ARENA: arenite_micro::embedded::Arena<4096> = arenite_micro::embedded::Arena::new();
    /// ```
    ///
    /// A program with an arena that is too small does not compile.
    #[must_use]
    pub fn arena(mut self, path: impl Into<String>) -> Self {
        self.arena = Some(path.into());
        self
    }

    /// Writes `NAME.rs` to the folder that Cargo gives to the build script, and has the script run again when the model
    /// changes.
    ///
    /// # Errors
    /// The model cannot be read or embedded, the machine is not supported, or the caller is not a build script.
    pub fn write(&self) -> Result<(), Error> {
        let folder = variable("OUT_DIR")?;
        let width = match &variable("CARGO_CFG_TARGET_POINTER_WIDTH")?[..] {
            "32" => PointerWidth::Bits32,
            "64" => PointerWidth::Bits64,
            other => return Err(self.failed(format!("it cannot be embedded for pointers of {other} bits"))),
        };
        if variable("CARGO_CFG_TARGET_ENDIAN")? != "little" {
            return Err(self.failed("it can be embedded only for little-endian machines"));
        }
        let machine = variable("TARGET")?;
        let text = self.text(width, &machine)?;
        let path = Path::new(&folder).join(format!("{}.rs", self.file_stem()));
        fs::write(&path, text).map_err(|error| Error(format!("{}: {error}", path.display())))?;
        let changes = writeln!(io::stdout(), "cargo::rerun-if-changed={}", self.path.display());
        changes.map_err(|error| self.failed(error))
    }

    /// The generated file, for a machine with such pointers; `machine` is its name in comments.
    ///
    /// # Errors
    /// The model cannot be read or embedded.
    pub fn text(&self, width: PointerWidth, machine: &str) -> Result<String, Error> {
        let bytes = fs::read(&self.path).map_err(|error| self.failed(error))?;
        let file = self.path.file_name().unwrap_or_default().to_string_lossy();
        let title = format!("{file} for {machine}, by arenite-embed {}", env!("CARGO_PKG_VERSION"));
        let prepared = Prepared::new(&bytes, width).map_err(|error| self.failed(error))?;
        let text = prepared.to_rust(&self.file_stem(), &title, self.arena.as_deref());
        text.map_err(|error| self.failed(error))
    }

    /// The name of the generated file, without its extension.
    fn file_stem(&self) -> String {
        let stem = || self.path.file_stem().unwrap_or_default().to_string_lossy();
        self.name.clone().unwrap_or_else(|| Sources::name_of(&stem()))
    }

    fn failed(&self, reason: impl Display) -> Error {
        Error(format!("{}: {reason}", self.path.display()))
    }
}

fn variable(name: &str) -> Result<String, Error> {
    env::var(name).map_err(|_| Error(format!("{name} is not set; call `Model::write` in build.rs")))
}

/// Why a model was not written. Its `Debug` is the message, which `main` of a build script prints.
pub struct Error(String);

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Debug for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
