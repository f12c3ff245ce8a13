//! CSV records of machines, models and layers, with one row per measurement and contender. New measurements replace
//! rows with the same key and keep the others.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::layers::LayerReport;
use crate::machine::Machine;
use crate::peak::Peak;
use crate::protocol::Stage;
use crate::report::{Case, Score};
use crate::resize::ResizeReport;
use crate::work::unit_of_kind;

/// The columns of a record. The first `keys` columns identify a row.
struct Format {
    head: &'static str,
    key: usize,
}

const MODELS: Format = Format {
    head: "model,kind,threads,contender,version,min_ms,median_ms,samples,load_ms,first_ms,rss_mib,pss_mib,file_mib,\
           gops,percent_of_peak,peak_gops,difference,difference_steps,others_load",
    key: 4,
};

const LAYERS: Format = Format {
    head: "model,kind,threads,layer,contender,version,op,shapes,count,min_us,median_us,mop,gops,percent_of_peak,\
           peak_gops,difference,difference_steps,others_load",
    key: 5,
};

const RESIZES: Format = Format {
    head: "model,kind,threads,contender,version,rounds,load_ms,allocate_ms,first_ms,run_ms,again_ms,same_ms,there_ms,\
           back_ms,percent_of_allocate,others_load",
    key: 4,
};

/// Writes `cases` into the machine's file in `folder` and returns its path.
pub(crate) fn record_models(
    machine: &Machine,
    peaks: &[Peak],
    cases: &[Case],
    folder: &Path,
) -> Result<PathBuf> {
    MODELS.record(folder, &format!("{}.csv", machine.slug()), &models(peaks, cases))
}

/// The same for layers.
pub(crate) fn record_layers(report: &LayerReport, folder: &Path) -> Result<PathBuf> {
    LAYERS.record(folder, &format!("{}-layers.csv", report.machine.slug()), &layers(report))
}

/// The same for resizes; the times are minima.
pub(crate) fn record_resizes(report: &ResizeReport, folder: &Path) -> Result<PathBuf> {
    RESIZES.record(folder, &format!("{}-resize.csv", report.machine.slug()), &resizes(report))
}

fn models(peaks: &[Peak], cases: &[Case]) -> Vec<String> {
    let mut rows = Vec::new();
    for case in cases {
        for score in case.scores.iter().filter(|score| score.min_ms.is_some()) {
            let mib = |bytes: Option<f64>| number(bytes.map(|bytes| bytes / 1_048_576.0), 1);
            let cells = [
                case.model.clone(),
                case.kind.clone(),
                case.threads.to_string(),
                score.contender.clone(),
                score.version.clone(),
                number(score.min_ms, 5),
                number(score.median_ms, 5),
                score.samples.to_string(),
                number(score.load_ms, 2),
                number(score.first_ms, 3),
                mib(score.rss_bytes),
                mib(score.pss_bytes),
                mib(Some(case.file_bytes as f64)),
            ];
            rows.push(line(cells.into_iter().chain(common(case, score, peaks))));
        }
    }
    rows
}

fn layers(report: &LayerReport) -> Vec<String> {
    let mut rows = Vec::new();
    for layer in &report.layers {
        let case = &layer.case;
        for score in case.scores.iter().filter(|score| score.min_ms.is_some()) {
            let us = |ms: Option<f64>| number(ms.map(|ms| ms * 1e3), 3);
            let cells = [
                report.model.clone(),
                report.kind.clone(),
                case.threads.to_string(),
                format!("{:03}", layer.index),
                score.contender.clone(),
                score.version.clone(),
                layer.op.clone(),
                layer.shapes.clone(),
                layer.count.to_string(),
                us(score.min_ms),
                us(score.median_ms),
                number(case.operations.map(|count| count as f64 / 1e6), 3),
            ];
            rows.push(line(cells.into_iter().chain(common(case, score, &report.peaks))));
        }
    }
    rows
}

