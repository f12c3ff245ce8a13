//! A plan that stands in the model: its metadata `OfflineMemoryAllocation`, which TensorFlow Lite Micro reads, too.
//!
//! ```text
//! version (0) │ subgraphs │ n │ offset of tensor 0 │ … │ offset of tensor n − 1      i32 each, little-endian; −1: not placed
//! ```
//!
//! The tensors are those of the first subgraph, then those of the others, if n counts them. Nothing of it is trusted.

use arenite_abi::UsageRecord;
use arenite_model::Model;

use crate::error::{Error, Result};
use crate::planned::Planned;

/// The metadata's name.
pub(crate) const NAME: &str = "OfflineMemoryAllocation";

/// The offsets of the tensors of the first subgraph, or of all; none without such a plan.
#[derive(Clone, Copy)]
pub(crate) struct Offline<'a>(&'a [u8]);

impl<'a> Offline<'a> {
    /// The plan of a model.
    pub fn read(model: Model<'a>) -> Result<Self> {
        let Some(bytes) = model.metadata(NAME) else { return Ok(Offline(&[])) };
        let refuse = |reason, found| Err(Error::Offline { reason, found });
        let Some((header, offsets)) = bytes.split_at_checked(12) else {
            return refuse("bytes, at least 12 are needed", bytes.len() as i64);
        };
        let [version, subgraphs, count] = [0, 1, 2].map(|i| number(header, i).unwrap_or(-1));
        if version != 0 {
            return refuse("is its version, only 0 is known", version);
        }
        if subgraphs < 0 || subgraphs > model.subgraphs().len() as i64 {
            return refuse("subgraphs, the model has fewer", subgraphs);
        }
        let tensors = |subgraphs: usize| -> usize {
            model.subgraphs().iter().take(subgraphs).map(|graph| graph.tensors().len()).sum()
        };
        let (first, all) = (tensors(1), tensors(usize::MAX));
        if count != first as i64 && count != all as i64 {
            return refuse("offsets, the model has another number of tensors", count);
        }
        let Some(offsets) = (count as usize).checked_mul(4).and_then(|bytes| offsets.get(..bytes)) else {
            return refuse("offsets, it is cut short", count);
        };
        Ok(Offline(offsets))
    }

    /// Where tensor `t` lies, in the order of all subgraphs' tensors; `None` if the plan does not say.
    pub fn place(&self, t: usize) -> Result<Option<usize>> {
        match number(self.0, t) {
            None | Some(-1) => Ok(None),
            Some(offset) => {
                let wild = Error::Offline {
                    reason: "is the offset of a tensor, it is -1 or a multiple of 16",
                    found: offset,
                };
                let place = usize::try_from(offset).ok().filter(|place| place.is_multiple_of(16));
                place.map(Some).ok_or(wild)
            }
        }
    }
}

fn number(list: &[u8], i: usize) -> Option<i64> {
    let bytes = list.get(i.checked_mul(4)?..)?.first_chunk::<4>()?;
    Some(i64::from(i32::from_le_bytes(*bytes)))
}

/// An error if two tensors that live at once are placed over one another.
pub(crate) fn check_apart(list: &[Planned]) -> Result<()> {
    let fixed = |record: &UsageRecord| record.fixed().is_some() && record.size > 0;
    for (i, a) in list.iter().map(Planned::record).enumerate().filter(|(_, record)| fixed(record)) {
        for b in list[..i].iter().map(Planned::record).filter(fixed) {
            let apart = |low: &UsageRecord, high: &UsageRecord| {
                low.fixed_offset.saturating_add(low.size) <= high.fixed_offset
            };
            if a.overlaps(&b) && !apart(&a, &b) && !apart(&b, &a) {
                let (reason, found) =
                    ("is a tensor that lies over another one, and both live", i64::from(a.tensor));
                return Err(Error::Offline { reason, found });
            }
        }
    }
    Ok(())
}
