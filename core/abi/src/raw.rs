//! The ABI itself: frozen `#[repr(C)]` structs shared by Rust and C plugins.
//!
//! These rules never change within major version 1:
//! - A struct passed by pointer starts with an [`ArHeader`]. Its fields are never added, removed or reordered.
//! - An array of structs has its stride stored next to it.
//! - Enumerations are passed as `u32`, truth values as `u8`, text as [`ArStr`] (UTF-8, not null-terminated).
//! - Pointers are borrowed during the call, unless a field's documentation says otherwise. Ownership is never
//!   transferred.
//! - A function returns an [`ArStatus`]; before it returns an error, it passes the message to [`ArHostV1::set_error`].
//! - Unwinding never crosses the boundary. Further interfaces are requested by id, with `query`.
//!
//! For the other duties of a host, see [`host_side`](crate::host_side).

pub use crate::access::slice;
pub(crate) use crate::access::strided;
pub use crate::frozen::*;
pub use crate::numbers::*;
pub use crate::{
    build_info::*, claiming::raw::*, devices::raw::*, embedding::raw::*, objects::raw::*, op_schema::raw::*,
    resource_memory::*, sizes::*,
};
