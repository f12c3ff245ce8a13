//! NumPy arrays from and to tensors. This is the file with unsafe code: it reads the memory of arrays and makes arrays
//! of memory.

use std::ffi::{c_int, c_void};
use std::ptr;

use arenite::{ElementType, Interpreter, Tensor};
use numpy::npyffi::{self, NPY_ARRAY_CARRAY, NPY_ARRAY_CARRAY_RO, PY_ARRAY_API, PyArrayObject, npy_intp};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::elements::{self, Storage, TensorDescription};
use crate::errors::{self, Phase};
use crate::place::Place;
use crate::shared::View;

const HANDLE: &str = "it is the handle of a resource, which has no value: read the variable that it names";

/// The most dimensions of an array in every version of NumPy.
const MAX_DIMS: usize = 32;

/// `value` as an array: itself if it is one, otherwise the result of `numpy.asarray`, or of `numpy.from_dlpack` for
/// objects that only this function reads.
///
/// # Errors
/// Nested lists of different lengths, or an exception from the value's `__array__` or `__dlpack__`.
pub(crate) fn as_array<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    elements::import(value.py())?;
    if let Ok(array) = value.cast::<PyUntypedArray>() {
        return Ok(array.clone());
    }
    let has = |name| value.hasattr(name);
    let is_capsule = has("__dlpack__")? && !has("__array__")? && !has("__array_interface__")?;
    let function = if is_capsule { "from_dlpack" } else { "asarray" };
    Ok(value.py().import("numpy")?.call_method1(function, (value,))?.cast_into::<PyUntypedArray>()?)
}

/// An array with a copy of a tensor's value; for a tensor without dimensions a scalar, as NumPy's functions return it.
pub(crate) fn copy_of<'py>(py: Python<'py>, tensor: &Tensor<'_>) -> PyResult<Bound<'py, PyAny>> {
    let failed = |error| errors::exception(py, error, Phase::Access);
    let storage = elements::storage(tensor.ty);
    let bytes = if storage == Storage::Nothing { &[] } else { tensor.bytes().map_err(failed)? };
    let array = copy_of_bytes(py, tensor.into(), bytes)?;
    // A string without dimensions is an array, as in ai_edge_litert.
    if storage == Storage::Objects { Ok(array.into_any()) } else { scalar_if_empty_shape(array) }
}

/// An array with a copy of a value, which has the bytes of a tensor of this form.
pub(crate) fn copy_of_bytes<'py>(
    py: Python<'py>,
    tensor: TensorDescription<'_>,
    bytes: &[u8],
) -> PyResult<Bound<'py, PyUntypedArray>> {
    match elements::storage(tensor.ty) {
        Storage::Nothing => Err(errors::tensor_error(py, tensor.name, HANDLE)),
        Storage::Same => filled(py, tensor, bytes),
        Storage::Unpacked(bits) => filled(py, tensor, &elements::unpacked(tensor, bytes, bits)),
        Storage::Objects => {
            let strings = arenite::strings::unpack(bytes)
                .ok_or_else(|| errors::tensor_error(py, tensor.name, "its bytes are no packed strings"))?;
            let strings: Vec<_> = strings.into_iter().map(|string| PyBytes::new(py, string)).collect();
            let numpy = py.import("numpy")?;
            let array = numpy.call_method1("empty", (tensor.shape, "O"))?;
            // A view: a new array is contiguous.
            let flat = array.call_method1("reshape", (-1,))?;
            flat.set_item(pyo3::types::PyEllipsis::get(py), strings)?;
            Ok(array.cast_into()?)
        }
    }
}

fn filled<'py>(
    py: Python<'py>,
    tensor: TensorDescription<'_>,
    bytes: &[u8],
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let array = made(py, tensor, ptr::null_mut(), 0)?;
    check_size(tensor, &array, bytes.len())?;
    // SAFETY: `made` returned a new array, so nothing else uses its memory. It has as many bytes as are copied, as
    // `check_size` found, and they do not overlap the tensor's.
    unsafe {
        ptr::copy_nonoverlapping(bytes.as_ptr(), (*fields(&array)).data.cast::<u8>(), bytes.len());
    }
    Ok(array)
}

