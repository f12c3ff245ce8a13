//! Messages `tf.Example`.
//!
//! ```text
//! Example  = 1 Features { 1 entries { 1 key │ 2 Feature } }
//! Feature  = 1 bytes list { 1 bytes, repeated } │ 2 floats { 1 packed or repeated } │ 3 integers { 1 likewise }
//! ```
//! Defined by: tensorflow/core/example/{example,feature}.proto.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::strings::Strings;

use super::kernel::Call;
use super::protobuf::{Field, FieldValue, Fields};

/// An example: its features by key. If a key occurs twice, the last feature counts.
pub struct Example<'a> {
    features: Vec<(&'a [u8], &'a [u8])>,
}

/// The values of one feature.
#[derive(Clone, Debug, PartialEq)]
pub enum FeatureValues<'a> {
    /// Strings.
    Bytes(Vec<&'a [u8]>),
    /// Real numbers.
    Floats(Vec<f32>),
    /// Integers.
    Integers(Vec<i64>),
}

const BYTES: u32 = 1;
const FLOATS: u32 = 2;

impl<'a> Example<'a> {
    /// Parses a serialized example.
    ///
    /// # Errors
    /// The bytes are not a valid message.
    pub fn parse(bytes: &'a [u8]) -> Result<Example<'a>> {
        let mut features = Vec::new();
        for part in Fields::new(bytes) {
            let Field { number: 1, value: FieldValue::Bytes(part) } = part? else { continue };
            for entry in Fields::new(part) {
                let Field { number: 1, value: FieldValue::Bytes(entry) } = entry? else { continue };
                let (mut key, mut feature) = (&[][..], &[][..]);
                for field in Fields::new(entry) {
                    match field? {
                        Field { number: 1, value } => key = value.as_bytes(),
                        Field { number: 2, value } => feature = value.as_bytes(),
                        _ => {}
                    }
                }
                features.push((key, feature));
            }
        }
        Ok(Example { features })
    }

    /// The values of the feature `key`; `None` if it is absent or has no list.
    ///
    /// # Errors
    /// The feature is of another type than `ty`, or malformed.
    pub fn feature(&self, key: &[u8], ty: ElementType) -> Result<Option<FeatureValues<'a>>> {
        let Some((_, feature)) = self.features.iter().rfind(|(known, _)| *known == key) else {
            return Ok(None);
        };
        let Some(list) = Fields::new(feature).last().transpose()? else { return Ok(None) };
        let mut values = match list.number {
            BYTES => FeatureValues::none(ElementType::String)?,
            FLOATS => FeatureValues::none(F32)?,
            _ => FeatureValues::none(I64)?,
        };
        ensure!(values.ty() == ty, "its values are {}, the node expects {ty}", values.ty());
        for value in Fields::new(list.value.as_bytes()) {
            values.push(value?.value)?;
        }
        Ok(Some(values))
    }
}

impl<'a> FeatureValues<'a> {
    /// No values of this type.
    ///
    /// # Errors
    /// Examples have no values of this type.
    pub fn none(ty: ElementType) -> Result<Self> {
        Ok(match ty {
            ElementType::String => FeatureValues::Bytes(Vec::new()),
            F32 => FeatureValues::Floats(Vec::new()),
            I64 => FeatureValues::Integers(Vec::new()),
            ty => return Err(invalid!("examples have no values of type {ty}")),
        })
    }

    /// The elements of a tensor.
    ///
    /// # Errors
    /// Examples have no values of its type.
    pub fn of_tensor(x: &TensorView<'a>) -> Result<Self> {
        Ok(match x.ty {
            ElementType::String => FeatureValues::Bytes(Strings::of(x)?.iter().collect()),
            F32 => FeatureValues::Floats(x.as_slice::<f32>()?.to_vec()),
            I64 => FeatureValues::Integers(x.as_slice::<i64>()?.to_vec()),
            ty => return Err(invalid!("examples have no values of type {ty}")),
        })
    }

    fn ty(&self) -> ElementType {
        match self {
            FeatureValues::Bytes(_) => ElementType::String,
            FeatureValues::Floats(_) => F32,
            FeatureValues::Integers(_) => I64,
        }
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            FeatureValues::Bytes(values) => values.len(),
            FeatureValues::Floats(values) => values.len(),
            FeatureValues::Integers(values) => values.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends the values of a list of the same type; others are ignored.
    pub fn append(&mut self, other: &Self) {
        match (self, other) {
            (FeatureValues::Bytes(to), FeatureValues::Bytes(from)) => to.extend(from),
            (FeatureValues::Floats(to), FeatureValues::Floats(from)) => to.extend(from),
            (FeatureValues::Integers(to), FeatureValues::Integers(from)) => to.extend(from),
            _ => {}
        }
    }

    /// Appends the value of a field, or its packed values.
    fn push(&mut self, value: FieldValue<'a>) -> Result<()> {
        match (self, value) {
            (FeatureValues::Bytes(values), FieldValue::Bytes(bytes)) => values.push(bytes),
            (FeatureValues::Floats(values), FieldValue::Number(bits)) => {
                values.push(f32::from_bits(bits as u32))
            }
            (FeatureValues::Floats(values), FieldValue::Bytes(packed)) => {
                let (packed, rest) = packed.as_chunks::<4>();
                ensure!(rest.is_empty(), "packed numbers end inside a number");
                values.extend(packed.iter().map(|&bytes| f32::from_le_bytes(bytes)));
            }
            (FeatureValues::Integers(values), FieldValue::Number(number)) => values.push(number as i64),
            (FeatureValues::Integers(values), FieldValue::Bytes(packed)) => {
                let mut packed = Fields::new(packed);
                while let Some(number) = packed.varint()? {
                    values.push(number as i64);
                }
            }
            (FeatureValues::Bytes(_), FieldValue::Number(_)) => {
                return Err(invalid!("a list of strings contains a number"));
            }
        }
        Ok(())
    }

    /// Writes the values to output `i` with this shape, unless the node lacks it.
    ///
    /// # Errors
    /// The output is of another type, or the shape does not fit.
    pub fn put(&self, call: &Call<'_, '_>, i: usize, shape: &Dims) -> Result<()> {
        if !call.wants(i) {
            return Ok(());
        }
        ensure!(
            shape.flat_size() == self.len(),
            "{} values for the shape {:?}",
            self.len(),
            shape.as_slice()
        );
        match self {
            FeatureValues::Bytes(values) => return call.put_strings(i, shape, values),
            FeatureValues::Floats(values) => {
                call.resized::<f32>(i, shape.as_slice())?.copy_from_slice(values)
            }
            FeatureValues::Integers(values) => {
                call.resized::<i64>(i, shape.as_slice())?.copy_from_slice(values)
            }
        }
        Ok(())
    }
}
