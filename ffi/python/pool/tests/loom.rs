//! The pool and the forks, with Loom's locks: each model runs in all orders of its threads' steps.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;

use loom::lazy_static;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicUsize};
use loom::thread;

use forks::Forks;
use pool::Pool;

#[allow(unreachable_pub, reason = "it is public in the crate")]
#[path = "../src/forks.rs"]
mod forks;
#[allow(unreachable_pub, reason = "it is public in the crate")]
#[path = "../src/pool.rs"]
mod pool;

mod sync {
    pub(crate) use loom::sync::atomic::AtomicU64;
    pub(crate) use loom::sync::{Mutex, RwLock, RwLockWriteGuard};
    pub(crate) use loom::thread_local;
}

lazy_static! {
    static ref FORKS: Forks = Forks::new();
    /// Items that were made, and items that were dropped.
    static ref MADE: AtomicUsize = AtomicUsize::new(0);
    static ref DROPPED: AtomicUsize = AtomicUsize::new(0);
}

/// An item that only one thread may use.
struct Item {
    is_used: AtomicBool,
}

impl Item {
    fn new() -> Self {
        MADE.fetch_add(1, Relaxed);
        Item { is_used: AtomicBool::new(false) }
    }

    /// Fails if another thread uses the item at the same time.
    fn work(&mut self) {
        assert!(!self.is_used.swap(true, Relaxed), "two calls have the same item");
        thread::yield_now();
        self.is_used.store(false, Relaxed);
    }
}

impl Drop for Item {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Relaxed);
    }
}

fn pool() -> Pool<Item> {
    Pool::new(Item::new(), || FORKS.generation())
}

fn made() -> Result<Item, String> {
    Ok(Item::new())
}

fn call(pool: &Pool<Item>) {
    let done: Result<(), String> = pool.with(made, |item| {
        item.work();
        Ok(())
    });
    done.expect("the call succeeds");
}

/// Runs a model with at most three changes of threads against their will, which find nearly all errors.
fn explore(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

#[test]
fn calls_at_the_same_time_have_items_of_their_own() {
    explore(|| {
        let pool = Arc::new(pool());
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let pool = Arc::clone(&pool);
                thread::spawn(move || (0..2).for_each(|_| call(&pool)))
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().expect("no call fails"));
        let made = MADE.load(Relaxed);
        assert!(made <= 2, "{made} items for two calls at a time");
        assert_eq!(pool.idle(), made, "each comes back");
        assert_eq!(DROPPED.load(Relaxed), 0);
    });
}

#[test]
fn a_call_that_fails_gives_its_item_back() {
    explore(|| {
        let pool = Arc::new(pool());
        let failing = Arc::clone(&pool);
        let cancelled = thread::spawn(move || {
            let done: Result<(), &str> = failing.with(|| Ok(Item::new()), |_| Err("cancelled"));
            assert_eq!(done, Err("cancelled"));
        });
        call(&pool);
        cancelled.join().expect("an error is no panic");
        assert_eq!(pool.idle(), MADE.load(Relaxed));
        let refused: Result<(), &str> = pool.with(
            || Err("no memory"),
            |_| pool.with(|| Err("no memory"), |_| pool.with(|| Err("no memory"), |_| Ok(()))),
        );
        assert_eq!(refused, Err("no memory"), "there are two items at most");
        assert_eq!(pool.idle(), MADE.load(Relaxed));
    });
}

#[test]
fn a_call_that_panics_drops_its_item() {
    explore(|| {
        let pool = Arc::new(pool());
        let panicking = Arc::clone(&pool);
        let panicked = thread::spawn(move || {
            let call = || {
                panicking.with(made, |_| -> Result<(), String> { std::panic::resume_unwind(Box::new(())) })
            };
            assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
        });
        call(&pool);
        panicked.join().expect("the panic is caught");
        assert_eq!(DROPPED.load(Relaxed), 1);
        assert_eq!(pool.idle(), MADE.load(Relaxed) - 1);
        call(&pool);
    });
}

#[test]
fn a_child_uses_nothing_of_its_parent() {
    explore(|| {
        let pool = pool();
        let within: Result<(), String> = pool.with(made, |_| {
            FORKS.enter_child();
            call(&pool);
            Ok(())
        });
        within.expect("the call goes on in the child");
        assert_eq!((MADE.load(Relaxed), pool.idle()), (2, 1), "the call in the child made another one");
        FORKS.enter_child();
        assert_eq!(pool.idle(), 0);
        call(&pool);
        assert_eq!((MADE.load(Relaxed), pool.idle()), (3, 1));
        assert_eq!(DROPPED.load(Relaxed), 0, "what the parent made is forgotten");
    });
}

#[test]
fn a_fork_waits_for_work_that_delays_it() {
    explore(|| {
        let locked = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let locked = Arc::clone(&locked);
                thread::spawn(move || {
                    FORKS.delay(|| {
                        locked.fetch_add(1, Relaxed);
                        // Work within work, as of a model that a custom op calls.
                        FORKS.delay(thread::yield_now);
                        locked.fetch_sub(1, Relaxed);
                    });
                })
            })
            .collect();
        let fork = FORKS.begin();
        assert_eq!(locked.load(Relaxed), 0, "a child would wait for this lock forever");
        FORKS.enter_child();
        drop(fork);
        threads.into_iter().for_each(|thread| thread.join().expect("no thread fails"));
        assert_eq!(FORKS.generation(), 1);
    });
}

#[test]
fn a_fork_within_such_work_does_not_wait_for_itself() {
    explore(|| {
        FORKS.delay(|| drop(FORKS.begin()));
        let panics = || FORKS.delay(|| std::panic::resume_unwind(Box::new(())));
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        let other = thread::spawn(|| FORKS.delay(|| ()));
        drop(FORKS.begin());
        other.join().expect("no thread fails");
    });
}
