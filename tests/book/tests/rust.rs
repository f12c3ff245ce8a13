//! Every Rust program in README and the book compiles, and runs in a clone.

use std::fmt::Display;
use std::sync::LazyLock;

use arenite_book::scratch::Scratch;

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// The result of a program's `main`.
pub(crate) trait Outcome {
    fn failure(self) -> Option<String>;
}

impl Outcome for () {
    fn failure(self) -> Option<String> {
        None
    }
}

impl<E: Display> Outcome for Result<(), E> {
    fn failure(self) -> Option<String> {
        self.err().map(|error| error.to_string())
    }
}

/// All programs run in one clone, because the working directory belongs to the process.
static CLONE: LazyLock<Scratch> = LazyLock::new(|| {
    let scratch = Scratch::new();
    std::env::set_current_dir(scratch.clone_folder()).expect("the clone is a folder");
    scratch
});

fn run<T: Outcome>(place: &str, program: fn() -> T) {
    LazyLock::force(&CLONE);
    if let Some(failure) = program().failure() {
        panic!("{place}: {failure}");
    }
}