fn resizes(report: &ResizeReport) -> Vec<String> {
    let mut rows = Vec::new();
    for case in &report.cases {
        for score in case.scores.iter().filter(|score| score.failure.is_none()) {
            use Stage::*;
            let title = [
                case.model.clone(),
                case.kind.clone(),
                case.threads.to_string(),
                score.contender.clone(),
                score.version.clone(),
                score.rounds.to_string(),
            ];
            let times = [Load, Allocate, First, Run, Again, Same, There, Back];
            let times = times.map(|stage| number(score.stages.get(&stage).map(|figure| figure.min_ms), 6));
            let last = [number(score.percent_of_allocation(), 2), format!("{:.2}", case.others_cores)];
            rows.push(line(title.into_iter().chain(times).chain(last)));
        }
    }
    rows
}

/// The last columns of both.
fn common(case: &Case, score: &Score, peaks: &[Peak]) -> [String; 6] {
    let peak = peaks.iter().find(|peak| peak.threads == case.threads);
    [
        number(case.rate(score), 1),
        number(case.percent_of_peak(score, peaks), 1),
        number(peak.map(|peak| peak.of(unit_of_kind(&case.kind))), 0),
        score.difference.map_or(String::new(), |difference| format!("{:.1e}", difference.relative)),
        number(score.difference.map(|difference| difference.steps), 0),
        format!("{:.2}", case.others_cores()),
    ]
}

fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or(String::new(), |value| format!("{value:.decimals$}"))
}

/// Commas within a cell are replaced.
fn line(cells: impl Iterator<Item = String>) -> String {
    cells.map(|cell| cell.replace(',', ";")).collect::<Vec<_>>().join(",")
}

impl Format {
    fn record(&self, folder: &Path, name: &str, rows: &[String]) -> Result<PathBuf> {
        let path = folder.join(name);
        let failed = |error| Failure::with(path.display(), error);
        let old = fs::read_to_string(&path).unwrap_or_default();
        fs::create_dir_all(folder).map_err(failed)?;
        fs::write(&path, self.merge(&old, rows)).map_err(failed)?;
        Ok(path)
    }

    /// The rows of `new`, and the rows of `old` with other keys, sorted by key.
    fn merge(&self, old: &str, new: &[String]) -> String {
        let key = |row: &str| row.split(',').take(self.key).map(str::to_owned).collect::<Vec<_>>();
        let known = |row: &&str| !row.is_empty() && !row.starts_with("model,");
        let kept = old.lines().filter(known).filter(|row| new.iter().all(|other| key(other) != key(row)));
        let mut rows: Vec<&str> = kept.chain(new.iter().map(String::as_str)).collect();
        rows.sort_by_key(|row| key(row));
        let mut text = format!("{}\n", self.head);
        for row in rows {
            text.push_str(row);
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Report;
    use crate::report::tests::{case, report};

    #[test]
    fn a_row_has_a_cell_per_column() {
        let report = report();
        let rows = models(&report.peaks, &report.cases);
        assert_eq!(rows.len(), 6);
        let columns = MODELS.head.split(',').count();
        assert!(rows.iter().all(|row| row.split(',').count() == columns), "{rows:?}");
        assert_eq!(
            rows[0],
            "net,f32,1,arenite,1.0,1.00000,2.00000,7,1.00,1.000,2.5,1.0,1.0,4.0,20.0,20,,,0.25"
        );
    }

    #[test]
    fn a_refused_resize_leaves_its_cells_empty() {
        let rows = resizes(&crate::resize::tests::report());
        assert!(rows.iter().all(|row| row.split(',').count() == RESIZES.head.split(',').count()), "{rows:?}");
        assert!(rows[0].ends_with(",1.500000,0.500000,4.00,0.25"), "{}", rows[0]);
        assert!(rows[1].ends_with(",,,,0.25"), "{}", rows[1]);
    }

    #[test]
    fn new_rows_replace_old_ones_of_the_same_name() {
        let folder = tempfile::tempdir().unwrap();
        let Report { machine, peaks, cases } = report();
        let record = |cases: &[Case]| record_models(&machine, &peaks, cases, folder.path()).unwrap();
        let path = record(&cases[..1]);
        assert_eq!(path.file_name().unwrap(), "some-processor-2-cores.csv");
        record(&[case("f32", 5.0, 6.0), case("i8", 1.0, 1.0)]);
        let text = fs::read_to_string(path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines.len(), lines[0]), (5, MODELS.head));
        assert!(lines[1].starts_with("net,f32,1,arenite,1.0,5.0"), "{}", lines[1]);
    }
}
