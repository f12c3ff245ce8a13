//! `Model`: the verified, borrowed view of a `.tflite` file, and accessors that combine several fields.
//! Semantics of buffers, external data and operator codes: tflite/core/interpreter_builder.cc.

use crate::buffers::{buffer_data, file_range};
use crate::external::Groups;
use crate::schema::{
    self, ExternalBuffer, ExternalBufferGroup, Metadata, ModelTable, Operator, OperatorCode, SignatureDef,
    SubGraph, Tables, Tensor, VariantSubType,
};
use crate::types::{packed_bytes, tensor_type};

/// A verified model. Copying it copies a pointer; everything it returns borrows the file's bytes.
///
/// All indices in the file (of tensors, buffers, operator codes and in signatures) were verified when the model was
/// created, so following them cannot fail.
#[derive(Clone, Copy, Debug)]
pub struct Model<'a> {
    pub(crate) root: ModelTable<'a>,
    pub(crate) groups: Groups<'a>,
}

impl<'a> Model<'a> {
    /// The bytes of the whole file.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.root.bytes()
    }

    /// The schema version.
    pub fn version(&self) -> u32 {
        self.root.version()
    }

    /// The description written by the converter.
    pub fn description(&self) -> Option<&'a str> {
        self.root.description()
    }

    /// All subgraphs. There is at least one; the first is the main subgraph.
    pub fn subgraphs(&self) -> Tables<'a, SubGraph<'a>> {
        self.root.subgraphs()
    }

    /// The subgraph with this index.
    pub fn subgraph(&self, index: usize) -> Option<SubGraph<'a>> {
        self.root.subgraphs().get(index)
    }

    /// The ops that the model uses.
    pub fn operator_codes(&self) -> Tables<'a, OperatorCode<'a>> {
        self.root.operator_codes()
    }

    /// The op of an operator; `None` only for an operator of another model.
    pub fn operator_code(&self, operator: &Operator<'a>) -> Option<OperatorCode<'a>> {
        self.root.operator_codes().get(operator.opcode_index() as usize)
    }

    /// Number of buffers.
    pub fn buffer_count(&self) -> usize {
        self.root.buffers().len()
    }

    /// The data of buffer `index`, from inside or after the flatbuffer; empty if it has none. It may be unaligned for
    /// its element type.
    pub fn buffer(&self, index: usize) -> &'a [u8] {
        self.root.buffers().get(index).and_then(|buffer| buffer_data(&buffer, self.bytes())).unwrap_or(&[])
    }

    /// The constant data of a tensor; `None` if the tensor is computed, filled by the caller, or a variable. Empty data
    /// is a constant only if the tensor has no elements. A tensor without elements that is not an input and that no
    /// operator writes is also a constant, even without data.
    pub fn constant(&self, tensor: &Tensor<'a>) -> Option<&'a [u8]> {
        let data = match (tensor.external_buffer(), tensor.buffer() as usize) {
            (0, 0) => return None,
            (0, index) => buffer_data(&self.root.buffers().get(index)?, self.bytes())?,
            // Without `std`, verification has refused constants in other files.
            #[cfg(not(feature = "std"))]
            _ => return None,
            #[cfg(feature = "std")]
            (id, _) => self.groups.bytes(&self.root.external_buffer(id)?.1)?,
        };
        (!data.is_empty() || tensor.shape().iter().any(|dim| dim == 0)).then_some(data)
    }

    /// Other files with constants, in the order of the file.
    pub fn external_buffer_groups(&self) -> Tables<'a, ExternalBufferGroup<'a>> {
        self.root.external_buffer_groups()
    }

    /// The parts of other files that contain constants.
    pub fn external_buffers(&self) -> Tables<'a, ExternalBuffer<'a>> {
        self.root.external_buffers()
    }

    /// The model's signatures. Without the feature `alloc` their names and indices are not verified.
    pub fn signatures(&self) -> Tables<'a, SignatureDef<'a>> {
        self.root.signature_defs()
    }

    /// The first signature with this key.
    pub fn signature(&self, key: &str) -> Option<SignatureDef<'a>> {
        self.root.signature_defs().iter().find(|signature| signature.key() == key)
    }

    /// Names and bytes of the metadata entries.
    pub fn metadata_entries(&self) -> impl Iterator<Item = (&'a str, &'a [u8])> + use<'a> {
        let model = *self;
        let name = |entry: &Metadata<'a>| entry.name().unwrap_or("");
        self.root.metadata().iter().map(move |entry| (name(&entry), model.buffer(entry.buffer() as usize)))
    }

    /// The bytes of the metadata entry with this name.
    pub fn metadata(&self, name: &str) -> Option<&'a [u8]> {
        self.metadata_entries().find(|(found, _)| *found == name).map(|(_, bytes)| bytes)
    }
}

