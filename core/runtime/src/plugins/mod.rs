//! Finds and loads plugins: checks a file, loads it, reads its descriptor, and registers its contents by name.

mod built;
pub(crate) mod descriptor;
pub(crate) mod digest;
pub(crate) mod foreign;
pub mod library_file;
pub(crate) mod loader;
pub(crate) mod op_key;
pub(crate) mod registration;
pub(crate) mod registry;
