//! The effort spent on kernels, for facts.

/// The effort spent on the preparation of kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Programs that were compiled.
    pub compiled: u64,
    /// Programs that were loaded from the cache folder.
    pub loaded: u64,
    /// Time for compiling and loading, in nanoseconds.
    pub compiling: u64,
    /// Kernels that were tuned.
    pub tuned: u64,
    /// Kernels whose tuned sizes were known.
    pub recalled: u64,
    /// Time for tuning, in nanoseconds.
    pub tuning: u64,
    /// Kernels that read through pointers because memory was too large for an image.
    pub imageless: u64,
}

impl Effort {
    /// The sum of both.
    pub fn and(self, other: Effort) -> Effort {
        Effort {
            compiled: self.compiled + other.compiled,
            loaded: self.loaded + other.loaded,
            compiling: self.compiling + other.compiling,
            tuned: self.tuned + other.tuned,
            recalled: self.recalled + other.recalled,
            tuning: self.tuning + other.tuning,
            imageless: self.imageless + other.imageless,
        }
    }

    /// The effort since `before`.
    pub fn since(self, before: Effort) -> Effort {
        Effort {
            compiled: self.compiled - before.compiled,
            loaded: self.loaded - before.loaded,
            compiling: self.compiling - before.compiling,
            tuned: self.tuned - before.tuned,
            recalled: self.recalled - before.recalled,
            tuning: self.tuning - before.tuning,
            imageless: self.imageless - before.imageless,
        }
    }
}
