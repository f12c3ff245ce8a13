//! Parts of the start that a delegate's cache saves, as the delegate measured them.

use std::time::Duration;

use arenite::{FactValue, Interpreter};
use arenite_common::profile::ms;
use serde::Serialize;

use super::detail::Detail;
use crate::text::time;

/// A fact with a time, the delegate's work in that time, and the option that saves it.
const SAVINGS: [(&str, &str, &str); 3] = [
    ("time of packing", "packing weights", "cache"),
    ("time of programs", "compiling programs", "cache_dir"),
    ("time of tuning", "tuning kernels", "cache_dir"),
];

/// The share of the start, and the milliseconds, from which a cache is worth a line.
const WORTH: (f64, f64) = (0.1, 0.5);

/// Work at the start that a cache would save.
#[derive(Serialize)]
pub(super) struct Saving {
    delegate: String,
    work: &'static str,
    ms: f64,
    /// The delegate's option that names a folder for the cache.
    option: &'static str,
    /// Whether the option is set, so that the next start saves the time.
    is_set: bool,
    #[serde(skip)]
    init_ms: f64,
}

/// Sums the times that partitions report.
pub(super) fn savings(interpreter: &Interpreter, init: Duration) -> Vec<Saving> {
    let mut savings: Vec<Saving> = Vec::new();
    for partition in interpreter.facts() {
        for fact in partition.facts {
            let known = SAVINGS.iter().find(|(key, ..)| *key == fact.key);
            let (Some(&(_, work, option)), FactValue::Number(nanoseconds, unit)) = (known, fact.value) else {
                continue;
            };
            let ms = ms(Duration::from_nanos(nanoseconds));
            let same = |saving: &&mut Saving| saving.delegate == partition.delegate && saving.work == work;
            if unit != "ns" || nanoseconds == 0 {
                continue;
            }
            match savings.iter_mut().find(same) {
                Some(saving) => saving.ms += ms,
                None => savings.push(Saving {
                    delegate: partition.delegate.clone(),
                    work,
                    ms,
                    option,
                    is_set: is_set(interpreter, &partition.delegate, option),
                    init_ms: self::ms(init),
                }),
            }
        }
    }
    savings
}

fn is_set(interpreter: &Interpreter, delegate: &str, option: &str) -> bool {
    let mut settings = interpreter.delegates().iter().filter(|settings| settings.name == delegate);
    settings.any(|settings| settings.options.iter().any(|(key, _)| key == option))
}

impl Saving {
    pub(super) fn line(&self, detail: Detail) -> Option<String> {
        let Saving { delegate, work, ms, option, is_set, init_ms } = self;
        let (share, least) = WORTH;
        let is_worth = *ms >= least && *ms >= share * init_ms;
        let took = format!("{work} took {} of init's {}", time(*ms), time(*init_ms));
        match (is_worth, is_set, detail) {
            (true, false, _) => {
                Some(format!("{took}; --delegate {delegate}:{option}=FOLDER saves it at later starts"))
            }
            (true, true, _) => Some(format!("{took}; the cache saves it at later starts")),
            (false, _, Detail::All) => Some(format!("{took}, so a cache saves little")),
            (false, _, Detail::Findings) => None,
        }
    }
}
