//! Malformed models, class by class: each is a valid model with one defect, and is rejected with an error that names
//! the field.

use arenite_model::tensor_type::{FLOAT32, INT4, INT8, STRING, UINT8};
use arenite_model::writer::{
    Buffer, Level, ModelBuilder, Operator, Sparsity, SubGraph, Tensor, bytes_of, bytes_of_strings,
};
use arenite_model::{Model, ModelError};

/// Tag of `AddOptions`, slot of its activation, and the number of RELU.
const ADD_OPTIONS: u8 = 11;
const ACTIVATION: u16 = 0;
const RELU: i8 = 1;

/// `x + w -> sum -> RELU -> y`, with a string constant `s`, a sparse constant `p` and a variable `v`.
fn sound() -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let (add, relu) = (model.builtin("ADD", 1), model.builtin("RELU", 1));
    let weights = model.buffer([1u8, 2, 3, 4]);
    let words = model.buffer(bytes_of_strings(&["one", "three"]));
    let stored = model.buffer(bytes_of(&[7.0f32, 8.0]));
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", INT8, &[1, 4]).quantized(0.5, -3));
    let w = graph.tensor(Tensor::new("w", INT8, &[1, 4]).per_channel(&[0.1; 4], &[0; 4], 1).buffer(weights));
    let sum = graph.tensor(Tensor::new("sum", INT8, &[1, 4]).shape_signature(&[-1, 4]));
    let y = graph.output(Tensor::new("y", INT8, &[1, 4]));
    graph.tensor(Tensor::new("s", STRING, &[2]).buffer(words));
    graph.tensor(Tensor::new("p", FLOAT32, &[2, 2]).buffer(stored).sparse(Sparsity {
        traversal_order: vec![0, 1],
        block_map: vec![],
        levels: vec![Level::Dense(2), Level::Sparse { segments: vec![0, 1, 2], indices: vec![1, 0] }],
    }));
    graph.tensor(Tensor::new("v", FLOAT32, &[3]).variable());
    graph.operator(
        Operator::new(add, &[x, w], &[sum]).options(ADD_OPTIONS, |options| options.i8(ACTIVATION, RELU)),
    );
    graph.operator(Operator::new(relu, &[sum, -1], &[y]));
    model.subgraph(graph);
    model.signature("serving_default", 0, &[("a", x)], &[("b", y)]);
    model.metadata("min_runtime_version", *b"1.14.0");
    model
}

#[test]
fn the_sound_model_is_accepted() {
    let bytes = sound().finish();
    Model::new(&bytes).expect("the model is valid");
}

type Spoil = fn(&mut ModelBuilder);

/// Checks that each corrupted model is rejected with exactly its message.
fn check(cases: &[(Spoil, &str)]) {
    for (spoil, message) in cases {
        let mut model = sound();
        spoil(&mut model);
        let bytes = model.finish();
        match Model::new(&bytes) {
            Ok(_) => panic!("accepted, instead of: {message}"),
            Err(error) => {
                let file = format!("the file of {} bytes", bytes.len());
                assert_eq!(error.to_string().replace(&file, "the file of N bytes"), *message);
            }
        }
    }
}

#[test]
fn d1_no_subgraphs() {
    check(&[(|m| m.subgraphs.clear(), "subgraphs: absent or empty")]);
}

