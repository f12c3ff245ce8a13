//! Reads a plan that is stored in the model as metadata, in the format of TensorFlow Lite Micro.
//!
//! ```text
//! version (0) │ subgraphs │ n │ offset of tensor 0 │ … │ offset of tensor n − 1      i32 each, little-endian; −1: not placed
//! ```
//!
//! The tensors are listed by subgraph; `n` covers either the first subgraph or all of them. Every number is checked.

use arenite_model::{Model, detail};

use super::buffer::PlannedBuffer;
use crate::error::{Error, Result};

/// Name of the metadata.
pub(crate) const NAME: &str = "OfflineMemoryAllocation";

/// Offsets for the tensors of the first subgraph, or of all; empty if the model has no plan.
#[derive(Clone, Copy)]
pub(crate) struct OfflineOffsets<'a>(&'a [u8]);

impl<'a> OfflineOffsets<'a> {
    /// Reads the plan of a model.
    pub(super) fn read(model: Model<'a>) -> Result<Self> {
        let Some(bytes) = model.metadata(NAME) else { return Ok(OfflineOffsets(&[])) };
        let refuse = |reason, found| Err(Error::Offline { reason: detail(reason), found: detail(found) });
        let Some((header, offsets)) = bytes.split_at_checked(12) else {
            return refuse("bytes; at least 12 are needed", bytes.len() as i64);
        };
        let [version, subgraphs, count] = [0, 1, 2].map(|i| number(header, i).unwrap_or(-1));
        if version != 0 {
            return refuse("is its version; only 0 is supported", version);
        }
        if subgraphs < 0 || subgraphs > model.subgraphs().len() as i64 {
            return refuse("subgraphs; the model has fewer", subgraphs);
        }
        let tensors = |subgraphs: usize| -> usize {
            model.subgraphs().iter().take(subgraphs).map(|graph| graph.tensors().len()).sum()
        };
        let (first, all) = (tensors(1), tensors(usize::MAX));
        if count != first as i64 && count != all as i64 {
            return refuse("offsets; one per tensor is needed", count);
        }
        let Some(offsets) = (count as usize).checked_mul(4).and_then(|bytes| offsets.get(..bytes)) else {
            return refuse("offsets; the metadata is too short", count);
        };
        Ok(OfflineOffsets(offsets))
    }

    /// The offset of tensor `t`, counted over all subgraphs; `None` if the plan does not place it.
    pub(super) fn place(&self, t: usize) -> Result<Option<usize>> {
        match number(self.0, t) {
            None | Some(-1) => Ok(None),
            Some(offset) => {
                let wild = Error::Offline {
                    reason: detail("is an offset; it must be -1 or a multiple of 16"),
                    found: detail(offset),
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

/// Fails if two tensors overlap in memory while both are in use.
pub(crate) fn check_apart(list: &[PlannedBuffer]) -> Result<()> {
    for (i, a) in list.iter().enumerate() {
        if list[..i].iter().any(|b| a.clashes(b)) {
            let (reason, found) = ("is a tensor that overlaps another live one", i64::from(a.tensor));
            return Err(Error::Offline { reason: detail(reason), found: detail(found) });
        }
    }
    Ok(())
}
