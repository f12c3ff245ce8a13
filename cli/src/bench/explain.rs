//! "Why is it slow?" joins a profile, the delegates' refusals, other thread counts and the start. Every number is
//! measured in this run.

mod detail;
mod gaps;
mod starts;
mod threads;

use std::fmt::{self, Display};

use arenite_common::profile::OpTime;
use serde::Serialize;

pub(super) use self::detail::Detail;
use self::detail::WIDTH;
use self::gaps::Gaps;
use self::starts::Saving;
pub(super) use self::threads::Threads;
use super::contender::Contender;
use super::load::Load;
use crate::text::{self, DIM, HEAD, Visible};

/// Percent of the time from which one node or step is worth a line.
const DOMINANT: f64 = 50.0;
/// Processors that other programs keep busy from which that is worth a line.
const BUSY: f64 = 0.25;

/// The reasons why a model is slow.
#[derive(Serialize)]
pub(super) struct Explanation {
    no_delegate: Gaps,
    slowest: Option<Slowest>,
    threads: Threads,
    /// Parts of the start that a cache saves.
    start: Vec<Saving>,
    /// Processors that other programs kept busy during the measurement; null if it was too short.
    busy_elsewhere: Option<f64>,
    processors: Option<usize>,
    #[serde(skip)]
    detail: Detail,
}

/// The node or delegate's step that takes the most time.
#[derive(Serialize)]
struct Slowest {
    op: String,
    output: String,
    delegate: Option<String>,
    percent: f64,
}

impl Explanation {
    /// Explains a contender by its profile `ops` and the earlier measurements.
    pub(super) fn of(
        contender: &Contender<'_>,
        ops: &[OpTime],
        threads: Threads,
        [before, after]: [Option<Load>; 2],
        detail: Detail,
    ) -> Self {
        let interpreter = &contender.interpreter;
        let slowest = ops.iter().max_by(|a, b| a.percent.total_cmp(&b.percent));
        Explanation {
            no_delegate: Gaps::of(ops, interpreter, contender.subgraph),
            slowest: slowest.filter(|_| ops.len() > 1).map(|op| Slowest {
                op: op.step().to_owned(),
                output: op.output.clone(),
                delegate: op.delegate.clone(),
                percent: op.percent,
            }),
            threads,
            start: starts::savings(interpreter, contender.init),
            busy_elsewhere: before.zip(after).and_then(|(before, after)| after.others_since(&before)),
            processors: after.map(|load| load.processors()),
            detail,
        }
    }

    /// The lines that are worth reading.
    fn lines(&self) -> Vec<String> {
        let Explanation { no_delegate, detail, .. } = self;
        let mut lines = no_delegate.lines(*detail);
        let slowest = self.slowest.iter();
        let dominant =
            slowest.filter(|slowest| slowest.percent >= DOMINANT && !no_delegate.names(&slowest.op));
        lines.extend(dominant.map(|Slowest { op, output, delegate, percent }| {
            let by = delegate.as_ref().map_or_else(String::new, |name| format!(" of delegate {name}"));
            let (op, output) = (text::shorten(op, WIDTH), text::shorten(output, 50));
            format!("{percent:.0} % of the time is in one step{by}: {op} '{output}'")
        }));
        lines.extend(self.threads.lines(*detail));
        lines.extend(self.start.iter().filter_map(|saving| saving.line(*detail)));
        if let (Some(busy), Some(processors)) = (self.busy_elsewhere, self.processors)
            && busy >= BUSY
        {
            lines.push(format!(
                "other programs kept {busy:.1} of {processors} processors busy; an idle machine is faster"
            ));
        }
        lines
    }
}

impl Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.lines();
        if lines.is_empty() {
            return match self.detail {
                Detail::Findings => Ok(()),
                Detail::All => writeln!(f, "\n{DIM}no single reason makes it slow{DIM:#}"),
            };
        }
        writeln!(f, "\n{HEAD}Why is it slow?{HEAD:#}")?;
        lines.iter().try_for_each(|line| writeln!(f, "  {}", Visible(line)))
    }
}
