//! Mutates the seeds of a fuzz target and runs it without coverage or a sanitizer: faster than libFuzzer, and with any
//! toolchain.
//!
//! ```text
//! fuzz_many TARGET EXECUTIONS [SEED] [FOLDER…]        a number, or a time such as 60s
//! fuzz_many TARGET FILE…                              these inputs once; the model of a description goes to TMPDIR/described.tflite
//! ```
//! Files of the folders are mutated in addition to `tests/fuzz/seeds/TARGET`. The program stops with an error at the
//! first panic, crash or execution of more than ten seconds. The last input is then in `fuzz_many-TARGET-SEED.bytes` in
//! the temporary folder, preceded by its length.
#![forbid(unsafe_code)]

use std::fs::File;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arenite_test_calls as calls;
use arenite_tests::fuzz;
use arenite_tests::mutants::Random;

/// The time limit of one execution.
const LONGEST: Duration = Duration::from_secs(10);
/// Drivers compile programs within an execution.
const LONGEST_OF_DEVICES: Duration = Duration::from_secs(60);
/// The largest size of an input, in bytes.
const MOST: usize = 4096;

/// The number of panics so far. A panic that a backend turns into an error is a failure, too.
static PANICS: AtomicU64 = AtomicU64::new(0);

fn main() -> ExitCode {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        print(panic);
    }));
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("fuzz_many: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The parsed command line.
struct Job {
    name: String,
    target: fn(&[u8]),
    count: u64,
    limit: Duration,
    seed: u64,
    seeds: Vec<Vec<u8>>,
}

fn run() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, count, rest @ ..] = &arguments[..] else {
        return Err(
            "usage: fuzz_many TARGET EXECUTIONS [SEED] [FOLDER…], or fuzz_many TARGET FILE…".to_owned()
        );
    };
    let mut targets = fuzz::TARGETS.iter().chain(calls::TARGETS);
    let (_, target) = targets.find(|target| target.0 == name).ok_or(format!("no target '{name}'"))?;
    if Path::new(count).is_file() {
        return arguments[1..].iter().try_for_each(|file| replay(name, *target, file));
    }
    let (count, seconds) = match count.strip_suffix('s') {
        Some(seconds) => ("18446744073709551615", seconds),
        None => (&count[..], "31536000"),
    };
    let count = count.parse().map_err(|_| format!("'{count}' is not a number"))?;
    let seconds = seconds.parse().map_err(|_| format!("'{seconds}s' is not a time"))?;
    let seed = rest.first().map_or(Ok(1), |seed| seed.parse()).map_err(|_| "SEED is not a number")?;
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds").join(name)];
    folders.extend(rest.iter().skip(1).map(PathBuf::from));
    let (limit, seeds) = (Duration::from_secs(seconds), read(&folders)?);
    Job { name: name.clone(), target: *target, count, limit, seed, seeds }.run()
}

/// Runs one input.
fn replay(name: &str, target: fn(&[u8]), file: &str) -> Result<(), String> {
    let bytes = std::fs::read(file).map_err(|e| format!("{file}: {e}"))?;
    if name == "described" {
        // The file can be passed to `arenite inspect`.
        let model = std::env::temp_dir().join("described.tflite");
        let written = std::fs::write(&model, fuzz::generate::model(&bytes).finish());
        written.map_err(|e| format!("{}: {e}", model.display()))?;
    }
    if fails(target, &bytes) { Err(format!("{file} fails")) } else { Ok(()) }
}

/// Whether the target, or a backend that it calls, panics.
fn fails(target: fn(&[u8]), bytes: &[u8]) -> bool {
    std::panic::catch_unwind(|| target(bytes)).is_err() || PANICS.load(Ordering::Relaxed) > 0
}

