//! Functions of `arenite/tensor.h`. A tensor handle identifies a tensor of an interpreter; its shape and data are read
//! from the interpreter on each call.

mod bind;
mod lend;
mod values;

use std::ffi::{CString, c_char, c_void};
use std::ptr;
use std::sync::OnceLock;

use arenite::{ElementType, Tensor, TensorMut};

use crate::arguments::{give_list, list, null, put, shared};
use crate::error::{ArError, Failure, Result, c_string, guard, guard_value};
use crate::interpreter::{ArInterpreter, State, TensorKey};

pub use bind::*;
pub use lend::*;
pub use values::*;

/// A tensor of an interpreter. The handle holds a copy of the properties that never change.
pub struct ArTensor {
    owner: *const ArInterpreter,
    place: TensorKey,
    name: CString,
    ty: ElementType,
    is_variable: bool,
    shape_signature: Vec<i32>,
    scales: Vec<f32>,
    zero_points: Vec<i64>,
    quantized_dimension: i32,
}

/// The parameters of `real = scale * (q - zero_point)`.
#[repr(C)]
pub struct ArQuantization {
    scales: *const f32,
    zero_points: *const i64,
    count: usize,
    dimension: i32,
}

/// A string: bytes with a length, not null-terminated.
#[repr(C)]
pub struct ArString {
    data: *const c_char,
    length: usize,
}

impl ArTensor {
    pub(crate) fn new(
        owner: *const ArInterpreter,
        place: TensorKey,
        tensor: &Tensor<'_>,
        is_variable: bool,
    ) -> Self {
        // A model may have many scales with only one zero point, or with none.
        let zero_point = |i| match tensor.zero_points {
            [one] => *one,
            many => many.get(i).copied().unwrap_or(0),
        };
        ArTensor {
            owner,
            place,
            name: c_string(tensor.name),
            ty: tensor.ty,
            is_variable,
            shape_signature: tensor.shape_signature.to_vec(),
            scales: tensor.scales.to_vec(),
            zero_points: (0..tensor.scales.len()).map(zero_point).collect(),
            quantized_dimension: i32::try_from(tensor.quantized_dimension).unwrap_or(0),
        }
    }

    /// Locks the interpreter and calls `body` with its state and the tensor's place.
    pub(crate) fn with_state<R>(&self, body: impl FnOnce(&mut State, TensorKey) -> Result<R>) -> Result<R> {
        // SAFETY: the interpreter owns this handle, so it exists as long as the handle.
        let owner = unsafe { &*self.owner };
        let mut state = owner.lock()?;
        body(&mut state, self.place)
    }
}

/// Calls `body` with the tensor in its current state.
pub(crate) fn read<R>(tensor: *const ArTensor, body: impl FnOnce(Tensor<'_>) -> Result<R>) -> Result<R> {
    // SAFETY: `tensor` is null or a live handle, as the header requires.
    let tensor = unsafe { shared(tensor, "tensor") }?;
    tensor.with_state(|state, place| body(state.read(place)?))
}

/// Calls `body` with the tensor for writing.
pub(crate) fn write<R>(tensor: *const ArTensor, body: impl FnOnce(TensorMut<'_>) -> Result<R>) -> Result<R> {
    // SAFETY: `tensor` is null or a live handle, as the header requires.
    let tensor = unsafe { shared(tensor, "tensor") }?;
    tensor.with_state(|state, place| body(state.write(place)?))
}

/// Calls `body` with the properties that never change. Returns `otherwise` for null.
fn fixed<R>(tensor: *const ArTensor, otherwise: R, body: impl FnOnce(&ArTensor) -> R) -> R {
    // SAFETY: `tensor` is null or a live handle, as the header requires.
    guard_value(otherwise, || Ok(body(unsafe { shared(tensor, "tensor") }?)))
}

/// The tensor's name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_name(tensor: *const ArTensor) -> *const c_char {
    fixed(tensor, ptr::null(), |tensor| tensor.name.as_ptr())
}

/// The element type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_type(tensor: *const ArTensor) -> u32 {
    fixed(tensor, 0, |tensor| tensor.ty as u32)
}

/// The number of dimensions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_rank(tensor: *const ArTensor) -> usize {
    guard_value(0, || read(tensor, |tensor| Ok(tensor.shape.len())))
}

