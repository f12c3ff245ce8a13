//! Values that outlive an invocation; all subgraphs of an interpreter share them.

use std::collections::HashMap;

use arenite_abi::ElementType;
use arenite_abi::raw::{ArTensorV1, slice};

use crate::arena::Block;
use crate::error::{Error, Result};
use crate::quota::Budget;

/// Named values; a handle is the position of a value.
#[derive(Default)]
pub(crate) struct Resources {
    handles: HashMap<Vec<u8>, i32>,
    values: Vec<ResourceValue>,
    version: u64,
}

struct ResourceValue {
    name: String,
    /// `None` before the first assignment.
    ty: Option<ElementType>,
    shape: Vec<i32>,
    data: Block,
    bytes: usize,
}

/// Approximate bytes of an entry, without its name and value.
const ENTRY_BYTES: u64 = 128;

impl Resources {
    /// The handle of the resource with this name, which is created if necessary.
    pub(crate) fn open(&mut self, name: &[u8], budget: &mut Budget) -> Result<i32> {
        if let Some(&handle) = self.handles.get(name) {
            return Ok(handle);
        }
        budget.take(ENTRY_BYTES + 2 * name.len() as u64, "its resources")?;
        let handle = i32::try_from(self.values.len())
            .map_err(|_| Error::State("the model opens more than 2³¹ resources".into()))?;
        self.handles.insert(name.to_vec(), handle);
        self.values.push(ResourceValue {
            name: String::from_utf8_lossy(name).into_owned(),
            ty: None,
            shape: Vec::new(),
            data: Block::EMPTY,
            bytes: 0,
        });
        Ok(handle)
    }

    /// A number that changes whenever the type, the shape or the address of a value does.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// The value; [`ArTensorV1::NONE`] before the first assignment.
    pub(crate) fn value(&self, handle: i32) -> Result<ArTensorV1> {
        let count = self.values.len();
        let value = usize::try_from(handle).ok().and_then(|i| self.values.get(i));
        let value = value.ok_or_else(|| no_such(handle, count))?;
        let Some(ty) = value.ty else { return Ok(ArTensorV1::NONE) };
        Ok(ArTensorV1 {
            element_type: ty as u32,
            rank: value.shape.len() as u32,
            dims: value.shape.as_ptr(),
            data: value.data.as_ptr().cast(),
            bytes: value.bytes as u64,
            name: arenite_abi::raw::ArStr::borrowed(&value.name),
            ..ArTensorV1::NONE
        })
    }

    /// Replaces the value with a copy of `from`. On an error it is unchanged.
    ///
    /// # Safety
    /// The arrays of `from` are readable, and it has at most [`MAX_RANK`](arenite_abi::host_side::MAX_RANK) dimensions.
    pub(crate) unsafe fn assign(&mut self, handle: i32, from: &ArTensorV1, budget: &Budget) -> Result<()> {
        let count = self.values.len();
        let value = usize::try_from(handle).ok().and_then(|i| self.values.get_mut(i));
        let value = value.ok_or_else(|| no_such(handle, count))?;
        let refuse = |message| Err(Error::Tensor { name: value.name.clone(), message });
        let Some(ty) = ElementType::from_raw(from.element_type) else {
            return refuse(format!("element type {} is unknown", from.element_type));
        };
        // SAFETY: `assign` requires that `dims` has `rank` readable numbers.
        let shape = unsafe { slice(from.dims, from.rank as usize) };
        if shape.iter().any(|&d| d < 0) {
            return refuse(format!("shape {shape:?} is refused; no dimension can be negative"));
        }
        let bytes = usize::try_from(from.bytes).ok().filter(|_| !from.data.is_null()).unwrap_or(0);
        let needed = ty.bytes_of(arenite_abi::tensor::element_count(shape)).unwrap_or(bytes);
        if needed != bytes {
            return refuse(format!("its new value of shape {shape:?} needs {needed} bytes, it has {bytes}"));
        }
        let (own, new) = (value.data.as_ptr().addr(), from.data.addr());
        if bytes > 0 && new < own + value.data.len() && own < new + bytes {
            return refuse("it is assigned a part of itself; copy the value first".into());
        }
        if bytes > value.data.len() {
            self.version += 1;
            value.data.grow(bytes, &mut budget.clone(), "its resources")?;
        }
        if bytes > 0 {
            // SAFETY: `grow` made room for `bytes`; no overlap, as checked; `assign` requires that `from` is readable.
            unsafe { std::ptr::copy_nonoverlapping(from.data.cast::<u8>(), value.data.as_ptr(), bytes) };
        }
        if value.ty != Some(ty) || value.shape != shape || value.bytes != bytes {
            self.version += 1;
            value.ty = Some(ty);
            value.bytes = bytes;
            shape.clone_into(&mut value.shape);
        }
        Ok(())
    }

    /// Bytes of all values.
    pub(crate) fn bytes(&self) -> u64 {
        self.values.iter().map(|value| value.data.len() as u64).sum()
    }
}

fn no_such(handle: i32, count: usize) -> Error {
    Error::State(format!("resource handle {handle} does not exist; {count} are open"))
}
