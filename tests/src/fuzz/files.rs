//! Input files that are not models: images, arrays, labels, packed weights.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use arenite::config::DelegateConfig;
use arenite::{Interpreter, Model, Quota, Tensor};
use arenite_abi::schema::FullyConnectedOptions;
use arenite_cli::readers;
use arenite_model::tensor_type::{FLOAT32, INT4, INT8, INT32, UINT8};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor as Written, bytes_of};
use arenite_pictures::{Normalization, Picture};

use super::{quota, registry};
use crate::differential::random::Random;
use crate::differential::run::registry as devices_too;
use crate::op_models::f32;
use crate::options::WithOptions;

/// An interpreter, made once, for whose inputs images and arrays are read.
fn with_inputs(read: impl FnOnce(&[Tensor<'_>])) {
    thread_local! {
        static PORTS: RefCell<Option<Interpreter>> = const { RefCell::new(None) };
    }
    PORTS.with_borrow_mut(|ports| {
        let interpreter = ports.get_or_insert_with(ports_of_all_kinds);
        let inputs: Vec<Tensor<'_>> =
            (0..interpreter.input_count()).filter_map(|i| interpreter.input(i).ok()).collect();
        read(&inputs);
    });
}

fn ports_of_all_kinds() -> Interpreter {
    let mut model = ModelBuilder::new();
    let mut graph = SubGraph::new("main");
    for tensor in [
        Written::new("floats", FLOAT32, &[1, 16, 16, 3]),
        Written::new("grey", UINT8, &[1, 8, 9, 1]).quantized(1.0, 0),
        Written::new("bytes", INT8, &[1, 7, 5, 3]).quantized(0.01, 3),
        Written::new("row", FLOAT32, &[4]),
        Written::new("whole", INT32, &[2, 3]),
        Written::new("packed", INT4, &[5]).quantized(0.5, 0),
    ] {
        let port = graph.input(tensor);
        graph.outputs.push(port);
    }
    model.subgraph(graph);
    let model = Model::from_bytes(model.finish()).expect("it is sound");
    let builder = Interpreter::builder(&model).registry(registry()).threads(1).without_default_delegate();
    let mut interpreter = builder.build().expect("it has no nodes");
    interpreter.allocate().expect("it is small");
    interpreter
}

/// Larger images are read for one input instead of all: a run-length encoded file of 1 KB can have 64 megapixels, and
/// resizing these takes a quarter of a second.
const LARGE_PICTURE: u64 = 1 << 22;

/// Reads the bytes as an image, for inputs of all kinds.
pub(super) fn pictures(bytes: &[u8]) {
    let Ok(picture) = Picture::from_bytes(bytes) else { return };
    let (width, height) = picture.size();
    let is_large = u64::from(width) * u64::from(height) > LARGE_PICTURE;
    with_inputs(|inputs| {
        for input in &inputs[..if is_large { 1 } else { inputs.len() }] {
            for (mean, std) in [(&[][..], &[][..]), (&[127.5][..], &[1.0][..])] {
                match picture.fill(input, Normalization { mean, std }) {
                    Ok(filled) => assert_eq!(filled.len(), input.byte_len()),
                    Err(refused) => assert!(!refused.to_string().is_empty()),
                }
            }
        }
    });
}

/// This process's folder for files.
fn folder() -> PathBuf {
    let shared = Path::new("/dev/shm");
    let base = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
    let folder = base.join(format!("arenite-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// Reads the bytes as a NumPy file, for inputs of all kinds.
pub(super) fn npy(bytes: &[u8]) {
    let path = folder().join("array.npy");
    std::fs::write(&path, bytes).expect("it can be written");
    with_inputs(|inputs| {
        for (i, input) in inputs.iter().enumerate() {
            match readers::npy(&path, input, i) {
                Ok(read) => assert_eq!(read.len(), input.byte_len(), "{}", input.name),
                Err(text) => assert!(!text.is_empty()),
            }
        }
    });
}

/// Reads the bytes as a file of labels.
pub(super) fn labels(bytes: &[u8]) {
    let path = folder().join("labels.txt");
    std::fs::write(&path, bytes).expect("it can be written");
    match readers::labels(&path) {
        Ok(names) => assert!(names.len() <= bytes.len().max(1)),
        Err(text) => assert!(!text.is_empty()),
    }
}

/// A model of one layer, in memory.
fn packed() -> Model {
    let mut model = ModelBuilder::new();
    let mut graph = SubGraph::new("main");
    let weights: Vec<f32> = (0..32 * 16).map(|i| (i % 7) as f32 - 3.0).collect();
    let weights = model.buffer(bytes_of(&weights));
    let x = graph.input(f32("x", &[2, 16]));
    let w = graph.tensor(f32("w", &[32, 16]).buffer(weights));
    let y = graph.output(f32("y", &[2, 32]));
    let code = model.builtin("FULLY_CONNECTED", 1);
    graph.operator(Operator::new(code, &[x, w], &[y]).with_options::<FullyConnectedOptions>(|o| o));
    model.subgraph(graph);
    Model::from_bytes(model.finish()).expect("it is sound")
}

/// A delegate with a cache, and its option for the cache folder.
#[derive(Clone, Copy)]
struct Keeper {
    delegate: &'static str,
    option: &'static str,
}

impl Keeper {
    fn answer(self, model: &Model, folder: &Path) -> Vec<f32> {
        let mut delegate = DelegateConfig::new(self.delegate);
        delegate.options = vec![(self.option.into(), folder.display().to_string())];
        // A driver may take longer to compile than a time quota permits.
        let quota = Quota { time: None, ..quota() };
        let builder = Interpreter::builder(model).registry(devices_too()).threads(1).quota(quota);
        let mut interpreter = builder.delegate(delegate).build().expect("it builds");
        interpreter.allocate().expect("a damaged cache is ignored");
        let ones: Vec<f32> = (0..32).map(|i| i as f32).collect();
        interpreter.input_mut(0).and_then(|x| x.copy_from_slice(&ones)).expect("32 floats");
        interpreter.invoke().expect("it runs");
        interpreter.output(0).and_then(|y| Ok(y.as_slice::<f32>()?.to_vec())).expect("floats")
    }
}

/// A model, its cache files, and its result.
struct Cached {
    keeper: Keeper,
    model: Model,
    folder: PathBuf,
    files: Vec<(PathBuf, Vec<u8>)>,
    answer: Vec<f32>,
}

impl Cached {
    fn new(keeper: Keeper) -> Cached {
        let folder = folder().join(keeper.delegate);
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        let model = packed();
        let answer = keeper.answer(&model, &folder);
        let entries = std::fs::read_dir(&folder).expect("it exists");
        let mut files: Vec<(PathBuf, Vec<u8>)> = entries
            .map(|entry| entry.expect("it can be read").path())
            .map(|path| (path.clone(), std::fs::read(path).expect("it can be read")))
            .collect();
        files.sort();
        assert!(!files.is_empty(), "{} writes no cache files", keeper.delegate);
        Cached { keeper, model, folder, files, answer }
    }

    /// Damages one file and checks that the result stays the same. Checksums are not adjusted: files with forged
    /// checksums are trusted, as docs/safety.md says.
    fn check(&self, bytes: &[u8]) {
        let mut random = Random::of_bytes(bytes);
        let which = if self.files.len() > 1 { random.below(self.files.len()) } else { 0 };
        for (i, (path, file)) in self.files.iter().enumerate() {
            let mut file = file.clone();
            if i == which {
                damage(&mut file, bytes, &mut random);
            }
            std::fs::write(path, file).expect("it can be written");
        }
        let answer = self.keeper.answer(&self.model, &self.folder);
        assert_eq!(answer, self.answer, "a damaged cache changes the result");
    }
}

/// A few changed bytes, a truncation, or other contents.
fn damage(file: &mut Vec<u8>, bytes: &[u8], random: &mut Random) {
    let new = bytes.get(1..).unwrap_or_default();
    match random.below(8) {
        0 => file.truncate(random.below(file.len() + 1)),
        1 => *file = new.to_vec(),
        2 => file.extend(new),
        _ => {
            for _ in 0..=random.below(6) {
                // The header and the table are damaged more often.
                let end = if random.chance(70) { 256.min(file.len()) } else { file.len() };
                let at = random.below(end);
                match random.below(3) {
                    0 => file[at] ^= 1 << random.below(8),
                    1 => file[at] = random.below(256) as u8,
                    _ => {
                        let word = random.pick(&[0, 1, u64::MAX, 1 << 63, 1 << 40, 64]).to_le_bytes();
                        file.iter_mut().skip(at & !7).zip(word).for_each(|(byte, new)| *byte = new);
                    }
                }
            }
        }
    }
}

/// Damages a file of packed weights as the bytes say.
pub(super) fn caches(bytes: &[u8]) {
    thread_local! {
        static CACHED: Cached = Cached::new(Keeper { delegate: "cpu", option: "cache" });
    }
    CACHED.with(|cached| cached.check(bytes));
}

/// Damages a compiled program of the OpenCL delegate as the bytes say.
///
/// # Panics
/// If the machine has no device.
pub(super) fn programs(bytes: &[u8]) {
    thread_local! {
        static CACHED: Cached = {
            let has_device = arenite_gpu::devices().is_ok_and(|devices| !devices.is_empty());
            assert!(has_device, "this machine has no device for opencl");
            Cached::new(Keeper { delegate: "opencl", option: "cache_dir" })
        };
    }
    CACHED.with(|cached| cached.check(bytes));
}
