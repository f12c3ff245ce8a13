//! The most elements of results whose shape only a run tells: what is known of an op before it runs.

/// Most elements of an output of `op`, from the number of elements and the rank of its first input; `None` if there is no bound.
pub fn most_elements(op: &str, elements: u64, rank: u64) -> Option<u64> {
    match op {
        // A row of indices per element that is true.
        "WHERE" => elements.checked_mul(rank.max(1)),
        // The same elements, in another shape.
        "RESHAPE" | "SQUEEZE" | "EXPAND_DIMS" | "TRANSPOSE" => Some(elements),
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
        | "SCATTER_ND"
        | "UNSORTED_SEGMENT_SUM"
        | "UNSORTED_SEGMENT_MAX" => "an input's values say how large it is",
        "IF" | "WHILE" | "CALL" | "STABLEHLO_CASE" => "the subgraph that runs says how large it is",
        _ => "nothing is known before it runs",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds() {
        assert_eq!(most_elements("WHERE", 6, 2), Some(12));
        assert_eq!(most_elements("WHERE", 1, 0), Some(1));
        assert_eq!(most_elements("WHERE", u64::MAX, 2), None);
        assert_eq!(most_elements("UNIQUE", 6, 1), Some(6));
        assert_eq!(most_elements("MEAN", 0, 1), None);
        assert_eq!(most_elements("RANGE", 6, 2), None);
    }
}
