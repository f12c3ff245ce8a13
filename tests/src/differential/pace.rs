//! Compares a delegate with the reference ops that it replaces, node by node, on one thread: by time, or by counted
//! instructions.

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use arenite::{Interpreter, NodeProvider};

use super::draw_node;
use super::graph::{CPU, Graph, Setting};
use super::run::{Failure, build, invoke};

/// Time that each side runs in a round.
const TURN: Duration = Duration::from_micros(300);
/// Rounds; the fastest one counts.
const ROUNDS: usize = 7;
/// The longest run of the reference ops that is measured.
const LONGEST: Duration = Duration::from_millis(200);

/// The costs of one graph.
pub struct Pace {
    /// The graph.
    pub graph: Graph,
    /// The cost of an invocation on the reference ops, in seconds or instructions.
    pub reference: f64,
    /// The cost of an invocation on the delegate, in the same unit.
    pub delegate: f64,
}

impl Pace {
    /// The delegate's cost in units of the reference ops' cost.
    pub fn ratio(&self) -> f64 {
        self.delegate / self.reference
    }
}

/// One node, ready to run on the reference ops and on the delegate.
struct Sides {
    graph: Graph,
    reference: Interpreter,
    delegate: Interpreter,
}

/// The times of the node that this seed draws; `None` if it draws none, it does not run, or the delegate leaves a part
/// of it to the reference ops.
pub fn pace(seed: u64, isa: Option<&str>) -> Option<Pace> {
    let mut sides = sides(seed, isa)?;
    let start = Instant::now();
    sides.reference.invoke().ok()?;
    if start.elapsed() > LONGEST {
        return None;
    }
    let mut least = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        for (side, least) in [&mut sides.reference, &mut sides.delegate].into_iter().zip(&mut least) {
            *least = least.min(turn(side)?);
        }
    }
    Some(Pace { graph: sides.graph, reference: least[0], delegate: least[1] })
}

/// The instructions that the nodes of these seeds take, counted by valgrind in a process that runs
/// [`run_to_be_counted`] because of `arguments`.
///
/// # Errors
///
/// Valgrind is not installed, or the process failed.
pub fn count(arguments: &[String]) -> Result<Vec<Pace>, String> {
    let folder = tempfile::tempdir().map_err(|e| format!("cannot create a temporary folder: {e}"))?;
    let counts = folder.path().join("counts");
    let program = std::env::current_exe().map_err(|e| format!("cannot find this program's file: {e}"))?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--collect-atstart=no"]);
    for option in ["--toggle-collect", "--dump-after"] {
        valgrind.arg(format!("{option}={}::counted_invocation", module_path!()));
    }
    valgrind.arg(format!("--callgrind-out-file={}", counts.display())).arg(program).args(arguments);
    let output =
        valgrind.output().map_err(|e| format!("cannot run valgrind, which counts instructions: {e}"))?;
    if !output.status.success() {
        return Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    let seeds = String::from_utf8_lossy(&output.stdout);
    let mut next = 0;
    let mut total = || {
        next += 1;
        total_of(&counts.with_extension(next.to_string()))
    };
    seeds
        .lines()
        .map(|seed| {
            let graph =
                seed.parse().ok().and_then(draw_node).ok_or_else(|| format!("'{seed}' is not a seed"))?;
            Ok(Pace { graph, reference: total()?, delegate: total()? })
        })
        .collect()
}

/// The instructions in a file of callgrind.
fn total_of(file: &Path) -> Result<f64, String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    total
        .and_then(|count| count.trim().parse().ok())
        .ok_or_else(|| format!("{}: no line 'totals: …'", file.display()))
}

/// Runs the node of this seed once on each side, so that valgrind can count both. Whether the seed draws a node that
/// the delegate runs.
///
/// # Errors
///
/// An invocation failed, although the one before it succeeded.
pub fn run_to_be_counted(seed: u64, isa: Option<&str>) -> Result<bool, arenite::Error> {
    let Some(mut sides) = sides(seed, isa) else { return Ok(false) };
    counted_invocation(&mut sides.reference)?;
    counted_invocation(&mut sides.delegate)?;
    Ok(true)
}

// Valgrind finds the function by its name. `black_box` keeps the call from becoming a jump, after which valgrind would
// not see it return.
#[inline(never)]
fn counted_invocation(interpreter: &mut Interpreter) -> Result<(), arenite::Error> {
    black_box(interpreter.invoke())
}

fn sides(seed: u64, isa: Option<&str>) -> Option<Sides> {
    let graph = draw_node(seed)?;
    let setting = Setting {
        delegate: CPU.to_owned(),
        isa: isa.map(str::to_owned),
        threads: 1,
        winograd: true,
        call: Default::default(),
    };
    let (reference, delegate) = (ready(&graph, None).ok()?, ready(&graph, Some(&setting)).ok()?);
    let served = delegate.served_by();
    let is_delegated = |served: &NodeProvider| matches!(served, NodeProvider::Delegate { .. });
    let is_done = |served: &NodeProvider| is_delegated(served) || matches!(served, NodeProvider::Folded(_));
    let is_all = served.iter().all(is_done) && served.iter().any(is_delegated);
    is_all.then_some(Sides { graph, reference, delegate })
}

fn ready(graph: &Graph, setting: Option<&Setting>) -> Result<Interpreter, Failure> {
    let mut interpreter = build(graph, setting)?;
    invoke(&mut interpreter, graph, 0, false, None)?;
    Ok(interpreter)
}

/// Seconds per invocation.
fn turn(interpreter: &mut Interpreter) -> Option<f64> {
    let (start, mut count) = (Instant::now(), 0);
    while start.elapsed() < TURN {
        for _ in 0..4 {
            interpreter.invoke().ok()?;
        }
        count += 4;
    }
    Some(start.elapsed().as_secs_f64() / f64::from(count))
}
