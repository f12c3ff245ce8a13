//! Things that are used by one call at a time.

use std::sync::PoisonError;

use crate::sync::Mutex;

/// Things that are expensive to make, such as interpreters. A call gets one for itself, and a later call uses it again,
/// so there are as many as calls have run at the same time.
///
/// A thread must not fork while another one is inside a method, `make` and `call` excepted. Python ensures this:
/// methods are called with the GIL, and a build without it stops attached threads before a fork.
#[derive(Debug)]
pub struct Pool<T> {
    idle: Mutex<Idle<T>>,
    /// Of the process: another number in a child.
    generation: fn() -> u64,
}

/// Things that no call uses.
#[derive(Debug)]
struct Idle<T> {
    things: Vec<T>,
    /// Of the process that made them.
    generation: u64,
}

impl<T> Pool<T> {
    /// A pool with one thing. `generation` returns another number after a fork.
    pub fn new(first: T, generation: fn() -> u64) -> Self {
        Pool { idle: Mutex::new(Idle { things: vec![first], generation: generation() }), generation }
    }

    /// Calls `call` with a thing that no other call uses; `make` makes one if all are in use. A later call gets the
    /// thing, whether or not this one fails; but not if this one panics, or forks and goes on in the child: a thing may
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
        let mut thing = self.of(generation, |things| things.pop()).map_or_else(make, Ok)?;
        let done = call(&mut thing);
        match (self.generation)() == generation {
            true => self.of(generation, |things| things.push(thing)),
            false => std::mem::forget(thing),
        }
        done
    }

    /// The number of things that no call uses.
    pub fn idle(&self) -> usize {
        self.of((self.generation)(), |things| things.len())
    }

    /// Uses the idle things of this process. It forgets its parent's things and does not drop them, which would end
    /// threads that this process does not have.
    fn of<R>(&self, generation: u64, f: impl FnOnce(&mut Vec<T>) -> R) -> R {
        // A list is whole between two statements, so a panic does it no harm.
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.generation != generation {
            std::mem::take(&mut idle.things).into_iter().for_each(std::mem::forget);
            idle.generation = generation;
        }
        f(&mut idle.things)
    }
}
