//! The report as text for people.

use std::fmt::{self, Display, Formatter};

use arenite::text::Lines;

use super::banks::BanksReport;
use super::report::{PlanReport, Report, TechniqueComparison};
use super::solved::UnknownShape;
use crate::text::{Align, DIM, HEAD, Table, Visible, count, shorten, thousands};

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for plans in self.plans.chunk_by(|a, b| a.problem == b.problem) {
            let bound = plans.iter().filter_map(|plan| plan.lower_bound_bytes).min().unwrap_or(0);
            let what = plans.iter().find_map(size_of).unwrap_or_default();
            let bytes = thousands(bound);
            let name = Visible(&plans[0].problem);
            writeln!(
                f,
                "{HEAD}{name}{HEAD:#}{DIM}  {what}{bytes} bytes are alive at the busiest step{DIM:#}"
            )?;
            show_plans(f, plans, bound)?;
        }
        for plans in self.plans.chunk_by(|a, b| a.model == b.model) {
            show_sum(f, plans)?;
        }
        self.banks.iter().try_for_each(|report| show_banks(f, report))?;
        self.drawings.iter().try_for_each(|drawing| write!(f, "\n{drawing}"))?;
        if !self.compared.is_empty() {
            show_compared(f, &self.compared)?;
        }
        for note in &self.notes {
            writeln!(f, "\n{}", Lines(note))?;
        }
        self.unknown.iter().try_for_each(|unknown| show_unknown(f, unknown))
    }
}

/// How many buffers and steps a plan has.
fn size_of(plan: &PlanReport) -> Option<String> {
    let buffers = count(plan.buffer_count?, "buffer");
    Some(match plan.steps {
        Some(steps) => format!("{buffers} in {}, ", count(steps as usize, "step")),
        None => format!("{buffers}, "),
    })
}

/// Prints one row per planner. `bound` is the smallest bound of all planners: one that cannot use an overlap has a
/// larger one.
fn show_plans(f: &mut Formatter<'_>, plans: &[PlanReport], bound: u64) -> fmt::Result {
    let mut table = Table::new(&[
        ("planner", Align::Left),
        ("bytes", Align::Right),
        ("of the bound", Align::Right),
        ("", Align::Left),
        ("µs", Align::Right),
    ]);
    for plan in plans {
        let Some(total) = plan.total_bytes else { continue };
        let verdict = match (plan.fits, plan.optimal) {
            (Some(false), _) => "too large",
            (_, true) => "optimal",
            (_, false) => "",
        };
        table.row([
            plan.planner.clone(),
            thousands(total),
            format!("{:.3}", total as f64 / bound.max(1) as f64),
            verdict.to_owned(),
            thousands(plan.micros),
        ]);
    }
    table.fmt(f)?;
    for plan in plans.iter().filter(|plan| plan.error.is_some()) {
        writeln!(f, "  {}: {}", plan.planner, Visible(plan.error.as_deref().unwrap_or_default()))?;
    }
    Ok(())
}

/// Prints a row per model: the bytes of TensorFlow Lite's arena, then the share of it that remains with each technique
/// and those to its left.
fn show_compared(f: &mut Formatter<'_>, compared: &[TechniqueComparison]) -> fmt::Result {
    writeln!(
        f,
        "\n{HEAD}techniques{HEAD:#}{DIM}  each includes those to its left; shares of TensorFlow Lite's arena{DIM:#}"
    )?;
    let names = compared[0].techniques.iter().map(|row| (row.technique, Align::Right));
    let mut table = Table::new(&[("model", Align::Left)].into_iter().chain(names).collect::<Vec<_>>());
    let ratios = |row: &TechniqueComparison| -> Vec<f64> {
        let none = row.techniques[0].total_bytes.max(1) as f64;
        row.techniques[1..].iter().map(|technique| technique.total_bytes as f64 / none).collect()
    };
    let shown = |name: String, first: String, ratios: Vec<f64>| {
        [name, first].into_iter().chain(ratios.into_iter().map(|ratio| format!("{ratio:.3}")))
    };
    for row in compared {
        table.row(shown(row.problem.clone(), thousands(row.techniques[0].total_bytes), ratios(row)));
    }
    if compared.len() > 1 {
        let mut logs = vec![0.0; compared[0].techniques.len() - 1];
        for row in compared {
            logs.iter_mut()
                .zip(ratios(row))
                .for_each(|(log, ratio)| *log += ratio.max(f64::MIN_POSITIVE).ln());
        }
        let means = logs.into_iter().map(|log| (log / compared.len() as f64).exp()).collect();
        table.row(shown("geometric mean".to_owned(), String::new(), means));
    }
    table.fmt(f)
}

