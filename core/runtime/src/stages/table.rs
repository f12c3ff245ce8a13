//! The tensor table of one subgraph: the view that ops and delegates have of each tensor, at fixed addresses.

use std::ptr::NonNull;

use arenite_abi::ElementType;
use arenite_abi::raw::{
    ArQuantizationV1, ArStr, ArTensorV1, MEMORY_DEVICE, TENSOR_CONSTANT, TENSOR_DYNAMIC, TENSOR_IN_FILE,
    TENSOR_VARIABLE, slice,
};

use crate::graph::{Graph, TensorInfo};

pub(crate) use arenite_abi::host_side::MAX_RANK;

/// The table. Plugins read its entries through the pointer from [`as_ptr`](Self::as_ptr), even while the host is about
/// to change other entries. So the host, too, uses raw pointers, and never holds a `&mut` to an entry.
pub(crate) struct TensorTable {
    raw: Fixed<ArTensorV1>,
    /// Two shapes per tensor: a new shape goes to the one that is not published, so that views of the call in progress
    /// keep the old one. That holds for one change per call, and the host's callbacks allow no second one.
    dims: Fixed<[[i32; MAX_RANK]; 2]>,
    _quantization: Fixed<Option<ArQuantizationV1>>,
}

// SAFETY: the pointers lead into the graph, the model and the interpreter's memory, which move with the table.
unsafe impl Send for TensorTable {}

impl TensorTable {
    /// Bytes of the table for each tensor.
    pub(crate) const ENTRY_BYTES: usize =
        size_of::<ArTensorV1>() + size_of::<[[i32; MAX_RANK]; 2]>() + size_of::<Option<ArQuantizationV1>>();

    /// The table of a graph, with the shapes of the model. The graph outlives it and does not change.
    pub(crate) fn new(graph: &Graph) -> Self {
        let quantization: Fixed<Option<ArQuantizationV1>> =
            graph.tensors.iter().map(|tensor| tensor.quantization.as_ref().map(|q| q.to_raw())).collect();
        let entry = |(i, tensor): (usize, &TensorInfo)| ArTensorV1 {
            element_type: tensor.ty as u32,
            rank: 0,
            dims: std::ptr::null(),
            data: std::ptr::null_mut(),
            bytes: 0,
            // SAFETY: the list is complete and never written again.
            quantization: unsafe { &*quantization.at(i) }.as_ref().map_or(std::ptr::null(), |q| q),
            flags: 0,
            memory_kind: 0,
            handle: 0,
            name: ArStr::borrowed(&tensor.name),
        };
        let raw = graph.tensors.iter().enumerate().map(entry).collect();
        let dims = graph.tensors.iter().map(|_| [[0; MAX_RANK]; 2]).collect();
        let mut table = TensorTable { raw, dims, _quantization: quantization };
        for (i, tensor) in graph.tensors.iter().enumerate() {
            table.reset(i, tensor);
        }
        table
    }

    /// Resets the entry to the model's shape and data.
    pub(crate) fn reset(&mut self, i: usize, tensor: &TensorInfo) {
        self.set_flags(i, if tensor.variable { TENSOR_VARIABLE } else { 0 });
        self.set_data(i, std::ptr::null_mut());
        self.set_handle(i, None);
        self.set_shape(i, &tensor.shape, tensor.ty);
        if let Some(constant) = &tensor.constant {
            self.set_flags(i, TENSOR_CONSTANT | if constant.in_file { TENSOR_IN_FILE } else { 0 });
            self.set_data(i, constant.as_ptr().cast_mut());
            self.set_bytes(i, constant.len() as u64);
        }
    }

    /// Number of tensors.
    pub(crate) fn len(&self) -> usize {
        self.raw.count
    }

    /// The table as plugins get it.
    pub(crate) fn as_ptr(&self) -> *const ArTensorV1 {
        self.raw.data.as_ptr()
    }

    /// A copy of an entry.
    #[inline]
    pub(crate) fn get(&self, i: usize) -> ArTensorV1 {
        // SAFETY: entries are initialized, and writing one takes `&mut self`.
        unsafe { self.raw.at(i).read() }
    }

    /// The shape.
    #[inline]
    pub(crate) fn shape(&self, i: usize) -> &[i32] {
        let raw = self.get(i);
        // SAFETY: `set_shape` stored a list of that rank, which lives with the table and is not written under `&self`.
        unsafe { slice(raw.dims, raw.rank as usize) }
    }

