//! The template's plugins, and the contract's C header, across the boundary.

mod c_header;
mod c_plugin;
mod delegate;
mod host;
mod library;
#[path = "../../src/sin_delegate.rs"]
mod sin_delegate;
