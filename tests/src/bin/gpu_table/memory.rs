//! The memory of activations by planner.

use std::path::PathBuf;
use std::sync::Arc;

use arenite::config::DelegateConfig;
use arenite::{Interpreter, Model, Registry};

use crate::{Failure, name};

/// One row per model and delegate, one column per planner.
pub(crate) fn table(
    rows: &[(&PathBuf, DelegateConfig)],
    registry: &Arc<Registry>,
) -> Result<String, Failure> {
    let mut known = Vec::new();
    for planner in registry.planner_names() {
        // Most planners only support offsets.
        if rows.first().is_some_and(|(path, delegate)| bytes(path, registry, delegate, &planner).is_ok()) {
            known.push(planner);
        }
    }
    let mut text = format!("| KiB of activations | delegate | {} |\n|---|---|", known.join(" | "));
    text.push_str(&"---|".repeat(known.len()));
    for (path, delegate) in rows {
        text.push_str(&format!("\n| {} | {} |", name(path), delegate.name));
        for planner in &known {
            text.push_str(&format!(" {} |", bytes(path, registry, delegate, planner)?.div_ceil(1024)));
        }
    }
    Ok(text + "\n")
}

/// The bytes of all objects together.
fn bytes(
    path: &PathBuf,
    registry: &Arc<Registry>,
    delegate: &DelegateConfig,
    planner: &str,
) -> Result<u64, Failure> {
    let mut delegate = delegate.clone();
    delegate.options.push(("memory".to_owned(), planner.to_owned()));
    let model = Model::from_file(path)?;
    let builder = Interpreter::builder(&model).registry(Arc::clone(registry)).without_default_delegate();
    let mut interpreter = builder.delegate(delegate).build()?;
    interpreter.allocate()?;
    if let Some(left) = interpreter.left_out().first() {
        return Err(left.reason.clone().into());
    }
    let objects = interpreter.device_objects(0);
    let sizes = objects.iter().flat_map(|partition| &partition.objects.sizes);
    Ok(sizes.map(|[bytes, ..]| bytes).sum())
}
