//! Names for the schema's numbers: operators, option tables and their fields, enumerations.
//!
//! A [`Field`] knows its table, slot, type and default, so a field of another table does not compile:
//!
//! ```
//! use arenite_abi::prelude::*;
//! use arenite_abi::schema::LeakyReluOptions;
//!
//! fn alpha(node: &NodeView) -> Result<f32> {
//!     node.options()?.get(LeakyReluOptions::ALPHA)
//! }
//! ```
//!
//! ```compile_fail,E0308
//! use arenite_abi::prelude::*;
//! use arenite_abi::schema::{LeakyReluOptions, SoftmaxOptions};
//!
//! fn alpha(node: &NodeView) -> Result<f32> {
//!     node.options::<SoftmaxOptions>()?.get(LeakyReluOptions::ALPHA)
//! }
//! ```
//!
//! If a node's options are of another table than the requested one, the result is an error. Element types are in
//! [`crate::ElementType`], with the schema's numbers.
//!
//! Defined by: tflite/converter/schema/schema.fbs.

mod operators;
mod tables;
mod values;

pub use operators::{OPERATORS, OperatorInfo, op};
pub use tables::*;
pub use values::*;

use core::marker::PhantomData;

use crate::options::{OptionScalar, OptionVector, RawOptions};
use crate::{ElementType, Result};

/// A union of option tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Union {
    /// The options of most operators.
    BuiltinOptions,
    /// The options of StableHLO operators and of operators added later.
    BuiltinOptions2,
}

/// The schema's information about an options table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableInfo {
    /// The union that contains the table.
    pub union: Union,
    /// Its tag in the union.
    pub tag: u32,
    /// Its name in the schema.
    pub name: &'static str,
    /// Its fields, sorted by slot.
    pub fields: &'static [FieldInfo],
}

/// The schema's information about a field of an options table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldInfo {
    /// Its position among the table's fields.
    pub slot: u16,
    /// The name of its constant. In lower case it is the schema's name.
    pub name: &'static str,
    /// Its type, or the type of a vector's elements.
    pub ty: ElementType,
    /// Whether it is a vector.
    pub vector: bool,
    /// Its value if it is absent; 0 or 1 for a `bool`. Vectors and texts are then empty.
    pub default: f64,
}

/// An options table of the schema.
pub trait OptionsTable: Sized + 'static {
    /// The schema's information about the table.
    const INFO: TableInfo;
}

/// A field of type `F` of the table `T`.
pub struct Field<T, F: FieldType + ?Sized> {
    slot: u16,
    default: F::Default,
    of: PhantomData<fn() -> T>,
}

impl<T, F: FieldType + ?Sized> Clone for Field<T, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, F: FieldType + ?Sized> Copy for Field<T, F> {}

impl<T, F: FieldType + ?Sized> Field<T, F> {
    /// Its position among the table's fields.
    pub const fn slot(self) -> u16 {
        self.slot
    }

    #[inline(always)]
    pub(crate) fn read<'a>(self, options: &RawOptions<'a>) -> Result<F::Value<'a>> {
        F::read(options, self.slot, self.default)
    }
}

/// The type of a field: a number, a `bool`, a vector of these, or text.
pub trait FieldType: 'static {
    /// The result of reading the field.
    type Value<'a>;
    /// The value to which tests set the field.
    type Given<'a>;
    /// The default value. Vectors and texts have none; they are empty.
    type Default: Copy + 'static;
    /// Its type, or that of a vector's elements.
    const ELEMENT: ElementType;
    /// Whether it is a vector.
    const VECTOR: bool = false;

    /// Reads the value in `slot`.
    ///
    /// # Errors
    /// The table is malformed.
    fn read<'a>(options: &RawOptions<'a>, slot: u16, default: Self::Default) -> Result<Self::Value<'a>>;
}

impl<T: OptionScalar> FieldType for T {
    type Value<'a> = T;
    type Given<'a> = T;
    type Default = T;
    const ELEMENT: ElementType = T::ELEMENT;

    #[inline(always)]
    fn read<'a>(options: &RawOptions<'a>, slot: u16, default: T) -> Result<T> {
        options.get(slot, default)
    }
}

impl<T: OptionScalar> FieldType for [T] {
    type Value<'a> = OptionVector<'a, T>;
    type Given<'a> = &'a [T];
    type Default = ();
    const ELEMENT: ElementType = T::ELEMENT;
    const VECTOR: bool = true;

    #[inline(always)]
    fn read<'a>(options: &RawOptions<'a>, slot: u16, _: ()) -> Result<OptionVector<'a, T>> {
        options.vector(slot)
    }
}

impl FieldType for str {
    type Value<'a> = &'a str;
    type Given<'a> = &'a str;
    type Default = ();
    const ELEMENT: ElementType = ElementType::String;

    #[inline(always)]
    fn read<'a>(options: &RawOptions<'a>, slot: u16, _: ()) -> Result<&'a str> {
        options.text(slot)
    }
}

/// The options of a window that slides over rows and columns.
pub trait SlidingWindow: OptionsTable {
    /// The padding, one of [`padding`].
    const PADDING: Field<Self, i8>;
    /// The strides along height and width.
    const STRIDES: [Field<Self, i32>; 2];
    /// The dilations along height and width; `None` if they are always 1.
    const DILATIONS: Option<[Field<Self, i32>; 2]>;
}

macro_rules! sliding_windows {
    ($($table:ident, $dilations:expr;)*) => {$(
        impl SlidingWindow for $table {
            const PADDING: Field<Self, i8> = $table::PADDING;
            const STRIDES: [Field<Self, i32>; 2] = [$table::STRIDE_H, $table::STRIDE_W];
            const DILATIONS: Option<[Field<Self, i32>; 2]> = $dilations;
        }
    )*};
}

sliding_windows! {
    Conv2DOptions, Some([Self::DILATION_H_FACTOR, Self::DILATION_W_FACTOR]);
    DepthwiseConv2DOptions, Some([Self::DILATION_H_FACTOR, Self::DILATION_W_FACTOR]);
    Pool2DOptions, None;
    TransposeConvOptions, None;
}
