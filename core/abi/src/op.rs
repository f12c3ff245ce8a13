//! Operators: the [`Op`] trait, the node it serves, and what the host offers during `prepare` and `eval`.

use core::cell::Cell;
use core::marker::PhantomData;
use core::ops::RangeInclusive;

use crate::handed_out::{HandedOut, VariableUse, internal};
use crate::host;
use crate::options::Options;
use crate::raw::{self, ArEvalV1, ArNodeV1, ArPrepareV1, ArStr, ArTensorV1};
use crate::schema::{OptionsTable, Union};
use crate::tensor::{
    self, Element, ElementTypes, ReadCells, Scratch, State, Table, TensorView, TensorViewMut,
};
use crate::{Constants, ModelContext, Result, ensure, invalid};

/// Which op a registration serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpCode {
    /// A builtin op, by its code: one of [`op`](crate::schema::op).
    Builtin(i32),
    /// A custom op, by name.
    Custom(&'static str),
}

/// An operator. The value is what `prepare` computed for one node; the host places it and drops it.
///
/// `prepare` runs when the node's input shapes are known, and again when they change. `eval` runs once per inference,
/// allocates nothing, and must not assume that two calls come from one thread.
pub trait Op: Sized + Send + Sync + 'static {
    /// The op.
    const CODE: OpCode;
    /// The versions of it.
    const VERSIONS: RangeInclusive<i32>;
    /// The element types that its tensors may have.
    const TYPES: ElementTypes = ElementTypes::ANY;
    /// Whether the result depends on more than the inputs (randomness, resources).
    const STATEFUL: bool = false;
    /// The memory that `prepare` lets outputs share with inputs, for some nodes at least: what listings show.
    const SHARING: Sharing = Sharing::None;

    /// Checks the node, sets the shapes of its outputs, and computes all that does not depend on data.
    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self>;

    /// Computes the outputs.
    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()>;
}

/// How an op's outputs may lie in the memory of its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// They do not.
    None,
    /// [`PrepareContext::allow_in_place`]: the output overwrites the input.
    InPlace,
    /// [`PrepareContext::allow_view`]: the output has the input's bytes.
    View,
    /// [`PrepareContext::allow_part_of_input`]: the output is a part of the input.
    PartOfInput,
    /// [`PrepareContext::allow_part_of_output`]: the input becomes a part of the output.
    PartOfOutput,
    /// [`PrepareContext::allow_behind`]: the output begins in front of the input, and overwrites it from its beginning on.
    Behind,
    /// Each of these, for one node or another.
    AnyOf(&'static [Sharing]),
}

impl Sharing {
    pub(crate) const fn flags(self) -> u32 {
        match self {
            Sharing::None => 0,
            Sharing::InPlace => raw::OP_IN_PLACE,
            Sharing::View => raw::OP_VIEW,
            Sharing::PartOfInput => raw::OP_PART_OF_INPUT,
            Sharing::PartOfOutput => raw::OP_PART_OF_OUTPUT,
            Sharing::Behind => raw::OP_BEHIND,
            Sharing::AnyOf(ways) => {
                let (mut flags, mut i) = (0, 0);
                while i < ways.len() {
                    flags |= ways[i].flags();
                    i += 1;
                }
                flags
            }
        }
    }
}

/// One use of an op in a model.
#[derive(Clone, Copy)]
pub struct NodeView<'a> {
    raw: &'a ArNodeV1,
}

impl<'a> NodeView<'a> {
    /// # Safety
    /// The struct and everything it points to is valid for `'a`.
    pub(crate) unsafe fn from_raw(raw: &'a ArNodeV1) -> Self {
        NodeView { raw }
    }

    /// The schema's number of the op; 32 for a custom op.
    pub fn builtin_code(&self) -> i32 {
        self.raw.builtin_code
    }

