//! `Part`: one of several lists that lie one behind the other.

use crate::layouts::Layout;
#[cfg(feature = "alloc")]
use crate::target::Target;

/// So many values of a type.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    count: usize,
    layout: Layout,
    #[cfg(feature = "alloc")]
    elsewhere: fn(&Target) -> Layout,
}

impl Part {
    pub fn of<T: Copy>(count: usize) -> Self {
        Part {
            count,
            layout: Layout::of::<T>(),
            #[cfg(feature = "alloc")]
            elsewhere: Target::layout_of::<T>,
        }
    }

    /// Where each of the lists begins if the first one may begin at `start`, and where the last one ends; `None` if that cannot be
    /// counted.
    #[inline]
    pub fn place<const N: usize>(start: usize, parts: &[Part; N]) -> Option<([usize; N], usize)> {
        let (mut starts, mut end) = ([start; N], start);
        for (place, part) in starts.iter_mut().zip(parts) {
            (*place, end) = part.layout.list_at(end, part.count)?;
        }
        Some((starts, end))
    }

    /// Where the last of the lists ends on another machine.
    #[cfg(feature = "alloc")]
    pub fn end_elsewhere(start: usize, parts: &[Part], target: &Target) -> usize {
        parts.iter().fold(start, |end, part| {
            (part.elsewhere)(target).list_at(end, part.count).map_or(usize::MAX, |(_, end)| end)
        })
    }
}
