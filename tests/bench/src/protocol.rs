//! What the suite and a contender say to one another: one JSON request a line, one JSON reply a line. A contender begins
//! with a line that names it. `contenders/protocol.py` is the other half for Python.

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
    }
}