#[test]
fn d2_d20_buffers() {
    check(&[
        (
            |m| m.buffers[1] = Buffer::Range { offset: u64::MAX - 63, size: 216 },
            "buffers[1]: 216 bytes at offset 18446744073709551552 exceed the file of N bytes",
        ),
        (
            |m| m.buffers[1] = Buffer::Range { offset: 16, size: 1 << 40 },
            "buffers[1]: 1099511627776 bytes at offset 16 exceed the file of N bytes",
        ),
        (
            |m| m.subgraphs[0].tensors[1].buffer = 9999,
            "subgraphs[0].tensors[1].buffer: buffer index 9999, model has 5 buffers",
        ),
        (
            |m| m.buffers[1] = Buffer::Inline(vec![1, 2, 3]),
            "subgraphs[0].tensors[1].buffer: the buffer has 3 bytes, type and shape need 4",
        ),
        (
            |m| {
                m.subgraphs[0].tensors[1].element_type = INT4;
                m.buffers[1] = Buffer::Inline(vec![1]);
            },
            "subgraphs[0].tensors[1].buffer: the buffer has 1 bytes, type and shape need 2",
        ),
        (|m| m.metadata[0].1 = 9999, "metadata[0].buffer: buffer index 9999, model has 5 buffers"),
        (
            |m| m.subgraphs[0].tensors[1].external_buffer = 1,
            "subgraphs[0].tensors[1].external_buffer: is 1, must be the id of an external buffer",
        ),
        (
            |m| m.subgraphs[0].tensors[1].is_variable = true,
            "subgraphs[0].tensors[1].is_variable: a variable with constant data is not supported",
        ),
    ]);
}

#[test]
fn d3_custom_options_beyond_the_file() {
    check(&[(
        |m| m.subgraphs[0].operators[1].custom_options = Buffer::Range { offset: u64::MAX, size: 2 },
        "subgraphs[0].operators[1].large_custom_options_offset: 2 bytes at offset 18446744073709551615 \
         exceed the file of N bytes",
    )]);
}

#[test]
fn d5_indices_of_tensors_ops_and_codes() {
    check(&[
        (
            |m| m.subgraphs[0].outputs[0] = -1,
            "subgraphs[0].outputs[0]: tensor index -1, subgraph has 7 tensors",
        ),
        (
            |m| m.subgraphs[0].inputs[0] = -1,
            "subgraphs[0].inputs[0]: tensor index -1, subgraph has 7 tensors",
        ),
        (
            |m| m.subgraphs[0].inputs[0] = i32::MAX,
            "subgraphs[0].inputs[0]: tensor index 2147483647, subgraph has 7 tensors",
        ),
        (
            |m| m.subgraphs[0].operators[0].inputs[1] = 99,
            "subgraphs[0].operators[0].inputs[1]: tensor index 99, subgraph has 7 tensors",
        ),
        (
            |m| m.subgraphs[0].operators[0].inputs[1] = -2,
            "subgraphs[0].operators[0].inputs[1]: tensor index -2, subgraph has 7 tensors",
        ),
        (
            |m| m.subgraphs[0].operators[1].outputs[0] = -2,
            "subgraphs[0].operators[1].outputs[0]: tensor index -2, subgraph has 7 tensors",
        ),
        (
            |m| m.subgraphs[0].operators[1].intermediates = vec![-1, 7],
            "subgraphs[0].operators[1].intermediates[1]: tensor index 7, subgraph has 7 tensors",
        ),
        (
            |m| m.subgraphs[0].operators[1].opcode_index = 1 << 31,
            "subgraphs[0].operators[1].opcode_index: operator code index 2147483648, model has 2 operator codes",
        ),
        (
            |m| m.subgraphs[0].operators[1].mutating_variable_inputs = vec![true],
            "subgraphs[0].operators[1].mutating_variable_inputs: has 1 entries, must have 2 (one per input)",
        ),
        (
            |m| {
                m.operator_codes[0] =
                    arenite_model::writer::OperatorCode { code: 32, custom: None, version: 1 }
            },
            "operator_codes[0].custom_code: absent or empty",
        ),
    ]);
}

/// A node may leave out any of its outputs, but nothing can read them then.
#[test]
fn an_output_may_be_absent() {
    let mut model = sound();
    model.subgraphs[0].operators[1].outputs.extend([-1, -1]);
    let bytes = model.finish();
    let read = Model::new(&bytes).expect("absent outputs are allowed");
    let node = read.subgraph(0).and_then(|graph| graph.operators().get(1)).expect("the node exists");
    assert_eq!(node.outputs().iter().collect::<Vec<_>>(), [3, -1, -1]);
    check(&[(
        |m| m.subgraphs[0].operators[1].outputs[0] = -1,
        "subgraphs[0].outputs[0]: tensor 3 has no data, and no operator or caller writes it",
    )]);
}

