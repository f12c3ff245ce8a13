//! The array type of each element type.

use arenite::{ElementType, Tensor};
use numpy::{Complex32, Complex64, PyArrayDescr, PyArrayDescrMethods, PyUntypedArrayMethods, dtype};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::fork;

/// The form of a tensor, from which an array is made.
#[derive(Clone, Copy)]
pub(crate) struct TensorDescription<'a> {
    pub(crate) name: &'a str,
    pub(crate) ty: ElementType,
    pub(crate) shape: &'a [i32],
}

impl<'a> From<&Tensor<'a>> for TensorDescription<'a> {
    fn from(tensor: &Tensor<'a>) -> Self {
        TensorDescription { name: tensor.name, ty: tensor.ty, shape: tensor.shape }
    }
}

/// How the elements of a tensor are stored in an array.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Storage {
    /// As in the tensor: the bytes are copied.
    Same,
    /// One byte per element, where the tensor has this many bits.
    Unpacked(u32),
    /// `bytes` objects.
    Objects,
    /// Not at all: handles of resources.
    Nothing,
}

/// The storage of a type's elements in an array.
pub(crate) fn storage(ty: ElementType) -> Storage {
    match ty {
        ElementType::I4 | ElementType::U4 => Storage::Unpacked(4),
        ElementType::I2 => Storage::Unpacked(2),
        ElementType::String => Storage::Objects,
        ElementType::Resource | ElementType::Variant => Storage::Nothing,
        _ => Storage::Same,
    }
}

/// Imports NumPy. All functions of NumPy's interface need it.
///
/// # Errors
/// NumPy is not installed.
pub(crate) fn import(py: Python<'_>) -> PyResult<()> {
    static DONE: PyOnceLock<()> = PyOnceLock::new();
    fork::once(py, &DONE, |py| {
        py.import("numpy")?;
        // The first type loads the table of NumPy's functions.
        dtype::<bool>(py);
        Ok(())
    })
    .copied()
}

/// The array type of an element type.
///
/// # Errors
/// NumPy is not installed, or for BFLOAT16, ml_dtypes is not.
pub(crate) fn descriptor<'py>(py: Python<'py>, ty: ElementType) -> PyResult<Bound<'py, PyArrayDescr>> {
    use ElementType as E;
    import(py)?;
    Ok(match ty {
        E::Bool => dtype::<bool>(py),
        // 8-bit floats are bits, as in ai_edge_litert.
        E::I8 | E::I4 | E::I2 | E::F8E4M3 | E::F8E5M2 => dtype::<i8>(py),
        E::U8 | E::U4 => dtype::<u8>(py),
        E::I16 => dtype::<i16>(py),
        E::U16 => dtype::<u16>(py),
        E::I32 => dtype::<i32>(py),
        E::U32 => dtype::<u32>(py),
        E::I64 => dtype::<i64>(py),
        E::U64 => dtype::<u64>(py),
        E::F16 => PyArrayDescr::new(py, "f2")?,
        E::BF16 => bfloat16(py)?,
        E::F32 => dtype::<f32>(py),
        E::F64 => dtype::<f64>(py),
        E::C64 => dtype::<Complex32>(py),
        E::C128 => dtype::<Complex64>(py),
        E::String | E::Resource | E::Variant => PyArrayDescr::object(py),
    })
}

fn bfloat16(py: Python<'_>) -> PyResult<Bound<'_, PyArrayDescr>> {
    static TYPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let ty = fork::once(py, &TYPE, |py| {
        let module = py.import("ml_dtypes").map_err(|error| {
            let message = "a tensor of BFLOAT16 needs the package ml_dtypes: pip install ml_dtypes";
            let wanted = PyValueError::new_err(message);
            wanted.set_cause(py, Some(error));
            wanted
        })?;
        module.getattr("bfloat16").map(Bound::unbind)
    })?;
    PyArrayDescr::new(py, ty.bind(py))
}

/// The class of an array's elements, such as `numpy.float32`.
pub(crate) fn class<'py>(py: Python<'py>, ty: ElementType) -> PyResult<Bound<'py, PyAny>> {
    if ty == ElementType::String {
        return py.import("numpy")?.getattr("bytes_");
    }
    Ok(descriptor(py, ty)?.typeobj().into_any())
}

/// Whether an array of this type can be copied to a tensor: the same type, in any byte order.
pub(crate) fn fits(given: &Bound<'_, PyArrayDescr>, ty: ElementType) -> PyResult<bool> {
    if matches!(storage(ty), Storage::Objects | Storage::Nothing) {
        return Ok(false);
    }
    let wanted = descriptor(given.py(), ty)?;
    let (given_kind, wanted_kind) = ((given.kind(), given.itemsize()), (wanted.kind(), wanted.itemsize()));
    Ok(given.num() == wanted.num() || given_kind == wanted_kind && given_kind.0 != b'V')
}

/// The elements of a tensor with these bytes, one byte each.
pub(crate) fn unpacked(tensor: TensorDescription<'_>, bytes: &[u8], bits: u32) -> Vec<u8> {
    let per_byte = 8 / bits as usize;
    let (mask, is_signed) = ((1u8 << bits) - 1, tensor.ty != ElementType::U4);
    let element = |i: usize| {
        let value = bytes.get(i / per_byte).copied().unwrap_or(0) >> (i % per_byte * bits as usize) & mask;
        let shift = 8 - bits;
        if is_signed { ((value << shift) as i8 >> shift) as u8 } else { value }
    };
    (0..arenite::values::element_count(tensor.shape)).map(element).collect()
}

/// Packs elements of one byte each; the first is in the lowest bits.
pub(crate) fn pack(elements: &[u8], bits: u32, into: &mut [u8]) {
    let per_byte = 8 / bits as usize;
    let mask = (1u8 << bits) - 1;
    for (byte, elements) in into.iter_mut().zip(elements.chunks(per_byte)) {
        let fields = elements.iter().enumerate();
        *byte = fields.fold(0, |byte, (i, element)| byte | (element & mask) << (i * bits as usize));
    }
}

/// Whether the shapes of an array and a tensor are equal.
pub(crate) fn same_shape<'py>(array: &Bound<'py, numpy::PyUntypedArray>, shape: &[i32]) -> bool {
    let dims = array.shape();
    dims.len() == shape.len() && dims.iter().zip(shape).all(|(&a, &b)| i32::try_from(a) == Ok(b))
}
