//! `Part`: one of several lists that share one piece of memory.

use super::layout::Layout;

/// A list of `count` values of one type.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub count: usize,
    pub layout: Layout,
    /// The name of the type: on another machine it may have another layout.
    #[cfg(feature = "alloc")]
    pub type_name: fn() -> &'static str,
}

impl Part {
    pub(crate) fn of<T>(count: usize) -> Self {
        Part {
            count,
            layout: Layout::of::<T>(),
            #[cfg(feature = "alloc")]
            type_name: core::any::type_name::<T>,
        }
    }

    /// Where the first list begins if it may begin at `start`, and where the last one ends; `None` on overflow.
    pub(crate) fn place(start: usize, parts: &[Part]) -> Option<(usize, usize)> {
        Self::place_with(start, parts, |part| part.layout)
    }

    /// The same where `layout` gives the layout of each element type.
    #[inline]
    pub(crate) fn place_with(
        start: usize,
        parts: &[Part],
        layout: impl Fn(&Part) -> Layout,
    ) -> Option<(usize, usize)> {
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
