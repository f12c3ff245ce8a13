//! Runs many cases and counts.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::Serialize;

use crate::case::Case;
use crate::run::{self, Outcome, Setup};
use crate::selection::Selection;
use crate::source::Source;

/// The number of cases that passed, failed, and were skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Cases whose outputs are all as expected.
    pub passed: usize,
    /// Cases with wrong outputs or an error.
    pub failed: usize,
    /// Cases that were not selected.
    pub skipped: usize,
}

/// A case that failed.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// The case.
    pub case: String,
    /// The family under which it is counted.
    pub op: String,
    /// The failures, one entry per output or error.
    pub messages: Vec<String>,
}

/// The summary of a suite.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// The totals of all cases.
    pub totals: Counts,
    /// The number of nodes, over all passed and failed cases.
    pub nodes: usize,
    /// The number of these nodes that delegates ran.
    pub delegated: usize,
    /// The totals by family.
    pub ops: BTreeMap<String, Counts>,
    /// Cases, by family, that passed only because a delegate's results may be off by a step.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub by_a_step: BTreeMap<String, usize>,
    /// The failed cases, in the order of the suite.
    pub failures: Vec<Failure>,
    /// Cases that the micro interpreter does not support, and why. They count as skipped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Failure>,
}

/// Runs `cases` on `jobs` threads; `progress` is called after each with the number of failures so far.
pub fn run(
    cases: Vec<Source>,
    selection: &Selection,
    setup: &Setup,
    jobs: NonZeroUsize,
    progress: impl Fn(usize) + Sync,
) -> Summary {
    let results: Vec<Mutex<Option<Ran>>> = cases.iter().map(|_| Mutex::new(None)).collect();
    let (next, failures) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some((source, result)) = {
            let i = next.fetch_add(1, Ordering::Relaxed);
            cases.get(i).zip(results.get(i))
        } {
            let ran = one(source, selection, setup);
            failures.fetch_add(usize::from(ran.is_failure()), Ordering::Relaxed);
            *lock(result) = Some(ran);
            progress(failures.load(Ordering::Relaxed));
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs.get() {
            scope.spawn(work);
        }
    });
    let mut summary = Summary::default();
    for ran in results.iter().filter_map(|result| lock(result).take()) {
        summary.add(ran);
    }
    summary
}

struct Ran {
    case: String,
    op: String,
    /// `None` if the case was not selected.
    outcome: Option<Outcome>,
}

impl Ran {
    fn is_failure(&self) -> bool {
        self.outcome.as_ref().is_some_and(|outcome| !outcome.failures.is_empty())
    }
}

fn one(source: &Source, selection: &Selection, setup: &Setup) -> Ran {
    match Case::read(source.clone()) {
        Err(message) => {
            let outcome = Outcome { failures: vec![message], ..Outcome::default() };
            Ran { case: source.to_string(), op: "unreadable".into(), outcome: Some(outcome) }
        }
        Ok(case) => {
            let outcome = selection.takes(&case).then(|| run::case(&case, setup));
            Ran { case: case.text.name, op: case.text.op, outcome }
        }
    }
}

impl Summary {
    fn add(&mut self, ran: Ran) {
        let counts = self.ops.entry(ran.op.clone()).or_default();
        let Some(outcome) = ran.outcome else {
            counts.skipped += 1;
            self.totals.skipped += 1;
            return;
        };
        self.nodes += outcome.nodes;
        self.delegated += outcome.delegated;
        if let (true, Some(reason)) = (outcome.failures.is_empty(), outcome.refused) {
            counts.skipped += 1;
            self.totals.skipped += 1;
            self.refused.push(Failure { case: ran.case, op: ran.op, messages: vec![reason] });
        } else if outcome.failures.is_empty() {
            counts.passed += 1;
            self.totals.passed += 1;
            if outcome.by_a_step {
                *self.by_a_step.entry(ran.op).or_default() += 1;
            }
        } else {
            counts.failed += 1;
            self.totals.failed += 1;
            self.failures.push(Failure { case: ran.case, op: ran.op, messages: outcome.failures });
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
