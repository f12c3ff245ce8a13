//! Tensors: handles that name a tensor of an interpreter and ask for its shape and data anew each time.

use std::ffi::{CString, c_char, c_void};
use std::ptr;
use std::sync::OnceLock;

use arenite::{ElementType, Tensor, TensorMut};

use crate::arguments::{give_list, list, null, put, shared};
use crate::error::{ArError, Failure, Result, c_string, guard, guard_value};
use crate::interpreter::{ArInterpreter, Place, State};

/// A tensor of an interpreter. What cannot change is kept here.
pub struct ArTensor {
    owner: *const ArInterpreter,
    place: Place,
    name: CString,
    ty: ElementType,
    is_variable: bool,
    shape_signature: Vec<i32>,
    scales: Vec<f32>,
    zero_points: Vec<i64>,
    quantized_dimension: i32,
}

/// `real = scale * (q - zero_point)`.
#[repr(C)]
pub struct ArQuantization {
    scales: *const f32,
    zero_points: *const i64,
    count: usize,
    dimension: i32,
}

/// Bytes with a length.
#[repr(C)]
pub struct ArString {
    data: *const c_char,
    length: usize,
}

impl ArTensor {
    pub(crate) fn new(
        owner: *const ArInterpreter,
        place: Place,
        tensor: &Tensor<'_>,
        is_variable: bool,
    ) -> Self {
        // A model may give one zero point, or none, for many scales.
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

    /// Calls `body` with the interpreter's state, locked, and the tensor's place in it.
    pub(crate) fn with_state<R>(&self, body: impl FnOnce(&mut State, Place) -> Result<R>) -> Result<R> {
        // SAFETY: the interpreter owns this handle, so it is alive.
        let owner = unsafe { &*self.owner };
        let mut state = owner.lock()?;
        body(&mut state, self.place)
    }
}

/// Calls `body` with the tensor as it is now.
pub(crate) fn read<R>(tensor: *const ArTensor, body: impl FnOnce(Tensor<'_>) -> Result<R>) -> Result<R> {
    // SAFETY: `tensor` is null or a live handle, as `# Safety` requires.
    let tensor = unsafe { shared(tensor, "tensor") }?;
    tensor.with_state(|state, place| body(state.read(place)?))
}

/// Calls `body` with the tensor, to be written.
pub(crate) fn write<R>(tensor: *const ArTensor, body: impl FnOnce(TensorMut<'_>) -> Result<R>) -> Result<R> {
    // SAFETY: `tensor` is null or a live handle, as `# Safety` requires.
    let tensor = unsafe { shared(tensor, "tensor") }?;
    tensor.with_state(|state, place| body(state.write(place)?))
}

/// Calls `body` with what of the tensor never changes.
fn fixed<R>(tensor: *const ArTensor, otherwise: R, body: impl FnOnce(&ArTensor) -> R) -> R {
    // SAFETY: `tensor` is null or a live handle, as `# Safety` requires.
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

/// Number of dimensions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_rank(tensor: *const ArTensor) -> usize {
    guard_value(0, || read(tensor, |tensor| Ok(tensor.shape.len())))
}

/// A dimension, or -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_dim(tensor: *const ArTensor, axis: usize) -> i32 {
    guard_value(-1, || read(tensor, |tensor| Ok(tensor.shape.get(axis).copied().unwrap_or(-1))))
}

/// Number of elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_element_count(tensor: *const ArTensor) -> usize {
    guard_value(0, || {
        read(tensor, |tensor| {
            let dim = |product: usize, &dim: &i32| product.checked_mul(usize::try_from(dim).ok()?);
            Ok(tensor.shape.iter().try_fold(1, dim).unwrap_or(0))
        })
    })
}

/// Bytes of data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_byte_size(tensor: *const ArTensor) -> usize {
    guard_value(0, || read(tensor, |tensor| Ok(tensor.byte_len())))
}

/// Whether it keeps its value from one invocation to the next.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_is_variable(tensor: *const ArTensor) -> bool {
    fixed(tensor, false, |tensor| tensor.is_variable)
}

/// The subgraph that it belongs to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_subgraph(tensor: *const ArTensor) -> usize {
    fixed(tensor, 0, |tensor| tensor.place.subgraph)
}

/// Its index in the subgraph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_index(tensor: *const ArTensor) -> usize {
    fixed(tensor, 0, |tensor| tensor.place.tensor)
}

/// The shape with −1 for dimensions that the caller may choose.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_shape_signature(tensor: *const ArTensor, rank: *mut usize) -> *const i32 {
    fixed(tensor, ptr::null(), |tensor| {
        // SAFETY: the crate's rule.
        unsafe { give_list(&tensor.shape_signature, rank) }
    })
}

/// Gives an input another shape.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_resize(
    tensor: *mut ArTensor,
    dims: *const i32,
    rank: usize,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `tensor` is null or a live handle, as `# Safety` requires.
        let (tensor, dims) = unsafe { (shared(tensor, "tensor")?, list(dims, rank, "dims")?) };
        tensor
            .with_state(|state, place| Ok(state.interpreter.resize_of(place.subgraph, place.tensor, dims)?))
    })
}

/// Whether its value is part of the model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_is_constant(tensor: *const ArTensor) -> bool {
    guard_value(false, || read(tensor, |tensor| Ok(tensor.is_constant())))
}

