//! Which cases run: by ops, by name, and without those that an exclusion file lists.

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

/// The project's own list of cases that are not run.
const EXCLUSIONS: &str = include_str!("../exclusions.txt");

/// Which cases run.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    ops: Option<BTreeSet<String>>,
    filter: Option<String>,
    exclusions: BTreeMap<String, String>,
}

impl Selection {
    /// All cases but those that the project excludes.
    pub fn all() -> Result<Selection, String> {
        let mut selection = Selection::default();
        selection.exclude(EXCLUSIONS)?;
        Ok(selection)
    }

    /// Only cases all of whose ops are in this list; `T1` stands for [`T1`].
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

    /// Only cases whose name contains `part`.
    pub fn filter(mut self, part: &str) -> Self {
        self.filter = Some(part.to_owned());
        self
    }

    /// Without the cases that a file lists: lines `name reason`, `#` starts a comment.
    pub fn exclude(&mut self, text: &str) -> Result<(), String> {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let Some((name, reason)) = line.split_once(char::is_whitespace) else {
                return Err(format!("exclusion '{line}' has no reason: write 'case-name reason'"));
            };
            self.exclusions.insert(name.to_owned(), reason.trim().to_owned());
        }
        Ok(())
    }

    /// Whether a case runs. One whose ops are not known runs, so that it fails.
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
    fn the_tier_is_whole() {
        let known: BTreeSet<_> = T1.iter().collect();
        assert_eq!(known.len(), 42);
        assert!(T1.iter().all(|op| arenite::model_file::builtin_operator_code(op).is_some()));
    }
}
