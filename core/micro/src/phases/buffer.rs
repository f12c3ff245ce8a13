//! `PlannedBuffer`: a tensor or scratch buffer during planning.

use arenite_abi::UsageRecord;
use arenite_planners::few::Records;

use crate::arena::ALIGNMENT;
use crate::model::life::Life;

/// A buffer to place in the head. It is half as large as a `UsageRecord` with its offset.
#[derive(Clone, Copy)]
pub(crate) struct PlannedBuffer {
    size: usize,
    life: Life,
    /// The offset in the head, or [`NOWHERE`].
    at: usize,
    /// Tensor number, counted over all subgraphs; −1 for a scratch buffer.
    pub tensor: i32,
}

const NOWHERE: usize = usize::MAX;

impl PlannedBuffer {
    /// An empty buffer.
    pub(crate) const NONE: PlannedBuffer =
        PlannedBuffer { size: 0, life: Life { first: 0, last: 0 }, at: NOWHERE, tensor: -1 };

    /// A buffer of `size` bytes without a place.
    pub(crate) fn new(size: usize, life: Life) -> Self {
        PlannedBuffer { size, life, ..PlannedBuffer::NONE }
    }

    /// A tensor, with its place if the model has one.
    pub(crate) fn tensor(size: usize, life: Life, number: usize, place: Option<usize>) -> Self {
        PlannedBuffer { size, life, at: place.unwrap_or(NOWHERE), tensor: number as i32 }
    }

    /// The offset; [`UsageRecord::ANYWHERE`] before it is placed.
    pub(crate) fn offset(&self) -> u64 {
        if self.at == NOWHERE { UsageRecord::ANYWHERE } else { self.at as u64 }
    }

    /// The end in the head; 0 before it is placed.
    pub(crate) fn end(&self) -> usize {
        if self.at == NOWHERE { 0 } else { self.at.saturating_add(self.size) }
    }

    /// Whether both have places that overlap, in time and in memory.
    pub(crate) fn clashes(&self, other: &PlannedBuffer) -> bool {
        let placed = self.at != NOWHERE && other.at != NOWHERE && self.size > 0 && other.size > 0;
        placed && self.life.overlaps(other.life) && self.at < other.end() && other.at < self.end()
    }

    /// The usage record for planners. A buffer with a place is fixed there.
    pub(crate) fn record(&self) -> UsageRecord {
        UsageRecord {
            alignment: ALIGNMENT as u64,
            tensor: self.tensor,
            fixed_offset: self.offset(),
            ..UsageRecord::new(self.size as u64, self.life.first, self.life.last)
        }
    }
}

/// The buffers as a planner's records.
pub(crate) struct BufferList<'l>(pub &'l mut [PlannedBuffer]);

impl Records for BufferList<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn record(&self, i: usize) -> UsageRecord {
        self.0[i].record()
    }

    fn offset(&self, i: usize) -> u64 {
        self.0[i].offset()
    }

    /// An offset that does not fit `usize` becomes the largest one, which no head reaches.
    fn set_offset(&mut self, i: usize, offset: u64) {
        let far = |_| NOWHERE - 1;
        self.0[i].at = if offset == u64::MAX { NOWHERE } else { usize::try_from(offset).unwrap_or_else(far) };
    }
}
