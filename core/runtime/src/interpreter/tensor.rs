//! Tensors as the caller sees them.

use std::ffi::c_void;

use arenite_abi::raw::{ArTensorV1, TENSOR_CONSTANT, slice};
use arenite_abi::{Element, ElementType};

use super::strings;
use crate::error::{Error, ItemKind, Result};
use crate::graph::Graph;
use crate::stages::table::TensorTable;

/// A tensor of an interpreter.
pub struct Tensor<'a> {
    /// Its name in the model.
    pub name: &'a str,
    /// Element type.
    pub ty: ElementType,
    /// Dimensions, outermost first.
    pub shape: &'a [i32],
    /// `real = scale × (q − zero_point)`: one scale, or one per slice of `quantized_dimension`; empty if not quantized.
    pub scales: &'a [f32],
    /// See `scales`.
    pub zero_points: &'a [i64],
    /// See `scales`.
    pub quantized_dimension: usize,
    /// The shape with −1 for dimensions that the caller can choose; empty if the model does not define it.
    pub shape_signature: &'a [i32],
    /// Whether the interpreter is allocated or the value is a constant of the model.
    pub(super) readable: bool,
    /// The delegate whose partition contains the tensor, if it has no memory outside the partition.
    pub(super) inside: Option<&'a str>,
    /// Whether the program bound device memory to it.
    pub(super) bound: bool,
    data: *mut c_void,
    bytes: usize,
    flags: u32,
    memory_kind: u32,
}

impl<'a> Tensor<'a> {
    /// Tensor `index` of a subgraph; `readable` if it is allocated.
    pub(crate) fn of(graph: &'a Graph, table: &'a TensorTable, index: usize, readable: bool) -> Result<Self> {
        let Some(info) = graph.tensors.get(index) else {
            let count = graph.tensors.len();
            return Err(Error::State(format!(
                "tensor {index} does not exist; subgraph {} has {count}",
                graph.index
            )));
        };
        let ArTensorV1 { data, bytes, flags, memory_kind, .. } = table.get(index);
        Ok(Tensor {
            name: &info.name,
            ty: info.ty,
            shape: table.shape(index),
            scales: info.quantization.as_ref().map_or(&[], |q| &q.scales),
            zero_points: info.quantization.as_ref().map_or(&[], |q| &q.zero_points),
            quantized_dimension: info.quantization.as_ref().map_or(0, |q| q.dimension as usize),
            shape_signature: &info.shape_signature,
            readable: readable || info.constant.is_some(),
            inside: None,
            bound: false,
            data,
            bytes: bytes as usize,
            flags,
            memory_kind,
        })
    }

    /// Whether only the data is missing: the tensor is readable and not empty, but its data pointer is null.
    pub(super) fn lacks_memory(&self) -> bool {
        self.readable && self.data.is_null() && self.bytes > 0
    }

    /// Bytes of data.
    pub fn byte_len(&self) -> usize {
        self.bytes
    }

    /// Whether its value is part of the model, or was computed once when memory was allocated.
    pub fn is_constant(&self) -> bool {
        self.flags & TENSOR_CONSTANT != 0
    }

