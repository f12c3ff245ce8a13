//! Time per node.

use std::collections::HashMap;
use std::time::Duration;

/// One row: a node, or a delegate's partition.
#[derive(Clone, Debug)]
pub struct ProfileRow {
    /// The op's name, or `delegate NAME`.
    pub op: String,
    /// Name of its first output.
    pub output: String,
    /// How often it ran.
    pub runs: u64,
    /// All runs together.
    pub total: Duration,
    /// The shortest run.
    pub min: Duration,
    /// Of a delegate's partition: its own steps, where the delegate tells them.
    pub parts: Vec<ProfileRow>,
}

impl ProfileRow {
    fn new(op: String, output: String) -> Self {
        ProfileRow { op, output, runs: 0, total: Duration::ZERO, min: Duration::MAX, parts: Vec::new() }
    }

    pub(crate) fn note(&mut self, time: Duration) {
        self.runs += 1;
        self.total += time;
        self.min = self.min.min(time);
    }

    /// Adds the time of step `number` of a delegate. Its row is made when it is named first; numbers without limit are not
    /// followed.
    pub(crate) fn note_part(
        &mut self,
        number: usize,
        time: Duration,
        name: impl FnOnce() -> (String, String),
    ) {
        if number == self.parts.len() && number < MAX_PARTS {
            let (op, output) = name();
            self.parts.push(ProfileRow::new(op, output));
        }
        if let Some(part) = self.parts.get_mut(number) {
            part.note(time);
        }
    }
}

/// Most steps of one partition that are told apart.
const MAX_PARTS: usize = 1 << 20;

/// What tells a step from others: its first node, how many nodes it has, and whether it is one of the model's own.
pub(crate) type StepKey = (usize, usize, bool);

/// Time per node, collected over invocations. Collecting makes no heap allocation once the steps are known.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    rows: Vec<ProfileRow>,
    row_of: HashMap<StepKey, usize>,
}

impl Profile {
    /// The row of a step; made, with its op and output, when it is asked for first.
    pub(crate) fn row_mut(
        &mut self,
        key: StepKey,
        name: impl FnOnce() -> (String, String),
    ) -> &mut ProfileRow {
        let row = *self.row_of.entry(key).or_insert_with(|| {
            let (op, output) = name();
            self.rows.push(ProfileRow::new(op, output));
            self.rows.len() - 1
        });
        &mut self.rows[row]
    }

    /// The rows in execution order; those of steps behind a node of dynamic shape in the order in which they ran first. Nodes that
    /// never ran, since their result is constant, have no runs.
    pub fn rows(&self) -> &[ProfileRow] {
        &self.rows
    }
}
