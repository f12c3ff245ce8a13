//! Tensors for tests, which own their shape, data and quantization.

use core::fmt;
use std::string::String;
use std::vec::Vec;

use crate::ElementType;
use crate::tensor::{Bool, Complex32, Complex64, Element, element_count};

/// A tensor with its data. The bytes are as in a model file: little-endian and dense, with the outermost dimension
/// first.
#[derive(Clone, PartialEq)]
pub struct Tensor {
    ty: ElementType,
    shape: Vec<i32>,
    bytes: Vec<u8>,
    quantization: Option<Quantized>,
    name: String,
}

/// Scales and zero points: `real = scale × (q − zero_point)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantized {
    /// One for the whole tensor, or one per slice of `dimension`.
    pub scales: Vec<f32>,
    /// As many as scales, or a single one.
    pub zero_points: Vec<i64>,
    /// The dimension along which scales vary.
    pub dimension: i32,
    /// Number of elements along `dimension` that share a scale; 0 unless blockwise.
    pub block_size: i32,
}

impl Quantized {
    fn per_tensor(scale: f32, zero_point: i64) -> Self {
        Quantized {
            scales: std::vec![scale],
            zero_points: std::vec![zero_point],
            dimension: 0,
            block_size: 0,
        }
    }
}

/// An output without data. The shape is the one in the model file; an op may ignore it.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    ty: ElementType,
    shape: Vec<i32>,
    quantization: Option<Quantized>,
}

macro_rules! types {
    ($($rust:ty, $name:ident, $accessor:ident, $ty:literal;)*) => {
        impl Tensor {
            $(
                #[doc = concat!("A ", $ty, " tensor.\n\n# Panics\nIf the shape has another number of elements.")]
                pub fn $name(shape: &[i32], elements: &[$rust]) -> Self {
                    Self::of(shape, elements)
                }

                #[doc = concat!("The elements of a ", $ty, " tensor.\n\n# Panics\nIf it has another type.")]
                pub fn $accessor(&self) -> Vec<$rust> {
                    self.elements()
                }
            )*
        }
    };
}

types! {
    f32, f32, as_f32, "FLOAT32";
    f64, f64, as_f64, "FLOAT64";
    half::f16, f16, as_f16, "FLOAT16";
    half::bf16, bf16, as_bf16, "BFLOAT16";
    i8, i8, as_i8, "INT8";
    u8, u8, as_u8, "UINT8";
    i16, i16, as_i16, "INT16";
    u16, u16, as_u16, "UINT16";
    i32, i32, as_i32, "INT32";
    u32, u32, as_u32, "UINT32";
    i64, i64, as_i64, "INT64";
    u64, u64, as_u64, "UINT64";
    Complex32, complex64, as_complex64, "COMPLEX64";
    Complex64, complex128, as_complex128, "COMPLEX128";
}

impl Tensor {
    /// A tensor of any type with a Rust type.
    ///
    /// # Panics
    /// The shape has another number of elements.
    pub fn of<T: Element>(shape: &[i32], elements: &[T]) -> Self {
        assert_eq!(element_count(shape), elements.len(), "elements of shape {shape:?}");
        Self::raw(T::TYPE, shape, bytemuck::cast_slice(elements))
    }

    /// A BOOL tensor.
    ///
    /// # Panics
    /// The shape has another number of elements.
    pub fn bool(shape: &[i32], elements: &[bool]) -> Self {
        let elements: Vec<Bool> = elements.iter().map(|&b| Bool(u8::from(b))).collect();
        Self::of(shape, &elements)
    }

    /// An INT4 tensor with values in −8..=7.
    ///
    /// # Panics
    /// The shape has another number of elements.
    pub fn i4(shape: &[i32], elements: &[i8]) -> Self {
        assert_eq!(element_count(shape), elements.len(), "elements of shape {shape:?}");
        let nibble = |i: usize| elements.get(i).map_or(0, |&v| v as u8 & 15);
        let bytes: Vec<u8> =
            (0..elements.len().div_ceil(2)).map(|i| nibble(2 * i) | nibble(2 * i + 1) << 4).collect();
        Self::raw(ElementType::I4, shape, &bytes)
    }

