//! Writes `.tflite` models for tests, benchmarks and generators: models as plain data, and their encoding.
//!
//! Every field is public, so that a test can build a valid model and then corrupt a single number. Nothing is checked
//! here; [`Model::new`](crate::Model::new) does that.
//!
//! ```
//! use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
//! use arenite_model::{Model, tensor_type::FLOAT32};
//!
//! let mut model = ModelBuilder::new();
//! let weights = model.buffer(bytes_of(&[1.0f32, 2.0, 3.0]));
//! let add = model.builtin("ADD", 1);
//! let cube = model.custom("Cube", 1);
//!
//! let mut graph = SubGraph::new("main");
//! let x = graph.input(Tensor::new("x", FLOAT32, &[1, 3]));
//! let w = graph.tensor(Tensor::new("w", FLOAT32, &[1, 3]).buffer(weights));
//! let y = graph.tensor(Tensor::new("y", FLOAT32, &[1, 3]));
//! let z = graph.output(Tensor::new("z", FLOAT32, &[1, 3]));
//! // AddOptions is table 11 of the union; slot 0 is its fused activation, 1 is RELU.
//! graph.operator(Operator::new(add, &[x, w], &[y]).options(11, |options| options.i8(0, 1)));
//! // The options of a custom op are bytes, mostly of a flexbuffer: `arenite_abi::testing::FlexBuilder` makes them.
//! graph.operator(Operator::new(cube, &[y], &[z]).custom_options([1, 2]));
//! model.subgraph(graph);
//!
//! let bytes = model.finish();
//! let read = Model::new(&bytes)?;
//! assert_eq!(read.subgraph(0).and_then(|graph| graph.tensors().get(1)).and_then(|w| w.name()), Some("w"));
//! # Ok::<(), arenite_model::ModelError>(())
//! ```

mod encode;
mod groups;
mod metadata;
mod sparsity;
mod values;

pub use groups::GroupPart;
pub use metadata::with_metadata;
pub use sparsity::{Level, Sparsity};
pub use values::{Number, Options, Value, bytes_of, bytes_of_strings};

/// A model to write.
#[derive(Clone, Debug, Default)]
pub struct ModelBuilder {
    /// Schema version; [`ModelBuilder::new`] sets 3.
    pub version: u32,
    /// A free-form description.
    pub description: Option<String>,
    /// The ops that operators refer to.
    pub operator_codes: Vec<OperatorCode>,
    /// Subgraphs; the first is the main one. If empty, the field is omitted from the file.
    pub subgraphs: Vec<SubGraph>,
    /// The buffers; [`ModelBuilder::new`] adds an empty one with index 0.
    pub buffers: Vec<Buffer>,
    /// Metadata entries: name and buffer index.
    pub metadata: Vec<(String, u32)>,
    /// The model's signatures.
    pub signatures: Vec<Signature>,
    /// Names of other files with constants.
    pub groups: Vec<String>,
    /// Parts of these files.
    pub parts: Vec<GroupPart>,
}

impl ModelBuilder {
    /// A model of schema version 3 that contains only the empty buffer 0.
    pub fn new() -> Self {
        ModelBuilder { version: 3, buffers: vec![Buffer::None], ..Default::default() }
    }

    /// The index of the builtin op with this schema name (`CONV_2D`); adds it if it is new. A name that is not in the
    /// schema gets the code `PLACEHOLDER_FOR_GREATER_OP_CODES`, 127, which no plugin implements.
    pub fn builtin(&mut self, name: &str, version: i32) -> u32 {
        let code = crate::builtin_operator_code(name).unwrap_or(127);
        self.operator_code(OperatorCode { code, custom: None, version })
    }

    /// The index of the custom op with this name; adds it if it is new.
    pub fn custom(&mut self, name: &str, version: i32) -> u32 {
        let custom = Some(name.to_owned());
        self.operator_code(OperatorCode { code: crate::CUSTOM, custom, version })
    }

    fn operator_code(&mut self, code: OperatorCode) -> u32 {
        let found = self.operator_codes.iter().position(|known| *known == code);
        found.unwrap_or_else(|| add(&mut self.operator_codes, code)) as u32
    }

    /// Adds constant data inside the flatbuffer, aligned to 16 bytes, and returns the buffer's index.
    pub fn buffer(&mut self, data: impl Into<Vec<u8>>) -> u32 {
        add(&mut self.buffers, Buffer::Inline(data.into())) as u32
    }

    /// Adds constant data after the flatbuffer, as in models of more than 2 GiB, and returns the buffer's index.
    pub fn external_buffer(&mut self, data: impl Into<Vec<u8>>) -> u32 {
        add(&mut self.buffers, Buffer::External(data.into())) as u32
    }

