//! Shared objects of a device as the contract defines them: records of one to three extents, for nodes that run in
//! order or in any order.
//!
//! | strategy | extents | any order |
//! |---|---|---|
//! | `naive` | 1 to 3 | yes |
//! | `equality`, `equality-vector` | 1 to 3 | no |
//! | `greedy-in-order` | 1 to 3 | with 1 extent |
//! | the others with shared objects | 1 | no |

use alloc::vec::Vec;
use arenite_abi::prelude::*;
use arenite_abi::{ObjectRecord, Readers};

use crate::objects::{self, Objects};
use crate::usage::Usage;

/// A strategy for sizes of three extents.
type AssignAny = fn(&[Usage<[u64; 3]>]) -> Result<Objects<[u64; 3]>>;

/// Answers a request with a strategy for bytes and nodes that run in order.
pub(crate) fn bytes(
    request: &ObjectRequest<'_>,
    objects: &mut ObjectAssignment<'_>,
    assign: objects::Assign,
) -> Result<()> {
    expect_order(request)?;
    let extents = request.extents;
    ensure!(extents == 1, "it supports only records of one extent, these have {extents}");
    write(&assign(&records(request))?, |size| [size, 1, 1], objects)
}

/// Answers a request with a strategy for any extents and nodes that run in order.
pub(crate) fn any(
    request: &ObjectRequest<'_>,
    objects: &mut ObjectAssignment<'_>,
    assign: AssignAny,
) -> Result<()> {
    expect_order(request)?;
    apart(request, objects, assign)
}

/// Answers a request with a strategy for any extents and nodes in any order, because it shares nothing.
pub(crate) fn apart(
    request: &ObjectRequest<'_>,
    objects: &mut ObjectAssignment<'_>,
    assign: AssignAny,
) -> Result<()> {
    request.options.expect_only(&[])?;
    let usage = |record: &ObjectRecord| Usage::new(record.extents, record.first_node, record.last_node);
    let usages: Vec<_> = request.records.iter().map(usage).collect();
    write(&assign(&usages)?, |size| size, objects)
}

fn expect_order(request: &ObjectRequest<'_>) -> Result<()> {
    request.options.expect_only(&[])?;
    match request.readers {
        None => Ok(()),
        Some(_) => Err(unsupported!(
            "it only supports nodes that run in order; for any order use naive, or greedy-in-order with one extent"
        )),
    }
}

/// The records of a request as records of bytes.
pub(crate) fn records(request: &ObjectRequest<'_>) -> Vec<UsageRecord> {
    let record = |r: &ObjectRecord| UsageRecord::new(r.extents[0], r.first_node, r.last_node);
    request.records.iter().map(record).collect()
}

/// For each record, its readers.
pub(crate) fn lists(readers: Readers<'_>) -> Vec<Vec<u32>> {
    (0..readers.len()).map(|record| readers.of(record).to_vec()).collect()
}

/// Writes the answer.
pub(crate) fn write<S: Copy>(
    found: &Objects<S>,
    extents: impl Fn(S) -> [u64; 3],
    objects: &mut ObjectAssignment<'_>,
) -> Result<()> {
    let (ids, sizes) = objects.objects(found.sizes.len())?;
    ensure!(
        ids.len() == found.ids.len(),
        "the array holds {} records, but there are {}",
        ids.len(),
        found.ids.len()
    );
    ids.copy_from_slice(&found.ids);
    sizes.iter_mut().zip(&found.sizes).for_each(|(to, &size)| *to = extents(size));
    Ok(())
}
