//! The host's services during `eval`.

use core::cell::Cell;

use crate::devices::Keeping;
use crate::handed_out::{HandedOut, VariableUse, internal};
use crate::host;
use crate::raw::{self, ArEvalV1, ArNodeV1, ArStr, ArTensorV1};
use crate::tensor::{self, Element, ReadCells, TensorView, TensorViewMut};
use crate::{ModelContext, Result, ensure, unsupported};

use super::ports::EmbeddedPort;
use super::{NodeView, lend};

/// The host's services during `eval`, in particular access to the data.
///
/// Each output and scratch buffer is handed out once per call, in any order, as long as none has a number 64 or more
/// below the highest so far. An input that shares memory with an output (only if `prepare` allowed it) cannot be read
/// as a slice, only through cells.
pub struct EvalContext<'a> {
    pub(super) raw: &'a ArEvalV1,
    pub(super) node: NodeView<'a>,
    pub(super) handed_out: HandedOut,
    /// Whether the [`ModelContext`] was handed out.
    model: Cell<bool>,
    /// Whether no input shares memory with an output; `None` until someone asks.
    pub(super) apart: Cell<Option<bool>>,
    /// Inputs and outputs whose memory is known, in embedded programs; null elsewhere.
    pub(super) ports: *const EmbeddedPort,
}

impl<'a> EvalContext<'a> {
    /// Wraps the host's structs.
    ///
    /// # Safety
    /// During `'a` both structs and everything they point to must be valid, as described in
    /// [`host_side`](crate::host_side). The node's outputs must overlap neither each other nor scratch buffers, and
    /// only this call may access outputs, scratch buffers, variables and persistent memory.
    ///
    /// The shims of ops and kernels call this with a host's structs. The runtime places tensors and scratch buffers by
    /// a plan in which `plan::validate` found no overlaps in time and space, `arenite-micro` by its own checked plan;
    /// persistent memory is allocated once per node. An input overlaps an output only if `prepare` allowed it; both
    /// hosts reject a node that reads and writes one variable without that permission (`check_in_place`,
    /// `works_in_place`). In addition, `input` and `output` compare addresses and reject overlapping slices; cells may
    /// overlap.
    #[inline]
    pub(crate) unsafe fn from_raw(raw: &'a ArEvalV1, node: &'a ArNodeV1) -> Self {
        EvalContext {
            raw,
            // SAFETY: the caller guarantees that the node and everything it points to is valid for `'a`.
            node: unsafe { NodeView::from_raw(node) },
            handed_out: HandedOut::nothing(),
            model: Cell::new(false),
            apart: Cell::new(None),
            ports: core::ptr::null(),
        }
    }

