//! The chunks of one call, and which thread runs them.

use std::any::Any;
use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};

thread_local! {
    pub(super) static IN_BODY: Cell<bool> = const { Cell::new(false) };
}

/// One call of [`parallel_for`](super::parallel_for), on the caller's stack.
pub(super) struct Job<'a> {
    body: &'a (dyn Fn(Range<usize>) + Sync),
    count: usize,
    grain: usize,
    pub(super) chunks: usize,
    /// The number of parts that the chunks are divided into, one per thread if they are few; at most [`LANES`].
    pub(super) lanes: usize,
    /// The number of chunks of each part that have been started.
    started: [Started; LANES],
    pub(super) panicked: AtomicBool,
}

/// The most parts of a job.
pub(super) const LANES: usize = 8;

/// A counter in a separate cache line.
#[derive(Default)]
#[repr(align(64))]
struct Started(AtomicUsize);

impl<'a> Job<'a> {
    pub(super) fn new(count: usize, grain: usize, body: &'a (dyn Fn(Range<usize>) + Sync)) -> Self {
        let (started, panicked) = (<[Started; LANES]>::default(), AtomicBool::new(false));
        Job { body, count, grain, chunks: count.div_ceil(grain), lanes: 1, started, panicked }
    }

    /// Runs chunks until all are started or one has panicked. Thread 0 is the caller.
    pub(super) fn work(&self, thread: usize) {
        let outer = IN_BODY.replace(true);
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| self.run_chunks(thread))) {
            self.panicked.store(true, Relaxed);
            discard(payload);
        }
        IN_BODY.set(outer);
    }

    fn run_chunks(&self, thread: usize) {
        for i in 0..self.lanes {
            self.run_lane((thread + i) % self.lanes);
        }
    }

    /// Runs chunks of a part until all are started or one has panicked.
    fn run_lane(&self, lane: usize) {
        let (chunks, started) = (self.lane(lane), &self.started[lane]);
        while !self.panicked.load(Relaxed) {
            let chunk = chunks.start.saturating_add(started.0.fetch_add(1, Relaxed));
            if chunk >= chunks.end {
                return;
            }
            // chunk < chunks = ceil(count / grain), so chunk * grain < count.
            let start = chunk * self.grain;
            (self.body)(start..start.saturating_add(self.grain).min(self.count));
        }
    }

    /// The chunks of a part.
    fn lane(&self, lane: usize) -> Range<usize> {
        let (size, longer) = (self.chunks / self.lanes, self.chunks % self.lanes);
        let start = |lane: usize| size * lane + longer.min(lane);
        start(lane)..start(lane + 1)
    }
}

/// Drops the payload of a panic. If `drop` panics too, the payload of that second panic is leaked.
fn discard(payload: Box<dyn Any + Send>) {
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(second);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_thread_runs_its_own_chunks_first() {
        for thread in 0..7 {
            let seen = Mutex::new(Vec::new());
            let body = |chunk: Range<usize>| seen.lock().unwrap().push(chunk.start);
            let mut job = Job::new(11, 1, &body);
            job.lanes = 3;
            job.work(thread);
            let order = match thread % 3 {
                0 => [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
                1 => [4, 5, 6, 7, 8, 9, 10, 0, 1, 2, 3],
                _ => [8, 9, 10, 0, 1, 2, 3, 4, 5, 6, 7],
            };
            assert_eq!(*seen.lock().unwrap(), order, "thread {thread}");
        }
    }
}
