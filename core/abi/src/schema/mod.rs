//! Names for what the schema numbers: operators, the tables of their options, enumerations.
//!
//! A [`Field`] knows its table, slot, type and default, so another table's field does not compile:
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
//! ```compile_fail
//! use arenite_abi::prelude::*;
//! use arenite_abi::schema::{LeakyReluOptions, SoftmaxOptions};
//!
//! fn alpha(node: &NodeView) -> Result<f32> {
//!     node.options::<SoftmaxOptions>()?.get(LeakyReluOptions::ALPHA)
//! }
//! ```
//!
//! A node whose options are another table than the one asked for gives an error. Element types are
//! [`crate::ElementType`], whose numbers are the schema's.
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

/// A union of options tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Union {
    /// Of most operators.
    BuiltinOptions,
    /// Of StableHLO's operators and of what came after them.
    BuiltinOptions2,
}

/// What the schema says of an options table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableInfo {
    /// The union that it belongs to.
    pub union: Union,
    /// Its number there.
    pub tag: u32,
    /// Its name.
    pub name: &'static str,
    /// Its fields, by slot.
    pub fields: &'static [FieldInfo],
}

/// What the schema says of a field of an options table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldInfo {
    /// Its position among the table's fields.
    pub slot: u16,
    /// The name of its constant; in lower case, that of the schema.
    pub name: &'static str,
    /// Its type, or that of a vector's elements.
    pub ty: ElementType,
    /// Whether it is a vector.
    pub vector: bool,
    /// Its value if it is left out, 0 or 1 of a `bool`; vectors and texts are empty then.
    pub default: f64,
}

/// An options table of the schema.
pub trait OptionsTable: Sized + 'static {
    /// What the schema says of it.
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

/// What a field may be: a number, a `bool`, a vector of these, or text.
pub trait FieldType: 'static {
    /// What reading it gives.
    type Value<'a>;
    /// What it is set to.
    type Given<'a>;
    /// The value of a field that is left out; vectors and texts are empty then.
    type Default: Copy + 'static;
    /// Its type, or that of a vector's elements.
    const ELEMENT: ElementType;
    /// Whether it is a vector.
    const VECTOR: bool = false;

    /// The value in `slot`.
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

/// A table of a window that slides over rows and columns.
pub trait SlidingWindow: OptionsTable {
    /// How far it reaches beyond the border: one of [`padding`].
    const PADDING: Field<Self, i8>;
    /// Along the height and along the width.
    const STRIDES: [Field<Self, i32>; 2];
    /// Along the height and along the width; `None`: always 1.
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