#[test]
fn d6_d24_a_tensor_has_one_definition() {
    check(&[
        (
            |m| m.subgraphs[0].operators[1].outputs.push(1),
            "subgraphs[0].operators[1].outputs[1]: tensor 1 is a constant",
        ),
        (
            |m| m.subgraphs[0].operators[1].outputs.push(0),
            "subgraphs[0].operators[1].outputs[1]: tensor 0 is an input of the subgraph",
        ),
        (
            |m| m.subgraphs[0].operators[1].outputs.push(2),
            "subgraphs[0].operators[1].outputs[1]: tensor 2 is already written by operators[0]",
        ),
        (
            |m| m.subgraphs[0].operators[1].outputs.extend([6, 6]),
            "subgraphs[0].operators[1].outputs[2]: tensor 6 is already written by operators[1]",
        ),
    ]);
}

#[test]
fn d7_reads_follow_writes() {
    check(&[
        (
            |m| m.subgraphs[0].operators.swap(0, 1),
            "subgraphs[0].operators[0].inputs[0]: tensor 2 is read before operators[1] writes it",
        ),
        (
            |m| m.subgraphs[0].operators[0].inputs[0] = 2,
            "subgraphs[0].operators[0].inputs[0]: tensor 2 is read before operators[0] writes it",
        ),
        (
            |m| m.subgraphs[0].inputs.clear(),
            "subgraphs[0].operators[0].inputs[0]: tensor 0 has no data, and no operator or caller writes it",
        ),
        (
            |m| m.subgraphs[0].operators.truncate(1),
            "subgraphs[0].outputs[0]: tensor 3 has no data, and no operator or caller writes it",
        ),
    ]);
}

#[test]
fn variables_may_be_read_before_an_operator_writes_them() {
    let mut model = sound();
    model.subgraphs[0].operators[0].inputs.push(6);
    model.subgraphs[0].operators[1].outputs.push(6);
    model.subgraphs[0].operators[0].outputs.push(6);
    Model::new(&model.finish()).expect("a variable has its last value, and may be written twice");
    model.subgraphs[0].inputs.push(6);
    Model::new(&model.finish()).expect("the caller may write it, too");
}

#[test]
fn a_tensor_without_elements_needs_no_producer() {
    let mut model = sound();
    let empty = model.subgraphs[0].tensor(Tensor::new("axis", FLOAT32, &[0]));
    model.subgraphs[0].operators[0].inputs.push(empty);
    model.subgraphs[0].outputs.push(empty);
    Model::new(&model.finish()).expect("a tensor without elements needs no producer");
}

#[test]
fn d10_sparsity() {
    fn levels(model: &mut ModelBuilder) -> &mut Sparsity {
        model.subgraphs[0].tensors[5].sparsity.as_mut().expect("tensor 5 is sparse")
    }
    fn sparse(model: &mut ModelBuilder, segments: &[i32], indices: &[i32]) {
        levels(model).levels[1] = Level::Sparse { segments: segments.to_vec(), indices: indices.to_vec() };
    }
    check(&[
        (
            |m| sparse(m, &[0, 1, i32::MAX], &[1, 0]),
            "subgraphs[0].tensors[5].sparsity.dim_metadata[1].array_indices: has 2 entries, must have 2147483647 \
             (the value of the last segment)",
        ),
        (
            |m| sparse(m, &[0, 1, 2], &[1, 1 << 28]),
            "subgraphs[0].tensors[5].sparsity.dim_metadata[1].array_indices[1]: is 268435456, must be inside the \
             dimension",
        ),
        (
            |m| sparse(m, &[0, 2, 1], &[1, 0]),
            "subgraphs[0].tensors[5].sparsity.dim_metadata[1].array_segments[2]: segments must begin with 0 and \
             never decrease",
        ),
        (
            |m| sparse(m, &[0, 2], &[1, 0]),
            "subgraphs[0].tensors[5].sparsity.dim_metadata[1].array_segments: has 2 entries, must have 3 \
             (one per parent, plus one)",
        ),
        (
            |m| levels(m).levels[0] = Level::Dense(1 << 30),
            "subgraphs[0].tensors[5].sparsity.dim_metadata[0].dense_size: is 1073741824, must be the size of the \
             dimension it stores",
        ),
        (
            |m| levels(m).traversal_order = vec![0, 0],
            "subgraphs[0].tensors[5].sparsity.traversal_order[1]: not a permutation of the dimensions",
        ),
        (
            |m| levels(m).traversal_order = vec![0],
            "subgraphs[0].tensors[5].sparsity.traversal_order: is 1, must be rank to 16 entries",
        ),
        (
            |m| levels(m).levels.truncate(1),
            "subgraphs[0].tensors[5].sparsity.dim_metadata: has 1 entries, must have 2 (one per level)",
        ),
        (
            |m| {
                let sparsity = levels(m);
                sparsity.traversal_order.push(2);
                sparsity.block_map.push(0);
                sparsity.levels.push(Level::Dense(3));
            },
            "subgraphs[0].tensors[5].sparsity.block_map[0]: blocks do not divide the dimension",
        ),
        (
            |m| m.buffers[3] = Buffer::Inline(vec![0; 7]),
            "subgraphs[0].tensors[5].buffer: the buffer has 7 bytes, type and shape need 8",
        ),
    ]);
}

