//! Memory that `prepare` requested, during `eval`: tables, states, scratch buffers.

use core::cell::Cell;

use super::EvalContext;
use crate::Result;
use crate::handed_out::internal;
use crate::raw;
use crate::tensor::{Element, Scratch, State, Table};

impl<'a> EvalContext<'a> {
    /// A table created by `prepare`.
    ///
    /// # Errors
    /// The table belongs to another node.
    pub fn table<T: Element>(&self, table: &Table<T>) -> Result<&'a [T]> {
        self.handed_out.table(table.index)?;
        let span = self.persistent(table.index)?;
        // SAFETY: persistent memory is initialized, lives as long as the instance, and is not written while it is
        // borrowed: neither by the host, nor as a state, checked above.
        let bytes = unsafe { raw::slice(span.data.cast::<u8>().cast_const(), span.bytes as usize) };
        if bytes.is_empty() {
            return Ok(&[]);
        }
        bytemuck::try_cast_slice(bytes).map_err(|e| internal(format_args!("table: {e}")))
    }

    /// A state created by `prepare`.
    ///
    /// # Errors
    /// The state belongs to another node.
    pub fn state<T: Element>(&self, state: &State<T>) -> Result<&'a [Cell<T>]> {
        self.handed_out.state(state.index)?;
        let span = self.persistent(state.index)?;
        let (data, bytes) = (span.data.cast::<u8>(), span.bytes as usize);
        if data.is_null() || bytes == 0 {
            return Ok(&[]);
        }
        if !bytes.is_multiple_of(size_of::<T>()) || data.align_offset(align_of::<T>()) != 0 {
            return Err(internal(format_args!(
                "state: {bytes} bytes at {data:p} are not {} elements",
                T::TYPE
            )));
        }
        // SAFETY: the data is aligned and a whole number of elements, checked above; it is initialized, belongs to this
        // instance, and is not borrowed as a table during this call. `Cell<T>` has the layout of `T`, and any bit
        // pattern is a valid `T`.
        Ok(unsafe { core::slice::from_raw_parts(data.cast::<Cell<T>>(), bytes / size_of::<T>()) })
    }

    fn persistent(&self, index: u32) -> Result<&'a raw::ArSpan> {
        // SAFETY: `from_raw` requires that the array has `persistent_count` elements.
        let spans = unsafe { raw::slice(self.raw.persistent, self.raw.persistent_count) };
        spans.get(index as usize).ok_or_else(|| internal(format_args!("no such table or state")))
    }

    /// A scratch buffer requested by `prepare`. Only once per call. It contains arbitrary data.
    ///
    /// # Errors
    /// The buffer belongs to another node, or was handed out already.
    pub fn scratch<T: Element>(&self, scratch: &Scratch<T>) -> Result<&'a mut [T]> {
        let span = self.take_scratch(scratch.index)?;
        if span.data.is_null() || span.bytes == 0 {
            return Ok(&mut []);
        }
        // SAFETY: the host initialized the buffer and only this call uses it (`host_side`); it is handed out only once,
        // checked above.
        let bytes = unsafe { core::slice::from_raw_parts_mut(span.data.cast::<u8>(), span.bytes as usize) };
        bytemuck::try_cast_slice_mut(bytes).map_err(|e| internal(format_args!("scratch: {e}")))
    }

    /// The bytes of a scratch buffer, like [`scratch`](Self::scratch). Only once per call. For delegates, which address
    /// values by place.
    ///
    /// # Errors
    /// As for [`scratch`](Self::scratch).
    pub fn scratch_byte_cells(&self, scratch: &Scratch<u8>) -> Result<&'a [Cell<u8>]> {
        let span = self.take_scratch(scratch.index)?;
        if span.data.is_null() || span.bytes == 0 {
            return Ok(&[]);
        }
        // SAFETY: the host initialized the buffer and only this call uses it (`host_side`); any bytes are valid `u8`.
        Ok(unsafe { core::slice::from_raw_parts(span.data.cast::<Cell<u8>>(), span.bytes as usize) })
    }

    fn take_scratch(&self, index: u32) -> Result<&'a raw::ArSpan> {
        // SAFETY: `from_raw` requires that the array has `scratch_count` elements.
        let spans = unsafe { raw::slice(self.raw.scratch, self.raw.scratch_count) };
        let span =
            spans.get(index as usize).ok_or_else(|| internal(format_args!("no such scratch buffer")))?;
        self.handed_out.scratch(index as usize)?;
        Ok(span)
    }
}
