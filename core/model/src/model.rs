//! `Model`: the verified, borrowed view of a `.tflite` file, and what its tables answer beyond their fields.
//! Semantics of buffers, external data and operator codes: tflite/core/interpreter_builder.cc.

use crate::error::ModelError;
use crate::schema::{
    self, Buffer, Metadata, ModelTable, Operator, OperatorCode, SignatureDef, SubGraph, Tables, Tensor,
    VariantSubType,
};
use crate::types::{packed_bytes, tensor_type};
use crate::verify;

/// A verified model. Copying it copies a pointer; everything it returns borrows the file's bytes.
///
/// Indices that come from the file itself (tensor indices of operators, buffer indices, operator code
/// indices, signatures) were checked when the model was made: following them cannot fail.
#[derive(Clone, Copy, Debug)]
pub struct Model<'a>(pub(crate) ModelTable<'a>);

impl<'a> Model<'a> {
    /// Verifies all of `bytes` and borrows it.
    ///
    /// Allocates one vector of 4 bytes per tensor of the largest subgraph while it verifies, none after.
    ///
    /// # Errors
    /// A [`ModelError`] that names the first field found wrong.
    #[cfg(feature = "alloc")]
    pub fn new(bytes: &'a [u8]) -> Result<Self, ModelError> {
        let root = verify::structure(bytes)?;
        let mut scratch = alloc::vec![0u32; verify::scratch_len(root)];
        verify::semantics(root, &mut scratch)?;
        Ok(Model(root))
    }

    /// The same without a heap: `scratch` holds one entry per tensor of the largest subgraph (and per name of
    /// the longest signature, if that is more) during the call.
    ///
    /// # Errors
    /// As [`Model::new`], and [`ModelError::ScratchTooSmall`] with the number of entries needed.
    pub fn new_in(bytes: &'a [u8], scratch: &mut [u32]) -> Result<Self, ModelError> {
        let root = verify::structure(bytes)?;
        let (given, needed) = (scratch.len(), verify::scratch_len(root));
        let scratch = scratch.get_mut(..needed).ok_or(ModelError::ScratchTooSmall { given, needed })?;
        verify::semantics(root, scratch)?;
        Ok(Model(root))
    }

    /// The whole file.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.0.bytes()
    }

    /// Schema version.
    pub fn version(&self) -> u32 {
        self.0.version()
    }

    /// Free text that the converter left.
    pub fn description(&self) -> Option<&'a str> {
        self.0.description()
    }

    /// All subgraphs, at least one; the first is the main one.
    pub fn subgraphs(&self) -> Tables<'a, SubGraph<'a>> {
        self.0.subgraphs()
    }

    /// Subgraph `index`.
    pub fn subgraph(&self, index: usize) -> Option<SubGraph<'a>> {
        self.0.subgraphs().get(index)
    }

    /// The ops that the model uses.
    pub fn operator_codes(&self) -> Tables<'a, OperatorCode<'a>> {
        self.0.operator_codes()
    }

    /// The op that an operator runs; `None` only for an operator of another model.
    pub fn operator_code(&self, operator: &Operator<'a>) -> Option<OperatorCode<'a>> {
        self.0.operator_codes().get(operator.opcode_index() as usize)
    }

    /// Number of buffers.
    pub fn buffer_count(&self) -> usize {
        self.0.buffers().len()
    }

    /// Data of buffer `index`, from inside the flatbuffer or from behind it; empty if there is none.
    /// Not necessarily aligned for its element type.
    pub fn buffer(&self, index: usize) -> &'a [u8] {
        self.0.buffers().get(index).and_then(|buffer| buffer_data(&buffer, self.bytes())).unwrap_or(&[])
    }

    /// Constant data of a tensor; `None` if the tensor is computed, filled by the caller, or a variable.
    /// Empty data is constant only when the tensor has no elements. A tensor without elements that no operator
    /// writes and that is no input may be read too: it is a constant, though it has no data at all.
    pub fn constant(&self, tensor: &Tensor<'a>) -> Option<&'a [u8]> {
        constant(self.0, tensor)
    }

    /// Named entry points.
    pub fn signatures(&self) -> Tables<'a, SignatureDef<'a>> {
        self.0.signature_defs()
    }

    /// The entry point with this key.
    pub fn signature(&self, key: &str) -> Option<SignatureDef<'a>> {
        self.0.signature_defs().iter().find(|signature| signature.key() == key)
    }

    /// Names and bytes of the metadata.
    pub fn metadata_entries(&self) -> impl Iterator<Item = (&'a str, &'a [u8])> + use<'a> {
        let model = *self;
        let name = |entry: &Metadata<'a>| entry.name().unwrap_or("");
        self.0.metadata().iter().map(move |entry| (name(&entry), model.buffer(entry.buffer() as usize)))
    }

    /// Bytes of the metadata with this name.
    pub fn metadata(&self, name: &str) -> Option<&'a [u8]> {
        self.metadata_entries().find(|(found, _)| *found == name).map(|(_, bytes)| bytes)
    }
}

