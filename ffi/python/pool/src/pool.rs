//! A pool whose items each serve one call at a time.

use std::sync::PoisonError;

use crate::sync::Mutex;

/// A pool of items that are expensive to make, such as interpreters. Each call gets an item for itself, and a later
/// call uses it again, so the pool has as many items as calls have run at the same time.
///
/// A thread must not fork while another one is inside a method, `make` and `call` excepted. Python ensures this:
/// methods are called with the GIL, and a build without it stops attached threads before a fork.
#[derive(Debug)]
pub struct Pool<T> {
    idle: Mutex<Idle<T>>,
    /// Of the process: another number in a child.
    generation: fn() -> u64,
}

/// The items that no call uses.
#[derive(Debug)]
struct Idle<T> {
    items: Vec<T>,
    /// Of the process that made them.
    generation: u64,
}

impl<T> Pool<T> {
    /// A pool with one item. `generation` returns another number after a fork.
    pub fn new(first: T, generation: fn() -> u64) -> Self {
        Pool { idle: Mutex::new(Idle { items: vec![first], generation: generation() }), generation }
    }

    /// Calls `call` with an item that no other call uses; `make` makes one if all are in use. A later call gets the
    /// item, whether or not this one fails; but not if this one panics, or forks and goes on in the child: an item may
    /// have threads or a device that belong to the parent.
    ///
    /// # Errors
    /// `make` or `call` fails.
    pub fn with<R, E>(
        &self,
        make: impl FnOnce() -> Result<T, E>,
        call: impl FnOnce(&mut T) -> Result<R, E>,
    ) -> Result<R, E> {
        let generation = (self.generation)();
        let mut item = self.with_idle(generation, |items| items.pop()).map_or_else(make, Ok)?;
        let done = call(&mut item);
        match (self.generation)() == generation {
            true => self.with_idle(generation, |items| items.push(item)),
            false => std::mem::forget(item),
        }
        done
    }

    /// The number of items that no call uses.
    pub fn idle(&self) -> usize {
        self.with_idle((self.generation)(), |items| items.len())
    }

    /// Uses the idle items of this process. It forgets its parent's items and does not drop them, which would end
    /// threads that this process does not have.
    fn with_idle<R>(&self, generation: u64, f: impl FnOnce(&mut Vec<T>) -> R) -> R {
        // A list is whole between two statements, so a panic does it no harm.
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.generation != generation {
            std::mem::take(&mut idle.items).into_iter().for_each(std::mem::forget);
            idle.generation = generation;
        }
        f(&mut idle.items)
    }
}
