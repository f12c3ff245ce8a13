//! The chunks of one call, and how threads claim them.

use std::any::Any;
use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicU64};

thread_local! {
    pub(super) static IN_BODY: Cell<bool> = const { Cell::new(false) };
}

/// A function of a range. It may be kept after the function's end, but not called then.
#[derive(Clone, Copy)]
pub(super) struct Body {
    pub(super) call: Call,
    pub(super) argument: *const (),
}

/// Calls the function that the argument points to.
pub(super) type Call = unsafe fn(*const (), Range<usize>);

impl Body {
    pub(super) fn of<F: Fn(Range<usize>) + Sync>(body: &F) -> Body {
        unsafe fn call<F: Fn(Range<usize>) + Sync>(argument: *const (), range: Range<usize>) {
            // SAFETY: the argument comes from a reference to `F` in `of`, and the caller says that it is still valid.
            // Several threads may use it, as `F` is `Sync`.
            let body = unsafe { &*argument.cast::<F>() };
            body(range);
        }
        Body { call: call::<F>, argument: ptr::from_ref(body).cast() }
    }
}

/// One call of [`parallel_for`](super::parallel_for), as all its threads see it.
#[derive(Clone, Copy)]
pub(super) struct Job {
    /// Larger than the number of any earlier job of the pool; even.
    pub(super) number: u64,
    pub(super) body: Body,
    pub(super) count: usize,
    pub(super) grain: usize,
    /// At most [`MOST_CHUNKS`].
    pub(super) chunks: usize,
    /// The number of parts that the chunks are divided into, one per thread if they are few; at most [`LANES`].
    pub(super) lanes: usize,
}

/// The most parts of a job.
pub(super) const LANES: usize = 8;
/// The most chunks of a job: a [`Lane`] counts them in 16 bits.
pub(super) const MOST_CHUNKS: usize = u16::MAX as usize;
/// The largest number of a job: the other bits of a lane. At a job per microsecond, a pool reaches it in four years.
pub(super) const LAST_JOB: u64 = (1 << (u64::BITS - COUNTED)) - 2;
/// The bits of a lane that count chunks.
const COUNTED: u32 = u16::BITS;

/// How many chunks of a part have been claimed in the latest job that claimed any, behind that job's number. In
/// separate cache lines.
#[repr(align(128))]
pub(super) struct Lane(AtomicU64);

impl Lane {
    pub(super) const fn new() -> Lane {
        Lane(AtomicU64::new(0))
    }

    /// Claims the next of `chunks` chunks of a job. Returns `None` if all are claimed, also if the job has ended: all
    /// its chunks are claimed then, and perhaps chunks of later jobs.
    fn claim(&self, number: u64, chunks: usize) -> Option<usize> {
        let next = |seen: u64| match seen >> COUNTED {
            job if job < number => Some(0),
            job if job > number => None,
            _ => Some(seen as usize & MOST_CHUNKS).filter(|&claimed| claimed < chunks),
        };
        let claimed = |seen| next(seen).map(|chunk| number << COUNTED | (chunk as u64 + 1));
        next(self.0.fetch_update(AcqRel, Relaxed, claimed).ok()?)
    }
}

impl Job {
    /// Claims chunks and runs them until all are claimed; after a panic, claimed chunks are not run. Returns how many
    /// this thread claimed. Thread 0 is the caller.
    ///
    /// # Safety
    /// The body must be callable until all chunks of the job have been claimed and run. There must be a lane for each
    /// part, which no two jobs of one number use.
    pub(super) unsafe fn work(&self, lanes: &[Lane; LANES], panicked: &AtomicBool, thread: usize) -> usize {
        let mut ran = 0;
        for i in 0..self.lanes {
            let lane = (thread + i) % self.lanes;
            let chunks = self.lane(lane);
            while let Some(chunk) = lanes[lane].claim(self.number, chunks.len()) {
                ran += 1;
                if panicked.load(Relaxed) {
                    continue;
                }
                // SAFETY: a chunk is claimed and has not run, so the body is callable.
                let run =
                    || unsafe { (self.body.call)(self.body.argument, self.range(chunks.start + chunk)) };
                if let Err(payload) = catch_unwind(AssertUnwindSafe(run)) {
                    panicked.store(true, Relaxed);
                    discard(payload);
                }
            }
        }
        ran
    }

    /// The indices of a chunk.
    fn range(&self, chunk: usize) -> Range<usize> {
        // chunk < chunks = ceil(count / grain), so chunk * grain < count.
        let start = chunk * self.grain;
        start..start.saturating_add(self.grain).min(self.count)
    }

    /// The chunks of a part.
    fn lane(&self, lane: usize) -> Range<usize> {
        let (size, longer) = (self.chunks / self.lanes, self.chunks % self.lanes);
        let start = |lane: usize| size * lane + longer.min(lane);
        start(lane)..start(lane + 1)
    }
}

/// Runs all chunks on this thread. Returns whether none panicked; the ones after the first panic do not run.
pub(super) fn run_alone(count: usize, grain: usize, body: &impl Fn(Range<usize>)) -> bool {
    let _within = Within::begin();
    let run = || {
        let mut start = 0;
        while start < count {
            let end = start.saturating_add(grain).min(count);
            body(start..end);
            start = end;
        }
    };
    catch_unwind(AssertUnwindSafe(run)).map_err(discard).is_ok()
}

/// The time in which this thread runs bodies.
pub(super) struct Within {
    was: bool,
    /// Of this thread.
    _local: PhantomData<*const ()>,
}

impl Within {
    pub(super) fn begin() -> Within {
        Within { was: IN_BODY.replace(true), _local: PhantomData }
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        IN_BODY.set(self.was);
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

    /// The first index of each chunk that `thread` runs alone in a job of 11 chunks.
    fn order(lanes: &[Lane; LANES], number: u64, thread: usize) -> Vec<usize> {
        let seen = Mutex::new(Vec::new());
        let body = |chunk: Range<usize>| seen.lock().unwrap().push(chunk.start);
        let job = Job { number, body: Body::of(&body), count: 11, grain: 1, chunks: 11, lanes: 3 };
        // SAFETY: the body lives until the end of this function, which is longer than the call.
        let ran = unsafe { job.work(lanes, &AtomicBool::new(false), thread) };
        let seen = seen.into_inner().unwrap();
        assert_eq!(ran, seen.len());
        seen
    }

    #[test]
    fn a_thread_runs_its_own_chunks_first() {
        let lanes = [const { Lane::new() }; LANES];
        for thread in 0..7 {
            let expected = match thread % 3 {
                0 => [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
                1 => [4, 5, 6, 7, 8, 9, 10, 0, 1, 2, 3],
                _ => [8, 9, 10, 0, 1, 2, 3, 4, 5, 6, 7],
            };
            assert_eq!(order(&lanes, 2 * thread as u64 + 2, thread), expected, "thread {thread}");
        }
    }

    #[test]
    fn a_late_thread_claims_no_chunk_of_a_job_that_has_ended() {
        let lanes = [const { Lane::new() }; LANES];
        assert_eq!(order(&lanes, 2, 0).len(), 11);
        assert!(order(&lanes, 2, 1).is_empty(), "its own number");
        assert_eq!(order(&lanes, LAST_JOB, 0).len(), 11);
        assert!(order(&lanes, 4, 1).is_empty(), "an earlier number");
    }
}