    /// A STRING tensor in TFLite's format: i32 count, i32 offsets (one more than strings), the bytes.
    ///
    /// # Panics
    /// The shape has another number of elements.
    pub fn strings<S: AsRef<[u8]>>(shape: &[i32], strings: &[S]) -> Self {
        assert_eq!(element_count(shape), strings.len(), "elements of shape {shape:?}");
        let mut bytes = (strings.len() as i32).to_le_bytes().to_vec();
        let mut offset = 4 * (strings.len() + 2);
        for length in strings.iter().map(|s| s.as_ref().len()).chain([0]) {
            bytes.extend((offset as i32).to_le_bytes());
            offset += length;
        }
        strings.iter().for_each(|s| bytes.extend(s.as_ref()));
        Self::raw(ElementType::String, shape, &bytes)
    }

    /// A tensor of any type from its bytes.
    pub fn raw(ty: ElementType, shape: &[i32], bytes: &[u8]) -> Self {
        Tensor { ty, shape: shape.to_vec(), bytes: bytes.to_vec(), quantization: None, name: String::new() }
    }

    /// Sets one scale and zero point.
    pub fn quantized(self, scale: f32, zero_point: i64) -> Self {
        self.with_quantization(Quantized::per_tensor(scale, zero_point))
    }

    /// Sets a scale and a zero point per slice of `dimension`.
    pub fn per_channel(self, scales: &[f32], zero_points: &[i64], dimension: i32) -> Self {
        let (scales, zero_points) = (scales.to_vec(), zero_points.to_vec());
        self.with_quantization(Quantized { scales, zero_points, dimension, block_size: 0 })
    }

    /// Sets any quantization.
    pub fn with_quantization(mut self, quantization: Quantized) -> Self {
        self.quantization = Some(quantization);
        self
    }

    /// Sets the name shown in messages. The default is `in0`, `in1`, …
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    /// The element type.
    pub fn ty(&self) -> ElementType {
        self.ty
    }

    /// The dimensions, outermost first.
    pub fn shape(&self) -> &[i32] {
        &self.shape
    }

    /// The data as bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The name shown in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The quantization, if any.
    pub fn quantization(&self) -> Option<&Quantized> {
        self.quantization.as_ref()
    }

    /// The elements.
    ///
    /// # Panics
    /// The tensor has another type.
    pub fn elements<T: Element>(&self) -> Vec<T> {
        assert_eq!(self.ty, T::TYPE, "type of '{}'", self.name);
        self.bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
    }

    /// The elements of a BOOL tensor.
    ///
    /// # Panics
    /// The tensor has another type, or a byte is neither 0 nor 1.
    pub fn as_bool(&self) -> Vec<bool> {
        let truth = |b: Bool| match b.0 {
            0 => false,
            1 => true,
            byte => panic!("'{}' holds the byte {byte}; a BOOL is 0 or 1", self.name),
        };
        self.elements().into_iter().map(truth).collect()
    }

    /// The elements of an INT4 tensor.
    ///
    /// # Panics
    /// The tensor has another type.
    pub fn as_i4(&self) -> Vec<i8> {
        assert_eq!(self.ty, ElementType::I4, "type of '{}'", self.name);
        let nibbles = self.bytes.iter().flat_map(|b| [(b << 4) as i8 >> 4, *b as i8 >> 4]);
        nibbles.take(element_count(&self.shape)).collect()
    }

