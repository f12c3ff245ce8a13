//! The host's information about builtin ops, so that a delegate needs no tables of its own.

pub(crate) mod raw;

use crate::raw::{
    ArHeader, ArHostV1, ArOpSchemaV1, ArOpSchemasV1, ArOperandV1, ArOptionV1, ArStr, INTERFACE_OP_SCHEMAS,
    OPERAND_OPTIONAL, OPERAND_VARIADIC, OPTION_VECTOR, strided,
};
use crate::schema::Union;
use crate::{ElementType, ElementTypes, Status};

/// A builtin op: its operands, options and element types. [`host::op_schema`](crate::host::op_schema) gives it.
pub struct OpSchema {
    raw: ArOpSchemaV1,
}

/// An input or output of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandSchema {
    /// The name in TensorFlow Lite's documentation, for example `filter`.
    pub name: &'static str,
    /// Whether a node may omit it: −1, or missing at the end of the list.
    pub optional: bool,
    /// Whether it is a list of tensors, with at least one unless it is optional.
    pub variadic: bool,
}

/// A field of an op's options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptionSchema {
    /// The name in the schema of model files, for example `stride_w`.
    pub name: &'static str,
    /// Its position among the fields of the table.
    pub slot: u32,
    /// Its type, or the type of a vector's elements; `None` if this crate does not know the type.
    pub ty: Option<ElementType>,
    /// Whether it is a vector.
    pub vector: bool,
    /// Its value if the file omits it; 0 or 1 for a `bool`. Vectors and texts are then empty.
    pub default: f64,
}

impl OpSchema {
    /// The host's information for this code.
    pub(crate) fn find(host: &ArHostV1, code: i32) -> Option<Self> {
        let (none, empty) = (core::ptr::null(), ArStr::new(""));
        let mut raw = ArOpSchemaV1 {
            header: ArHeader::of::<ArOpSchemaV1>(),
            code,
            registered: 0,
            name: empty,
            element_types: 0,
            inputs: none,
            input_count: 0,
            outputs: none,
            output_count: 0,
            operand_stride: size_of::<ArOperandV1>(),
            options_table: empty,
            options_union: 0,
            options_tag: 0,
            options: core::ptr::null(),
            option_count: 0,
            option_stride: size_of::<ArOptionV1>(),
        };
        // SAFETY: `set_host` and `offer_host` require that `query` returns null or the struct of the id; the schema is
        // writable and has its header.
        let status = unsafe {
            let schemas = (host.query)(INTERFACE_OP_SCHEMAS).cast::<ArOpSchemasV1>().as_ref()?;
            (schemas.find)(code, &mut raw)
        };
        (Status::from_raw(status) == Status::Ok).then_some(OpSchema { raw })
    }

    /// The schema's code of the op.
    pub fn code(&self) -> i32 {
        self.raw.code
    }

    /// The op's name in the schema, for example `CONV_2D`.
    pub fn name(&self) -> &'static str {
        // SAFETY: the host filled in the struct, and the ABI requires its texts to live as long as the process.
        unsafe { self.raw.name.as_str() }
    }

    /// The element types of the registered ops with this code; `None` if no op is registered in this process.
    pub fn element_types(&self) -> Option<ElementTypes> {
        (self.raw.registered != 0).then(|| ElementTypes::from_bits(self.raw.element_types))
    }

    /// The inputs, in order.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = OperandSchema> + '_ {
        (0..self.raw.input_count).map(|i| self.operand(self.raw.inputs, i))
    }

    /// The outputs, in order.
    pub fn outputs(&self) -> impl ExactSizeIterator<Item = OperandSchema> + '_ {
        (0..self.raw.output_count).map(|i| self.operand(self.raw.outputs, i))
    }

    /// Operand `i`, which must be less than the length of the list.
    fn operand(&self, list: *const ArOperandV1, i: usize) -> OperandSchema {
        // SAFETY: the host's lists have as many elements as their counts, with the given stride, and live as long as
        // the process; both callers count up to the list's length.
        let (raw, name) = unsafe {
            let raw: &ArOperandV1 = strided(list, self.raw.operand_stride, i);
            (raw, raw.name.as_str())
        };
        OperandSchema {
            name,
            optional: raw.flags & OPERAND_OPTIONAL != 0,
            variadic: raw.flags & OPERAND_VARIADIC != 0,
        }
    }

    /// The union that contains its options, their tag in it, and the table's name; `None` if the op has no options.
    pub fn options_table(&self) -> Option<(Union, u32, &'static str)> {
        let union = match self.raw.options_union {
            1 => Union::BuiltinOptions,
            2 => Union::BuiltinOptions2,
            _ => return None,
        };
        // SAFETY: the host filled in the struct, and the ABI requires its texts to live as long as the process.
        Some((union, self.raw.options_tag, unsafe { self.raw.options_table.as_str() }))
    }

    /// The fields of the op's options.
    pub fn options(&self) -> impl ExactSizeIterator<Item = OptionSchema> + '_ {
        (0..self.raw.option_count).map(|i| {
            // SAFETY: the host's list has `option_count` elements with the given stride, and lives as long as the
            // process.
            let (raw, name) = unsafe {
                let raw: &ArOptionV1 = strided(self.raw.options, self.raw.option_stride, i);
                (raw, raw.name.as_str())
            };
            OptionSchema {
                name,
                slot: raw.slot,
                ty: ElementType::from_raw(raw.element_type),
                vector: raw.flags & OPTION_VECTOR != 0,
                default: raw.default_value,
            }
        })
    }
}