#[test]
fn d14_signatures() {
    check(&[
        (
            |m| m.signatures[0].subgraph = 99,
            "signature_defs[0].subgraph_index: subgraph index 99, model has 1 subgraphs",
        ),
        (
            |m| m.signatures[0].inputs[0].1 = u32::MAX,
            "signature_defs[0].inputs[0].tensor_index: tensor index 4294967295, subgraph has 7 tensors",
        ),
        (
            |m| m.signatures[0].outputs[0].1 = 7,
            "signature_defs[0].outputs[0].tensor_index: tensor index 7, subgraph has 7 tensors",
        ),
        (|m| m.signatures[0].key = None, "signature_defs[0].signature_key: absent or empty"),
        (
            |m| m.signatures[0].inputs.extend([("b".into(), 0), ("a".into(), 1)]),
            "signature_defs[0].inputs[2].name: same name as entry 0",
        ),
    ]);
}

#[test]
fn d18_quantization() {
    check(&[
        (
            |m| m.subgraphs[0].tensors[0] = Tensor::new("x", INT8, &[1, 4]).quantized(0.0, 0),
            "subgraphs[0].tensors[0].quantization.scale[0]: is 0, must be finite and positive",
        ),
        (
            |m| m.subgraphs[0].tensors[0] = Tensor::new("x", INT8, &[1, 4]).quantized(f32::NAN, 0),
            "subgraphs[0].tensors[0].quantization.scale[0]: is NaN, must be finite and positive",
        ),
        (
            |m| m.subgraphs[0].tensors[0] = Tensor::new("x", INT8, &[1, 4]).quantized(f32::INFINITY, 0),
            "subgraphs[0].tensors[0].quantization.scale[0]: is inf, must be finite and positive",
        ),
        (
            |m| m.subgraphs[0].tensors[0] = Tensor::new("x", INT8, &[1, 4]).quantized(1.0, 1 << 40),
            "subgraphs[0].tensors[0].quantization.zero_point[0]: is 1099511627776, must be a value of the \
             tensor's element type",
        ),
        (
            |m| m.subgraphs[0].tensors[0] = Tensor::new("x", UINT8, &[1, 4]).quantized(1.0, -1),
            "subgraphs[0].tensors[0].quantization.zero_point[0]: is -1, must be a value of the tensor's \
             element type",
        ),
        (
            |m| {
                m.subgraphs[0].tensors[0] =
                    Tensor::new("x", INT8, &[1, 4]).per_channel(&[1.0; 3], &[0; 3], 1);
            },
            "subgraphs[0].tensors[0].quantization.scale: has 3 entries, must have 4 \
             (one, or one per slice of quantized_dimension)",
        ),
        (
            |m| {
                m.subgraphs[0].tensors[0] =
                    Tensor::new("x", INT8, &[1, 4]).per_channel(&[1.0; 4], &[0; 2], 1);
            },
            "subgraphs[0].tensors[0].quantization.zero_point: has 2 entries, must have 4 (one per scale)",
        ),
        (
            |m| {
                m.subgraphs[0].tensors[0] =
                    Tensor::new("x", INT8, &[1, 4]).per_channel(&[1.0; 4], &[0; 4], 2);
            },
            "subgraphs[0].tensors[0].quantization.quantized_dimension: dimension index 2, the tensor has 2 dimensions",
        ),
        (
            |m| m.subgraphs[0].tensors[0] = Tensor::new("x", INT4, &[1, 4]).blockwise(99, -1, 2, 1),
            "subgraphs[0].tensors[0].quantization.details.scales: tensor index 99, subgraph has 7 tensors",
        ),
        (
            |m| m.subgraphs[0].tensors[0] = Tensor::new("x", INT4, &[1, 4]).blockwise(0, -2, 2, 1),
            "subgraphs[0].tensors[0].quantization.details.zero_points: tensor index -2, subgraph has 7 tensors",
        ),
    ]);
}