/// The sum over all subgraphs of a model: each called subgraph has its own arena.
fn show_sum(f: &mut Formatter<'_>, plans: &[PlanReport]) -> fmt::Result {
    let Some(model) = &plans[0].model else { return Ok(()) };
    let of_first: Vec<&PlanReport> = plans.iter().filter(|plan| plan.planner == plans[0].planner).collect();
    if of_first.len() > 1 {
        let sum = of_first.iter().filter_map(|plan| plan.total_bytes).fold(0u64, u64::saturating_add);
        let subgraphs = count(of_first.len(), "subgraph");
        writeln!(
            f,
            "{HEAD}{}{HEAD:#}  {subgraphs} need {} bytes by {}",
            Visible(model),
            thousands(sum),
            of_first[0].planner
        )?;
    }
    Ok(())
}

/// How many tensors are listed; the JSON has all of them.
const MOST_TENSORS: usize = 40;

fn show_banks(f: &mut Formatter<'_>, report: &BanksReport) -> fmt::Result {
    let optimal = if report.optimal { "  no assignment has more traffic in the fastest bank" } else { "" };
    writeln!(f, "\n{HEAD}{} in banks{HEAD:#}{DIM}{optimal}{DIM:#}", Visible(&report.problem))?;
    if let Some(error) = &report.error {
        return writeln!(f, "  {}", Visible(error));
    }
    let all = report.banks.iter().map(|bank| bank.traffic_bytes as f64).sum::<f64>().max(1.0);
    let right = |head| (head, Align::Right);
    let mut table = Table::new(&[
        ("bank", Align::Left),
        right("capacity"),
        right("bytes"),
        right("traffic"),
        right("of all"),
    ]);
    for bank in &report.banks {
        let part = format!("{:.1} %", 100.0 * bank.traffic_bytes as f64 / all);
        let bytes = [bank.capacity_bytes, bank.total_bytes, bank.traffic_bytes].map(thousands);
        table.row([bank.name.clone()].into_iter().chain(bytes).chain([part]));
    }
    table.fmt(f)?;
    let mut table = Table::new(&[
        ("tensor", Align::Left),
        ("bank", Align::Left),
        right("offset"),
        right("bytes"),
        right("traffic"),
    ]);
    for tensor in report.tensors.iter().take(MOST_TENSORS) {
        let bytes = [tensor.offset, tensor.bytes, tensor.traffic_bytes].map(thousands);
        table.row([shorten(&tensor.name, 48), tensor.bank.clone()].into_iter().chain(bytes));
    }
    table.fmt(f)?;
    match report.tensors.len().saturating_sub(MOST_TENSORS) {
        0 => Ok(()),
        more => writeln!(f, "  and {more} more; --json lists all"),
    }
}

fn show_unknown(f: &mut Formatter<'_>, unknown: &UnknownShape) -> fmt::Result {
    let UnknownShape { problem, step, op, tensor, most_bytes, reason } = unknown;
    let bound = match most_bytes {
        Some(bytes) => format!("at most {} bytes", thousands(*bytes)),
        None => format!("unbounded: {}", reason.unwrap_or("its size is known only after it runs")),
    };
    let [problem, tensor, op] = [problem, tensor, op].map(Visible);
    writeln!(f, "{problem}: '{tensor}' of {op} (step {step}): {bound}")
}