/// The size of a dimension; −1 if the axis is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_dim(tensor: *const ArTensor, axis: usize) -> i32 {
    guard_value(-1, || read(tensor, |tensor| Ok(tensor.shape.get(axis).copied().unwrap_or(-1))))
}

/// The number of elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_element_count(tensor: *const ArTensor) -> usize {
    guard_value(0, || {
        read(tensor, |tensor| {
            let dim = |product: usize, &dim: &i32| product.checked_mul(usize::try_from(dim).ok()?);
            Ok(tensor.shape.iter().try_fold(1, dim).unwrap_or(0))
        })
    })
}

/// The size of the data in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_byte_size(tensor: *const ArTensor) -> usize {
    guard_value(0, || read(tensor, |tensor| Ok(tensor.byte_len())))
}

/// Whether the tensor keeps its value from one invocation to the next.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_is_variable(tensor: *const ArTensor) -> bool {
    fixed(tensor, false, |tensor| tensor.is_variable)
}

/// The index of the tensor's subgraph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_subgraph(tensor: *const ArTensor) -> usize {
    fixed(tensor, 0, |tensor| tensor.place.subgraph)
}

/// The tensor's index in its subgraph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_index(tensor: *const ArTensor) -> usize {
    fixed(tensor, 0, |tensor| tensor.place.tensor)
}

/// The shape with −1 for dimensions that may change.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_shape_signature(tensor: *const ArTensor, rank: *mut usize) -> *const i32 {
    fixed(tensor, ptr::null(), |tensor| {
        // SAFETY: `rank` is null or writable, as the header requires.
        unsafe { give_list(&tensor.shape_signature, rank) }
    })
}

/// Changes the shape of an input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_resize(
    tensor: *mut ArTensor,
    dims: *const i32,
    rank: usize,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `tensor` is null or a live handle, as the header requires.
        let (tensor, dims) = unsafe { (shared(tensor, "tensor")?, list(dims, rank, "dims")?) };
        tensor
            .with_state(|state, place| Ok(state.interpreter.resize_of(place.subgraph, place.tensor, dims)?))
    })
}

/// Whether the tensor's value is part of the model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_is_constant(tensor: *const ArTensor) -> bool {
    guard_value(false, || read(tensor, |tensor| Ok(tensor.is_constant())))
}

/// The first scale; 0 if the tensor is not quantized.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_scale(tensor: *const ArTensor) -> f32 {
    fixed(tensor, 0.0, |tensor| tensor.scales.first().copied().unwrap_or(0.0))
}

/// The first zero point; 0 if the tensor is not quantized.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_zero_point(tensor: *const ArTensor) -> i64 {
    fixed(tensor, 0, |tensor| tensor.zero_points.first().copied().unwrap_or(0))
}

/// All scales and zero points of the tensor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_quantization(
    tensor: *const ArTensor,
    quantization: *mut ArQuantization,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `tensor` is null or a live handle, as the header requires.
        let tensor = unsafe { shared(tensor, "tensor") }?;
        let (scales, zero_points, count) = match tensor.scales.len() {
            0 => (ptr::null(), ptr::null(), 0),
            count => (tensor.scales.as_ptr(), tensor.zero_points.as_ptr(), count),
        };
        let value = ArQuantization { scales, zero_points, count, dimension: tensor.quantized_dimension };
        // SAFETY: `quantization` is null or writable, as the header requires.
        unsafe { put(quantization, "quantization", value) }
    })
}

/// The address of the data, for reading.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_data(tensor: *const ArTensor, data: *mut *const c_void) -> *mut ArError {
    guard(|| {
        // SAFETY: `data` is null or writable, as the header requires.
        unsafe { put(data, "data", ptr::null()) }?;
        let bytes = read(tensor, |tensor| Ok(tensor.bytes()?.as_ptr()))?;
        // SAFETY: `data` is writable: the first `put` has checked that it is not null.
        unsafe { put(data, "data", bytes.cast()) }
    })
}

