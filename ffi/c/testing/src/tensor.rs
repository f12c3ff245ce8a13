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
    /// As it is, for as long as it stays.
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

    /// # Safety
    /// The crate's rule.
    unsafe fn form(&self) -> Result<(ElementType, &[i32])> {
        let ty = ElementType::ALL.iter().copied().find(|&ty| ty as u32 == self.element_type);
        let ty = ty.ok_or_else(|| format!("element type {} is none of AR_TYPE_*", self.element_type))?;
        // SAFETY: `self` has as many elements as its count says, as `# Safety` requires.
        let dims = unsafe { elements(self.dims, self.rank, "dims") }?;
        if let Some(negative) = dims.iter().find(|&&dim| dim < 0) {
            return Err(format!("dimension {negative} is negative"));
        }
        Ok((ty, dims))
    }
}

/// # Safety
/// `data` is null, or has so many elements.
unsafe fn elements<'a, T>(data: *const T, count: usize, name: &str) -> Result<&'a [T]> {
    if count > 0 && data.is_null() {
        return Err(format!("argument '{name}' is null"));
    }
    // SAFETY: `data` has as many elements as its count says, as `# Safety` requires.
    Ok(unsafe { slice(data, count) })
}

/// # Safety
/// `data` is null, or has so many bytes.
pub(crate) unsafe fn bytes<'a>(data: *const c_void, size: usize, name: &str) -> Result<&'a [u8]> {
    // SAFETY: `data` has as many elements as its count says, as `# Safety` requires.
    unsafe { elements(data.cast::<u8>(), size, name) }
}

/// A tensor with its data.
///
/// # Safety
/// The crate's rule.
pub(crate) unsafe fn given(tensor: *const ArTestTensor) -> Result<Tensor> {
    // SAFETY: by the caller.
    let (given, ty, dims, data) = unsafe {
        let given = tensor.as_ref().ok_or("argument 'tensor' is null")?;
        let (ty, dims) = given.form()?;
        (given, ty, dims, bytes(given.data, given.bytes, "data")?)
    };
    let wanted = ty.bytes_of(element_count(dims));
    if wanted.is_some_and(|wanted| wanted != data.len()) {
        let wanted = wanted.unwrap_or_default();
        return Err(format!("a {ty} tensor of shape {dims:?} has {wanted} bytes, {} are given", data.len()));
    }
    let tensor = Tensor::raw(ty, dims, data);
    Ok(if given.scale == 0.0 { tensor } else { tensor.quantized(given.scale, given.zero_point) })
}

/// All but the data.
///
/// # Safety
/// The crate's rule.
pub(crate) unsafe fn spec(tensor: *const ArTestTensor) -> Result<Spec> {
    // SAFETY: by the caller.
    let (given, ty, dims) = unsafe {
        let given = tensor.as_ref().ok_or("argument 'tensor' is null")?;
        let (ty, dims) = given.form()?;
        (given, ty, dims)
    };
    let spec = Spec::of(ty).shape(dims);
    Ok(if given.scale == 0.0 { spec } else { spec.quantized(given.scale, given.zero_point) })
}

/// What differs: floats by more than `tolerance`, all else at all.
pub(crate) fn compare(found: &Tensor, expected: &Tensor, tolerance: f32) -> Result<()> {
    if (found.ty(), found.shape()) != (expected.ty(), expected.shape()) {
        return Err(format!(
            "it is {} {:?}, expected {} {:?}",
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
            Err(format!("it has {} bytes, expected {}", found.bytes().len(), expected.bytes().len()))
        }
        (Some(at), _) => {
            let bytes = |tensor: &Tensor| tensor.bytes().chunks(size).nth(at / size).map(<[u8]>::to_vec);
            let (found, expected) = (bytes(found).unwrap_or_default(), bytes(expected).unwrap_or_default());
            Err(format!("element {} has the bytes {found:02x?}, expected {expected:02x?}", at / size))
        }
    }
}
