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

    /// Where the first of the lists begins that may begin at `start`, and where the last one ends; `None` if that cannot be counted.
    pub fn place(start: usize, parts: &[Part]) -> Option<(usize, usize)> {
        Self::place_by(start, parts, |part| part.layout)
    }

    /// The same on another machine.
    #[cfg(feature = "alloc")]
    pub fn place_elsewhere(start: usize, parts: &[Part], target: &Target) -> Option<(usize, usize)> {
        Self::place_by(start, parts, |part| (part.elsewhere)(target))
    }

    #[inline]
    fn place_by(start: usize, parts: &[Part], layout: impl Fn(&Part) -> Layout) -> Option<(usize, usize)> {
        let first = parts.first().map_or(1, |part| layout(part).align);
        let (start, mut end) = (start.checked_next_multiple_of(first)?, start);
        for part in parts {
            let Layout { size, align } = layout(part);
            let begin = end.checked_next_multiple_of(align)?;
            end = part.count.checked_mul(size)?.checked_add(begin)?;
        }
        Some((start, end))
    }
}
