//! The flatbuffer at the beginning of a container.

use crate::error::{Error, Result};
use crate::flat::{Flat, Table};
use crate::section::{Items, Kind, Section, Value};

/// The items of the container, and its sections. Their places are not checked yet.
pub(crate) fn parse(bytes: &[u8]) -> Result<(Items, Vec<Section>)> {
    let flat = Flat::new(bytes);
    let root = flat.root()?;
    let system = match root.table(0)? {
        Some(system) => items(&system, 0)?,
        None => Vec::new(),
    };
    let objects = match root.table(1)? {
        Some(list) => list.tables(0)?,
        None => Vec::new(),
    };
    let section = |object: &Table<'_>| {
        Ok(Section {
            items: items(object, 0)?,
            begin: u64::from_le_bytes(object.number(1)?),
            end: u64::from_le_bytes(object.number(2)?),
            kind: Kind(u8::from_le_bytes(object.number(3)?)),
        })
    };
    Ok((system, objects.iter().map(section).collect::<Result<_>>()?))
}

fn items(table: &Table<'_>, slot: usize) -> Result<Items> {
    let pair = |pair: &Table<'_>| {
        let key = pair.text(0)?.ok_or_else(|| Error::malformed("a value has no name"))?;
        Ok((key, value(pair)?))
    };
    table.tables(slot)?.iter().map(pair).collect()
}

/// The union of values: its type is field 1, its value field 2.
fn value(pair: &Table<'_>) -> Result<Value> {
    Ok(match u8::from_le_bytes(pair.number(1)?) {
        1 => Value::Unsigned(u8::from_le_bytes(pair.number_of_union(2)?).into()),
        2 => Value::Signed(i8::from_le_bytes(pair.number_of_union(2)?).into()),
        3 => Value::Unsigned(u16::from_le_bytes(pair.number_of_union(2)?).into()),
        4 => Value::Signed(i16::from_le_bytes(pair.number_of_union(2)?).into()),
        5 => Value::Unsigned(u32::from_le_bytes(pair.number_of_union(2)?).into()),
        6 => Value::Signed(i32::from_le_bytes(pair.number_of_union(2)?).into()),
        7 => Value::Real(f32::from_le_bytes(pair.number_of_union(2)?).into()),
        8 => Value::Bool(pair.number_of_union::<1>(2)? != [0]),
        9 => {
            let text = pair.table(2)?.ok_or_else(|| Error::malformed("a text is missing"))?;
            Value::Text(text.text(0)?.unwrap_or_default())
        }
        10 => Value::Unsigned(u64::from_le_bytes(pair.number_of_union(2)?)),
        11 => Value::Signed(i64::from_le_bytes(pair.number_of_union(2)?)),
        12 => Value::Real(f64::from_le_bytes(pair.number_of_union(2)?)),
        other => Value::Other(other),
    })
}
