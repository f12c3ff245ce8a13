//! Values that no op can use: options, constants, shapes, scales, inputs.

use arenite_abi::schema::GatherOptions;
use arenite_model::tensor_type::STRING;
use arenite_model::writer::{Level, ModelBuilder, Tensor, Value, bytes_of, bytes_of_strings};
use arenite_tests::op_models::{self, OneOp, Sound, f32, i32};

use crate::{Cases, constant, option, run, sound};

#[test]
fn d09_split_into_nothing() {
    let mut cases = Cases::default();
    for n in [0, -1, i32::MAX] {
        cases.spoilt(
            sound("SPLIT", 0),
            |m| option(m, 0, Value::I32(n)),
            format!(
                "SPLIT (node 0, output 'output 0'): its options ask for {n} parts, it has 2 outputs; they must agree"
            ),
        );
    }
}

#[test]
fn d10_sparse_indices() {
    let sparse = |segments: &[i32], indices: &[i32]| {
        let mut model = sound("DENSIFY", 0);
        let sparsity = model.subgraphs[0].tensors[0].sparsity.as_mut().expect("it is sparse");
        sparsity.levels[1] = Level::Sparse { segments: segments.to_vec(), indices: indices.to_vec() };
        model
    };
    let mut cases = Cases::default();
    cases.model(
        sparse(&[0, 1, i32::MAX], &[1, 0]),
        "sparsity.dim_metadata[1].array_indices: has 2 entries, must have 2147483647",
    );
    cases.model(
        sparse(&[0, 1, 2], &[1, 1 << 28]),
        "sparsity.dim_metadata[1].array_indices[1]: is 268435456, must be inside the dimension",
    );
}

#[test]
fn d16_no_permutation() {
    let mut cases = Cases::default();
    for perm in [[0, 0], [0, 2], [-3, 0], [i32::MAX, i32::MIN]] {
        let text = format!(
            "TRANSPOSE (node 0, output 'output'): 'perm' is {perm:?}; it must name each of 2 axes once"
        );
        cases.spoilt(sound("TRANSPOSE", 0), |m| constant(m, 1, bytes_of(&perm)), text);
    }
}

#[test]
fn d17_slice_outside() {
    let mut cases = Cases::default();
    for fed in 0..2 {
        for (begin, size) in [(1 << 28, 1), (-1, 1), (0, 1 << 28), (1 << 30, i32::MAX), (0, -2)] {
            let text = format!(
                "SLICE (node 0, output 'output'): {size} elements from {begin} exceed axis 1 of input 'input', which is [2, 3]"
            );
            let (begin, size) = (bytes_of(&[0, begin]), bytes_of(&[1, size]));
            if fed == 1 {
                cases.fed(sound("SLICE", 1), &[(1, begin), (2, size)], text);
            } else {
                cases.spoilt(
                    sound("SLICE", 0),
                    |m| {
                        constant(m, 1, begin);
                        constant(m, 2, size);
                    },
                    text,
                );
            }
        }
    }
}

#[test]
fn d18_quantization() {
    let mut cases = Cases::default();
    let spoil = |scale: f32, zero_point: i64| {
        move |m: &mut ModelBuilder| {
            let tensor = &mut m.subgraphs[0].tensors[0];
            *tensor = tensor.clone().quantized(scale, zero_point);
        }
    };
    let quantized = 1;
    cases.spoilt(
        sound("ADD", quantized),
        spoil(0.0, 0),
        "quantization.scale[0]: is 0, must be finite and positive",
    );
    cases.spoilt(
        sound("ADD", quantized),
        spoil(f32::NAN, 0),
        "subgraphs[0].tensors[0].quantization.scale[0]: is NaN, must be finite and positive",
    );
    cases.spoilt(
        sound("ADD", quantized),
        spoil(0.5, 1 << 40),
        "subgraphs[0].tensors[0].quantization.zero_point[0]: is 1099511627776, must be a value of",
    );
}

/// Scales that are finite and positive but extreme, and no quantization at all: an error or a result, never a panic.
#[test]
fn d18_extreme_scales_of_every_op() {
    for Sound { op, model, .. } in op_models::all() {
        for t in 0..model.subgraphs[0].tensors.len() {
            let tensor = &model.subgraphs[0].tensors[t];
            if tensor.quantization.is_none() {
                continue;
            }
            for scale in [None, Some(f32::MIN_POSITIVE), Some(1e-45), Some(f32::MAX), Some(1e-9), Some(1e9)] {
                let mut model = model.clone();
                let tensor = &mut model.subgraphs[0].tensors[t];
                match scale {
                    None => tensor.quantization = None,
                    Some(scale) => *tensor = tensor.clone().quantized(scale, 0),
                }
                if let Err(error) = run(model.finish()) {
                    assert!(error.starts_with(op) || error.starts_with("subgraphs[0]"), "{op}: {error}");
                }
            }
        }
    }
}

