//! Structs for the schema of an op. Part of [`raw`](crate::raw) and subject to its rules.
#![allow(missing_docs)] // as there

#[cfg(feature = "std")]
use abi_stable::StableAbi;

use crate::raw::{ArHeader, ArStatus, ArStr};

/// An input or output of an op; an element of [`ArOpSchemaV1::inputs`].
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArOperandV1 {
    pub name: ArStr,
    /// `OPERAND_*`.
    pub flags: u32,
    pub reserved: u32,
}

/// A field of an op's options; an element of [`ArOpSchemaV1::options`].
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArOptionV1 {
    pub name: ArStr,
    /// Its position among the fields of the table.
    pub slot: u32,
    /// The code of the field's element type; for a vector, the type of its elements.
    pub element_type: u32,
    /// `OPTION_*`.
    pub flags: u32,
    pub reserved: u32,
    /// The value if the file omits the field; 0 or 1 for a `bool`. Vectors and texts are then empty.
    pub default_value: f64,
}

/// Information about a builtin op. The caller creates the struct with its header; the host fills in the rest, whose
/// texts and arrays live as long as the process.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArOpSchemaV1 {
    pub header: ArHeader,
    pub code: i32,
    /// 1 if an op with this code is registered in this process.
    pub registered: u32,
    pub name: ArStr,
    /// Bit `t` is set if a registered op supports element type `t`. 0 means any type.
    pub element_types: u64,
    pub inputs: *const ArOperandV1,
    pub input_count: usize,
    pub outputs: *const ArOperandV1,
    pub output_count: usize,
    pub operand_stride: usize,
    /// The name of the options table; empty if the op has no options.
    pub options_table: ArStr,
    /// The union that contains the table, 1 or 2, and the table's tag in it; 0 without options.
    pub options_union: u32,
    pub options_tag: u32,
    pub options: *const ArOptionV1,
    pub option_count: usize,
    pub option_stride: usize,
}

/// Information about builtin ops, returned by `query` of [`ArHostV1`](crate::raw::ArHostV1) (id
/// [`INTERFACE_OP_SCHEMAS`](crate::raw::INTERFACE_OP_SCHEMAS)).
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArOpSchemasV1 {
    pub header: ArHeader,
    /// Describes the op with this code. `STATUS_UNSUPPORTED` if it is unknown, or its operands have no fixed names
    /// (CUSTOM).
    pub find: unsafe extern "C" fn(code: i32, schema: *mut ArOpSchemaV1) -> ArStatus,
}
