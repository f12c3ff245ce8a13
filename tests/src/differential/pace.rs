//! Compares the time of a delegate with the time of the reference ops that it replaces, node by node, on one thread.

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

/// The times of one graph.
pub struct Pace {
    /// The graph.
    pub graph: Graph,
    /// Seconds of an invocation on the reference ops.
    pub reference: f64,
    /// Seconds of an invocation on the delegate.
    pub delegate: f64,
}

impl Pace {
    /// The delegate's time in units of the reference ops' time.
    pub fn ratio(&self) -> f64 {
        self.delegate / self.reference
    }
}

/// The times of the node that this seed draws; `None` if it draws none, it does not run, or the delegate leaves a part
/// of it to the reference ops.
pub fn pace(seed: u64, isa: Option<&str>) -> Option<Pace> {
    let graph = draw_node(seed)?;
    let setting = Setting {
        delegate: CPU.to_owned(),
        isa: isa.map(str::to_owned),
        threads: 1,
        winograd: true,
        call: Default::default(),
    };
    let mut sides = [ready(&graph, None).ok()?, ready(&graph, Some(&setting)).ok()?];
    let served = sides[1].served_by();
    let is_delegated = |served: &NodeProvider| matches!(served, NodeProvider::Delegate { .. });
    let is_done = |served: &NodeProvider| is_delegated(served) || matches!(served, NodeProvider::Folded(_));
    if !served.iter().all(is_done) || !served.iter().any(is_delegated) {
        return None;
    }
    let start = Instant::now();
    sides[0].invoke().ok()?;
    if start.elapsed() > LONGEST {
        return None;
    }
    let mut least = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        for (side, least) in sides.iter_mut().zip(&mut least) {
            *least = least.min(turn(side)?);
        }
    }
    Some(Pace { graph, reference: least[0], delegate: least[1] })
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