#[test]
fn d19_d25_shapes_and_types() {
    check(&[
        (
            |m| m.subgraphs[0].tensors[0].shape = vec![65536; 4],
            "subgraphs[0].tensors[0].shape: the tensor's size overflows",
        ),
        (
            |m| m.subgraphs[0].tensors[0].shape = vec![1, -4],
            "subgraphs[0].tensors[0].shape[1]: is -4, must be 0 or more",
        ),
        (
            |m| m.subgraphs[0].tensors[2].shape_signature = vec![-2, 4],
            "subgraphs[0].tensors[2].shape_signature[0]: is -2, must be -1 or more",
        ),
        (
            |m| m.subgraphs[0].tensors[2].shape_signature = vec![-1],
            "subgraphs[0].tensors[2].shape_signature: has 1 entries, must have 2 (one per dimension of shape)",
        ),
        (
            |m| m.subgraphs[0].tensors[0].element_type = 77,
            "subgraphs[0].tensors[0].type: is 77, must be a known element type",
        ),
    ]);
    let mut model = sound();
    model.subgraphs[0].tensors[0] = Tensor::new("x", INT8, &[1 << 20, 1 << 20]);
    Model::new(&model.finish()).expect("the model is valid; the runtime's quota limits its size");
}

#[test]
fn d23_strings() {
    let spoilt = |bytes: Vec<u8>| {
        let mut model = sound();
        model.buffers[2] = Buffer::Inline(bytes);
        Model::new(&model.finish()).expect_err("the strings are invalid").to_string()
    };
    let path = "subgraphs[0].tensors[4].buffer: string data: ";
    let offsets = |values: &[u32]| {
        let mut bytes = bytes_of(values);
        bytes.resize(32, b'x');
        bytes
    };
    assert_eq!(
        spoilt(offsets(&[i32::MAX as u32])),
        format!("{path}the count differs from the shape's number of elements (2147483647)")
    );
    assert_eq!(
        spoilt(offsets(&[2, 16, 8, 20])),
        format!("{path}an offset is less than the previous one (1)")
    );
    assert_eq!(
        spoilt(offsets(&[2, 4, 20, 24])),
        format!("{path}an offset is less than the previous one (0)")
    );
    assert_eq!(spoilt(offsets(&[2, 16, 20, 999])), format!("{path}an offset is beyond the buffer (2)"));
    assert_eq!(spoilt(bytes_of(&[2u32, 16])), format!("{path}the offsets do not fit into the buffer (2)"));
    assert_eq!(spoilt(vec![2]), format!("{path}no count of strings (0)"));
}

#[test]
fn identifier_version_and_length() {
    assert_eq!(Model::new(&[]).expect_err("empty"), ModelError::TooShort { bytes: 0 });
    let mut bytes = sound().finish();
    bytes[4..8].copy_from_slice(b"TFL2");
    assert_eq!(Model::new(&bytes).expect_err("old"), ModelError::Identifier { found: *b"TFL2" });
    let mut model = sound();
    model.version = 2;
    let error = Model::new(&model.finish()).expect_err("version 2");
    assert_eq!(error, ModelError::SchemaVersion { found: 2 });
}
