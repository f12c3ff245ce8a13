//! One plan as an SVG picture.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::drawing::{Block, Plan};
use crate::page::escape;
use crate::text::shorten;

const WIDTH: f64 = 1200.0;
const HEIGHT: f64 = 600.0;
const MARGIN: f64 = 80.0;
/// The width of a column of the legend, and the characters that fit into it.
const COLUMN: f64 = 300.0;
const COLUMN_CHARS: usize = 40;
const COLUMNS: usize = (WIDTH / COLUMN) as usize;
const ROW: f64 = 20.0;
/// Longer names of problems are shortened to this many characters.
const TITLE_CHARS: usize = 80;

/// Draws the plan with a scale and a legend.
pub(super) fn svg(plan: &Plan) -> String {
    let legend = legend(plan);
    let below = 40.0 + legend.len().div_ceil(COLUMNS) as f64 * ROW;
    let (full_width, full_height) = (WIDTH + 2.0 * MARGIN, MARGIN + HEIGHT + below + ROW);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {full_width} {full_height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"40\" font-size=\"16\">{}: {} bytes by {}, lower bound {}</text>\n\
         <rect x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" stroke=\"#999\"/>\n",
        escape(&shorten(&plan.problem, TITLE_CHARS)),
        plan.total,
        escape(&plan.planner),
        plan.bound,
    );
    let scale = Scale { x: WIDTH / f64::from(plan.end.max(1)), y: HEIGHT / plan.total.max(1) as f64 };
    plan.ticks.iter().for_each(|tick| scale.tick(&mut text, tick.offset, &tick.name));
    plan.blocks.iter().filter(|block| block.size > 0).for_each(|block| scale.block(&mut text, block));
    for level in &plan.levels {
        scale.level(&mut text, level.offset, &level.name, "#00c\" stroke-width=\"1.5", "#00c");
    }
    scale.level(&mut text, plan.bound, "bound", "#c00\" stroke-dasharray=\"6 4", "#c00");
    steps(&mut text, plan.end);
    for (i, (op, color)) in legend.into_iter().enumerate() {
        let (x, y) =
            (MARGIN + (i % COLUMNS) as f64 * COLUMN, MARGIN + HEIGHT + 40.0 + (i / COLUMNS) as f64 * ROW);
        entry(&mut text, [x, y], op, color);
    }
    text.push_str("</svg>\n");
    text
}

/// The ops of the picture and their colours.
fn legend(plan: &Plan) -> BTreeMap<&str, &str> {
    let drawn = plan.blocks.iter().filter(|block| block.size > 0 && !block.op.is_empty());
    drawn.map(|block| (block.op.as_str(), block.color.as_str())).collect()
}

// Writing to a `String` cannot fail.

fn steps(text: &mut String, end: u32) {
    let (right, y) = (MARGIN + WIDTH, MARGIN + HEIGHT + 20.0);
    let _ = write!(
        text,
        "<text x=\"{MARGIN}\" y=\"{y}\">step 0</text>\n\
         <text x=\"{right}\" y=\"{y}\" text-anchor=\"end\">step {}</text>\n",
        end.saturating_sub(1),
    );
}

fn entry(text: &mut String, [x, y]: [f64; 2], op: &str, color: &str) {
    let _ = write!(
        text,
        "<rect x=\"{x}\" y=\"{y}\" width=\"12\" height=\"12\" fill=\"{color}\" stroke=\"#333\" stroke-width=\"0.5\"/>\n\
         <text x=\"{}\" y=\"{}\">{}</text>\n",
        x + 18.0,
        y + 10.0,
        escape(&shorten(op, COLUMN_CHARS)),
    );
}

/// Units per step and per byte.
struct Scale {
    x: f64,
    y: f64,
}

impl Scale {
    /// The height of an offset in the picture.
    fn height(&self, offset: u64) -> f64 {
        MARGIN + HEIGHT - offset as f64 * self.y
    }

    fn tick(&self, text: &mut String, offset: u64, name: &str) {
        let y = self.height(offset);
        let _ = write!(
            text,
            "<line x1=\"{}\" x2=\"{}\" y1=\"{y:.2}\" y2=\"{y:.2}\" stroke=\"#ddd\"/>\n\
             <text x=\"{}\" y=\"{:.2}\" text-anchor=\"end\" fill=\"#666\">{name}</text>\n",
            MARGIN - 5.0,
            MARGIN + WIDTH,
            MARGIN - 9.0,
            y + 4.0,
        );
    }

    fn block(&self, text: &mut String, block: &Block) {
        let _ = writeln!(
            text,
            "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{}\" stroke=\"#333\" \
             stroke-width=\"0.5\"><title>{}</title></rect>",
            MARGIN + f64::from(block.first) * self.x,
            self.height(block.offset.saturating_add(block.size)),
            f64::from(block.last + 1 - block.first) * self.x,
            block.size as f64 * self.y,
            block.color,
            escape(&block.title()),
        );
    }

    /// A line across the picture with its name on the right. `stroke` may continue with more attributes.
    fn level(&self, text: &mut String, offset: u64, name: &str, stroke: &str, fill: &str) {
        let y = self.height(offset);
        let right = MARGIN + WIDTH;
        let _ = write!(
            text,
            "<line x1=\"{MARGIN}\" x2=\"{right}\" y1=\"{y:.2}\" y2=\"{y:.2}\" stroke=\"{stroke}\"/>\n\
             <text x=\"{}\" y=\"{:.2}\" fill=\"{fill}\">{}</text>\n",
            right + 4.0,
            y + 4.0,
            escape(&shorten(name, 12)),
        );
    }
}
