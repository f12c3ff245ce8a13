//! What the host offers during `eval`.

use core::cell::Cell;

use crate::devices::Keeping;
use crate::handed_out::{HandedOut, VariableUse, internal};
use crate::host;
use crate::raw::{self, ArEvalV1, ArNodeV1, ArStr, ArTensorV1};
use crate::tensor::{self, Element, ReadCells, Scratch, State, Table, TensorView, TensorViewMut};
use crate::{ModelContext, Result, ensure, unsupported};

use super::{NodeView, lend};

/// What the host offers during `eval`: the data.
///
/// Outputs and scratch buffers are handed out once per call, in any order as long as none comes 64 or more behind the last. An input that shares memory with an output (only where
/// `prepare` allowed it) is refused as a slice and read through cells.
pub struct EvalContext<'a> {
    raw: &'a ArEvalV1,
    node: NodeView<'a>,
    handed_out: HandedOut,
    /// The [`ModelContext`] was handed out.
    model: Cell<bool>,
}

impl<'a> EvalContext<'a> {
    /// # Safety
    /// During `'a` both structs are valid, and so is what they point to, as the head of [`host_side`](crate::host_side) says. The node's
    /// outputs overlap neither one another nor scratch; nobody but this call touches outputs, scratch, variables and persistent memory.
    ///
    /// The shims of ops and kernels call this with what a host gave them. The runtime places tensors and scratch by a plan that
    /// `plan::validate` has checked for overlap in time and space, and `arenite-micro` by its own; persistent memory is taken once per node.
    /// An input overlaps an output only where `prepare` allowed it; a node that reads and writes one variable without that is refused by both
    /// (`check_in_place`, `works_in_place`). Even so, `input` and `output` compare addresses and refuse both as slices; cells may overlap.
    pub(crate) unsafe fn from_raw(raw: &'a ArEvalV1, node: &'a ArNodeV1) -> Self {
        EvalContext {
            raw,
            // SAFETY: the node and what it points to is valid for `'a`, as this function requires.
            node: unsafe { NodeView::from_raw(node) },
            handed_out: HandedOut::nothing(),
            model: Cell::new(false),
        }
    }