    /// The node, with its options and the descriptions of its tensors.
    pub fn node(&self) -> NodeView<'a> {
        self.node
    }

    /// The number of inputs, including absent ones.
    pub fn input_count(&self) -> usize {
        self.node.input_count()
    }

    /// The number of outputs, including absent ones.
    pub fn output_count(&self) -> usize {
        self.node.output_count()
    }

    /// The entry of input `i`, whose value must be in host memory.
    #[inline]
    pub(super) fn input_at(&self, i: usize) -> Result<&ArTensorV1> {
        let raw = self.node.raw_at(self.node.input_indices(), i, "input")?;
        match raw.memory_kind {
            0 => Ok(raw),
            _ => Err(internal(format_args!("input {i} is on a device: its handle is {}", raw.handle))),
        }
    }

    /// The handle of input `i` if another partition of the same delegate [kept](Self::keep_output) it on the device;
    /// `None` if it is in host memory.
    ///
    /// # Errors
    /// The input does not exist or is absent.
    pub fn kept_input(&self, i: usize) -> Result<Option<u64>> {
        let raw = self.node.raw_at(self.node.input_indices(), i, "input")?;
        Ok((raw.memory_kind == raw::MEMORY_DEVICE).then_some(raw.handle))
    }

    /// Whether outputs may be [kept](Self::keep_output) on the delegate's device.
    pub fn keeps(&self) -> bool {
        self.keeping().is_some()
    }

    /// Keeps the value of output `i` on the device, instead of writing [`output`](Self::output). Until this kernel is
    /// invoked again, prepared or dropped, the delegate's partitions find the value by `handle`, and
    /// [`DelegateKernel::read`](crate::DelegateKernel::read) copies it for all other readers.
    ///
    /// # Errors
    /// The host needs all outputs, see [`keeps`](Self::keeps).
    pub fn keep_output(&self, i: usize, handle: u64) -> Result<()> {
        let keeping = self.keeping().ok_or_else(|| unsupported!("the host needs output {i}"))?;
        self.handed_out.output(i)?;
        keeping.keep(i, handle)
    }

    fn keeping(&self) -> Option<Keeping<'a>> {
        // SAFETY: `from_raw` requires that `query` accepts this context; it returns null or the struct of the id.
        unsafe { Keeping::find(self.raw.query, self.raw.context) }
    }

    /// Input `i` as a slice.
    ///
    /// # Errors
    /// The input is absent, on a device, or shares memory with an output or a variable that was handed out.
    pub fn input(&self, i: usize) -> Result<TensorView<'a>> {
        let raw = self.apart_from_outputs(i)?;
        // SAFETY: no output and no variable that was handed out overlaps it, checked above.
        unsafe { TensorView::from_raw(raw) }
    }

    /// Input `i` like [`input`](Self::input), or `None` if it is absent.
    ///
    /// # Errors
    /// As for [`input`](Self::input), except that the input may be absent.
    pub fn optional_input(&self, i: usize) -> Result<Option<TensorView<'a>>> {
        if self.node.input_indices().get(i).copied().unwrap_or(-1) == -1 {
            return Ok(None);
        }
        self.input(i).map(Some)
    }

    /// The elements of input `i`, which may share memory with an output.
    ///
    /// # Errors
    /// The input is absent, on a device, or has another element type.
    pub fn input_cells<T: Element>(&self, i: usize) -> Result<ReadCells<'a, T>> {
        let raw = self.input_at(i)?;
        // SAFETY: an output that overlaps it can only be handed out by `output_cells`, because `output` rejects it.
        unsafe { ReadCells::from_raw(raw) }
    }

    /// The bytes of input `i`, which may share memory with an output. For ops that only move elements.
    ///
    /// # Errors
    /// The input is absent or on a device.
    pub fn input_byte_cells(&self, i: usize) -> Result<ReadCells<'a, u8>> {
        let raw = self.input_at(i)?;
        // SAFETY: an output that overlaps it can only be handed out as cells, because `output` rejects it.
        Ok(unsafe { ReadCells::bytes_of(raw) })
    }

    /// Output `i`. Only once per call.
    ///
    /// # Errors
    /// The output is absent, constant, dynamic without memory, handed out already, or shares memory with an input.
    pub fn output(&self, i: usize) -> Result<TensorViewMut<'a>> {
        let raw = self.apart_from_inputs(i)?;
        self.handed_out.output(i)?;
        // SAFETY: it is handed out only once and overlaps no input, both checked above; `from_raw` requires that it
        // overlaps no other output.
        unsafe { TensorViewMut::from_raw(raw) }
    }

    /// The elements of output `i`, which may share memory with an input that is read through cells. Only once per call.
    ///
    /// # Errors
    /// The output is absent, constant, handed out already, or has another element type.
    pub fn output_cells<T: Element>(&self, i: usize) -> Result<&'a [Cell<T>]> {
        let raw = self.node.raw_at(self.node.output_indices(), i, "output")?;
        ensure!(raw.flags & raw::TENSOR_CONSTANT == 0, "output {i} is constant");
        self.handed_out.output(i)?;
        // SAFETY: an input that overlaps it can only be read by `input_cells`, because `input` rejects it.
        unsafe { tensor::cells(raw) }
    }

    /// The bytes of output `i`, which may share memory with an input that is read through cells. Only once per call.
    ///
    /// # Errors
    /// The output is absent, constant, or handed out already.
    pub fn output_byte_cells(&self, i: usize) -> Result<&'a [Cell<u8>]> {
        let raw = self.node.raw_at(self.node.output_indices(), i, "output")?;
        ensure!(raw.flags & raw::TENSOR_CONSTANT == 0, "output {i} is constant");
        self.handed_out.output(i)?;
        // SAFETY: an input that overlaps it can only be read through cells, because `input` rejects it; any bytes are
        // valid `u8`.
        Ok(unsafe { tensor::byte_cells(raw) })
    }

    /// The elements of an input that is a variable, for reading and writing. In the same call, its memory cannot be
    /// read as a slice.
    ///
    /// # Errors
    /// The input is absent, is not a variable, has another element type, or its memory was read as a slice.
    pub fn variable<T: Element>(&self, i: usize) -> Result<&'a [Cell<T>]> {
        let raw = self.variable_at(i)?;
        // SAFETY: during this call, this memory is read and written only through cells, checked above.
        unsafe { tensor::cells(raw) }
    }

    /// The bytes of an input that is a variable, like [`variable`](Self::variable). For delegates, which address values
    /// by place.
    ///
    /// # Errors
    /// As for [`variable`](Self::variable), whatever the element type.
    pub fn variable_bytes(&self, i: usize) -> Result<&'a [Cell<u8>]> {
        let raw = self.variable_at(i)?;
        // SAFETY: during this call, this memory is read and written only through cells, checked above; any bytes are
        // valid `u8`.
        Ok(unsafe { tensor::byte_cells(raw) })
    }

    /// Input `i`, after checking that it is a variable whose memory was not read as a slice.
    fn variable_at(&self, i: usize) -> Result<&ArTensorV1> {
        let raw = self.node.raw_at(self.node.input_indices(), i, "input")?;
        ensure!(
            raw.flags & raw::TENSOR_VARIABLE != 0,
            "input {i} is not a variable, so it cannot be written"
        );
        self.handed_out.variable(i, VariableUse::Cells, |j| self.node.input_overlaps(j, raw))?;
        Ok(raw)
    }

    /// Sets the shape of a dynamic output, allocates its memory, and hands it out.
    ///
    /// # Errors
    /// The output is not dynamic, was resized already, or exceeds the quota.
    pub fn resize_output(&self, i: usize, shape: &[i32]) -> Result<TensorViewMut<'a>> {
        self.resize(i, shape, 0)?;
        self.output(i)
    }

    /// Sets the shape of a dynamic output of strings or variants, allocates `bytes` of memory, and hands it out.
    ///
    /// # Errors
    /// As for [`resize_output`](Self::resize_output).
    pub fn resize_string_output(&self, i: usize, shape: &[i32], bytes: usize) -> Result<TensorViewMut<'a>> {
        self.resize(i, shape, bytes)?;
        self.output(i)
    }

    /// Copies the bytes of input `input` to output `output`. Nothing moves if the host let both share memory.
    ///
    /// # Errors
    /// The sizes differ, or the output is constant.
    pub fn copy_or_view(&self, output: usize, input: usize) -> Result<()> {
        let from = self.input_at(input)?;
        let to = self.node.raw_at(self.node.output_indices(), output, "output")?;
        ensure!(
            from.bytes == to.bytes,
            "input {input} has {} bytes, but output {output} has {}",
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
            // SAFETY: both have that many bytes, checked above; `copy` allows overlap.
            unsafe { core::ptr::copy(from.data.cast::<u8>(), to.data.cast::<u8>(), from.bytes as usize) };
        }
        Ok(())
    }

    /// The number of threads that [`parallel_for`](Self::parallel_for) may use.
    pub fn threads(&self) -> usize {
        self.raw.threads as usize
    }

    /// Calls `body(begin..end)` for consecutive ranges that cover `0..count`, each of at least `grain`, on the host's
    /// threads.
    ///
    /// # Errors
    /// `body` failed or panicked.
    pub fn parallel_for(
        &self,
        count: usize,
        grain: usize,
        body: impl Fn(core::ops::Range<usize>) + Sync,
    ) -> Result<()> {
        host::parallel_for(count, grain, self.raw.threads, body)
    }

    /// Whether the caller cancelled the invocation. Long loops should check this from time to time.
    pub fn is_cancelled(&self) -> bool {
        // SAFETY: `from_raw` requires that the function accepts this context.
        unsafe { (self.raw.is_cancelled)(self.raw.context) != 0 }
    }

    /// The host's interface with this id; null if it has none.
    pub fn query(&self, interface: u64) -> *const core::ffi::c_void {
        // SAFETY: the id is a plain value, and `from_raw` requires that `query` accepts this context.
        unsafe { (self.raw.query)(self.raw.context, interface) }
    }

    /// Receives the times of a delegate's steps; `None` unless a profile was requested.
    pub fn profile(&self) -> Option<StepTimes<'a>> {
        let interface = self.query(raw::INTERFACE_PROFILE).cast::<raw::ArProfileV1>();
        // SAFETY: the pointer is null or the struct of the id, valid during the call, as the ABI requires of `query`.
        let interface = unsafe { interface.as_ref() }?;
        Some(StepTimes { interface, context: self.raw.context })
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

    fn resize(&self, i: usize, shape: &[i32], bytes: usize) -> Result<()> {
        self.handed_out.no_output(i)?;
        self.apart.set(None);
        // SAFETY: `shape` is readable during the call, and the output is not borrowed, checked above.
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

/// Receives the times of a delegate's steps, see [`EvalContext::profile`].
pub struct StepTimes<'a> {
    interface: &'a raw::ArProfileV1,
    context: *mut core::ffi::c_void,
}

impl StepTimes<'_> {
    /// Records that step `number` of this node, named `name`, whose first result is tensor `tensor` of the graph, took
    /// this long.
    pub fn note(&self, number: usize, name: &str, tensor: Option<usize>, nanoseconds: u64) {
        let tensor = tensor.and_then(|t| i32::try_from(t).ok()).unwrap_or(-1);
        // SAFETY: the name is readable during the call, and the interface accepts the context of `eval`.
        unsafe {
            (self.interface.note)(self.context, number as u32, ArStr::borrowed(name), tensor, nanoseconds);
        }
    }
}
