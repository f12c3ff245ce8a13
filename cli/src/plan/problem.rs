//! What is to be planned: usage records, from a model or from a file.

use std::path::Path;
use std::sync::Arc;

use arenite::{Config, Interpreter, Registry, SegmentPlan, UsageRecord};
use serde::{Deserialize, Serialize};

use crate::answer::{Failure, Result};
use crate::options::load_model;

use super::bounds;
use super::input::InputShape;

/// Records to be planned together.
pub struct Problem {
    pub name: String,
    /// The model that it is a subgraph of.
    pub model: Option<String>,
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
    /// How often steps read or write it.
    pub accesses: u64,
}

/// A result whose shape only a run tells. What lies behind it is not planned.
#[derive(Serialize)]
pub struct Unknown {
    pub problem: String,
    pub step: usize,
    pub op: String,
    pub tensor: String,
    /// Null if there is no bound.
    pub most_bytes: Option<u64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

/// What a file holds.
#[derive(Default)]
pub struct Contents {
    pub problems: Vec<Problem>,
    pub unknown: Vec<Unknown>,
    /// What is left out.
    pub notes: Vec<String>,
}

/// How files are read.
pub struct Reading<'a> {
    /// Of the records of a table.
    pub alignment: u64,
    pub config: &'a Config,
    pub registry: &'a Arc<Registry>,
    /// Shapes of inputs other than the model's.
    pub inputs: &'a [InputShape],
}

/// The problems of a file, and what is left out of them.
pub fn read(path: &Path, reading: &Reading<'_>) -> Result<Contents> {
    let alignment = reading.alignment;
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
        Some("csv") => {
            let problems = vec![plain(name, csv(&contents()?, alignment).map_err(wrong)?)];
            Ok(Contents { problems, ..Contents::default() })
        }
        Some("jsonl") => {
            let problems = jsonl(&contents()?, alignment).map_err(wrong)?;
            let named = problems.into_iter().enumerate().map(|(i, (known, records))| {
                plain(known.unwrap_or_else(|| format!("{name} {}", i + 1)), records)
            });
            Ok(Contents { problems: named.collect(), ..Contents::default() })
        }
        _ => model(path, &name, reading),
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
        accesses: 2,
    };
    Problem { name, model: None, parts: records.iter().enumerate().map(part).collect(), records }
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
fn model(path: &Path, name: &str, reading: &Reading<'_>) -> Result<Contents> {
    let model = load_model(path)?;
    let count = model.view().subgraphs().len();
    let mut contents = Contents::default();
    for subgraph in 0..count {
        // Each by itself: a subgraph that others call has the shapes that they gave it.
        let builder =
            Interpreter::builder(&model).config(reading.config).registry(Arc::clone(reading.registry));
        let mut interpreter = builder.planner(arenite::DEFAULT_PLANNER).build()?;
        if subgraph == 0 {
            reading.inputs.iter().try_for_each(|input| input.apply(&mut interpreter))?;
        }
        let label = if count == 1 { name.to_owned() } else { format!("{name}, subgraph {subgraph}") };
        let segments = match interpreter.plan_subgraph(subgraph) {
            Ok(segments) => segments,
            Err(error) if subgraph > 0 => {
                contents.notes.push(format!("{label}: {error}"));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let inputs = model.view().subgraph(subgraph).map_or_else(Vec::new, |s| s.inputs().iter().collect());
        let prepared = Prepared {
            steps: interpreter.steps_of(subgraph),
            names: interpreter.tensor_names(subgraph),
            interpreter: &interpreter,
            subgraph,
            inputs,
        };
        for segment in &segments {
            contents.problems.push(prepared.problem(label.clone(), name, segment));
        }
        prepared.tell_unknown(&label, &mut contents);
    }
    Ok(contents)
}

/// A subgraph that is ready to run.
struct Prepared<'a> {
    interpreter: &'a Interpreter,
    subgraph: usize,
    /// Ops and delegates in the order in which they run.
    steps: Vec<String>,
    /// Of tensors.
    names: Vec<String>,
    /// Tensors that the caller fills.
    inputs: Vec<i32>,
}

impl Prepared<'_> {
    fn problem(&self, name: String, model: &str, segment: &SegmentPlan) -> Problem {
        let accesses = self.accesses();
        let part = |(record, &(buffer, offset)): (&UsageRecord, &(usize, u64))| {
            let written_by = self.steps.get(record.first_node as usize).cloned().unwrap_or_default();
            let tensor = usize::try_from(record.tensor).ok();
            Part {
                record: buffer,
                offset,
                size: record.size,
                first: record.first_node,
                last: record.last_node,
                name: tensor
                    .and_then(|t| self.names.get(t))
                    .map_or_else(|| "(scratch)".to_owned(), String::clone),
                op: match tensor {
                    Some(_) if self.inputs.contains(&record.tensor) => "input".to_owned(),
                    Some(_) => written_by,
                    None => format!("{written_by} scratch"),
                },
                // Scratch is written and read.
                accesses: tensor.map_or(2, |t| accesses.get(t).copied().unwrap_or(0)),
            }
        };
        Problem {
            name,
            model: Some(model.to_owned()),
            records: segment.buffers.clone(),
            parts: segment.records.iter().zip(&segment.places).map(part).collect(),
        }
    }

    /// How often each tensor is read or written, once per step and mention.
    fn accesses(&self) -> Vec<u64> {
        let mut accesses = vec![0; self.names.len()];
        for step in 0..self.steps.len() {
            let Some((reads, writes)) = self.interpreter.step_tensors(self.subgraph, step) else { continue };
            for tensor in reads.into_iter().chain(writes) {
                accesses.get_mut(tensor).into_iter().for_each(|count| *count += 1);
            }
        }
        accesses
    }

    /// Where planning ended, and what the step there may give at most.
    fn tell_unknown(&self, label: &str, contents: &mut Contents) {
        let planned = self.interpreter.planned_steps(self.subgraph);
        let Some(last) = planned.filter(|&last| 0 < last && last <= self.steps.len()) else { return };
        let (step, op, count) = (last - 1, &self.steps[last - 1], self.steps.len());
        if last < count {
            contents.notes.push(format!(
                "{label}: the shapes behind {op} (step {step}) are known only when it has run; {last} of {count} steps are planned"
            ));
        }
        let form = |tensor| self.interpreter.tensor_form(self.subgraph, tensor);
        let Some((reads, writes)) = self.interpreter.step_tensors(self.subgraph, step) else { return };
        let read = reads.get(bounds::input_that_bounds(op)).and_then(|&tensor| form(tensor)?.1);
        for tensor in writes {
            let Some((ty, None)) = form(tensor) else { continue };
            let most_bytes = read
                .and_then(|shape| bounds::most_elements(op, shape))
                .and_then(|n| ty.bytes_of(usize::try_from(n).ok()?))
                .map(|bytes| bytes as u64);
            contents.unknown.push(Unknown {
                problem: label.to_owned(),
                step,
                op: op.clone(),
                tensor: self.names.get(tensor).cloned().unwrap_or_default(),
                most_bytes,
                reason: most_bytes.is_none().then(|| bounds::reason(op)),
            });
        }
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
