//! The functions behind the fuzz targets. The committed seeds run through the same functions as ordinary tests.
//!
//! Whatever the bytes are, none of these may panic, crash, hang, or leave a result half written.

mod backends;
mod devices;
mod files;
pub mod generate;
mod planners;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arenite::config::PlannerConfig;
use arenite::{Config, PlanLimits, Quota, Registry, UsageRecord};
use arenite_abi::flexbuffer::{FlexKind, FlexValue};
use arenite_abi::options::RawOptions;

use crate::differential::graph::Setting;
use crate::differential::judge::Verdict;
use crate::differential::random::Random;
use crate::differential::{check, draw_by, setting};
use crate::mutants;

/// A fuzz target: its name, and its function.
pub type Target = (&'static str, fn(&[u8]));

/// The targets of this crate; the targets for the C API are in `tests/calls`.
pub const TARGETS: &[Target] = &[
    ("described", described),
    ("model", model),
    ("micro", micro),
    ("graphs", graphs),
    ("options", options),
    ("config", config),
    ("records", records),
    ("planners", planners::lies),
    ("pictures", files::pictures),
    ("npy", files::npy),
    ("labels", files::labels),
    ("caches", files::caches),
    ("programs", files::programs),
    ("opencl", |bytes| devices::run("opencl", bytes)),
    ("vulkan", |bytes| devices::run("vulkan", bytes)),
];

/// Limits that keep one execution short.
pub fn quota() -> Quota {
    Quota {
        device_bytes: 4 << 20,
        bytes: 4 << 20,
        nodes: 200,
        depth: 8,
        calls: 1000,
        time: Some(Duration::from_millis(500)),
    }
}

/// All linked-in plugins.
pub(crate) fn registry() -> Arc<Registry> {
    static REGISTRY: OnceLock<Arc<Registry>> = OnceLock::new();
    let make = || {
        let mut registry = Registry::new();
        for plugin in crate::plugins() {
            registry.add_plugin(plugin).expect("the plugins are well formed");
        }
        Arc::new(registry)
    };
    Arc::clone(REGISTRY.get_or_init(make))
}

/// Runs the bytes as a model on the reference ops, the CPU delegate and in the micro interpreter, and compares.
pub fn model(bytes: &[u8]) {
    backends::compare(bytes);
}

/// Builds a model from the bytes and runs it as in [`model`].
pub fn described(bytes: &[u8]) {
    backends::compare(&generate::model(bytes).finish());
}

/// Runs the bytes as a model in the micro interpreter alone; bytes that start with zero describe a model.
pub fn micro(bytes: &[u8]) {
    match bytes {
        [0, description @ ..] => backends::micro_alone(&generate::model(description).finish()),
        _ => backends::micro_alone(bytes),
    }
}

/// Uses the bytes to draw a random graph of the differential tester, and compares the reference ops and the CPU
/// delegate within its bounds.
pub fn graphs(bytes: &[u8]) {
    let seed = bytes.iter().fold(bytes.len() as u64, |hash, &byte| {
        (hash.rotate_left(5) ^ u64::from(byte)).wrapping_mul(0x517c_c1b7_2722_0a95)
    });
    let (graph, drawn) = (draw_by(seed, Random::of_bytes(bytes)), setting(seed));
    let setting = Setting { threads: 1, ..drawn };
    let checked = check(graph, &setting);
    if let Verdict::Differs(text) = &checked.verdict {
        panic!("{text}\n{setting:?}\n{}", checked.graph);
    }
}

/// A custom mutation for a fuzzer of models: words that are likely to be at a limit, or a model built from random
/// bytes.
pub fn mutate(file: &mut [u8], size: usize, seed: u64) -> usize {
    let mut random = mutants::Random(seed);
    if size > 0 && random.below(8) > 0 {
        mutants::spoil_bytes(&mut file[..size], &mut random);
        return size;
    }
    let description: Vec<u8> = (0..64).map(|_| random.number() as u8).collect();
    let model = generate::model(&description).finish();
    match file.get_mut(..model.len()) {
        Some(place) => {
            place.copy_from_slice(&model);
            model.len()
        }
        None => size,
    }
}

/// Reads the bytes as a node's options: a table anywhere in them, and a flexbuffer.
pub fn options(bytes: &[u8]) {
    let position = bytes.first().copied().unwrap_or(0) as usize;
    read_table(&RawOptions::from_bytes(bytes, position), 0);
    if let Ok(value) = FlexValue::from_bytes(bytes) {
        read_flex(&value, &mut 2000);
    }
}

fn read_table(table: &RawOptions<'_>, depth: usize) {
    for slot in 0..12 {
        let _ = (table.get(slot, 0i8), table.get(slot, 0i32), table.get(slot, 0u64), table.get(slot, 0f32));
        let _ = (table.get(slot, false), table.text(slot));
        if let Ok(vector) = table.vector::<i32>(slot) {
            std::hint::black_box(vector.iter().fold(0, i32::wrapping_add));
        }
        if depth < 2
            && let Ok(Some(inner)) = table.table(slot)
        {
            read_table(&inner, depth + 1);
        }
    }
}

/// Reads everything below `value`, at most `budget` values, because maps may share their contents.
fn read_flex(value: &FlexValue<'_>, budget: &mut usize) {
    if *budget == 0 {
        return;
    }
    *budget -= 1;
    let _ = (value.as_i64(), value.as_f64(), value.as_bool(), value.as_str(), value.as_bytes());
    match value.kind() {
        FlexKind::Map => {
            if let Ok(map) = value.as_map() {
                let entries = (0..map.len().min(*budget)).filter_map(|i| map.entry(i).ok());
                let values: Vec<_> = entries.map(|(_, value)| value).collect();
                values.iter().for_each(|value| read_flex(value, budget));
            }
        }
        FlexKind::Vector => {
            if let Ok(vector) = value.as_vector() {
                let values: Vec<_> = vector.iter().take(*budget).filter_map(Result::ok).collect();
                values.iter().for_each(|value| read_flex(value, budget));
            }
        }
        _ => {}
    }
}

/// Parses the bytes as a configuration.
pub fn config(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match text.parse::<Config>() {
        Ok(config) => drop(format!("{config:?}")),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// The steps of the planner `exact` in the target `records`: a few milliseconds.
const EXACT_STEPS: u64 = 1 << 20;

/// Uses the bytes as usage records, 8 bytes each, for every planner. The host's validation is part of the target: a
/// plan that it refuses is a bug in the planner.
pub fn records(bytes: &[u8]) {
    let records: Vec<UsageRecord> = bytes.chunks_exact(8).take(300).map(record).collect();
    let registry = registry();
    for name in registry.planner_names() {
        let mut planner = PlannerConfig::new(&name);
        if name == "exact" {
            // Without a step limit the search takes about a second unless it finds a proof.
            planner.options.push(("steps".to_owned(), EXACT_STEPS.to_string()));
        }
        match registry.plan(&planner, &records, &PlanLimits::default()) {
            Ok(plan) => {
                assert_eq!(plan.offsets.len(), records.len());
                assert!(plan.total_bytes >= records.iter().map(|r| r.size).max().unwrap_or(0));
            }
            Err(error) => {
                let text = error.to_string();
                let wrong_plan = text.contains("overlap while both live") || text.contains("is at offset");
                // Fixed records may overlap one another, because the bytes choose their offsets.
                assert!(!wrong_plan || records.iter().any(|r| r.fixed().is_some()), "{name}: {text}");
            }
        }
    }
}

fn record(bytes: &[u8]) -> UsageRecord {
    let [a, b, c, first, life, align, flags, fixed] = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| bytes[i]);
    let mut size = u64::from(a) | u64::from(b) << 8 | u64::from(c & 15) << 16;
    if flags & 0x80 != 0 {
        size <<= flags & 0x3f;
    }
    let last = if life == 255 { UsageRecord::FOREVER } else { u32::from(first) + u32::from(life) };
    let mut record = UsageRecord::new(size, u32::from(first), last);
    record.alignment = if align & 1 == 0 { 64 } else { u64::from(align) };
    if flags & 0x40 != 0 {
        record.last_node = u32::from(life);
    }
    if fixed > 240 {
        record.fixed_offset = u64::from(fixed) * 64;
    }
    record
}
