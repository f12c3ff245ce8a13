//! The allocator counts allocations of all threads.

use arenite_limits::Heap;

#[global_allocator]
static HEAP: Heap = Heap;

#[test]
fn memory_is_counted_until_it_is_freed() {
    let before = Heap::used();
    let near = |bytes: usize, wanted: usize| bytes.abs_diff(wanted) < 128 << 10;
    let mut large = vec![1u8; 4 << 20];
    assert!(near(Heap::used(), before + (4 << 20)), "{} after {before}", Heap::used());
    large.resize(16 << 20, 1);
    assert!(near(Heap::used(), before + (16 << 20)), "{} after {before}", Heap::used());
    drop(large);
    let small: Vec<Box<u8>> = std::thread::spawn(|| (0..100_000).map(|i| Box::new(i as u8)).collect())
        .join()
        .expect("the thread ends");
    // A box of one byte uses 32. The list uses 8 per box, and up to twice that while it grows.
    let taken = Heap::used() - before;
    assert!((3_900_000..5_000_000).contains(&taken), "{taken}");
    drop(small);
    assert!(near(Heap::used(), before), "{} after {before}", Heap::used());
}
