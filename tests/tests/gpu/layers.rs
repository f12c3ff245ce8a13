//! Every small model of an op on the GPU delegates: the nodes they claim give the results of the reference ops,
//! quantized values within one step.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread::available_parallelism;

use arenite::{ElementType, Error, Interpreter, Model, NodeProvider};
use arenite_abi::schema::{
    AddOptions, BatchMatMulOptions, FullyConnectedOptions, GeluOptions, LeakyReluOptions, MulOptions,
    ResizeBilinearOptions, ResizeNearestNeighborOptions, TransposeConvOptions,
};
use arenite_model::tensor_type::{INT8, UINT8};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor};
use arenite_tests::case::Tolerance;
use arenite_tests::compare;
use arenite_tests::differential::campaign::{Campaign, Fixed};
use arenite_tests::op_models::{self, OneOp, f32, i32, pool};

use super::{Backend, backends, config, leave_out};

/// A tensor's elements as bytes.
type Output = (ElementType, Vec<i32>, Vec<u8>);

fn fill(ty: ElementType, count: usize) -> Option<Vec<u8>> {
    let numbers = (0..count).map(|i| (i * 37 % 101) as f32 / 25.0 - 2.0);
    match ty {
        ElementType::F32 => Some(numbers.flat_map(f32::to_le_bytes).collect()),
        ElementType::I8 | ElementType::U8 => Some((0..count).map(|i| (i * 37) as u8).collect()),
        _ => None,
    }
}

fn run(interpreter: &mut Interpreter, inputs: &[(usize, Vec<u8>)]) -> Result<Vec<Output>, Error> {
    interpreter.allocate()?;
    for i in 0..interpreter.input_count() {
        let input = interpreter.input_mut(i)?;
        let (ty, count) = (input.tensor().ty, input.tensor().shape.iter().map(|&n| n as usize).product());
        let given = inputs.iter().find(|(at, _)| *at == i).map(|(_, bytes)| bytes.clone());
        if let Some(bytes) = given.or_else(|| fill(ty, count)) {
            input.copy_from_bytes(&bytes)?;
        }
    }
    interpreter.invoke()?;
    let output = |i| {
        let tensor = interpreter.output(i)?;
        Ok((tensor.ty, tensor.shape.to_vec(), tensor.bytes()?.to_vec()))
    };
    (0..interpreter.output_count()).map(output).collect()
}

/// Sums run in another order; quantized values may differ by one step.
const TOLERANCE: Tolerance = Tolerance { float_abs: 2e-5, float_rel: 2e-5, int_steps: 1.0 };
/// The same for floats that are stored in 16 bits.
const TOLERANCE_F16: Tolerance = Tolerance { float_abs: 1e-2, float_rel: 1e-2, int_steps: 1.0 };

/// For each op, in how many models the delegate ran a node, and the reasons of its refusals.
struct Found {
    taken: BTreeMap<&'static str, usize>,
    reasons: BTreeMap<&'static str, Vec<String>>,
}

fn all_models(delegate: &str, way: &[(&str, &str)], tolerance: Tolerance) -> Found {
    let mut found = Found { taken: BTreeMap::new(), reasons: BTreeMap::new() };
    for sound in op_models::all() {
        let model = Model::from_bytes(sound.model.finish()).expect("it is sound");
        let reference = arenite_tests::reference_ops(&model).build();
        let config = config(delegate, way);
        let on_device = arenite_tests::reference_ops(&model).delegate(config).build();
        let (Ok(mut reference), Ok(mut on_device)) = (reference, on_device) else { continue };
        let (want, got) = (run(&mut reference, &sound.inputs), run(&mut on_device, &sound.inputs));
        let reasons = on_device.refusals().into_iter().flatten().map(|(_, reason)| reason);
        found.reasons.entry(sound.op).or_default().extend(reasons);
        if !on_device.served_by().iter().any(|served| matches!(served, NodeProvider::Delegate { .. })) {
            continue;
        }
        *found.taken.entry(sound.op).or_default() += 1;
        let (want, got) = (want.expect("it runs"), got.unwrap_or_else(|e| panic!("{}: {e}", sound.op)));
        for ((ty, shape, want), (_, other, got)) in want.iter().zip(&got) {
            assert_eq!(shape, other, "{}", sound.op);
            let difference = compare::elements(*ty, shape, got, want, tolerance).expect("numbers");
            assert_eq!(difference.map(|d| d.to_string()), None, "{} {ty}, {way:?}", sound.op);
        }
    }
    found
}