    /// The elements of a STRING tensor; invalid UTF-8 is replaced.
    ///
    /// # Panics
    /// The tensor has another type, or an offset is outside the data.
    pub fn as_strings(&self) -> Vec<String> {
        assert_eq!(self.ty, ElementType::String, "type of '{}'", self.name);
        let word = |i: usize| {
            let word = self.bytes[4 * i..4 * i + 4].try_into().map(i32::from_le_bytes);
            word.ok().and_then(|w| usize::try_from(w).ok()).expect("offsets are not negative")
        };
        (0..word(0))
            .map(|i| String::from_utf8_lossy(&self.bytes[word(i + 1)..word(i + 2)]).into_owned())
            .collect()
    }

    /// The same tensor with other data and another shape.
    pub(super) fn with_contents(&self, shape: Vec<i32>, bytes: Vec<u8>) -> Self {
        Tensor { shape, bytes, ..self.clone() }
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' {}{:?} ", self.name, self.ty, self.shape)?;
        macro_rules! show {
            ($($ty:ident => $accessor:ident,)*) => {
                match self.ty {
                    $(ElementType::$ty => write!(f, "{:?}", self.$accessor())?,)*
                    _ => write!(f, "{:02x?}", self.bytes)?,
                }
            };
        }
        show! {
            F32 => as_f32, F64 => as_f64, F16 => as_f16, BF16 => as_bf16, I8 => as_i8, U8 => as_u8, I16 => as_i16,
            U16 => as_u16, I32 => as_i32, U32 => as_u32, I64 => as_i64, U64 => as_u64, I4 => as_i4,
        }
        match &self.quantization {
            Some(q) => write!(f, " {q:?}"),
            None => Ok(()),
        }
    }
}

impl Spec {
    /// An output of this type, without quantization.
    pub fn of(ty: ElementType) -> Self {
        Spec { ty, shape: Vec::new(), quantization: None }
    }

    /// A FLOAT32 output.
    pub fn f32() -> Self {
        Self::of(ElementType::F32)
    }

    /// An INT32 output.
    pub fn i32() -> Self {
        Self::of(ElementType::I32)
    }

    /// An INT64 output.
    pub fn i64() -> Self {
        Self::of(ElementType::I64)
    }

    /// A BOOL output.
    pub fn bool() -> Self {
        Self::of(ElementType::Bool)
    }

    /// A STRING output.
    pub fn string() -> Self {
        Self::of(ElementType::String)
    }

    /// A quantized INT8 output.
    pub fn i8(scale: f32, zero_point: i64) -> Self {
        Self::of(ElementType::I8).quantized(scale, zero_point)
    }

    /// A quantized UINT8 output.
    pub fn u8(scale: f32, zero_point: i64) -> Self {
        Self::of(ElementType::U8).quantized(scale, zero_point)
    }

    /// A quantized INT16 output.
    pub fn i16(scale: f32, zero_point: i64) -> Self {
        Self::of(ElementType::I16).quantized(scale, zero_point)
    }

    /// The element type.
    pub fn ty(&self) -> ElementType {
        self.ty
    }

    /// Sets one scale and zero point.
    pub fn quantized(mut self, scale: f32, zero_point: i64) -> Self {
        self.quantization = Some(Quantized::per_tensor(scale, zero_point));
        self
    }

    /// Sets any quantization.
    pub fn with_quantization(mut self, quantization: Quantized) -> Self {
        self.quantization = Some(quantization);
        self
    }

    /// Sets the shape in the model file.
    pub fn shape(mut self, shape: &[i32]) -> Self {
        self.shape = shape.to_vec();
        self
    }

    /// A tensor with this type, shape and quantization, and no data.
    pub fn into_tensor(self) -> Tensor {
        let Spec { ty, shape, quantization } = self;
        Tensor { ty, shape, bytes: Vec::new(), quantization, name: String::new() }
    }
}

/// The results of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The outputs that are not absent, in order.
    pub outputs: Vec<Tensor>,
    /// The variables as `eval` left them, in the order of the inputs.
    pub variables: Vec<Tensor>,
    /// Names and values of the resources that have a value.
    pub resources: Vec<(Vec<u8>, Tensor)>,
}
