//! The parts of a plan that are drawn, and the page that draws them: time runs from left to right, offsets from bottom
//! to top.

use std::path::Path;

use arenite::config::PlannerConfig;
use serde::Serialize;

use super::banks::BanksReport;
use super::problem::Problem;
use super::solved::{Part, SolvedProblem};
use crate::answer::Result;
use crate::page;

/// Draws all plans in one self-contained page.
pub(super) fn html(path: &Path, plans: &[Plan]) -> Result<String> {
    let title = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let (title, data) = (page::escape(&title), page::embed(&plans)?);
    let parts =
        [("title", title.as_str()), ("style", page::STYLE), ("script", page::PLANS), ("data", data.as_str())];
    Ok(page::fill(include_str!("page.html"), &parts))
}

/// The parts of a plan that are drawn.
#[derive(Serialize)]
pub(crate) struct Plan {
    pub problem: String,
    pub planner: String,
    /// Whether `run` with the same options plans with this planner.
    pub in_use: bool,
    pub total: u64,
    pub bound: u64,
    pub optimal: bool,
    pub micros: u64,
    /// Number of steps.
    pub end: u32,
    pub blocks: Vec<Block>,
    /// Where each bank ends; banks are stacked.
    pub levels: Vec<Level>,
    /// The scale: round numbers of bytes up to the total.
    pub ticks: Vec<Level>,
}

/// A line across the picture.
#[derive(Serialize)]
pub(crate) struct Level {
    pub name: String,
    pub offset: u64,
}

/// A tensor or scratch buffer.
#[derive(Serialize)]
pub(crate) struct Block {
    pub name: String,
    pub op: String,
    pub color: String,
    pub offset: u64,
    pub size: u64,
    pub first: u32,
    pub last: u32,
}

impl Plan {
    pub(super) fn new(problem: &Problem, planner: &PlannerConfig, solved: &SolvedProblem) -> Self {
        let plan = Plan::of_blocks(problem, solved, &solved.offsets);
        let total = solved.total.max(plan.total);
        Plan {
            planner: planner.name.clone(),
            total,
            ticks: ticks(total),
            bound: solved.bound,
            optimal: solved.optimal,
            micros: u64::try_from(solved.time.as_micros()).unwrap_or(u64::MAX),
            ..plan
        }
    }

    /// Stacks the banks, with the fastest at the bottom.
    pub(super) fn of_banks(problem: &Problem, solved: &SolvedProblem, report: &BanksReport) -> Self {
        let plan = Plan::of_blocks(problem, solved, &report.offsets);
        let names: Vec<&str> = report.banks.iter().map(|bank| bank.name.as_str()).collect();
        let ends = report.banks.iter().scan(0u64, |end, bank| {
            *end = end.saturating_add(bank.total_bytes);
            Some(Level { name: bank.name.clone(), offset: *end })
        });
        Plan {
            planner: format!("banks {}", names.join(", ")),
            levels: ends.collect(),
            micros: report.micros,
            optimal: report.optimal,
            ..plan
        }
    }

    fn of_blocks(problem: &Problem, solved: &SolvedProblem, offsets: &[u64]) -> Self {
        let finite = |part: &Part| if part.last == u32::MAX { part.first } else { part.last };
        let end = solved.parts.iter().map(finite).max().map_or(0, |last| last.saturating_add(1));
        let end = end.max(solved.steps.unwrap_or(0));
        let block = |part: &Part| Block {
            name: part.name.clone(),
            op: part.op.clone(),
            color: color(&part.op),
            offset: offsets.get(part.record).copied().unwrap_or(0).saturating_add(part.offset),
            size: part.size,
            first: part.first,
            last: part.last.min(end.saturating_sub(1)).max(part.first),
        };
        let blocks: Vec<Block> = solved.parts.iter().map(block).collect();
        let total = blocks.iter().map(|block| block.offset.saturating_add(block.size)).max().unwrap_or(0);
        Plan {
            problem: problem.name.clone(),
            planner: String::new(),
            in_use: false,
            total,
            bound: arenite::plan::lower_bound(&solved.records),
            optimal: false,
            micros: 0,
            end,
            blocks,
            levels: Vec::new(),
            ticks: ticks(total),
        }
    }
}

impl Block {
    pub(super) fn title(&self) -> String {
        let Block { name, op, offset, size, first, last, .. } = self;
        format!("{name}\n{op}\n{size} bytes at {offset}, steps {first} to {last}")
    }
}

/// The multiples of a power of two, at most 9, from 0 to `total` bytes.
fn ticks(total: u64) -> Vec<Level> {
    let step = total.div_ceil(8).max(1).checked_next_power_of_two().unwrap_or(1 << 63);
    let offsets = (0..=total / step).map(|i| i * step);
    offsets.map(|offset| Level { name: bytes(offset), offset }).collect()
}

/// `512`, `3 KiB`, `1 MiB`: the largest unit in which the number is whole.
pub(super) fn bytes(n: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let power = if n == 0 { 0 } else { (n.trailing_zeros() / 10).min(4) };
    format!("{} {}", n >> (10 * power), units[power as usize])
}

/// Ops whose colours differ from one another. Neighbours in the list are 150° apart.
const COMMON: [&str; 12] = [
    "CONV_2D",
    "ADD",
    "DEPTHWISE_CONV_2D",
    "FULLY_CONNECTED",
    "input",
    "MAX_POOL_2D",
    "SOFTMAX",
    "RESHAPE",
    "AVERAGE_POOL_2D",
    "MUL",
    "CONCATENATION",
    "MEAN",
];

/// The colour of an op, the same in every drawing, whether a delegate runs it (`cpu: ADD`) or not.
pub(crate) fn color(op: &str) -> String {
    let op = op.rsplit(": ").next().unwrap_or(op);
    if let Some(place) = COMMON.iter().position(|common| *common == op) {
        return format!("hsl({}, 58%, 72%)", (210 + 150 * place) % 360);
    }
    let hash =
        op.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    format!("hsl({}, {}%, {}%)", hash % 360, 45 + hash / 360 % 25, 62 + hash / 9000 % 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_ops_have_different_colours() {
        let colours: std::collections::BTreeSet<String> = COMMON.iter().map(|op| color(op)).collect();
        assert_eq!(colours.len(), COMMON.len());
        assert_eq!(color("cpu: ADD"), color("ADD"));
    }

    #[test]
    fn the_scale_has_round_numbers() {
        let names = |total| ticks(total).into_iter().map(|tick| tick.name).collect::<Vec<_>>();
        assert_eq!(names(0), ["0 B"]);
        assert_eq!(names(5), ["0 B", "1 B", "2 B", "3 B", "4 B", "5 B"]);
        assert_eq!(names(1_100_000), ["0 B", "256 KiB", "512 KiB", "768 KiB", "1 MiB"]);
        assert!(ticks(u64::MAX).len() <= 9);
    }
}
