//! `language`: compares signatures of language models with LiteRT, in turns, and with the speed of memory.

mod steps;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use arenite::{ElementType, Interpreter};
use arenite_model::ModelBuffer;
use clap::Args;
use memmap2::MmapMut;
use tempfile::TempDir;

use crate::contender::Contender;
use crate::definitions::{ContenderDefinition, Format};
use crate::failure::{Failure, Result};
use crate::options::Options;
use crate::protocol::{Opened, Request, Times};
use crate::statistics::minimum;
use crate::table::{Table, digits};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The models, .tflite files with signatures `prefill_N` and `decode`
    #[arg(required = true)]
    models: Vec<PathBuf>,

    /// The position of the first token: how many positions of the caches are in use
    #[arg(long, value_name = "P", default_value_t = 0)]
    position: i32,

    /// Only signatures that begin with this
    #[arg(long, value_name = "KEY", default_value = "")]
    signature: String,

    /// Show arenite's time per kind of step instead
    #[arg(long)]
    steps: bool,

    #[command(flatten)]
    options: Options,
}

/// The columns. `GB/s` is the rate at which as many bytes as the weights have are read, in turns with the runtimes.
const HEADS: [&str; 9] = [
    "model",
    "signature",
    "threads",
    "arenite ms",
    "LiteRT ms",
    "ratio",
    "weights MB",
    "GB/s",
    "of memory %",
];

/// The default seconds per runtime and signature.
const SECONDS: f64 = 3.0;

/// Runs the command.
pub(crate) fn language(arguments: &Arguments) -> Result<()> {
    if arguments.steps {
        return steps::show(arguments);
    }
    let mut table = Table::new(2, HEADS.map(str::to_owned));
    for model in &arguments.models {
        let name = model.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let file = ModelBuffer::from_file(model).map_err(|error| Failure::with(model.display(), error))?;
        let weights = weight_bytes(&file);
        for key in signatures(arguments, &file) {
            for threads in arguments.options.thread_counts(&[1]) {
                let turns = Turns::new(arguments, model, &key, threads)?;
                let [own, peer, read] = turns.run(&Memory::new(weights, threads)?)?;
                table.row([
                    name.clone(),
                    key.clone(),
                    threads.to_string(),
                    digits(own),
                    digits(peer),
                    digits(own / peer),
                    digits(weights as f64 / 1e6),
                    digits(weights as f64 / read / 1e6),
                    digits(100.0 * read / own),
                ]);
            }
        }
    }
    print!("{table}");
    Ok(())
}

/// Bytes of all constants.
fn weight_bytes(file: &ModelBuffer) -> usize {
    let model = file.model();
    (0..model.buffer_count()).map(|i| model.buffer(i).len()).sum()
}

/// The keys of the signatures to measure.
fn signatures(arguments: &Arguments, file: &ModelBuffer) -> Vec<String> {
    let model = file.model();
    let keys = model.signatures().iter().map(|signature| signature.key().to_owned());
    keys.filter(|key| key.starts_with(&arguments.signature)).collect()
}

/// arenite, ready to run one signature.
struct Own {
    interpreter: Interpreter,
    subgraph: usize,
    /// Bytes of the inputs, in the order of their names.
    inputs: Vec<Vec<u8>>,
}

impl Own {
    fn new(arguments: &Arguments, model: &Path, key: &str, threads: usize) -> Result<Self> {
        let mut interpreter = arguments.options.setup.load(model, threads)?;
        interpreter.tie_caches()?;
        let mut signature = interpreter.signature(key)?;
        signature.allocate()?;
        let mut names: Vec<String> = signature.input_names().map(str::to_owned).collect();
        names.sort();
        let mut inputs = Vec::new();
        for name in &names {
            if name.contains("mask") {
                let message =
                    format!("input '{name}' of '{key}' is a mask; only models that compute it are measured");
                return Err(Failure::with(model.display(), message));
            }
            let tensor = signature.input_mut(name)?;
            let is_positions = name.contains("pos") && tensor.tensor().ty == ElementType::I32;
            let bytes = tensor.into_bytes()?;
            bytes.fill(0);
            if is_positions {
                for (k, position) in bytes.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                    *position = (arguments.position + k as i32).to_le_bytes();
                }
            }
            inputs.push(bytes.to_vec());
        }
        signature.invoke()?;
        let subgraph = signature.subgraph();
        Ok(Own { interpreter, subgraph, inputs })
    }

    fn invoke(&mut self) -> Result<()> {
        Ok(self.interpreter.invoke_subgraph(self.subgraph)?)
    }
}