#[test]
fn models_of_ops_agree_with_reference_ops() {
    let ways = |backend: Backend| backend.ways().map(move |(way, _)| (backend.delegate, way));
    // Images are tested in one precision: their kernels are the same in both.
    let is_told = |(_, [(_, precision), (_, storage)]): &(&str, [(&str, &str); 2])| {
        (*precision, *storage) != ("f32", "image")
    };
    for (delegate, way) in backends().flat_map(ways).filter(is_told) {
        let tolerance = if way[0].1 == "f16" { TOLERANCE_F16 } else { TOLERANCE };
        let Found { taken, reasons } = all_models(delegate, &way, tolerance);
        for op in [
            "ADD AVERAGE_POOL_2D BATCH_MATMUL CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEQUANTIZE DIV ELU FULLY_CONNECTED",
            "GATHER GELU HARD_SWISH LEAKY_RELU LOGISTIC LSTM MAXIMUM MAX_POOL_2D MEAN MINIMUM MUL PAD PRELU QUANTIZE RELU",
            "RELU6 RESHAPE RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR SLICE SOFTMAX SPACE_TO_DEPTH SPLIT SQUARED_DIFFERENCE",
            "STRIDED_SLICE SUB SUM TANH TRANSPOSE TRANSPOSE_CONV",
        ]
        .iter()
        .flat_map(|line| line.split(' '))
        {
            // A reshape alone is not worth a partition.
            let alone = ["RESHAPE", "DEQUANTIZE"].contains(&op);
            assert!(alone || taken.contains_key(op), "{delegate} takes no {op}: {:?}", reasons.get(op));
        }
        for (op, reason) in [
            ("WHILE", "subgraphs are called on the host"),
            ("UNIDIRECTIONAL_SEQUENCE_LSTM", "its state is kept between invocations, on the host"),
            ("SVDF", "its state is kept between invocations, on the host"),
            ("ARG_MAX", "the device has no kernel for the op"),
            ("NEG", "the reference op ignores the zero points of quantized tensors"),
        ] {
            let known = reasons.get(op).is_some_and(|list| list.iter().any(|known| known == reason));
            assert!(known, "{op}: {:?}", reasons.get(op));
        }
    }
}

/// Averages of a few bytes are often exactly halfway between two of them.
#[test]
fn ties_round_like_reference_ops() {
    let x = |ty| Tensor::new("x", ty, &[1, 8, 8, 5]).quantized(0.0163, if ty == INT8 { -36 } else { 100 });
    let y = |ty, size| Tensor { name: "y".into(), shape: vec![1, size, size, 5], ..x(ty) };
    let resize = |op: &str, ty| {
        // Distances of unsigned bytes are floats, which are exact if the size is doubled.
        let to = if ty == INT8 { 13 } else { 16 };
        let size = arenite_model::writer::bytes_of(&[to, to]);
        OneOp::new(op).feed(x(ty)).constant(i32("size", &[2]), size).output(y(ty, to))
    };
    let grid =
        |ty, scale| Tensor { name: "y".into(), ..Tensor::new("y", ty, &[1, 8, 8, 5]).quantized(scale, 5) };
    let quantize = |ty, scale| OneOp::new("QUANTIZE").feed(x(ty)).output(grid(ty, scale)).defaults();
    for ty in [INT8, UINT8] {
        for (what, node) in [
            ("three steps for one", quantize(ty, 0.0462)),
            ("four steps for one", quantize(ty, 4.0 * 0.0163)),
            ("twenty steps for one", quantize(ty, 0.33)),
            ("a step for two", quantize(ty, 0.0081)),
            ("pool of 4", OneOp::new("AVERAGE_POOL_2D").feed(x(ty)).output(y(ty, 4)).options(pool(2, 2))),
            ("pool of 36", OneOp::new("AVERAGE_POOL_2D").feed(x(ty)).output(y(ty, 2)).options(pool(2, 6))),
            ("bilinear", resize("RESIZE_BILINEAR", ty).options::<ResizeBilinearOptions>(|o| o)),
            (
                "bilinear, of centres",
                resize("RESIZE_BILINEAR", ty)
                    .options(|o| o.set(ResizeBilinearOptions::HALF_PIXEL_CENTERS, true)),
            ),
            ("nearest", resize("RESIZE_NEAREST_NEIGHBOR", ty).options::<ResizeNearestNeighborOptions>(|o| o)),
        ] {
            let model = Model::from_bytes(node.model().finish()).expect("it is sound");
            let mut reference = arenite_tests::reference_ops(&model).build().expect("it builds");
            let want = run(&mut reference, &[]).expect("it runs");
            for Backend { delegate, .. } in backends() {
                let builder = arenite_tests::reference_ops(&model).delegate(config(delegate, &[]));
                let mut on_device = builder.build().expect("it builds");
                let got = run(&mut on_device, &[]).expect("it runs");
                assert!(
                    matches!(on_device.served_by()[0], NodeProvider::Delegate { .. }),
                    "{what}, {delegate}"
                );
                assert_eq!(got, want, "{what} of {ty}, {delegate}");
            }
        }
    }
}