    /// The node: its options, and the descriptions of its tensors.
    pub fn node(&self) -> NodeView<'a> {
        self.node
    }

    /// Number of inputs, absent ones included.
    pub fn input_count(&self) -> usize {
        self.node.input_count()
    }

    /// Number of outputs, absent ones included.
    pub fn output_count(&self) -> usize {
        self.node.output_count()
    }

    /// The entry of input `i`, whose value the host has.
    #[inline]
    fn input_at(&self, i: usize) -> Result<&ArTensorV1> {
        let raw = self.node.raw_at(self.node.input_indices(), i, "input")?;
        match raw.memory_kind {
            0 => Ok(raw),
            _ => Err(internal(format_args!("input {i} is on a device: its handle is {}", raw.handle))),
        }
    }

    /// Of input `i` that another partition of the same delegate [kept](Self::keep_output): the handle. Others are read.
    pub fn kept_input(&self, i: usize) -> Result<Option<u64>> {
        let raw = self.node.raw_at(self.node.input_indices(), i, "input")?;
        Ok((raw.memory_kind == raw::MEMORY_DEVICE).then_some(raw.handle))
    }

    /// Whether outputs may be [kept](Self::keep_output) on the delegate's device.
    pub fn keeps(&self) -> bool {
        self.keeping().is_some()
    }

    /// In place of [`output`](Self::output): the value of output `i` stays on the device. Until this kernel is invoked again, prepared or
    /// dropped, the delegate's partitions find it by `handle`, and [`DelegateKernel::read`](crate::DelegateKernel::read) copies it for
    /// whoever else wants it.
    ///
    /// # Errors
    /// Where the host wants all outputs: see [`keeps`](Self::keeps).
    pub fn keep_output(&self, i: usize, handle: u64) -> Result<()> {
        let keeping = self.keeping().ok_or_else(|| unsupported!("the host wants output {i}"))?;
        self.handed_out.output(i)?;
        keeping.keep(i, handle)
    }

    fn keeping(&self) -> Option<Keeping<'a>> {
        // SAFETY: the host's promise: its `query` takes its context.
        unsafe { Keeping::find(self.raw.query, self.raw.context) }
    }

    /// Input `i`, to be read as a slice.
    pub fn input(&self, i: usize) -> Result<TensorView<'a>> {
        let raw = self.apart_from_outputs(i)?;
        // SAFETY: no output and no variable that is handed out overlaps it, as checked.
        unsafe { TensorView::from_raw(raw) }
    }

    /// The bytes of input `i`, as [`input`](Self::input) has them, without its description.
    pub fn input_bytes(&self, i: usize) -> Result<&'a [u8]> {
        let raw = self.apart_from_outputs(i)?;
        // SAFETY: as in `input`.
        Ok(unsafe { raw::slice(raw.data.cast::<u8>().cast_const(), raw.bytes as usize) })
    }

    /// Input `i`, after checking that no output lies where it does.
    #[inline]
    fn apart_from_outputs(&self, i: usize) -> Result<&ArTensorV1> {
        let raw = self.input_at(i)?;
        if raw.flags & raw::TENSOR_VARIABLE != 0 {
            self.handed_out.variables(VariableUse::Read)?;
        }
        if raw.flags & raw::TENSOR_CONSTANT != 0 {
            return Ok(raw);
        }
        match self.node.overlapping(self.node.output_indices(), raw) {
            Some(o) => {
                Err(internal(format_args!("input {i} shares memory with output {o}: read it by cells")))
            }
            None => Ok(raw),
        }
    }

    /// Input `i` as [`input`](Self::input) gives it, `None` if it is absent.
    pub fn optional_input(&self, i: usize) -> Result<Option<TensorView<'a>>> {
        if self.node.input_indices().get(i).copied().unwrap_or(-1) == -1 {
            return Ok(None);
        }
        self.input(i).map(Some)
    }

    /// Elements of input `i`, which may share memory with an output.
    pub fn input_cells<T: Element>(&self, i: usize) -> Result<ReadCells<'a, T>> {
        let raw = self.input_at(i)?;
        // SAFETY: an output that overlaps it is handed out by `output_cells` only.
        unsafe { ReadCells::from_raw(*raw) }
    }

    /// Bytes of input `i`, which may share memory with an output: for ops that only move elements.
    pub fn input_byte_cells(&self, i: usize) -> Result<ReadCells<'a, u8>> {
        let raw = self.input_at(i)?;
        // SAFETY: as in `input_cells`; any bytes are `u8`.
        Ok(unsafe { ReadCells::bytes_of(*raw) })
    }

    /// Output `i`, once per call.
    pub fn output(&self, i: usize) -> Result<TensorViewMut<'a>> {
        let raw = self.apart_from_inputs(i)?;
        self.handed_out.output(i)?;
        // SAFETY: handed out once; overlaps no input, as checked, and no other output, as promised to `from_raw`.
        unsafe { TensorViewMut::from_raw(raw) }
    }

    /// The bytes of output `i`, as [`output`](Self::output) has them, without its description; once per call.
    pub fn output_bytes(&self, i: usize) -> Result<&'a mut [u8]> {
        let raw = self.apart_from_inputs(i)?;
        ensure!(raw.flags & raw::TENSOR_CONSTANT == 0, "output {i} is constant");
        self.handed_out.output(i)?;
        if raw.data.is_null() || raw.bytes == 0 {
            return Ok(&mut []);
        }
        // SAFETY: as in `output`.
        Ok(unsafe { core::slice::from_raw_parts_mut(raw.data.cast::<u8>(), raw.bytes as usize) })
    }

    /// Output `i`, after checking that no input lies where it does.
    #[inline]
    fn apart_from_inputs(&self, i: usize) -> Result<&ArTensorV1> {
        let raw = self.node.raw_at(self.node.output_indices(), i, "output")?;
        match self.node.overlapping(self.node.input_indices(), raw) {
            Some(k) => {
                Err(internal(format_args!("output {i} shares memory with input {k}: write it by cells")))
            }
            None => Ok(raw),
        }
    }

    /// Elements of output `i`, which may share memory with an input that is read by cells; once per call.
    pub fn output_cells<T: Element>(&self, i: usize) -> Result<&'a [Cell<T>]> {
        let raw = self.node.raw_at(self.node.output_indices(), i, "output")?;
        ensure!(raw.flags & raw::TENSOR_CONSTANT == 0, "output {i} is constant");
        self.handed_out.output(i)?;
        // SAFETY: an input that overlaps it is refused by `input` and read by `input_cells` only.
        unsafe { tensor::cells(*raw) }
    }

    /// Bytes of output `i`, which may share memory with an input that is read by cells; once per call.
    pub fn output_byte_cells(&self, i: usize) -> Result<&'a [Cell<u8>]> {
        let raw = self.node.raw_at(self.node.output_indices(), i, "output")?;
        ensure!(raw.flags & raw::TENSOR_CONSTANT == 0, "output {i} is constant");
        self.handed_out.output(i)?;
        // SAFETY: as in `output_cells`; any bytes are `u8`.
        Ok(unsafe { tensor::byte_cells(*raw) })
    }

    /// Elements of an input that is a variable, to be read and written. Such inputs are not read as slices in the same
    /// call.
    pub fn variable<T: Element>(&self, i: usize) -> Result<&'a [Cell<T>]> {
        let raw = self.node.raw_at(self.node.input_indices(), i, "input")?;
        ensure!(raw.flags & raw::TENSOR_VARIABLE != 0, "input {i} is no variable, so it cannot be written");
        self.handed_out.variables(VariableUse::Cells)?;
        // SAFETY: variables are read and written through cells during this call.
        unsafe { tensor::cells(*raw) }
    }

    /// Gives a dynamic output its shape and memory, and hands it out.
    pub fn resize_output(&self, i: usize, shape: &[i32]) -> Result<TensorViewMut<'a>> {
        self.resize(i, shape, 0)?;
        self.output(i)
    }

    /// Gives a dynamic output of strings or variants its shape and `bytes` of memory, and hands it out.
    pub fn resize_string_output(&self, i: usize, shape: &[i32], bytes: usize) -> Result<TensorViewMut<'a>> {
        self.resize(i, shape, bytes)?;
        self.output(i)
    }

    /// Output `output` gets the bytes of input `input`, which do not move if the host let the two share memory.
    pub fn copy_or_view(&self, output: usize, input: usize) -> Result<()> {
        let from = self.input_at(input)?;
        let to = self.node.raw_at(self.node.output_indices(), output, "output")?;
        ensure!(
            from.bytes == to.bytes,
            "input {input} has {} bytes, output {output} has {}",
            from.bytes,
            to.bytes
        );
        ensure!(to.flags & raw::TENSOR_CONSTANT == 0, "output {output} is constant");
        self.handed_out.output(output)?;
        if from.data != to.data && from.bytes != 0 {
            ensure!(
                !from.data.is_null() && !to.data.is_null(),
                "input {input} or output {output} has no memory"
            );
            // SAFETY: both have that many bytes; `copy` allows overlap.
            unsafe { core::ptr::copy(from.data.cast::<u8>(), to.data.cast::<u8>(), from.bytes as usize) };
        }
        Ok(())
    }

    /// A table that `prepare` made.
    pub fn table<T: Element>(&self, table: &Table<T>) -> Result<&'a [T]> {
        self.handed_out.table(table.index)?;
        let span = self.persistent(table.index)?;
        // SAFETY: persistent memory is initialised, lives as long as the instance, and is not written while it is lent:
        // not by the host, and not as a state, as checked.
        let bytes = unsafe { raw::slice(span.data.cast::<u8>().cast_const(), span.bytes as usize) };
        if bytes.is_empty() {
            return Ok(&[]);
        }
        bytemuck::try_cast_slice(bytes).map_err(|e| internal(format_args!("table: {e}")))
    }

    /// A state that `prepare` began.
    pub fn state<T: Element>(&self, state: &State<T>) -> Result<&'a [Cell<T>]> {
        self.handed_out.state(state.index)?;
        let span = self.persistent(state.index)?;
        let (data, bytes) = (span.data.cast::<u8>(), span.bytes as usize);
        if data.is_null() || bytes == 0 {
            return Ok(&[]);
        }
        if !bytes.is_multiple_of(size_of::<T>()) || data.align_offset(align_of::<T>()) != 0 {
            return Err(internal(format_args!("state: {bytes} bytes at {data:p} are no {}", T::TYPE)));
        }
        // SAFETY: aligned and whole, as checked; initialised, of this instance alone, and not lent as a table during this
        // call; `Cell<T>` has the layout of `T`, and any bit pattern is a `T`.
        Ok(unsafe { core::slice::from_raw_parts(data.cast::<Cell<T>>(), bytes / size_of::<T>()) })
    }

    fn persistent(&self, index: u32) -> Result<&'a raw::ArSpan> {
        // SAFETY: the spans have the count that stands beside them.
        let spans = unsafe { raw::slice(self.raw.persistent, self.raw.persistent_count) };
        spans.get(index as usize).ok_or_else(|| internal(format_args!("no such table or state")))
    }

    /// A scratch buffer that `prepare` asked for, once per call. Its contents are left over from elsewhere.
    pub fn scratch<T: Element>(&self, scratch: &Scratch<T>) -> Result<&'a mut [T]> {
        let i = scratch.index as usize;
        // SAFETY: the spans have the count that stands beside them.
        let spans = unsafe { raw::slice(self.raw.scratch, self.raw.scratch_count) };
        let span = spans.get(i).ok_or_else(|| internal(format_args!("no such scratch buffer")))?;
        self.handed_out.scratch(i)?;
        if span.data.is_null() || span.bytes == 0 {
            return Ok(&mut []);
        }
        // SAFETY: the buffer is this call's alone, initialised by the host, and handed out once.
        let bytes = unsafe { core::slice::from_raw_parts_mut(span.data.cast::<u8>(), span.bytes as usize) };
        bytemuck::try_cast_slice_mut(bytes).map_err(|e| internal(format_args!("scratch: {e}")))
    }

    /// How many threads [`parallel_for`](Self::parallel_for) may use.
    pub fn threads(&self) -> usize {
        self.raw.threads as usize
    }

    /// Calls `body(begin..end)` for consecutive ranges of at least `grain` that cover `0..count`, on the host's threads.
    pub fn parallel_for(
        &self,
        count: usize,
        grain: usize,
        body: impl Fn(core::ops::Range<usize>) + Sync,
    ) -> Result<()> {
        host::parallel_for(count, grain, self.raw.threads, body)
    }

    /// Whether the caller cancelled the invocation; long loops ask now and then.
    pub fn is_cancelled(&self) -> bool {
        // SAFETY: a plain value.
        unsafe { (self.raw.is_cancelled)(self.raw.context) != 0 }
    }

    /// The host's interface with this id, null if it has none.
    pub fn query(&self, interface: u64) -> *const core::ffi::c_void {
        // SAFETY: a plain value.
        unsafe { (self.raw.query)(self.raw.context, interface) }
    }

    /// Where a delegate tells how long its steps take; `None` unless somebody asked for a profile.
    pub fn profile(&self) -> Option<StepTimes<'a>> {
        let interface = self.query(raw::INTERFACE_PROFILE).cast::<raw::ArProfileV1>();
        // SAFETY: the host's promise: null, or the struct of that id, valid during the call.
        let interface = unsafe { interface.as_ref() }?;
        Some(StepTimes { interface, context: self.raw.context })
    }

    /// The model around the node; once per call.
    pub fn model(&self) -> Result<ModelContext<'a>> {
        lend(&self.model)?;
        // SAFETY: the host's promise: its `query` takes its context. Handed out once.
        unsafe { ModelContext::new(self.raw.query, self.raw.context) }
    }

    fn resize(&self, i: usize, shape: &[i32], bytes: usize) -> Result<()> {
        self.handed_out.no_output(i)?;
        // SAFETY: `shape` is readable for the call; the output is not borrowed, as checked.
        host::check(unsafe {
            (self.raw.resize_output)(
                self.raw.context,
                i as u32,
                shape.as_ptr(),
                shape.len() as u32,
                bytes as u64,
            )
        })
    }
}

/// Takes the times of a delegate's steps, see [`EvalContext::profile`].
pub struct StepTimes<'a> {
    interface: &'a raw::ArProfileV1,
    context: *mut core::ffi::c_void,
}

impl StepTimes<'_> {
    /// Step `number` of this node, named `name`, whose first result is tensor `tensor` of the graph, took so long.
    pub fn note(&self, number: usize, name: &str, tensor: Option<usize>, nanoseconds: u64) {
        let tensor = tensor.and_then(|t| i32::try_from(t).ok()).unwrap_or(-1);
        // SAFETY: the name is readable for the call; the interface takes the context of `eval`.
        unsafe {
            (self.interface.note)(self.context, number as u32, ArStr::borrowed(name), tensor, nanoseconds);
        }
    }
}
