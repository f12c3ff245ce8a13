//! Decides which tensors share memory, before the planner runs. The planner then places *buffers*, each of which may
//! hold many tensors at fixed offsets.
//!
//! A *value* is the result of one node, together with all other names of its bytes: views, parts, and parts that other
//! nodes write. A *buffer* is a chain of values in which each takes over the memory of the one before: it is born at
//! the node where that one dies.
//!
//! ```text
//! offset
//!   ▲  ┌────────┐                    A is pooled to B, which starts before A and overwrites it as it is read;
//!   │  │   A    │                    C = relu(B) is at the place of B; D and E are the halves of C.
//!   │  │   ┌────┼──┬──────┬────┐
//!   │  └───┤    B  │  C   │ D  ├─┐
//!   │      │       │      ├────┤ │   One buffer: as high as A and B together need, alive from A's birth until
//!   │      └───────┴──────┤ E  │ │   the last one dies.
//!   └─────────────────────┴────┴─┴──► node
//! ```
//!
//! A buffer occupies its full height as long as any part of it is alive. So values are joined only if the largest sum
//! of buffers alive at the same node does not grow, and values of different sizes overlap only if that lowers the peak.

mod live;

use arenite_abi::UsageRecord;
use arenite_abi::host_side::MAX_ALIGNMENT as ALIGNMENT;

use crate::techniques::Techniques;
use live::{Lifetime, Live};

/// A permission of an op to share memory between an output and an input, given as indices of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tie {
    /// Index of the node.
    pub node: u32,
    /// Index of the output's record.
    pub output: usize,
    /// Index of the input's record.
    pub input: usize,
    /// How they may share memory.
    pub kind: TieKind,
}

/// How an output may share the memory of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieKind {
    /// The output has the input's bytes.
    View,
    /// The output is a part of the input's bytes, starting at this offset.
    PartOfInput(u64),
    /// The input becomes a part of the output, starting at this offset.
    PartOfOutput(u64),
    /// The output may overwrite the input element by element.
    InPlace,
    /// The output may start at least this many bytes before the input, and overwrite input bytes once they are read.
    Behind(u64),
}

impl TieKind {
    fn is_part(self) -> bool {
        matches!(self, TieKind::PartOfInput(_) | TieKind::PartOfOutput(_))
    }

    fn is_allowed(self, techniques: &Techniques) -> bool {
        match self {
            TieKind::View => techniques.views,
            TieKind::PartOfInput(_) => techniques.split,
            TieKind::PartOfOutput(_) => techniques.concat,
            TieKind::InPlace => techniques.in_place,
            TieKind::Behind(_) => techniques.overlap,
        }
    }
}

/// The buffers, and where each record is placed in them.
#[derive(Debug)]
pub struct Layout {
    /// The records for the planner. `tensor` comes from the first record in the buffer.
    pub buffers: Vec<UsageRecord>,
    /// For each record, the index of its buffer and its offset in the buffer.
    pub places: Vec<(usize, u64)>,
}

impl Layout {
    /// Lays out the records. `ties` must be sorted by node.
    pub fn new(records: &[UsageRecord], ties: &[Tie], techniques: &Techniques) -> Layout {
        let mut plan = Arrangement::new(records);
        let allowed = || ties.iter().filter(|tie| tie.kind.is_allowed(techniques));
        for tie in allowed().filter(|tie| matches!(tie.kind, TieKind::View | TieKind::InPlace)) {
            plan.apply(tie);
        }
        let parts: Vec<&Tie> = allowed().filter(|tie| tie.kind.is_part()).collect();
        // The cost of one part may be compensated by another.
        for of_a_node in parts.chunk_by(|a, b| a.node == b.node) {
            plan.apply_together(of_a_node);
        }
        let overlaps: Vec<&Tie> = allowed().filter(|tie| matches!(tie.kind, TieKind::Behind(_))).collect();
        plan.lower_peaks(&overlaps);
        plan.finish()
    }
}

/// Numbers of overlaps before and after a peak that are tried together. A buffer with two values lives as long as both,
/// so a single overlap may cost memory where several together save it.
const REACHES: [usize; 6] = [0, 1, 2, 4, 8, 16];

/// Limit on the values and records that are visited in total. Beyond it, the remaining values are not joined.
const MOST_WORK: usize = 1 << 22;

/// An offset from an origin that other buffers may share. It may be negative until the layout is final.
type Offset = i128;

#[derive(Clone, Default)]
struct Value {
    /// Relative to the buffer's origin.
    offset: Offset,
    size: u64,
    life: Lifetime,
    records: Vec<usize>,
    /// The parts that other nodes write into it: offset and size.
    written: Vec<(Offset, u64)>,
}

#[derive(Clone)]
struct Buffer {
    life: Lifetime,
    low: Offset,
    high: Offset,
    alignment: u64,
    fixed: bool,
    values: Vec<usize>,
}

impl Buffer {
    fn height(&self) -> Offset {
        self.high - self.low
    }
}