    /// The data as bytes.
    ///
    /// # Errors
    /// The interpreter is not allocated, the tensor is inside a partition, or its value is on a device.
    pub fn bytes(&self) -> Result<&'a [u8]> {
        self.check()?;
        // SAFETY: an allocated interpreter gives each of its tensors `byte_len` bytes of memory; they are initialised,
        // and borrowed from the interpreter for `'a`.
        Ok(unsafe { slice(self.data.cast::<u8>().cast_const(), self.byte_len()) })
    }

    /// The data as elements.
    ///
    /// # Errors
    /// `T` is not the tensor's type; also the errors of [`bytes`](Self::bytes).
    pub fn as_slice<T: Element>(&self) -> Result<&'a [T]> {
        self.check_type::<T>()?;
        let bytes = self.bytes()?;
        // SAFETY: memory of an interpreter is aligned for every element type, and any bit pattern is a `T`.
        Ok(unsafe { slice(bytes.as_ptr().cast::<T>(), bytes.len() / size_of::<T>()) })
    }

    /// The elements of a tensor of strings.
    ///
    /// # Errors
    /// The tensor has another type, or its bytes are not valid packed strings.
    pub fn strings(&self) -> Result<Vec<&'a [u8]>> {
        if self.ty != ElementType::String {
            return self.refuse(format!("it is {}, not STRING", self.ty));
        }
        match strings::unpack(self.bytes()?) {
            Some(strings) => Ok(strings),
            None => self.refuse("its bytes are no packed strings".into()),
        }
    }

    fn check(&self) -> Result<()> {
        if !self.readable {
            return Err(Error::State(format!(
                "tensor '{}' has no memory yet: call allocate() after building the interpreter, each resize and each loan",
                self.name
            )));
        }
        if let Some(delegate) = self.inside {
            return self
                .refuse(format!("it has no memory: delegate {delegate} computes it within a partition"));
        }
        if self.bound {
            return self.refuse(
                "its value is in device memory that the program bound to it: read and write it there, or call \
                 unbind_device_memory"
                    .into(),
            );
        }
        if self.memory_kind != 0 {
            return self.refuse(
                "its value stayed on its delegate's device; with preserve_all in [planner] it comes back"
                    .into(),
            );
        }
        if self.lacks_memory() {
            return self.refuse("it has no memory; its shape becomes known when the model has run".into());
        }
        Ok(())
    }

    fn check_type<T: Element>(&self) -> Result<()> {
        if T::TYPE != self.ty {
            return self.refuse(format!("it is {}, not {}", self.ty, T::TYPE));
        }
        Ok(())
    }

    pub(crate) fn refuse<T>(&self, message: String) -> Result<T> {
        Err(Error::Tensor { name: self.name.to_owned(), message })
    }
}

/// A tensor of an interpreter, for writing.
pub struct TensorMut<'a> {
    pub(super) tensor: Tensor<'a>,
}

impl<'a> TensorMut<'a> {
    /// Its description.
    pub fn tensor(&self) -> &Tensor<'a> {
        &self.tensor
    }

    /// The data as bytes.
    ///
    /// # Errors
    /// The tensor is of strings, or has no memory, for example before [`allocate`](crate::Interpreter::allocate).
    pub fn into_bytes(self) -> Result<&'a mut [u8]> {
        if self.tensor.ty == ElementType::String {
            return self
                .tensor
                .refuse("it is STRING: set it with set_input_strings or set_strings_of".into());
        }
        let bytes = self.tensor.bytes()?.len();
        if bytes == 0 {
            return Ok(&mut []);
        }
        // SAFETY: as in `Tensor::bytes`; the interpreter is borrowed mutably for `'a`, and the tensor is not constant.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.tensor.data.cast::<u8>(), bytes) })
    }

    /// The data as elements.
    ///
    /// # Errors
    /// `T` is not the tensor's type, or the tensor has no memory.
    pub fn into_slice<T: Element>(self) -> Result<&'a mut [T]> {
        self.tensor.check_type::<T>()?;
        let bytes = self.into_bytes()?;
        if bytes.is_empty() {
            return Ok(&mut []);
        }
        // SAFETY: as in `Tensor::as_slice`.
        Ok(unsafe {
            std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast::<T>(), bytes.len() / size_of::<T>())
        })
    }

    /// Copies `data` into the tensor.
    ///
    /// # Errors
    /// The type or the length differs, or the tensor has no memory.
    pub fn copy_from_slice<T: Element>(self, data: &[T]) -> Result<()> {
        let name = self.tensor.name;
        let target = self.into_slice::<T>()?;
        if target.len() != data.len() {
            let message = format!("it has {} elements, {} are given", target.len(), data.len());
            return Err(Error::Tensor { name: name.to_owned(), message });
        }
        target.copy_from_slice(data);
        Ok(())
    }

    /// Copies `bytes` into the tensor.
    ///
    /// # Errors
    /// The length differs, or the tensor has no memory.
    pub fn copy_from_bytes(self, bytes: &[u8]) -> Result<()> {
        let name = self.tensor.name;
        let target = self.into_bytes()?;
        if target.len() != bytes.len() {
            let message = format!("it has {} bytes, {} are given", target.len(), bytes.len());
            return Err(Error::Tensor { name: name.to_owned(), message });
        }
        target.copy_from_slice(bytes);
        Ok(())
    }
}

/// Inputs or outputs.
#[derive(Clone, Copy)]
pub(crate) enum Port {
    Input,
    Output,
}

impl Port {
    pub(crate) fn named(self) -> ItemKind {
        match self {
            Port::Input => ItemKind::Input,
            Port::Output => ItemKind::Output,
        }
    }
}
