//! `List`: a flatbuffers vector that is empty when absent and never panics.

use flatbuffers::{Follow, ForwardsUOffset, Vector, VectorIter};

/// A verified vector of the model; absent vectors are empty.
pub struct List<'a, T>(Vector<'a, T>);

/// A verified vector of tables.
pub type Tables<'a, T> = List<'a, ForwardsUOffset<T>>;

impl<'a, T: 'a> List<'a, T> {
    pub(super) fn new(vector: Option<Vector<'a, T>>) -> Self {
        List(vector.unwrap_or_default())
    }

    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no element.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'a, T: Follow<'a> + 'a> List<'a, T> {
    /// Element `index`; `None` outside the list.
    #[inline]
    pub fn get(&self, index: usize) -> Option<T::Inner> {
        (index < self.len()).then(|| self.0.get(index))
    }

    /// The elements in order.
    #[inline]
    pub fn iter(&self) -> VectorIter<'a, T> {
        self.0.iter()
    }
}

impl<'a, T: Follow<'a> + 'a> IntoIterator for List<'a, T> {
    type Item = T::Inner;
    type IntoIter = VectorIter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T: 'a> Clone for List<'a, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<'a, T: 'a> Copy for List<'a, T> {}

impl<'a, T: Follow<'a> + 'a> core::fmt::Debug for List<'a, T>
where
    T::Inner: core::fmt::Debug,
{
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
