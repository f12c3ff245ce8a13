//! Shared objects of a device: calls a planner and checks its answer.

use std::collections::HashSet;

use arenite_abi::raw::{ArHeader, ArObjectAssignmentV1, ArPair, ArStr};
use arenite_abi::{ObjectRecord, ObjectRequest, OptionPairs, Readers};

use super::plan::ChosenPlanner;
use crate::error::{Error, Result};
use crate::host::message;
use crate::plugins::registry::Registry;

/// Objects with one to three extents. Records share an object only if they are not alive at the same time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedObjects {
    /// The object of each record.
    pub ids: Vec<u32>,
    /// The extents of each object; unused ones are 1.
    pub sizes: Vec<[u64; 3]>,
}

/// Lets the planner assign objects, and checks the result. If the planner cannot assign objects, the error names
/// planners in the registry that can.
pub(crate) fn assign(
    planner: &ChosenPlanner,
    request: &ObjectRequest<'_>,
    registry: &Registry,
) -> Result<SharedObjects> {
    let fail = |message: String| Error::Plan { planner: planner.name.clone(), message };
    let interface = planner.raw.assigns().ok_or_else(|| fail(hands_out_none(registry)))?;
    let own: Vec<ArPair> = planner
        .options
        .iter()
        .map(|(key, value)| ArPair { key: ArStr::borrowed(key), value: ArStr::borrowed(value) })
        .collect();
    let mut raw = request.as_raw();
    if request.options.iter().len() == 0 {
        (raw.options, raw.option_count) = (own.as_ptr(), own.len());
    }
    let count = request.records.len();
    let mut answer = SharedObjects { ids: vec![u32::MAX; count], sizes: vec![[0; 3]; count] };
    let mut assignment = ArObjectAssignmentV1 {
        header: ArHeader::of::<ArObjectAssignmentV1>(),
        object_count: 0,
        ids: answer.ids.as_mut_ptr(),
        sizes: answer.sizes.as_mut_ptr(),
    };
    message::clear_message();
    // SAFETY: both structs and their arrays are valid for the call; each array of the answer has a place per record.
    let status = unsafe { (interface.assign)(&raw, &mut assignment) };
    if status != 0 {
        return Err(fail(message::take_message("it failed without a message")));
    }
    let objects = assignment.object_count as usize;
    if objects > count {
        return Err(fail(format!("it answered with {objects} objects for {count} records")));
    }
    answer.sizes.truncate(objects);
    check(request, &answer).map_err(fail)?;
    Ok(answer)
}

/// The error of a planner that cannot assign objects, with the names of planners that can.
fn hands_out_none(registry: &Registry) -> String {
    let can = |name: &String| registry.planner(name).is_some_and(|raw| raw.assigns().is_some());
    let names: Vec<String> = registry.planner_names().into_iter().filter(can).collect();
    format!("it hands out no shared objects; those that do: {}", names.join(", "))
}

/// Checks objects along each axis and in time.
///
/// # Errors
/// The first record that has no object or does not fit into it; two records in one object that are alive at the same
/// time or, if nodes can run in any order, may be.
pub fn check(request: &ObjectRequest<'_>, objects: &SharedObjects) -> Result<(), String> {
    let (records, SharedObjects { ids, sizes }) = (request.records, objects);
    if ids.len() != records.len() {
        return Err(format!("the planner assigned an object to {} of {} records", ids.len(), records.len()));
    }
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); sizes.len()];
    for (i, (record, &id)) in records.iter().zip(ids).enumerate() {
        let Some(size) = sizes.get(id as usize) else {
            return Err(format!("record {i} is in object {id}, there are {}", sizes.len()));
        };
        if let Some(axis) = (0..3).find(|&axis| record.extents[axis] > size[axis]) {
            let (own, room) = (record.extents[axis], size[axis]);
            return Err(format!("record {i} has {own} along axis {axis}, its object {id} has {room}"));
        }
        if record.last_node < record.first_node {
            return Err(format!("record {i} lives from {} to {}", record.first_node, record.last_node));
        }
        users[id as usize].push(i);
    }
    users.iter_mut().for_each(|users| users.sort_by_key(|&i| records[i].first_node));
    let pairs = users.iter().enumerate().flat_map(|(id, users)| users.windows(2).map(move |pair| (id, pair)));
    pairs.into_iter().try_for_each(|(id, pair)| apart(records, request.readers, id, [pair[0], pair[1]]))
}

