//! Devices that delegates run on, and what partitions tell of themselves.

use std::collections::BTreeMap;

use arenite::{DeviceInfo, FactValue, Interpreter, Registry};
use serde::Serialize;

/// The devices of delegates.
#[derive(Serialize)]
pub struct Devices {
    /// Delegates that have such, by name.
    pub delegates: Vec<DelegateDevices>,
}

/// The devices of a delegate.
#[derive(Serialize)]
pub struct DelegateDevices {
    /// The delegate.
    pub delegate: String,
    /// In the order in which its options number them.
    pub devices: Vec<Device>,
    /// Why there are none, such as no driver.
    pub error: Option<String>,
}

/// A device.
#[derive(Serialize)]
pub struct Device {
    /// Its number.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Who wrote the driver, and its version.
    pub driver: String,
    /// `gpu`, `cpu`, or what else it is.
    pub kind: String,
    /// Null if it does not tell.
    pub memory_bytes: Option<u64>,
    /// What else it tells about itself.
    pub limits: BTreeMap<String, String>,
}

impl Devices {
    /// Those of a registry's delegates.
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

    /// As `arenite devices --json` prints it.
    ///
    /// # Errors
    /// None of its own: numbers and names can always be written.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}

fn device((index, info): (usize, DeviceInfo)) -> Device {
    let DeviceInfo { name, driver, kind, memory, limits } = info;
    Device { index, name, driver, kind, memory_bytes: memory, limits: limits.into_iter().collect() }
}

/// What a delegate's partition tells of itself.
#[derive(Serialize)]
pub struct PartitionFacts {
    /// The delegate.
    pub delegate: String,
    /// The subgraph.
    pub subgraph: usize,
    /// The partition.
    pub partition: usize,
    /// In the delegate's order.
    pub facts: Vec<Fact>,
}

/// Something that a partition tells of itself.
#[derive(Serialize)]
pub struct Fact {
    /// What it is.
    pub key: String,
    /// How much, or which.
    pub value: Value,
    /// What a number counts, unless it counts things.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// A number or a text.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Value {
    /// How much.
    Number(u64),
    /// Which.
    Text(String),
}

/// What all partitions tell.
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
