//! The node that an op runs.

use core::ops::RangeInclusive;

use crate::options::Options;
use crate::raw::{self, ArNodeV1, ArTensorV1};
use crate::schema::{OptionsTable, Union};
use crate::tensor::TensorView;
use crate::{Result, ensure, invalid};

/// A node: one use of an op in a model.
#[derive(Clone, Copy)]
pub struct NodeView<'a> {
    raw: &'a ArNodeV1,
}

impl<'a> NodeView<'a> {
    /// Wraps the host's struct.
    ///
    /// # Safety
    /// The struct and everything it points to must be valid for `'a`.
    pub(crate) unsafe fn from_raw(raw: &'a ArNodeV1) -> Self {
        NodeView { raw }
    }

    /// The schema's code of the op; 32 for a custom op.
    pub fn builtin_code(&self) -> i32 {
        self.raw.builtin_code
    }

    /// The custom op's name; empty for a builtin op.
    pub fn custom_name(&self) -> &'a str {
        // SAFETY: `from_raw` requires that the struct and everything it points to is valid for `'a`.
        unsafe { self.raw.custom_name.as_str() }
    }

    /// The version of the op that the model requires.
    pub fn version(&self) -> i32 {
        self.raw.version
    }

    /// Its position in the execution plan.
    pub fn index(&self) -> usize {
        self.raw.index as usize
    }

    /// Index of its subgraph.
    pub fn subgraph(&self) -> usize {
        self.raw.subgraph as usize
    }

    /// The number of inputs, including absent ones.
    pub fn input_count(&self) -> usize {
        self.raw.input_count
    }

    /// The number of outputs, including absent ones.
    pub fn output_count(&self) -> usize {
        self.raw.output_count
    }

    /// Indices of the input tensors; −1 for an absent one.
    #[inline]
    pub fn input_indices(&self) -> &'a [i32] {
        // SAFETY: `from_raw` requires that the struct and everything it points to is valid for `'a`.
        unsafe { raw::slice(self.raw.inputs, self.raw.input_count) }
    }

    /// Indices of the output tensors; −1 for an absent one.
    #[inline]
    pub fn output_indices(&self) -> &'a [i32] {
        // SAFETY: `from_raw` requires that the struct and everything it points to is valid for `'a`.
        unsafe { raw::slice(self.raw.outputs, self.raw.output_count) }
    }

    /// Indices of the intermediate tensors, which only have quantization parameters.
    pub fn intermediate_indices(&self) -> &'a [i32] {
        // SAFETY: `from_raw` requires that the struct and everything it points to is valid for `'a`.
        unsafe { raw::slice(self.raw.intermediates, self.raw.intermediate_count) }
    }

    /// Input `i`. In `prepare` it has data only if it is constant.
    ///
    /// # Errors
    /// The input is absent.
    pub fn input(&self, i: usize) -> Result<TensorView<'a>> {
        self.optional_input(i)?.ok_or_else(|| invalid!("input {i} is absent, this op needs it"))
    }

    /// Input `i`; `None` if it is absent or the node has fewer inputs.
    ///
    /// # Errors
    /// The tensor's description is invalid.
    pub fn optional_input(&self, i: usize) -> Result<Option<TensorView<'a>>> {
        self.tensor(self.input_indices().get(i).copied().unwrap_or(-1))
    }

    /// The description of output `i`: its element type and quantization, and the shape in the model file.
    ///
    /// # Errors
    /// The output is absent.
    pub fn output(&self, i: usize) -> Result<TensorView<'a>> {
        self.tensor(self.output_indices().get(i).copied().unwrap_or(-1))?
            .ok_or_else(|| invalid!("output {i} is absent, this op needs it"))
    }

    /// The description of intermediate tensor `i`.
    ///
    /// # Errors
    /// The tensor is absent.
    pub fn intermediate(&self, i: usize) -> Result<TensorView<'a>> {
        self.tensor(self.intermediate_indices().get(i).copied().unwrap_or(-1))?
            .ok_or_else(|| invalid!("intermediate {i} is absent, this op needs it"))
    }

    /// Checks the numbers of inputs and outputs, including absent ones.
    ///
    /// # Errors
    /// A number is out of range.
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

    /// The input and the output of an op with one of each.
    ///
    /// # Errors
    /// The node has a different number of inputs or outputs, or one is absent.
    pub fn unary(&self) -> Result<(TensorView<'a>, TensorView<'a>)> {
        self.expect(1..=1, 1..=1)?;
        Ok((self.input(0)?, self.output(0)?))
    }

    /// The inputs and the output of an op with two inputs and one output.
    ///
    /// # Errors
    /// The node has a different number of inputs or outputs, or one is absent.
    pub fn binary(&self) -> Result<(TensorView<'a>, TensorView<'a>, TensorView<'a>)> {
        self.expect(2..=2, 1..=1)?;
        Ok((self.input(0)?, self.input(1)?, self.output(0)?))
    }

    /// The builtin options, which must be of table `T`. If the node has no options, every field has its default.
    ///
    /// # Errors
    /// The options are of another table, or malformed.
    #[inline(always)]
    pub fn options<T: OptionsTable>(&self) -> Result<Options<'a, T>> {
        let table = match T::INFO.union {
            Union::BuiltinOptions => &self.raw.options,
            Union::BuiltinOptions2 => &self.raw.options_2,
        };
        // SAFETY: `from_raw` requires that the struct and everything it points to is valid for `'a`.
        unsafe { Options::from_raw(table) }
    }

    /// The options of a custom op as bytes, usually a flexbuffer (see [`FlexMap`](crate::flexbuffer::FlexMap)).
    pub fn custom_options(&self) -> &'a [u8] {
        // SAFETY: `from_raw` requires that the struct and everything it points to is valid for `'a`.
        unsafe { self.raw.custom_options.as_slice() }
    }

    /// The description of the tensor with this index; `None` for −1. It has data only if it is constant; other data is
    /// available from an [`EvalContext`](super::EvalContext).
    ///
    /// # Errors
    /// The index is out of range, or the element type is unknown.
    pub fn tensor(&self, index: i32) -> Result<Option<TensorView<'a>>> {
        if index == -1 {
            return Ok(None);
        }
        let Some(raw) = self.raw_tensor(index)? else { return Ok(None) };
        // SAFETY: shape, name and quantization are valid for `'a`, as `from_raw` requires here. `described` removes the
        // data before any slice of it is made, unless it is constant: then it is valid for `'a` and never written.
        unsafe { TensorView::from_raw(raw) }.map(|view| Some(view.described()))
    }

    /// The entry of tensor `index`; `None` if the index is negative. The host may change the entry, so the reference
    /// must not outlive a callback.
    #[inline]
    fn raw_tensor(&self, index: i32) -> Result<Option<&ArTensorV1>> {
        let Ok(index) = usize::try_from(index) else { return Ok(None) };
        ensure!(
            index < self.raw.tensor_count,
            "tensor index {index} is out of range, the subgraph has {}",
            self.raw.tensor_count
        );
        // SAFETY: the index is in range, checked above, and `from_raw` requires that the array is valid.
        Ok(Some(unsafe { raw::strided(self.raw.tensors, self.raw.tensor_stride, index) }))
    }

    /// Like [`raw_tensor`](Self::raw_tensor), for an input or output that must be present.
    #[inline]
    pub(super) fn raw_at(&self, indices: &[i32], i: usize, what: &str) -> Result<&ArTensorV1> {
        self.raw_tensor(indices.get(i).copied().unwrap_or(-1))?
            .ok_or_else(|| invalid!("{what} {i} is absent, this op needs it"))
    }

    /// Whether input `i` shares memory with `other`.
    pub(super) fn input_overlaps(&self, i: usize, other: &ArTensorV1) -> bool {
        self.input_indices().get(i).is_some_and(|&index| self.overlapping(&[index], other).is_some())
    }

    /// Whether the tensor with this index shares memory with one of `indices`.
    pub(super) fn tensor_overlaps(&self, index: i32, indices: &[i32]) -> bool {
        let raw = self.raw_tensor(index).ok().flatten();
        raw.is_some_and(|raw| self.overlapping(indices, raw).is_some())
    }

    /// The first of `indices` whose tensor shares memory with `other`.
    pub(super) fn overlapping(&self, indices: &[i32], other: &ArTensorV1) -> Option<usize> {
        indices.iter().position(|&index| {
            let index = usize::try_from(index).unwrap_or(usize::MAX);
            // SAFETY: the index is compared with `tensor_count` first, and `from_raw` requires that the array is valid.
            index < self.raw.tensor_count
                && overlap(unsafe { raw::strided(self.raw.tensors, self.raw.tensor_stride, index) }, other)
        })
    }
}

/// Whether both have memory and share some of it. The comparison that decides most cases comes first.
#[inline]
fn overlap(a: &ArTensorV1, b: &ArTensorV1) -> bool {
    let (a0, b0) = (a.data.addr(), b.data.addr());
    let (a1, b1) = (a0.saturating_add(a.bytes as usize), b0.saturating_add(b.bytes as usize));
    a0 < b1 && b0 < a1 && a0 != 0 && b0 != 0 && a0 != a1 && b0 != b1
}
