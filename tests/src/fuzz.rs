//! What the fuzz targets do with their bytes. The committed seeds go through the same functions as ordinary tests.
//!
//! None of these may panic, crash, hang, or leave an answer half made, whatever the bytes are.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arenite::config::PlannerConfig;
use arenite::{Config, Interpreter, Model, PlanLimits, Quota, Registry, Status, UsageRecord};
use arenite_abi::flexbuffer::{FlexKind, FlexValue};
use arenite_abi::options::RawOptions;

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

/// All plugins that are linked in.
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

/// Bytes as a model: load, build, allocate, invoke twice, read every output.
pub fn model(bytes: &[u8]) {
    let Ok(model) = Model::from_bytes(bytes.to_vec()) else { return };
    let builder = Interpreter::builder(&model).registry(registry()).threads(1).quota(quota());
    let Ok(mut interpreter) = builder.build() else { return };
    if !is_done(interpreter.allocate()) {
        return;
    }
    for i in 0..interpreter.input_count() {
        if let Ok(bytes) = interpreter.input_mut(i).and_then(|input| input.into_bytes()) {
            for (k, byte) in bytes.iter_mut().enumerate() {
                *byte = (k as u8).wrapping_mul(37);
            }
        }
    }
    for _ in 0..2 {
        if !is_done(interpreter.invoke()) {
            return;
        }
    }
    let mut sum = 0u64;
    for i in 0..interpreter.output_count() {
        if let Ok(bytes) = interpreter.output(i).and_then(|output| output.bytes()) {
            sum = bytes.iter().fold(sum, |sum, &byte| sum.wrapping_add(u64::from(byte)));
        }
    }
    std::hint::black_box(sum);
}

/// Whether it is done. An op's panic, which comes back as an error, is a defect of the op.
fn is_done(result: arenite::Result<()>) -> bool {
    if let Err(error @ arenite::Error::Node { status: Status::Panicked, .. }) = &result {
        panic!("{error}");
    }
    result.is_ok()
}

/// Bytes as a node's options: a table anywhere in them, and a flexbuffer.
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

/// Reads everything below `value`, at most `budget` values: maps may share what they hold.
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

/// Bytes as the text of a configuration.
pub fn config(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match text.parse::<Config>() {
        Ok(config) => drop(format!("{config:?}")),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Bytes as usage records, 8 bytes each, for every planner. The host's validation is part of the target: a plan that
/// it refuses is a defect of the planner.
pub fn records(bytes: &[u8]) {
    let records: Vec<UsageRecord> = bytes.chunks_exact(8).take(300).map(record).collect();
    let registry = registry();
    for name in registry.planner_names() {
        match registry.plan(&PlannerConfig::new(&name), &records, &PlanLimits::default()) {
            Ok(plan) => {
                assert_eq!(plan.offsets.len(), records.len());
                assert!(plan.total_bytes >= records.iter().map(|r| r.size).max().unwrap_or(0));
            }
            Err(error) => {
                let text = error.to_string();
                let wrong_plan = text.contains("overlap while both live") || text.contains("is at offset");
                // Fixed records may overlap each other as they come.
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
