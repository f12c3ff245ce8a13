//! A plan drawn in characters, for terminals and logs: steps from left to right, offsets from bottom to top.

use std::fmt::Write;

use super::drawing::{Block, Plan, bytes};
use crate::text::{count, shorten, thousands};

/// The largest drawing, in characters.
const WIDTH: u32 = 72;
const HEIGHT: u64 = 24;
/// The marks of the blocks, largest first. Smaller blocks are all drawn as `SMALL`.
const MARKS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const SMALL: u8 = b'#';
const FREE: u8 = b'.';
/// Blocks that the legend lists.
const LISTED: usize = 20;
const NAME_CHARS: usize = 40;

/// Draws the plan with a scale and a legend. Each character shows the block that covers most of its area.
pub(super) fn ascii(plan: &Plan) -> String {
    let mut blocks: Vec<&Block> = plan.blocks.iter().filter(|block| block.size > 0).collect();
    blocks.sort_by_key(|block| (std::cmp::Reverse(block.size), block.first, block.offset));
    let scale = Scale::new(plan);
    let mut text = String::new();
    // Writing to a `String` cannot fail.
    let _ = writeln!(
        text,
        "{}: {} bytes by {}; a row is {}, {}",
        plan.problem,
        thousands(plan.total),
        plan.planner,
        bytes(scale.bytes),
        scale.columns(),
    );
    for row in (0..scale.rows).rev() {
        let cells: String =
            (0..scale.width).map(|column| char::from(mark(&blocks, scale.cell(column, row)))).collect();
        let _ = writeln!(text, "{:>9} |{cells}|", bytes(row * scale.bytes));
    }
    for (block, &mark) in blocks.iter().zip(MARKS).take(LISTED) {
        let Block { name, op, offset, size, first, last, .. } = block;
        let by = if op.is_empty() { String::new() } else { format!(" ({op})") };
        let _ = writeln!(
            text,
            "  {} {}{by}: {} bytes at {}, steps {first} to {last}",
            char::from(mark),
            shorten(name, NAME_CHARS),
            thousands(*size),
            thousands(*offset),
        );
    }
    if let more @ 1.. = blocks.len().saturating_sub(LISTED) {
        let _ = writeln!(text, "  and {more} smaller; --json lists all");
    }
    text
}

/// A rectangle of steps and bytes; the ends are exclusive.
#[derive(Clone, Copy)]
struct Area {
    steps: [u32; 2],
    offsets: [u64; 2],
}

impl Area {
    /// The number of bytes times steps that a block covers.
    fn covered_by(self, block: &Block) -> u128 {
        let steps = u64::from(self.steps[1])
            .min(u64::from(block.last) + 1)
            .saturating_sub(u64::from(self.steps[0].max(block.first)));
        let end = block.offset.saturating_add(block.size);
        let bytes = self.offsets[1].min(end).saturating_sub(self.offsets[0].max(block.offset));
        u128::from(steps) * u128::from(bytes)
    }
}

/// The mark of the block that covers most of the area.
fn mark(blocks: &[&Block], area: Area) -> u8 {
    let covered = blocks.iter().enumerate().map(|(i, block)| (area.covered_by(block), i));
    match covered.max_by_key(|&(covered, i)| (covered, std::cmp::Reverse(i))) {
        Some((1.., i)) => MARKS.get(i).copied().unwrap_or(SMALL),
        _ => FREE,
    }
}

struct Scale {
    /// Bytes per row.
    bytes: u64,
    rows: u64,
    /// Characters per row.
    width: u32,
    /// Steps per character, or 1.
    steps: u32,
    /// Characters per step, or 1.
    repeat: u32,
}

impl Scale {
    fn new(plan: &Plan) -> Self {
        let end = plan.end.max(1);
        let (steps, repeat) = (end.div_ceil(WIDTH), (WIDTH / end).clamp(1, 6));
        // A power of two, so that the scale has round numbers.
        let bytes = plan.total.div_ceil(HEIGHT).max(1).checked_next_power_of_two().unwrap_or(1 << 63);
        Scale {
            bytes,
            rows: plan.total.div_ceil(bytes).max(1),
            width: end.div_ceil(steps) * repeat,
            steps,
            repeat,
        }
    }

    fn cell(&self, column: u32, row: u64) -> Area {
        let first = column / self.repeat * self.steps;
        let offset = row * self.bytes;
        Area {
            steps: [first, first.saturating_add(self.steps)],
            offsets: [offset, offset.saturating_add(self.bytes)],
        }
    }

    fn columns(&self) -> String {
        match self.repeat {
            1 => format!("a column {}", count(self.steps as usize, "step")),
            repeat => format!("{repeat} columns a step"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(name: &str, [offset, size]: [u64; 2], [first, last]: [u32; 2]) -> Block {
        Block { name: name.into(), op: String::new(), color: String::new(), offset, size, first, last }
    }

    fn plan(end: u32, total: u64, blocks: Vec<Block>) -> Plan {
        Plan {
            problem: "chain".into(),
            planner: "arena".into(),
            in_use: true,
            total,
            bound: total,
            optimal: true,
            micros: 0,
            end,
            blocks,
            levels: Vec::new(),
            ticks: Vec::new(),
        }
    }

    #[test]
    fn a_plan_is_drawn_with_its_gaps() {
        let blocks = vec![block("x", [0, 2], [0, 1]), block("y", [2, 3], [1, 2]), block("z", [0, 1], [2, 2])];
        let wanted = "\
chain: 5 bytes by arena; a row is 1 B, 6 columns a step
      4 B |......AAAAAAAAAAAA|
      3 B |......AAAAAAAAAAAA|
      2 B |......AAAAAAAAAAAA|
      1 B |BBBBBBBBBBBB......|
      0 B |BBBBBBBBBBBBCCCCCC|
  A y: 3 bytes at 2, steps 1 to 2
  B x: 2 bytes at 0, steps 0 to 1
  C z: 1 bytes at 0, steps 2 to 2
";
        assert_eq!(ascii(&plan(3, 5, blocks)), wanted);
    }

    #[test]
    fn large_plans_fit_a_terminal() {
        let blocks = (0..1000).map(|i| block("t", [u64::from(i) * 100, 1000], [i, i + 5])).collect();
        let text = ascii(&plan(1006, u64::MAX, blocks));
        assert!(text.lines().all(|line| line.len() <= 100), "{text}");
        assert!(text.lines().count() <= 24 + LISTED + 3, "{text}");
        assert!(text.ends_with("and 980 smaller; --json lists all\n"), "{text}");
        assert_eq!(ascii(&plan(0, 0, Vec::new())).lines().count(), 2);
    }
}
