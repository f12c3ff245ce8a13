//! Upper bounds on the size of results whose shape is known only after they are computed.

/// The index of the input whose shape bounds the result.
pub(super) fn input_that_bounds(op: &str) -> usize {
    match op {
        // Input 1 holds the keys.
        "HASHTABLE_FIND" => 1,
        _ => 0,
    }
}

/// Upper bound on the elements of an output of `op`, given the shape of the input at [`input_that_bounds`]; `None` if
/// it is unbounded.
pub(super) fn most_elements(op: &str, shape: &[i32]) -> Option<u64> {
    let elements = shape
        .iter()
        .try_fold(1u64, |product, &side| product.checked_mul(u64::try_from(side).unwrap_or(0)))?;
    match op {
        // One row of indices per true element.
        "WHERE" => elements.checked_mul((shape.len() as u64).max(1)),
        // The same elements in another shape, or one value for each.
        "RESHAPE" | "SQUEEZE" | "EXPAND_DIMS" | "TRANSPOSE" | "HASHTABLE_FIND" => Some(elements),
        // A subset of the elements.
        "SLICE" | "STRIDED_SLICE" | "TOPK_V2" | "UNIQUE" => Some(elements),
        // A reduction has at most as many elements as its input, and at least one.
        "SUM" | "MEAN" | "REDUCE_PROD" | "REDUCE_MAX" | "REDUCE_MIN" | "REDUCE_ANY" | "REDUCE_ALL" => {
            (elements > 0).then_some(elements)
        }
        _ => None,
    }
}

/// Why the result has no bound.
pub(super) fn reason(op: &str) -> &'static str {
    match op {
        "RANGE" => "its length depends on its inputs' values",
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
        | "SCATTER_ND" => "its size depends on an input's values",
        op if op.starts_with("UNSORTED_SEGMENT") => "its size depends on an input's values",
        "READ_VARIABLE" => "its size depends on the assigned value",
        "IF" | "WHILE" | "CALL" | "STABLEHLO_CASE" => "its size depends on the subgraph that runs",
        _ if most_elements(op, &[1]).is_some() => "the size of its input or element is unknown",
        _ => "its size is known only after it runs",
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
        assert_eq!(reason("UNSORTED_SEGMENT_MIN"), "its size depends on an input's values");
        assert_eq!(reason("RESHAPE"), "the size of its input or element is unknown");
        assert_eq!(reason("Mine"), "its size is known only after it runs");
    }
}
