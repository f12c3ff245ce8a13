//! Constants in other files.
//!
//! ```text
//! Tensor::external_buffer ──id──► ExternalBuffer ──index──► ExternalBufferGroup ──name──► a file next to the model,
//!                                 offset, length                                           or bytes from the caller
//! ```

#[cfg(feature = "std")]
use crate::buffers::file_range;
#[cfg(feature = "std")]
use crate::schema::{ExternalBuffer, ModelTable};

/// The bytes of the groups whose constants tensors use, by the index of the group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Groups<'a> {
    #[cfg(feature = "std")]
    pub(crate) sources: &'a [Option<crate::Source>],
    #[cfg(not(feature = "std"))]
    none: core::marker::PhantomData<&'a ()>,
}

impl<'a> Groups<'a> {
    pub(crate) const NONE: Self = Groups {
        #[cfg(feature = "std")]
        sources: &[],
        #[cfg(not(feature = "std"))]
        none: core::marker::PhantomData,
    };

    /// The bytes of the group with this index; `None` if they were not given.
    #[cfg(feature = "std")]
    pub(crate) fn group(self, index: u32) -> Option<&'a [u8]> {
        Some(self.sources.get(index as usize)?.as_ref()?.bytes())
    }

    /// The bytes of all groups together.
    pub(crate) fn size(self) -> usize {
        #[cfg(feature = "std")]
        let sizes = self.sources.iter().flatten().map(|source| source.bytes().len());
        #[cfg(not(feature = "std"))]
        let sizes = core::iter::empty::<usize>();
        sizes.fold(0, usize::saturating_add)
    }

    /// The bytes of an external buffer; `None` if they are not inside the group's.
    #[cfg(feature = "std")]
    pub(crate) fn bytes(self, buffer: &ExternalBuffer<'a>) -> Option<&'a [u8]> {
        file_range(self.group(buffer.group())?, buffer.offset(), buffer.length())
    }
}

#[cfg(feature = "std")]
impl<'a> ModelTable<'a> {
    /// The external buffer with this id, and its index. Ids are verified to ascend.
    pub(crate) fn external_buffer(&self, id: u32) -> Option<(usize, ExternalBuffer<'a>)> {
        let buffers = self.external_buffers();
        let (mut first, mut end) = (0, buffers.len());
        while first < end {
            let middle = first + (end - first) / 2;
            let buffer = buffers.get(middle)?;
            match buffer.id().cmp(&id) {
                core::cmp::Ordering::Equal => return Some((middle, buffer)),
                core::cmp::Ordering::Less => first = middle + 1,
                core::cmp::Ordering::Greater => end = middle,
            }
        }
        None
    }

    /// For each group, whether a tensor has its data there. The ids of the buffers are not verified yet.
    pub(crate) fn used_groups(&self) -> Vec<bool> {
        let mut used = vec![false; self.external_buffer_groups().len()];
        let tensors = self.subgraphs().iter().flat_map(|graph| graph.tensors());
        let ids = tensors.map(|tensor| tensor.external_buffer()).filter(|&id| id != 0);
        for (_, buffer) in ids.filter_map(|id| self.external_buffer(id)) {
            if let Some(used) = used.get_mut(buffer.group() as usize) {
                *used = true;
            }
        }
        used
    }
}
