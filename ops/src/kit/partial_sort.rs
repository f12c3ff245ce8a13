//! The best few elements of a list, in the order of libstdc++'s `std::partial_sort`, which also determines the order of
//! equal elements.

/// Moves the `wanted` best items to the front, best first; the order of the others is unspecified.
///
/// Builds a heap of the first `wanted` items with the worst on top, replaces the top by each better item that follows,
/// and then sorts the heap.
pub fn partial_sort<T: Copy>(items: &mut [T], wanted: usize, better: impl Fn(T, T) -> bool) {
    let wanted = wanted.min(items.len());
    if wanted == 0 {
        return;
    }
    let (heap, rest) = items.split_at_mut(wanted);
    for parent in (0..wanted / 2).rev() {
        sift(heap, parent, heap[parent], &better);
    }
    for item in rest {
        if better(*item, heap[0]) {
            let better_one = core::mem::replace(item, heap[0]);
            sift(heap, 0, better_one, &better);
        }
    }
    for end in (1..wanted).rev() {
        let last = heap[end];
        heap[end] = heap[0];
        sift(&mut heap[..end], 0, last, &better);
    }
}

/// Fills the hole at `hole` with `value`: down to a leaf along the worse children, then up again.
fn sift<T: Copy>(heap: &mut [T], hole: usize, value: T, better: &impl Fn(T, T) -> bool) {
    let (top, mut hole) = (hole, hole);
    while 2 * hole + 2 < heap.len() {
        let right = 2 * hole + 2;
        let child = if better(heap[right], heap[right - 1]) { right - 1 } else { right };
        heap[hole] = heap[child];
        hole = child;
    }
    if 2 * hole + 2 == heap.len() {
        heap[hole] = heap[2 * hole + 1];
        hole = 2 * hole + 1;
    }
    while hole > top && better(heap[(hole - 1) / 2], value) {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = value;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_come_first() {
        let values = [3, 9, 1, 7, 7, 4, 8, 2, 9, 0];
        for wanted in 0..=values.len() + 1 {
            let mut items: Vec<usize> = (0..values.len()).collect();
            partial_sort(&mut items, wanted, |a, b| values[a] > values[b]);
            let mut sorted = values;
            sorted.sort_by(|a, b| b.cmp(a));
            let wanted = wanted.min(values.len());
            assert_eq!(items[..wanted].iter().map(|&i| values[i]).collect::<Vec<_>>(), sorted[..wanted]);
            items.sort();
            assert!(items.iter().enumerate().all(|(i, &item)| i == item));
        }
    }

    /// The expected order was computed with g++ 12.
    #[test]
    fn equals_come_in_the_order_of_libstdcxx() {
        let order = |values: &[i32], wanted: usize| {
            let mut items: Vec<usize> = (0..values.len()).collect();
            partial_sort(&mut items, wanted, |a, b| values[a] > values[b]);
            items[..wanted].to_vec()
        };
        assert_eq!(order(&[1, 1, 1, 1, 1, 1], 3), [0, 1, 2]);
        assert_eq!(order(&[2, 5, 5, 2, 5, 2, 5], 4), [4, 1, 6, 2]);
        assert_eq!(order(&[0, 3, 3, 3, 3, 0, 3, 3, 1], 5), [3, 4, 1, 6, 2]);
    }
}
