//! Paths of fields, for errors.

use core::fmt;

/// The path of a field in the model, for example `subgraphs[0].operators[3].inputs[1]`; empty without the feature
/// `messages`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Path {
    steps: [Step; Path::LIMIT],
    #[cfg(feature = "messages")]
    len: usize,
}

/// One part of a path: a field name, and an index if the field is a list.
pub(crate) type Step = (&'static str, Option<usize>);

impl Path {
    const LIMIT: usize = if cfg!(feature = "messages") { 6 } else { 0 };

    /// The root of the file.
    pub(crate) const fn root() -> Self {
        Path {
            steps: [("", None); Self::LIMIT],
            #[cfg(feature = "messages")]
            len: 0,
        }
    }

    /// This path, then a field.
    pub(crate) fn field(mut self, name: &'static str) -> Self {
        self.enter((name, None));
        self
    }

    /// This path, then an entry of a list field.
    pub(crate) fn entry(mut self, name: &'static str, index: usize) -> Self {
        self.enter((name, Some(index)));
        self
    }

    /// Whether this is the root.
    pub(crate) fn is_root(&self) -> bool {
        self.steps().is_empty()
    }
}

#[cfg(feature = "messages")]
impl Path {
    fn steps(&self) -> &[Step] {
        &self.steps[..self.len]
    }

    /// Descends into a field. No field of the schema is nested deeper than the limit.
    pub(crate) fn enter(&mut self, step: Step) {
        if let Some(free) = self.steps.get_mut(self.len) {
            *free = step;
            self.len += 1;
        }
    }

    /// Selects an entry of the list entered last; with `None`, returns to the list itself.
    pub(crate) fn at(&mut self, index: Option<usize>) {
        if let Some(last) = self.len.checked_sub(1) {
            self.steps[last].1 = index;
        }
    }

    /// Returns to the parent of the field entered last.
    pub(crate) fn leave(&mut self) {
        self.len = self.len.saturating_sub(1);
    }
}

#[cfg(not(feature = "messages"))]
impl Path {
    fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub(crate) fn enter(&mut self, _: Step) {}

    pub(crate) fn at(&mut self, _: Option<usize>) {}

    pub(crate) fn leave(&mut self) {}
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, (name, index)) in self.steps().iter().enumerate() {
            if depth > 0 {
                f.write_str(".")?;
            }
            f.write_str(name)?;
            if let Some(index) = index {
                write!(f, "[{index}]")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({self})")
    }
}
