//! Measurements and the figures derived from them.

use serde::Serialize;

use crate::agreement::Difference;
use crate::machine::Machine;
use crate::peak::Peak;
use crate::statistics::geometric_mean;
use crate::work::unit_of_kind;

/// A run of the suite.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub machine: Machine,
    pub peaks: Vec<Peak>,
    pub cases: Vec<Case>,
}

/// A model at a number of threads.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Case {
    pub model: String,
    pub kind: String,
    pub threads: usize,
    pub file_bytes: u64,
    /// See `work.rs`; `None` if the shapes alone do not determine it.
    pub operations: Option<u64>,
    /// In the order of the definitions.
    pub scores: Vec<Score>,
    /// The number of processors that others used during the measurement.
    pub foreign_cores: f64,
    /// The number of processors that the hypervisor used for others.
    pub stolen_cores: f64,
}

/// A contender with a model. Times are the minima over several starts, or over all samples.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Score {
    pub contender: String,
    pub version: String,
    pub min_ms: Option<f64>,
    pub median_ms: Option<f64>,
    pub samples: usize,
    /// From the file to a model that is ready to run.
    pub load_ms: Option<f64>,
    pub first_ms: Option<f64>,
    /// The growth of resident memory, from before the file was opened to after a few runs.
    pub rss_bytes: Option<f64>,
    pub pss_bytes: Option<f64>,
    /// The difference from the first peer's outputs.
    pub difference: Option<Difference>,
    /// Why outputs could not be compared.
    pub disagreement: Option<String>,
    pub failure: Option<String>,
}

/// A peer's time divided by the first contender's: above 1, the first one is faster.
#[derive(Clone, Copy, Debug, Serialize, PartialEq)]
pub(crate) struct Ratio {
    pub of_minima: f64,
    pub of_medians: f64,
}

impl Score {
    pub(crate) fn new(contender: &str) -> Self {
        Score { contender: contender.to_owned(), ..Score::default() }
    }

    /// Load and first run.
    fn start_ms(&self) -> Option<f64> {
        Some(self.load_ms? + self.first_ms?)
    }
}

impl Case {
    pub(crate) fn score(&self, contender: &str) -> Option<&Score> {
        self.scores.iter().find(|score| score.contender == contender)
    }

    /// The number of processors that were used by others.
    pub(crate) fn others_cores(&self) -> f64 {
        self.foreign_cores + self.stolen_cores
    }

    /// The best peer relative to the first of `contenders`; `None` unless that one and a peer have times.
    pub(crate) fn ratio(&self, contenders: &[String]) -> Option<Ratio> {
        let (first, peers) = contenders.split_first()?;
        let own = self.score(first)?;
        let best = |of: fn(&Score) -> Option<f64>| {
            peers.iter().filter_map(|peer| of(self.score(peer)?)).reduce(f64::min)
        };
        Some(Ratio {
            of_minima: best(|score| score.min_ms)? / own.min_ms?,
            of_medians: best(|score| score.median_ms)? / own.median_ms?,
        })
    }

    /// Whether the first of `contenders` has a smaller figure than every peer that has one; false without a peer.
    fn is_least(&self, contenders: &[String], of: fn(&Score) -> Option<f64>) -> bool {
        let figure = |name: &String| of(self.score(name)?);
        let Some((own, peers)) = contenders.split_first() else { return false };
        let best = peers.iter().filter_map(figure).reduce(f64::min);
        figure(own).zip(best).is_some_and(|(own, best)| own < best)
    }

    /// The fastest of `contenders` except the first.
    pub(crate) fn best_peer(&self, contenders: &[String]) -> Option<&Score> {
        let peers = contenders.iter().skip(1).filter_map(|peer| self.score(peer));
        let timed = peers.filter_map(|score| Some((score.min_ms?, score)));
        timed.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, score)| score)
    }

    /// Billions of operations per second at the best time; `None` if the operations are unknown.
    pub(crate) fn rate(&self, score: &Score) -> Option<f64> {
        Some(self.operations.filter(|&count| count > 0)? as f64 / score.min_ms? / 1e6)
    }

    /// That rate in percent of the machine's peak with as many threads.
    pub(crate) fn percent_of_peak(&self, score: &Score, peaks: &[Peak]) -> Option<f64> {
        let peak = peaks.iter().find(|peak| peak.threads == self.threads)?;
        Some(100.0 * self.rate(score)? / peak.of(unit_of_kind(&self.kind)))
    }
}

/// The summary of the ratios of all cases of a kind with a number of threads.
#[derive(Debug, Serialize, PartialEq)]
pub(crate) struct Summary {
    pub kind: String,
    pub threads: usize,
    pub cases: usize,
    /// The number of cases in which the first contender is the fastest.
    pub won: usize,
    /// The number of cases in which it starts (load and first run) faster than every peer.
    pub won_by_start: usize,
    /// The number of cases in which its resident memory grows less than every peer's.
    pub won_by_memory: usize,
    /// The geometric means of the ratios of minima and medians.
    pub mean: Ratio,
}

