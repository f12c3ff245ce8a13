//! What is to be planned: usage records, from a model or from a file.

use std::path::Path;
use std::sync::Arc;

use arenite::{Config, Interpreter, Registry, SegmentPlan, UsageRecord};
use serde::Deserialize;

use crate::answer::{Failure, Result};
use crate::options::load_model;

/// Records to be planned together.
pub struct Problem {
    pub name: String,
    pub is_model: bool,
    /// What the planner gets.
    pub records: Vec<UsageRecord>,
    /// What is drawn: tensors and scratch, each in one of the records; the records themselves if there is nothing else.
    pub parts: Vec<Part>,
}

/// A tensor in a record.
pub struct Part {
    pub record: usize,
    /// From the record's beginning.
    pub offset: u64,
    pub size: u64,
    pub first: u32,
    /// `UsageRecord::FOREVER` until the end.
    pub last: u32,
    pub name: String,
    /// The op that writes it; what kind of thing it is.
    pub op: String,
}

/// The problems of a file, and what is left out of them.
pub fn read(
    path: &Path,
    alignment: u64,
    config: &Config,
    registry: &Arc<Registry>,
) -> Result<(Vec<Problem>, Vec<String>)> {
    let text =
        |part: Option<&std::ffi::OsStr>| part.map_or_else(String::new, |p| p.to_string_lossy().into_owned());
    let name = match text(path.file_stem()) {
        // What is called model.tflite is known by its folder.
        stem if stem == "model" => text(path.parent().and_then(Path::file_name)),
        stem => stem,
    };
    let contents = || std::fs::read_to_string(path).map_err(|error| Failure::with(path.display(), error));
    let wrong = |message: String| Failure::with(path.display(), message);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => Ok((vec![plain(name, csv(&contents()?, alignment).map_err(wrong)?)], Vec::new())),
        Some("jsonl") => {
            let problems = jsonl(&contents()?, alignment).map_err(wrong)?;
            let named = problems.into_iter().enumerate().map(|(i, (known, records))| {
                plain(known.unwrap_or_else(|| format!("{name} {}", i + 1)), records)
            });
            Ok((named.collect(), Vec::new()))
        }
        _ => model(path, &name, config, registry),
    }
}

fn plain(name: String, records: Vec<UsageRecord>) -> Problem {
    let part = |(i, record): (usize, &UsageRecord)| Part {
        record: i,
        offset: 0,
        size: record.size,
        first: record.first_node,
        last: record.last_node,
        name: format!("record {i}"),
        op: String::new(),
    };
    Problem { name, is_model: false, parts: records.iter().enumerate().map(part).collect(), records }
}

/// MiniMalloc's form: a head, then `id,lower,upper,size`, in any order of columns; `upper` is exclusive.
fn csv(text: &str, alignment: u64) -> Result<Vec<UsageRecord>, String> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (_, head) = lines.next().ok_or("it is empty; a line `id,lower,upper,size` is needed first")?;
    let columns: Vec<&str> = head.split(',').map(str::trim).collect();
    let column = |name: &str| {
        let position = columns.iter().position(|column| *column == name);
        position.ok_or_else(|| format!("line 1: there is no column `{name}`; the head is `{head}`"))
    };
    let [lower, upper, size] = [column("lower")?, column("upper")?, column("size")?];
    lines
        .map(|(i, line)| {
            let fields: Vec<&str> = line.split(',').map(str::trim).collect();
            let number = |at: usize| {
                let text = fields.get(at).copied().unwrap_or("");
                text.parse::<u64>()
                    .map_err(|_| format!("line {}: `{text}` is no number of {}", i + 1, columns[at]))
            };
            record(number(size)?, number(lower)?, number(upper)?.wrapping_sub(1), alignment)
                .map_err(|message| format!("line {}: {message}", i + 1))
        })
        .collect()
}

#[derive(Deserialize)]
struct Line {
    records: Vec<LineRecord>,
    #[serde(alias = "model")]
    name: Option<String>,
}

#[derive(Deserialize)]
struct LineRecord {
    size: u64,
    first_task: u64,
    last_task: u64,
}

type Named = (Option<String>, Vec<UsageRecord>);

fn jsonl(text: &str, alignment: u64) -> Result<Vec<Named>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let problems: Result<Vec<Named>, String> = lines
        .map(|(i, line)| {
            let at = |message: String| format!("line {}: {message}", i + 1);
            let line: Line = serde_json::from_str(line).map_err(|error| at(error.to_string()))?;
            let records = line.records.iter().enumerate().map(|(k, r)| {
                record(r.size, r.first_task, r.last_task, alignment)
                    .map_err(|m| at(format!("record {k}: {m}")))
            });
            Ok((line.name, records.collect::<Result<_, _>>()?))
        })
        .collect();
    problems.and_then(|problems| match problems.is_empty() {
        true => Err("it is empty; a line with `records` is needed".into()),
        false => Ok(problems),
    })
}