/// Reference ops compare and sum quantized values without rescaling. The device must refuse nodes whose input
/// quantization differs from the output's, and nodes where the ratio of the input's scale to the output's is so large
/// that integers overflow.
#[test]
fn quantized_nodes_that_reference_ops_compute_differently_are_refused() {
    let x = |scale| Tensor::new("x", INT8, &[1, 8, 8, 5]).quantized(scale, -36);
    let y = |size, scale| Tensor::new("y", INT8, &[1, size, size, 5]).quantized(scale, -36);
    let pooled = |op: &str| OneOp::new(op).feed(x(0.0163)).output(y(4, 0.5)).options(pool(2, 2));
    for (node, want) in [
        (pooled("AVERAGE_POOL_2D"), "'x' has another quantization than the output"),
        (pooled("MAX_POOL_2D"), "'x' has another quantization than the output"),
        (
            OneOp::new("RESHAPE")
                .feed(x(0.0163))
                .constant(i32("size", &[4]), arenite_model::writer::bytes_of(&[1, 8, 8, 5]))
                .output(y(8, 0.5)),
            "'x' has another quantization than the output",
        ),
        (
            OneOp::new("TRANSPOSE_CONV")
                .constant(i32("size", &[4]), arenite_model::writer::bytes_of(&[1, 8, 8, 5]))
                .constant(Tensor::new("w", INT8, &[5, 1, 1, 5]).quantized(0.1, 3), [1; 25])
                .feed(x(0.0163))
                .output(y(8, 0.5))
                .options(|o| o.set(TransposeConvOptions::STRIDE_H, 1).set(TransposeConvOptions::STRIDE_W, 1)),
            "the reference op ignores the zero point of 'w'",
        ),
        (
            OneOp::new("ADD").feed(x(0.25)).feed(x(0.25)).output(y(8, 1e-30)).options::<AddOptions>(|o| o),
            "the scale of 'x' is 250000000000000000000000000000 times the output's; integers of the reference op overflow",
        ),
        (
            OneOp::new("QUANTIZE").feed(x(8388608.0)).output(y(8, 1.0)).defaults(),
            "the scale of 'x' is 8388608 times the output's; integers of the reference op overflow",
        ),
    ] {
        let model = Model::from_bytes(node.model().finish()).expect("it is sound");
        for Backend { delegate, .. } in backends() {
            let builder = arenite_tests::reference_ops(&model).delegate(config(delegate, &[]));
            let mut interpreter = builder.build().expect("it builds");
            interpreter.allocate().expect("it allocates");
            assert_eq!(interpreter.refusals()[0][0].1, want, "{delegate}");
        }
    }
}

