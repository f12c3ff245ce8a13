//! The input of a planner: usage records from a model or from a file.

use std::path::Path;

use arenite::abi::{ObjectRecord, Readers};
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
    /// Records that get shared objects, which have no addresses.
    Objects(ObjectTable),
    /// A subgraph of the model `of`.
    Subgraph { model: Model, of: String, index: usize },
}

/// The records of a device's objects, such as textures.
pub(super) struct ObjectTable {
    /// The number of extents of each record, 1 to 3.
    pub extents: usize,
    pub records: Vec<ObjectRecord>,
    /// The records computed from each record, if nodes may run in any order that their data allow.
    readers: Option<ReaderLists>,
}

struct ReaderLists {
    /// The readers of record `i` are `list[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    list: Vec<u32>,
}

impl ObjectTable {
    /// # Errors
    /// The planner's contract has no such lists of readers.
    pub(super) fn readers(&self) -> arenite::abi::Result<Option<Readers<'_>>> {
        self.readers.as_ref().map(|readers| Readers::new(&readers.starts, &readers.list)).transpose()
    }
}

impl Problem {
    /// The name of the model that contains this subgraph.
    pub(super) fn model(&self) -> Option<&str> {
        match &self.source {
            Source::Table(_) | Source::Objects(_) => None,
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
            let named = problems.into_iter().enumerate().map(|(i, (known, source))| Problem {
                name: known.unwrap_or_else(|| format!("{name} {}", i + 1)),
                source,
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

/// MiniMalloc's format: a header line, then `id,lower,upper,size`, with columns in any order. `upper` is exclusive;
/// `forever` is a buffer that lives until the end.
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
            let text = |at: usize| fields.get(at).copied().unwrap_or("");
            let number = |at: usize| {
                let text = text(at);
                text.parse::<u64>()
                    .map_err(|_| format!("line {}: column {}: `{text}` is not a number", i + 1, columns[at]))
            };
            let last = match text(upper) {
                "forever" => FOREVER,
                _ => number(upper)?.wrapping_sub(1),
            };
            let [first, last] = lifetime(number(lower)?, last).map_err(|m| format!("line {}: {m}", i + 1))?;
            Ok(record(number(size)?, [first, last], alignment))
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
    /// In bytes; absent if there are extents.
    size: Option<u64>,
    /// One to three extents of an object.
    extents: Option<Vec<u64>>,
    first_task: u64,
    /// Null, absent or 4294967295 if it lives until the end.
    last_task: Option<u64>,
    /// The records that are computed from this one.
    readers: Option<Vec<u32>>,
}

type NamedProblem = (Option<String>, Source);

/// 4294967295, which TensorFlow Lite stores for a tensor that lives until the end.
const FOREVER: u64 = UsageRecord::FOREVER as u64;

fn jsonl(text: &str, alignment: u64) -> Result<Vec<NamedProblem>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let problems: Result<Vec<NamedProblem>, String> = lines
        .map(|(i, line)| {
            let at = |message: String| format!("line {}: {message}", i + 1);
            let line: Line = serde_json::from_str(line).map_err(|error| at(error.to_string()))?;
            let is_objects = line.records.iter().any(|r| r.extents.is_some() || r.readers.is_some());
            let source = match is_objects {
                true => objects(&line.records, alignment).map(Source::Objects),
                false => buffers(&line.records, alignment).map(Source::Table),
            };
            Ok((line.name, source.map_err(at)?))
        })
        .collect();
    problems.and_then(|problems| match problems.is_empty() {
        true => Err("the file is empty; it needs a line with `records`".into()),
        false => Ok(problems),
    })
}

fn buffers(records: &[LineRecord], alignment: u64) -> Result<Vec<UsageRecord>, String> {
    let records = records.iter().enumerate().map(|(k, r)| {
        let size = r.size.ok_or_else(|| format!("record {k} has neither `size` nor `extents`"))?;
        Ok(record(size, r.lifetime(k)?, alignment))
    });
    records.collect()
}

fn objects(lines: &[LineRecord], alignment: u64) -> Result<ObjectTable, String> {
    if alignment != 1 {
        return Err(
            "records with `extents` or `readers` get objects, which have no addresses: omit --align".into()
        );
    }
    let mut table = ObjectTable { extents: 0, records: Vec::new(), readers: None };
    let mut readers = ReaderLists { starts: vec![0], list: Vec::new() };
    for (k, line) in lines.iter().enumerate() {
        let given = line.extents(k)?;
        if !(1..=3).contains(&given.len()) || (k > 0 && given.len() != table.extents) {
            let others = if k > 0 { format!("; record 0 has {}", table.extents) } else { String::new() };
            return Err(format!(
                "record {k} has {} extents{others}: give each record one to three",
                given.len()
            ));
        }
        table.extents = given.len();
        let mut extents = [1; 3];
        extents[..given.len()].copy_from_slice(&given);
        let [first, last] = line.lifetime(k)?;
        table.records.push(ObjectRecord::new(extents, first, last));
        let of = line.readers.as_deref().unwrap_or_default();
        if let Some(reader) = of.iter().find(|&&reader| reader as usize >= lines.len()) {
            let count = lines.len();
            return Err(format!("record {k}: reader {reader} is out of range; there are {count} records"));
        }
        readers.list.extend(of);
        readers.starts.push(readers.list.len() as u32);
    }
    table.readers = lines.iter().any(|line| line.readers.is_some()).then_some(readers);
    Ok(table)
}

impl LineRecord {
    fn extents(&self, k: usize) -> Result<Vec<u64>, String> {
        match (&self.extents, self.size) {
            (Some(_), Some(_)) => Err(format!("record {k} has `size` and `extents`: give one of them")),
            (Some(extents), None) => Ok(extents.clone()),
            (None, Some(size)) => Ok(vec![size]),
            (None, None) => Err(format!("record {k} has neither `size` nor `extents`")),
        }
    }

    fn lifetime(&self, k: usize) -> Result<[u32; 2], String> {
        lifetime(self.first_task, self.last_task.unwrap_or(FOREVER)).map_err(|m| format!("record {k}: {m}"))
    }
}

/// The first and the last step.
fn lifetime(first: u64, last: u64) -> Result<[u32; 2], String> {
    match (u32::try_from(first), u32::try_from(last)) {
        (Ok(first), Ok(last)) if first <= last && first < UsageRecord::FOREVER => Ok([first, last]),
        _ => Err(format!("its lifetime from {first} to {} is empty", last as i64)),
    }
}

fn record(size: u64, [first, last]: [u32; 2], alignment: u64) -> UsageRecord {
    UsageRecord { alignment, ..UsageRecord::new(size, first, last) }
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
        let jsonl = |text: &str, alignment| jsonl(text, alignment).err().unwrap_or_default();
        let error = jsonl("{\"records\":[{\"size\":1,\"first_task\":2,\"last_task\":1}]}", 1);
        assert_eq!(error, "line 1: record 0: its lifetime from 2 to 1 is empty");
        assert!(jsonl("{}", 1).starts_with("line 1: missing field `records`"));
        assert_eq!(jsonl("\n", 1), "the file is empty; it needs a line with `records`");
        let objects = |records: &str, alignment| jsonl(&format!("{{\"records\":[{records}]}}"), alignment);
        for (records, alignment, message) in [
            (r#"{"first_task":0}"#, 1, "record 0 has neither `size` nor `extents`"),
            (
                r#"{"size":1,"extents":[1],"first_task":0}"#,
                1,
                "record 0 has `size` and `extents`: give one of them",
            ),
            (
                r#"{"extents":[1,2],"first_task":0},{"extents":[1],"first_task":0}"#,
                1,
                "record 1 has 1 extents; record 0 has 2: give each record one to three",
            ),
            (r#"{"extents":[],"first_task":0}"#, 1, "record 0 has 0 extents: give each record one to three"),
            (
                r#"{"size":4,"readers":[1],"first_task":0}"#,
                1,
                "record 0: reader 1 is out of range; there are 1 records",
            ),
            (
                r#"{"extents":[4],"first_task":0}"#,
                64,
                "records with `extents` or `readers` get objects, which have no addresses: omit --align",
            ),
        ] {
            assert_eq!(objects(records, alignment), format!("line 1: {message}"));
        }
    }

    #[test]
    fn buffers_can_live_until_the_end() {
        let end = UsageRecord::FOREVER;
        assert_eq!(csv("id,lower,upper,size\na,3,forever,4", 1).unwrap()[0].last_node, end);
        for last in ["", ",\"last_task\":null", ",\"last_task\":4294967295"] {
            let line = format!("{{\"records\":[{{\"size\":1,\"first_task\":2{last}}}]}}");
            match &jsonl(&line, 1).unwrap()[0].1 {
                Source::Table(records) => assert_eq!((records[0].first_node, records[0].last_node), (2, end)),
                _ => panic!("{line} has sizes only"),
            }
        }
    }
}
