//! The most elements of results whose shape only a run tells: what is known of an op before it runs.

/// The position of the input whose shape tells the most.
pub fn input_that_bounds(op: &str) -> usize {
    match op {
        // The keys.
        "HASHTABLE_FIND" => 1,
        _ => 0,
    }
}

/// Most elements of an output of `op`, from the shape of [that input](input_that_bounds); `None` if there is no bound.
pub fn most_elements(op: &str, shape: &[i32]) -> Option<u64> {
    let elements = shape
        .iter()
        .try_fold(1u64, |product, &side| product.checked_mul(u64::try_from(side).unwrap_or(0)))?;
    match op {
        // A row of indices per element that is true.
        "WHERE" => elements.checked_mul((shape.len() as u64).max(1)),
        // The same elements in another shape, or a value for each.
        "RESHAPE" | "SQUEEZE" | "EXPAND_DIMS" | "TRANSPOSE" | "HASHTABLE_FIND" => Some(elements),
        // Some of them.
        "SLICE" | "STRIDED_SLICE" | "TOPK_V2" | "UNIQUE" => Some(elements),
        // One in the place of many; of none there is still one.
        "SUM" | "MEAN" | "REDUCE_PROD" | "REDUCE_MAX" | "REDUCE_MIN" | "REDUCE_ANY" | "REDUCE_ALL" => {
            (elements > 0).then_some(elements)
        }
        _ => None,
    }
}

/// Why there is no bound.
pub fn reason(op: &str) -> &'static str {
    match op {
        "RANGE" => "its inputs' values say how long it is",
        "FILL"
        | "BROADCAST_TO"
        | "TILE"
        | "PAD"
        | "PADV2"
        | "MIRROR_PAD"
        | "ONE_HOT"
        | "RESIZE_BILINEAR"
        | "RESIZE_NEAREST_NEIGHBOR"
        | "NON_MAX_SUPPRESSION_V4"
        | "NON_MAX_SUPPRESSION_V5"
        | "SPARSE_TO_DENSE"
        | "SEGMENT_SUM"
        | "SCATTER_ND" => "an input's values say how large it is",
        op if op.starts_with("UNSORTED_SEGMENT") => "an input's values say how large it is",
        "READ_VARIABLE" => "what was assigned says how large it is",
        "IF" | "WHILE" | "CALL" | "STABLEHLO_CASE" => "the subgraph that runs says how large it is",
        _ if most_elements(op, &[1]).is_some() => "the size of what it reads, or of an element, is unknown",
        _ => "nothing is known before it runs",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds() {
        assert_eq!(most_elements("WHERE", &[2, 3]), Some(12));
        assert_eq!(most_elements("WHERE", &[]), Some(1));
        assert_eq!(most_elements("WHERE", &[i32::MAX, i32::MAX, i32::MAX]), None);
        assert_eq!(most_elements("UNIQUE", &[6]), Some(6));
        assert_eq!(most_elements("MEAN", &[0, 5]), None);
        assert_eq!(most_elements("RANGE", &[6]), None);
    }

    #[test]
    fn reasons() {
        assert_eq!(reason("UNSORTED_SEGMENT_MIN"), "an input's values say how large it is");
        assert_eq!(reason("RESHAPE"), "the size of what it reads, or of an element, is unknown");
        assert_eq!(reason("Mine"), "nothing is known before it runs");
    }
}