    /// The custom op's name; empty for a builtin op.
    pub fn custom_name(&self) -> &'a str {
        // SAFETY: valid for `'a`, as promised to `from_raw`.
        unsafe { self.raw.custom_name.as_str() }
    }

    /// The version that the model asks for.
    pub fn version(&self) -> i32 {
        self.raw.version
    }

    /// Position in the execution plan.
    pub fn index(&self) -> usize {
        self.raw.index as usize
    }

    /// Index of the subgraph.
    pub fn subgraph(&self) -> usize {
        self.raw.subgraph as usize
    }

    /// Number of inputs, absent ones included.
    pub fn input_count(&self) -> usize {
        self.raw.input_count
    }

    /// Number of outputs, absent ones included.
    pub fn output_count(&self) -> usize {
        self.raw.output_count
    }

    /// Tensor indices of the inputs, −1 for an absent one.
    pub fn input_indices(&self) -> &'a [i32] {
        // SAFETY: valid for `'a`, as promised to `from_raw`.
        unsafe { raw::slice(self.raw.inputs, self.raw.input_count) }
    }

    /// Tensor indices of the outputs, −1 for an absent one.
    pub fn output_indices(&self) -> &'a [i32] {
        // SAFETY: valid for `'a`, as promised to `from_raw`.
        unsafe { raw::slice(self.raw.outputs, self.raw.output_count) }
    }

    /// Tensor indices of the intermediates, which carry quantization only.
    pub fn intermediate_indices(&self) -> &'a [i32] {
        // SAFETY: valid for `'a`, as promised to `from_raw`.
        unsafe { raw::slice(self.raw.intermediates, self.raw.intermediate_count) }
    }

    /// Input `i`. An error if it is absent. In `prepare` its data is there only if it is constant.
    pub fn input(&self, i: usize) -> Result<TensorView<'a>> {
        self.optional_input(i)?.ok_or_else(|| invalid!("input {i} is absent, this op needs it"))
    }

    /// Input `i`, `None` if it is absent or the node has fewer inputs.
    pub fn optional_input(&self, i: usize) -> Result<Option<TensorView<'a>>> {
        self.tensor(self.input_indices().get(i).copied().unwrap_or(-1))
    }

    /// Description of output `i`: its element type and quantization, and the shape that the model file gives.
    pub fn output(&self, i: usize) -> Result<TensorView<'a>> {
        self.tensor(self.output_indices().get(i).copied().unwrap_or(-1))?
            .ok_or_else(|| invalid!("output {i} is absent, this op needs it"))
    }

    /// Description of intermediate `i`.
    pub fn intermediate(&self, i: usize) -> Result<TensorView<'a>> {
        self.tensor(self.intermediate_indices().get(i).copied().unwrap_or(-1))?
            .ok_or_else(|| invalid!("intermediate {i} is absent, this op needs it"))
    }

    /// Checks the numbers of inputs and outputs, absent ones counted.
    pub fn expect(&self, inputs: RangeInclusive<usize>, outputs: RangeInclusive<usize>) -> Result<()> {
        let (i, o) = (self.input_count(), self.output_count());
        ensure!(
            inputs.contains(&i),
            "it has {i} inputs, this op takes {} to {}",
            inputs.start(),
            inputs.end()
        );
        ensure!(
            outputs.contains(&o),
            "it has {o} outputs, this op gives {} to {}",
            outputs.start(),
            outputs.end()
        );
        Ok(())
    }

    /// The input and the output of an op that has one of each.
    pub fn unary(&self) -> Result<(TensorView<'a>, TensorView<'a>)> {
        self.expect(1..=1, 1..=1)?;
        Ok((self.input(0)?, self.output(0)?))
    }

    /// Both inputs and the output of an op that has two and one.
    pub fn binary(&self) -> Result<(TensorView<'a>, TensorView<'a>, TensorView<'a>)> {
        self.expect(2..=2, 1..=1)?;
        Ok((self.input(0)?, self.input(1)?, self.output(0)?))
    }

    /// The builtin options, which must be table `T`; without options every field has its default.
    #[inline(always)]
    pub fn options<T: OptionsTable>(&self) -> Result<Options<'a, T>> {
        let table = match T::INFO.union {
            Union::BuiltinOptions => &self.raw.options,
            Union::BuiltinOptions2 => &self.raw.options_2,
        };
        // SAFETY: valid for `'a`, as promised to `from_raw`.
        unsafe { Options::from_raw(table) }
    }

    /// The bytes that the converter attached to a custom op, mostly a flexbuffer
    /// (see [`FlexMap`](crate::flexbuffer::FlexMap)).
    pub fn custom_options(&self) -> &'a [u8] {
        // SAFETY: valid for `'a`, as promised to `from_raw`.
        unsafe { self.raw.custom_options.as_slice() }
    }

    /// Description of the tensor with this index; `None` for −1. It has data if it is constant; other data comes from
    /// an [`EvalContext`].
    pub fn tensor(&self, index: i32) -> Result<Option<TensorView<'a>>> {
        if index == -1 {
            return Ok(None);
        }
        // SAFETY: everything the tensor points to is valid for `'a`; nobody writes to constants.
        self.raw_tensor(index)?.map(|raw| unsafe { TensorView::from_raw(raw.described()) }).transpose()
    }

    fn raw_tensor(&self, index: i32) -> Result<Option<ArTensorV1>> {
        let Ok(index) = usize::try_from(index) else { return Ok(None) };
        ensure!(
            index < self.raw.tensor_count,
            "tensor index {index} is out of range, the subgraph has {}",
            self.raw.tensor_count
        );
        // SAFETY: the index is in range; the struct is copied, so that no reference into the host's table remains.
        Ok(Some(unsafe { *raw::strided(self.raw.tensors, self.raw.tensor_stride, index) }))
    }

    fn raw_at(&self, indices: &[i32], i: usize, what: &str) -> Result<ArTensorV1> {
        self.raw_tensor(indices.get(i).copied().unwrap_or(-1))?
            .ok_or_else(|| invalid!("{what} {i} is absent, this op needs it"))
    }
}

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

    /// Says that the shape of an output depends on data: `eval` calls [`EvalContext::resize_output`].
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
    /// [`STATEFUL`](Op::STATEFUL). States are asked for before tables.
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
    /// the bytes with [`EvalContext::copy_or_view`].
    pub fn allow_view(&mut self, output: usize, input: usize) -> Result<()> {
        self.share(output, input, raw::SHARE_VIEW)
    }

    /// Says that `output` has the bytes of `input` from `offset` on: it may lie there for as long as either lives. `eval`
    /// moves the bytes with [`ReadCells::copy_to`], which does nothing then.
    pub fn allow_part_of_input(&mut self, output: usize, input: usize, offset: usize) -> Result<()> {
        self.share_part(output, input, raw::SHARE_PART_OF_INPUT, offset)
    }

    /// Says that the bytes of `input` become those of `output` from `offset` on: the input may be made there, and lie there
    /// for as long as either lives. `eval` moves the bytes with [`ReadCells::copy_to`], which does nothing then.
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

    /// Asks the interpreter's planner to lay out buffers that live within one node: the offset of each record goes to
    /// `offsets`; returned is the total. A delegate uses it for its intermediates, in one scratch buffer.
    pub fn plan(&mut self, records: &[crate::UsageRecord], offsets: &mut [u64]) -> Result<u64> {
        crate::planner::plan_with_host(self.raw, records, offsets)
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
    /// The host keeps the duties that the head of [`raw`] lists: both structs are valid for `'a`; the node's outputs overlap neither each other nor an input for which `prepare`
    /// did not allow it; nobody else touches outputs, scratch, variables and persistent memory during `'a`.
    pub(crate) unsafe fn from_raw(raw: &'a ArEvalV1, node: &'a ArNodeV1) -> Self {
        EvalContext {
            raw,
            // SAFETY: forwarded to the caller.
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

    /// Input `i`, to be read as a slice.
    pub fn input(&self, i: usize) -> Result<TensorView<'a>> {
        let raw = self.node.raw_at(self.node.input_indices(), i, "input")?;
        if raw.flags & raw::TENSOR_VARIABLE != 0 {
            self.handed_out.variables(VariableUse::Read)?;
        }
        if raw.flags & raw::TENSOR_CONSTANT == 0 {
            for o in 0..self.output_count() {
                let Some(output) = self.node.raw_tensor(self.node.output_indices()[o])? else { continue };
                if overlap(&raw, &output) {
                    return Err(internal(format_args!(
                        "input {i} shares memory with output {o}: read it by cells"
                    )));
                }
            }
        }
        // SAFETY: no output and no variable that is handed out overlaps it, as checked.
        unsafe { TensorView::from_raw(raw) }
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
        let raw = self.node.raw_at(self.node.input_indices(), i, "input")?;
        // SAFETY: an output that overlaps it is handed out by `output_cells` only.
        unsafe { ReadCells::from_raw(raw) }
    }

    /// Bytes of input `i`, which may share memory with an output: for ops that only move elements.
    pub fn input_byte_cells(&self, i: usize) -> Result<ReadCells<'a, u8>> {
        let raw = self.node.raw_at(self.node.input_indices(), i, "input")?;
        // SAFETY: as in `input_cells`; any bytes are `u8`.
        Ok(unsafe { ReadCells::bytes_of(raw) })
    }

    /// Output `i`, once per call.
    pub fn output(&self, i: usize) -> Result<TensorViewMut<'a>> {
        let raw = self.node.raw_at(self.node.output_indices(), i, "output")?;
        for (k, &index) in self.node.input_indices().iter().enumerate() {
            let Some(input) = self.node.raw_tensor(index)? else { continue };
            if overlap(&raw, &input) {
                return Err(internal(format_args!(
                    "output {i} shares memory with input {k}: write it by cells"
                )));
            }
        }
        self.handed_out.output(i)?;
        // SAFETY: handed out once; overlaps no input, as checked, and no other output, as promised to `from_raw`.
        unsafe { TensorViewMut::from_raw(raw) }
    }

    /// Elements of output `i`, which may share memory with an input that is read by cells; once per call.
    pub fn output_cells<T: Element>(&self, i: usize) -> Result<&'a [Cell<T>]> {
        let raw = self.node.raw_at(self.node.output_indices(), i, "output")?;
        ensure!(raw.flags & raw::TENSOR_CONSTANT == 0, "output {i} is constant");
        self.handed_out.output(i)?;
        // SAFETY: an input that overlaps it is refused by `input` and read by `input_cells` only.
        unsafe { tensor::cells(raw) }
    }

    /// Bytes of output `i`, which may share memory with an input that is read by cells; once per call.
    pub fn output_byte_cells(&self, i: usize) -> Result<&'a [Cell<u8>]> {
        let raw = self.node.raw_at(self.node.output_indices(), i, "output")?;
        ensure!(raw.flags & raw::TENSOR_CONSTANT == 0, "output {i} is constant");
        self.handed_out.output(i)?;
        // SAFETY: as in `output_cells`; any bytes are `u8`.
        Ok(unsafe { tensor::byte_cells(raw) })
    }

    /// Elements of an input that is a variable, to be read and written. Such inputs are not read as slices in the same
    /// call.
    pub fn variable<T: Element>(&self, i: usize) -> Result<&'a [Cell<T>]> {
        let raw = self.node.raw_at(self.node.input_indices(), i, "input")?;
        ensure!(raw.flags & raw::TENSOR_VARIABLE != 0, "input {i} is no variable, so it cannot be written");
        self.handed_out.variables(VariableUse::Cells)?;
        // SAFETY: variables are read and written through cells during this call.
        unsafe { tensor::cells(raw) }
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
        let from = self.node.raw_at(self.node.input_indices(), input, "input")?;
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