#[test]
fn d19_shapes() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("ADD", 0),
        |m| m.subgraphs[0].tensors[0].shape = vec![65536; 4],
        "subgraphs[0].tensors[0].shape: the tensor's size overflows",
    );
    cases.spoilt(
        sound("ADD", 0),
        |m| m.subgraphs[0].tensors[0].shape = vec![1, -4],
        "subgraphs[0].tensors[0].shape[1]: is -4, must be 0 or more",
    );
}

#[test]
fn rank_9() {
    let mut cases = Cases::default();
    let one = OneOp::new("RELU").feed(f32("x", &[1; 9])).output(f32("y", &[1; 9]));
    cases.model(one.model(), "tensor 'x' (index 0': it has rank 9, the highest is 8");
}

/// Strides, dilations, filter sizes and multipliers that are 0, negative or huge.
#[test]
fn d21_strides_dilations_filters() {
    let mut cases = Cases::default();
    let strides = [(1, "stride along the width is"), (2, "stride along the height is")];
    let dilations = |w, h| [(w, "dilation along the width is"), (h, "dilation along the height is")];
    let filters =
        [(3, "the filter has N taps along the width"), (4, "the filter has N taps along the height")];
    for (op, fields) in [
        ("CONV_2D", [strides, dilations(4, 5)]),
        ("DEPTHWISE_CONV_2D", [strides, dilations(5, 6)]),
        ("AVERAGE_POOL_2D", [strides, filters]),
        ("MAX_POOL_2D", [strides, filters]),
    ] {
        for (slot, what) in fields.concat() {
            for value in [0, -1, i32::MIN] {
                let what = if what.contains(" N ") {
                    what.replace(" N ", &format!(" {value} "))
                } else {
                    format!("{what} {value}")
                };
                let text = format!("{op} (node 0, output 'output'): {what}; it must be above zero");
                cases.spoilt(sound(op, 0), |m| option(m, slot, Value::I32(value)), text.clone());
                cases.spoilt(sound(op, 1), |m| option(m, slot, Value::I32(value)), text);
            }
            // A huge one may be valid: then the output is small.
            let mut model = sound(op, 0);
            option(&mut model, slot, Value::I32(i32::MAX));
            let _ = run(model.finish());
        }
    }
    for value in [0, -1, i32::MIN] {
        for (slot, pair) in [(1, [2, value]), (2, [value, 2])] {
            let text = format!(
                "TRANSPOSE_CONV (node 0, output 'output'): its strides are {pair:?}; they must be 1 to 32767"
            );
            cases.spoilt(sound("TRANSPOSE_CONV", 0), |m| option(m, slot, Value::I32(value)), text);
        }
    }
    for strides in [[1, 0], [0, 0]] {
        let text = "STRIDED_SLICE (node 0, output 'output'): the stride of entry";
        cases.spoilt(sound("STRIDED_SLICE", 0), |m| constant(m, 3, bytes_of(&strides)), text);
        let inputs = [(2, bytes_of(&[2, 6])), (3, bytes_of(&strides))];
        cases.fed(sound("STRIDED_SLICE", 1), &inputs, text);
    }
    for op in ["CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"] {
        for shape in [[0, 3, 3, 2], [3, 0, 3, 2], [3, 3, 0, 2], [3, 3, 3, 0]] {
            let spoil = |m: &mut ModelBuilder| m.subgraphs[0].tensors[1].shape = shape.to_vec();
            cases.spoilt(sound(op, 0), spoil, format!("{shape:?}"));
        }
    }
}

#[test]
fn d22_gather_outside() {
    let mut cases = Cases::default();
    for n in [0, 2] {
        for (index, text) in [(1 << 28, "index 268435456"), (-(1 << 28), "index -268435456"), (4, "index 4")]
        {
            let indices = bytes_of(&[0, index]);
            cases.spoilt(sound("GATHER", n), |m| constant(m, 1, indices.clone()), text);
            cases.fed(sound("GATHER", n + 1), &[(1, indices)], text);
        }
    }
}

#[test]
fn d23_strings() {
    let strings = |data: Vec<u8>| {
        let one = OneOp::new("GATHER").constant(Tensor::new("s", STRING, &[2]), data);
        let one = one.constant(i32("indices", &[1]), bytes_of(&[0])).output(Tensor::new("y", STRING, &[1]));
        one.options::<GatherOptions>(|o| o).model()
    };
    assert_eq!(
        run(strings(bytes_of_strings(&["one", "two"])).finish()),
        Ok(vec![bytes_of_strings(&["one"])])
    );
    let mut cases = Cases::default();
    cases.model(strings(bytes_of(&[i32::MAX, 16, 17, 18])), "subgraphs[0].tensors[0].buffer: ");
    cases.model(strings(bytes_of(&[2, 16, 18, 17, 0])), "subgraphs[0].tensors[0].buffer: ");
    cases.model(strings(bytes_of(&[2, 16, i32::MAX, i32::MAX, 0])), "subgraphs[0].tensors[0].buffer: ");
    cases.model(strings(bytes_of(&[2])), "subgraphs[0].tensors[0].buffer: ");
    cases.model(strings(bytes_of(&[1, 12, 12])), "subgraphs[0].tensors[0].buffer: ");
}