/// A chain of ops with one input each.
fn chain(ops: &[&str], count: i32) -> ModelBuilder {
    let (mut file, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
    let mut last = graph.input(f32("x", &[count]));
    for (i, op) in ops.iter().enumerate() {
        let code = file.builtin(op, 1);
        let y =
            if i + 1 < ops.len() { graph.tensor(f32(op, &[count])) } else { graph.output(f32(op, &[count])) };
        graph.operator(Operator::new(code, &[last], &[y]));
        last = y;
    }
    file.subgraph(graph);
    file
}

/// A factor next to zero turns the largest numbers into zero, infinity times zero is NaN, and square roots of zeros
/// keep the sign.
#[test]
fn extreme_values_agree_with_reference_ops() {
    let ends = [-3e38, -1e20, -100.0, -6.5, -5.7, -5.0, -0.5, 0.0, 5.0, 6.5, 100.0, 3e38];
    let all = [&ends[..], &[f32::NEG_INFINITY, f32::INFINITY, f32::NAN]].concat();
    let node = |op, x: &[f32]| {
        let [x, y] = ["x", "y"].map(|name| f32(name, &[x.len() as i32]));
        OneOp::new(op).feed(x).output(y)
    };
    let gelu = |approximate| node("GELU", &ends).options(|o| o.set(GeluOptions::APPROXIMATE, approximate));
    let leaky = |alpha| node("LEAKY_RELU", &all).options(|o| o.set(LeakyReluOptions::ALPHA, alpha));
    let zero = OneOp::new("MUL").feed(f32("x", &[15])).constant(f32("zero", &[]), 0f32.to_le_bytes());
    let steep: Vec<f32> = (0..512).map(|i| (i * 37 % 101) as f32 / 25.0 - 2.0).collect();
    for (what, model, x) in [
        ("GELU", gelu(false).model(), &ends[..]),
        ("GELU by tanh", gelu(true).model(), &ends),
        ("LEAKY_RELU", leaky(0.25).model(), &all),
        ("LEAKY_RELU of 0", leaky(0.0).model(), &all),
        ("MUL by 0", zero.output(f32("y", &[15])).options::<MulOptions>(|o| o).model(), &all),
        ("EXP of RSQRT of CEIL", chain(&["CEIL", "RSQRT", "EXP"], 512), &steep),
    ] {
        let model = Model::from_bytes(model.finish()).expect("it is sound");
        let inputs = [(0, x.iter().flat_map(|x| x.to_le_bytes()).collect())];
        let mut reference = arenite_tests::reference_ops(&model).build().expect("it builds");
        let want = run(&mut reference, &inputs).expect("it runs");
        for Backend { delegate, .. } in backends() {
            let builder = arenite_tests::reference_ops(&model).delegate(config(delegate, &[]));
            let got = run(&mut builder.build().expect("it builds"), &inputs).expect("it runs");
            let difference = compare::elements(want[0].0, &want[0].1, &got[0].2, &want[0].2, TOLERANCE);
            let difference = difference.expect("numbers").map(|d| d.to_string());
            assert_eq!(difference, None, "{what}, {delegate}");
        }
    }
}

/// 40 rows, a depth of 36, 50 columns: the last tile is partial in every dimension.
#[test]
fn tiled_products_agree_with_direct_products() {
    let weights = |count| fill(ElementType::F32, count).expect("floats");
    let models = [
        OneOp::new("FULLY_CONNECTED")
            .feed(f32("x", &[40, 36]))
            .constant(f32("w", &[50, 36]), weights(50 * 36))
            .constant(f32("b", &[50]), weights(50))
            .output(f32("y", &[40, 50]))
            .options::<FullyConnectedOptions>(|o| o),
        OneOp::new("BATCH_MATMUL")
            .feed(f32("a", &[2, 40, 36]))
            .feed(f32("b", &[1, 36, 52]))
            .output(f32("y", &[2, 40, 52]))
            .options::<BatchMatMulOptions>(|o| o),
    ];
    let models = models.map(|model| Model::from_bytes(model.model().finish()).expect("it is sound"));
    let each = models.iter().flat_map(|model| backends().map(move |backend| (model, backend.delegate)));
    for (model, delegate) in each {
        let run_with = |products: &str| {
            let config = config(delegate, &[("products", products)]);
            let mut interpreter = arenite_tests::reference_ops(model).delegate(config).build()?;
            let outputs = run(&mut interpreter, &[])?;
            Ok::<_, Error>((outputs, interpreter.left_out()))
        };
        let (direct, left_out) = run_with("direct").expect("it runs");
        assert_eq!(left_out, [], "{delegate}");
        let (tiled, left_out) = run_with("tiled").expect("it runs");
        if !left_out.is_empty() {
            assert!(left_out[0].reason.contains("option products = 'tiled'"), "{left_out:?}");
            leave_out(&format!("{delegate}: {left_out:?}"));
            continue;
        }
        for ((ty, shape, direct), (_, _, tiled)) in direct.iter().zip(&tiled) {
            let difference = compare::elements(*ty, shape, tiled, direct, TOLERANCE).expect("numbers");
            assert_eq!(difference.map(|d| d.to_string()), None, "{delegate}");
        }
    }
}

/// A few random graphs; `differential --delegate vulkan` runs many more.
#[test]
fn a_few_random_graphs_agree() {
    for Backend { delegate, .. } in backends() {
        let fixed = Fixed { delegate: Some(delegate.to_owned()), ..Fixed::default() };
        let workers = available_parallelism().map_or(2, NonZeroUsize::get) as u64;
        let program = PathBuf::from(env!("CARGO_BIN_EXE_differential"));
        let campaign = Campaign { program, first: 0, graphs: 60, workers, fixed, save: None };
        let tally = campaign.run(&|| {}).expect("the program runs");
        let found: Vec<String> =
            tally.found.iter().map(|found| format!("seed {}: {}", found.seed, found.text)).collect();
        assert!(found.is_empty(), "{}", found.join("\n"));
        let delegated: u64 = tally.nodes.values().map(|[_, delegated]| delegated).sum();
        assert!(delegated > 60 && tally.judged > 100, "{tally}");
    }
}