/// An array that shares a tensor's memory, which `view` keeps in place. Constants are read-only.
pub(crate) fn sharing<'py>(
    py: Python<'py>,
    interpreter: &mut Interpreter,
    index: usize,
    view: impl FnOnce() -> View,
) -> PyResult<Bound<'py, PyAny>> {
    let failed = |error| errors::exception(py, error, Phase::Access);
    let tensor = interpreter.tensor_of(0, index).map_err(failed)?;
    check_storage(py, &tensor)?;
    let bytes = tensor.bytes().map_err(failed)?;
    if bytes.is_empty() {
        return copy_of(py, &tensor);
    }
    let (data, flags) = match tensor.is_constant() {
        true => (bytes.as_ptr().cast_mut(), NPY_ARRAY_CARRAY_RO),
        false => {
            let tensor = interpreter.tensor_mut_of(0, index).map_err(failed)?;
            (tensor.into_bytes().map_err(failed)?.as_mut_ptr(), NPY_ARRAY_CARRAY)
        }
    };
    let tensor = interpreter.tensor_of(0, index).map_err(failed)?;
    let array = made(py, (&tensor).into(), data.cast(), flags)?;
    check_size((&tensor).into(), &array, tensor.byte_len())?;
    let view = Bound::new(py, view())?;
    // SAFETY: the array is new and has no base yet. The function takes the reference to `view`, on failure too. The
    // view keeps the interpreter alive, and `SharedInterpreter::lock_to_move` refuses calls that would move the tensor
    // while it exists.
    let status = unsafe { PY_ARRAY_API.PyArray_SetBaseObject(py, array.as_array_ptr(), view.into_ptr()) };
    if status != 0 {
        return Err(PyErr::fetch(py));
    }
    scalar_if_empty_shape(array)
}

/// Checks that an array can share the tensor's memory.
fn check_storage(py: Python<'_>, tensor: &Tensor<'_>) -> PyResult<()> {
    let message = match elements::storage(tensor.ty) {
        Storage::Same => return Ok(()),
        Storage::Unpacked(_) => {
            "its elements have less than a byte and cannot be shared: read them with get_tensor()"
        }
        Storage::Objects => "strings cannot be shared: read them with get_tensor()",
        Storage::Nothing => HANDLE,
    };
    Err(errors::tensor_error(py, tensor.name, message))
}

/// A new array for a tensor. If `data` is null, it owns its memory; otherwise `data` must point to the tensor's
/// bytes, and the caller sets a base that keeps them.
fn made<'py>(
    py: Python<'py>,
    tensor: TensorDescription<'_>,
    data: *mut c_void,
    flags: c_int,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let mut dims: [npy_intp; MAX_DIMS] = [0; MAX_DIMS];
    let rank = tensor.shape.len();
    let Some(used) = dims.get_mut(..rank) else {
        let message = format!("it has {rank} dimensions; arrays have at most {MAX_DIMS}");
        return Err(errors::tensor_error(py, tensor.name, message));
    };
    used.iter_mut().zip(tensor.shape).for_each(|(to, &from)| *to = from as npy_intp);
    let descriptor = elements::descriptor(py, tensor.ty)?;
    // SAFETY: NumPy is imported, since there is a descriptor; the function takes the reference to it. It reads `rank`
    // dimensions. The memory at `data` is the tensor's, which has as many bytes as elements of its shape and type.
    unsafe {
        let class = npyffi::get_type_object(py, npyffi::NpyTypes::PyArray_Type);
        let (dims, none) = (dims.as_mut_ptr(), ptr::null_mut());
        let (rank, descriptor) = (rank as c_int, descriptor.into_dtype_ptr());
        let array = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            class,
            descriptor,
            rank,
            dims,
            none,
            data,
            flags,
            ptr::null_mut(),
        );
        Ok(Bound::from_owned_ptr_or_err(py, array)?.cast_into_unchecked())
    }
}

/// Checks that an array has as many bytes as the tensor that it shows, or whose elements it has.
fn check_size(
    tensor: TensorDescription<'_>,
    array: &Bound<'_, PyUntypedArray>,
    bytes: usize,
) -> PyResult<()> {
    let needed = array_bytes(array);
    if bytes == needed {
        return Ok(());
    }
    let message = format!("it has {bytes} bytes, an array of its shape {needed}");
    Err(errors::tensor_error(array.py(), tensor.name, message))
}

