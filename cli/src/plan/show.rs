//! The report for people.

use std::fmt::{self, Display, Formatter};

use super::{Compared, PlanReport, Report};
use crate::text::{Align, DIM, HEAD, Table, thousands};

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for plans in self.plans.chunk_by(|a, b| a.problem == b.problem) {
            let bound = thousands(plans[0].lower_bound_bytes);
            writeln!(
                f,
                "{HEAD}{}{HEAD:#}{DIM}  at least {bound} bytes are alive at once{DIM:#}",
                plans[0].problem
            )?;
            show_plans(f, plans)?;
        }
        if !self.compared.is_empty() {
            show_compared(f, &self.compared)?;
        }
        for note in &self.notes {
            writeln!(f, "\n{note}")?;
        }
        Ok(())
    }
}

fn show_plans(f: &mut Formatter<'_>, plans: &[PlanReport]) -> fmt::Result {
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
            format!("{:.3}", total as f64 / plan.lower_bound_bytes.max(1) as f64),
            verdict.to_owned(),
            thousands(plan.micros),
        ]);
    }
    table.fmt(f)?;
    for plan in plans.iter().filter(|plan| plan.error.is_some()) {
        writeln!(f, "  {}: {}", plan.planner, plan.error.as_deref().unwrap_or_default())?;
    }
    Ok(())
}

/// A row per model: bytes without techniques, then parts of that with each, those to its left included.
fn show_compared(f: &mut Formatter<'_>, compared: &[Compared]) -> fmt::Result {
    writeln!(f, "\n{HEAD}techniques{HEAD:#}{DIM}  each with those to its left, as parts of none{DIM:#}")?;
    let names = compared[0].techniques.iter().map(|row| (row.technique, Align::Right));
    let mut table = Table::new(&[("model", Align::Left)].into_iter().chain(names).collect::<Vec<_>>());
    let ratios = |row: &Compared| -> Vec<f64> {
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
