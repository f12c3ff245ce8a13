use arenite_abi::raw::BUILTIN_CUSTOM;

use super::*;
use crate::Registry;
use crate::host::HOST;
use crate::host::message::take_message;
use crate::plugins::op_key::OpKey;
use arenite_abi::object::OpObject;
use arenite_abi::schema::op;
use arenite_abi::{ElementType, ElementTypes, EvalContext, NodeView, OpSchema, PrepareContext, host};

fn schema(code: i32) -> Option<OpSchema> {
    // SAFETY: the host of this process.
    unsafe { host::offer_host(&HOST) };
    host::op_schema(code)
}

#[test]
fn each_op_has_the_schema_of_the_table() {
    let (mut described, mut operands) = (0, 0);
    for op in OPERATORS {
        let Some(schema) = schema(op.code) else {
            assert!(op.inputs().is_none(), "{}", op.name);
            continue;
        };
        assert_eq!((schema.code(), schema.name()), (op.code, op.name));
        assert!(schema.inputs().eq(op.inputs().into_iter().flatten()), "{}", op.name);
        assert!(schema.outputs().eq(op.outputs().into_iter().flatten()), "{}", op.name);
        let table = op.options.map(|table| (table.union, table.tag, table.name));
        assert_eq!(schema.options_table(), table, "{}", op.name);
        let fields = op.options.map_or(&[][..], |table| table.fields);
        assert_eq!(schema.options().len(), fields.len(), "{}", op.name);
        for (option, field) in schema.options().zip(fields) {
            assert_eq!(option.name.to_ascii_uppercase(), field.name, "{}", op.name);
            assert_eq!((option.slot, option.ty), (field.slot.into(), Some(field.ty)), "{}", op.name);
            assert_eq!((option.vector, option.default), (field.vector, field.default), "{}", op.name);
        }
        described += 1;
        operands += schema.inputs().len() + schema.outputs().len();
    }
    assert_eq!(described, OPERATORS.len() - 5, "those without fixed names are few");
    assert!(operands > 400, "{operands}");
}

#[test]
fn what_is_no_op_or_no_room_is_refused_with_a_message() {
    let mut room = [0u64; size_of::<ArOpSchemaV1>() / 8];
    let at = room.as_mut_ptr().cast::<ArOpSchemaV1>();
    let ask = |code, bytes, schema: *mut ArOpSchemaV1| {
        let header = ArHeader { struct_size: bytes, ..ArHeader::of::<ArOpSchemaV1>() };
        // SAFETY: the memory is large enough for the struct, whose first field is a header.
        let status = unsafe {
            at.cast::<ArHeader>().write(header);
            (SCHEMAS.find)(code, schema)
        };
        (Status::from_raw(status), take_message(""))
    };
    let size = size_of::<ArOpSchemaV1>() as u32;
    assert_eq!(ask(0, size, at).0, Status::Ok);
    let last = OPERATORS.len() as i32 - 1;
    for code in [-1, last + 1, i32::MAX, i32::MIN] {
        let wanted = format!("this host knows no builtin op {code}; it knows 0 to {last}");
        assert_eq!(ask(code, size, at), (Status::Unsupported, wanted));
    }
    let (status, message) = ask(BUILTIN_CUSTOM, size, at);
    assert_eq!(status, Status::Unsupported);
    assert_eq!(message, "CUSTOM has no schema: its inputs and outputs have no fixed names");
    let (status, message) = ask(0, size - 8, at);
    assert!(status == Status::Invalid && message.contains("has 120 bytes"), "{message}");
    assert_eq!(ask(0, size, std::ptr::null_mut()).0, Status::Invalid);
}

struct Takes(ElementTypes);

impl OpObject for Takes {
    type Node = ();

    fn prepare(&self, _: &NodeView<'_>, _: &mut PrepareContext<'_>) -> arenite_abi::Result<()> {
        Ok(())
    }

    fn eval(&self, (): &(), _: &mut EvalContext<'_>) -> arenite_abi::Result<()> {
        Ok(())
    }

    fn types(&self) -> ElementTypes {
        self.0
    }
}

#[test]
fn element_types_are_those_of_the_ops_that_are_registered() {
    let types = || schema(op::STABLEHLO_CBRT).and_then(|schema| schema.element_types());
    assert_eq!(types(), None, "nothing in this process has the op");
    let register = |types| {
        let mut registry = Registry::new();
        registry.add_op(OpKey::Builtin(op::STABLEHLO_CBRT), 1..=1, Takes(types)).expect("it is sound");
    };
    register(ElementTypes::of(&[ElementType::F32]));
    assert_eq!(types(), Some(ElementTypes::of(&[ElementType::F32])));
    register(ElementTypes::of(&[ElementType::F16]));
    assert_eq!(types(), Some(ElementTypes::of(&[ElementType::F32, ElementType::F16])));
    register(ElementTypes::ANY);
    assert_eq!(types(), Some(ElementTypes::ANY));
}
