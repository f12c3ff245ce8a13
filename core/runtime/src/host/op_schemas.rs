//! Answers plugins' questions about builtin ops: operands and options from the schema in `arenite-abi`, element types
//! from the registered ops.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use arenite_abi::raw::{
    ArHeader, ArOpSchemaV1, ArOpSchemasV1, ArOpV1, ArOperandV1, ArOptionV1, ArStatus, ArStr,
    OPERAND_OPTIONAL, OPERAND_VARIADIC, OPTION_VECTOR,
};
use arenite_abi::schema::{OPERATORS, OperatorInfo, TableInfo, Union};
use arenite_abi::{OperandSchema, Status};

use super::message::Refused;
use crate::plugins::foreign::check_header;

/// The interface that [`query`](super::query) returns.
pub(super) static SCHEMAS: ArOpSchemasV1 = ArOpSchemasV1 { header: ArHeader::of::<ArOpSchemasV1>(), find };

/// For each code, the element types of all ops registered in this process, and [`REGISTERED`] if there is any.
static ELEMENT_TYPES: [AtomicU64; OPERATORS.len()] = [const { AtomicU64::new(0) }; OPERATORS.len()];
const REGISTERED: u64 = 1 << 63;
/// The op accepts any type.
const ANY: u64 = 1 << 62;

/// Adds an op's element types to the set for its code.
pub(crate) fn note(op: &ArOpV1) {
    if let Some(types) = usize::try_from(op.builtin_code).ok().and_then(|code| ELEMENT_TYPES.get(code)) {
        let own = if op.element_types == 0 { ANY } else { op.element_types };
        types.fetch_or(own | REGISTERED, Ordering::Relaxed);
    }
}

/// The constant part of an op's schema.
struct Fixed {
    name: &'static str,
    inputs: Vec<ArOperandV1>,
    outputs: Vec<ArOperandV1>,
    table: Option<TableInfo>,
    options: Vec<ArOptionV1>,
}

// SAFETY: the texts are static, and nothing is written after construction.
unsafe impl Send for Fixed {}
// SAFETY: nothing is written after construction, so threads may read it together.
unsafe impl Sync for Fixed {}

impl Fixed {
    fn of(op: &OperatorInfo) -> Option<Self> {
        let (inputs, outputs) = (op.inputs()?.map(operand).collect(), op.outputs()?.map(operand).collect());
        let fields = op.options.iter().flat_map(|table| table.fields);
        let options = fields.map(|field| ArOptionV1 {
            name: ArStr::new(field.name.to_ascii_lowercase().leak()),
            slot: field.slot.into(),
            element_type: field.ty as u32,
            flags: if field.vector { OPTION_VECTOR } else { 0 },
            reserved: 0,
            default_value: field.default,
        });
        Some(Fixed { name: op.name, inputs, outputs, table: op.options, options: options.collect() })
    }
}

fn operand(operand: OperandSchema) -> ArOperandV1 {
    let flags = if operand.optional { OPERAND_OPTIONAL } else { 0 }
        | if operand.variadic { OPERAND_VARIADIC } else { 0 };
    ArOperandV1 { name: ArStr::new(operand.name), flags, reserved: 0 }
}

/// The op's schema, created when a plugin first asks for it.
fn fixed(code: i32) -> Result<&'static Fixed, Refused> {
    static ALL: [OnceLock<Option<Fixed>>; OPERATORS.len()] = [const { OnceLock::new() }; OPERATORS.len()];
    let refused = |what: String| Refused { status: Status::Unsupported, message: what };
    let known = usize::try_from(code).ok().and_then(|code| Some((OPERATORS.get(code)?, ALL.get(code)?)));
    let Some((op, place)) = known else {
        let most = OPERATORS.len() - 1;
        return Err(refused(format!("this host knows no builtin op {code}; it knows 0 to {most}")));
    };
    place.get_or_init(|| Fixed::of(op)).as_ref().ok_or_else(|| {
        refused(format!("{} has no schema: its inputs and outputs have no fixed names", op.name))
    })
}

unsafe extern "C" fn find(code: i32, schema: *mut ArOpSchemaV1) -> ArStatus {
    // SAFETY: by the contract, null or a writable struct whose header the plugin filled in.
    match unsafe { describe(code, schema) } {
        Ok(()) => Status::Ok as ArStatus,
        Err(refused) => refused.report(),
    }
}

/// # Safety
/// `schema` is null, or points to a header whose size is the number of writable bytes.
unsafe fn describe(code: i32, schema: *mut ArOpSchemaV1) -> Result<(), Refused> {
    let invalid = |message| Refused { status: Status::Invalid, message };
    if schema.is_null() || !schema.is_aligned() {
        return Err(invalid(format!("{schema:p}, the address for the schema of op {code}, holds no schema")));
    }
    // SAFETY: not null, aligned; a header has no invalid values.
    let header = unsafe { schema.cast::<ArHeader>().read() };
    check_header::<ArOpSchemaV1>(&header, "the requested schema").map_err(invalid)?;
    let fixed = fixed(code)?;
    let types = usize::try_from(code).ok().and_then(|code| ELEMENT_TYPES.get(code));
    let types = types.map_or(0, |types| types.load(Ordering::Relaxed));
    let table = fixed.table.as_ref();
    let filled = ArOpSchemaV1 {
        header,
        code,
        registered: u32::from(types & REGISTERED != 0),
        name: ArStr::new(fixed.name),
        element_types: if types & ANY != 0 { 0 } else { types & !REGISTERED },
        inputs: fixed.inputs.as_ptr(),
        input_count: fixed.inputs.len(),
        outputs: fixed.outputs.as_ptr(),
        output_count: fixed.outputs.len(),
        operand_stride: size_of::<ArOperandV1>(),
        options_table: ArStr::new(table.map_or("", |table| table.name)),
        options_union: table.map_or(0, |table| match table.union {
            Union::BuiltinOptions => 1,
            Union::BuiltinOptions2 => 2,
        }),
        options_tag: table.map_or(0, |table| table.tag),
        options: fixed.options.as_ptr(),
        option_count: fixed.options.len(),
        option_stride: size_of::<ArOptionV1>(),
    };
    // SAFETY: as large as the type, which `check_header` found, and writable.
    unsafe { schema.write(filled) };
    Ok(())
}

#[cfg(test)]
mod tests;
