//! Layout: which tensors lie over one another, decided before the planner is asked. It then places *buffers*, each of
//! which may hold many tensors, at fixed offsets from its beginning.
//!
//! A *value* is what one node computes, with all that only renames its bytes: views, parts of it, and parts that others write
//! into it. A *buffer* is a chain of values that take over one another's memory: the next is born at the node where the one
//! before dies.
//!
//! ```text
//! offset
//!   ▲  ┌────────┐                    A is pooled to B, which begins in front of it and follows as A is read;
//!   │  │   A    │                    C = relu(B) lies where B does; D and E are the halves of C.
//!   │  │   ┌────┼──┬──────┬────┐
//!   │  └───┤    B  │  C   │ D  ├─┐
//!   │      │       │      ├────┤ │   One buffer: as high as A and B together need, alive from A's birth to the death
//!   │      └───────┴──────┤ E  │ │   of the last one.
//!   └─────────────────────┴────┴─┴──► node
//! ```
//!
//! A buffer occupies its whole height for as long as any of it lives. So a step is taken only if the largest sum of buffers that
//! live together does not grow where it is taken, and overlaps of different sizes only where they lower the peak.

mod live;

use arenite_abi::UsageRecord;
use arenite_abi::host_side::MAX_ALIGNMENT as ALIGNMENT;

use crate::techniques::Techniques;
use live::Live;

/// What an op allows for one of its outputs and one of its inputs, both as numbers of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tie {
    /// The node.
    pub node: u32,
    /// Record of the output.
    pub output: usize,
    /// Record of the input.
    pub input: usize,
    /// What is allowed.
    pub kind: TieKind,
}

/// How an output may lie in the memory of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieKind {
    /// The output has the input's bytes.
    View,
    /// The output has some of the input's bytes, from here on.
    PartOfInput(u64),
    /// The input's bytes become those of the output, from here on.
    PartOfOutput(u64),
    /// The output may take over the input's memory, element by element.
    InPlace,
    /// The output may begin so many bytes in front of the input, or more, and take over its memory as it is read.
    Behind(u64),
}

impl TieKind {
    fn is_part(self) -> bool {
        matches!(self, TieKind::PartOfInput(_) | TieKind::PartOfOutput(_))
    }
}

/// The buffers of some records, and where in them each record lies.
#[derive(Debug)]
pub struct Layout {
    /// What the planner gets. `tensor` is that of the first record inside.
    pub buffers: Vec<UsageRecord>,
    /// Per record, its buffer and its offset from the buffer's beginning.
    pub places: Vec<(usize, u64)>,
}

impl Layout {
    /// Lays the records out. `ties` are in the order of their nodes.
    pub fn new(records: &[UsageRecord], ties: &[Tie], techniques: &Techniques) -> Layout {
        let mut plan = Arrangement::new(records);
        let allowed = || ties.iter().filter(|tie| techniques.allow(tie.kind));
        for tie in allowed().filter(|tie| matches!(tie.kind, TieKind::View | TieKind::InPlace)) {
            plan.apply(tie);
        }
        let parts: Vec<&Tie> = allowed().filter(|tie| tie.kind.is_part()).collect();
        // What one part costs another may save.
        for of_a_node in parts.chunk_by(|a, b| a.node == b.node) {
            plan.apply_together(of_a_node);
        }
        let overlaps: Vec<&Tie> = allowed().filter(|tie| matches!(tie.kind, TieKind::Behind(_))).collect();
        plan.lower_peaks(&overlaps);
        plan.finish()
    }
}

/// How many overlaps before a peak, and from it on, are tried together: a buffer that holds two values lives as long as both,
/// so that one overlap alone may cost where several save.
const REACHES: [usize; 6] = [0, 1, 2, 4, 8, 16];

/// Values and records that are looked at, all together. Beyond that, what is left stays apart.
const MOST_WORK: usize = 1 << 22;

/// Bytes from a beginning that other buffers' are counted from, too; they may be negative until the end.
type Offset = i128;

#[derive(Clone, Default)]
struct Value {
    /// From the buffer's own zero.
    offset: Offset,
    size: u64,
    life: (u32, u32),
    records: Vec<usize>,
    /// What others write into it, from its own beginning.
    written: Vec<(Offset, u64)>,
}

