//! Shared objects in use, and free ones.
//!
//! Defined by: tflite/delegates/gpu/common/memory_management/internal.h (`QueueRecord`).

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// Objects in use, by the last node of their record.
#[derive(Default)]
pub(crate) struct ObjectsInUse {
    /// The last node and the object, in one number.
    queue: BinaryHeap<Reverse<u64>>,
}

impl ObjectsInUse {
    /// Marks `object` as in use until `last_node`.
    pub(crate) fn insert(&mut self, last_node: u32, object: u32) {
        self.queue.push(Reverse(u64::from(last_node) << 32 | u64::from(object)));
    }

    /// Removes and returns an object that is free at `node`: the one with the smallest last node, then the lowest
    /// number.
    pub(crate) fn take_before(&mut self, node: u32) -> Option<u32> {
        let &Reverse(least) = self.queue.peek()?;
        if least >> 32 >= u64::from(node) {
            return None;
        }
        self.queue.pop();
        Some(least as u32)
    }
}

/// Free objects of one size.
pub(crate) trait FreeObjects: Default + Clone {
    /// Adds an object.
    fn put(&mut self, object: u32);
    /// Removes and returns the next object to use.
    fn take(&mut self) -> Option<u32>;
}

/// The object that was released last is used first.
pub(crate) type Latest = Vec<u32>;

impl FreeObjects for Latest {
    fn put(&mut self, object: u32) {
        self.push(object);
    }

    fn take(&mut self) -> Option<u32> {
        self.pop()
    }
}

/// The object with the lowest number is used first.
pub(crate) type Lowest = BinaryHeap<Reverse<u32>>;

impl FreeObjects for Lowest {
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
        let mut in_use = ObjectsInUse::default();
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
    fn the_next_object() {
        let (mut latest, mut lowest) = (Latest::default(), Lowest::default());
        [4, 1, 3].iter().for_each(|&object| (latest.put(object), lowest.put(object)).0);
        assert_eq!((latest.take(), lowest.take()), (Some(3), Some(1)));
    }
}
