//! Checked access to a node's builtin options: a flatbuffer table, read field by field.
//!
//! Every read checks its bounds, so that an unverified table is harmless.

mod raw;

use core::marker::PhantomData;

pub use raw::{OptionScalar, OptionVector, RawOptions};

use crate::Result;
use crate::raw::ArTable;
use crate::schema::{Field, FieldType, OptionsTable};

/// The options of one node: table `T` of the schema. A field omitted by the file has its default.
pub struct Options<'a, T> {
    raw: RawOptions<'a>,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Options<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Options<'_, T> {}

impl<'a, T: OptionsTable> Options<'a, T> {
    /// Wraps the host's table.
    ///
    /// # Safety
    /// The table's buffer must be valid for `'a`.
    #[inline(always)]
    pub(crate) unsafe fn from_raw(raw: &ArTable) -> Result<Self> {
        // SAFETY: the caller guarantees that the table's buffer is valid for `'a`.
        let raw = unsafe { RawOptions::from_raw(raw, T::INFO.tag, T::INFO.name) }?;
        Ok(Options { raw, of: PhantomData })
    }

    /// The table at `position` of `buffer`. Any bytes are allowed, because each read is checked.
    pub fn from_bytes(buffer: &'a [u8], position: usize) -> Self {
        Options { raw: RawOptions::from_bytes(buffer, position), of: PhantomData }
    }

    /// Whether the node has options.
    pub fn is_present(&self) -> bool {
        self.raw.is_present()
    }

    /// The value of a field: a number or its default, an [`OptionVector`], or text.
    ///
    /// # Errors
    /// The table is malformed.
    #[inline(always)]
    pub fn get<F: FieldType + ?Sized>(&self, field: Field<T, F>) -> Result<F::Value<'a>> {
        field.read(&self.raw)
    }
}
