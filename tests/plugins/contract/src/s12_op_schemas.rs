//! A delegate that reads the operands, types and options of ADD from the host's schema before it claims.

use std::ffi::c_void;

use crate::contract_1_0::*;
use crate::fixture::*;

const OP_SCHEMAS: u64 = 21;
const OPTIONAL: u32 = 1;
const UNSUPPORTED: ArStatus = 2;
const CONV_2D: i32 = 3;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArOperandV1 {
    pub name: ArStr,
    pub flags: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArOptionV1 {
    pub name: ArStr,
    pub slot: u32,
    pub element_type: u32,
    pub flags: u32,
    pub reserved: u32,
    pub default_value: f64,
}

#[repr(C)]
pub struct ArOpSchemaV1 {
    pub header: ArHeader,
    pub code: i32,
    pub registered: u32,
    pub name: ArStr,
    pub element_types: u64,
    pub inputs: *const ArOperandV1,
    pub input_count: usize,
    pub outputs: *const ArOperandV1,
    pub output_count: usize,
    pub operand_stride: usize,
    pub options_table: ArStr,
    pub options_union: u32,
    pub options_tag: u32,
    pub options: *const ArOptionV1,
    pub option_count: usize,
    pub option_stride: usize,
}

#[repr(C)]
pub struct ArOpSchemasV1 {
    pub header: ArHeader,
    pub find: unsafe extern "C" fn(code: i32, schema: *mut ArOpSchemaV1) -> ArStatus,
}

const fn unknown() -> ArOpSchemaV1 {
    let (null, empty) = (std::ptr::null(), text(""));
    ArOpSchemaV1 {
        header: header::<ArOpSchemaV1>(),
        code: -1,
        registered: 0,
        name: empty,
        element_types: 0,
        inputs: null,
        input_count: 0,
        outputs: null,
        output_count: 0,
        operand_stride: 0,
        options_table: empty,
        options_union: 0,
        options_tag: 0,
        options: std::ptr::null(),
        option_count: 0,
        option_stride: 0,
    }
}

unsafe fn is(name: ArStr, text: &str) -> bool {
    // SAFETY: the host's text.
    unsafe { std::slice::from_raw_parts(name.data, name.length) == text.as_bytes() }
}

unsafe fn checked(graph: &ArGraphV1) -> Done {
    let host = HOST.get().ok_or(6u32)?.0;
    let (mut add, mut conv) = (unknown(), unknown());
    // SAFETY: the host's functions and arrays.
    unsafe {
        let schemas: &ArOpSchemasV1 = found((host.query)(OP_SCHEMAS))?;
        require((schemas.find)(1 << 30, &mut add) == UNSUPPORTED, "no op has this code")?;
        ok((schemas.find)(graph_node(graph, 0).builtin_code, &mut add))?;
        require(add.code == 0 && is(add.name, "ADD") && add.registered == 1, "it is ADD")?;
        require(add.element_types == 0 || add.element_types & 1 != 0, "ADD supports floats")?;
        let operand = |list: *const ArOperandV1, i: usize| *list.byte_add(i * add.operand_stride);
        let (lhs, rhs) = (operand(add.inputs, 0), operand(add.inputs, 1));
        require(add.input_count == 2 && is(lhs.name, "lhs") && is(rhs.name, "rhs"), "its inputs")?;
        require(add.output_count == 1 && operand(add.outputs, 0).flags == 0, "its output")?;
        let table = is(add.options_table, "AddOptions") && add.options_union == 1 && add.options_tag == 11;
        require(table && add.option_count == 2, "its options")?;
        let option = |i: usize| *add.options.byte_add(i * add.option_stride);
        require(
            is(option(0).name, "fused_activation_function") && option(0).element_type == 9,
            "the first option",
        )?;
        let second = option(1);
        require(second.slot == 1 && second.element_type == 6 && second.default_value == 1.0, "the second")?;
        ok((schemas.find)(CONV_2D, &mut conv))?;
        let bias = *conv.inputs.byte_add(2 * conv.operand_stride);
        require(conv.input_count == 3 && bias.flags == OPTIONAL, "the bias is optional")
    }
}

unsafe extern "C" fn claim_by_schema(
    delegate: *mut c_void,
    graph: *const ArGraphV1,
    claims: *const ArClaimsV1,
) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns.
    unsafe {
        match checked(&*graph) {
            Ok(()) => claim(delegate, graph, claims),
            Err(status) => status,
        }
    }
}

pub const DELEGATE: ArDelegateV1 = ArDelegateV1 { claim: claim_by_schema, ..delegate("op-schemas") };
