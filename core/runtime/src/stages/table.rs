//! The tensor table of one subgraph: what ops and delegates see of each tensor, at addresses that do not change.

use std::ptr::NonNull;

use arenite_abi::ElementType;
use arenite_abi::raw::{
    ArQuantizationV1, ArStr, ArTensorV1, MEMORY_DEVICE, TENSOR_CONSTANT, TENSOR_DYNAMIC, TENSOR_VARIABLE,
    slice,
};

use crate::graph::{Graph, TensorInfo};

pub(crate) use arenite_abi::host_side::MAX_RANK;

/// The table. Plugins read its entries through the pointer that [`as_ptr`](Self::as_ptr) gave them, also while the host
/// is about to change others; so the host, too, goes through raw pointers, and never holds a `&mut` to an entry.
pub(crate) struct TensorTable {
    raw: Fixed<ArTensorV1>,
    /// Two shapes per tensor: a changed shape goes where the published one is not, so that views of the call in progress
    /// keep theirs. That holds for one change per call, and the host's callbacks allow no second one.
    dims: Fixed<[[i32; MAX_RANK]; 2]>,
    _quantization: Fixed<Option<ArQuantizationV1>>,
}

// SAFETY: the pointers lead into the graph, the model and the interpreter's memory, which move with the table.
unsafe impl Send for TensorTable {}

impl TensorTable {
    /// Bytes of the table for each tensor.
    pub const ENTRY_BYTES: usize =
        size_of::<ArTensorV1>() + size_of::<[[i32; MAX_RANK]; 2]>() + size_of::<Option<ArQuantizationV1>>();

    /// The table of a graph, with the shapes of the model. The graph outlives it and does not change.
    pub fn new(graph: &Graph) -> Self {
        let quantization: Fixed<Option<ArQuantizationV1>> =
            graph.tensors.iter().map(|tensor| tensor.quantization.as_ref().map(|q| q.to_raw())).collect();
        let entry = |(i, tensor): (usize, &TensorInfo)| ArTensorV1 {
            element_type: tensor.ty as u32,
            rank: 0,
            dims: std::ptr::null(),
            data: std::ptr::null_mut(),
            bytes: 0,
            // SAFETY: nobody writes to the list any more.
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

    /// Back to what the model says.
    pub fn reset(&mut self, i: usize, tensor: &TensorInfo) {
        self.set_flags(i, if tensor.variable { TENSOR_VARIABLE } else { 0 });
        self.set_data(i, std::ptr::null_mut());
        self.set_handle(i, None);
        self.set_shape(i, &tensor.shape, tensor.ty);
        if let Some(constant) = &tensor.constant {
            self.set_flags(i, TENSOR_CONSTANT);
            self.set_data(i, constant.as_ptr().cast_mut());
            self.set_bytes(i, constant.len() as u64);
        }
    }

    /// Number of tensors.
    pub fn len(&self) -> usize {
        self.raw.count
    }

    /// The table as plugins get it.
    pub fn as_ptr(&self) -> *const ArTensorV1 {
        self.raw.data.as_ptr()
    }

    /// A copy of an entry.
    #[inline]
    pub fn get(&self, i: usize) -> ArTensorV1 {
        // SAFETY: entries are initialised; those who write them have `&mut self`.
        unsafe { self.raw.at(i).read() }
    }

    /// The shape.
    #[inline]
    pub fn shape(&self, i: usize) -> &[i32] {
        let raw = self.get(i);
        // SAFETY: `set_shape` stored a list of that rank, which lives with the table and is not written under `&self`.
        unsafe { slice(raw.dims, raw.rank as usize) }
    }

    /// Sets the shape and with it the bytes; those of strings and resources stay.
    pub fn set_shape(&mut self, i: usize, shape: &[i32], ty: ElementType) {
        let rank = shape.len().min(MAX_RANK);
        let sides: *mut [i32; MAX_RANK] = self.dims.at(i).cast();
        let published = self.get(i).dims == sides.cast_const().cast();
        // SAFETY: there are two sides of MAX_RANK numbers each, and nobody reads the one that is not published.
        let side: *mut i32 = unsafe { sides.add(usize::from(published)) }.cast();
        // SAFETY: `rank` is at most MAX_RANK; the shape is elsewhere: at most it is the published side.
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

    pub fn set_data(&mut self, i: usize, data: *mut u8) {
        // SAFETY: the entry exists; plugins make no references to it.
        unsafe { (*self.raw.at(i)).data = data.cast() };
    }

    pub fn set_bytes(&mut self, i: usize, bytes: u64) {
        // SAFETY: as in `set_data`.
        unsafe { (*self.raw.at(i)).bytes = bytes };
    }

    pub fn set_flags(&mut self, i: usize, flags: u32) {
        // SAFETY: as in `set_data`.
        unsafe { (*self.raw.at(i)).flags = flags };
    }

    /// Its value is in memory of a delegate's device, which the delegate calls `handle`; `None`: at its data.
    pub fn set_handle(&mut self, i: usize, handle: Option<u64>) {
        let entry = self.raw.at(i);
        // SAFETY: as in `set_data`.
        unsafe {
            (*entry).memory_kind = if handle.is_some() { MEMORY_DEVICE } else { 0 };
            (*entry).handle = handle.unwrap_or(0);
        }
    }

    /// What its value is called in memory of a delegate's device, if it is there.
    pub fn handle(&self, i: usize) -> Option<u64> {
        let raw = self.get(i);
        (raw.memory_kind != 0).then_some(raw.handle)
    }

    /// The bytes of a constant; nothing for other tensors.
    pub fn constant_bytes(&self, i: usize) -> &[u8] {
        let raw = self.get(i);
        if raw.flags & TENSOR_CONSTANT == 0 {
            return &[];
        }
        // SAFETY: a constant's bytes are the model's or those of `Constants`: initialised, and not written under `&self`.
        unsafe { slice(raw.data.cast::<u8>(), raw.bytes as usize) }
    }

    pub fn is_constant(&self, i: usize) -> bool {
        self.get(i).flags & TENSOR_CONSTANT != 0
    }

    pub fn is_dynamic(&self, i: usize) -> bool {
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
        // SAFETY: leaked by `from_iter`; whoever had pointers into it is gone.
        drop(unsafe { Box::from_raw(list) });
    }
}