/// An array of a tensor's real values.
pub(crate) fn of_reals<'py>(py: Python<'py>, tensor: &Tensor<'_>) -> PyResult<Bound<'py, PyAny>> {
    let form = TensorDescription { ty: ElementType::F32, ..tensor.into() };
    let array = made(py, form, ptr::null_mut(), 0)?;
    let count = array.len();
    // SAFETY: `made` returned a new array of this many floats, which nothing else uses yet. Zero bytes are floats.
    let reals = unsafe {
        let data = (*fields(&array)).data.cast::<f32>();
        ptr::write_bytes(data, 0, count);
        std::slice::from_raw_parts_mut(data, count)
    };
    tensor.dequantize_to(reals).map_err(|error| errors::exception(py, error, Phase::Access))?;
    Ok(array.into_any())
}

/// Quantizes an array of floats to a tensor. One that is not FLOAT32, contiguous and aligned is converted first.
pub(crate) fn quantize_to(
    py: Python<'_>,
    array: &Bound<'_, PyUntypedArray>,
    interpreter: &mut Interpreter,
    place: Place,
) -> PyResult<()> {
    let plain = match has_floats(array)? {
        true => array.clone(),
        false => array.call_method1("astype", ("f4", "C"))?.cast_into::<PyUntypedArray>()?,
    };
    let floats: &[f32] = match plain.len() {
        // SAFETY: `has_floats` found that the array has this many floats, contiguous and aligned; `astype` made such an
        // array. They live as long as `plain`, and are not the tensor's: nothing shares the memory of a model's
        // interpreter.
        1.. if has_floats(&plain)? => unsafe {
            std::slice::from_raw_parts((*fields(&plain)).data.cast::<f32>(), plain.len())
        },
        _ => &[],
    };
    let target = interpreter.tensor_mut_of(place.subgraph, place.tensor);
    let done = target.and_then(|target| target.quantize(floats));
    done.map_err(|error| errors::exception(py, error, Phase::Access))
}

/// Whether the array's memory is a slice of floats of 32 bits.
fn has_floats(array: &Bound<'_, PyUntypedArray>) -> PyResult<bool> {
    // SAFETY: the array is alive.
    let flags = unsafe { (*fields(array)).flags };
    let is_aligned = flags & npyffi::NPY_ARRAY_ALIGNED != 0;
    Ok(is_aligned && is_plain(array) && elements::fits(&array.dtype(), ElementType::F32)?)
}

/// Copies an array to a tensor of the same shape: byte for byte if both are laid out alike, otherwise element by
/// element, converted to the tensor's type, in one pass.
pub(crate) fn copy_to(
    py: Python<'_>,
    array: &Bound<'_, PyUntypedArray>,
    interpreter: &mut Interpreter,
    place: Place,
) -> PyResult<()> {
    let failed = |error| errors::exception(py, error, Phase::Access);
    let target = interpreter.tensor_mut_of(place.subgraph, place.tensor).map_err(failed)?;
    let ty = target.tensor().ty;
    let storage = elements::storage(ty);
    if storage == Storage::Same && is_plain(array) && elements::fits(&array.dtype(), ty)? {
        let into = target.into_bytes().map_err(failed)?;
        // SAFETY: the array is contiguous and has `array_bytes` bytes, of which at most all are read. They may be the
        // tensor's own, if it is a view of it, hence `copy`.
        unsafe {
            let count = into.len().min(array_bytes(array));
            ptr::copy((*fields(array)).data.cast::<u8>().cast_const(), into.as_mut_ptr(), count);
        }
        return Ok(());
    }
    // A contiguous array in this machine's byte order: a copy for packed elements, otherwise the tensor itself.
    if let Storage::Unpacked(bits) = storage {
        let into = target.into_bytes().map_err(failed)?;
        let bytes: Bound<'_, PyBytes> = array.call_method0("tobytes")?.cast_into()?;
        elements::pack(bytes.as_bytes(), bits, into);
        return Ok(());
    }
    let data = target.into_bytes().map_err(failed)?.as_mut_ptr();
    let tensor = interpreter.tensor_of(place.subgraph, place.tensor).map_err(failed)?;
    let whole = made(py, (&tensor).into(), data.cast(), NPY_ARRAY_CARRAY)?;
    check_size((&tensor).into(), &whole, tensor.byte_len())?;
    // SAFETY: both are arrays. `whole` shares the tensor's memory, does not leave this function, and is released before
    // the caller unlocks the interpreter.
    let status = unsafe { PY_ARRAY_API.PyArray_CopyInto(py, whole.as_array_ptr(), array.as_array_ptr()) };
    if status != 0 { Err(PyErr::fetch(py)) } else { Ok(()) }
}

