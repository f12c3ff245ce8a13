//! What the suite and a contender say to one another: one JSON request a line, one JSON reply a line. A contender begins
//! with a line that names it. `contenders/protocol.py` is the other half for Python.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The first line of a contender.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    pub name: String,
    pub version: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Request {
    /// Load the model, prepare it, fill its inputs with the bytes of these files, run it once. Reply: [`Opened`].
    Open { model: PathBuf, threads: usize, inputs: Vec<PathBuf> },
    /// Run it for so long, once at least; time `batch` runs at a time. One batch before is not timed. Reply: [`Times`].
    Run { for_ns: u64, batch: u32 },
    /// Load the model anew, run it, and give its inputs these shapes and their own again. Reply: [`Resized`].
    Resize { model: PathBuf, threads: usize, inputs: Vec<PathBuf>, shapes: Vec<Vec<i32>> },
    /// Reply: [`Memory`].
    Memory {},
    /// Write the outputs into this folder. Reply: [`Outputs`].
    Outputs { folder: PathBuf },
}

/// Anything else than the reply that was due.
#[derive(Debug, Serialize, Deserialize)]
pub struct Refused {
    pub error: String,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Opened {
    /// From the file to a model that is ready to run.
    pub load_ns: u64,
    /// The first run.
    pub first_ns: u64,
    /// Just before the file was opened.
    pub before: Memory,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Resized {
    /// Nanoseconds. What a runtime does not have is not there.
    pub ns: BTreeMap<Stage, f64>,
    /// Why the model did not take the other shapes.
    pub refused: Option<String>,
}

/// What a model goes through, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// From the file to a model that knows its inputs.
    Load,
    /// From there to one that is ready to run.
    Allocate,
    /// The first run.
    First,
    /// A later one.
    Run,
    /// Allocate with nothing changed.
    Again,
    /// Give the inputs the shapes that they have, and allocate.
    Same,
    /// Give them other shapes, and allocate.
    There,
    /// Give them their own, and allocate.
    Back,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Times {
    /// Nanoseconds of one run: the mean of a batch each.
    pub ns: Vec<f64>,
}

/// Resident bytes: all, and with shared pages divided by the number of processes that share them.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct Memory {
    pub rss: Option<u64>,
    pub pss: Option<u64>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Outputs {
    pub outputs: Vec<Output>,
}

/// Raw elements in a file, row by row, little-endian.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Output {
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
    fn requests_look_as_the_python_side_reads_them() {
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
