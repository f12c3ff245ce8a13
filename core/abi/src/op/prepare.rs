//! What the host offers during `prepare`.

use core::cell::Cell;
use core::marker::PhantomData;

use crate::host;
use crate::raw::{self, ArPrepareV1};
use crate::tensor::{Element, Scratch, State, Table};
use crate::{Constants, Held, ModelContext, Result, ensure, invalid};

use super::lend;

/// What the host offers during `prepare`.
pub struct PrepareContext<'a> {
    raw: &'a ArPrepareV1,
    /// A table was made: no states come behind it.
    tables: bool,
    /// The [`ModelContext`] was handed out.
    model: Cell<bool>,
}

impl<'a> PrepareContext<'a> {
    /// # Safety
    /// The struct is valid for `'a` and its functions may be called with its context.
    pub(crate) unsafe fn from_raw(raw: &'a ArPrepareV1) -> Self {
        PrepareContext { raw, tables: false, model: Cell::new(false) }
    }

    /// Sets the shape of an output, once. Refused if a dimension is negative or the size overflows.
    pub fn set_output_shape(&mut self, output: usize, shape: &[i32]) -> Result<()> {
        // SAFETY: `shape` is readable for the call.
        host::check(unsafe {
            (self.raw.set_output_shape)(self.raw.context, output as u32, shape.as_ptr(), shape.len() as u32)
        })
    }

    /// Says that the shape of an output depends on data: `eval` calls [`EvalContext::resize_output`](super::EvalContext::resize_output).
    pub fn set_output_dynamic(&mut self, output: usize) -> Result<()> {
        // SAFETY: plain values.
        host::check(unsafe { (self.raw.set_output_dynamic)(self.raw.context, output as u32) })
    }

    /// Gives the value of an output whose shape is set already: it is constant for the nodes that follow.
    pub fn set_output_constant<T: Element>(&mut self, output: usize, data: &[T]) -> Result<()> {
        // SAFETY: `data` is readable for the call.
        host::check(unsafe {
            (self.raw.set_output_constant)(
                self.raw.context,
                output as u32,
                data.as_ptr().cast(),
                size_of_val(data) as u64,
            )
        })
    }

    /// A table of `count` elements in the host's persistent memory, element `i` being `value(i)`, which is called in order.
    pub fn table<T: Element>(&mut self, count: usize, mut value: impl FnMut(usize) -> T) -> Result<Table<T>> {
        self.try_table(count, |i| Ok(value(i)))
    }

    /// As [`table`](Self::table), where an element may fail.
    pub fn try_table<T: Element>(
        &mut self,
        count: usize,
        value: impl FnMut(usize) -> Result<T>,
    ) -> Result<Table<T>> {
        self.tables = true;
        Ok(Table { index: self.persistent(count, value)?, of: PhantomData })
    }

    /// `count` elements of persistent memory, and its number.
    fn persistent<T: Element>(
        &mut self,
        count: usize,
        mut value: impl FnMut(usize) -> Result<T>,
    ) -> Result<u32> {
        let bytes =
            count.checked_mul(size_of::<T>()).ok_or_else(|| invalid!("{count} elements are too many"))?;
        let (mut index, mut data) = (0, core::ptr::null_mut());
        // SAFETY: both results are writable.
        host::check(unsafe {
            (self.raw.request_persistent)(
                self.raw.context,
                bytes as u64,
                align_of::<T>() as u64,
                &mut index,
                &mut data,
            )
        })?;
        ensure!(count == 0 || !data.is_null(), "the host gave no memory for {bytes} bytes");
        let data = data.cast::<T>();
        for i in 0..count {
            let element = value(i)?;
            // SAFETY: the host gave `count` aligned elements that nobody else sees before `prepare` returns.
            unsafe { data.add(i).write(element) };
        }
        Ok(index)
    }

    /// A buffer of `count` elements that `eval` reads and writes and that is kept between calls, element `i` being
    /// `value(i)` at first, and again when the interpreter's variables are reset. The op says
    /// [`STATEFUL`](super::Op::STATEFUL). States are asked for before tables.
    pub fn state<T: Element>(&mut self, count: usize, mut value: impl FnMut(usize) -> T) -> Result<State<T>> {
        ensure!(!self.tables, "it asks for a state behind a table: states come first");
        Ok(State { index: self.persistent(count, |i| Ok(value(i)))?, of: PhantomData })
    }

    /// A buffer of `count` elements for the length of one `eval`.
    pub fn scratch<T: Element>(&mut self, count: usize) -> Result<Scratch<T>> {
        self.scratch_aligned(count, align_of::<T>())
    }

    /// As [`scratch`](Self::scratch), at a multiple of `alignment` bytes: a power of two, at most 64.
    pub fn scratch_aligned<T: Element>(&mut self, count: usize, alignment: usize) -> Result<Scratch<T>> {
        let alignment = alignment.max(align_of::<T>());
        let bytes =
            count.checked_mul(size_of::<T>()).ok_or_else(|| invalid!("{count} elements are too many"))?;
        let mut index = 0;
        // SAFETY: the result is writable.
        host::check(unsafe {
            (self.raw.request_scratch)(self.raw.context, bytes as u64, alignment as u64, &mut index)
        })?;
        Ok(Scratch { index, of: PhantomData })
    }

