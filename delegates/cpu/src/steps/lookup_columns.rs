//! Functions of bytes by tables, one for each column of a row.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use super::lookup::Table;
use crate::memory::{InPlace, Source, Target};
use crate::step::{Run, Step};

/// Bytes that are worth a thread's while.
const CHUNK: usize = 1 << 12;

/// A table for each number that some columns have.
pub(crate) struct Tables {
    /// `[number][byte]`. Only the rows of `numbers` are filled.
    results: Box<[[u8; 256]; 256]>,
    /// The number of each column.
    numbers: Box<[u8]>,
}

impl Tables {
    /// The tables of columns with these numbers; `table` returns the one of a number.
    pub(crate) fn new(numbers: &[u8], table: impl Fn(u8) -> Table) -> Tables {
        let mut results = Box::new([[0; 256]; 256]);
        let mut seen = [false; 256];
        for &number in numbers {
            if !std::mem::replace(&mut seen[usize::from(number)], true) {
                results[usize::from(number)] = *table(number);
            }
        }
        Tables { results, numbers: numbers.into() }
    }

    /// Looks up whole rows.
    fn look_up(&self, x: Source<'_, u8>, y: &mut Target<'_, u8>) {
        let columns = self.numbers.len();
        for row in (0..y.len()).step_by(columns) {
            for (i, &number) in self.numbers.iter().enumerate() {
                let byte = x.get(row + i);
                y.set(row + i, self.results[usize::from(number)][usize::from(byte)]);
            }
        }
    }
}

/// Looks up the bytes of rows.
pub(crate) struct ColumnLookup {
    /// The results.
    pub tables: Tables,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl Step for ColumnLookup {
    fn name(&self) -> &'static str {
        "lookup"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let (x, columns) = (cx.input::<u8>(self.input), self.tables.numbers.len());
        let grain = (CHUNK / columns).max(1);
        cx.parallel_parts(cx.output::<u8>(self.output), columns, grain, |rows, mut y| {
            self.tables.look_up(x.part(rows.start * columns, y.len()), &mut y);
        })
    }

    fn in_place(&self, id: Id) -> InPlace {
        // SAFETY: a byte is looked up by the thread that writes it.
        unsafe { InPlace::only_if(id == self.input) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_column_has_its_table() {
        let tables = Tables::new(&[3, 200, 3], |number| Box::new(std::array::from_fn(|x| x as u8 ^ number)));
        let mut y = [0; 6];
        tables.look_up(Source::of(&[0, 1, 2, 253, 254, 255]), &mut Target::of(&mut y));
        assert_eq!(y, [3, 201, 1, 254, 54, 252]);
    }
}
