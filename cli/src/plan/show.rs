//! The report for people.

use std::fmt::{self, Display, Formatter};

use super::{PlanReport, Report};
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
        if let Some(first) = self.techniques.first() {
            writeln!(f, "\n{HEAD}techniques{HEAD:#}{DIM}  each with those above it{DIM:#}")?;
            let mut table = Table::new(&[
                ("technique", Align::Left),
                ("bytes", Align::Right),
                ("of none", Align::Right),
                ("lower bound", Align::Right),
            ]);
            for row in &self.techniques {
                table.row([
                    row.technique.to_owned(),
                    thousands(row.total_bytes),
                    format!("{:.3}", row.total_bytes as f64 / first.total_bytes.max(1) as f64),
                    thousands(row.lower_bound_bytes),
                ]);
            }
            table.fmt(f)?;
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