/// Copies an array to the memory of a tensor of this form, converted to its type if NumPy casts it as "same_kind".
///
/// # Errors
/// The array has another kind of type, or another number of elements.
pub(crate) fn convert_to(
    array: &Bound<'_, PyUntypedArray>,
    tensor: TensorDescription<'_>,
    into: &mut [u8],
) -> PyResult<()> {
    let (py, ty) = (array.py(), tensor.ty);
    let wanted = elements::descriptor(py, ty)?;
    let fits = elements::fits(&array.dtype(), ty)?;
    let can_cast = || {
        let can_cast = py.import("numpy")?.call_method1("can_cast", (array.dtype(), &wanted, "same_kind"))?;
        can_cast.extract::<bool>()
    };
    if !fits && !can_cast()? {
        let message =
            format!("the array has type {}, the tensor {wanted}: convert it with astype()", array.dtype());
        return Err(errors::tensor_error(py, tensor.name, message));
    }
    let plain = py.import("numpy")?.call_method1("ascontiguousarray", (array, &wanted))?;
    let plain = plain.cast_into::<PyUntypedArray>()?;
    if let Storage::Unpacked(bits) = elements::storage(ty) {
        let bytes: Bound<'_, PyBytes> = plain.call_method0("tobytes")?.cast_into()?;
        elements::pack(bytes.as_bytes(), bits, into);
        return Ok(());
    }
    check_size(tensor, &plain, into.len())?;
    // SAFETY: `plain` is contiguous and has as many bytes as `into`, as `check_size` found. They do not overlap: a node
    // that runs owns `into`, and `SharedInterpreter::lock_to_move` runs nothing while an array shares an interpreter's
    // memory.
    unsafe {
        ptr::copy_nonoverlapping(
            (*fields(&plain)).data.cast::<u8>().cast_const(),
            into.as_mut_ptr(),
            into.len(),
        );
    }
    Ok(())
}

/// Whether the array's bytes, in order, are its elements as a tensor has them.
fn is_plain(array: &Bound<'_, PyUntypedArray>) -> bool {
    array.is_c_contiguous() && array.dtype().is_native_byteorder().unwrap_or(true)
}

fn array_bytes(array: &Bound<'_, PyUntypedArray>) -> usize {
    array.shape().iter().product::<usize>() * array.dtype().itemsize()
}

fn fields(array: &Bound<'_, PyUntypedArray>) -> *mut npyffi::PyArrayObject_fields {
    let array: *mut PyArrayObject = array.as_array_ptr();
    // SAFETY: the array is alive, and so is the object that the pointer comes from.
    unsafe { npyffi::objects::_PyArray_GET_ITEM_DATA(array) }
}

fn scalar_if_empty_shape(array: Bound<'_, PyUntypedArray>) -> PyResult<Bound<'_, PyAny>> {
    if array.ndim() > 0 {
        return Ok(array.into_any());
    }
    array.get_item(pyo3::types::PyTuple::empty(array.py()))
}

/// The type of an array by the name of the tensor's types, for messages.
pub(crate) fn type_name(array: &Bound<'_, PyUntypedArray>) -> PyResult<String> {
    Ok(array.dtype().str()?.to_string())
}

/// The strings in an array of bytes or text.
///
/// # Errors
/// An element is neither.
pub(crate) fn strings(array: &Bound<'_, PyUntypedArray>) -> PyResult<Option<Vec<Vec<u8>>>> {
    if !matches!(array.dtype().kind(), b'S' | b'U' | b'O') {
        return Ok(None);
    }
    let items = array.call_method0("ravel")?.call_method0("tolist")?;
    let mut strings = Vec::new();
    for item in items.try_iter()? {
        let item = item?;
        if let Ok(bytes) = item.cast::<PyBytes>() {
            strings.push(bytes.as_bytes().to_vec());
        } else {
            let Ok(text) = item.extract::<String>() else { return Ok(None) };
            strings.push(text.into_bytes());
        }
    }
    Ok(Some(strings))
}

/// Whether this is the element type of strings.
pub(crate) fn is_string(ty: ElementType) -> bool {
    ty == ElementType::String
}