    /// Sets the shape and the size in bytes. The size of strings and resources does not depend on the shape and stays.
    pub(crate) fn set_shape(&mut self, i: usize, shape: &[i32], ty: ElementType) {
        let rank = shape.len().min(MAX_RANK);
        let sides: *mut [i32; MAX_RANK] = self.dims.at(i).cast();
        let published = self.get(i).dims == sides.cast_const().cast();
        // SAFETY: there are two sides of MAX_RANK numbers each; only the published one is read.
        let side: *mut i32 = unsafe { sides.add(usize::from(published)) }.cast();
        // SAFETY: `rank` is at most MAX_RANK; `shape` does not overlap the unpublished side, but may be the published
        // one.
        unsafe { std::ptr::copy_nonoverlapping(shape.as_ptr(), side, rank) };
        let entry = self.raw.at(i);
        // SAFETY: the entry exists; plugins make no references to it.
        unsafe {
            (*entry).dims = side;
            (*entry).rank = rank as u32;
        }
        if let Some(bytes) = ty.bytes_of(arenite_abi::tensor::element_count(shape)) {
            self.set_bytes(i, bytes as u64);
        }
    }

    pub(crate) fn set_data(&mut self, i: usize, data: *mut u8) {
        // SAFETY: the entry exists; plugins make no references to it.
        unsafe { (*self.raw.at(i)).data = data.cast() };
    }

    pub(crate) fn set_bytes(&mut self, i: usize, bytes: u64) {
        // SAFETY: as in `set_data`.
        unsafe { (*self.raw.at(i)).bytes = bytes };
    }

    pub(crate) fn set_flags(&mut self, i: usize, flags: u32) {
        // SAFETY: as in `set_data`.
        unsafe { (*self.raw.at(i)).flags = flags };
    }

    /// Records that the value is in device memory under the delegate's `handle`; with `None` it is at the tensor's
    /// data.
    pub(crate) fn set_handle(&mut self, i: usize, handle: Option<u64>) {
        let entry = self.raw.at(i);
        // SAFETY: as in `set_data`.
        unsafe {
            (*entry).memory_kind = if handle.is_some() { MEMORY_DEVICE } else { 0 };
            (*entry).handle = handle.unwrap_or(0);
        }
    }

    /// The delegate's handle of the value, if the value is in device memory.
    pub(crate) fn handle(&self, i: usize) -> Option<u64> {
        let raw = self.get(i);
        (raw.memory_kind != 0).then_some(raw.handle)
    }

    /// The bytes of a tensor that is not constant; nothing if it has no memory.
    pub(crate) fn bytes_mut(&mut self, i: usize) -> &mut [u8] {
        let raw = self.get(i);
        if raw.flags & TENSOR_CONSTANT != 0 || raw.data.is_null() || raw.bytes == 0 {
            return &mut [];
        }
        // SAFETY: a tensor that is not constant has `raw.bytes` initialized bytes in the arena or in lent memory;
        // `&mut self`.
        unsafe { std::slice::from_raw_parts_mut(raw.data.cast::<u8>(), raw.bytes as usize) }
    }

    /// The bytes of a constant; nothing for other tensors.
    pub(crate) fn constant_bytes(&self, i: usize) -> &[u8] {
        let raw = self.get(i);
        if raw.flags & TENSOR_CONSTANT == 0 {
            return &[];
        }
        // SAFETY: a constant's bytes belong to the model or to `Constants`: initialized, and not written under `&self`.
        unsafe { slice(raw.data.cast::<u8>(), raw.bytes as usize) }
    }

    /// Copies the value of a tensor to another one with as many bytes, unless both are in the same memory.
    pub(crate) fn copy(&mut self, from: usize, to: usize) {
        let (source, target) = (self.get(from), self.get(to));
        let has_room = source.bytes == target.bytes && target.flags & TENSOR_CONSTANT == 0;
        if has_room && !source.data.is_null() && !target.data.is_null() && source.data != target.data {
            // SAFETY: both have `bytes` initialized bytes, as in `bytes_mut` and `constant_bytes`; they may overlap.
            unsafe {
                std::ptr::copy(source.data.cast::<u8>(), target.data.cast::<u8>(), source.bytes as usize)
            };
        }
    }

    pub(crate) fn is_constant(&self, i: usize) -> bool {
        self.get(i).flags & TENSOR_CONSTANT != 0
    }

    pub(crate) fn is_dynamic(&self, i: usize) -> bool {
        self.get(i).flags & TENSOR_DYNAMIC != 0
    }
}

/// A list that never moves, owned through a pointer, so that pointers to its elements stay valid when it is written.
struct Fixed<T> {
    data: NonNull<T>,
    count: usize,
}

impl<T> Fixed<T> {
    /// The address of element `i`.
    fn at(&self, i: usize) -> *mut T {
        assert!(i < self.count, "tensor {i} of {}", self.count);
        // SAFETY: in range, as checked.
        unsafe { self.data.as_ptr().add(i) }
    }
}

impl<T> FromIterator<T> for Fixed<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let list: Box<[T]> = items.into_iter().collect();
        let count = list.len();
        let data = NonNull::from(Box::leak(list)).cast();
        Fixed { data, count }
    }
}

impl<T> Drop for Fixed<T> {
    fn drop(&mut self) {
        let list = std::ptr::slice_from_raw_parts_mut(self.data.as_ptr(), self.count);
        // SAFETY: leaked by `from_iter`; all pointers into the list are out of use when the table is dropped.
        drop(unsafe { Box::from_raw(list) });
    }
}
