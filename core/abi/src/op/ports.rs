//! The structs of nodes in programs that contain prepared models.

use core::ffi::c_void;

use crate::raw::ArNodeV1;

/// An input or output whose memory is known. `ArEmbeddedPort` in C.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct EmbeddedPort {
    /// The element type, or [`EmbeddedPort::LOOK_UP`].
    pub kind: u32,
    /// The number of elements.
    pub count: usize,
    /// The first element.
    pub data: *mut c_void,
}

impl EmbeddedPort {
    /// The tensor is looked up and checked at each request: it is absent or a variable, has no elements or packed ones,
    /// or an input that shares memory with an output.
    pub const LOOK_UP: u32 = u32::MAX;
}

/// A node and its ports: inputs, then outputs. `ArEmbeddedNode` in C.
#[repr(C)]
pub struct EmbeddedNode {
    /// The node.
    pub node: ArNodeV1,
    /// One per input and output.
    pub ports: *const EmbeddedPort,
}