/// Both runtimes, ready to run one signature.
struct Turns {
    own: Own,
    peer: Contender,
    length: Duration,
    slice: Duration,
    _inputs: TempDir,
}

impl Turns {
    fn new(arguments: &Arguments, model: &Path, key: &str, threads: usize) -> Result<Self> {
        let options = &arguments.options;
        let own = Own::new(arguments, model, key, threads)?;
        let folder = tempfile::tempdir().map_err(|error| Failure::with("inputs", error))?;
        let mut inputs = vec![write(&folder, "key", key.as_bytes())?];
        for (i, bytes) in own.inputs.iter().enumerate() {
            inputs.push(write(&folder, &i.to_string(), bytes)?);
        }
        let command = ["{python}", "{bench}/contenders/litert_language.py"].map(str::to_owned).to_vec();
        let definition = ContenderDefinition { name: "litert".into(), command, reads: Format::Tflite };
        let mut peer = Contender::start(&definition, &options.places()?)?;
        let _: Opened = peer.ask(&Request::Open { model: model.to_owned(), threads, inputs })?;
        let effort = options.effort(SECONDS, 1);
        Ok(Turns { own, peer, length: effort.race, slice: effort.slice, _inputs: folder })
    }

    /// The least milliseconds of one invocation, arenite's and the peer's, and of reading the memory.
    fn run(mut self, memory: &Memory) -> Result<[f64; 3]> {
        let (mut own, mut peer, mut read) = (Vec::new(), Vec::new(), Vec::new());
        let begin = Instant::now();
        while begin.elapsed() < 2 * self.length || own.is_empty() {
            self.peer.settle();
            own.extend(self.own_turn()?);
            read.extend((0..3).map(|_| memory.read()));
            let request = Request::Run { for_ns: self.slice.as_nanos() as u64, batch: 1 };
            peer.extend(self.peer.ask::<Times>(&request)?.ns);
        }
        Ok([own, peer, read].map(|times| minimum(&times) * 1e-6))
    }

    /// Nanoseconds of invocations. The first is not counted, because the peer has filled the caches.
    fn own_turn(&mut self) -> Result<Vec<f64>> {
        self.own.invoke()?;
        let (begin, mut times) = (Instant::now(), Vec::new());
        while times.is_empty() || begin.elapsed() < self.slice {
            let start = Instant::now();
            self.own.invoke()?;
            times.push(start.elapsed().as_nanos() as f64);
        }
        Ok(times)
    }
}

fn write(folder: &TempDir, name: &str, bytes: &[u8]) -> Result<PathBuf> {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).map_err(|error| Failure::with(path.display(), error))?;
    Ok(path)
}

/// As much memory as the weights of a model need, to measure how fast threads read it.
struct Memory {
    bytes: MmapMut,
    threads: usize,
}

impl Memory {
    fn new(bytes: usize, threads: usize) -> Result<Self> {
        let mut bytes =
            MmapMut::map_anon(bytes.max(1)).map_err(|error| Failure::with("memory to read", error))?;
        #[cfg(target_os = "linux")]
        // The delegate's packed weights have large pages, too. Without them reading is slower.
        drop(bytes.advise(memmap2::Advice::HugePage));
        bytes.fill(1);
        Ok(Memory { bytes, threads })
    }

    /// Nanoseconds in which the threads read everything once.
    fn read(&self) -> f64 {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for part in self.bytes.chunks(self.bytes.len().div_ceil(self.threads)) {
                scope.spawn(move || black_box(sum(part)));
            }
        });
        start.elapsed().as_nanos() as f64
    }
}

/// The sum of the words, in independent chains.
fn sum(bytes: &[u8]) -> [u64; 16] {
    let mut sums = [0u64; 16];
    for words in bytes.as_chunks::<128>().0 {
        for (sum, word) in sums.iter_mut().zip(words.as_chunks::<8>().0) {
            *sum = sum.wrapping_add(u64::from_le_bytes(*word));
        }
    }
    sums
}
