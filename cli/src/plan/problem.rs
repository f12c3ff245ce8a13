//! The input of a planner: usage records from a model or from a file.

use std::path::Path;

use arenite::{Model, UsageRecord};
use serde::Deserialize;

use arenite_common::file;

use crate::answer::{Failure, Result};
use crate::options::load_model;

/// The largest table of records that is read, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// A list of buffers that is planned on its own.
pub(super) struct Problem {
    pub name: String,
    pub source: Source,
}

pub(super) enum Source {
    /// The usage records of a table.
    Table(Vec<UsageRecord>),
    /// A subgraph of the model `of`.
    Subgraph { model: Model, of: String, index: usize },
}

impl Problem {
    /// The name of the model that contains this subgraph.
    pub(super) fn model(&self) -> Option<&str> {
        match &self.source {
            Source::Table(_) => None,
            Source::Subgraph { of, .. } => Some(of),
        }
    }
}

/// Reads the problems in a file. `alignment` applies to the records of a table.
pub(super) fn read(path: &Path, alignment: u64) -> Result<Vec<Problem>> {
    let name = name_of(path);
    let contents = || file::read_text(path, MAX_BYTES).map_err(|error| Failure::with(path.display(), error));
    let wrong = |message: String| Failure::with(path.display(), message);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => {
            let records = csv(&contents()?, alignment).map_err(wrong)?;
            Ok(vec![Problem { name, source: Source::Table(records) }])
        }
        Some("jsonl") => {
            let problems = jsonl(&contents()?, alignment).map_err(wrong)?;
            let named = problems.into_iter().enumerate().map(|(i, (known, records))| Problem {
                name: known.unwrap_or_else(|| format!("{name} {}", i + 1)),
                source: Source::Table(records),
            });
            Ok(named.collect())
        }
        _ => Ok(subgraphs(&load_model(path)?, &name)),
    }
}

/// The file's name without its extension. A file called model.tflite is named after its folder.
pub(crate) fn name_of(path: &Path) -> String {
    let text =
        |part: Option<&std::ffi::OsStr>| part.map_or_else(String::new, |p| p.to_string_lossy().into_owned());
    match text(path.file_stem()) {
        stem if stem == "model" => text(path.parent().and_then(Path::file_name)),
        stem => stem,
    }
}

/// One problem per subgraph of a model.
pub(super) fn subgraphs(model: &Model, of: &str) -> Vec<Problem> {
    let count = model.view().subgraphs().len();
    let problem = |index| Problem {
        name: if count == 1 { of.to_owned() } else { format!("{of}, subgraph {index}") },
        source: Source::Subgraph { model: model.clone(), of: of.to_owned(), index },
    };
    (0..count).map(problem).collect()
}

/// MiniMalloc's format: a header line, then `id,lower,upper,size`, with columns in any order; `upper` is exclusive.
fn csv(text: &str, alignment: u64) -> Result<Vec<UsageRecord>, String> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (_, head) = lines.next().ok_or("the file is empty; its first line must be `id,lower,upper,size`")?;
    let columns: Vec<&str> = head.split(',').map(str::trim).collect();
    let column = |name: &str| {
        let position = columns.iter().position(|column| *column == name);
        position.ok_or_else(|| format!("line 1: column `{name}` is missing; the header is `{head}`"))
    };
    let [lower, upper, size] = [column("lower")?, column("upper")?, column("size")?];
    lines
        .map(|(i, line)| {
            let fields: Vec<&str> = line.split(',').map(str::trim).collect();
            let number = |at: usize| {
                let text = fields.get(at).copied().unwrap_or("");
                text.parse::<u64>()
                    .map_err(|_| format!("line {}: column {}: `{text}` is not a number", i + 1, columns[at]))
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

type NamedProblem = (Option<String>, Vec<UsageRecord>);

fn jsonl(text: &str, alignment: u64) -> Result<Vec<NamedProblem>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let problems: Result<Vec<NamedProblem>, String> = lines
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
        true => Err("the file is empty; it needs a line with `records`".into()),
        false => Ok(problems),
    })
}

fn record(size: u64, first: u64, last: u64, alignment: u64) -> Result<UsageRecord, String> {
    let time = |t: u64| u32::try_from(t).ok().filter(|&t| t < UsageRecord::FOREVER);
    match (time(first), time(last)) {
        (Some(first), Some(last)) if first <= last => {
            Ok(UsageRecord { alignment, ..UsageRecord::new(size, first, last) })
        }
        _ => Err(format!("its lifetime from {first} to {} is empty", last as i64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_has_exclusive_ends() {
        let records = csv("id,lower,upper,size\nb1,0,3,4\nb2,2,5,8\n\n", 16).unwrap();
        let shown: Vec<_> =
            records.iter().map(|r| (r.size, r.first_node, r.last_node, r.alignment)).collect();
        assert_eq!(shown, [(4, 0, 2, 16), (8, 2, 4, 16)]);
        assert_eq!(csv("size,id,upper,lower\n4,x,3,0", 1).unwrap()[0].last_node, 2);
    }

    #[test]
    fn errors_name_the_line() {
        for (text, message) in [
            ("", "the file is empty; its first line must be `id,lower,upper,size`"),
            ("id,lower,size\n1,2,3", "line 1: column `upper` is missing; the header is `id,lower,size`"),
            ("id,lower,upper,size\n1,0,1,x", "line 2: column size: `x` is not a number"),
            ("id,lower,upper,size\n1,0,1", "line 2: column size: `` is not a number"),
            ("id,lower,upper,size\n1,3,3,4", "line 2: its lifetime from 3 to 2 is empty"),
            ("id,lower,upper,size\n1,0,0,4", "line 2: its lifetime from 0 to -1 is empty"),
        ] {
            assert_eq!(csv(text, 1).unwrap_err(), message);
        }
        let error = jsonl("{\"records\":[{\"size\":1,\"first_task\":2,\"last_task\":1}]}", 1).unwrap_err();
        assert_eq!(error, "line 1: record 0: its lifetime from 2 to 1 is empty");
        assert!(jsonl("{}", 1).unwrap_err().starts_with("line 1: missing field `records`"));
        assert_eq!(jsonl("\n", 1).unwrap_err(), "the file is empty; it needs a line with `records`");
    }
}
