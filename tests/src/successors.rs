//! Models that replace one another at the same path, with the same inode, size and modification time, as in deployments
//! that set times to a constant. A cache must not use data of the first model for the second.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use arenite::config::DelegateConfig;
use arenite::{Interpreter, Model};
use arenite_abi::schema::{
    Conv2DOptions, DepthwiseConv2DOptions, FullyConnectedOptions, TransposeConvOptions,
};
use arenite_model::tensor_type::{INT8, INT32};
use arenite_model::writer::{Tensor, bytes_of};

use crate::op_models::{OneOp, f32};

/// A model of one node, as a function of its weights and their scale.
pub struct Kind {
    /// The op and its kind of weights.
    pub name: &'static str,
    /// The number of weights.
    weights: usize,
    /// The bytes per weight.
    width: usize,
    build: fn(&[u8], f32) -> OneOp,
}

fn i8(name: &str, shape: &[i32], scale: f32) -> Tensor {
    Tensor::new(name, INT8, shape).quantized(scale, 0)
}

/// Nodes whose weights the CPU delegate packs in different ways.
pub fn kinds() -> [Kind; 7] {
    [
        Kind {
            name: "float product",
            weights: 64 * 300,
            width: 4,
            build: |w, _| {
                let node =
                    OneOp::new("FULLY_CONNECTED").feed(f32("x", &[1, 300])).constant(f32("w", &[64, 300]), w);
                node.output(f32("y", &[1, 64])).options::<FullyConnectedOptions>(|o| o)
            },
        },
        Kind {
            name: "quantized product",
            weights: 64 * 300,
            width: 1,
            build: |w, scale| {
                let node = OneOp::new("FULLY_CONNECTED").feed(i8("x", &[1, 300], 0.5));
                let node = node.constant(i8("w", &[64, 300], scale), w);
                node.output(i8("y", &[1, 64], 2.0)).options::<FullyConnectedOptions>(|o| o)
            },
        },
        Kind {
            name: "hybrid product",
            weights: 64 * 300,
            width: 1,
            build: |w, scale| {
                let node = OneOp::new("FULLY_CONNECTED").feed(f32("x", &[1, 300]));
                let node = node.constant(i8("w", &[64, 300], scale), w);
                node.output(f32("y", &[1, 64])).options::<FullyConnectedOptions>(|o| o)
            },
        },
        Kind {
            name: "float convolution",
            weights: 32 * 9 * 32,
            width: 4,
            build: |w, _| {
                let node = OneOp::new("CONV_2D").feed(f32("x", &[1, 9, 9, 32]));
                let node = node.constant(f32("w", &[32, 3, 3, 32]), w);
                node.output(f32("y", &[1, 9, 9, 32]))
                    .options(|o| o.set(Conv2DOptions::STRIDE_H, 1).set(Conv2DOptions::STRIDE_W, 1))
            },
        },
        Kind {
            name: "quantized convolution",
            weights: 32 * 9 * 32,
            width: 1,
            build: |w, scale| {
                let node = OneOp::new("CONV_2D").feed(i8("x", &[1, 9, 9, 32], 0.5));
                let node = node.constant(i8("w", &[32, 3, 3, 32], scale), w);
                node.output(i8("y", &[1, 9, 9, 32], 2.0))
                    .options(|o| o.set(Conv2DOptions::STRIDE_H, 1).set(Conv2DOptions::STRIDE_W, 1))
            },
        },
        Kind {
            name: "depthwise convolution",
            weights: 25 * 128,
            width: 4,
            build: |w, _| {
                let node = OneOp::new("DEPTHWISE_CONV_2D").feed(f32("x", &[1, 9, 9, 128]));
                let node = node.constant(f32("w", &[1, 5, 5, 128]), w);
                node.output(f32("y", &[1, 9, 9, 128])).options(|o| {
                    o.set(DepthwiseConv2DOptions::STRIDE_H, 1)
                        .set(DepthwiseConv2DOptions::STRIDE_W, 1)
                        .set(DepthwiseConv2DOptions::DEPTH_MULTIPLIER, 1)
                })
            },
        },
        Kind {
            name: "transposed convolution",
            weights: 16 * 9 * 32,
            width: 4,
            build: |w, _| {
                let shape = Tensor::new("shape", INT32, &[4]);
                let node = OneOp::new("TRANSPOSE_CONV").constant(shape, bytes_of(&[1, 18, 18, 16]));
                let node = node.constant(f32("w", &[16, 3, 3, 32]), w).feed(f32("x", &[1, 9, 9, 32]));
                node.output(f32("y", &[1, 18, 18, 16])).options(|o| {
                    o.set(TransposeConvOptions::STRIDE_H, 2).set(TransposeConvOptions::STRIDE_W, 2)
                })
            },
        },
    ]
}

