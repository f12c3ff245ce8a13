//! The thread pool of the process, which [`parallel_for`] uses.
//!
//! Only one call can use the pool at a time. While it runs, other calls (from another thread, or from inside a body)
//! run all their chunks on the calling thread, so no call waits for another one.
//!
//! ```text
//! caller   posts a job, wakes parked workers ─► claims and runs chunks ─► waits until all claimed chunks have run
//! worker   sees the job's number ─────────────► claims and runs chunks ─► adds how many it ran
//!            ▲                                                                  │
//!            └──────────── spins, and parks if that is in vain ◄────────────────┘
//! ```
//! The chunks of a call are divided into consecutive parts, one per thread. A thread runs its part first, and then
//! chunks of other parts that no thread has claimed. So its results stay in its caches for the next call.
//!
//! A worker uses the body only while it has claimed a chunk, and the caller returns only after all chunks have run, so
//! a body can be on the caller's stack. Claims contain the job's number: a worker that is slow to wake up finds all
//! chunks claimed, and no call waits for it.
//!
//! A child process has none of its parent's threads, so it gets a pool of its own, with workers that start in its first
//! call.
//!
//! Nothing here allocates once the workers have been started.

mod board;
mod job;

use board::Board;
use job::{Body, IN_BODY, Job, LANES, Lane, MOST_CHUNKS, Within, run_alone};
use std::fmt;
use std::hint::spin_loop;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, fence};
use std::sync::{Condvar, Mutex, MutexGuard, Once, OnceLock, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// The maximum number of threads that one call can use, including the caller.
pub const MAX_THREADS: usize = 256;

/// The body of a [`parallel_for`] panicked. Some chunks may not have run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopPanic;

impl fmt::Display for LoopPanic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the body of a parallel loop panicked; its remaining chunks were abandoned")
    }
}

impl std::error::Error for LoopPanic {}

/// Runs `body` over `0..count`, divided into the chunks `i * grain..min((i + 1) * grain, count)`. Each chunk
/// runs exactly once, in no fixed order, on one of at most `max_threads` threads including the calling thread
/// (0 means no limit other than [`threads`]). The chunks depend on `count` and `grain` only, so a body that
/// writes per-chunk results produces the same bytes for any number of threads. A `grain` of 0 counts as 1.
///
/// When this returns, all chunks have run and their writes are visible to the caller. A call from inside a
/// body, or while another thread uses the pool, runs on the calling thread only.
///
/// # Errors
/// [`LoopPanic`] if the body panicked in any chunk; chunks that were not started are skipped. The pool stays usable.
pub fn parallel_for(
    count: usize,
    grain: usize,
    max_threads: usize,
    body: &(impl Fn(Range<usize>) + Sync),
) -> Result<(), LoopPanic> {
    let grain = grain.max(1);
    let most = MOST_CHUNKS.saturating_mul(grain);
    if count <= most {
        return run_chunks(count, grain, max_threads, body);
    }
    (0..count).step_by(most).try_for_each(|first| {
        let shifted = |range: Range<usize>| body(first + range.start..first + range.end);
        run_chunks(most.min(count - first), grain, max_threads, &shifted)
    })
}

/// [`parallel_for`] of at most [`MOST_CHUNKS`] chunks.
fn run_chunks(
    count: usize,
    grain: usize,
    max_threads: usize,
    body: &(impl Fn(Range<usize>) + Sync),
) -> Result<(), LoopPanic> {
    let limit = match max_threads {
        0 => threads(),
        1 => 1,
        n => n.min(threads()),
    };
    let is_done = if limit <= 1 || count <= grain || IN_BODY.get() {
        run_alone(count, grain, body)
    } else if let Some((turn, number)) = pool().try_take() {
        let chunks = count.div_ceil(grain);
        let helpers = limit.min(chunks) - 1;
        let lanes = LANES.min(helpers + 1);
        turn.0.run(&Job { number, body: Body::of(body), count, grain, chunks, lanes }, helpers)
    } else {
        run_alone(count, grain, body)
    };
    if is_done { Ok(()) } else { Err(LoopPanic) }
}

/// The maximum number of threads of a call: the limit set by [`set_thread_limit`], by default one for each
/// processor that this process can use.
pub fn threads() -> usize {
    match LIMIT.load(Relaxed) {
        0 => processors(),
        limit => limit,
    }
}

/// Sets the maximum number of threads of later calls in the whole process, including the caller: 1 turns the
/// pool off, 0 restores the default. Values above [`MAX_THREADS`] are lowered to it. If the limit decreases,
/// running threads are parked, not stopped.
pub fn set_thread_limit(limit: usize) {
    LIMIT.store(limit.min(MAX_THREADS), Relaxed);
}