impl OperatorCode<'_> {
    /// The operator code, from whichever of the two fields contains it; 32 is a custom op.
    pub fn builtin_code(&self) -> i32 {
        self.extended_builtin_code().max(i32::from(self.deprecated_builtin_code()))
    }

    /// The schema's name of a builtin op, or the file's name of a custom op.
    pub fn name(&self) -> &str {
        match self.builtin_code() {
            crate::CUSTOM => self.custom_code().unwrap_or("CUSTOM"),
            code => crate::builtin_operator_name(code).unwrap_or("unknown"),
        }
    }
}

impl<'a> Operator<'a> {
    /// The options of a custom op, from inside or after the flatbuffer; empty if it has none.
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

    /// The options of a builtin op, from whichever of the two unions contains them.
    pub fn any_builtin_options(&self) -> Option<schema::RawTable<'a>> {
        self.builtin_options().or_else(|| self.builtin_options_2())
    }

    /// Whether the op writes to input `index`, which then is a variable.
    pub fn mutates_input(&self, index: usize) -> bool {
        self.mutating_variable_inputs().get(index).unwrap_or(false)
    }
}

impl Tensor<'_> {
    /// The number of the element type, see [`tensor_type`].
    pub fn element_type(&self) -> i32 {
        i32::from(self.type_code())
    }

    /// The dimension of per-channel scales. Always 0 for a tensor of one dimension, because older quantizers wrote the
    /// filter's dimension for a bias.
    pub fn quantized_dimension(&self) -> i32 {
        match self.quantization() {
            Some(quantization) if self.shape().len() != 1 => quantization.quantized_dimension(),
            _ => 0,
        }
    }

    /// The number of elements of the shape; `None` for a negative dimension or on overflow.
    pub fn element_count(&self) -> Option<usize> {
        element_count(self.shape().iter())
    }

    /// The bytes of a dense tensor of this type and shape, with sub-byte types packed; `None` if the shape overflows or
    /// the size depends on the contents (strings, resources, variants).
    pub fn byte_size(&self) -> Option<usize> {
        let bits = tensor_type::bits(self.element_type()).filter(|&bits| bits > 0)?;
        packed_bytes(self.element_count()?, bits)
    }
}

impl VariantSubType<'_> {
    /// The number of the element type, see [`tensor_type`].
    pub fn element_type(&self) -> i32 {
        i32::from(self.type_code())
    }
}

/// The product of the dimensions. If one is zero, the product is zero, even if the others would overflow.
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
    /// The key of the signature.
    pub fn key(&self) -> &'a str {
        self.signature_key().unwrap_or("")
    }

    /// The index of the input tensor with this name.
    pub fn input(&self, name: &str) -> Option<usize> {
        tensor_named(self.inputs(), name)
    }

    /// The index of the output tensor with this name.
    pub fn output(&self, name: &str) -> Option<usize> {
        tensor_named(self.outputs(), name)
    }
}

fn tensor_named<'a>(names: Tables<'a, schema::TensorMap<'a>>, name: &str) -> Option<usize> {
    let entry = names.iter().find(|entry| entry.name() == Some(name))?;
    Some(entry.tensor_index() as usize)
}
