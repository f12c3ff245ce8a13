//! The template's plugins and the contract's C header, tested through the C ABI.

mod c_header;
mod c_plugin;
mod delegate;
mod host;
mod library;
mod planned_sin;
#[path = "../../src/sin_delegate.rs"]
mod sin_delegate;
