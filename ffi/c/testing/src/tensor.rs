//! Tensors as C describes them.

use std::ffi::c_void;

use arenite_abi::ElementType;
use arenite_abi::raw::slice;
use arenite_abi::tensor::element_count;
use arenite_abi::testing::{Spec, Tensor};

use crate::Result;

/// A tensor's type, shape and data.
#[repr(C)]
pub struct ArTestTensor {
    data: *const c_void,
    bytes: usize,
    dims: *const i32,
    rank: usize,
    zero_point: i64,
    scale: f32,
    element_type: u32,
}

impl ArTestTensor {
    /// Describes `tensor`, which must outlive the result.
    pub(crate) fn of(tensor: &Tensor) -> Self {
        let quantization = tensor.quantization();
        ArTestTensor {
            data: tensor.bytes().as_ptr().cast(),
            bytes: tensor.bytes().len(),
            dims: tensor.shape().as_ptr(),
            rank: tensor.shape().len(),
            zero_point: quantization.and_then(|q| q.zero_points.first().copied()).unwrap_or(0),
            scale: quantization.and_then(|q| q.scales.first().copied()).unwrap_or(0.0),
            element_type: tensor.ty() as u32,
        }
    }

    /// The element type and shape.
    ///
    /// # Safety
    /// `dims` must be null or have `rank` elements.
    unsafe fn form(&self) -> Result<(ElementType, &[i32])> {
        let ty = ElementType::ALL.iter().copied().find(|&ty| ty as u32 == self.element_type);
        let ty = ty.ok_or_else(|| format!("element type {} is not one of AR_TYPE_*", self.element_type))?;
        // SAFETY: `dims` is null or has `rank` elements, as `# Safety` requires.
        let dims = unsafe { elements(self.dims, self.rank, "dims") }?;
        if let Some(negative) = dims.iter().find(|&&dim| dim < 0) {
            return Err(format!("dimension {negative} is negative"));
        }
        Ok((ty, dims))
    }
}

/// The `count` elements at `data`, or an error that names the argument if it is null.
///
/// # Safety
/// `data` must be null or have `count` elements.
unsafe fn elements<'a, T>(data: *const T, count: usize, name: &str) -> Result<&'a [T]> {
    if count > 0 && data.is_null() {
        return Err(format!("argument '{name}' is null"));
    }
    // SAFETY: `data` has `count` elements: it is not null unless `count` is 0, as checked.
    Ok(unsafe { slice(data, count) })
}

/// The `size` bytes at `data`, or an error that names the argument if it is null.
///
/// # Safety
/// `data` must be null or have `size` bytes.
pub(crate) unsafe fn bytes<'a>(data: *const c_void, size: usize, name: &str) -> Result<&'a [u8]> {
    // SAFETY: `data` is null or has `size` bytes, as `# Safety` requires.
    unsafe { elements(data.cast::<u8>(), size, name) }
}

/// Copies a tensor with its data.
///
/// # Safety
/// `tensor` must be null or point to a struct whose `dims` are null or have `rank` elements and whose `data` is null or
/// has `bytes` bytes.
pub(crate) unsafe fn given(tensor: *const ArTestTensor) -> Result<Tensor> {
    // SAFETY: `tensor` is null or a struct with lists of the right length, as `# Safety` requires.
    let (given, ty, dims, data) = unsafe {
        let given = tensor.as_ref().ok_or("argument 'tensor' is null")?;
        let (ty, dims) = given.form()?;
        (given, ty, dims, bytes(given.data, given.bytes, "data")?)
    };
    let wanted = ty.bytes_of(element_count(dims));
    if wanted.is_some_and(|wanted| wanted != data.len()) {
        let wanted = wanted.unwrap_or_default();
        return Err(format!(
            "a {ty} tensor of shape {dims:?} needs {wanted} bytes, but {} were passed",
            data.len()
        ));
    }
    let tensor = Tensor::raw(ty, dims, data);
    Ok(if given.scale == 0.0 { tensor } else { tensor.quantized(given.scale, given.zero_point) })
}

/// Copies type, shape and quantization of a tensor.
///
/// # Safety
/// `tensor` must be null or point to a struct whose `dims` are null or have `rank` elements.
pub(crate) unsafe fn spec(tensor: *const ArTestTensor) -> Result<Spec> {
    // SAFETY: `tensor` is null or a struct whose `dims` have `rank` elements, as `# Safety` requires.
    let (given, ty, dims) = unsafe {
        let given = tensor.as_ref().ok_or("argument 'tensor' is null")?;
        let (ty, dims) = given.form()?;
        (given, ty, dims)
    };
    let spec = Spec::of(ty).shape(dims);
    Ok(if given.scale == 0.0 { spec } else { spec.quantized(given.scale, given.zero_point) })
}

/// Fails if the tensors differ: float elements by more than `tolerance`, other elements at all. NaNs are equal.
pub(crate) fn compare(found: &Tensor, expected: &Tensor, tolerance: f32) -> Result<()> {
    if (found.ty(), found.shape()) != (expected.ty(), expected.shape()) {
        return Err(format!(
            "type and shape are {} {:?}, expected {} {:?}",
            found.ty(),
            found.shape(),
            expected.ty(),
            expected.shape()
        ));
    }
    if found.ty() == ElementType::F32 {
        let pairs = found.as_f32().into_iter().zip(expected.as_f32());
        let is_off = |(a, b): &(f32, f32)| {
            let is_near = (a - b).abs() <= tolerance || a.to_bits() == b.to_bits() || a == b;
            !(is_near || a.is_nan() && b.is_nan())
        };
        let off = pairs.enumerate().find(|(_, pair)| is_off(pair));
        return off.map_or(Ok(()), |(i, (a, b))| Err(format!("element {i} is {a}, expected {b}")));
    }
    let size = found.ty().bytes_of(1).unwrap_or(1).max(1);
    let off = found.bytes().iter().zip(expected.bytes()).position(|(a, b)| a != b);
    match (off, found.bytes().len() == expected.bytes().len()) {
        (None, true) => Ok(()),
        (None, false) => {
            Err(format!("size is {} bytes, expected {}", found.bytes().len(), expected.bytes().len()))
        }
        (Some(at), _) => {
            let bytes = |tensor: &Tensor| tensor.bytes().chunks(size).nth(at / size).map(<[u8]>::to_vec);
            let (found, expected) = (bytes(found).unwrap_or_default(), bytes(expected).unwrap_or_default());
            Err(format!("the bytes of element {} are {found:02x?}, expected {expected:02x?}", at / size))
        }
    }
}
