//! Formats a suite's summary.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use crate::suite::{Counts, Failure, Summary};

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// Failures, a table by family, and the totals as the last line.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            for message in &failure.messages {
                writeln!(f, "FAIL {}: {message}", failure.case)?;
            }
        }
        write_refused(f, &self.refused)?;
        let ran = |counts: &Counts| counts.passed + counts.failed > 0;
        let rows: Vec<_> = self.ops.iter().filter(|(_, counts)| ran(counts)).collect();
        let width = rows.iter().map(|(op, _)| op.len()).max().unwrap_or(0).max(4);
        writeln!(f, "\n{:width$}  {:>6}  {:>6}  {:>7}", "op", "passed", "failed", "skipped")?;
        for (op, Counts { passed, failed, skipped }) in rows {
            writeln!(f, "{op:width$}  {passed:>6}  {failed:>6}  {skipped:>7}")?;
        }
        if self.delegated > 0 {
            writeln!(f, "\n{} of {} nodes ran on delegates", self.delegated, self.nodes)?;
        }
        if !self.by_a_step.is_empty() {
            let families: Vec<_> = self.by_a_step.iter().map(|(op, cases)| format!("{op} {cases}")).collect();
            let cases: usize = self.by_a_step.values().sum();
            writeln!(
                f,
                "{cases} cases pass with a tolerance of one quantization step: {}",
                families.join(", ")
            )?;
        }
        writeln!(f, "\n{}", self.totals)
    }
}

/// A line per reason, with the number of cases and the name of one, most cases first. Reasons that differ only in
/// numbers are merged.
fn write_refused(f: &mut fmt::Formatter<'_>, refused: &[Failure]) -> fmt::Result {
    let mut reasons: BTreeMap<String, Vec<&Failure>> = BTreeMap::new();
    for case in refused {
        let reason = case.messages.join("; ");
        reasons.entry(without_numbers(&reason)).or_default().push(case);
    }
    let mut reasons: Vec<_> = reasons.into_values().collect();
    reasons.sort_by_key(|cases| Reverse(cases.len()));
    for cases in reasons {
        let Failure { case, messages, .. } = cases[0];
        writeln!(f, "REFUSED {:>4}, as {case}: {}", cases.len(), messages.join("; "))?;
    }
    Ok(())
}

/// Replaces each number or list of numbers by one character.
fn without_numbers(text: &str) -> String {
    let mut kept = String::new();
    for c in text.chars() {
        match c {
            '0'..='9' | '[' | ']' if kept.ends_with('#') => {}
            '0'..='9' | '[' | ']' => kept.push('#'),
            ',' | ' ' if kept.ends_with('#') && c == ',' => {}
            c => kept.push(c),
        }
    }
    kept
}

/// The format of a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text for people.
    Text,
    /// One JSON document.
    Json,
}

/// Writes a summary to standard output.
///
/// # Errors
/// Standard output cannot be written.
pub fn print(summary: &Summary, form: Form) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match form {
        Form::Text => write!(out, "{summary}"),
        Form::Json => {
            serde_json::to_writer_pretty(&mut out, summary)?;
            writeln!(out)
        }
    }
}
