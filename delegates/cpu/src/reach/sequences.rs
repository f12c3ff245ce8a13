//! The rows of sequences, in the order in which a recurrent layer computes them.

/// The rows of a layer: row `(group · times + t) · rows + r` belongs to time step `t` of sequence `r` of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sequences {
    /// Groups of sequences, which run one after the other.
    pub groups: usize,
    /// Time steps.
    pub times: usize,
    /// Sequences of a group, which run together.
    pub rows: usize,
}

/// Some time steps of a group, whose inputs are multiplied together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Chunk {
    /// The group.
    pub group: usize,
    /// The first row of the input and the output.
    pub row: usize,
    /// How many time steps.
    pub steps: usize,
}

/// Rows of the input that are multiplied together.
const ROWS: usize = 28;

impl Sequences {
    /// All sequences.
    pub(crate) fn count(&self) -> usize {
        self.groups * self.rows
    }

    /// Time steps of a chunk, at most.
    pub(crate) fn together(&self) -> usize {
        (ROWS / self.rows.max(1)).clamp(1, self.times.max(1))
    }

    /// The chunks, in order.
    pub(crate) fn chunks(self) -> impl Iterator<Item = Chunk> {
        let Sequences { groups, times, rows } = self;
        let together = self.together();
        (0..groups).flat_map(move |group| {
            (0..times).step_by(together).map(move |first| Chunk {
                group,
                row: (group * times + first) * rows,
                steps: together.min(times - first),
            })
        })
    }
}

/// The numbers of elements of an LSTM layer's rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LstmSizes {
    /// Of the input.
    pub inputs: usize,
    /// Of the cells.
    pub cells: usize,
    /// Of the output.
    pub outputs: usize,
}

/// The values of an LSTM layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LstmIds {
    /// Read.
    pub input: arenite_layers::Id,
    /// Written.
    pub output: arenite_layers::Id,
    /// The variable with the previous outputs.
    pub output_state: arenite_layers::Id,
    /// The variable with the cells.
    pub cell_state: arenite_layers::Id,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_all_rows_in_order() {
        for (groups, times, rows) in [(1, 1, 1), (3, 60, 1), (1, 20, 5), (2, 7, 28), (1, 3, 100)] {
            let sequences = Sequences { groups, times, rows };
            let mut next = 0;
            for chunk in sequences.chunks() {
                assert_eq!(chunk.row, next, "{sequences:?}");
                assert_eq!(chunk.group, chunk.row / (times * rows));
                assert!(chunk.steps > 0 && (chunk.steps == 1 || chunk.steps * rows <= ROWS));
                next += chunk.steps * rows;
            }
            assert_eq!(next, groups * times * rows);
        }
    }
}
