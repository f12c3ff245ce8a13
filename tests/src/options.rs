//! Options of written models, by their names in the schema.

use std::marker::PhantomData;

use arenite_abi::ElementType;
use arenite_abi::schema::{Field, FieldInfo, FieldType, OPERATORS, OptionsTable, TableInfo, Union};
use arenite_abi::testing::nodes::{fields, numbers};
use arenite_model::writer::{Operator, Options, Value};

/// The fields of the options table `T`; unset fields are omitted from the file.
pub struct Fields<T> {
    options: Options,
    of: PhantomData<fn() -> T>,
}

impl<T> Default for Fields<T> {
    fn default() -> Self {
        Fields { options: Options::default(), of: PhantomData }
    }
}

impl<T: OptionsTable> Fields<T> {
    /// Sets a field.
    pub fn set<F: Written + ?Sized>(mut self, field: Field<T, F>, value: F::Given<'_>) -> Self {
        self.options.slots.push((field.slot(), F::value(value)));
        self
    }
}

/// Types of fields that the model writer supports.
pub trait Written: FieldType {
    /// The value in the writer's form.
    fn value(value: Self::Given<'_>) -> Value;
}

macro_rules! written {
    ($($ty:ty, $given:ty: $variant:ident;)*) => {$(
        impl Written for $ty {
            fn value(value: $given) -> Value {
                Value::$variant(value.into())
            }
        }
    )*};
}

written! {
    bool, bool: Bool;
    i8, i8: I8;
    i32, i32: I32;
    i64, i64: I64;
    f32, f32: F32;
    str, &str: Text;
    [i32], &[i32]: I32s;
    [i64], &[i64]: I64s;
    [f32], &[f32]: F32s;
    [u8], &[u8]: Bytes;
}

/// The options of one operator.
#[derive(Clone, Debug)]
pub struct Attributes {
    table: TableInfo,
    options: Options,
}

impl Attributes {
    /// The table `T`.
    pub fn of<T: OptionsTable>(fill: impl FnOnce(Fields<T>) -> Fields<T>) -> Self {
        Attributes { table: T::INFO, options: fill(Fields::default()).options }
    }

    /// The options of the builtin op with this name as text: `name=value` for each field, with the schema's names, and
    /// `()` for a table without fields.
    ///
    /// # Panics
    /// The op has no such options.
    pub fn parse(op: &str, text: &str) -> Self {
        let attributes = Self::defaults(op).expect("the op has options");
        let fields = fields(attributes.table, text).map(|(field, text)| (field.slot, value(field, text)));
        Attributes { options: Options { slots: fields.collect() }, ..attributes }
    }

    /// The options table of the builtin op with this name, without fields; `None` if the op has no options.
    pub fn defaults(op: &str) -> Option<Self> {
        let table = OPERATORS.iter().find(|known| known.name == op)?.options?;
        Some(Attributes { table, options: Options::default() })
    }
}

fn value(field: &FieldInfo, text: &str) -> Value {
    let list = text.trim_matches(['(', ')', '\'']);
    match (field.ty, field.vector) {
        (_, true) if text.starts_with('\'') => Value::Text(list.into()),
        (ElementType::Bool, false) => Value::Bool(text == "true"),
        (ElementType::I8 | ElementType::U8, false) => Value::I8(numbers(text)[0]),
        (ElementType::I32 | ElementType::U32, false) => Value::I32(numbers(text)[0]),
        (ElementType::I64, false) => Value::I64(numbers(text)[0]),
        (ElementType::F32, false) => Value::F32(numbers(text)[0]),
        (ElementType::I32, true) => Value::I32s(numbers(list)),
        (ElementType::I64, true) => Value::I64s(numbers(list)),
        (ElementType::F32, true) => Value::F32s(numbers(list)),
        (ElementType::U8 | ElementType::I8, true) => Value::Bytes(numbers(list)),
        (ty, _) => panic!("{} has type {ty}", field.name),
    }
}

/// An operator with options set by name.
pub trait WithOptions: Sized {
    /// Adds options.
    fn with(self, attributes: Attributes) -> Self;

    /// Adds the table `T`.
    fn with_options<T: OptionsTable>(self, fill: impl FnOnce(Fields<T>) -> Fields<T>) -> Self {
        self.with(Attributes::of(fill))
    }
}

impl WithOptions for Operator {
    fn with(self, Attributes { table, options }: Attributes) -> Self {
        let tag = u8::try_from(table.tag).expect("tags are bytes in a file");
        match table.union {
            Union::BuiltinOptions => self.options(tag, |_| options),
            Union::BuiltinOptions2 => self.options_2(tag, |_| options),
        }
    }
}