#[derive(Clone)]
struct Arrangement<'a> {
    records: &'a [UsageRecord],
    /// For each record, its value and its offset in the value.
    value_of: Vec<(usize, Offset)>,
    values: Vec<Value>,
    /// For each value, its buffer.
    buffer_of: Vec<usize>,
    buffers: Vec<Option<Buffer>>,
    live: Live,
    work: usize,
    /// Joins may currently cost memory.
    free: bool,
}

impl<'a> Arrangement<'a> {
    fn new(records: &'a [UsageRecord]) -> Self {
        let mut live = Live::new(records.iter().map(Lifetime::of));
        records.iter().for_each(|r| live.add(Lifetime::of(r), i128::from(r.size)));
        let value = |(i, record): (usize, &UsageRecord)| Value {
            offset: 0,
            size: record.size,
            life: Lifetime::of(record),
            records: vec![i],
            written: Vec::new(),
        };
        let buffer = |(i, record): (usize, &UsageRecord)| {
            Some(Buffer {
                life: Lifetime::of(record),
                low: 0,
                high: record.size.into(),
                alignment: record.alignment,
                fixed: record.fixed().is_some(),
                values: vec![i],
            })
        };
        Arrangement {
            records,
            value_of: (0..records.len()).map(|i| (i, 0)).collect(),
            values: records.iter().enumerate().map(value).collect(),
            buffer_of: (0..records.len()).collect(),
            buffers: records.iter().enumerate().map(buffer).collect(),
            live,
            work: 0,
            free: false,
        }
    }