/// Checks that the second record may reuse the object of the first.
fn apart(
    records: &[ObjectRecord],
    readers: Option<Readers<'_>>,
    id: usize,
    pair: [usize; 2],
) -> Result<(), String> {
    let [a, b] = pair;
    if records[b].first_node <= records[a].last_node {
        let node = records[b].first_node;
        return Err(format!("records {a} and {b} are in object {id} while both live at node {node}"));
    }
    match readers {
        Some(readers) if !is_done(readers, a, b) => Err(format!(
            "records {a} and {b} are in object {id}, and may live at once: not all that read {a} come before {b}"
        )),
        _ => Ok(()),
    }
}

/// Whether `b` is computed from every record that is computed from `a`, and there is at least one.
fn is_done(readers: Readers<'_>, a: usize, b: usize) -> bool {
    let reaches = |from: u32| {
        let (mut seen, mut queue) = (HashSet::from([from]), vec![from]);
        while let Some(at) = queue.pop() {
            for &next in readers.of(at as usize) {
                if next as usize == b {
                    return true;
                }
                if seen.insert(next) {
                    queue.push(next);
                }
            }
        }
        false
    };
    !readers.of(a).is_empty() && readers.of(a).iter().all(|&reader| reaches(reader))
}

impl Registry {
    /// Lets the planner of this name assign shared objects for `records`, and checks the result.
    ///
    /// # Errors
    /// The planner is unknown, cannot assign objects, rejects the records, or returns an invalid answer.
    pub fn assign(
        &self,
        planner: &crate::config::PlannerConfig,
        extents: usize,
        records: &[ObjectRecord],
        readers: Option<Readers<'_>>,
    ) -> Result<SharedObjects> {
        let request = ObjectRequest { extents, records, readers, options: OptionPairs::default() };
        assign(&self.choose_planner(planner)?, &request, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(
        records: &[ObjectRecord],
        ids: &[u32],
        sizes: &[[u64; 3]],
        readers: Option<Readers<'_>>,
    ) -> String {
        let request = ObjectRequest { readers, ..ObjectRequest::new(2, records) };
        let objects = SharedObjects { ids: ids.to_vec(), sizes: sizes.to_vec() };
        check(&request, &objects).err().unwrap_or_default()
    }

    #[test]
    fn each_kind_of_wrong_object_is_named() {
        let records = [[4, 8, 1], [8, 4, 1], [4, 4, 1]].map(|extents| ObjectRecord::new(extents, 0, 1));
        let later = ObjectRecord::new([4, 4, 1], 2, 3);
        let records = [records[0], records[1], later];
        let wide = [8, 8, 1];
        assert_eq!(error(&records, &[0, 1, 0], &[wide, wide], None), "");
        assert_eq!(error(&records, &[0], &[wide], None), "the planner assigned an object to 1 of 3 records");
        assert_eq!(error(&records, &[0, 2, 0], &[wide, wide], None), "record 1 is in object 2, there are 2");
        assert_eq!(
            error(&records, &[0, 1, 0], &[wide, [8, 3, 1]], None),
            "record 1 has 4 along axis 1, its object 1 has 3"
        );
        assert_eq!(
            error(&records, &[0, 0, 0], &[wide], None),
            "records 0 and 1 are in object 0 while both live at node 0"
        );
        let dead = [ObjectRecord::new([1, 1, 1], 2, 1)];
        assert_eq!(error(&dead, &[0], &[wide], None), "record 0 lives from 2 to 1");
    }

    /// 0 ► 1, 2; both ► 3. So 3 may reuse the object of 0, whose readers are done; 2 may not reuse 1's, and nothing may
    /// reuse 3's.
    #[test]
    fn objects_of_nodes_in_any_order() {
        let records = [0, 1, 3, 5].map(|node| ObjectRecord::bytes(4, node, node + 1));
        let readers = Readers::new(&[0, 2, 3, 4, 4], &[1, 2, 3, 3]).unwrap();
        let room = [[4, 1, 1]; 4];
        assert_eq!(error(&records, &[0, 1, 2, 0], &room, Some(readers)), "");
        assert_eq!(error(&records, &[0, 1, 1, 2], &room, None), "");
        assert_eq!(
            error(&records, &[0, 1, 1, 2], &room, Some(readers)),
            "records 1 and 2 are in object 1, and may live at once: not all that read 1 come before 2"
        );
    }
}
