//! Resources: values that outlive an invocation and are shared by all subgraphs, in a linked list in the arena's tail.
//! Ops announce sizes in `prepare`; memory is allocated with the plan.

use core::cell::Cell;
use core::ptr::null_mut;

use arenite_abi::host_side::MAX_RANK;
use arenite_abi::raw::{ArTensorV1, slice};
use arenite_abi::tensor::element_count;
use arenite_abi::{ElementType, Result, ensure, invalid, unsupported};

use super::graph::size_of_elements;
use crate::arena::{ALIGNMENT, Arena, Category};
use crate::error;

/// All resources. A handle is a position in the list.
#[derive(Default)]
pub(crate) struct Resources<'a> {
    first: Cell<Option<&'a Resource<'a>>>,
    last: Cell<Option<&'a Resource<'a>>>,
    count: Cell<i32>,
}

pub(crate) struct Resource<'a> {
    name: &'a [u8],
    value: Cell<ResourceValue>,
    next: Cell<Option<&'a Resource<'a>>>,
}

#[derive(Clone, Copy)]
struct ResourceValue {
    /// `None` before the first assignment.
    ty: Option<ElementType>,
    rank: u8,
    /// The largest rank and size that were announced.
    most_rank: u8,
    capacity: usize,
    dims: *mut i32,
    data: *mut u8,
    bytes: usize,
}

const NO_VALUE: ResourceValue = ResourceValue {
    ty: None,
    rank: 0,
    most_rank: 0,
    capacity: 0,
    dims: null_mut(),
    data: null_mut(),
    bytes: 0,
};

impl<'a> Resources<'a> {
    fn iter(&self) -> impl Iterator<Item = &'a Resource<'a>> {
        let first = if cfg!(feature = "subgraphs") { self.first.get() } else { None };
        core::iter::successors(first, |resource| resource.next.get())
    }

    /// Whether no resource is open.
    #[cfg(feature = "std")]
    pub(crate) fn is_empty(&self) -> bool {
        self.count.get() == 0
    }

    /// The name of each resource and the largest size that was announced, by handle.
    #[cfg(feature = "std")]
    pub(crate) fn announced(&self) -> impl Iterator<Item = (&'a [u8], usize)> {
        self.iter().map(|resource| (resource.name, resource.value.get().capacity))
    }

    /// The handle of the resource named `name`.
    pub(crate) fn find(&self, name: &[u8]) -> Option<i32> {
        (0..).zip(self.iter()).find(|(_, resource)| resource.name == name).map(|(handle, _)| handle)
    }

    /// Adds a resource without a value.
    pub(crate) fn add(&self, name: &[u8], arena: &Arena<'a>) -> error::Result<i32> {
        let name: &'a [u8] = arena.persistent(name.len(), Category::Resources, |i| name[i])?;
        let new = |_| Resource { name, value: Cell::new(NO_VALUE), next: Cell::new(None) };
        let list: &'a [Resource<'a>] = arena.persistent(1, Category::Resources, new)?;
        let new = &list[0];
        match self.last.replace(Some(new)) {
            Some(last) => last.next.set(Some(new)),
            None => self.first.set(Some(new)),
        }
        let handle = self.count.get();
        self.count.set(handle + 1);
        Ok(handle)
    }

    fn get(&self, handle: i32) -> Result<&'a Resource<'a>> {
        let found = usize::try_from(handle).ok().and_then(|i| self.iter().nth(i));
        let count = self.count.get();
        found.ok_or_else(|| invalid!("resource handle {handle} is invalid; {count} resources are open"))
    }

    /// The value; [`ArTensorV1::NONE`] before the first assignment.
    pub(crate) fn value(&self, handle: i32) -> Result<ArTensorV1> {
        let value = self.get(handle)?.value.get();
        let Some(ty) = value.ty else { return Ok(ArTensorV1::NONE) };
        Ok(ArTensorV1 {
            element_type: ty as u32,
            rank: u32::from(value.rank),
            dims: value.dims,
            data: value.data.cast(),
            bytes: value.bytes as u64,
            ..ArTensorV1::NONE
        })
    }

    /// Announces that a value of this rank and size may be assigned.
    pub(crate) fn reserve(&self, handle: i32, value: &ArTensorV1) -> Result<()> {
        let resource = self.get(handle)?;
        let mut known = resource.value.get();
        let ty = ElementType::from_raw(value.element_type);
        if ty.is_none_or(|ty| size_of_elements(ty, 0).is_none()) {
            return Err(unsupported!("string variables are not supported: their size depends on data"));
        }
        ensure!(value.rank as usize <= MAX_RANK, "a variable has rank {}; the limit is 8", value.rank);
        known.most_rank = known.most_rank.max(value.rank as u8);
        known.capacity = known.capacity.max(usize::try_from(value.bytes).unwrap_or(usize::MAX));
        resource.value.set(known);
        Ok(())
    }

    /// Allocates memory for the announced sizes.
    pub(crate) fn place(&self, arena: &Arena<'a>) -> error::Result<()> {
        for resource in self.iter() {
            let mut value = resource.value.get();
            value.data = arena.persistent_bytes(value.capacity, ALIGNMENT, Category::Resources)?.as_ptr();
            value.dims =
                arena.persistent(usize::from(value.most_rank), Category::Resources, |_| 0)?.as_mut_ptr();
            resource.value.set(value);
        }
        Ok(())
    }

    /// Replaces the value by a copy of `from`. On an error the old value stays.
    ///
    /// # Safety
    /// `from.dims` must point to `from.rank` dimensions, and `from.data` to `from.bytes` bytes or be null.
    pub(crate) unsafe fn assign(&self, handle: i32, from: &ArTensorV1) -> Result<()> {
        let resource = self.get(handle)?;
        let mut value = resource.value.get();
        let ty = ElementType::from_raw(from.element_type);
        let ty = ty.ok_or_else(|| invalid!("element type {} is unknown", from.element_type))?;
        // SAFETY: `from.dims` points to `from.rank` dimensions, as `# Safety` requires.
        let shape = unsafe { slice(from.dims, from.rank as usize) };
        let bytes = usize::try_from(from.bytes).ok().filter(|_| !from.data.is_null()).unwrap_or(0);
        let needed = size_of_elements(ty, element_count(shape));
        ensure!(
            needed == Some(bytes) && shape.iter().all(|&d| d >= 0),
            "the new value {ty}{shape:?} has {bytes} bytes"
        );
        let ResourceValue { most_rank, capacity, .. } = value;
        if bytes > capacity || shape.len() > usize::from(most_rank) {
            return Err(unsupported!(
                "the new value {shape:?} has {bytes} bytes; {most_rank} dimensions and {capacity} bytes were announced in prepare"
            ));
        }
        let (own, new) = (value.data.addr(), from.data.addr());
        ensure!(
            bytes == 0 || new >= own + capacity || own >= new + bytes,
            "the new value overlaps the old one; copy it first"
        );
        // SAFETY: the checks above ensure that `bytes` and the rank fit the memory from `place`, and that it does not
        // overlap `from`, which is readable as `# Safety` requires.
        unsafe {
            if bytes > 0 {
                value.data.copy_from_nonoverlapping(from.data.cast::<u8>(), bytes);
            }
            value.dims.copy_from(shape.as_ptr(), shape.len());
        }
        (value.ty, value.rank, value.bytes) = (Some(ty), shape.len() as u8, bytes);
        resource.value.set(value);
        Ok(())
    }
}
