//! Time per node.

use std::collections::HashMap;
use std::time::Duration;

/// The time of one node or delegate partition.
#[derive(Clone, Debug)]
pub struct ProfileRow {
    /// The op's name, or `delegate NAME`.
    pub op: String,
    /// The node, numbered as in [`Interpreter::served_by`](crate::Interpreter::served_by); `None` for a partition and
    /// for the steps inside one.
    pub node: Option<usize>,
    /// The name of its first output.
    pub output: String,
    /// How often it ran.
    pub runs: u64,
    /// The total time.
    pub total: Duration,
    /// The shortest run.
    pub min: Duration,
    /// For a partition, the times of the steps inside it if the delegate reports them.
    pub parts: Vec<ProfileRow>,
}

impl ProfileRow {
    fn new(op: String, node: Option<usize>, output: String) -> Self {
        let (total, min) = (Duration::ZERO, Duration::MAX);
        ProfileRow { op, node, output, runs: 0, total, min, parts: Vec::new() }
    }

    pub(crate) fn note(&mut self, time: Duration) {
        self.runs += 1;
        self.total += time;
        self.min = self.min.min(time);
    }

    /// Adds the time of step `number` of a delegate, and creates its row the first time. Numbers beyond the limit are
    /// ignored.
    pub(crate) fn note_part(
        &mut self,
        number: usize,
        time: Duration,
        name: impl FnOnce() -> (String, String),
    ) {
        if number == self.parts.len() && number < MAX_PARTS {
            let (op, output) = name();
            self.parts.push(ProfileRow::new(op, None, output));
        }
        if let Some(part) = self.parts.get_mut(number) {
            part.note(time);
        }
    }
}

/// The most steps of one partition with rows of their own.
const MAX_PARTS: usize = 1 << 20;

/// Identifies a step: its first node, the number of its nodes, and whether it is a node of the model.
pub(crate) type StepKey = (usize, usize, bool);

/// Time per node, collected over invocations. Collecting allocates no heap memory once all steps have rows.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    rows: Vec<ProfileRow>,
    row_of: HashMap<StepKey, usize>,
}

impl Profile {
    /// The row of a step, created with its op and output the first time.
    pub(crate) fn row_mut(
        &mut self,
        key: StepKey,
        name: impl FnOnce() -> (String, String),
    ) -> &mut ProfileRow {
        let row = *self.row_of.entry(key).or_insert_with(|| {
            let (op, output) = name();
            let (first, _, is_node) = key;
            self.rows.push(ProfileRow::new(op, is_node.then_some(first), output));
            self.rows.len() - 1
        });
        &mut self.rows[row]
    }

    /// The rows in execution order. Steps after a node of dynamic shape are in the order of their first runs. A node
    /// whose result is constant never runs.
    pub fn rows(&self) -> &[ProfileRow] {
        &self.rows
    }
}