/// Scale, or 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_scale(tensor: *const ArTensor) -> f32 {
    fixed(tensor, 0.0, |tensor| tensor.scales.first().copied().unwrap_or(0.0))
}

/// Zero point, or 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_zero_point(tensor: *const ArTensor) -> i64 {
    fixed(tensor, 0, |tensor| tensor.zero_points.first().copied().unwrap_or(0))
}

/// All scales and zero points.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_quantization(
    tensor: *const ArTensor,
    quantization: *mut ArQuantization,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `tensor` is null or a live handle, as `# Safety` requires.
        let tensor = unsafe { shared(tensor, "tensor") }?;
        let (scales, zero_points, count) = match tensor.scales.len() {
            0 => (ptr::null(), ptr::null(), 0),
            count => (tensor.scales.as_ptr(), tensor.zero_points.as_ptr(), count),
        };
        let value = ArQuantization { scales, zero_points, count, dimension: tensor.quantized_dimension };
        // SAFETY: `quantization` is null or writable, as `# Safety` requires.
        unsafe { put(quantization, "quantization", value) }
    })
}

/// The data, to be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_data(tensor: *const ArTensor, data: *mut *const c_void) -> *mut ArError {
    guard(|| {
        // SAFETY: `data` is null or writable, as `# Safety` requires.
        unsafe { put(data, "data", ptr::null()) }?;
        let bytes = read(tensor, |tensor| Ok(tensor.bytes()?.as_ptr()))?;
        // SAFETY: as above.
        unsafe { put(data, "data", bytes.cast()) }
    })
}

/// The data of an input, to be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_data_mut(tensor: *mut ArTensor, data: *mut *mut c_void) -> *mut ArError {
    guard(|| {
        // SAFETY: `data` is null or writable, as `# Safety` requires.
        unsafe { put(data, "data", ptr::null_mut()) }?;
        let bytes = write(tensor, |tensor| Ok(tensor.into_bytes()?.as_mut_ptr()))?;
        // SAFETY: as above.
        unsafe { put(data, "data", bytes.cast()) }
    })
}

/// Fills an input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_copy_from(
    tensor: *mut ArTensor,
    buffer: *const c_void,
    size: usize,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `buffer` has as many elements as its count says, as `# Safety` requires.
        let bytes = unsafe { list(buffer.cast::<u8>(), size, "buffer") }?;
        write(tensor, |tensor| {
            let own = tensor.tensor().bytes().map_or(ptr::null()..ptr::null(), <[u8]>::as_ptr_range);
            let given = bytes.as_ptr_range();
            // What lies in the tensor's own memory is copied twice: nothing that is read is borrowed mutably.
            let overlaps = given.start < own.end && own.start < given.end;
            let copy = if overlaps { bytes.to_vec() } else { Vec::new() };
            Ok(tensor.copy_from_bytes(if overlaps { &copy } else { bytes })?)
        })
    })
}

/// Copies the data out.
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
                    "tensor '{}': it has {} bytes, the buffer has {size}",
                    tensor.name,
                    bytes.len()
                )));
            }
            if size > 0 && buffer.is_null() {
                return Err(null("buffer"));
            }
            // SAFETY: the caller's buffer has `size` bytes; `ptr::copy` lets it be the tensor's own memory.
            unsafe { ptr::copy(bytes.as_ptr(), buffer.cast::<u8>(), size) };
            Ok(())
        })
    })
}

/// Fills an input of strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_set_strings(
    tensor: *mut ArTensor,
    strings: *const ArString,
    count: usize,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `tensor` is null or a live handle, as `# Safety` requires.
        let (tensor, strings) = unsafe { (shared(tensor, "tensor")?, list(strings, count, "strings")?) };
        let bytes = |(i, string): (usize, &ArString)| {
            // SAFETY: `string` has as many elements as its count says, as `# Safety` requires.
            unsafe { list(string.data.cast::<u8>(), string.length, &format!("strings[{i}].data")) }
        };
        let strings = strings.iter().enumerate().map(bytes).collect::<Result<Vec<&[u8]>>>()?;
        tensor.with_state(|state, place| state.write_strings(place, &strings))
    })
}

/// The elements of a tensor of strings.
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
                    "tensor '{}': it has {} strings, the array has room for {count}",
                    tensor.name,
                    found.len()
                )));
            }
            if count > 0 && strings.is_null() {
                return Err(null("strings"));
            }
            for (i, string) in found.iter().enumerate() {
                let string = ArString { data: string.as_ptr().cast(), length: string.len() };
                // SAFETY: the caller's array has `count` elements.
                unsafe { strings.add(i).write(string) };
            }
            Ok(())
        })
    })
}

/// Name of an element type, or null.
#[unsafe(no_mangle)]
pub extern "C" fn ar_type_name(element_type: u32) -> *const c_char {
    static NAMES: OnceLock<Vec<CString>> = OnceLock::new();
    guard_value(ptr::null(), || {
        let names = NAMES.get_or_init(|| ElementType::ALL.iter().map(|ty| c_string(ty.name())).collect());
        let position = ElementType::ALL.iter().position(|&ty| ty as u32 == element_type);
        Ok(position.and_then(|i| names.get(i)).map_or(ptr::null(), |name| name.as_ptr()))
    })
}