/// The address of an input's data, for writing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_data_mut(tensor: *mut ArTensor, data: *mut *mut c_void) -> *mut ArError {
    guard(|| {
        // SAFETY: `data` is null or writable, as the header requires.
        unsafe { put(data, "data", ptr::null_mut()) }?;
        let bytes = write(tensor, |tensor| Ok(tensor.into_bytes()?.as_mut_ptr()))?;
        // SAFETY: `data` is writable: the first `put` has checked that it is not null.
        unsafe { put(data, "data", bytes.cast()) }
    })
}

/// Copies data into an input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_copy_from(
    tensor: *mut ArTensor,
    buffer: *const c_void,
    size: usize,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `buffer` is null or has the given number of elements, as the header requires.
        let bytes = unsafe { list(buffer.cast::<u8>(), size, "buffer") }?;
        write(tensor, |tensor| {
            let own = tensor.tensor().bytes().map_or(ptr::null()..ptr::null(), <[u8]>::as_ptr_range);
            let given = bytes.as_ptr_range();
            // Data that overlaps the tensor's own memory is copied first, so that nothing is read while it is borrowed
            // mutably.
            let overlaps = given.start < own.end && own.start < given.end;
            let copy = if overlaps { bytes.to_vec() } else { Vec::new() };
            Ok(tensor.copy_from_bytes(if overlaps { &copy } else { bytes })?)
        })
    })
}

/// Copies the data to a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_copy_to(
    tensor: *const ArTensor,
    buffer: *mut c_void,
    size: usize,
) -> *mut ArError {
    guard(|| {
        read(tensor, |tensor| {
            let bytes = tensor.bytes()?;
            if bytes.len() != size {
                return Err(Failure::argument(format!(
                    "tensor '{}' has {} bytes, but the buffer has {size}",
                    tensor.name,
                    bytes.len()
                )));
            }
            if size > 0 && buffer.is_null() {
                return Err(null("buffer"));
            }
            // SAFETY: `buffer` is not null, as checked, and has `size` bytes, as the header requires; `ptr::copy`
            // permits that it is the tensor's own memory.
            unsafe { ptr::copy(bytes.as_ptr(), buffer.cast::<u8>(), size) };
            Ok(())
        })
    })
}

/// Copies strings into an input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_set_strings(
    tensor: *mut ArTensor,
    strings: *const ArString,
    count: usize,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `tensor` is null or a live handle, as the header requires.
        let (tensor, strings) = unsafe { (shared(tensor, "tensor")?, list(strings, count, "strings")?) };
        let bytes = |(i, string): (usize, &ArString)| {
            // SAFETY: the header requires `length` bytes at `data`; `list` checks for null.
            unsafe { list(string.data.cast::<u8>(), string.length, &format!("strings[{i}].data")) }
        };
        let strings = strings.iter().enumerate().map(bytes).collect::<Result<Vec<&[u8]>>>()?;
        tensor.with_state(|state, place| state.write_strings(place, &strings))
    })
}

/// Writes addresses and lengths of the elements of a string tensor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_strings(
    tensor: *const ArTensor,
    strings: *mut ArString,
    count: usize,
) -> *mut ArError {
    guard(|| {
        read(tensor, |tensor| {
            let found = tensor.strings()?;
            if found.len() != count {
                return Err(Failure::argument(format!(
                    "tensor '{}' has {} strings, but the array has {count} elements",
                    tensor.name,
                    found.len()
                )));
            }
            if count > 0 && strings.is_null() {
                return Err(null("strings"));
            }
            for (i, string) in found.iter().enumerate() {
                let string = ArString { data: string.as_ptr().cast(), length: string.len() };
                // SAFETY: `strings` is not null, as checked, and has `count` elements, as the header requires; `i` is
                // below `count`.
                unsafe { strings.add(i).write(string) };
            }
            Ok(())
        })
    })
}

/// The name of an element type; null for a number that is not a type.
#[unsafe(no_mangle)]
pub extern "C" fn ar_type_name(element_type: u32) -> *const c_char {
    static NAMES: OnceLock<Vec<CString>> = OnceLock::new();
    guard_value(ptr::null(), || {
        let names = NAMES.get_or_init(|| ElementType::ALL.iter().map(|ty| c_string(ty.name())).collect());
        let position = ElementType::ALL.iter().position(|&ty| ty as u32 == element_type);
        Ok(position.and_then(|i| names.get(i)).map_or(ptr::null(), |name| name.as_ptr()))
    })
}
