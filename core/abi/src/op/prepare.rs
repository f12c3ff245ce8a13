//! The host's services during `prepare`.

use core::cell::Cell;
use core::ffi::c_void;
use core::marker::PhantomData;

use crate::host;
use crate::raw::{self, ArPrepareV1};
use crate::tensor::{Element, Scratch, State, Table};
use crate::{Constants, Held, ModelContext, Result, ensure, invalid};

use super::lend;

/// The host's services during `prepare`.
pub struct PrepareContext<'a> {
    raw: &'a ArPrepareV1,
    /// Whether a table was created; states must be requested before tables.
    tables: bool,
    /// Whether the [`ModelContext`] was handed out.
    model: Cell<bool>,
}

impl<'a> PrepareContext<'a> {
    /// Wraps the host's struct.
    ///
    /// # Safety
    /// The struct must be valid for `'a`, and its functions must accept its context.
    pub(crate) unsafe fn from_raw(raw: &'a ArPrepareV1) -> Self {
        PrepareContext { raw, tables: false, model: Cell::new(false) }
    }

    /// Sets the shape of an output, once.
    ///
    /// # Errors
    /// A dimension is negative, the size overflows or exceeds the quota, or the output already has another shape.
    pub fn set_output_shape(&mut self, output: usize, shape: &[i32]) -> Result<()> {
        // SAFETY: `shape` is readable during the call, and `from_raw` requires that the function accepts this context.
        host::check(unsafe {
            (self.raw.set_output_shape)(self.raw.context, output as u32, shape.as_ptr(), shape.len() as u32)
        })
    }

    /// Declares that the shape of an output depends on data: `eval` must call
    /// [`EvalContext::resize_output`](super::EvalContext::resize_output).
    ///
    /// # Errors
    /// The output does not exist, or is constant or a variable.
    pub fn set_output_dynamic(&mut self, output: usize) -> Result<()> {
        // SAFETY: the arguments are plain values, and `from_raw` requires that the function accepts this context.
        host::check(unsafe { (self.raw.set_output_dynamic)(self.raw.context, output as u32) })
    }

    /// Sets the value of an output whose shape is set already. It is a constant for the following nodes.
    ///
    /// # Errors
    /// The output has no shape yet, or another size.
    pub fn set_output_constant<T: Element>(&mut self, output: usize, data: &[T]) -> Result<()> {
        // SAFETY: `data` is readable during the call, and `from_raw` requires that the function accepts this context.
        host::check(unsafe {
            (self.raw.set_output_constant)(
                self.raw.context,
                output as u32,
                data.as_ptr().cast(),
                size_of_val(data) as u64,
            )
        })
    }

    /// Creates a table of `count` elements in the host's persistent memory. Element `i` is `value(i)`, called in order.
    ///
    /// # Errors
    /// The memory is not available.
    pub fn table<T: Element>(&mut self, count: usize, mut value: impl FnMut(usize) -> T) -> Result<Table<T>> {
        self.try_table(count, |i| Ok(value(i)))
    }

    /// Like [`table`](Self::table), with elements that may fail.
    ///
    /// # Errors
    /// The memory is not available, or `value` failed.
    pub fn try_table<T: Element>(
        &mut self,
        count: usize,
        value: impl FnMut(usize) -> Result<T>,
    ) -> Result<Table<T>> {
        self.tables = true;
        Ok(Table { index: self.persistent(count, value)?, of: PhantomData })
    }

    /// Allocates `count` elements of persistent memory; returns their number.
    fn persistent<T: Element>(
        &mut self,
        count: usize,
        mut value: impl FnMut(usize) -> Result<T>,
    ) -> Result<u32> {
        let (index, data) = self.allocate(count, size_of::<T>(), align_of::<T>())?;
        let data = data.cast::<T>();
        for i in 0..count {
            let element = value(i)?;
            // SAFETY: the host allocated `count` aligned elements, which only this call accesses until `prepare`
            // returns.
            unsafe { data.add(i).write(element) };
        }
        Ok(index)
    }