fn record(size: u64, first: u64, last: u64, alignment: u64) -> Result<UsageRecord, String> {
    let time = |t: u64| u32::try_from(t).ok().filter(|&t| t < UsageRecord::FOREVER);
    match (time(first), time(last)) {
        (Some(first), Some(last)) if first <= last => {
            Ok(UsageRecord { alignment, ..UsageRecord::new(size, first, last) })
        }
        _ => Err(format!("it lives from {first} to {}, which is no time", last as i64)),
    }
}

/// A problem per subgraph, and per stretch between nodes of dynamic shape.
fn model(
    path: &Path,
    name: &str,
    config: &Config,
    registry: &Arc<Registry>,
) -> Result<(Vec<Problem>, Vec<String>)> {
    let model = load_model(path)?;
    let count = model.view().subgraphs().len();
    let (mut problems, mut notes) = (Vec::new(), Vec::new());
    for subgraph in 0..count {
        // Each by itself: a subgraph that others call has the shapes that they gave it.
        let builder = Interpreter::builder(&model).config(config).registry(Arc::clone(registry));
        let mut interpreter = builder.planner(arenite::DEFAULT_PLANNER).build()?;
        let name = if count == 1 { name.to_owned() } else { format!("{name}, subgraph {subgraph}") };
        let segments = match interpreter.plan_subgraph(subgraph) {
            Ok(segments) => segments.to_vec(),
            Err(error) if subgraph > 0 => {
                notes.push(format!("{name}: {error}"));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let steps = interpreter.steps_of(subgraph);
        let names = interpreter.tensor_names(subgraph);
        let inputs = model.view().subgraph(subgraph).map_or_else(Vec::new, |s| s.inputs().iter().collect());
        for segment in &segments {
            problems.push(problem(name.clone(), segment, &steps, (&names, &inputs)));
        }
        if let Some(last) = interpreter.planned_steps(subgraph).filter(|&last| last < steps.len()) {
            notes.push(format!(
                "{name}: the shapes behind {} (step {}) are known only when it has run; {} of {} steps are planned",
                steps[last - 1],
                last - 1,
                last,
                steps.len()
            ));
        }
    }
    Ok((problems, notes))
}

fn problem(
    name: String,
    segment: &SegmentPlan,
    steps: &[String],
    (names, inputs): (&[String], &[i32]),
) -> Problem {
    let part = |(record, &(buffer, offset)): (&UsageRecord, &(usize, u64))| {
        let written_by = steps.get(record.first_node as usize).cloned().unwrap_or_default();
        let tensor = usize::try_from(record.tensor).ok();
        Part {
            record: buffer,
            offset,
            size: record.size,
            first: record.first_node,
            last: record.last_node,
            name: tensor.and_then(|t| names.get(t)).map_or_else(|| "(scratch)".to_owned(), String::clone),
            op: match tensor {
                Some(_) if inputs.contains(&record.tensor) => "input".to_owned(),
                Some(_) => written_by,
                None => format!("{written_by} scratch"),
            },
        }
    };
    Problem {
        name,
        is_model: true,
        records: segment.buffers.clone(),
        parts: segment.records.iter().zip(&segment.places).map(part).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_has_an_exclusive_end() {
        let records = csv("id,lower,upper,size\nb1,0,3,4\nb2,2,5,8\n\n", 16).unwrap();
        let shown: Vec<_> =
            records.iter().map(|r| (r.size, r.first_node, r.last_node, r.alignment)).collect();
        assert_eq!(shown, [(4, 0, 2, 16), (8, 2, 4, 16)]);
        assert_eq!(csv("size,id,upper,lower\n4,x,3,0", 1).unwrap()[0].last_node, 2);
    }

    #[test]
    fn wrong_lines_are_named() {
        for (text, message) in [
            ("", "it is empty; a line `id,lower,upper,size` is needed first"),
            ("id,lower,size\n1,2,3", "line 1: there is no column `upper`; the head is `id,lower,size`"),
            ("id,lower,upper,size\n1,0,1,x", "line 2: `x` is no number of size"),
            ("id,lower,upper,size\n1,0,1", "line 2: `` is no number of size"),
            ("id,lower,upper,size\n1,3,3,4", "line 2: it lives from 3 to 2, which is no time"),
            ("id,lower,upper,size\n1,0,0,4", "line 2: it lives from 0 to -1, which is no time"),
        ] {
            assert_eq!(csv(text, 1).unwrap_err(), message);
        }
        let error = jsonl("{\"records\":[{\"size\":1,\"first_task\":2,\"last_task\":1}]}", 1).unwrap_err();
        assert_eq!(error, "line 1: record 0: it lives from 2 to 1, which is no time");
        assert!(jsonl("{}", 1).unwrap_err().starts_with("line 1: missing field `records`"));
        assert_eq!(jsonl("\n", 1).unwrap_err(), "it is empty; a line with `records` is needed");
    }
}
