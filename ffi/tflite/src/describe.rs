//! What is the same of a tensor for as long as it lives: type, name, quantization, signature of its shape.

use std::ffi::{CString, c_int};

use arenite::ElementType;

use crate::arrays::{self, TfLiteFloatArrayFree, TfLiteIntArrayFree, float_array, int_array};
use crate::types::*;

/// A tensor of the model, from whichever side it is seen.
pub(crate) struct Described<'a> {
    pub ty: ElementType,
    pub name: &'a str,
    pub scales: &'a [f32],
    pub zero_points: &'a [i64],
    pub quantized_dimension: usize,
    pub shape_signature: &'a [i32],
    pub is_variable: bool,
}

/// The schema's type as TensorFlow Lite's C interface counts it.
pub(crate) fn type_of(ty: ElementType) -> TfLiteType {
    match ty as TfLiteType {
        0 => 1,
        1 => 10,
        ty @ 2..=9 => ty,
        ty => ty + 1,
    }
}

impl Described<'_> {
    /// The tensor without shape and data, and its name, which it points to.
    pub fn tensor(&self) -> (TfLiteTensor, CString) {
        let name = CString::new(self.name.replace('\0', "\u{fffd}")).unwrap_or_default();
        let tensor = TfLiteTensor {
            kind: type_of(self.ty),
            name: name.as_ptr(),
            params: self.params(),
            quantization: self.quantization(),
            is_variable: self.is_variable,
            dims_signature: int_array(self.shape_signature),
            ..TfLiteTensor::EMPTY
        };
        (tensor, name)
    }

    /// Scale and zero point where there is one of each; zeros else.
    fn params(&self) -> TfLiteQuantizationParams {
        match (self.scales, self.zero_points) {
            (&[scale], &[]) => TfLiteQuantizationParams { scale, zero_point: 0 },
            (&[scale], &[zero_point]) => {
                TfLiteQuantizationParams { scale, zero_point: zero_point.try_into().unwrap_or(0) }
            }
            _ => TfLiteQuantizationParams::default(),
        }
    }

    fn quantization(&self) -> TfLiteQuantization {
        if self.scales.is_empty() {
            return TfLiteQuantization::NONE;
        }
        // As many zero points as scales, whatever the file says.
        let zero = |i: usize| self.zero_points.get(i).or(self.zero_points.first()).copied().unwrap_or(0);
        let zero_points: Vec<i32> =
            (0..self.scales.len()).map(|i| c_int::try_from(zero(i)).unwrap_or(0)).collect();
        let affine = TfLiteAffineQuantization {
            scale: float_array(self.scales),
            zero_point: int_array(&zero_points),
            quantized_dimension: self.quantized_dimension.try_into().unwrap_or(0),
        };
        // SAFETY: any number of bytes may be asked for.
        let params = unsafe { arrays::malloc(size_of_val(&affine)) }.cast::<TfLiteAffineQuantization>();
        if params.is_null() {
            // SAFETY: both were made above, and go nowhere else.
            unsafe {
                TfLiteFloatArrayFree(affine.scale);
                TfLiteIntArrayFree(affine.zero_point);
            }
            return TfLiteQuantization::NONE;
        }
        // SAFETY: room for one was given, aligned for anything.
        unsafe { params.write(affine) };
        TfLiteQuantization { kind: kTfLiteAffineQuantization, params: params.cast() }
    }
}

/// Gives a tensor this shape, unless it has it: pointers to a shape stay good as long as it is the same.
pub(crate) fn set_shape(tensor: &mut TfLiteTensor, shape: &[i32]) {
    // SAFETY: null or an array that the tensor owns.
    unsafe {
        if tensor.dims.is_null() || arrays::numbers(tensor.dims) != shape {
            TfLiteIntArrayFree(tensor.dims);
            tensor.dims = int_array(shape);
        }
    }
}
