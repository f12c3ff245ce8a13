//! Resources that nodes refer to by handle: variables and hash tables.
//!
//! A handle is stored in a tensor of type RESOURCE, which VAR_HANDLE or HASHTABLE filled, or of type INT32, if the
//! model itself numbers its variables.
//!
//! A hash table consists of three resources: the keys, the values, and the order of the distinct keys when sorted.
//! Defined by: tflite/experimental/resource/resource_variable.cc, static_hashtable.cc.

use arenite_abi::prelude::*;

use super::strings::Strings;

/// Checks that input `i` holds a handle.
///
/// # Errors
/// The input has another type, or more than one element.
pub fn expect_handle(node: &NodeView<'_>, i: usize) -> Result<()> {
    let x = node.input(i)?;
    ensure!(
        matches!(x.ty, ElementType::Resource | I32) && x.len() == 1,
        "{x} is {}{:?}; a resource handle is one RESOURCE or INT32",
        x.ty,
        x.shape
    );
    Ok(())
}

/// Reads the handle in input `i`.
///
/// # Errors
/// The input holds no handle.
pub fn handle(model: &mut ModelContext<'_>, cx: &EvalContext<'_>, i: usize) -> Result<i32> {
    handle_of(model, &cx.input(i)?)
}

/// Reads the handle in a tensor whose value is known.
///
/// # Errors
/// The value is unknown, or there are too many resources.
pub fn handle_of(model: &mut ModelContext<'_>, x: &TensorView<'_>) -> Result<i32> {
    let number = x.as_words::<i32>()?.first().copied().unwrap_or(-1);
    if x.ty == I32 { model.open_resource(&numbered(b"number ", number)) } else { Ok(number) }
}

/// Sets the node's only output, a scalar or a vector of one element, to the handle of the resource with this name.
///
/// # Errors
/// The output has another type, or the name is too long.
pub fn declare_handle(
    node: &NodeView<'_>,
    cx: &mut PrepareContext<'_>,
    shape: &[i32],
    name: &[&[u8]],
) -> Result<()> {
    node.expect(0..=0, 1..=1)?;
    let y = node.output(0)?;
    ensure!(
        matches!(y.ty, ElementType::Resource | I32),
        "output {y} is {}; a handle is RESOURCE or INT32",
        y.ty
    );
    let handle = open_parts(&mut cx.model()?, name)?;
    cx.set_output_shape(0, shape)?;
    cx.set_output_constant(0, &[handle])
}

/// The maximum length of a resource name.
const NAME_CAPACITY: usize = 1024;

/// Opens the resource whose name is the concatenation of these parts, each preceded by its length.
fn open_parts(model: &mut ModelContext<'_>, parts: &[&[u8]]) -> Result<i32> {
    let (mut name, mut end) = ([0; NAME_CAPACITY], 0);
    for part in parts {
        let length = u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes();
        for piece in [&length[..], part] {
            let room = name.get_mut(end..).and_then(|rest| rest.get_mut(..piece.len()));
            let room = room.ok_or_else(|| invalid!("its name is longer than {NAME_CAPACITY} bytes"))?;
            room.copy_from_slice(piece);
            end += piece.len();
        }
    }
    model.open_resource(&name[..end])
}

fn numbered(prefix: &[u8; 7], number: i32) -> [u8; 11] {
    let mut name = [0; 11];
    name[..7].copy_from_slice(prefix);
    name[7..].copy_from_slice(&number.to_le_bytes());
    name
}

/// The resources of a hash table.
#[derive(Clone, Copy)]
pub struct HashTable {
    keys: i32,
    values: i32,
    order: i32,
}

impl HashTable {
    /// The table with this handle.
    ///
    /// # Errors
    /// There are too many resources.
    pub fn of(model: &mut ModelContext<'_>, handle: i32) -> Result<Self> {
        let mut open = |prefix| model.open_resource(&numbered(prefix, handle));
        Ok(HashTable { keys: open(b"keys   ")?, values: open(b"values ")?, order: open(b"order  ")? })
    }

