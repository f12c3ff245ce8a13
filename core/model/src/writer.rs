//! Writes `.tflite` models, for tests, benches and generators: models as plain data, and a way to encode them.
//!
//! Everything is a public field, so that a test can first build a sound model and then spoil one number.
//! Nothing is checked: whatever is written here, [`Model::new`](crate::Model::new) judges.
//!
//! ```
//! use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
//! use arenite_model::{Model, tensor_type::FLOAT32};
//!
//! let mut model = ModelBuilder::new();
//! let weights = model.buffer(bytes_of(&[1.0f32, 2.0, 3.0]));
//! let add = model.builtin("ADD", 1);
//!
//! let mut graph = SubGraph::new("main");
//! let x = graph.input(Tensor::new("x", FLOAT32, &[1, 3]));
//! let w = graph.tensor(Tensor::new("w", FLOAT32, &[1, 3]).buffer(weights));
//! let y = graph.output(Tensor::new("y", FLOAT32, &[1, 3]));
//! // AddOptions is table 11 of the union; slot 0 is its fused activation, 1 is RELU.
//! graph.operator(Operator::new(add, &[x, w], &[y]).options(11, |options| options.i8(0, 1)));
//! model.subgraph(graph);
//!
//! let bytes = model.finish();
//! let read = Model::new(&bytes)?;
//! assert_eq!(read.subgraph(0).and_then(|graph| graph.tensors().get(1)).and_then(|w| w.name()), Some("w"));
//! # Ok::<(), arenite_model::ModelError>(())
//! ```

mod encode;
mod metadata;
mod values;

pub use metadata::with_metadata;
pub use values::{Number, Options, Value, bytes_of, bytes_of_strings};

/// A model to be written.
#[derive(Clone, Debug, Default)]
pub struct ModelBuilder {
    /// Schema version; [`ModelBuilder::new`] sets 3.
    pub version: u32,
    /// Free text.
    pub description: Option<String>,
    /// The ops in use.
    pub operator_codes: Vec<OperatorCode>,
    /// Subgraphs; the first is the main one. An empty list is left out of the file.
    pub subgraphs: Vec<SubGraph>,
    /// Buffers; [`ModelBuilder::new`] adds the empty one with index 0.
    pub buffers: Vec<Buffer>,
    /// Names and buffer indices.
    pub metadata: Vec<(String, u32)>,
    /// Named entry points.
    pub signatures: Vec<Signature>,
}

impl ModelBuilder {
    /// A model of schema version 3 with nothing but the empty buffer 0.
    pub fn new() -> Self {
        ModelBuilder { version: 3, buffers: vec![Buffer::None], ..Default::default() }
    }

    /// Index of the builtin op with this schema name (`CONV_2D`), added if it is new. A name that the schema
    /// lacks gives the code of `PLACEHOLDER_FOR_GREATER_OP_CODES`, 127, which nothing implements.
    pub fn builtin(&mut self, name: &str, version: i32) -> u32 {
        let code = crate::builtin_operator_code(name).unwrap_or(127);
        self.operator_code(OperatorCode { code, custom: None, version })
    }

    /// Index of the custom op with this name, added if it is new.
    pub fn custom(&mut self, name: &str, version: i32) -> u32 {
        let custom = Some(name.to_owned());
        self.operator_code(OperatorCode { code: crate::CUSTOM, custom, version })
    }

    fn operator_code(&mut self, code: OperatorCode) -> u32 {
        let found = self.operator_codes.iter().position(|known| *known == code);
        found.unwrap_or_else(|| add(&mut self.operator_codes, code)) as u32
    }

    /// Adds constant data inside the flatbuffer, aligned to 16 bytes; gives the buffer's index.
    pub fn buffer(&mut self, data: impl Into<Vec<u8>>) -> u32 {
        add(&mut self.buffers, Buffer::Inline(data.into())) as u32
    }

    /// Adds constant data behind the flatbuffer, as in models of more than 2 GiB; gives the buffer's index.
    pub fn external_buffer(&mut self, data: impl Into<Vec<u8>>) -> u32 {
        add(&mut self.buffers, Buffer::External(data.into())) as u32
    }