    /// Says that `eval` reads each element of `input` before it writes the same element of `output`, by way of cells:
    /// the two may share memory if nothing else reads the input later.
    pub fn allow_in_place(&mut self, output: usize, input: usize) -> Result<()> {
        self.share(output, input, raw::SHARE_IN_PLACE)
    }

    /// Says that `output` has the bytes of `input`: the two may share memory for as long as either lives. `eval` moves
    /// the bytes with [`EvalContext::copy_or_view`](super::EvalContext::copy_or_view).
    pub fn allow_view(&mut self, output: usize, input: usize) -> Result<()> {
        self.share(output, input, raw::SHARE_VIEW)
    }

    /// Says that `output` has the bytes of `input` from `offset` on: it may lie there for as long as either lives. `eval`
    /// moves the bytes with [`ReadCells::copy_to`](crate::tensor::ReadCells::copy_to), which does nothing then.
    pub fn allow_part_of_input(&mut self, output: usize, input: usize, offset: usize) -> Result<()> {
        self.share_part(output, input, raw::SHARE_PART_OF_INPUT, offset)
    }

    /// Says that the bytes of `input` become those of `output` from `offset` on: the input may be made there, and lie there
    /// for as long as either lives. `eval` moves the bytes with [`ReadCells::copy_to`](crate::tensor::ReadCells::copy_to), which does nothing then.
    pub fn allow_part_of_output(&mut self, input: usize, output: usize, offset: usize) -> Result<()> {
        self.share_part(output, input, raw::SHARE_PART_OF_OUTPUT, offset)
    }

    /// Says that `eval` reads `input` in ascending order, ahead of what it writes to `output`, both by way of cells: when it
    /// has written byte `q` of the output, it reads no byte `p` of the input with `p + distance <= q` any more. So the output
    /// may begin `distance` bytes or more in front of the input's beginning, if nothing else reads the input later.
    ///
    /// Where each part of the output is written after all reads for it and for what stands before it, `distance` is the
    /// largest of (end of a part) − (first byte of the input that is read for it or for a part behind it), at least 0.
    pub fn allow_behind(&mut self, output: usize, input: usize, distance: usize) -> Result<()> {
        self.share_part(output, input, raw::SHARE_BEHIND, distance)
    }

    /// The host's interface with this id, null if it has none.
    pub fn query(&self, interface: u64) -> *const core::ffi::c_void {
        // SAFETY: a plain value.
        unsafe { (self.raw.query)(self.raw.context, interface) }
    }

    /// The model around the node; once per call.
    pub fn model(&self) -> Result<ModelContext<'a>> {
        lend(&self.model)?;
        // SAFETY: the host's promise: its `query` takes its context. Handed out once.
        unsafe { ModelContext::new(self.raw.query, self.raw.context) }
    }

    /// The model's constants, of which a delegate says what it has copies of.
    pub fn constants(&self) -> Constants<'a> {
        // SAFETY: the host's promise: its `query` takes its context.
        unsafe { Constants::new(self.raw.query, self.raw.context) }
    }

    /// Memory of a partition's kernel.
    pub fn held(&self) -> Held<'a> {
        // SAFETY: the host's promise: its `query` takes its context.
        unsafe { Held::new(self.raw.query, self.raw.context) }
    }

    /// Memory of a device that a partition's kernel takes.
    pub fn held_on_device(&self) -> Held<'a> {
        // SAFETY: the host's promise: its `query` takes its context.
        unsafe { Held::on_device(self.raw.query, self.raw.context) }
    }

    /// Asks the interpreter's planner to lay out buffers that live within one node: the offset of each record goes to
    /// `offsets`; returned is the total. A delegate uses it for its intermediates, in one scratch buffer.
    pub fn plan(&mut self, records: &[crate::UsageRecord], offsets: &mut [u64]) -> Result<u64> {
        crate::planner::plan_with_host(self.raw, records, offsets)
    }

    /// Asks a planner, by its name or an empty one for the interpreter's own, for shared objects of a device: the object of each record
    /// goes to `ids`, the extents of each object to `sizes`, and returned is the number of objects.
    ///
    /// # Errors
    /// The planner is not there, or hands out none; it refuses the records; its answer is wrong.
    pub fn assign_objects(
        &mut self,
        planner: &str,
        request: &crate::ObjectRequest<'_>,
        ids: &mut [u32],
        sizes: &mut [[u64; 3]],
    ) -> Result<usize> {
        crate::objects::assign_with_host(self.raw, planner, request, ids, sizes)
    }

    fn share(&mut self, output: usize, input: usize, kind: u32) -> Result<()> {
        // SAFETY: plain values.
        host::check(unsafe { (self.raw.share_memory)(self.raw.context, output as u32, input as u32, kind) })
    }

    /// A host without the interface lays nothing that way.
    fn share_part(&mut self, output: usize, input: usize, kind: u32, bytes: usize) -> Result<()> {
        let layout = self.query(raw::INTERFACE_LAYOUT).cast::<raw::ArLayoutV1>();
        // SAFETY: the host's promise: null, or the struct of that id.
        let Some(layout) = (unsafe { layout.as_ref() }) else { return Ok(()) };
        // SAFETY: plain values; the interface takes the context of `prepare`.
        host::check(unsafe {
            (layout.share_part)(self.raw.context, output as u32, input as u32, kind, bytes as u64)
        })
    }
}