    /// Lets outputs overwrite inputs during the read, near the nodes with the most live bytes, as long as that lowers
    /// the peak.
    fn lower_peaks(&mut self, ties: &[&Tie]) {
        loop {
            let (node, peak) = self.live.peak();
            let at = ties.partition_point(|tie| tie.node < node);
            let mut best: Option<(i128, Arrangement<'a>)> = None;
            let mut tried: Vec<(usize, usize)> = Vec::new();
            for (before, from) in REACHES.into_iter().flat_map(|b| REACHES.map(|f| (b, f))) {
                let group = (at.saturating_sub(before), ties.len().min(at + from));
                if group.0 == group.1 || tried.contains(&group) {
                    continue;
                }
                tried.push(group);
                self.work = self.work.saturating_add(self.records.len());
                if self.work > MOST_WORK {
                    return;
                }
                let mut trial = self.clone();
                trial.free = true;
                ties[group.0..group.1].iter().for_each(|tie| {
                    trial.apply(tie);
                });
                trial.free = false;
                let reached = trial.live.peak().1;
                self.work = trial.work;
                if reached < best.as_ref().map_or(peak, |(reached, _)| *reached) {
                    best = Some((reached, trial));
                }
            }
            match best {
                Some((_, trial)) => *self = Arrangement { work: self.work, ..trial },
                None => return,
            }
        }
    }

    /// Applies all the ties, unless together they cost memory.
    fn apply_together(&mut self, ties: &[&Tie]) {
        let lives = ties.iter().flat_map(|tie| [tie.input, tie.output]).filter_map(|record| {
            self.buffers[self.buffer_of[self.value_of[record].0]].as_ref().map(|buffer| buffer.life)
        });
        let Some(life) = lives.reduce(Lifetime::union) else { return };
        self.work = self.work.saturating_add(self.records.len());
        if self.work > MOST_WORK {
            return;
        }
        let (before, saved) = (self.live.highest(life), self.clone());
        self.free = true;
        for tie in ties {
            self.apply(tie);
        }
        self.free = false;
        if self.live.highest(life) > before {
            *self = Arrangement { work: self.work, ..saved };
        }
    }

    /// Applies the tie if that is safe and costs no memory. Returns whether it did.
    fn apply(&mut self, tie: &Tie) -> bool {
        let (output, input) = (&self.records[tie.output], &self.records[tie.input]);
        if output.size == 0 || input.size == 0 || tie.output == tie.input {
            return false;
        }
        match tie.kind {
            TieKind::View if output.size == input.size => self.rename(tie.input, tie.output, 0, false),
            TieKind::PartOfInput(at) => self.rename(tie.input, tie.output, at, false),
            TieKind::PartOfOutput(at) => self.rename(tie.output, tie.input, at, true),
            TieKind::InPlace if output.size == input.size => self.take_over(tie, 0),
            TieKind::Behind(distance) => self.take_over(tie, distance),
            TieKind::View | TieKind::InPlace => false,
        }
    }

    /// Makes record `part`, with the value that contains it, a part of record `whole`'s value, `at` bytes after the
    /// start of `whole`. If it is `written` there, it must not overlap other written parts.
    fn rename(&mut self, whole: usize, part: usize, at: u64, written: bool) -> bool {
        let ((outer, whole_at), (inner, part_at)) = (self.value_of[whole], self.value_of[part]);
        // Offset of the inner value in the outer one.
        let shift = whole_at + i128::from(at) - part_at;
        let range = (shift, self.values[inner].size);
        // If only a part of a value were placed there, writing would overwrite the rest.
        if outer == inner
            || written && (part_at, range.1) != (0, self.records[part].size)
            || !at.is_multiple_of(ALIGNMENT as u64)
            || shift < 0
            || shift + i128::from(range.1) > self.values[outer].size.into()
        {
            return false;
        }
        self.work += self.values[outer].written.len() + self.values[inner].records.len();
        let taken = written && self.values[outer].written.iter().any(|&other| meet(range, other));
        let delta = self.values[outer].offset + shift - self.values[inner].offset;
        if taken || !self.join(outer, inner, delta) {
            return false;
        }
        let Value { life, records, .. } = std::mem::take(&mut self.values[inner]);
        for &record in &records {
            self.value_of[record] = (outer, self.value_of[record].1 + shift);
        }
        if let Some(buffer) = &mut self.buffers[self.buffer_of[outer]] {
            buffer.values.retain(|&value| value != inner);
        }
        let outer = &mut self.values[outer];
        outer.life = outer.life.union(life);
        outer.records.extend(records);
        if written {
            outer.written.push(range);
        }
        true
    }

    /// Lets the output's value take over the memory of the input's value, which dies where the output is born. The
    /// output starts at least `distance` bytes before the input.
    fn take_over(&mut self, tie: &Tie, distance: u64) -> bool {
        let ((old, input_at), (new, output_at)) = (self.value_of[tie.input], self.value_of[tie.output]);
        let (dying, born) = (&self.values[old], &self.values[new]);
        let Some(distance) = distance.checked_next_multiple_of(ALIGNMENT as u64) else { return false };
        if old == new || dying.life.last != tie.node || born.life.first != tie.node {
            return false;
        }
        // The node must not access the old or the new value through a second record.
        self.work += dying.records.len() + born.records.len();
        let at_death = dying.records.iter().filter(|&&r| self.records[r].last_node >= tie.node).count();
        let at_birth = born.records.iter().filter(|&&r| self.records[r].first_node <= tie.node).count();
        if (at_death, at_birth) != (1, 1) {
            return false;
        }
        let target = dying.offset + input_at - i128::from(distance);
        let delta = target - (born.offset + output_at);
        self.join(old, new, delta)
    }

    /// Moves the buffer of value `moved` by `delta` and merges it with the buffer of value `kept`, unless two values
    /// alive at the same time would then overlap (other than these two) or memory would grow.
    fn join(&mut self, kept: usize, moved: usize, delta: Offset) -> bool {
        let (a, b) = (self.buffer_of[kept], self.buffer_of[moved]);
        let (Some(one), Some(two)) = (&self.buffers[a], &self.buffers[b]) else { return false };
        self.work = self.work.saturating_add(one.values.len() * two.values.len());
        if a == b || one.fixed || two.fixed || self.work > MOST_WORK {
            return false;
        }
        let clash = |&v: &usize, &w: &usize| {
            let (x, y) = (&self.values[v], &self.values[w]);
            (v, w) != (kept, moved)
                && x.life.meets(y.life)
                && meet((x.offset, x.size), (y.offset + delta, y.size))
        };
        if one.values.iter().any(|v| two.values.iter().any(|w| clash(v, w))) {
            return false;
        }
        let joined = Buffer {
            life: one.life.union(two.life),
            low: one.low.min(two.low + delta),
            high: one.high.max(two.high + delta),
            alignment: one.alignment.max(two.alignment),
            fixed: false,
            values: Vec::new(),
        };
        let before = self.live.highest(joined.life);
        let changes = [(one.life, -one.height()), (two.life, -two.height()), (joined.life, joined.height())];
        changes.iter().for_each(|&(life, bytes)| self.live.add(life, bytes));
        if !self.free && self.live.highest(joined.life) > before {
            changes.iter().for_each(|&(life, bytes)| self.live.add(life, -bytes));
            return false;
        }
        let (Some(one), Some(two)) = (self.buffers[a].take(), self.buffers[b].take()) else { return false };
        for &value in &two.values {
            self.values[value].offset += delta;
            self.buffer_of[value] = a;
        }
        let mut values = one.values;
        values.extend(two.values);
        self.buffers[a] = Some(Buffer { values, ..joined });
        true
    }

    fn finish(self) -> Layout {
        let mut number = vec![usize::MAX; self.buffers.len()];
        let mut buffers = Vec::new();
        let mut places = Vec::with_capacity(self.records.len());
        for (record, &(value, at)) in self.records.iter().zip(&self.value_of) {
            let old = self.buffer_of[value];
            let Some(buffer) = &self.buffers[old] else { continue };
            if number[old] == usize::MAX {
                number[old] = buffers.len();
                buffers.push(UsageRecord {
                    size: u64::try_from(buffer.height()).unwrap_or(u64::MAX),
                    alignment: buffer.alignment,
                    first_node: buffer.life.first,
                    last_node: buffer.life.last,
                    ..*record
                });
            }
            let offset = self.values[value].offset + at - buffer.low;
            places.push((number[old], u64::try_from(offset).unwrap_or(0)));
        }
        Layout { buffers, places }
    }
}

fn meet((a, a_size): (Offset, u64), (b, b_size): (Offset, u64)) -> bool {
    a < b + i128::from(b_size) && b < a + i128::from(a_size)
}

#[cfg(test)]
mod tests;