    /// Adds a part of another file and returns its id, for [`Tensor::external_buffer`].
    pub fn part(&mut self, group: &str, offset: u64, length: u64) -> u32 {
        let known = self.groups.iter().position(|name| name == group);
        let group = known.unwrap_or_else(|| add(&mut self.groups, group.to_owned())) as u32;
        let id = 1 << 31 | self.parts.len() as u32;
        self.parts.push(GroupPart { id, group, offset, length, packing: None });
        id
    }

    /// Adds a subgraph and returns its index.
    pub fn subgraph(&mut self, graph: SubGraph) -> usize {
        add(&mut self.subgraphs, graph)
    }

    /// Adds a metadata entry.
    pub fn metadata(&mut self, name: &str, data: impl Into<Vec<u8>>) {
        let buffer = self.buffer(data);
        self.metadata.push((name.to_owned(), buffer));
    }

    /// Adds a signature; inputs and outputs are pairs of name and tensor index.
    pub fn signature(&mut self, key: &str, subgraph: u32, inputs: &[(&str, i32)], outputs: &[(&str, i32)]) {
        let owned = |names: &[(&str, i32)]| {
            names.iter().map(|&(name, tensor)| (name.to_owned(), tensor as u32)).collect()
        };
        let (inputs, outputs) = (owned(inputs), owned(outputs));
        self.signatures.push(Signature { key: Some(key.to_owned()), subgraph, inputs, outputs });
    }

    /// Encodes the model.
    pub fn finish(&self) -> Vec<u8> {
        encode::model(self)
    }
}

fn add<T>(list: &mut Vec<T>, entry: T) -> usize {
    list.push(entry);
    list.len() - 1
}

/// An op with its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorCode {
    /// The operator code; 32 is a custom op.
    pub code: i32,
    /// Name of a custom op.
    pub custom: Option<String>,
    /// Version of the op.
    pub version: i32,
}

/// The bytes of a buffer or of custom options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Buffer {
    /// No data.
    #[default]
    None,
    /// Data inside the flatbuffer.
    Inline(Vec<u8>),
    /// Data after the flatbuffer, at the next multiple of 16.
    External(Vec<u8>),
    /// A range of the file, written without any check.
    Range {
        /// Offset of the first byte.
        offset: u64,
        /// Number of bytes.
        size: u64,
    },
}

/// A signature to write.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// Key of the signature.
    pub key: Option<String>,
    /// Index of the subgraph it runs.
    pub subgraph: u32,
    /// Names and tensor indices of the inputs.
    pub inputs: Vec<(String, u32)>,
    /// Names and tensor indices of the outputs.
    pub outputs: Vec<(String, u32)>,
}

/// A subgraph to write.
#[derive(Clone, Debug, Default)]
pub struct SubGraph {
    /// Name of the subgraph.
    pub name: String,
    /// The tensors, referred to by index.
    pub tensors: Vec<Tensor>,
    /// Indices of input tensors.
    pub inputs: Vec<i32>,
    /// Indices of output tensors.
    pub outputs: Vec<i32>,
    /// Operators in execution order.
    pub operators: Vec<Operator>,
}

impl SubGraph {
    /// An empty graph.
    pub fn new(name: &str) -> Self {
        SubGraph { name: name.to_owned(), ..Default::default() }
    }

    /// Adds a tensor and returns its index.
    pub fn tensor(&mut self, tensor: Tensor) -> i32 {
        add(&mut self.tensors, tensor) as i32
    }

    /// Adds a tensor as the next input and returns its index.
    pub fn input(&mut self, tensor: Tensor) -> i32 {
        let index = self.tensor(tensor);
        self.inputs.push(index);
        index
    }

    /// Adds a tensor as the next output and returns its index.
    pub fn output(&mut self, tensor: Tensor) -> i32 {
        let index = self.tensor(tensor);
        self.outputs.push(index);
        index
    }

    /// Adds an operator and returns its index.
    pub fn operator(&mut self, operator: Operator) -> usize {
        add(&mut self.operators, operator)
    }
}

/// A tensor to write.
#[derive(Clone, Debug, Default)]
pub struct Tensor {
    /// Name of the tensor.
    pub name: String,
    /// Number of the element type, see [`tensor_type`](crate::tensor_type).
    pub element_type: i32,
    /// Dimensions, outermost first.
    pub shape: Vec<i32>,
    /// The shape with −1 for unknown dimensions; omitted if empty.
    pub shape_signature: Vec<i32>,
    /// Index of the buffer with its data; 0 for no data.
    pub buffer: u32,
    /// Whether it keeps its value between invocations.
    pub is_variable: bool,
    /// Quantization parameters.
    pub quantization: Option<Quantization>,
    /// Sparsity parameters.
    pub sparsity: Option<Sparsity>,
    /// Id of the part of another file with its data; 0 for none.
    pub external_buffer: u32,
}