fn lend(lent: &Cell<bool>) -> Result<()> {
    if lent.replace(true) {
        return Err(internal(format_args!("the model was handed out already")));
    }
    Ok(())
}

fn overlap(a: &ArTensorV1, b: &ArTensorV1) -> bool {
    let (a0, b0) = (a.data as u64, b.data as u64);
    a.bytes != 0 && b.bytes != 0 && a0 != 0 && b0 != 0 && a0 < b0 + b.bytes && b0 < a0 + a.bytes
}

/// The registration of `T`.
pub const fn registration<T: Op>() -> raw::ArOpV1 {
    let (builtin_code, custom_name) = match T::CODE {
        OpCode::Builtin(code) => (code, ""),
        OpCode::Custom(name) => (raw::BUILTIN_CUSTOM, name),
    };
    raw::ArOpV1 {
        header: raw::ArHeader::of::<raw::ArOpV1>(),
        builtin_code,
        min_version: *T::VERSIONS.start(),
        max_version: *T::VERSIONS.end(),
        flags: if T::STATEFUL { raw::OP_STATEFUL } else { 0 } | T::SHARING.flags(),
        custom_name: ArStr::new(custom_name),
        element_types: T::TYPES.bits(),
        state_size: size_of::<T>() as u64,
        state_align: align_of::<T>() as u64,
        prepare: crate::shim::prepare::<T>,
        eval: crate::shim::eval::<T>,
        drop: if core::mem::needs_drop::<T>() { Some(crate::shim::drop::<T>) } else { None },
        query: None,
    }
}