/// The time that a thread spins, waiting for the next job or the end of the current one, before it sleeps. Longer
/// than the pause between two nodes of a model, so that workers stay awake during an invocation.
const SPIN: Duration = Duration::from_micros(50);

/// The pool of a process that was not forked.
static FIRST: Pool = Pool::new();
/// The pool of a child process; null before its first call.
static OWN: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());
/// Whether this process was forked since the last call.
static FORKED: AtomicBool = AtomicBool::new(false);
static LIMIT: AtomicUsize = AtomicUsize::new(0);

/// The pool of this process.
fn pool() -> &'static Pool {
    // If two threads come here first, one may still use its parent's pool. It has no workers, so that thread runs all
    // its chunks itself.
    if FORKED.load(Relaxed) && FORKED.swap(false, AcqRel) {
        OWN.store(Box::leak(Box::new(Pool::new())), Release);
    }
    // SAFETY: the pointer is null or was stored above, with a pool that is never freed.
    unsafe { OWN.load(Acquire).as_ref() }.unwrap_or(&FIRST)
}

/// Has children of this process know that they are.
#[cfg(unix)]
fn watch_forks() {
    static IS_WATCHED: AtomicBool = AtomicBool::new(false);

    extern "C" fn in_child() {
        FORKED.store(true, Relaxed);
    }

    if !IS_WATCHED.swap(true, Relaxed) {
        // SAFETY: the handler stores to an atomic, which a child may do before `exec`. The C library forgets it when it
        // unloads the library that contains it. If there is no memory for it, children run on one thread.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    }
}

#[cfg(not(unix))]
fn watch_forks() {}

fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| thread::available_parallelism().map_or(1, |n| n.get().min(MAX_THREADS)))
}

/// A worker. Aligned to a pair of cache lines.
#[repr(align(128))]
struct Worker {
    /// Whether it sleeps, or is about to, until the caller takes this back.
    is_parked: AtomicBool,
    thread: OnceLock<Thread>,
}

struct Pool {
    taken: AtomicBool,
    board: Board,
    lanes: [Lane; LANES],
    ran: Ran,
    /// The value of `ran` after the last job.
    expected: AtomicUsize,
    /// Workers `0..started` run and have their `thread` set. Only the call that uses the pool changes this.
    started: AtomicUsize,
    workers: [Worker; MAX_THREADS - 1],
}

/// Releases the pool on drop.
struct Turn(&'static Pool);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.taken.store(false, Release);
    }
}

impl Pool {
    const fn new() -> Self {
        Pool {
            taken: AtomicBool::new(false),
            board: Board::new(),
            lanes: [const { Lane::new() }; LANES],
            ran: Ran::new(),
            expected: AtomicUsize::new(0),
            started: AtomicUsize::new(0),
            workers: [const { Worker { is_parked: AtomicBool::new(false), thread: OnceLock::new() } };
                MAX_THREADS - 1],
        }
    }

    /// Takes the pool for a job of this number, if no other call uses it.
    fn try_take(&'static self) -> Option<(Turn, u64)> {
        self.taken.compare_exchange(false, true, Acquire, Relaxed).ok()?;
        let turn = Turn(self);
        self.board.next_number().map(|number| (turn, number))
    }

    /// Runs a job on this thread and up to `helpers` workers; returns whether no chunk panicked. The caller must hold
    /// the `Turn` of the pool, and the body must outlive the call.
    fn run(&'static self, job: &Job, helpers: usize) -> bool {
        let started =
            if self.started.load(Relaxed) < helpers { self.start_workers(helpers) } else { helpers };
        self.board.post(job, helpers);
        // A worker parks only if it does not see the job after it has set `is_parked`: either it sees the job, or this
        // thread sees that it parks.
        fence(SeqCst);
        self.workers.iter().take(helpers.min(started)).for_each(Worker::wake);
        let within = Within::begin();
        // SAFETY: the caller keeps the body, which is callable until all chunks have run: `wait` returns then, and no
        // panic leaves `work`. `try_take` gave this call a unique number.
        let own = unsafe { job.work(&self.lanes, &self.board.panicked, 0) };
        drop(within);
        let expected = self.expected.load(Relaxed).wrapping_add(job.chunks - own);
        self.expected.store(expected, Relaxed);
        self.ran.wait(expected);
        !self.board.panicked.load(Relaxed)
    }

