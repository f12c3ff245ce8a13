//! Starts of a program that runs a model on a delegate.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use arenite::config::DelegateConfig;
use arenite::{ElementType, FactValue, Interpreter, Model, NodeProvider, Registry};
use arenite_tests::mutants::Random;
use serde::{Deserialize, Serialize};

use crate::{Failure, name};

/// The measurements of a start.
#[derive(Serialize, Deserialize)]
pub(crate) struct Start {
    nodes: usize,
    claimed: usize,
    partitions: usize,
    /// The time from loading the model to the first results.
    seconds: f64,
    /// The facts of all partitions, in the order of [`FACTS`].
    facts: [u64; 7],
    /// The largest difference from the reference ops, relative to the largest value of the output.
    off: f64,
}

const FACTS: [&str; 7] = [
    "kernels of an invocation",
    "to the device in the last invocation",
    "from the device in the last invocation",
    "programs that were compiled",
    "kernels that were tuned",
    "time of programs",
    "time of tuning",
];

/// Runs a start in this process.
pub(crate) fn start(
    path: &Path,
    registry: &Arc<Registry>,
    delegate: &DelegateConfig,
    floats: (f32, f32),
) -> Result<Start, Failure> {
    let begun = Instant::now();
    let model = Model::from_file(path)?;
    let builder = || Interpreter::builder(&model).registry(Arc::clone(registry)).without_default_delegate();
    let mut interpreter = builder().delegate(delegate.clone()).build()?;
    let got = run(&mut interpreter, floats)?;
    let seconds = begun.elapsed().as_secs_f64();
    if let Some(left) = interpreter.left_out().first() {
        return Err(format!("{}: {}", delegate.name, left.reason).into());
    }
    let mut facts = [0; 7];
    let partitions = interpreter.facts();
    for fact in partitions.iter().flat_map(|partition| &partition.facts) {
        if let (Some(at), FactValue::Number(number, _)) =
            (FACTS.iter().position(|key| *key == fact.key), &fact.value)
        {
            facts[at] += number;
        }
    }
    let served = interpreter.served_by();
    let claimed = served.iter().filter(|served| matches!(served, NodeProvider::Delegate { .. })).count();
    let want = run(&mut builder().build()?, floats)?;
    let off = want.iter().zip(&got).map(|(want, got)| off(want, got)).fold(0.0, f64::max);
    Ok(Start { nodes: served.len(), claimed, partitions: partitions.len(), seconds, facts, off })
}

/// The results for seeded random inputs.
fn run(interpreter: &mut Interpreter, (low, high): (f32, f32)) -> Result<Vec<Vec<f64>>, Failure> {
    interpreter.allocate()?;
    let mut random = Random(1);
    for i in 0..interpreter.input_count() {
        let input = interpreter.input_mut(i)?;
        let (ty, count) = (input.tensor().ty, input.tensor().shape.iter().map(|&n| n as usize).product());
        let mut bytes = Vec::new();
        for _ in 0..count {
            match ty {
                ElementType::F32 => {
                    bytes.extend((low + (high - low) * random.below(2001) as f32 / 2000.0).to_le_bytes());
                }
                ElementType::I32 => bytes.extend((random.below(2) as i32).to_le_bytes()),
                ElementType::I64 => bytes.extend((random.below(2) as i64).to_le_bytes()),
                ElementType::I8 | ElementType::U8 => bytes.push(random.below(256) as u8),
                ty => return Err(format!("input {i} is {ty}").into()),
            }
        }
        input.copy_from_bytes(&bytes)?;
    }
    interpreter.invoke()?;
    (0..interpreter.output_count()).map(|i| numbers(interpreter, i)).collect()
}

fn numbers(interpreter: &Interpreter, i: usize) -> Result<Vec<f64>, Failure> {
    let output = interpreter.output(i)?;
    let bytes = output.bytes()?;
    Ok(match output.ty {
        ElementType::F32 => {
            bytes.as_chunks().0.iter().map(|&bytes| f64::from(f32::from_le_bytes(bytes))).collect()
        }
        ElementType::I8 => bytes.iter().map(|&byte| f64::from(byte as i8)).collect(),
        ElementType::U8 => bytes.iter().map(|&byte| f64::from(byte)).collect(),
        ty => return Err(format!("output {i} is {ty}").into()),
    })
}

fn off(want: &[f64], got: &[f64]) -> f64 {
    let largest = want.iter().fold(0.0, |most, x: &f64| x.abs().max(most));
    let differences = want.iter().zip(got).map(|(want, got)| (want - got).abs());
    // NaN counts as an infinite difference.
    differences.fold(0.0, |most: f64, x| if x <= most { most } else { x })
        / f64::max(largest, f64::MIN_POSITIVE)
}

/// One row per model and delegate.
pub(crate) fn table(rows: &[(&PathBuf, DelegateConfig)], floats: (f32, f32)) -> Result<String, Failure> {
    let mut text = String::from(
        "| model | delegate | nodes | claimed | partitions | kernels | to the device | and back | programs | tuned | compiling | tuning | first start | second | compiled, tuned | off by |\n",
    );
    text.push_str(&format!("|{}", "---|".repeat(16)));
    for (path, delegate) in rows {
        let [first, second] = starts(path, delegate, floats)?;
        let Start { nodes, claimed, partitions, seconds, facts, off } = first;
        let [kernels, up, down, programs, tuned, compiling, tuning] = facts;
        let time = |nanoseconds: u64| format!("{:.2} s", nanoseconds as f64 / 1e9);
        let counts = format!(
            "{nodes} | {claimed} | {partitions} | {kernels} | {up} B | {down} B | {programs} | {tuned}"
        );
        let times =
            format!("{} | {} | {seconds:.2} s | {:.2} s", time(compiling), time(tuning), second.seconds);
        let again = format!("{}, {}", second.facts[3], second.facts[4]);
        text.push_str(&format!(
            "\n| {} | {} | {counts} | {times} | {again} | {off:.1e} |",
            name(path),
            delegate.name
        ));
    }
    Ok(text + "\n")
}

/// Two starts with the same caches, which are deleted afterwards.
fn starts(path: &Path, delegate: &DelegateConfig, floats: (f32, f32)) -> Result<[Start; 2], Failure> {
    let folder = std::env::temp_dir().join(format!("gpu_table.{}", std::process::id()));
    std::fs::create_dir_all(folder.join("driver"))?;
    let both = one(path, delegate, floats, &folder)
        .and_then(|first| Ok([first, one(path, delegate, floats, &folder)?]));
    std::fs::remove_dir_all(&folder)?;
    both
}

/// Runs a start in a new process.
fn one(path: &Path, delegate: &DelegateConfig, floats: (f32, f32), folder: &Path) -> Result<Start, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("--start").arg(path).args(["--delegate", &delegate.name]);
    command.arg(format!("--floats={}={}", floats.0, floats.1));
    let caches = [("tuning", "exhaustive".to_owned()), ("cache_dir", folder.display().to_string())];
    let caches = caches.iter().map(|(key, value)| format!("{key}={value}"));
    let asked = delegate.options.iter().map(|(key, value)| format!("{key}={value}"));
    caches.chain(asked).for_each(|option| _ = command.args(["--option", &option]));
    for variable in ["POCL_CACHE_DIR", "MESA_SHADER_CACHE_DIR"] {
        command.env(variable, folder.join("driver"));
    }
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned().into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
