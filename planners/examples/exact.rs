//! Plans problems with `exact` and prints how long it took.
//!
//!     cargo run --release -p arenite-planners --example exact -- FILE|FOLDER… [--json] [--capacity N | --minimise]
//!         [--seconds S] [--steps N]
//!
//! A file is a table `id,lower,upper,size`, with an exclusive upper end. If its name contains a capacity, as in
//! `A.1048576.csv`, the search stops at the first plan that fits. `--capacity` overrides that capacity; `--minimise`
//! asks for the smallest plan.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use arenite_abi::UsageRecord;
use arenite_planners::exact::{self, Limits};

#[derive(Default)]
struct Arguments {
    files: Vec<PathBuf>,
    limits: Limits,
    json: bool,
    minimise: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = arguments()?;
    let mut seconds_in_all = 0.0;
    for file in &arguments.files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let records = records(&std::fs::read_to_string(file)?)?;
        let mut limits = arguments.limits;
        if !arguments.minimise && limits.capacity.is_none() {
            limits.capacity = name.rsplit('.').next().and_then(|last| last.parse().ok());
        }
        let start = Instant::now();
        let outcome = exact::solve(&records, &limits);
        let seconds = start.elapsed().as_secs_f64();
        seconds_in_all += seconds;
        let mut answer = serde_json::json!({ "problem": name, "records": records.len(), "seconds": seconds });
        match &outcome {
            Ok(plan) => {
                answer["total_bytes"] = plan.total.into();
                answer["lower_bound_bytes"] = plan.lower_bound.into();
                answer["optimal"] = plan.is_optimal().into();
                answer["steps"] = plan.steps.into();
            }
            Err(error) => answer["error"] = error.message().into(),
        }
        if arguments.json {
            println!("{answer}");
        } else {
            print(&name, seconds, outcome);
        }
    }
    if !arguments.json {
        println!("{:<24}{seconds_in_all:>9.3} s", "all");
    }
    Ok(())
}

fn print(name: &str, seconds: f64, outcome: arenite_abi::Result<exact::Outcome>) {
    print!("{name:<24}{seconds:>9.3} s");
    match outcome {
        Ok(plan) => println!(
            "{:>14} bytes, bound {:>12}, {} {:>12} steps",
            plan.total,
            plan.lower_bound,
            if plan.is_optimal() { "optimal," } else { "        " },
            plan.steps
        ),
        Err(error) => println!("  {error}"),
    }
}

fn arguments() -> Result<Arguments, Box<dyn Error>> {
    let mut arguments = Arguments::default();
    let mut given = std::env::args().skip(1);
    while let Some(argument) = given.next() {
        let mut value = || given.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--json" => arguments.json = true,
            "--minimise" => arguments.minimise = true,
            "--capacity" => arguments.limits.capacity = Some(value()?.parse()?),
            "--steps" => arguments.limits.steps = Some(value()?.parse()?),
            "--seconds" => arguments.limits.nanos = Some((value()?.parse::<f64>()? * 1e9) as u64),
            path => add(Path::new(path), &mut arguments.files)?,
        }
    }
    Ok(arguments)
}

/// The file itself, or the tables in the folder.
fn add(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let start = files.len();
    for entry in std::fs::read_dir(path)? {
        files.extend(Some(entry?.path()).filter(|path| path.extension().is_some_and(|name| name == "csv")));
    }
    files[start..].sort();
    Ok(())
}

fn records(table: &str) -> Result<Vec<UsageRecord>, Box<dyn Error>> {
    let record = |line: &str| -> Result<UsageRecord, Box<dyn Error>> {
        let fields: Vec<u64> =
            line.split(',').skip(1).map(|field| field.trim().parse()).collect::<Result<_, _>>()?;
        let [lower, upper, size] = fields[..] else { return Err(format!("four fields: {line}").into()) };
        let last = upper.checked_sub(1).ok_or("an empty lifetime")?;
        Ok(UsageRecord { alignment: 1, ..UsageRecord::new(size, lower.try_into()?, last.try_into()?) })
    };
    table.lines().skip(1).map(record).collect()
}
