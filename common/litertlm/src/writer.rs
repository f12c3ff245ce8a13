//! Writes containers.

use flatbuffers::{FlatBufferBuilder, UnionWIPOffset, WIPOffset};

use crate::section::Kind;
use crate::{BLOCK, HEADER_AT, MAGIC, VERSION};

/// A section to write.
pub struct Part<'a> {
    /// The kind of its contents.
    pub kind: Kind,
    /// Its properties, such as `model_type`.
    pub items: &'a [(&'a str, &'a str)],
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// A container with these sections, in this order.
pub fn write(parts: &[Part<'_>]) -> Vec<u8> {
    // The places are numbers of a fixed size, so they do not change the header's size.
    let size = header(parts, &vec![(1, 1); parts.len()]).len();
    let mut at = HEADER_AT + size;
    let mut places = Vec::new();
    for part in parts {
        let begin = at.next_multiple_of(BLOCK);
        at = begin + part.bytes.len();
        places.push((begin as u64, at as u64));
    }
    let mut file = MAGIC.to_vec();
    file.extend(VERSION.iter().flat_map(|number| number.to_le_bytes()));
    file.extend([0; 4]);
    file.extend(((HEADER_AT + size) as u64).to_le_bytes());
    file.extend(header(parts, &places));
    for (part, &(begin, _)) in parts.iter().zip(&places) {
        file.resize(begin as usize, 0);
        file.extend(part.bytes);
    }
    file
}

/// The slot of a field in the vtable.
const fn slot(k: u16) -> u16 {
    4 + 2 * k
}

fn header(parts: &[Part<'_>], places: &[(u64, u64)]) -> Vec<u8> {
    let mut builder = FlatBufferBuilder::new();
    let objects: Vec<_> = parts
        .iter()
        .zip(places)
        .map(|(part, &(begin, end))| {
            let items: Vec<_> = part.items.iter().map(|(key, text)| pair(&mut builder, key, text)).collect();
            let items = builder.create_vector(&items);
            let object = builder.start_table();
            builder.push_slot_always(slot(0), items);
            builder.push_slot_always(slot(1), begin);
            builder.push_slot_always(slot(2), end);
            builder.push_slot_always(slot(3), part.kind.0);
            builder.end_table(object)
        })
        .collect();
    let objects = builder.create_vector(&objects);
    let list = builder.start_table();
    builder.push_slot_always(slot(0), objects);
    let list = builder.end_table(list);
    let root = builder.start_table();
    builder.push_slot_always(slot(1), list);
    let root = builder.end_table(root);
    builder.finish(root, None);
    builder.finished_data().to_vec()
}

/// A text with a name. The type of a text in the union of values is 9.
fn pair<'a>(
    builder: &mut FlatBufferBuilder<'a>,
    key: &str,
    text: &str,
) -> WIPOffset<flatbuffers::TableFinishedWIPOffset> {
    let text = builder.create_string(text);
    let value = builder.start_table();
    builder.push_slot_always(slot(0), text);
    let value: WIPOffset<UnionWIPOffset> = builder.end_table(value).as_union_value();
    let key = builder.create_string(key);
    let pair = builder.start_table();
    builder.push_slot_always(slot(0), key);
    builder.push_slot_always(slot(1), 9u8);
    builder.push_slot_always(slot(2), value);
    builder.end_table(pair)
}
