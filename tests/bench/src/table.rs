//! The report as tables for people.

use std::fmt::{self, Display};

use crate::peak::Peak;
use crate::report::{Case, Report, Score, Summary};

/// Rows of cells below column heads; the first `left` columns are left-aligned, the others right-aligned.
pub(crate) struct Table {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
    left: usize,
}

impl Table {
    pub(crate) fn new(left: usize, heads: impl IntoIterator<Item = String>) -> Self {
        Table { heads: heads.into_iter().collect(), rows: Vec::new(), left }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

/// `{}` aligns the columns, `{:#}` prints Markdown.
impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = || std::iter::once(&self.heads).chain(&self.rows);
        if f.alternate() {
            for (n, line) in lines().enumerate() {
                writeln!(f, "| {} |", line.join(" | "))?;
                if n == 0 {
                    let rule = |i| if i < self.left { "---|" } else { "---:|" };
                    writeln!(f, "|{}", (0..self.heads.len()).map(rule).collect::<String>())?;
                }
            }
            return Ok(());
        }
        let width = |i: usize| {
            lines().filter_map(|line| line.get(i)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        for line in lines() {
            let mut text = String::new();
            for (i, cell) in line.iter().enumerate() {
                let width = width(i);
                match i < self.left {
                    true => text.push_str(&format!("{cell:<width$}  ")),
                    false => text.push_str(&format!("{cell:>width$}  ")),
                }
            }
            writeln!(f, "{}", text.trim_end())?;
        }
        Ok(())
    }
}

/// Rounds to three significant digits: `112`, `8.53`, `0.0351`.
pub(crate) fn digits(value: f64) -> String {
    match value {
        _ if !value.is_finite() => "–".to_owned(),
        _ if value >= 99.95 => format!("{value:.0}"),
        _ if value >= 9.995 => format!("{value:.1}"),
        _ if value >= 0.9995 => format!("{value:.2}"),
        _ if value >= 0.09995 => format!("{value:.3}"),
        _ => format!("{value:.4}"),
    }
}

fn or_dash(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), digits)
}

/// `8.53 / 8.71`: minimum and median.
fn times(score: Option<&Score>) -> String {
    match score {
        Some(Score { failure: Some(_), .. }) => "failed".to_owned(),
        Some(Score { min_ms: Some(min), median_ms: Some(median), .. }) => {
            format!("{} / {}", digits(*min), digits(*median))
        }
        _ => "–".to_owned(),
    }
}

fn title(case: &Case) -> [String; 3] {
    [case.model.clone(), case.kind.clone(), case.threads.to_string()]
}

/// `{:#}` prints Markdown.
impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, {} cores", self.machine.processor, self.machine.cores)?;
        for peak in &self.peaks {
            writeln!(f, "{peak}")?;
        }
        let contenders = self.contenders();
        writeln!(f, "\nspeed: minimum / median in ms; ratio: best peer / {}\n", name(&contenders))?;
        self.speed().fmt(f)?;
        writeln!(f, "\nstart: load + first run in ms; memory: growth of RSS / PSS in MiB\n")?;
        self.starts().fmt(f)?;
        for case in &self.cases {
            for score in &case.scores {
                for text in score.failure.iter().chain(&score.disagreement) {
                    writeln!(f, "\n{} {} with {} threads: {text}", case.model, case.kind, case.threads)?;
                }
            }
        }
        let summaries = self.summaries();
        if !summaries.is_empty() {
            writeln!(f, "\nwon: models in which {} is ahead of all peers\n", name(&contenders))?;
            table_of(summaries).fmt(f)?;
        }
        Ok(())
    }
}

fn table_of(summaries: Vec<Summary>) -> Table {
    let heads = [
        "kind",
        "threads",
        "models",
        "won by time",
        "mean ratio",
        "of medians",
        "won by start",
        "won by memory",
    ];
    let mut table = Table::new(1, heads.map(str::to_owned));
    for summary in summaries {
        table.row([
            summary.kind,
            summary.threads.to_string(),
            summary.cases.to_string(),
            summary.won.to_string(),
            digits(summary.mean.of_minima),
            digits(summary.mean.of_medians),
            summary.won_by_start.to_string(),
            summary.won_by_memory.to_string(),
        ]);
    }
    table
}

fn name(contenders: &[String]) -> &str {
    contenders.first().map_or("", String::as_str)
}

