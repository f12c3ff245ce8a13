//! Formats text for people: shapes, byte counts, shortened names, tables.

use std::fmt::{self, Display};

use anstyle::Style;

pub(crate) use arenite::text::Visible;
pub(crate) use arenite_common::{join, shape};

/// Style of headings and column heads.
pub(crate) const HEAD: Style = Style::new().bold();
/// Style of less important text.
pub(crate) const DIM: Style = Style::new().dimmed();

/// `1234567` as `1,234,567`.
pub(crate) fn thousands(n: u64) -> String {
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

/// A time given in milliseconds, in the unit that suits it, with four digits: `82.28 µs`.
pub(crate) fn time(ms: f64) -> String {
    let (value, unit) = match ms.abs() {
        ms if ms < 0.000_999_5 => (ms * 1e6, "ns"),
        ms if ms < 0.999_95 => (ms * 1e3, "µs"),
        ms if ms < 999.95 => (ms, "ms"),
        ms => (ms / 1e3, "s"),
    };
    let decimals = match value {
        _ if unit == "ns" => 0,
        value if value < 9.9995 => 3,
        value if value < 99.995 => 2,
        _ => 1,
    };
    let sign = if ms < 0.0 { "−" } else { "" };
    format!("{sign}{value:.decimals$} {unit}")
}

/// Shortens a name to at most `width` characters by cutting out its middle. Control characters are escaped.
pub(crate) fn shorten(name: &str, width: usize) -> String {
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
pub(crate) fn count(n: usize, noun: &str) -> String {
    format!("{} {noun}{}", thousands(n as u64), if n == 1 { "" } else { "s" })
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A table of rows below column heads. Each column is as wide as its widest cell.
pub(crate) struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(columns: &[(&'static str, Align)]) -> Self {
        Table { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row with one cell per column. Control characters are escaped.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
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
    fn thousands_are_separated() {
        let shown = [0, 999, 1000, 1_234_567].map(thousands);
        assert_eq!(shown, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn times_have_a_unit_that_suits_them() {
        let shown =
            [0.0, 0.000_68, 0.000_999_6, 0.082_28, 0.99996, 5.249, 22.604, 999.96, 12_345.0].map(time);
        let wanted = [
            "0 ns",
            "680 ns",
            "1.000 µs",
            "82.28 µs",
            "1.000 ms",
            "5.249 ms",
            "22.60 ms",
            "1.000 s",
            "12.35 s",
        ];
        assert_eq!(shown, wanted);
        assert_eq!(time(-0.5), "−500.0 µs");
    }

    #[test]
    fn long_names_are_shortened_in_the_middle() {
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
