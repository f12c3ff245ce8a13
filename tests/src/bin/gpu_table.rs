//! What delegates of GPUs make of models: `gpu_table MODEL… [--delegate NAME]…` writes a table of each model on each delegate: nodes that
//! it claimed, partitions, kernels of an invocation, and the memory of activations under each planner that hands out shared objects.
//!
//! Exit status: 0; 2 if a model or a delegate cannot be used.
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use arenite::config::DelegateConfig;
use arenite::{FactValue, Interpreter, Model, Registry, Served};
use clap::Parser;

/// What delegates of GPUs make of models.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Models.
    #[arg(value_name = "MODEL", required = true)]
    models: Vec<PathBuf>,
    /// Delegates.
    #[arg(long, value_name = "NAME", default_values = ["opencl", "vulkan"])]
    delegate: Vec<String>,
}

type Failure = Box<dyn std::error::Error>;

/// A model on a delegate.
struct Row {
    nodes: usize,
    claimed: usize,
    partitions: usize,
    /// If the delegate tells them.
    kernels: Option<u64>,
    /// Of shared objects.
    bytes: u64,
}

fn main() -> ExitCode {
    match table(&Arguments::parse()) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("gpu_table: {error}");
            ExitCode::from(2)
        }
    }
}

fn registry() -> Result<Arc<Registry>, Failure> {
    let mut registry = Registry::new();
    for plugin in arenite_tests::plugins().chain([&arenite_gpu::PLUGIN, &arenite_gpu::VULKAN]) {
        registry.add_plugin(plugin)?;
    }
    Ok(Arc::new(registry))
}

fn table(arguments: &Arguments) -> Result<String, Failure> {
    let registry = registry()?;
    let planners = registry.planner_names();
    let mut text =
        String::from("| model | delegate | nodes | claimed | partitions | kernels | planner | KiB |\n");
    text.push_str("|---|---|---|---|---|---|---|---|\n");
    for path in &arguments.models {
        let model = Model::from_file(path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        for delegate in &arguments.delegate {
            let mut is_taken = false;
            for planner in &planners {
                // Most planners give offsets alone.
                let Some(row) = row(&model, &registry, delegate, planner)? else { continue };
                let Row { nodes, claimed, partitions, kernels, bytes } = row;
                is_taken = true;
                let kernels = kernels.map_or("?".to_owned(), |n| n.to_string());
                let form =
                    format!("| {name} | {delegate} | {nodes} | {claimed} | {partitions} | {kernels} |");
                text.push_str(&format!("{form} {planner} | {} |\n", bytes.div_ceil(1024)));
            }
            if !is_taken {
                return Err(format!("{name}: the delegate '{delegate}' runs none of it").into());
            }
        }
    }
    Ok(text)
}

/// `None` if the delegate was left out, or claims nothing.
fn row(
    model: &Model,
    registry: &Arc<Registry>,
    delegate: &str,
    planner: &str,
) -> Result<Option<Row>, Failure> {
    let mut config = DelegateConfig::new(delegate);
    config.options.push(("memory".to_owned(), planner.to_owned()));
    let builder = Interpreter::builder(model).registry(Arc::clone(registry)).without_default_delegate();
    let mut interpreter = builder.delegate(config).build()?;
    interpreter.allocate()?;
    let served = interpreter.served_by();
    let claimed = served.iter().filter(|served| matches!(served, Served::Delegate { .. })).count();
    let objects = interpreter.device_objects(0);
    if claimed == 0 {
        return Ok(None);
    }
    let facts = interpreter.facts();
    let kernels = facts.iter().flat_map(|partition| &partition.facts).filter_map(|fact| match &fact.value {
        FactValue::Number(number, _) if fact.key == "kernels of an invocation" => Some(*number),
        _ => None,
    });
    let kernels = kernels.reduce(|a, b| a + b);
    let sizes = objects.iter().flat_map(|partition| &partition.objects.sizes);
    let bytes = sizes.map(|[bytes, ..]| bytes).sum();
    Ok(Some(Row { nodes: served.len(), claimed, partitions: objects.len(), kernels, bytes }))
}
