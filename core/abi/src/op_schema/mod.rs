//! What the host knows of builtin ops, so that a delegate needs no tables of its own.

pub(crate) mod raw;

use crate::raw::{
    ArHeader, ArOpSchemaV1, ArOpSchemasV1, ArOperandV1, ArOptionV1, ArStr, INTERFACE_OP_SCHEMAS,
    OPERAND_OPTIONAL, OPERAND_VARIADIC, OPTION_VECTOR, strided,
};
use crate::schema::Union;
use crate::{ElementType, ElementTypes, Status, host};

/// A builtin op: its operands, options and element types. [`host::op_schema`] gives it.
pub struct OpSchema {
    raw: ArOpSchemaV1,
}

/// An input or an output of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandSchema {
    /// As TensorFlow Lite's documentation has it: `filter`.
    pub name: &'static str,
    /// A node may leave it out: by -1, or at the end by a shorter list.
    pub optional: bool,
    /// It stands for any number of tensors, for at least one unless it is optional.
    pub variadic: bool,
}

/// A field of an op's options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptionSchema {
    /// As the schema of model files has it: `stride_w`.
    pub name: &'static str,
    /// Its position among the fields of the table.
    pub slot: u32,
    /// Its type, or that of a vector's elements; `None` if this crate does not know it.
    pub ty: Option<ElementType>,
    /// Whether it is a vector.
    pub vector: bool,
    /// Its value where the file leaves it out, 0 or 1 of a `bool`. Vectors and texts are empty then.
    pub default: f64,
}

impl OpSchema {
    /// The host's answer for this code.
    pub(crate) fn find(code: i32) -> Option<Self> {
        let host = host::host()?;
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
        // SAFETY: `query` gives null or the struct of this id, which `set_host` and `offer_host` require of a host; the schema is
        // writable and has its header.
        let status = unsafe {
            let schemas = (host.query)(INTERFACE_OP_SCHEMAS).cast::<ArOpSchemasV1>().as_ref()?;
            (schemas.find)(code, &mut raw)
        };
        (Status::from_raw(status) == Status::Ok).then_some(OpSchema { raw })
    }

    /// Its code.
    pub fn code(&self) -> i32 {
        self.raw.code
    }

    /// Its name in the schema: `CONV_2D`.
    pub fn name(&self) -> &'static str {
        // SAFETY: the host filled the struct in; its texts live as long as the process, as the contract says.
        unsafe { self.raw.name.as_str() }
    }

    /// The types that the registered ops of this code take; `None` if none is registered in this process.
    pub fn element_types(&self) -> Option<ElementTypes> {
        (self.raw.registered != 0).then(|| ElementTypes::from_bits(self.raw.element_types))
    }

    /// Its inputs, in order.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = OperandSchema> + '_ {
        (0..self.raw.input_count).map(|i| self.operand(self.raw.inputs, i))
    }

    /// Its outputs, in order.
    pub fn outputs(&self) -> impl ExactSizeIterator<Item = OperandSchema> + '_ {
        (0..self.raw.output_count).map(|i| self.operand(self.raw.outputs, i))
    }

    /// `i` is below the count of the list.
    fn operand(&self, list: *const ArOperandV1, i: usize) -> OperandSchema {
        // SAFETY: the host's lists have as many elements as it says, this far apart, and live as long as the process; both callers
        // count to the list's length.
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

    /// The union that has its options, their tag there, and the table's name; `None` if the op has no options.
    pub fn options_table(&self) -> Option<(Union, u32, &'static str)> {
        let union = match self.raw.options_union {
            1 => Union::BuiltinOptions,
            2 => Union::BuiltinOptions2,
            _ => return None,
        };
        // SAFETY: as for `name`.
        Some((union, self.raw.options_tag, unsafe { self.raw.options_table.as_str() }))
    }

    /// The fields of its options.
    pub fn options(&self) -> impl ExactSizeIterator<Item = OptionSchema> + '_ {
        (0..self.raw.option_count).map(|i| {
            // SAFETY: as for `operand`.
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
