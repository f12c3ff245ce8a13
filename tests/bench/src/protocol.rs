//! The protocol between the suite and a contender: one JSON request per line, one JSON reply per line. A contender
//! first prints a line with its name. `contenders/protocol.py` is the Python implementation.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The first line of a contender.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub name: String,
    pub version: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub(crate) enum Request {
    /// Load the model, prepare it, fill its inputs with the bytes of these files, and run it once. Reply: [`Opened`].
    Open { model: PathBuf, threads: usize, inputs: Vec<PathBuf> },
    /// Run it for a time, at least once, and time `batch` runs together. One untimed batch comes first. Reply:
    /// [`Times`].
    Run { for_ns: u64, batch: u32 },
    /// Load the model again, run it, and resize its inputs to these shapes and back. Reply: [`Resized`].
    Resize { model: PathBuf, threads: usize, inputs: Vec<PathBuf>, shapes: Vec<Vec<i32>> },
    /// Reply: [`Memory`].
    Memory {},
    /// Write the outputs into this folder. Reply: [`Outputs`].
    Outputs { folder: PathBuf },
}

/// Sent in place of any reply, after an error.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Refused {
    pub error: String,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Opened {
    /// From the file to a model that is ready to run.
    pub load_ns: u64,
    /// The first run.
    pub first_ns: u64,
    /// Just before the file was opened.
    pub before: Memory,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Resized {
    /// Nanoseconds. Stages that a runtime does not have are absent.
    pub ns: BTreeMap<Stage, f64>,
    /// Why the model refused the other shapes.
    pub refused: Option<String>,
}

/// The stages of a model, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Stage {
    /// From the file to a model that knows its inputs.
    Load,
    /// From there to one that is ready to run.
    Allocate,
    /// The first run.
    First,
    /// A later one.
    Run,
    /// Allocating with nothing changed.
    Again,
    /// Resizing the inputs to their current shapes, and allocating.
    Same,
    /// Resizing them to other shapes, and allocating.
    There,
    /// Resizing them back, and allocating.
    Back,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Times {
    /// The nanoseconds of one run, each the mean of a batch.
    pub ns: Vec<f64>,
}

/// Resident bytes: in total, and with shared pages divided by the number of processes that share them.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq)]
pub(crate) struct Memory {
    pub rss: Option<u64>,
    pub pss: Option<u64>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Outputs {
    pub outputs: Vec<Output>,
}

/// Raw elements in a file, row by row, little-endian.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Output {
    pub file: PathBuf,
    /// NumPy's name of the element type.
    #[serde(rename = "type")]
    pub ty: String,
    pub shape: Vec<usize>,
    /// `real = scale × (q − zero_point)`; a scale of 0 means that the elements are the values.
    pub scale: f64,
    pub zero_point: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_the_format_that_the_python_side_reads() {
        let text = |request: &Request| serde_json::to_string(request).unwrap();
        assert_eq!(text(&Request::Memory {}), r#"{"do":"memory"}"#);
        assert_eq!(text(&Request::Run { for_ns: 5, batch: 2 }), r#"{"do":"run","for_ns":5,"batch":2}"#);
        let open = Request::Open { model: "m".into(), threads: 1, inputs: vec!["0.bin".into()] };
        assert_eq!(text(&open), r#"{"do":"open","model":"m","threads":1,"inputs":["0.bin"]}"#);
        let shapes = vec![vec![1, 2]];
        let resize = Request::Resize { model: "m".into(), threads: 1, inputs: Vec::new(), shapes };
        let wanted = r#"{"do":"resize","model":"m","threads":1,"inputs":[],"shapes":[[1,2]]}"#;
        assert_eq!(text(&resize), wanted);
        let reply: Resized = serde_json::from_str(r#"{"ns":{"there":1.5,"load":2},"refused":null}"#).unwrap();
        assert_eq!(reply.ns, [(Stage::Load, 2.0), (Stage::There, 1.5)].into());
    }
}