    /// Adds a subgraph; gives its index.
    pub fn subgraph(&mut self, graph: SubGraph) -> usize {
        add(&mut self.subgraphs, graph)
    }

    /// Adds a named buffer.
    pub fn metadata(&mut self, name: &str, data: impl Into<Vec<u8>>) {
        let buffer = self.buffer(data);
        self.metadata.push((name.to_owned(), buffer));
    }

    /// Adds an entry point; names are (name, tensor index).
    pub fn signature(&mut self, key: &str, subgraph: u32, inputs: &[(&str, i32)], outputs: &[(&str, i32)]) {
        let owned = |names: &[(&str, i32)]| {
            names.iter().map(|&(name, tensor)| (name.to_owned(), tensor as u32)).collect()
        };
        let (inputs, outputs) = (owned(inputs), owned(outputs));
        self.signatures.push(Signature { key: Some(key.to_owned()), subgraph, inputs, outputs });
    }

    /// The file's bytes.
    pub fn finish(&self) -> Vec<u8> {
        encode::model(self)
    }
}

fn add<T>(list: &mut Vec<T>, entry: T) -> usize {
    list.push(entry);
    list.len() - 1
}

/// An op in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorCode {
    /// Operator code; 32 is a custom op.
    pub code: i32,
    /// Name of a custom op.
    pub custom: Option<String>,
    /// Version of the op.
    pub version: i32,
}

/// Bytes of a buffer or of custom options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Buffer {
    /// No data.
    #[default]
    None,
    /// Inside the flatbuffer.
    Inline(Vec<u8>),
    /// Behind the flatbuffer, at the next multiple of 16.
    External(Vec<u8>),
    /// A reference as it stands, whatever is there.
    Range {
        /// First byte.
        offset: u64,
        /// Bytes.
        size: u64,
    },
}

/// A named entry point.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// Its name.
    pub key: Option<String>,
    /// The subgraph it runs.
    pub subgraph: u32,
    /// Names and tensor indices.
    pub inputs: Vec<(String, u32)>,
    /// Names and tensor indices.
    pub outputs: Vec<(String, u32)>,
}

/// A graph to be written.
#[derive(Clone, Debug, Default)]
pub struct SubGraph {
    /// Free text.
    pub name: String,
    /// Tensors.
    pub tensors: Vec<Tensor>,
    /// Tensor indices.
    pub inputs: Vec<i32>,
    /// Tensor indices.
    pub outputs: Vec<i32>,
    /// Operators in execution order.
    pub operators: Vec<Operator>,
}

impl SubGraph {
    /// An empty graph.
    pub fn new(name: &str) -> Self {
        SubGraph { name: name.to_owned(), ..Default::default() }
    }

    /// Adds a tensor; gives its index.
    pub fn tensor(&mut self, tensor: Tensor) -> i32 {
        add(&mut self.tensors, tensor) as i32
    }

    /// Adds a tensor and makes it the next input; gives its index.
    pub fn input(&mut self, tensor: Tensor) -> i32 {
        let index = self.tensor(tensor);
        self.inputs.push(index);
        index
    }

    /// Adds a tensor and makes it the next output; gives its index.
    pub fn output(&mut self, tensor: Tensor) -> i32 {
        let index = self.tensor(tensor);
        self.outputs.push(index);
        index
    }

    /// Adds an operator; gives its index.
    pub fn operator(&mut self, operator: Operator) -> usize {
        add(&mut self.operators, operator)
    }
}

/// A tensor to be written.
#[derive(Clone, Debug, Default)]
pub struct Tensor {
    /// Free text.
    pub name: String,
    /// Number of the element type, see [`tensor_type`](crate::tensor_type).
    pub element_type: i32,
    /// Dimensions, outermost first.
    pub shape: Vec<i32>,
    /// The shape with -1 for unknown dimensions; empty: left out.
    pub shape_signature: Vec<i32>,
    /// Index of the buffer with its data; 0: none.
    pub buffer: u32,
    /// Whether it keeps its value between invocations.
    pub is_variable: bool,
    /// Scale and zero point.
    pub quantization: Option<Quantization>,
    /// How non-zero elements are stored.
    pub sparsity: Option<Sparsity>,
    /// Entry of the external buffers; 0: none.
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