/// Constant data of a tensor in a model whose buffer ranges may not have been verified yet.
pub(crate) fn constant<'a>(root: ModelTable<'a>, tensor: &Tensor<'a>) -> Option<&'a [u8]> {
    let index = tensor.buffer() as usize;
    if index == 0 {
        return None;
    }
    let data = buffer_data(&root.buffers().get(index)?, root.bytes())?;
    (!data.is_empty() || tensor.shape().iter().any(|dim| dim == 0)).then_some(data)
}

/// A buffer's data, if it has any; `None` also for a range outside the file.
pub(crate) fn buffer_data<'a>(buffer: &Buffer<'a>, file: &'a [u8]) -> Option<&'a [u8]> {
    match buffer.data() {
        Some(data) if !data.is_empty() => Some(data),
        inline if buffer.offset() <= 1 => inline,
        _ => file_range(file, buffer.offset(), buffer.size()),
    }
}

/// `size` bytes at `offset`, if they lie in the file.
pub(crate) fn file_range(file: &[u8], offset: u64, size: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    file.get(start..end)
}

impl OperatorCode<'_> {
    /// The operator code, whichever of the two fields holds it; 32 is a custom op.
    pub fn builtin_code(&self) -> i32 {
        self.extended_builtin_code().max(i32::from(self.deprecated_builtin_code()))
    }

    /// The schema's name of a builtin op, the name in the file of a custom one.
    pub fn name(&self) -> &str {
        match self.builtin_code() {
            crate::CUSTOM => self.custom_code().unwrap_or("CUSTOM"),
            code => crate::builtin_operator_name(code).unwrap_or("unknown"),
        }
    }
}

impl<'a> Operator<'a> {
    /// Attributes of a custom op, from inside the flatbuffer or from behind it; empty if there are none.
    pub fn custom_options(&self) -> &'a [u8] {
        match self.inline_custom_options() {
            Some(options) => options,
            None if self.large_custom_options_offset() > 1 => {
                let (offset, size) = (self.large_custom_options_offset(), self.large_custom_options_size());
                file_range(self.file(), offset, size).unwrap_or(&[])
            }
            None => &[],
        }
    }

    /// Attributes of a builtin op, from whichever of the two unions holds them.
    pub fn any_builtin_options(&self) -> Option<schema::RawTable<'a>> {
        self.builtin_options().or_else(|| self.builtin_options_2())
    }

    /// Whether the op writes to input `index`, which then is a variable.
    pub fn mutates_input(&self, index: usize) -> bool {
        self.mutating_variable_inputs().get(index).unwrap_or(false)
    }
}

impl Tensor<'_> {
    /// Number of the element type, see [`tensor_type`].
    pub fn element_type(&self) -> i32 {
        i32::from(self.type_code())
    }

    /// The dimension that per-channel scales belong to; 0 for a tensor of one dimension, whatever the file
    /// says: older quantizers give a bias its filter's dimension.
    pub fn quantized_dimension(&self) -> i32 {
        match self.quantization() {
            Some(quantization) if self.shape().len() != 1 => quantization.quantized_dimension(),
            _ => 0,
        }
    }

    /// Number of elements that the shape spans; `None` on a negative dimension or overflow.
    pub fn element_count(&self) -> Option<usize> {
        element_count(self.shape().iter())
    }

    /// Bytes that a dense tensor of this type and shape takes, sub-byte types packed; `None` if the shape
    /// overflows or the size depends on the contents (strings, resources, variants).
    pub fn byte_size(&self) -> Option<usize> {
        let bits = tensor_type::bits(self.element_type()).filter(|&bits| bits > 0)?;
        packed_bytes(self.element_count()?, bits)
    }
}

impl VariantSubType<'_> {
    /// Number of the element type, see [`tensor_type`].
    pub fn element_type(&self) -> i32 {
        i32::from(self.type_code())
    }
}

/// Product of dimensions; a zero anywhere makes it zero even where the others would overflow.
pub(crate) fn element_count(dims: impl Iterator<Item = i32>) -> Option<usize> {
    let mut product = Some(1usize);
    let mut empty = false;
    for dim in dims {
        let dim = usize::try_from(dim).ok()?;
        empty |= dim == 0;
        product = product.and_then(|so_far| so_far.checked_mul(dim.max(1)));
    }
    if empty { Some(0) } else { product }
}

impl<'a> SignatureDef<'a> {
    /// Name of the entry point.
    pub fn key(&self) -> &'a str {
        self.signature_key().unwrap_or("")
    }

    /// Tensor index of the input with this name.
    pub fn input(&self, name: &str) -> Option<usize> {
        tensor_named(self.inputs(), name)
    }

    /// Tensor index of the output with this name.
    pub fn output(&self, name: &str) -> Option<usize> {
        tensor_named(self.outputs(), name)
    }
}

fn tensor_named<'a>(names: Tables<'a, schema::TensorMap<'a>>, name: &str) -> Option<usize> {
    let entry = names.iter().find(|entry| entry.name() == Some(name))?;
    Some(entry.tensor_index() as usize)
}