impl Report {
    /// The names of all contenders, in the order of the definitions.
    pub(crate) fn contenders(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for score in self.cases.iter().flat_map(|case| &case.scores) {
            if !names.contains(&score.contender) {
                names.push(score.contender.clone());
            }
        }
        names
    }

    /// One line per kind and number of threads, in order of appearance.
    pub(crate) fn summaries(&self) -> Vec<Summary> {
        let contenders = self.contenders();
        let mut groups: Vec<(&str, usize, Vec<&Case>)> = Vec::new();
        for case in self.cases.iter().filter(|case| case.ratio(&contenders).is_some()) {
            match groups.iter_mut().find(|group| (group.0, group.1) == (&case.kind, case.threads)) {
                Some(group) => group.2.push(case),
                None => groups.push((&case.kind, case.threads, vec![case])),
            }
        }
        let summary = |(kind, threads, cases): (&str, usize, Vec<&Case>)| {
            let ratios: Vec<Ratio> = cases.iter().filter_map(|case| case.ratio(&contenders)).collect();
            let mean = |of: fn(&Ratio) -> f64| geometric_mean(&ratios.iter().map(of).collect::<Vec<_>>());
            let least = |of: fn(&Score) -> Option<f64>| {
                cases.iter().filter(|case| case.is_least(&contenders, of)).count()
            };
            Summary {
                kind: kind.to_owned(),
                threads,
                cases: cases.len(),
                won: least(|score| score.min_ms),
                won_by_start: least(Score::start_ms),
                won_by_memory: least(|score| score.rss_bytes),
                mean: Ratio {
                    of_minima: mean(|ratio| ratio.of_minima),
                    of_medians: mean(|ratio| ratio.of_medians),
                },
            }
        };
        groups.into_iter().map(summary).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A case of three contenders with these times; the last one has no times.
    pub(crate) fn case(kind: &str, own: f64, peer: f64) -> Case {
        let score = |name: &str, ms: Option<f64>| Score {
            version: "1.0".into(),
            min_ms: ms,
            median_ms: ms.map(|ms| 2.0 * ms),
            samples: 7,
            load_ms: ms,
            first_ms: ms,
            rss_bytes: Some(2.5 * 1024.0 * 1024.0),
            pss_bytes: Some(1024.0 * 1024.0),
            ..Score::new(name)
        };
        Case {
            model: "net".into(),
            kind: kind.into(),
            threads: 1,
            file_bytes: 1 << 20,
            operations: Some(4_000_000),
            scores: vec![
                score("arenite", Some(own)),
                score("litert", Some(peer)),
                score("onnxruntime", None),
            ],
            foreign_cores: 0.25,
            stolen_cores: 0.0,
        }
    }

    pub(crate) fn report() -> Report {
        let peak = Peak {
            threads: 1,
            f32_gflops: 20.0,
            f32_isa: "avx2",
            int8_gops: 80.0,
            int8_isa: "avx2",
            int8_tile_gops: None,
        };
        let machine = Machine { processor: "Some Processor".into(), cores: 2, cap: None };
        let cases = vec![case("f32", 1.0, 2.0), case("f32", 2.0, 1.0), case("i8", 1.0, 3.0)];
        Report { machine, peaks: vec![peak], cases }
    }

    #[test]
    fn ratios_are_the_best_peer_over_the_first_contender() {
        let report = report();
        let contenders = report.contenders();
        assert_eq!(contenders, ["arenite", "litert", "onnxruntime"]);
        let ratios: Vec<_> =
            report.cases.iter().map(|case| case.ratio(&contenders).unwrap().of_minima).collect();
        assert_eq!(ratios, [2.0, 0.5, 3.0]);
        let alone = Case { scores: report.cases[0].scores[..1].to_vec(), ..report.cases[0].clone() };
        assert_eq!(alone.ratio(&contenders), None);
    }

    #[test]
    fn rates_are_operations_over_the_best_time() {
        let report = report();
        let case = &report.cases[0];
        assert_eq!(case.rate(&case.scores[0]), Some(4.0));
        assert_eq!(case.percent_of_peak(&case.scores[0], &report.peaks), Some(20.0));
        let bytes = &report.cases[2];
        assert_eq!(bytes.percent_of_peak(&bytes.scores[0], &report.peaks), Some(5.0));
        assert_eq!(case.percent_of_peak(&case.scores[2], &report.peaks), None);
    }

    #[test]
    fn summaries_are_per_kind_and_threads() {
        let summaries = report().summaries();
        assert_eq!((summaries[0].kind.as_str(), summaries[0].cases, summaries[0].won), ("f32", 2, 1));
        assert!((summaries[0].mean.of_minima - 1.0).abs() < 1e-12);
        assert_eq!((summaries[1].kind.as_str(), summaries[1].won), ("i8", 1));
        assert_eq!((summaries[0].won_by_start, summaries[0].won_by_memory), (1, 0));
    }
}
