//! The tensor table of one subgraph: what ops and delegates see of each tensor, at addresses that do not change.

use arenite_abi::ElementType;
use arenite_abi::raw::{ArQuantizationV1, ArTensorV1, TENSOR_CONSTANT, TENSOR_DYNAMIC, TENSOR_VARIABLE};

use crate::graph::Graph;

/// Highest rank of a tensor.
pub(crate) const MAX_RANK: usize = 8;

/// The table. Its entries are read by plugins through raw pointers while the host changes others, so the table makes no
/// references to them.
pub(crate) struct TensorTable {
    raw: Box<[ArTensorV1]>,
    /// Two shapes per tensor: a changed shape goes where the published one is not, so that views keep theirs.
    dims: Box<[[[i32; MAX_RANK]; 2]]>,
    _quantization: Box<[Option<ArQuantizationV1>]>,
}

// SAFETY: the pointers lead into the graph, the model and the interpreter's memory, which move with the table.
unsafe impl Send for TensorTable {}

impl TensorTable {
    /// The table of a graph, with the shapes of the model. The graph outlives it and does not change.
    pub fn new(graph: &Graph) -> Self {
        let quantization: Box<[Option<ArQuantizationV1>]> =
            graph.tensors.iter().map(|tensor| tensor.quantization.as_ref().map(|q| q.to_raw())).collect();
        let dims: Box<[[[i32; MAX_RANK]; 2]]> = vec![[[0; MAX_RANK]; 2]; graph.tensors.len()].into();
        let raw = graph
            .tensors
            .iter()
            .zip(&quantization)
            .map(|(tensor, quantization)| ArTensorV1 {
                element_type: tensor.ty as u32,
                rank: 0,
                dims: std::ptr::null(),
                data: std::ptr::null_mut(),
                bytes: 0,
                quantization: quantization.as_ref().map_or(std::ptr::null(), |q| q),
                flags: if tensor.variable { TENSOR_VARIABLE } else { 0 },
                memory_kind: 0,
                handle: 0,
                name: arenite_abi::raw::ArStr::borrowed(&tensor.name),
            })
            .collect();
        let mut table = TensorTable { raw, dims, _quantization: quantization };
        for (i, tensor) in graph.tensors.iter().enumerate() {
            table.reset(i, tensor);
        }
        table
    }

    /// Back to what the model says.
    pub fn reset(&mut self, i: usize, tensor: &crate::graph::TensorInfo) {
        self.set_flags(i, if tensor.variable { TENSOR_VARIABLE } else { 0 });
        self.set_data(i, std::ptr::null_mut());
        self.set_shape(i, &tensor.shape, tensor.ty);
        if let Some(constant) = &tensor.constant {
            self.set_flags(i, TENSOR_CONSTANT);
            self.set_data(i, constant.as_ptr().cast_mut());
            self.entry_mut(i, |raw| raw.bytes = constant.len() as u64);
        }
    }

    /// Number of tensors.
    pub fn len(&self) -> usize {
        self.raw.len()
    }

    /// The table as plugins get it.
    pub fn as_ptr(&self) -> *const ArTensorV1 {
        self.raw.as_ptr()
    }

    /// A copy of an entry.
    pub fn get(&self, i: usize) -> ArTensorV1 {
        self.raw[i]
    }

    /// The shape.
    pub fn shape(&self, i: usize) -> &[i32] {
        let raw = &self.raw[i];
        let side = usize::from(!std::ptr::eq(raw.dims, self.dims[i][0].as_ptr()));
        &self.dims[i][side][..raw.rank as usize]
    }

    /// Sets the shape and with it the bytes; those of strings and resources stay.
    pub fn set_shape(&mut self, i: usize, shape: &[i32], ty: ElementType) {
        let rank = shape.len().min(MAX_RANK);
        let side = usize::from(std::ptr::eq(self.raw[i].dims, self.dims[i][0].as_ptr()));
        self.dims[i][side][..rank].copy_from_slice(&shape[..rank]);
        let dims = self.dims[i][side].as_ptr();
        let bytes = ty.bytes_of(arenite_abi::tensor::element_count(shape));
        self.entry_mut(i, |raw| {
            raw.dims = dims;
            raw.rank = rank as u32;
            if let Some(bytes) = bytes {
                raw.bytes = bytes as u64;
            }
        });
    }

    pub fn set_data(&mut self, i: usize, data: *mut u8) {
        self.entry_mut(i, |raw| raw.data = data.cast());
    }

    pub fn set_bytes(&mut self, i: usize, bytes: u64) {
        self.entry_mut(i, |raw| raw.bytes = bytes);
    }

    pub fn set_flags(&mut self, i: usize, flags: u32) {
        self.entry_mut(i, |raw| raw.flags = flags);
    }

    pub fn is_constant(&self, i: usize) -> bool {
        self.raw[i].flags & TENSOR_CONSTANT != 0
    }

    pub fn is_dynamic(&self, i: usize) -> bool {
        self.raw[i].flags & TENSOR_DYNAMIC != 0
    }

    fn entry_mut(&mut self, i: usize, change: impl FnOnce(&mut ArTensorV1)) {
        change(&mut self.raw[i]);
    }
}
