//! The structs of an op's schema, part of [`raw`](crate::raw), whose rules they keep.
#![allow(missing_docs)] // as there

#[cfg(feature = "std")]
use abi_stable::StableAbi;

use crate::raw::{ArHeader, ArStatus, ArStr};

/// An input or an output of an op; element of [`ArOpSchemaV1::inputs`].
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArOperandV1 {
    pub name: ArStr,
    /// `OPERAND_*`.
    pub flags: u32,
    pub reserved: u32,
}

/// A field of an op's options; element of [`ArOpSchemaV1::options`].
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArOptionV1 {
    pub name: ArStr,
    /// Position among the fields of the table.
    pub slot: u32,
    /// The number of an element type: of the field, or of the elements of a vector.
    pub element_type: u32,
    /// `OPTION_*`.
    pub flags: u32,
    pub reserved: u32,
    /// The value of a field that the file leaves out; of a `bool` 0 or 1. Vectors and texts are empty then.
    pub default_value: f64,
}

/// What is known of a builtin op. The caller makes the struct and its header; the host fills in the rest, whose texts and arrays live
/// as long as the process.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArOpSchemaV1 {
    pub header: ArHeader,
    pub code: i32,
    /// 1 if an op with this code is registered in this process.
    pub registered: u32,
    pub name: ArStr,
    /// Bit `t` is set if a registered op takes tensors of element type `t`. 0: any.
    pub element_types: u64,
    pub inputs: *const ArOperandV1,
    pub input_count: usize,
    pub outputs: *const ArOperandV1,
    pub output_count: usize,
    pub operand_stride: usize,
    /// Name of the options table; empty if the op has none.
    pub options_table: ArStr,
    /// The union that has the table, 1 or 2, and the table's tag there; 0 if there is none.
    pub options_union: u32,
    pub options_tag: u32,
    pub options: *const ArOptionV1,
    pub option_count: usize,
    pub option_stride: usize,
}

/// What is known of builtin ops, as `query` of [`ArHostV1`](crate::raw::ArHostV1) gives it (id
/// [`INTERFACE_OP_SCHEMAS`](crate::raw::INTERFACE_OP_SCHEMAS)).
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArOpSchemasV1 {
    pub header: ArHeader,
    /// Describes the op with this code. `STATUS_UNSUPPORTED` if it is not known, or takes what no list of names can tell (CUSTOM).
    pub find: unsafe extern "C" fn(code: i32, schema: *mut ArOpSchemaV1) -> ArStatus,
}
