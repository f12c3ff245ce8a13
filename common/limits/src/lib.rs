//! Limits of a whole program, as a last resort behind those of the libraries that it uses: past its time, or past a number of bytes
//! of its heap, the process ends at once with a message and an exit status that the program chose.
//!
//! Nothing is unwound or dropped then: whoever is in the middle of a long computation, or asks for memory, need not cooperate.
//!
//! ```no_run
//! use arenite_limits::{Ending, Heap, Watch};
//!
//! #[global_allocator]
//! static HEAP: Heap = Heap;
//!
//! fn main() {
//!     let late = Ending { stdout: Vec::new(), stderr: b"error: it takes too long\n".to_vec(), status: 1 };
//!     let watch = Watch::start(std::time::Instant::now() + std::time::Duration::from_secs(60), late);
//!     let large = Ending { stdout: Vec::new(), stderr: b"error: it needs too much memory\n".to_vec(), status: 1 };
//!     Heap::limit(1 << 30, large);
//!     // What takes time and memory.
//!     drop(watch);
//! }
//! ```

mod ending;
mod heap;
mod watch;

pub use ending::Ending;
pub use heap::Heap;
pub use watch::Watch;