    /// Allocates persistent memory for `count` elements; returns its number and address.
    #[inline(never)] // one copy for all types
    fn allocate(&self, count: usize, size: usize, alignment: usize) -> Result<(u32, *mut c_void)> {
        let bytes = count.checked_mul(size).ok_or_else(|| invalid!("{count} elements are too many"))?;
        let (mut index, mut data) = (0, core::ptr::null_mut());
        // SAFETY: both results are writable, and `from_raw` requires that the function accepts this context.
        host::check(unsafe {
            (self.raw.request_persistent)(
                self.raw.context,
                bytes as u64,
                alignment as u64,
                &mut index,
                &mut data,
            )
        })?;
        ensure!(count == 0 || !data.is_null(), "the host gave no memory for {bytes} bytes");
        Ok((index, data))
    }

    /// Creates a buffer of `count` elements that `eval` reads and writes and that is kept between calls. Element `i` is
    /// `value(i)` at first, and again after the interpreter's variables are reset. The op must be
    /// [`STATEFUL`](super::Op::STATEFUL). States must be created before tables.
    ///
    /// # Errors
    /// The memory is not available, or a table was created before.
    pub fn state<T: Element>(&mut self, count: usize, mut value: impl FnMut(usize) -> T) -> Result<State<T>> {
        ensure!(!self.tables, "it requests a state after a table; states must come first");
        Ok(State { index: self.persistent(count, |i| Ok(value(i)))?, of: PhantomData })
    }

    /// Requests a buffer of `count` elements for the duration of each `eval`.
    ///
    /// # Errors
    /// The buffer exceeds the quota.
    pub fn scratch<T: Element>(&mut self, count: usize) -> Result<Scratch<T>> {
        self.scratch_aligned(count, align_of::<T>())
    }

    /// Like [`scratch`](Self::scratch), aligned to `alignment` bytes: a power of two, at most 64.
    ///
    /// # Errors
    /// The alignment is invalid, or the buffer exceeds the quota.
    pub fn scratch_aligned<T: Element>(&mut self, count: usize, alignment: usize) -> Result<Scratch<T>> {
        let alignment = alignment.max(align_of::<T>());
        let bytes =
            count.checked_mul(size_of::<T>()).ok_or_else(|| invalid!("{count} elements are too many"))?;
        let mut index = 0;
        // SAFETY: the result is writable, and `from_raw` requires that the function accepts this context.
        host::check(unsafe {
            (self.raw.request_scratch)(self.raw.context, bytes as u64, alignment as u64, &mut index)
        })?;
        Ok(Scratch { index, of: PhantomData })
    }

    /// Declares that `eval` reads each element of `input` before it writes the same element of `output`, through cells.
    /// Both may then share memory, if no other node reads the input later.
    ///
    /// # Errors
    /// The output or the input does not exist.
    pub fn allow_in_place(&mut self, output: usize, input: usize) -> Result<()> {
        self.share(output, input, raw::SHARE_IN_PLACE)
    }

    /// Declares that `output` has the same bytes as `input`. Both may then share memory as long as either is alive.
    /// `eval` copies the bytes with [`EvalContext::copy_or_view`](super::EvalContext::copy_or_view).
    ///
    /// # Errors
    /// The output or the input does not exist.
    pub fn allow_view(&mut self, output: usize, input: usize) -> Result<()> {
        self.share(output, input, raw::SHARE_VIEW)
    }

    /// Declares that `output` has the bytes of `input` from `offset`. It may then be a part of the input's memory as
    /// long as either is alive. `eval` copies the bytes with [`ReadCells::copy_to`](crate::tensor::ReadCells::copy_to),
    /// which does nothing in that case.
    ///
    /// # Errors
    /// The output or the input does not exist, or the part exceeds the input.
    pub fn allow_part_of_input(&mut self, output: usize, input: usize, offset: usize) -> Result<()> {
        self.share_part(output, input, raw::SHARE_PART_OF_INPUT, offset)
    }

    /// Declares that `input` becomes the part of `output` at `offset`. The input may then be computed there, and be a
    /// part of the output's memory as long as either is alive. `eval` copies the bytes with
    /// [`ReadCells::copy_to`](crate::tensor::ReadCells::copy_to), which does nothing in that case.
    ///
    /// # Errors
    /// The output or the input does not exist, or the part exceeds the output.
    pub fn allow_part_of_output(&mut self, input: usize, output: usize, offset: usize) -> Result<()> {
        self.share_part(output, input, raw::SHARE_PART_OF_OUTPUT, offset)
    }

