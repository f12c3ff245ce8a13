//! Text for people: shapes, byte counts, shortened names, tables.

use std::fmt::{self, Display};

use anstyle::Style;

pub use arenite::text::Visible;
pub use arenite_common::{join, shape};

/// Headings and column heads.
pub const HEAD: Style = Style::new().bold();
/// What matters less.
pub const DIM: Style = Style::new().dimmed();

/// `1234567` as `1,234,567`.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// At most `width` characters, control characters as escapes: what does not fit is left out of the middle.
pub fn shorten(name: &str, width: usize) -> String {
    let name = Visible(name).to_string();
    let count = name.chars().count();
    if count <= width {
        return name;
    }
    let head = (width - 1) / 2;
    let tail = width - 1 - head;
    name.chars().take(head).chain(['…']).chain(name.chars().skip(count - tail)).collect()
}

/// `1 node`, `2 nodes`.
pub fn count(n: usize, noun: &str) -> String {
    format!("{} {noun}{}", thousands(n as u64), if n == 1 { "" } else { "s" })
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// Rows of cells below column heads, each column as wide as its widest cell.
pub struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(columns: &[(&'static str, Align)]) -> Self {
        Table { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row with one cell per column. Cells show control characters as escapes.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| Visible(cell).to_string()).collect());
    }

    fn line(
        &self,
        f: &mut fmt::Formatter<'_>,
        widths: &[usize],
        cells: &[&str],
        style: Style,
    ) -> fmt::Result {
        let mut line = String::new();
        for ((cell, &width), (_, align)) in cells.iter().zip(widths).zip(&self.columns) {
            match align {
                Align::Left => line.push_str(&format!("{cell:<width$}  ")),
                Align::Right => line.push_str(&format!("{cell:>width$}  ")),
            }
        }
        writeln!(f, "  {style}{}{style:#}", line.trim_end())
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |i: usize, (head, _): &(&str, Align)| {
            let cells = self.rows.iter().filter_map(|row| row.get(i)).map(|cell| cell.chars().count());
            cells.chain([head.chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> =
            self.columns.iter().enumerate().map(|(i, column)| width(i, column)).collect();
        let heads: Vec<&str> = self.columns.iter().map(|(head, _)| *head).collect();
        self.line(f, &widths, &heads, HEAD)?;
        for row in &self.rows {
            let cells: Vec<&str> = row.iter().map(String::as_str).collect();
            self.line(f, &widths, &cells, Style::new())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let shown = [0, 999, 1000, 1_234_567].map(thousands);
        assert_eq!(shown, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shorten("short", 5), "short");
        assert_eq!(shorten("abcdefghij", 5), "ab…ij");
        assert_eq!(shorten("äöüßäöüß", 4), "ä…üß");
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(&[("n", Align::Right), ("name", Align::Left)]);
        table.row(["10".to_owned(), "a".to_owned()]);
        let plain = anstream::adapter::strip_str(&table.to_string()).to_string();
        assert_eq!(plain, "   n  name\n  10  a\n");
    }
}