#[derive(Clone)]
struct Buffer {
    life: (u32, u32),
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
    /// Per record: its value, and its offset from the value's beginning.
    value_of: Vec<(usize, Offset)>,
    values: Vec<Value>,
    /// Per value.
    buffer_of: Vec<usize>,
    buffers: Vec<Option<Buffer>>,
    live: Live,
    work: usize,
    /// What is done now may cost memory.
    free: bool,
}

impl<'a> Arrangement<'a> {
    fn new(records: &'a [UsageRecord]) -> Self {
        let mut live = Live::new(records.iter().map(|record| (record.first_node, record.last_node)));
        records.iter().for_each(|r| live.add((r.first_node, r.last_node), i128::from(r.size)));
        let value = |(i, record): (usize, &UsageRecord)| Value {
            offset: 0,
            size: record.size,
            life: (record.first_node, record.last_node),
            records: vec![i],
            written: Vec::new(),
        };
        let buffer = |(i, record): (usize, &UsageRecord)| {
            Some(Buffer {
                life: (record.first_node, record.last_node),
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

    /// Lets results follow what they read, around the nodes where most bytes live, for as long as that lowers the peak.
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

    /// Does what the ties allow, unless all of it together costs memory.
    fn apply_together(&mut self, ties: &[&Tie]) {
        let lives = ties.iter().flat_map(|tie| [tie.input, tie.output]).filter_map(|record| {
            self.buffers[self.buffer_of[self.value_of[record].0]].as_ref().map(|buffer| buffer.life)
        });
        let Some(life) = lives.reduce(union) else { return };
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

    /// Does what the tie allows, if that is safe and costs nothing. Says whether it did.
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

    /// Makes record `part`, and the value that it is in, a part of record `whole`'s value: it lies `at` bytes from where
    /// `whole` does. What is `written` there must not meet what else is.
    fn rename(&mut self, whole: usize, part: usize, at: u64, written: bool) -> bool {
        let ((outer, whole_at), (inner, part_at)) = (self.value_of[whole], self.value_of[part]);
        // Where the inner value begins, from the beginning of the outer one.
        let shift = whole_at + i128::from(at) - part_at;
        let range = (shift, self.values[inner].size);
        // The rest of a value that only a part of is written would be overwritten.
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
        outer.life = union(outer.life, life);
        outer.records.extend(records);
        if written {
            outer.written.push(range);
        }
        true
    }

    /// Lets the output's value take over the memory of the input's, which dies where the other is born: the output begins at
    /// least `distance` bytes in front of the input.
    fn take_over(&mut self, tie: &Tie, distance: u64) -> bool {
        let ((old, input_at), (new, output_at)) = (self.value_of[tie.input], self.value_of[tie.output]);
        let (dying, born) = (&self.values[old], &self.values[new]);
        let Some(distance) = distance.checked_next_multiple_of(ALIGNMENT as u64) else { return false };
        if old == new || dying.life.1 != tie.node || born.life.0 != tie.node {
            return false;
        }
        // The node must not see the old value, or give the new one, in a second way.
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

    /// Moves the buffer of value `moved` by `delta`, and makes it one with that of value `kept`, if no two values that live
    /// together would meet, these two apart, and if memory does not grow.
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
                && x.life.0 <= y.life.1
                && y.life.0 <= x.life.1
                && meet((x.offset, x.size), (y.offset + delta, y.size))
        };
        if one.values.iter().any(|v| two.values.iter().any(|w| clash(v, w))) {
            return false;
        }
        let joined = Buffer {
            life: union(one.life, two.life),
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
                    first_node: buffer.life.0,
                    last_node: buffer.life.1,
                    ..*record
                });
            }
            let offset = self.values[value].offset + at - buffer.low;
            places.push((number[old], u64::try_from(offset).unwrap_or(0)));
        }
        Layout { buffers, places }
    }
}

fn union(a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
    (a.0.min(b.0), a.1.max(b.1))
}

fn meet((a, a_size): (Offset, u64), (b, b_size): (Offset, u64)) -> bool {
    a < b + i128::from(b_size) && b < a + i128::from(a_size)
}

#[cfg(test)]
mod tests;
