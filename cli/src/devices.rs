//! `arenite devices`: lists the devices that delegates can run on. Also prints what partitions report.

use std::fmt::{self, Display, Formatter};

use arenite::Registry;
use arenite_common::devices::{DelegateDevices, Device, Devices, PartitionFacts, Value};
use clap::Args;
use serde::Serialize;

use crate::answer::{Answer, Result};
use crate::options::ModelFreeOptions;
use crate::text::{self, Align, DIM, HEAD, Table, Visible, thousands, time};

const NOTES: &str = "\
To choose a device, set the delegate's option `device` to its number or a part of its name:
  arenite run model.tflite --delegate opencl:device=1";

#[derive(Args)]
#[command(after_help = NOTES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub common: ModelFreeOptions,
}

/// The report as text for people.
#[derive(Serialize)]
#[serde(transparent)]
struct Report(Devices);

/// Runs the command. A delegate that has no driver is part of the answer, not a failure.
pub(crate) fn devices(arguments: &Arguments) -> Result<Answer> {
    let common = &arguments.common.0;
    let registry = Registry::discover(&common.settings()?)?;
    Answer::new(&Report(Devices::of(&registry)), common.json)
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Report(Devices { delegates }) = self;
        if delegates.is_empty() {
            return writeln!(f, "no delegate has devices; load plugins that have some with --plugin-dir DIR");
        }
        delegates.iter().try_for_each(|delegate| show(f, delegate))
    }
}

fn show(f: &mut Formatter<'_>, delegate: &DelegateDevices) -> fmt::Result {
    writeln!(f, "{HEAD}delegate {}{HEAD:#}", delegate.delegate)?;
    match &delegate.error {
        Some(error) => writeln!(f, "  no devices: {}", Visible(error))?,
        None if delegate.devices.is_empty() => writeln!(f, "  no devices")?,
        None => {}
    }
    for Device { index, name, driver, kind, memory_bytes, limits } in &delegate.devices {
        let memory = memory_bytes.map_or_else(String::new, |bytes| format!(", {} bytes", thousands(bytes)));
        writeln!(f, "  {index}  {}  {DIM}{kind}{memory}; {}{DIM:#}", Visible(name), Visible(driver))?;
        let limits: Vec<String> = limits
            .iter()
            .map(|fact| format!("{} {}", fact.key, shown(&fact.value, fact.unit.as_deref())))
            .collect();
        if !limits.is_empty() {
            writeln!(f, "     {DIM}{}{DIM:#}", Visible(text::join(&limits, ", ")))?;
        }
    }
    writeln!(f)
}

/// Prints the facts that partitions report, one row per fact of a delegate: numbers of several partitions are added.
/// Prints nothing if they report none.
pub(crate) fn show_facts(f: &mut Formatter<'_>, reported: &[PartitionFacts]) -> fmt::Result {
    if reported.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{HEAD}reported by delegates{HEAD:#}")?;
    let mut table = Table::new(&[
        ("delegate", Align::Left),
        ("partitions", Align::Right),
        ("fact", Align::Left),
        ("value", Align::Left),
    ]);
    for Sum { delegate, key, unit, partitions, value } in sums(reported) {
        let value = shown(&value, unit);
        table.row([delegate.to_owned(), partitions.to_string(), key.to_owned(), value]);
    }
    table.fmt(f)
}

/// A fact of all partitions of a delegate.
struct Sum<'a> {
    delegate: &'a str,
    key: &'a str,
    unit: Option<&'a str>,
    partitions: usize,
    value: Value,
}

/// Adds numbers of the same fact and unit. Different texts are listed one by one.
fn sums(reported: &[PartitionFacts]) -> Vec<Sum<'_>> {
    let mut sums: Vec<Sum<'_>> = Vec::new();
    for (partition, fact) in
        reported.iter().flat_map(|partition| partition.facts.iter().map(move |f| (partition, f)))
    {
        let (delegate, key, unit) = (partition.delegate.as_str(), fact.key.as_str(), fact.unit.as_deref());
        let mut same =
            sums.iter_mut().filter(|sum| (sum.delegate, sum.key, sum.unit) == (delegate, key, unit));
        let merged = same.any(|sum| {
            let merges = match (&mut sum.value, &fact.value) {
                (Value::Number(sum), Value::Number(more)) => {
                    *sum = sum.saturating_add(*more);
                    true
                }
                (Value::Text(known), Value::Text(text)) => known == text,
                _ => false,
            };
            sum.partitions += usize::from(merges);
            merges
        });
        if !merged {
            let value = match &fact.value {
                Value::Number(number) => Value::Number(*number),
                Value::Text(text) => Value::Text(text.clone()),
            };
            sums.push(Sum { delegate, key, unit, partitions: 1, value });
        }
    }
    sums
}

/// Nanoseconds are shown in the unit that suits them, other numbers with their unit.
fn shown(value: &Value, unit: Option<&str>) -> String {
    match (value, unit) {
        (Value::Text(text), _) => text.clone(),
        (Value::Number(number), Some("ns")) => time(*number as f64 / 1e6),
        (Value::Number(number), Some(unit)) => format!("{} {unit}", thousands(*number)),
        (Value::Number(number), None) => thousands(*number),
    }
}
