//! `arenite devices`: what delegates can run on, and how partitions speak of themselves.

use std::fmt::{self, Display, Formatter};

use arenite::Registry;
use arenite_common::devices::{DelegateDevices, Device, Devices, Fact, PartitionFacts, Value};
use clap::Args;
use serde::Serialize;

use crate::answer::{Answer, Result};
use crate::options::Common;
use crate::text::{self, Align, DIM, HEAD, Table, Visible, thousands};

const NOTES: &str = "\
A delegate's option `device` takes the number of a device or a part of its name:
  arenite run model.tflite --delegate opencl:device=1";

#[derive(Args)]
#[command(after_help = NOTES)]
pub struct Arguments {
    #[command(flatten)]
    pub common: Common,
}

/// What is written for people.
#[derive(Serialize)]
#[serde(transparent)]
struct Report(Devices);

/// Runs the command. A delegate without a driver is part of the answer, and no failure.
pub fn devices(arguments: &Arguments) -> Result<Answer> {
    let registry = Registry::discover(&arguments.common.settings()?)?;
    Answer::new(&Report(Devices::of(&registry)), arguments.common.json)
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Report(Devices { delegates }) = self;
        if delegates.is_empty() {
            return writeln!(
                f,
                "no delegate has devices; plugins that have such are found with --plugin-dir DIR"
            );
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
        let limits: Vec<String> = limits.iter().map(|(key, value)| format!("{key} {value}")).collect();
        if !limits.is_empty() {
            writeln!(f, "     {DIM}{}{DIM:#}", Visible(text::join(&limits, ", ")))?;
        }
    }
    writeln!(f)
}

/// What partitions tell of themselves; nothing if they do not.
pub fn show_facts(f: &mut Formatter<'_>, told: &[PartitionFacts]) -> fmt::Result {
    if told.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{HEAD}partitions, as delegates tell{HEAD:#}")?;
    let mut table = Table::new(&[
        ("delegate", Align::Left),
        ("subgraph", Align::Right),
        ("partition", Align::Right),
        ("", Align::Right),
        ("fact", Align::Left),
    ]);
    for partition in told {
        for fact in &partition.facts {
            table.row([
                partition.delegate.clone(),
                partition.subgraph.to_string(),
                partition.partition.to_string(),
                value(fact),
                fact.key.clone(),
            ]);
        }
    }
    table.fmt(f)
}

/// Nanoseconds as milliseconds, other numbers with their unit.
fn value(fact: &Fact) -> String {
    match (&fact.value, fact.unit.as_deref()) {
        (Value::Text(text), _) => text.clone(),
        (Value::Number(number), Some("ns")) => format!("{:.3} ms", *number as f64 / 1e6),
        (Value::Number(number), Some(unit)) => format!("{} {unit}", thousands(*number)),
        (Value::Number(number), None) => thousands(*number),
    }
}
