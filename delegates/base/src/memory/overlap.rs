//! How the memory of an output may overlap the memory of an input.

/// Whether an output may overwrite an input in place. Safe code can only say no:
///
/// ```compile_fail,E0133
/// let allowed = arenite_base::memory::InPlace::only_if(true);
/// ```
/// ```compile_fail,E0423
/// let allowed = arenite_base::memory::InPlace(true);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InPlace(bool);

impl InPlace {
    /// It may not.
    pub const NEVER: InPlace = InPlace(false);

    /// It may if `condition` holds.
    ///
    /// # Safety
    /// If it holds, each element of the input must be read before the element of the output at its place is written, on
    /// the same thread, and no reference to either memory may be made.
    pub const unsafe fn only_if(condition: bool) -> InPlace {
        InPlace(condition)
    }

    /// Whether it may.
    pub const fn is_allowed(self) -> bool {
        self.0
    }
}

/// How many bytes before an input an output must start, so that it may overwrite the input while it is read. Safe code
/// cannot make one:
///
/// ```compile_fail,E0133
/// let none = arenite_base::memory::Lead::of(0);
/// ```
/// ```compile_fail,E0423
/// let none = arenite_base::memory::Lead(0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lead(u64);

impl Lead {
    /// At least this many bytes.
    ///
    /// # Safety
    /// At this distance each byte of the input must be read before any thread writes the byte at its address, and no
    /// reference to either memory may be made.
    pub const unsafe fn of(bytes: u64) -> Lead {
        Lead(bytes)
    }

    /// The distance in bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}