impl Job {
    fn run(self) -> Result<(), String> {
        let Job { name, target, count, limit, seed, seeds } = self;
        let path = std::env::temp_dir().join(format!("fuzz_many-{name}-{seed}.bytes"));
        let explain = |e: std::io::Error| format!("{}: {e}", path.display());
        let mut last = File::create(&path).map_err(explain)?;
        let done = Arc::new(AtomicU64::new(0));
        watch(name.clone(), Arc::clone(&done));
        let (mut random, begun) = (Random(seed), Instant::now());
        let mut bytes = Vec::new();
        let mut executions = 0;
        while executions < count && begun.elapsed() <= limit {
            bytes.clone_from(&seeds[random.below(seeds.len())]);
            if executions >= seeds.len() as u64 {
                change(&mut bytes, &seeds, &mut random, matches!(&name[..], "model" | "micro"));
            }
            // The file is never truncated, so the length comes first.
            let length = (bytes.len() as u64).to_le_bytes();
            let written = last.rewind().and_then(|()| last.write_all(&length));
            written.and_then(|()| last.write_all(&bytes)).map_err(explain)?;
            if fails(target, &bytes) {
                let place = path.display();
                return Err(format!("execution {executions} failed; its bytes, after their length: {place}"));
            }
            executions += 1;
            done.store(executions, Ordering::Relaxed);
        }
        let rate = executions as f64 / begun.elapsed().as_secs_f64();
        let steps = calls::STEPS.load(Ordering::Relaxed);
        let steps = if steps > 0 { format!(" of at least {steps} calls") } else { String::new() };
        println!("{name}: {executions} executions{steps}, none failed, {rate:.0} per second");
        let _ = std::fs::remove_file(&path);
        Ok(())
    }
}

fn read(folders: &[PathBuf]) -> Result<Vec<Vec<u8>>, String> {
    let mut seeds = Vec::new();
    for folder in folders {
        let explain = |e: std::io::Error| format!("{}: {e}", folder.display());
        for entry in std::fs::read_dir(folder).map_err(explain)? {
            seeds.push(std::fs::read(entry.map_err(explain)?.path()).map_err(explain)?);
        }
    }
    if seeds.is_empty() { Err("no seeds found".to_owned()) } else { Ok(seeds) }
}

/// Up to eight mutations: bytes, bits, words, deleted and inserted runs, parts of another seed.
fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random, is_model: bool) {
    if is_model && random.below(2) == 0 {
        let size = bytes.len();
        bytes.resize(MOST.max(size), 0);
        let size = fuzz::mutate(bytes, size, random.number());
        bytes.truncate(size);
        return;
    }
    for _ in 0..=random.below(8) {
        let at = random.below(bytes.len() + 1);
        let run = 1 + random.below(16);
        match random.below(7) {
            0 | 1 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = random.number() as u8),
            2 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
            3 => {
                let word = random.word().to_le_bytes();
                bytes.iter_mut().skip(at).zip(word).for_each(|(byte, new)| *byte = new);
            }
            4 => drop(bytes.drain(at..(at + run).min(bytes.len()))),
            5 => {
                let new: Vec<u8> = (0..run).map(|_| random.number() as u8).collect();
                drop(bytes.splice(at..at, new));
            }
            _ => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len() + 1);
                let part = other[from..].iter().take(4 * run).copied();
                drop(bytes.splice(at..(at + run).min(bytes.len()), part));
            }
        }
    }
    bytes.truncate(MOST);
}

/// Ends the process if one execution takes too long; prints the progress once a minute.
fn watch(name: String, done: Arc<AtomicU64>) {
    let longest =
        if matches!(&name[..], "opencl" | "vulkan" | "programs") { LONGEST_OF_DEVICES } else { LONGEST };
    std::thread::spawn(move || {
        let mut said = Instant::now();
        loop {
            let before = done.load(Ordering::Relaxed);
            std::thread::sleep(longest);
            let now = done.load(Ordering::Relaxed);
            if now == before {
                eprintln!("fuzz_many: an execution takes more than {} s", longest.as_secs());
                std::process::exit(3);
            }
            if said.elapsed() >= Duration::from_secs(60) {
                said = Instant::now();
                eprintln!("{name}: {now} executions, {} calls", calls::STEPS.load(Ordering::Relaxed));
            }
        }
    });
}
