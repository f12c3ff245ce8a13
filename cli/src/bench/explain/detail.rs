//! How much of an explanation is printed.

/// The longest name or reason in a line.
pub(super) const WIDTH: usize = 100;

/// The lines that are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Costs that are worth a change.
    Findings,
    /// Also that nothing was found.
    All,
}
