//! `Planned`: what is to lie in the head, a tensor or a scratch buffer, while it gets its place. Planners see it as a record.

use arenite_abi::UsageRecord;
use arenite_planners::few::Records;

use crate::arena::ALIGNMENT;
use crate::lives::Life;

/// One of them; half as large as a record and its offset.
#[derive(Clone, Copy)]
pub(crate) struct Planned {
    size: usize,
    life: Life,
    /// Where it lies: [`NOWHERE`] until that is known.
    at: usize,
    /// Its number among the tensors of all subgraphs; −1 for a scratch buffer.
    pub tensor: i32,
}

const NOWHERE: usize = usize::MAX;

impl Planned {
    /// Room for one.
    pub const NONE: Planned = Planned { size: 0, life: Life { first: 0, last: 0 }, at: NOWHERE, tensor: -1 };

    /// So many bytes, for so long.
    pub fn new(size: usize, life: Life) -> Self {
        Planned { size, life, ..Planned::NONE }
    }

    /// A tensor, which the model may have a place for.
    pub fn tensor(size: usize, life: Life, number: usize, place: Option<usize>) -> Self {
        Planned { size, life, at: place.unwrap_or(NOWHERE), tensor: number as i32 }
    }

    /// Where it lies, once it is placed.
    pub fn offset(&self) -> u64 {
        if self.at == NOWHERE { UsageRecord::ANYWHERE } else { self.at as u64 }
    }

    /// As planners see it: what has a place keeps it.
    pub fn record(&self) -> UsageRecord {
        UsageRecord {
            alignment: ALIGNMENT as u64,
            tensor: self.tensor,
            fixed_offset: self.offset(),
            ..UsageRecord::new(self.size as u64, self.life.first, self.life.last)
        }
    }
}

/// What planners walk.
pub(crate) struct List<'l>(pub &'l mut [Planned]);

impl Records for List<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn record(&self, i: usize) -> UsageRecord {
        self.0[i].record()
    }

    fn offset(&self, i: usize) -> u64 {
        self.0[i].offset()
    }

    /// A place that this machine cannot count is its last one: no head reaches so far.
    fn set_offset(&mut self, i: usize, offset: u64) {
        let far = |_| NOWHERE - 1;
        self.0[i].at = if offset == u64::MAX { NOWHERE } else { usize::try_from(offset).unwrap_or_else(far) };
    }
}
