use super::*;
use proptest::prelude::*;
use std::sync::atomic::AtomicU64;

fn sum(count: usize, grain: usize, max_threads: usize) -> u64 {
    let total = AtomicU64::new(0);
    let body = |range: Range<usize>| {
        total.fetch_add(range.map(|i| i as u64 + 1).sum(), Relaxed);
    };
    assert_eq!(parallel_for(count, grain, max_threads, &body), Ok(()));
    total.into_inner()
}

fn triangle(count: usize) -> u64 {
    count as u64 * (count as u64 + 1) / 2
}

fn chunks(count: usize, grain: usize, max_threads: usize) -> Vec<Range<usize>> {
    let seen = Mutex::new(Vec::new());
    let body = |range| seen.lock().unwrap().push(range);
    assert_eq!(parallel_for(count, grain, max_threads, &body), Ok(()));
    let mut seen = seen.into_inner().unwrap();
    seen.sort_by_key(|range| range.start);
    seen
}

proptest! {
    #[test]
    fn every_index_runs_once(count in 0usize..5000, grain in 0usize..600, max_threads in 0usize..9) {
        set_thread_limit(8);
        prop_assert_eq!(sum(count, grain, max_threads), triangle(count));
    }

    #[test]
    fn chunks_depend_on_count_and_grain_only(count in 0usize..300, grain in 0usize..40, max_threads in 0usize..9) {
        set_thread_limit(8);
        let step = grain.max(1);
        let expected: Vec<_> = (0..count).step_by(step).map(|i| i..(i + step).min(count)).collect();
        prop_assert_eq!(chunks(count, grain, max_threads), expected);
    }
}

#[test]
fn a_huge_grain_does_not_overflow() {
    assert_eq!(chunks(usize::MAX, usize::MAX - 1, 4), [0..usize::MAX - 1, usize::MAX - 1..usize::MAX]);
    assert_eq!(chunks(usize::MAX, usize::MAX, 4).len(), 1);
    assert_eq!(chunks(3, usize::MAX, 4), vec![Range { start: 0, end: 3 }]);
    assert_eq!(chunks(0, 1, 4), []);
}

#[test]
fn workers_take_part() {
    set_thread_limit(8);
    let (seen, start) = (Mutex::new(Vec::new()), Instant::now());
    while start.elapsed() < Duration::from_secs(20) {
        let body = |_| {
            let id = thread::current().id();
            let mut ids = seen.lock().unwrap();
            if !ids.contains(&id) {
                ids.push(id);
            }
            drop(ids);
            thread::sleep(Duration::from_millis(1));
        };
        assert_eq!(parallel_for(32, 1, 3, &body), Ok(()));
        if seen.lock().unwrap().len() > 1 {
            return;
        }
    }
    panic!("no worker took part");
}

#[test]
fn a_nested_call_stays_on_its_thread() {
    set_thread_limit(8);
    let (total, strangers) = (AtomicU64::new(0), AtomicUsize::new(0));
    let outer = |outer: Range<usize>| {
        let own = thread::current().id();
        let inner = |inner: Range<usize>| {
            strangers.fetch_add(usize::from(thread::current().id() != own), Relaxed);
            total.fetch_add((outer.len() * inner.len()) as u64, Relaxed);
        };
        assert_eq!(parallel_for(100, 7, 0, &inner), Ok(()));
    };
    assert_eq!(parallel_for(64, 3, 0, &outer), Ok(()));
    assert_eq!((total.into_inner(), strangers.into_inner()), (6400, 0));
}

#[test]
fn a_panic_is_an_error_and_the_pool_lives() {
    set_thread_limit(8);
    for bad in 0..40usize {
        let body = |range: Range<usize>| {
            if range.contains(&bad) {
                std::panic::resume_unwind(Box::new("bad chunk"));
            }
        };
        assert_eq!(parallel_for(40, 1, 0, &body), Err(LoopPanic), "chunk {bad}");
        assert_eq!(sum(1000, 10, 0), triangle(1000));
    }
    assert!(!IN_BODY.get());
}

#[test]
fn a_panic_abandons_the_chunks_that_have_not_begun() {
    let ran = AtomicUsize::new(0);
    let body = |_| {
        ran.fetch_add(1, Relaxed);
        std::panic::resume_unwind(Box::new("first chunk"));
    };
    assert_eq!(parallel_for(1000, 1, 1, &body), Err(LoopPanic));
    assert_eq!(ran.into_inner(), 1);
}

#[test]
fn a_payload_that_panics_when_dropped_is_survived() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            std::panic::resume_unwind(Box::new("again"));
        }
    }
    let body = |_| std::panic::resume_unwind(Box::new(Bomb));
    assert_eq!(parallel_for(1, 1, 1, &body), Err(LoopPanic));
    assert_eq!(parallel_for(100, 1, 0, &body), Err(LoopPanic));
    assert_eq!(sum(1000, 10, 0), triangle(1000));
}

#[test]
fn a_nested_panic_reaches_the_nested_caller_only() {
    set_thread_limit(8);
    let failed = AtomicUsize::new(0);
    let outer = |_| {
        let inner = parallel_for(4, 1, 0, &|_| std::panic::resume_unwind(Box::new("inner")));
        failed.fetch_add(usize::from(inner == Err(LoopPanic)), Relaxed);
    };
    assert_eq!(parallel_for(20, 1, 0, &outer), Ok(()));
    assert_eq!(failed.into_inner(), 20);
}

#[test]
fn concurrent_callers_all_get_their_sums() {
    set_thread_limit(8);
    thread::scope(|scope| {
        for caller in 0..6usize {
            scope.spawn(move || {
                for round in 0..1500 {
                    let count = (caller * 131 + round * 17) % 700;
                    assert_eq!(sum(count, 1 + round % 9, round % 5), triangle(count));
                }
            });
        }
    });
}

#[test]
fn workers_wake_after_a_long_pause() {
    set_thread_limit(8);
    for _ in 0..40 {
        thread::sleep(SPIN * 8);
        assert_eq!(sum(64, 1, 0), triangle(64));
    }
}

/// `cargo test --release -p arenite-runtime wake_up -- --ignored --nocapture`
#[test]
#[ignore = "prints a measurement; has no verdict"]
fn wake_up_time() {
    set_thread_limit(0);
    for (pause, rounds) in [(Duration::ZERO, 20_000), (SPIN * 20, 500)] {
        let mut times: Vec<_> = (0..rounds)
            .map(|_| {
                thread::sleep(pause);
                let (start, late) = (Instant::now(), AtomicU64::new(0));
                let caller = thread::current().id();
                let body = |_| {
                    if thread::current().id() != caller {
                        late.store(start.elapsed().as_nanos() as u64, Relaxed);
                    } else {
                        while late.load(Relaxed) == 0 && start.elapsed() < Duration::from_millis(5) {
                            spin_loop();
                        }
                    }
                };
                assert_eq!(parallel_for(2, 1, 2, &body), Ok(()));
                late.into_inner()
            })
            .collect();
        times.sort_unstable();
        println!("after {pause:?}: median {} ns, p90 {} ns", times[rounds / 2], times[rounds * 9 / 10]);
    }
}
