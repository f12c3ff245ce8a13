//! The devices that delegates run on, and facts that partitions report.

use std::collections::BTreeMap;

use arenite::{DeviceInfo, FactValue, Interpreter, Registry};
use serde::Serialize;

/// The devices of all delegates.
#[derive(Serialize)]
pub struct Devices {
    /// Delegates that have devices, sorted by name.
    pub delegates: Vec<DelegateDevices>,
}

/// The devices of one delegate.
#[derive(Serialize)]
pub struct DelegateDevices {
    /// Name of the delegate.
    pub delegate: String,
    /// The devices, in the order in which the delegate's options number them.
    pub devices: Vec<Device>,
    /// Why the list is empty, for example because a driver is missing.
    pub error: Option<String>,
}

/// A device a delegate can run on.
#[derive(Serialize)]
pub struct Device {
    /// Its number, as used in the delegate's options.
    pub index: usize,
    /// Name of the device.
    pub name: String,
    /// Vendor and version of the driver.
    pub driver: String,
    /// `gpu`, `cpu`, or another kind.
    pub kind: String,
    /// Its memory; null if the device does not report it.
    pub memory_bytes: Option<u64>,
    /// Further properties that the device reports, sorted by name. Those with a number are numbers, with their unit.
    pub limits: Vec<Fact>,
}

impl Devices {
    /// Lists the devices of a registry's delegates.
    pub fn of(registry: &Registry) -> Self {
        let of = |found: arenite::DelegateDevices| {
            let (devices, error) = match found.devices {
                Ok(devices) => (devices, None),
                Err(error) => (Vec::new(), Some(error)),
            };
            let devices = devices.into_iter().enumerate().map(device).collect();
            DelegateDevices { delegate: found.delegate, devices, error }
        };
        Devices { delegates: registry.devices().into_iter().map(of).collect() }
    }

    /// The JSON that `arenite devices --json` prints.
    ///
    /// # Errors
    /// None in practice: numbers and names can always be written.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}

fn device((index, info): (usize, DeviceInfo)) -> Device {
    let DeviceInfo { name, driver, kind, memory, limits } = info;
    let limits: BTreeMap<String, String> = limits.into_iter().collect();
    let limits = limits.into_iter().map(|(key, text)| limit(key, &text)).collect();
    Device { index, name, driver, kind, memory_bytes: memory, limits }
}

/// Devices report texts; `4096` and `4096 bytes` are numbers.
fn limit(key: String, text: &str) -> Fact {
    let (number, unit) = match text.split_once(' ') {
        Some((number, unit)) => (number, Some(unit)),
        None => (text, None),
    };
    let is_unit = unit.is_none_or(|unit| unit.chars().all(char::is_alphabetic));
    match number.parse().ok().filter(|_| is_unit) {
        Some(number) => Fact { key, value: Value::Number(number), unit: unit.map(str::to_owned) },
        None => Fact { key, value: Value::Text(text.to_owned()), unit: None },
    }
}

/// The facts that one partition reports.
#[derive(Serialize)]
pub struct PartitionFacts {
    /// Name of the delegate.
    pub delegate: String,
    /// Index of the subgraph.
    pub subgraph: usize,
    /// Index of the partition.
    pub partition: usize,
    /// The facts, in the delegate's order.
    pub facts: Vec<Fact>,
}

/// A fact that a partition reports.
#[derive(Serialize)]
pub struct Fact {
    /// Name of the fact.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// The unit of a number; `None` for a count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// A number or a text.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A quantity.
    Number(u64),
    /// A text, such as a name.
    Text(String),
}

/// The facts reported by all partitions.
pub fn facts(interpreter: &Interpreter) -> Vec<PartitionFacts> {
    let fact = |fact: arenite::Fact| {
        let (value, unit) = match fact.value {
            FactValue::Number(number, unit) => (Value::Number(number), Some(unit)),
            FactValue::Text(text) => (Value::Text(text), None),
        };
        Fact { key: fact.key, value, unit: unit.filter(|unit| !unit.is_empty()) }
    };
    let told = interpreter.facts().into_iter().map(|told| PartitionFacts {
        delegate: told.delegate,
        subgraph: told.subgraph,
        partition: told.partition,
        facts: told.facts.into_iter().map(fact).collect(),
    });
    told.collect()
}
