//! The thread pool of the process, which [`parallel_for`] uses.
//!
//! Only one call can use the pool at a time. While it runs, other calls (from another thread, or from inside a body)
//! run all their chunks on the calling thread, so no call waits for another one.
//!
//! ```text
//! worker   IDLE ──(spins in vain)──► PARKED        caller   offers:  any ► OFFERED, wakes a parked one
//!            ▲                          │                   works
//!            │                          ▼                   revokes: OFFERED ► IDLE
//!         RUNNING ◄─────────────── OFFERED                  waits until `pending` is 0
//! ```
//! The chunks of a call are divided into consecutive parts, one per thread. A thread runs its part first, and then
//! chunks of other parts that no thread has started. So its results stay in its caches for the next call.
//!
//! `pending` counts the offers that are neither finished nor revoked. A worker touches the job only
//! between OFFERED ► RUNNING and its decrement of `pending`, and the caller returns only at zero, so a job can
//! be on the caller's stack. If a worker is slow to wake up, its offer is revoked instead of waiting for it.
//!
//! A child process has none of its parent's threads, so it gets a pool of its own, with workers that start in its first
//! call.
//!
//! Nothing here allocates once the workers have been started.

mod job;

use job::{IN_BODY, Job, LANES};
use std::fmt;
use std::hint::spin_loop;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicUsize};
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
    body: &(dyn Fn(Range<usize>) + Sync),
) -> Result<(), LoopPanic> {
    let mut job = Job::new(count, grain.max(1), body);
    let limit = match max_threads {
        0 => threads(),
        1 => 1,
        n => n.min(threads()),
    };
    let helpers = limit.min(job.chunks).saturating_sub(1);
    if helpers == 0 || IN_BODY.get() {
        job.work(0);
    } else if let Some(turn) = pool().try_take() {
        job.lanes = LANES.min(helpers + 1);
        turn.0.run(&job, helpers);
        drop(turn);
    } else {
        job.work(0);
    }
    if job.panicked.load(Relaxed) { Err(LoopPanic) } else { Ok(()) }
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

const IDLE: u8 = 0;
const PARKED: u8 = 1;
const OFFERED: u8 = 2;
const RUNNING: u8 = 3;

/// The pool of a process that was not forked.
static FIRST: Pool = Pool::new();
/// The pool of a child process; null before its first call.
static OWN: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());
/// Whether this process was forked since the last call.
static FORKED: AtomicBool = AtomicBool::new(false);
static LIMIT: AtomicUsize = AtomicUsize::new(0);

/// The pool of this process.
fn pool() -> &'static Pool {
    // If two threads come here first, one may still use its parent's pool. No worker accepts its offers, so it revokes
    // them and runs its chunks itself.
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

/// The state that the caller shares with one worker. Aligned to a pair of cache lines.
#[repr(align(128))]
struct Worker {
    state: AtomicU8,
    thread: OnceLock<Thread>,
}

struct Pool {
    taken: AtomicBool,
    /// Set by the caller before it makes an offer; read by workers that hold one.
    job: AtomicPtr<Job<'static>>,
    pending: OpenOffers,
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
            job: AtomicPtr::new(ptr::null_mut()),
            pending: OpenOffers::new(),
            started: AtomicUsize::new(0),
            workers: [const { Worker { state: AtomicU8::new(IDLE), thread: OnceLock::new() } };
                MAX_THREADS - 1],
        }
    }

    fn try_take(&'static self) -> Option<Turn> {
        self.taken.compare_exchange(false, true, Acquire, Relaxed).ok().map(|_| Turn(self))
    }

    /// Runs a job on this thread and up to `helpers` workers. The caller must hold the `Turn` of the pool.
    fn run(&'static self, job: &Job<'_>, helpers: usize) {
        let started = self.start_workers(helpers);
        let workers = self.workers.get(..helpers.min(started)).unwrap_or_default();
        self.job.store(ptr::from_ref(job).cast_mut().cast::<Job<'static>>(), Relaxed);
        self.pending.set(workers.len());
        workers.iter().for_each(Worker::offer);
        job.work(0);
        let revoked = workers.iter().filter(|worker| worker.revoke()).count();
        self.pending.finish(revoked);
        self.pending.wait();
        self.job.store(ptr::null_mut(), Relaxed);
    }

    /// Starts workers until `wanted` run or the system cannot start another one; returns how many run.
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
        loop {
            worker.await_offer();
            // SAFETY: this worker has gone from OFFERED to RUNNING, so the caller can no longer revoke the
            // offer and stays in `run`, with its job alive, until the `finish` below. `job` was stored before
            // the offer (release) that `await_offer` saw (acquire). The pointer comes from a reference, and
            // `Job` is only used through `&`; its fields are `Sync`.
            let job: &Job<'_> = unsafe { &*self.job.load(Relaxed) };
            job.work(thread);
            worker.state.store(IDLE, Release);
            self.pending.finish(1);
        }
    }
}

fn warn_once(have: usize, wanted: usize, error: &std::io::Error) {
    static WARNED: Once = Once::new();
    WARNED.call_once(|| tracing::warn!("cannot start thread {have} of {wanted}: {error}; using fewer"));
}

impl Worker {
    fn offer(&self) {
        if self.state.swap(OFFERED, AcqRel) == PARKED
            && let Some(thread) = self.thread.get()
        {
            thread.unpark();
        }
    }

    /// Revokes an offer. Returns whether it did: a worker may have accepted it already.
    fn revoke(&self) -> bool {
        self.state.compare_exchange(OFFERED, IDLE, AcqRel, Relaxed).is_ok()
    }

    fn accept(&self) -> bool {
        self.state.compare_exchange(OFFERED, RUNNING, AcqRel, Relaxed).is_ok()
    }

    /// Returns once an offer has been accepted: spins first, then parks.
    fn await_offer(&self) {
        loop {
            if spin_until(|| self.state.load(Relaxed) == OFFERED) {
                if self.accept() {
                    return;
                }
            } else if self.state.compare_exchange(IDLE, PARKED, AcqRel, Relaxed).is_ok() {
                while self.state.load(Relaxed) == PARKED {
                    thread::park();
                }
            }
        }
    }
}

/// The number of open offers, and a way to wait until it is zero.
#[repr(align(128))]
struct OpenOffers {
    open: AtomicUsize,
    /// Whether the caller sleeps on `ended`.
    asleep: Mutex<bool>,
    ended: Condvar,
}

impl OpenOffers {
    const fn new() -> Self {
        OpenOffers { open: AtomicUsize::new(0), asleep: Mutex::new(false), ended: Condvar::new() }
    }

    fn set(&self, offers: usize) {
        self.open.store(offers, Relaxed);
    }

    fn finish(&self, offers: usize) {
        // All writes of the worker happen before the caller loads the zero (acquire).
        if self.open.fetch_sub(offers, AcqRel) == offers && *self.lock() {
            self.ended.notify_one();
        }
    }

    fn wait(&self) {
        if spin_until(|| self.open.load(Acquire) == 0) {
            return;
        }
        let mut asleep = self.lock();
        *asleep = true;
        while self.open.load(Acquire) != 0 {
            asleep = self.ended.wait(asleep).unwrap_or_else(PoisonError::into_inner);
        }
        *asleep = false;
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.asleep.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Spins until `ready` or for [`SPIN`]; returns whether it became ready. Does not spin on a single processor.
fn spin_until(ready: impl Fn() -> bool) -> bool {
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
