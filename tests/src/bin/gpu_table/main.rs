//! Prints two tables about models on GPU delegates: `gpu_table MODEL… [--delegate NAME]… [--option KEY=VALUE]…`
//!
//! * For each model and delegate: nodes claimed, partitions, kernels per invocation, bytes transferred per invocation,
//!   the time of a first and a second start, and the largest error.
//! * The memory of activations with each planner that supports shared objects.
//!
//! A start is a new process, measured from loading the model to the end of the first invocation. The delegate's and the
//! driver's caches are empty at the first start. If the delegate supports it, the start also tunes work-group sizes
//! (`tuning=exhaustive`).
//!
//! Exit status: 0, or 2 if a model or a delegate cannot be used.
#![forbid(unsafe_code)]

mod memory;
mod start;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use arenite::Registry;
use arenite::config::DelegateConfig;
use clap::Parser;

/// Prints tables about models on GPU delegates.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The models.
    #[arg(value_name = "MODEL", required = true)]
    models: Vec<PathBuf>,
    /// The delegates.
    #[arg(long, value_name = "NAME", default_values = ["opencl", "vulkan"])]
    delegate: Vec<String>,
    /// Options for the delegates.
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    option: Vec<(String, String)>,
    /// The range of the random float inputs.
    #[arg(long, value_name = "LOW=HIGH", value_parser = range, default_value = "-1=1")]
    floats: (f32, f32),
    /// Start once in this process, and write the measurements to standard output.
    #[arg(long, hide = true)]
    start: bool,
}

type Failure = Box<dyn std::error::Error>;

fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

fn range(text: &str) -> Result<(f32, f32), String> {
    let (low, high) = pair(text)?;
    let number = |text: String| text.parse().map_err(|error| format!("'{text}': {error}"));
    Ok((number(low)?, number(high)?))
}

fn main() -> ExitCode {
    match text(&Arguments::parse()) {
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

fn text(arguments: &Arguments) -> Result<String, Failure> {
    let Arguments { models, delegate: delegates, option, floats, start } = arguments;
    let registry = registry()?;
    if *start {
        let line = start::start(&models[0], &registry, &delegate(&delegates[0], option), *floats)?;
        return Ok(serde_json::to_string(&line)?);
    }
    let on = |model, name| (model, delegate(name, option));
    let rows: Vec<_> =
        models.iter().flat_map(|model| delegates.iter().map(move |name| on(model, name))).collect();
    Ok([start::table(&rows, *floats)?, memory::table(&rows, &registry)?].join("\n"))
}

fn registry() -> Result<Arc<Registry>, Failure> {
    let mut registry = Registry::new();
    for plugin in arenite_tests::plugins().chain([&arenite_gpu::PLUGIN, &arenite_gpu::VULKAN]) {
        registry.add_plugin(plugin)?;
    }
    Ok(Arc::new(registry))
}

fn delegate(name: &str, options: &[(String, String)]) -> DelegateConfig {
    let mut delegate = DelegateConfig::new(name);
    delegate.options = options.to_vec();
    delegate
}

fn name(model: &std::path::Path) -> String {
    model.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
