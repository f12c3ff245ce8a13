//! `case.json`: the model, inputs and expected outputs of a conformance case.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::source::{CASE_FILE, Source};

/// One case.
pub struct Case {
    /// The parsed `case.json`.
    pub text: CaseText,
    /// The case's files.
    pub source: Source,
}

/// The fields of `case.json` that are used here.
#[derive(Debug, Deserialize)]
pub struct CaseText {
    /// Unique name.
    pub name: String,
    /// The family under which it is counted.
    pub op: String,
    /// The path of the model, relative to the case's folder.
    #[serde(default = "default_model")]
    pub model: String,
    /// Whether the model draws random numbers. Then only shapes and types are compared.
    #[serde(default)]
    pub random: bool,
    /// The tolerance of the outputs.
    pub tolerance: Tolerance,
    /// The ops of the model and their versions.
    pub ops: Option<BTreeMap<String, serde_json::Value>>,
    /// The case's main set of inputs and outputs.
    #[serde(flatten)]
    pub set: Set,
    /// More sets, each run by a new interpreter.
    #[serde(default)]
    pub extra_sets: Vec<Set>,
    /// Inputs and outputs of signatures.
    #[serde(default)]
    pub signature_runs: Vec<SignatureRun>,
}

/// The largest accepted difference from the expected value.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Tolerance {
    /// `|got − want| ≤ float_abs + float_rel × |want|` for floats and complex numbers.
    pub float_abs: f64,
    /// See `float_abs`.
    pub float_rel: f64,
    /// `|got − want| ≤ int_steps` for integers.
    pub int_steps: f64,
}

/// Inputs and the expected outputs.
#[derive(Debug, Deserialize)]
pub struct Set {
    /// By position among the inputs of the main subgraph.
    pub inputs: Vec<TensorText>,
    /// By position among the outputs of the main subgraph.
    pub outputs: Vec<TensorText>,
    /// How many times the model runs before the outputs are read.
    #[serde(default = "one")]
    pub invokes: u32,
}

/// Inputs and expected outputs of a signature.
#[derive(Debug, Deserialize)]
pub struct SignatureRun {
    /// The signature's key.
    pub signature: String,
    /// The inputs by name.
    pub inputs: Vec<TensorText>,
    /// The outputs by name.
    pub outputs: Vec<TensorText>,
}

/// One tensor's description.
#[derive(Debug, Deserialize)]
pub struct TensorText {
    /// The tensor's name in the model or in the signature.
    pub name: String,
    /// numpy's name of the element type, or `string` or `bfloat16`.
    pub dtype: String,
    /// Dimensions.
    pub shape: Vec<i32>,
    /// The elements of a tensor of strings, in base64.
    pub strings: Option<Vec<String>>,
    /// The file with its elements, if it is not named after the position.
    pub file: Option<String>,
}

impl Case {
    /// Reads the case at `source`.
    ///
    /// # Errors
    /// The case cannot be read.
    pub fn read(source: Source) -> Result<Case, String> {
        let bytes = source.read(CASE_FILE)?;
        let text: CaseText = serde_json::from_slice(&bytes).map_err(|e| format!("{CASE_FILE}: {e}"))?;
        Ok(Case { text, source })
    }

    /// The names of the model's ops: from the case if it lists them, or else from the model.
    ///
    /// # Errors
    /// The model cannot be read.
    pub fn ops(&self) -> Result<Vec<String>, String> {
        if let Some(ops) = &self.text.ops {
            return Ok(ops.keys().cloned().collect());
        }
        let model = self.source.model(&self.text.model)?;
        let names = model.view().operator_codes().iter().map(|code| code.name().to_owned()).collect();
        Ok(names)
    }
}

fn default_model() -> String {
    "model.tflite".to_owned()
}

fn one() -> u32 {
    1
}