    /// Starts workers until `wanted` run or the system cannot start another one; returns how many run.
    #[cold]
    fn start_workers(&'static self, wanted: usize) -> usize {
        let running = self.started.load(Relaxed);
        if running == 0 {
            watch_forks();
        }
        for (index, worker) in self.workers.iter().enumerate().take(wanted).skip(running) {
            let builder = thread::Builder::new().name(format!("arenite-{}", index + 1));
            match builder.spawn(move || self.serve(worker, index + 1)) {
                Ok(handle) => {
                    worker.thread.get_or_init(|| handle.thread().clone());
                    self.started.store(index + 1, Relaxed);
                }
                Err(error) => {
                    warn_once(index + 1, wanted + 1, &error);
                    break;
                }
            }
        }
        self.started.load(Relaxed)
    }

    /// The main loop of a worker, which is thread `thread` of its jobs.
    fn serve(&self, worker: &Worker, thread: usize) {
        let _within = Within::begin();
        let mut seen = 0;
        loop {
            let job = self.await_job(worker, thread, &mut seen);
            // SAFETY: the caller of the job returns only after all its chunks have run, and keeps the body until then.
            // Each call that uses the pool has a unique number.
            let ran = unsafe { job.work(&self.lanes, &self.board.panicked, thread) };
            if ran > 0 {
                self.ran.add(ran);
            }
        }
    }

    /// The next job that worker `thread` may join, after number `seen`: spins first, then parks.
    fn await_job(&self, worker: &Worker, thread: usize, seen: &mut u64) -> Job {
        let mut next = None;
        loop {
            let is_ready = spin_until(|| {
                if self.board.has_news(*seen)
                    && let Some((job, helpers)) = self.board.read()
                {
                    *seen = job.number;
                    next = (thread <= helpers).then_some(job);
                }
                next.is_some()
            });
            match next {
                Some(job) if is_ready => return job,
                _ => worker.park_unless(|| self.board.has_news(*seen)),
            }
        }
    }
}

fn warn_once(have: usize, wanted: usize, error: &std::io::Error) {
    static WARNED: Once = Once::new();
    WARNED.call_once(|| tracing::warn!("cannot start thread {have} of {wanted}: {error}; using fewer"));
}

impl Worker {
    /// Wakes it if it is parked.
    fn wake(&self) {
        if self.is_parked.load(Relaxed)
            && self.is_parked.swap(false, AcqRel)
            && let Some(thread) = self.thread.get()
        {
            thread.unpark();
        }
    }

    /// Sleeps until the caller wakes it, unless `has_news` by then.
    fn park_unless(&self, has_news: impl Fn() -> bool) {
        self.is_parked.store(true, Relaxed);
        fence(SeqCst);
        if has_news() {
            self.is_parked.store(false, Relaxed);
        }
        while self.is_parked.load(Acquire) {
            thread::park();
        }
    }
}

/// How many chunks workers have run since the pool began, and a way to wait for them.
#[repr(align(128))]
struct Ran {
    chunks: AtomicUsize,
    /// Whether the caller sleeps on `ended`, or is about to.
    is_asleep: AtomicBool,
    lock: Mutex<()>,
    ended: Condvar,
}

impl Ran {
    const fn new() -> Self {
        Ran {
            chunks: AtomicUsize::new(0),
            is_asleep: AtomicBool::new(false),
            lock: Mutex::new(()),
            ended: Condvar::new(),
        }
    }

    /// Adds chunks. All writes of the worker happen before the caller sees the sum.
    fn add(&self, chunks: usize) {
        self.chunks.fetch_add(chunks, SeqCst);
        // Either this sees that the caller sleeps, or the caller sees the sum before it does.
        if self.is_asleep.load(SeqCst) {
            drop(self.lock());
            self.ended.notify_one();
        }
    }

    /// Waits until the sum is `expected`.
    fn wait(&self, expected: usize) {
        if spin_until(|| self.chunks.load(Acquire) == expected) {
            return;
        }
        self.is_asleep.store(true, SeqCst);
        let mut guard = self.lock();
        while self.chunks.load(SeqCst) != expected {
            guard = self.ended.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        drop(guard);
        self.is_asleep.store(false, Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Spins until `ready` or for [`SPIN`]; returns whether it became ready. Does not spin on a single processor.
fn spin_until(mut ready: impl FnMut() -> bool) -> bool {
    const PAUSES_PER_LOOK_AT_THE_CLOCK: u32 = 64;
    if ready() {
        return true;
    }
    if processors() == 1 {
        return false;
    }
    let start = Instant::now();
    loop {
        for _ in 0..PAUSES_PER_LOOK_AT_THE_CLOCK {
            spin_loop();
            if ready() {
                return true;
            }
        }
        if start.elapsed() >= SPIN {
            return false;
        }
    }
}

#[cfg(test)]
mod tests;
