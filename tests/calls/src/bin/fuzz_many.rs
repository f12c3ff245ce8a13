//! Mutates the seeds of a fuzz target and runs it, without coverage and without a sanitizer: faster, and with any toolchain.
//!
//! ```text
//! fuzz_many TARGET EXECUTIONS [SEED] [FOLDER…]        a number, or a time such as 60s
//! ```
//! Files of the folders are mutated in addition to `tests/fuzz/seeds/TARGET`. The program stops with an error at the first panic, crash or
//! execution of more than ten seconds. The last input is then in `fuzz_many-TARGET-SEED.bytes` in the folder for temporary files, behind
//! its length.
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
/// Largest size of an input, in bytes.
const MOST: usize = 4096;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("fuzz_many: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, count, rest @ ..] = &arguments[..] else {
        return Err("usage: fuzz_many TARGET EXECUTIONS [SEED] [FOLDER…]".to_owned());
    };
    let mut targets = fuzz::TARGETS.iter().chain(calls::TARGETS);
    let (_, target) = targets.find(|target| target.0 == name).ok_or(format!("no target '{name}'"))?;
    let (count, seconds) = match count.strip_suffix('s') {
        Some(seconds) => ("18446744073709551615", seconds),
        None => (&count[..], "31536000"),
    };
    let count: u64 = count.parse().map_err(|_| format!("'{count}' is no number"))?;
    let seconds: u64 = seconds.parse().map_err(|_| format!("'{seconds}s' is no time"))?;
    let limit = Duration::from_secs(seconds);
    let seed: u64 = rest.first().map_or(Ok(1), |seed| seed.parse()).map_err(|_| "SEED is no number")?;
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds").join(name);
    let mut folders = vec![own];
    folders.extend(rest.iter().skip(1).map(PathBuf::from));
    let seeds = read(&folders)?;

    let path = std::env::temp_dir().join(format!("fuzz_many-{name}-{seed}.bytes"));
    let mut last = File::create(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let done = Arc::new(AtomicU64::new(0));
    watch(Arc::clone(&done), matches!(&name[..], "opencl" | "vulkan"));
    let (mut random, begun) = (Random(seed), Instant::now());
    let mut bytes = Vec::new();
    let mut executions = 0;
    for i in 0..count {
        if begun.elapsed() > limit {
            break;
        }
        executions = i + 1;
        bytes.clone_from(&seeds[random.below(seeds.len())]);
        if i >= seeds.len() as u64 {
            change(&mut bytes, &seeds, &mut random, matches!(&name[..], "model" | "micro"));
        }
        // The file is never truncated, so the length comes first.
        let length = (bytes.len() as u64).to_le_bytes();
        let kept = last.rewind().and_then(|()| last.write_all(&length)).and_then(|()| last.write_all(&bytes));
        kept.map_err(|e| format!("{}: {e}", path.display()))?;
        if std::panic::catch_unwind(|| target(&bytes)).is_err() {
            return Err(format!("execution {i} failed; its bytes, behind their length: {}", path.display()));
        }
        done.store(i + 1, Ordering::Relaxed);
    }
    let seconds = begun.elapsed().as_secs_f64();
    let steps = calls::STEPS.load(Ordering::Relaxed);
    let steps = if steps > 0 { format!(" of {steps} calls or more") } else { String::new() };
    println!(
        "{name}: {executions} executions{steps}, none failed, {:.0} per second",
        executions as f64 / seconds
    );
    let _ = std::fs::remove_file(path);
    Ok(())
}

fn read(folders: &[PathBuf]) -> Result<Vec<Vec<u8>>, String> {
    let mut seeds = Vec::new();
    for folder in folders {
        let explain = |e: std::io::Error| format!("{}: {e}", folder.display());
        for entry in std::fs::read_dir(folder).map_err(explain)? {
            seeds.push(std::fs::read(entry.map_err(explain)?.path()).map_err(explain)?);
        }
    }
    if seeds.is_empty() { Err("there are no seeds".to_owned()) } else { Ok(seeds) }
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

/// Ends the process when one execution takes too long.
fn watch(done: Arc<AtomicU64>, of_devices: bool) {
    let longest = if of_devices { LONGEST_OF_DEVICES } else { LONGEST };
    std::thread::spawn(move || {
        loop {
            let before = done.load(Ordering::Relaxed);
            std::thread::sleep(longest);
            if done.load(Ordering::Relaxed) == before {
                eprintln!("fuzz_many: an execution takes more than {} s", longest.as_secs());
                std::process::exit(3);
            }
        }
    });
}