    /// Declares that `eval` reads `input` in ascending order, ahead of its writes to `output`, both through cells:
    /// after writing byte `q` of the output, it reads no byte `p` of the input with `p + distance <= q`. The output may
    /// then start `distance` bytes or more before the input, if no other node reads the input later.
    ///
    /// If each part of the output is written after all reads for it and for earlier parts, `distance` is the maximum
    /// over all parts of (end of the part) − (first byte of the input read for this or a later part), and at least 0.
    ///
    /// # Errors
    /// The output or the input does not exist.
    pub fn allow_behind(&mut self, output: usize, input: usize, distance: usize) -> Result<()> {
        self.share_part(output, input, raw::SHARE_BEHIND, distance)
    }

    /// The host's interface with this id; null if it has none.
    pub fn query(&self, interface: u64) -> *const c_void {
        // SAFETY: the id is a plain value, and `from_raw` requires that `query` accepts this context.
        unsafe { (self.raw.query)(self.raw.context, interface) }
    }

    /// The model around the node. Only once per call.
    ///
    /// # Errors
    /// It was handed out already, or the host does not provide it.
    pub fn model(&self) -> Result<ModelContext<'a>> {
        lend(&self.model)?;
        // SAFETY: `from_raw` requires that `query` accepts this context, and the value is handed out only once.
        unsafe { ModelContext::new(self.raw.query, self.raw.context) }
    }

    /// The model's constants. A delegate reports here which constants it has copied.
    pub fn constants(&self) -> Constants<'a> {
        // SAFETY: `from_raw` requires that `query` accepts this context; it returns null or the struct of the id.
        unsafe { Constants::new(self.raw.query, self.raw.context) }
    }

    /// The memory quota of a partition's kernel.
    pub fn held(&self) -> Held<'a> {
        // SAFETY: `from_raw` requires that `query` accepts this context; it returns null or the struct of the id.
        unsafe { Held::new(self.raw.query, self.raw.context) }
    }

    /// The device memory quota of a partition's kernel.
    pub fn held_on_device(&self) -> Held<'a> {
        // SAFETY: `from_raw` requires that `query` accepts this context; it returns null or the struct of the id.
        unsafe { Held::on_device(self.raw.query, self.raw.context) }
    }

    /// Has the interpreter's planner place buffers that are alive only within one node. Writes the offset of each
    /// record to `offsets` and returns the total size. A delegate uses this to place its intermediate buffers in one
    /// scratch buffer.
    ///
    /// # Errors
    /// The lengths differ, or the planner failed.
    pub fn plan(&mut self, records: &[crate::UsageRecord], offsets: &mut [u64]) -> Result<u64> {
        crate::planner::plan_with_host(self.raw, records, offsets)
    }

    /// Has the planner with this name, or the interpreter's own for an empty name, assign shared objects of a device.
    /// Writes the object of each record to `ids` and the extents of each object to `sizes`, and returns the number of
    /// objects.
    ///
    /// # Errors
    /// The planner does not exist, does not support shared objects, or failed.
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
        // SAFETY: the arguments are plain values, and `from_raw` requires that the function accepts this context.
        host::check(unsafe { (self.raw.share_memory)(self.raw.context, output as u32, input as u32, kind) })
    }

    /// A host without the interface does not share memory this way.
    fn share_part(&mut self, output: usize, input: usize, kind: u32, bytes: usize) -> Result<()> {
        let layout = self.query(raw::INTERFACE_LAYOUT).cast::<raw::ArLayoutV1>();
        // SAFETY: the pointer is null or the struct of the id, as the ABI requires of `query`.
        let Some(layout) = (unsafe { layout.as_ref() }) else { return Ok(()) };
        // SAFETY: the arguments are plain values, and the interface accepts the context of `prepare`.
        host::check(unsafe {
            (layout.share_part)(self.raw.context, output as u32, input as u32, kind, bytes as u64)
        })
    }
}
