//! Options of written models, by the names of the schema.

use std::marker::PhantomData;

use arenite_abi::schema::{Field, FieldType, OPERATORS, OptionsTable, TableInfo, Union};
use arenite_model::writer::{Operator, Options, Value};

/// The fields of the options table `T`; what is not set is left out of the file.
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

/// Fields that the writer of models knows.
pub trait Written: FieldType {
    /// As the writer takes it.
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

    /// The table of the builtin op with this name, without fields; `None` if it has none.
    pub fn defaults(op: &str) -> Option<Self> {
        let table = OPERATORS.iter().find(|known| known.name == op)?.options?;
        Some(Attributes { table, options: Options::default() })
    }
}

/// An operator that takes its options by name.
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
