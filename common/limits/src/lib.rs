//! Limits on a whole program: when its time is over or its heap too large, the process ends immediately, with a message
//! and an exit status chosen by the program. This is a last resort in addition to limits inside the libraries it uses.
//!
//! Nothing is unwound or dropped, so code in the middle of a long computation or an allocation need not cooperate.
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
//!     // Work that takes time and memory.
//!     drop(watch);
//! }
//! ```

mod ending;
mod heap;
mod watch;

pub use ending::Ending;
pub use heap::Heap;
pub use watch::Watch;