    /// The number of distinct keys; 0 before the import.
    ///
    /// # Errors
    /// The stored tensors cannot be read.
    pub fn len(&self, model: &ModelContext<'_>) -> Result<usize> {
        Ok(model.resource(self.order)?.map_or(0, |order| order.len()))
    }

    /// Whether keys and values have been imported.
    ///
    /// # Errors
    /// The stored tensors cannot be read.
    pub fn is_imported(&self, model: &ModelContext<'_>) -> Result<bool> {
        Ok(model.resource(self.order)?.is_some())
    }

    /// Stores keys and values; `order` needs one element per key. Of equal keys the first one is kept.
    ///
    /// # Errors
    /// The host cannot store the tensors.
    pub fn import(
        &self,
        model: &mut ModelContext<'_>,
        keys: &TensorView<'_>,
        values: &TensorView<'_>,
        order: &mut [u32],
    ) -> Result<()> {
        let all = Keys::of(keys)?;
        order.iter_mut().enumerate().for_each(|(i, place)| *place = i as u32);
        order.sort_unstable_by(|&a, &b| all.compare(a as usize, &all, b as usize).then(a.cmp(&b)));
        let mut kept = 0;
        for i in 0..order.len() {
            if kept == 0 || all.compare(order[i] as usize, &all, order[kept - 1] as usize).is_ne() {
                order[kept] = order[i];
                kept += 1;
            }
        }
        model.assign_resource(self.keys, keys)?;
        model.assign_resource(self.values, values)?;
        model.assign_resource_slice(self.order, &order[..kept])
    }

    /// Returns the stored values, and for each of `keys` the index of its value.
    ///
    /// # Errors
    /// The table has keys of another type, or nothing was imported.
    pub fn find<'m, 'k>(
        &self,
        model: &'m ModelContext<'_>,
        keys: &TensorView<'k>,
    ) -> Result<(TensorView<'m>, impl Fn(usize) -> Option<usize> + use<'m, 'k>)> {
        let stored = (model.resource(self.keys)?, model.resource(self.values)?, model.resource(self.order)?);
        let (Some(known), Some(values), Some(order)) = stored else {
            return Err(invalid!("the hash table is read before it was imported (HASHTABLE_IMPORT)"));
        };
        ensure!(
            known.ty == keys.ty,
            "the hash table has keys of type {}, {keys} is {}; they must agree",
            known.ty,
            keys.ty
        );
        let (known, wanted, order) = (Keys::of(&known)?, Keys::of(keys)?, order.as_slice::<u32>()?);
        let find = move |i: usize| {
            let at = order.binary_search_by(|&k| known.compare(k as usize, &wanted, i)).ok()?;
            Some(order[at] as usize)
        };
        Ok((values, find))
    }
}

/// The keys of a hash table.
enum Keys<'a> {
    Numbers(&'a [i64]),
    Texts(Strings<'a>),
}

impl<'a> Keys<'a> {
    fn of(x: &TensorView<'a>) -> Result<Self> {
        match x.ty {
            I64 => x.as_slice().map(Keys::Numbers),
            _ => Strings::of(x).map(Keys::Texts),
        }
    }

    fn compare(&self, i: usize, other: &Keys<'_>, k: usize) -> core::cmp::Ordering {
        match (self, other) {
            (Keys::Numbers(a), Keys::Numbers(b)) => a.get(i).cmp(&b.get(k)),
            (Keys::Texts(a), Keys::Texts(b)) => a.get(i).cmp(&b.get(k)),
            (Keys::Numbers(_), Keys::Texts(_)) => core::cmp::Ordering::Less,
            (Keys::Texts(_), Keys::Numbers(_)) => core::cmp::Ordering::Greater,
        }
    }
}

/// Checks that one of the tensors holds INT64 and the other STRING.
///
/// # Errors
/// They hold other types.
pub fn expect_key_and_value(key: &TensorView<'_>, value: &TensorView<'_>) -> Result<()> {
    if !matches!((key.ty, value.ty), (I64, ElementType::String) | (ElementType::String, I64)) {
        return Err(unsupported!(
            "a hash table from {} to {}; only INT64 to STRING and STRING to INT64 are supported",
            key.ty,
            value.ty
        ));
    }
    Ok(())
}
