//! Selects cases: by ops and by name, without the excluded ones.

use std::collections::{BTreeMap, BTreeSet};

use crate::case::Case;

/// The ops of tier T1: they cover most vision and audio models.
pub const T1: &[&str] = &[
    "ADD",
    "AVERAGE_POOL_2D",
    "BATCH_MATMUL",
    "CAST",
    "CONCATENATION",
    "CONV_2D",
    "DEPTHWISE_CONV_2D",
    "DEQUANTIZE",
    "EXPAND_DIMS",
    "FULLY_CONNECTED",
    "GATHER",
    "GELU",
    "HARD_SWISH",
    "LEAKY_RELU",
    "LOGISTIC",
    "MAX_POOL_2D",
    "MEAN",
    "MUL",
    "NEG",
    "PACK",
    "PAD",
    "QUANTIZE",
    "RELU",
    "RELU6",
    "RELU_N1_TO_1",
    "RESHAPE",
    "RESIZE_BILINEAR",
    "RESIZE_NEAREST_NEIGHBOR",
    "RSQRT",
    "SHAPE",
    "SLICE",
    "SOFTMAX",
    "SPLIT",
    "SQRT",
    "SQUARED_DIFFERENCE",
    "SQUEEZE",
    "STRIDED_SLICE",
    "SUB",
    "TANH",
    "TRANSPOSE",
    "TRANSPOSE_CONV",
    "UNPACK",
];

/// The project's list of excluded cases.
const EXCLUSIONS: &str = include_str!("../exclusions.txt");

/// The selection of cases.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    ops: Option<BTreeSet<String>>,
    filter: Option<String>,
    exclusions: BTreeMap<String, String>,
}

impl Selection {
    /// All cases except the project's excluded ones.
    ///
    /// # Errors
    /// The project's list cannot be read.
    pub fn all() -> Result<Selection, String> {
        let mut selection = Selection::default();
        selection.exclude(EXCLUSIONS)?;
        Ok(selection)
    }

    /// Keeps only cases whose ops are all in this list; `T1` means the list [`T1`].
    pub fn ops<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        let set = self.ops.get_or_insert_default();
        for name in names {
            if name == "T1" {
                set.extend(T1.iter().map(|op| (*op).to_owned()));
            } else {
                set.insert(name.to_owned());
            }
        }
        self
    }

    /// Keeps only cases whose name contains `part`.
    pub fn filter(mut self, part: &str) -> Self {
        self.filter = Some(part.to_owned());
        self
    }

    /// Excludes the cases that a file lists, with lines `name reason`; `#` starts a comment.
    ///
    /// # Errors
    /// A line has another form.
    pub fn exclude(&mut self, text: &str) -> Result<(), String> {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let Some((name, reason)) = line.split_once(char::is_whitespace) else {
                return Err(format!("exclusion '{line}' has no reason: write 'case-name reason'"));
            };
            self.exclusions.insert(name.to_owned(), reason.trim().to_owned());
        }
        Ok(())
    }

    /// Whether a case runs. A case with unknown ops runs, so that it fails.
    pub fn takes(&self, case: &Case) -> bool {
        let name = &case.text.name;
        if self.exclusions.contains_key(name) || self.filter.as_ref().is_some_and(|part| !name.contains(part))
        {
            return false;
        }
        let Some(list) = &self.ops else { return true };
        case.ops().map_or(true, |ops| ops.iter().all(|op| list.contains(op)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exclusion_needs_a_reason() {
        let mut selection = Selection::default();
        assert!(selection.exclude("# comment\n\nconv_0001  rounds otherwise\n").is_ok());
        assert_eq!(selection.exclusions["conv_0001"], "rounds otherwise");
        assert!(selection.exclude("conv_0002").is_err());
    }

    #[test]
    fn all_ops_of_the_tier_exist() {
        let known: BTreeSet<_> = T1.iter().collect();
        assert_eq!(known.len(), 42);
        assert!(T1.iter().all(|op| arenite::model_file::builtin_operator_code(op).is_some()));
    }
}