impl Kind {
    /// Weights that depend on a seed: floats between 1/8 and 1, bytes from -32 to 31.
    fn random(&self, seed: u64) -> Vec<u8> {
        let mut state = seed;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as u8
        };
        match self.width {
            1 => (0..self.weights).map(|_| (random() / 4).wrapping_sub(32)).collect(),
            _ => bytes_of(&Vec::from_iter((0..self.weights).map(|_| f32::from(random()) / 300.0 + 0.125))),
        }
    }

    fn file(&self, weights: &[u8], scale: f32) -> Vec<u8> {
        (self.build)(weights, scale).model().finish()
    }
}

/// Writes `bytes` to the file, which keeps its inode and modification time.
fn replace(path: &Path, bytes: &[u8]) {
    let before = std::fs::metadata(path).expect("it exists");
    assert_eq!(before.len(), bytes.len() as u64);
    let mut file = OpenOptions::new().write(true).open(path).expect("the plugin made it");
    file.write_all(bytes).expect("it can be written");
    file.set_modified(before.modified().expect("it exists")).expect("the plugin made it");
    let after = File::open(path).and_then(|file| file.metadata()).expect("it exists");
    assert_eq!(after.modified().expect("it exists"), before.modified().expect("it exists"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        assert_eq!((after.dev(), after.ino()), (before.dev(), before.ino()));
    }
}

/// Runs models of this kind in turn, each replacing another at `path`. Every result of `cached`, which runs twice, must
/// equal the result of `plain`.
pub fn check(kind: &Kind, path: &Path, plain: &DelegateConfig, cached: &DelegateConfig) {
    let first = kind.random(1);
    let mut one_byte = first.clone();
    // Changes the sign and the exponent of a float.
    one_byte[kind.weights / 2 * kind.width + kind.width - 1] ^= if kind.width == 1 { 0x30 } else { 0x03 };
    let (other, file) = (kind.random(2), |weights: &[u8], scale| kind.file(weights, scale));
    let rescaled = (kind.width == 1).then(|| ("another scale", file(&first, 0.25)));
    let successors =
        [("one byte in the middle", file(&one_byte, 0.125)), ("other weights", file(&other, 0.125))];
    let first = file(&first, 0.125);
    std::fs::write(path, &first).expect("it can be written");
    let before = run(path, plain);
    for (change, bytes) in successors.into_iter().chain(rescaled) {
        let what = format!("{}, {change}", kind.name);
        replace(path, &first);
        for start in ["cold", "warm"] {
            assert_eq!(run(path, cached), before, "{what}, {start}: the first model");
        }
        replace(path, &bytes);
        let after = run(path, plain);
        assert_ne!(after, before, "{what}: the change has no effect");
        for start in ["cold", "warm"] {
            assert_eq!(run(path, cached), after, "{what}, {start}: its successor");
        }
    }
}

fn run(path: &Path, delegate: &DelegateConfig) -> Vec<u8> {
    let model = Model::from_file(path).expect("it is sound");
    let mut interpreter = Interpreter::builder(&model).delegate(delegate.clone()).build().expect("it builds");
    interpreter.allocate().expect("it allocates");
    assert_eq!(interpreter.left_out(), []);
    let input = interpreter.input(0).expect("it exists");
    let (ty, len) = (input.ty, input.byte_len());
    let x = match ty {
        arenite::ElementType::F32 => bytes_of(&Vec::from_iter((0..len / 4).map(|i| (i % 7 + 1) as f32))),
        _ => Vec::from_iter((0..len).map(|i| (i % 7 + 1) as u8)),
    };
    let bytes = interpreter.input_mut(0).and_then(|input| input.into_bytes()).expect("it has bytes");
    bytes.copy_from_slice(&x);
    interpreter.invoke().expect("it runs");
    interpreter.output(0).and_then(|y| y.bytes().map(<[u8]>::to_vec)).expect("bytes")
}