    /// Makes it a variable.
    pub fn variable(mut self) -> Self {
        self.is_variable = true;
        self
    }

    /// Marks dimensions as unknown with -1.
    pub fn shape_signature(mut self, dims: &[i32]) -> Self {
        self.shape_signature = dims.to_vec();
        self
    }

    /// One scale and zero point.
    pub fn quantized(self, scale: f32, zero_point: i64) -> Self {
        self.per_channel(&[scale], &[zero_point], 0)
    }

    /// Scales and zero points per slice of `dimension`.
    pub fn per_channel(mut self, scale: &[f32], zero_point: &[i64], dimension: i32) -> Self {
        self.quantization = Some(Quantization {
            scale: scale.to_vec(),
            zero_point: zero_point.to_vec(),
            quantized_dimension: dimension,
            blockwise: None,
        });
        self
    }

    /// Scales per block of `dimension`, in other tensors; `zero_points` is -1 if all are zero.
    pub fn blockwise(mut self, scales: i32, zero_points: i32, block_size: i32, dimension: i32) -> Self {
        let blockwise = Some(Blockwise { scales, zero_points, block_size });
        let quantized_dimension = dimension;
        self.quantization = Some(Quantization { blockwise, quantized_dimension, ..Default::default() });
        self
    }

    /// Stores only some elements.
    pub fn sparse(mut self, sparsity: Sparsity) -> Self {
        self.sparsity = Some(sparsity);
        self
    }
}

/// Quantization parameters to be written.
#[derive(Clone, Debug, Default)]
pub struct Quantization {
    /// One scale, or one per slice.
    pub scale: Vec<f32>,
    /// One zero point per scale.
    pub zero_point: Vec<i64>,
    /// The dimension that the scales belong to.
    pub quantized_dimension: i32,
    /// Scales in other tensors, instead.
    pub blockwise: Option<Blockwise>,
}

/// Scales per block, in other tensors.
#[derive(Clone, Copy, Debug)]
pub struct Blockwise {
    /// Tensor index.
    pub scales: i32,
    /// Tensor index, or -1.
    pub zero_points: i32,
    /// Elements per block.
    pub block_size: i32,
}

/// Sparsity parameters to be written.
#[derive(Clone, Debug, Default)]
pub struct Sparsity {
    /// Dimensions in storage order, block dimensions last.
    pub traversal_order: Vec<i32>,
    /// Which dimension each block dimension divides.
    pub block_map: Vec<i32>,
    /// One per entry of the order.
    pub levels: Vec<Level>,
}

/// One level of a sparse tensor.
#[derive(Clone, Debug)]
pub enum Level {
    /// All of this many entries.
    Dense(i32),
    /// Only the entries at `indices`; `segments` says where each parent's begin.
    Sparse {
        /// One per parent and one more.
        segments: Vec<i32>,
        /// Positions of the entries.
        indices: Vec<i32>,
    },
}

/// An operator to be written.
#[derive(Clone, Debug, Default)]
pub struct Operator {
    /// Index of the op, from [`ModelBuilder::builtin`] or [`ModelBuilder::custom`].
    pub opcode_index: u32,
    /// Tensor indices; -1: absent.
    pub inputs: Vec<i32>,
    /// Tensor indices.
    pub outputs: Vec<i32>,
    /// Tensor indices; empty: left out.
    pub intermediates: Vec<i32>,
    /// Which inputs are written to; empty: left out.
    pub mutating_variable_inputs: Vec<bool>,
    /// Union tag and table of a builtin op.
    pub options: Option<(u8, Options)>,
    /// The same in the second union.
    pub options_2: Option<(u8, Options)>,
    /// Attributes of a custom op.
    pub custom_options: Buffer,
}

impl Operator {
    /// An operator without attributes.
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

    /// Adds a custom op's attributes, inside the flatbuffer.
    pub fn custom_options(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.custom_options = Buffer::Inline(bytes.into());
        self
    }

    /// Adds internal tensors.
    pub fn intermediates(mut self, tensors: &[i32]) -> Self {
        self.intermediates = tensors.to_vec();
        self
    }
}
