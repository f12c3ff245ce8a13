//! Shared objects in use, and those that wait for their next record.
//!
//! Defined by: tflite/delegates/gpu/common/memory_management/internal.h (`QueueRecord`).

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// Objects in use, by the last node of their record.
#[derive(Default)]
pub struct InUse {
    /// Last node and object, in one number.
    queue: BinaryHeap<Reverse<u64>>,
}

impl InUse {
    /// `object` is in use until `last_node`.
    pub fn insert(&mut self, last_node: u32, object: u32) {
        self.queue.push(Reverse(u64::from(last_node) << 32 | u64::from(object)));
    }

    /// Takes out an object whose last node lies before `node`: that with the least last node, then the lowest number.
    pub fn take_before(&mut self, node: u32) -> Option<u32> {
        let &Reverse(least) = self.queue.peek()?;
        if least >> 32 >= u64::from(node) {
            return None;
        }
        self.queue.pop();
        Some(least as u32)
    }
}

/// Objects of one size that wait.
pub trait Waiting: Default + Clone {
    /// Adds an object.
    fn put(&mut self, object: u32);
    /// The next one to be used.
    fn take(&mut self) -> Option<u32>;
}

/// The latest is used first.
pub type Latest = Vec<u32>;

impl Waiting for Latest {
    fn put(&mut self, object: u32) {
        self.push(object);
    }

    fn take(&mut self) -> Option<u32> {
        self.pop()
    }
}

/// The one with the lowest number is used first.
pub type Lowest = BinaryHeap<Reverse<u32>>;

impl Waiting for Lowest {
    fn put(&mut self, object: u32) {
        self.push(Reverse(object));
    }

    fn take(&mut self) -> Option<u32> {
        self.pop().map(|Reverse(object)| object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn released_by_last_node_then_number() {
        let mut in_use = InUse::default();
        [(7, 0), (3, 2), (3, 1), (u32::MAX, 3)]
            .iter()
            .for_each(|&(last, object)| in_use.insert(last, object));
        assert_eq!(in_use.take_before(3), None);
        assert_eq!(
            [in_use.take_before(4), in_use.take_before(4), in_use.take_before(4)],
            [Some(1), Some(2), None]
        );
        assert_eq!([in_use.take_before(u32::MAX), in_use.take_before(u32::MAX)], [Some(0), None]);
    }

    #[test]
    fn next_one() {
        let (mut latest, mut lowest) = (Latest::default(), Lowest::default());
        [4, 1, 3].iter().for_each(|&object| (latest.put(object), lowest.put(object)).0);
        assert_eq!((latest.take(), lowest.take()), (Some(3), Some(1)));
    }
}