impl Report {
    fn speed(&self) -> Table {
        let contenders = self.contenders();
        let heads = ["model", "kind", "thr"].into_iter().map(str::to_owned).chain(contenders.iter().cloned());
        let rest = ["ratio", "of medians", "G/s", "% of peak", "peer's %", "differs by", "others' load"];
        let mut table = Table::new(2, heads.chain(rest.map(str::to_owned)));
        for case in &self.cases {
            let ratio = case.ratio(&contenders);
            let own = contenders.first().and_then(|first| case.score(first));
            let percent =
                |score: Option<&Score>| or_dash(score.and_then(|s| case.percent_of_peak(s, &self.peaks)));
            let cells = [
                or_dash(ratio.map(|ratio| ratio.of_minima)),
                or_dash(ratio.map(|ratio| ratio.of_medians)),
                or_dash(own.and_then(|own| case.rate(own))),
                percent(own),
                percent(case.best_peer(&contenders)),
                own.and_then(|own| own.difference).map_or("–".to_owned(), |difference| difference.short()),
                format!("{:.2}", case.others_cores()),
            ];
            let scores = contenders.iter().map(|contender| times(case.score(contender)));
            table.row(title(case).into_iter().chain(scores).chain(cells));
        }
        table
    }

    fn starts(&self) -> Table {
        let contenders = self.contenders();
        let heads = ["model", "kind", "thr"].into_iter().map(str::to_owned);
        let starts = contenders.iter().map(|name| format!("{name} start"));
        let memory = contenders.iter().map(|name| format!("{name} memory"));
        let mut table = Table::new(2, heads.chain(starts).chain(["file MiB".to_owned()]).chain(memory));
        let mib = |bytes: Option<f64>| {
            bytes.map_or("–".to_owned(), |bytes| format!("{:.1}", bytes / 1_048_576.0))
        };
        for case in &self.cases {
            let start = |name: &String| match case.score(name) {
                Some(Score { load_ms: Some(load), first_ms: Some(first), .. }) => {
                    format!("{} + {}", digits(*load), digits(*first))
                }
                _ => "–".to_owned(),
            };
            let grown = |name: &String| match case.score(name) {
                Some(score) if score.rss_bytes.is_some() => {
                    format!("{} / {}", mib(score.rss_bytes), mib(score.pss_bytes))
                }
                _ => "–".to_owned(),
            };
            let cells = contenders.iter().map(start);
            let cells = cells.chain([mib(Some(case.file_bytes as f64))]).chain(contenders.iter().map(grown));
            table.row(title(case).into_iter().chain(cells));
        }
        table
    }
}

impl Display for Peak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (float, int8) = (digits(self.f32_gflops), digits(self.int8_gops));
        let s = if self.threads == 1 { "" } else { "s" };
        write!(f, "peak of {} thread{s}: ", self.threads)?;
        write!(f, "{float} GFLOP/s f32 ({}), {int8} GOP/s int8 ({})", self.f32_isa, self.int8_isa)?;
        match self.int8_tile_gops {
            Some(tiles) => write!(f, ", {} GOP/s int8 in tiles (amx)", digits(tiles)),
            None => Ok(()),
        }
    }
}

impl Case {
    /// A one-line summary for progress output.
    pub(crate) fn line(&self, contenders: &[String]) -> String {
        let scores = contenders.iter().filter_map(|name| Some((name, self.score(name)?)));
        let scores = scores.map(|(name, score)| format!("{name} {}", times(Some(score))));
        let ratio =
            self.ratio(contenders).map_or(String::new(), |ratio| format!("  {}×", digits(ratio.of_minima)));
        format!(
            "{} {} ×{}: {}{ratio}",
            self.model,
            self.kind,
            self.threads,
            scores.collect::<Vec<_>>().join("   ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::report;

    #[test]
    fn three_significant_digits() {
        let shown = [112.34, 99.96, 8.526, 0.8604, 0.03512, f64::NAN].map(digits);
        assert_eq!(shown, ["112", "100", "8.53", "0.860", "0.0351", "–"]);
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(1, ["name", "ms"].map(str::to_owned));
        table.row(["a".to_owned(), "1234".to_owned()]);
        assert_eq!(table.to_string(), "name    ms\na     1234\n");
        assert_eq!(format!("{table:#}"), "| name | ms |\n|---|---:|\n| a | 1234 |\n");
    }

    #[test]
    fn a_report_shows_times_ratios_and_means() {
        let text = report().to_string();
        let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap();
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        assert_eq!(line("peak"), "peak of 1 thread: 20.0 GFLOP/s f32 (avx2), 80.0 GOP/s int8 (avx2)");
        let first = words(line("net "));
        assert_eq!(first, "net f32 1 1.00 / 2.00 2.00 / 4.00 – 2.00 2.00 4.00 20.0 10.0 – 0.25");
        let start = words(text.lines().filter(|line| line.starts_with("net")).nth(3).unwrap());
        assert_eq!(start, "net f32 1 1.00 + 1.00 2.00 + 2.00 – 1.0 2.5 / 1.0 2.5 / 1.0 2.5 / 1.0");
        assert_eq!(words(line("i8")), "i8 1 1 1 3.00 3.00 1 0");
    }
}
