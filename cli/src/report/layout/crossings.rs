//! Counts crossings of lines between two layers.

/// How many pairs of lines cross. A line is the position of its upper and of its lower end.
pub(super) fn crossings(mut lines: Vec<(usize, usize)>) -> u64 {
    lines.sort_unstable();
    let width = lines.iter().map(|line| line.1 + 1).max().unwrap_or(0);
    // A Fenwick tree of the lower ends seen so far.
    let mut tree = vec![0u64; width + 1];
    let mut count = 0;
    for (seen, &(_, lower)) in lines.iter().enumerate() {
        let (mut at, mut left) = (lower + 1, 0);
        while at > 0 {
            left += tree[at];
            at &= at - 1;
        }
        count += seen as u64 - left;
        let mut at = lower + 1;
        while at <= width {
            tree[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossings_are_inversions() {
        assert_eq!(crossings(vec![]), 0);
        assert_eq!(crossings(vec![(0, 0), (1, 1), (2, 2)]), 0);
        assert_eq!(crossings(vec![(0, 2), (1, 1), (2, 0)]), 3);
        assert_eq!(crossings(vec![(0, 1), (0, 0), (1, 1), (1, 0)]), 1);
    }
}
