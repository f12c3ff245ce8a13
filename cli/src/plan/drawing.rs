//! Pictures of plans: time from left to right, offsets from bottom to top.

use std::fmt::Write;
use std::path::Path;

use serde::Serialize;

use super::banks::BanksReport;
use super::problem::Problem;
use super::report::PlanReport;
use super::solved::{Part, Solved};
use crate::answer::{Failure, Result};

const WIDTH: f64 = 1200.0;
const HEIGHT: f64 = 600.0;
const MARGIN: f64 = 60.0;

/// One plan as SVG.
pub fn svg(plan: &Plan) -> String {
    let (x, y) = (WIDTH / f64::from(plan.end.max(1)), HEIGHT / plan.total.max(1) as f64);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"40\" font-size=\"16\">{}: {} bytes by {}, at least {} are alive at once</text>\n\
         <rect x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" stroke=\"#999\"/>\n",
        WIDTH + 2.0 * MARGIN,
        HEIGHT + 2.0 * MARGIN,
        escape(&plan.problem),
        plan.total,
        escape(&plan.planner),
        plan.bound,
    );
    for block in plan.blocks.iter().filter(|block| block.size > 0) {
        let _ = writeln!(
            text,
            "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{}\" stroke=\"#333\" \
             stroke-width=\"0.5\"><title>{}</title></rect>",
            MARGIN + f64::from(block.first) * x,
            MARGIN + HEIGHT - (block.offset + block.size) as f64 * y,
            f64::from(block.last + 1 - block.first) * x,
            block.size as f64 * y,
            color(&block.op),
            escape(&block.title()),
        );
    }
    for level in &plan.levels {
        let at = MARGIN + HEIGHT - level.offset as f64 * y;
        let _ = write!(
            text,
            "<line x1=\"{MARGIN}\" x2=\"{}\" y1=\"{at:.2}\" y2=\"{at:.2}\" stroke=\"#00c\" stroke-width=\"1.5\"/>\n\
             <text x=\"{}\" y=\"{:.2}\" fill=\"#00c\">{}</text>\n",
            MARGIN + WIDTH,
            MARGIN + WIDTH + 4.0,
            at + 12.0,
            escape(&level.name),
        );
    }
    let bound = MARGIN + HEIGHT - plan.bound as f64 * y;
    let _ = write!(
        text,
        "<line x1=\"{MARGIN}\" x2=\"{}\" y1=\"{bound:.2}\" y2=\"{bound:.2}\" stroke=\"#c00\" stroke-dasharray=\"6 4\"/>\n\
         <text x=\"{}\" y=\"{:.2}\" fill=\"#c00\">bound</text>\n\
         <text x=\"{MARGIN}\" y=\"{}\">step 0</text>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n</svg>\n",
        MARGIN + WIDTH,
        MARGIN + WIDTH + 4.0,
        bound + 4.0,
        MARGIN + HEIGHT + 20.0,
        MARGIN + WIDTH,
        MARGIN + HEIGHT + 20.0,
        plan.end.saturating_sub(1),
    );
    text
}

/// All plans in one page that needs nothing else.
pub fn html(path: &Path, plans: &[Plan]) -> Result<String> {
    let data = serde_json::to_string(plans).map_err(|error| Failure::with("JSON", error))?;
    let title = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    // A tensor's name must not end the script.
    let data = data.replace('<', "\\u003c");
    Ok(include_str!("page.html").replace("{{title}}", &escape(&title)).replace("{{plans}}", &data))
}

/// What is drawn of a plan.
#[derive(Serialize)]
pub struct Plan {
    problem: String,
    planner: String,
    total: u64,
    bound: u64,
    optimal: bool,
    micros: u64,
    /// Number of steps.
    end: u32,
    blocks: Vec<Block>,
    /// Where banks end that lie one above the other.
    levels: Vec<Level>,
}

#[derive(Serialize)]
struct Level {
    name: String,
    offset: u64,
}

#[derive(Serialize)]
struct Block {
    name: String,
    op: String,
    color: String,
    offset: u64,
    size: u64,
    first: u32,
    last: u32,
}

impl Plan {
    pub fn new(problem: &Problem, solved: &Solved, report: &PlanReport) -> Self {
        let plan = Plan::of_blocks(problem, solved, &solved.offsets);
        Plan {
            planner: report.planner.clone(),
            total: solved.total.max(plan.total),
            bound: solved.bound,
            optimal: report.optimal,
            micros: report.micros,
            ..plan
        }
    }

    /// Banks lie one above the other, the fastest at the bottom.
    pub fn of_banks(problem: &Problem, solved: &Solved, report: &BanksReport) -> Self {
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

    fn of_blocks(problem: &Problem, solved: &Solved, offsets: &[u64]) -> Self {
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
        Plan {
            problem: problem.name.clone(),
            planner: String::new(),
            total: blocks.iter().map(|block| block.offset.saturating_add(block.size)).max().unwrap_or(0),
            bound: arenite::plan::lower_bound(&solved.records),
            optimal: false,
            micros: 0,
            end,
            blocks,
            levels: Vec::new(),
        }
    }
}

impl Block {
    fn title(&self) -> String {
        let Block { name, op, offset, size, first, last, .. } = self;
        format!("{name}\n{op}\n{size} bytes at {offset}, steps {first} to {last}")
    }
}

/// A colour per op, the same in every picture.
fn color(op: &str) -> String {
    let hash =
        op.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    format!("hsl({}, {}%, {}%)", hash % 360, 45 + hash / 360 % 25, 62 + hash / 9000 % 16)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
