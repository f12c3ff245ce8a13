//! Properties of a tensor that never change: type, name, quantization and shape signature.

use std::ffi::{CString, c_int};

use arenite::{ElementType, Interpreter, Result};

use crate::arrays::{self, TfLiteFloatArrayFree, TfLiteIntArrayFree, float_array, int_array};
use crate::guard::c_string;
use crate::types::*;

/// The fixed properties of a tensor, from the runtime or from a kernel's node.
pub(crate) struct TensorDescription<'a> {
    pub ty: ElementType,
    pub name: &'a str,
    pub scales: &'a [f32],
    pub zero_points: &'a [i64],
    pub quantized_dimension: usize,
    pub shape_signature: &'a [i32],
    pub is_variable: bool,
}

/// The number in TensorFlow Lite's C interface of the schema's element type.
pub(crate) fn type_of(ty: ElementType) -> TfLiteType {
    match ty as TfLiteType {
        0 => 1,
        1 => 10,
        ty @ 2..=9 => ty,
        ty => ty + 1,
    }
}

impl TensorDescription<'_> {
    /// The tensor without shape and data. It points to the returned name, which must outlive it.
    pub(crate) fn tensor(&self) -> (TfLiteTensor, CString) {
        let name = c_string(self.name);
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

    /// Scale and zero point of a tensor that has one of each or only a scale, otherwise zeros.
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
        // C expects one zero point per scale, while a file may have fewer: the first one replaces missing ones.
        let zero = |i: usize| self.zero_points.get(i).or(self.zero_points.first()).copied().unwrap_or(0);
        let zero_points: Vec<i32> =
            (0..self.scales.len()).map(|i| c_int::try_from(zero(i)).unwrap_or(0)).collect();
        let affine = TfLiteAffineQuantization {
            scale: float_array(self.scales),
            zero_point: int_array(&zero_points),
            quantized_dimension: self.quantized_dimension.try_into().unwrap_or(0),
        };
        // SAFETY: `malloc` accepts any size.
        let params = unsafe { arrays::malloc(size_of_val(&affine)) }.cast::<TfLiteAffineQuantization>();
        if params.is_null() {
            // SAFETY: `float_array` and `int_array` returned both pointers, which are stored nowhere else.
            unsafe {
                TfLiteFloatArrayFree(affine.scale);
                TfLiteIntArrayFree(affine.zero_point);
            }
            return TfLiteQuantization::NONE;
        }
        // SAFETY: `malloc` returned room for one struct, aligned for any type.
        unsafe { params.write(affine) };
        TfLiteQuantization { kind: kTfLiteAffineQuantization, params: params.cast() }
    }
}

/// The tensors of a subgraph of a built interpreter, without data. They point to the names, which must outlive them.
///
/// # Errors
/// The runtime's error if it cannot access a tensor.
pub(crate) fn tensors_of(
    interpreter: &Interpreter,
    subgraph: usize,
    variables: &[i32],
) -> Result<(Vec<TfLiteTensor>, Vec<CString>)> {
    let count = interpreter.tensor_names(subgraph).len();
    let mut names = Vec::with_capacity(count);
    let mut tensors = Vec::with_capacity(count);
    for index in 0..count {
        let tensor = interpreter.tensor_of(subgraph, index)?;
        let described = TensorDescription {
            ty: tensor.ty,
            name: tensor.name,
            scales: tensor.scales,
            zero_points: tensor.zero_points,
            quantized_dimension: tensor.quantized_dimension,
            shape_signature: tensor.shape_signature,
            is_variable: variables.contains(&(index as i32)),
        };
        let (mut new, name) = described.tensor();
        set_shape(&mut new, tensor.shape);
        new.bytes = tensor.byte_len();
        tensors.push(new);
        names.push(name);
    }
    Ok((tensors, names))
}

/// Sets the shape of a tensor. An equal shape is not replaced, so that pointers to it remain valid.
pub(crate) fn set_shape(tensor: &mut TfLiteTensor, shape: &[i32]) {
    // SAFETY: `dims` is null or an array that the tensor owns.
    unsafe {
        if tensor.dims.is_null() || arrays::numbers(tensor.dims) != shape {
            TfLiteIntArrayFree(tensor.dims);
            tensor.dims = int_array(shape);
        }
    }
}