impl Tensor {
    /// A tensor without data.
    pub fn new(name: &str, element_type: i32, shape: &[i32]) -> Self {
        Tensor { name: name.to_owned(), element_type, shape: shape.to_vec(), ..Default::default() }
    }

    /// Makes it a constant with the data of this buffer.
    pub fn buffer(mut self, index: u32) -> Self {
        self.buffer = index;
        self
    }

    /// Makes it a constant with the data of this part of another file.
    pub fn part(mut self, id: u32) -> Self {
        self.external_buffer = id;
        self
    }

    /// Makes it a variable.
    pub fn variable(mut self) -> Self {
        self.is_variable = true;
        self
    }

    /// Sets the shape with −1 for unknown dimensions.
    pub fn shape_signature(mut self, dims: &[i32]) -> Self {
        self.shape_signature = dims.to_vec();
        self
    }

    /// Quantizes the tensor with one scale and zero point.
    pub fn quantized(self, scale: f32, zero_point: i64) -> Self {
        self.per_channel(&[scale], &[zero_point], 0)
    }

    /// Quantizes the tensor with one scale and zero point per slice of `dimension`.
    pub fn per_channel(mut self, scale: &[f32], zero_point: &[i64], dimension: i32) -> Self {
        self.quantization = Some(Quantization {
            scale: scale.to_vec(),
            zero_point: zero_point.to_vec(),
            quantized_dimension: dimension,
            blockwise: None,
        });
        self
    }

    /// Quantizes the tensor with scales per block of `dimension`, stored in other tensors; `zero_points` is −1 if all
    /// are zero.
    pub fn blockwise(mut self, scales: i32, zero_points: i32, block_size: i32, dimension: i32) -> Self {
        let blockwise = Some(Blockwise { scales, zero_points, block_size });
        let quantized_dimension = dimension;
        self.quantization = Some(Quantization { blockwise, quantized_dimension, ..Default::default() });
        self
    }

    /// Makes the tensor sparse.
    pub fn sparse(mut self, sparsity: Sparsity) -> Self {
        self.sparsity = Some(sparsity);
        self
    }
}

/// Quantization parameters to write.
#[derive(Clone, Debug, Default)]
pub struct Quantization {
    /// One scale, or one per slice.
    pub scale: Vec<f32>,
    /// One zero point per scale.
    pub zero_point: Vec<i64>,
    /// The dimension of the scales.
    pub quantized_dimension: i32,
    /// If present, scales in other tensors are used instead.
    pub blockwise: Option<Blockwise>,
}

/// Scales per block, stored in other tensors.
#[derive(Clone, Copy, Debug)]
pub struct Blockwise {
    /// Index of the tensor with the scales.
    pub scales: i32,
    /// Index of the tensor with the zero points, or −1.
    pub zero_points: i32,
    /// Number of elements per block.
    pub block_size: i32,
}

/// An operator to write.
#[derive(Clone, Debug, Default)]
pub struct Operator {
    /// Index of the op, from [`ModelBuilder::builtin`] or [`ModelBuilder::custom`].
    pub opcode_index: u32,
    /// Tensor indices; −1 for an absent input.
    pub inputs: Vec<i32>,
    /// Indices of output tensors.
    pub outputs: Vec<i32>,
    /// Indices of internal tensors; omitted if empty.
    pub intermediates: Vec<i32>,
    /// Whether each input is written to; omitted if empty.
    pub mutating_variable_inputs: Vec<bool>,
    /// Union tag and options of a builtin op.
    pub options: Option<(u8, Options)>,
    /// Union tag and options in the second union.
    pub options_2: Option<(u8, Options)>,
    /// Options of a custom op.
    pub custom_options: Buffer,
}

impl Operator {
    /// An operator without options.
    pub fn new(opcode_index: u32, inputs: &[i32], outputs: &[i32]) -> Self {
        Operator { opcode_index, inputs: inputs.to_vec(), outputs: outputs.to_vec(), ..Default::default() }
    }

    /// Adds the options table with this tag of the first union.
    pub fn options(mut self, tag: u8, fill: impl FnOnce(Options) -> Options) -> Self {
        self.options = Some((tag, fill(Options::default())));
        self
    }

    /// Adds the options table with this tag of the second union.
    pub fn options_2(mut self, tag: u8, fill: impl FnOnce(Options) -> Options) -> Self {
        self.options_2 = Some((tag, fill(Options::default())));
        self
    }

    /// Sets a custom op's options, stored inside the flatbuffer.
    pub fn custom_options(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.custom_options = Buffer::Inline(bytes.into());
        self
    }

    /// Sets the internal tensors.
    pub fn intermediates(mut self, tensors: &[i32]) -> Self {
        self.intermediates = tensors.to_vec();
        self
    }
}
