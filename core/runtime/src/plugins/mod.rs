//! Finding plugins: a file is looked at, loaded, its descriptor read, and what it offers kept by name.

mod built;
pub(crate) mod descriptor;
pub(crate) mod digest;
pub(crate) mod foreign;
pub mod library_file;
pub(crate) mod loader;
pub(crate) mod registration;
pub(crate) mod registry;
