//! TensorFlow's op and its attributes, which are a serialized NodeDef in the node's custom options.
//!
//! ```text
//! custom options = flexbuffer [op, NodeDef]
//! NodeDef        = 1 name │ 2 op │ 3 inputs │ 4 device │ 5 attributes { 1 name │ 2 AttrValue }
//! AttrValue      = 1 list │ 2 bytes │ 3 int │ 4 float │ 5 bool │ 6 type │ 7 shape │ …
//! list           = the same kinds by the same numbers, repeated; numbers may be packed
//! shape          = 2 dimensions { 1 size } │ 3 rank unknown
//! ```
//! Defined by: tflite/delegates/flex/kernel.cc, tensorflow/core/framework/{node_def,attr_value,tensor_shape}.proto.

use arenite_abi::flexbuffer::FlexValue;
use arenite_abi::prelude::*;

use super::protobuf::{Field, FieldValue, Fields};

/// A TensorFlow op with its attributes.
#[derive(Clone, Debug)]
pub struct NodeDef<'a> {
    /// The name of the op, without the prefix `Flex`.
    pub op: &'a str,
    attributes: Vec<(&'a [u8], &'a [u8])>,
}

const LIST: u32 = 1;
const BYTES: u32 = 2;
const INT: u32 = 3;
const FLOAT: u32 = 4;
const BOOL: u32 = 5;
const TYPE: u32 = 6;
const SHAPE: u32 = 7;

impl<'a> NodeDef<'a> {
    /// Reads the NodeDef of a node. The first of the custom options names the op, whatever the NodeDef says.
    ///
    /// # Errors
    /// The custom options are not a valid NodeDef, or they name another op than the node.
    pub fn of(node: &NodeView<'a>) -> Result<NodeDef<'a>> {
        let options = FlexValue::from_bytes(node.custom_options())?.as_vector()?;
        ensure!(options.len() == 2, "custom options have {} values; op and NodeDef are two", options.len());
        let op = options.get(0)?.as_str()?;
        ensure!(
            node.custom_name().strip_prefix("Flex") == Some(op),
            "the custom op is '{}', its options name '{op}'; they must agree",
            node.custom_name()
        );
        Ok(NodeDef { op, ..NodeDef::parse(options.get(1)?.as_bytes()?)? })
    }

    /// Parses a serialized NodeDef.
    ///
    /// # Errors
    /// The bytes are not a valid NodeDef.
    pub fn parse(bytes: &'a [u8]) -> Result<NodeDef<'a>> {
        let mut def = NodeDef { op: "", attributes: Vec::new() };
        for field in Fields::new(bytes) {
            match field? {
                Field { number: 2, value: FieldValue::Bytes(op) } => {
                    def.op =
                        core::str::from_utf8(op).map_err(|_| invalid!("NodeDef: the op is not UTF-8"))?;
                }
                Field { number: 5, value: FieldValue::Bytes(entry) } => {
                    def.attributes.push(attribute(entry)?)
                }
                _ => {}
            }
        }
        Ok(def)
    }

    /// The integer `name`, or `default` if the attribute is missing.
    ///
    /// # Errors
    /// The attribute has another kind.
    pub fn int(&self, name: &str, default: i64) -> Result<i64> {
        Ok(self.get(name, INT)?.map_or(default, |value| value.as_u64() as i64))
    }

    /// The number `name`, or `default` if the attribute is missing.
    ///
    /// # Errors
    /// The attribute has another kind.
    pub fn float(&self, name: &str, default: f32) -> Result<f32> {
        Ok(self.get(name, FLOAT)?.map_or(default, |value| f32::from_bits(value.as_u64() as u32)))
    }

    /// The boolean `name`, or `default` if the attribute is missing.
    ///
    /// # Errors
    /// The attribute has another kind.
    pub fn bool(&self, name: &str, default: bool) -> Result<bool> {
        Ok(self.get(name, BOOL)?.map_or(default, |value| value.as_u64() != 0))
    }

    /// The bytes `name`, or `default` if the attribute is missing.
    ///
    /// # Errors
    /// The attribute has another kind.
    pub fn bytes(&self, name: &str, default: &'a [u8]) -> Result<&'a [u8]> {
        Ok(self.get(name, BYTES)?.map_or(default, |value| value.as_bytes()))
    }

    /// The text `name`, or `default` if the attribute is missing.
    ///
    /// # Errors
    /// The attribute has another kind, or is not UTF-8.
    pub fn text(&self, name: &str, default: &'a str) -> Result<&'a str> {
        core::str::from_utf8(self.bytes(name, default.as_bytes())?)
            .map_err(|_| invalid!("attribute '{name}' is not UTF-8"))
    }

    /// The position in `known` of the text `name`, or 0 if the attribute is missing.
    ///
    /// # Errors
    /// The text is not in `known`; the message lists the alternatives.
    pub fn choice(&self, name: &str, known: &[&'static str]) -> Result<usize> {
        let text = self.text(name, known.first().copied().unwrap_or_default())?;
        known
            .iter()
            .position(|&k| k == text)
            .ok_or_else(|| invalid!("attribute '{name}' is '{text}'; it may be {}", known.join(", ")))
    }

    /// The element type `name`, or `None` if the attribute is missing.
    ///
    /// # Errors
    /// The attribute has another kind, or the type is not supported.
    pub fn ty(&self, name: &str) -> Result<Option<ElementType>> {
        self.get(name, TYPE)?.map(|value| element_type(value.as_u64())).transpose()
    }

    /// The shape `name`, or `None` if the attribute is missing or has no rank. Unknown sizes are −1.
    ///
    /// # Errors
    /// The attribute has another kind.
    pub fn shape(&self, name: &str) -> Result<Option<Vec<i64>>> {
        self.get(name, SHAPE)?.map_or(Ok(None), |value| shape(value.as_bytes()))
    }

    /// The integers `name`; empty if the attribute is missing.
    ///
    /// # Errors
    /// The attribute has another kind.
    pub fn ints(&self, name: &str) -> Result<Vec<i64>> {
        let mut numbers = Vec::new();
        for field in Fields::new(self.get(name, LIST)?.map_or(&[][..], |value| value.as_bytes())) {
            match field? {
                Field { number: INT, value: FieldValue::Bytes(packed) } => {
                    let mut packed = Fields::new(packed);
                    while let Some(number) = packed.varint()? {
                        numbers.push(number as i64);
                    }
                }
                Field { number: INT, value } => numbers.push(value.as_u64() as i64),
                _ => {}
            }
        }
        Ok(numbers)
    }

    /// The element types `name`; empty if the attribute is missing.
    ///
    /// # Errors
    /// The attribute has another kind, or a type is not supported.
    pub fn types(&self, name: &str) -> Result<Vec<ElementType>> {
        let mut types = Vec::new();
        for field in Fields::new(self.get(name, LIST)?.map_or(&[][..], |value| value.as_bytes())) {
            match field? {
                Field { number: TYPE, value: FieldValue::Bytes(packed) } => {
                    let mut packed = Fields::new(packed);
                    while let Some(number) = packed.varint()? {
                        types.push(element_type(number)?);
                    }
                }
                Field { number: TYPE, value } => types.push(element_type(value.as_u64())?),
                _ => {}
            }
        }
        Ok(types)
    }

    /// The shapes `name`; empty if the attribute is missing. Unknown sizes are −1.
    ///
    /// # Errors
    /// The attribute has another kind, or the rank of a shape is unknown.
    pub fn shapes(&self, name: &str) -> Result<Vec<Vec<i64>>> {
        let mut shapes = Vec::new();
        for field in Fields::new(self.get(name, LIST)?.map_or(&[][..], |value| value.as_bytes())) {
            if let Field { number: SHAPE, value } = field? {
                let unknown = || invalid!("attribute '{name}': shape {} has no rank", shapes.len());
                let sizes = shape(value.as_bytes())?.ok_or_else(unknown)?;
                shapes.push(sizes);
            }
        }
        Ok(shapes)
    }

    /// Like [`ints`](Self::ints), for exactly `N` integers.
    ///
    /// # Errors
    /// There is another number of integers.
    pub fn ints_of<const N: usize>(&self, name: &str) -> Result<[i64; N]> {
        let ints = self.ints(name)?;
        ints.as_slice()
            .try_into()
            .map_err(|_| invalid!("attribute '{name}' is {ints:?}; {N} numbers are needed"))
    }

    /// The value of `name`, which must be of kind `kind`.
    fn get(&self, name: &str, kind: u32) -> Result<Option<FieldValue<'a>>> {
        let Some((_, value)) = self.attributes.iter().rfind(|(key, _)| *key == name.as_bytes()) else {
            return Ok(None);
        };
        let mut found = None;
        for field in Fields::new(value) {
            let field = field?;
            ensure!(
                field.number == kind && field.value.is_bytes() == matches!(kind, LIST | BYTES | SHAPE),
                "attribute '{name}' is of kind {}, this op reads kind {kind}",
                field.number
            );
            found = Some(field.value);
        }
        Ok(Some(found.unwrap_or(match kind {
            LIST | BYTES | SHAPE => FieldValue::Bytes(&[]),
            _ => FieldValue::Number(0),
        })))
    }
}

fn attribute(entry: &[u8]) -> Result<(&[u8], &[u8])> {
    let (mut name, mut value) = (&[][..], &[][..]);
    for field in Fields::new(entry) {
        match field? {
            Field { number: 1, value: FieldValue::Bytes(bytes) } => name = bytes,
            Field { number: 2, value: FieldValue::Bytes(bytes) } => value = bytes,
            _ => {}
        }
    }
    Ok((name, value))
}

fn shape(bytes: &[u8]) -> Result<Option<Vec<i64>>> {
    let mut sizes = Vec::new();
    for field in Fields::new(bytes) {
        match field? {
            Field { number: 2, value: FieldValue::Bytes(dimension) } => {
                let mut size = 0;
                for field in Fields::new(dimension) {
                    if let Field { number: 1, value: FieldValue::Number(number) } = field? {
                        size = number as i64;
                    }
                }
                sizes.push(size);
            }
            Field { number: 3, value: FieldValue::Number(unknown) } if unknown != 0 => return Ok(None),
            _ => {}
        }
    }
    Ok(Some(sizes))
}

/// The element type for TensorFlow's type number.
///
/// # Errors
/// The type is not supported.
pub fn element_type(number: u64) -> Result<ElementType> {
    Ok(match number {
        1 => F32,
        2 => F64,
        3 => I32,
        4 => U8,
        5 => I16,
        6 => I8,
        7 => ElementType::String,
        8 => C64,
        9 => I64,
        10 => ElementType::Bool,
        14 => BF16,
        17 => U16,
        18 => C128,
        19 => F16,
        20 => ElementType::Resource,
        21 => ElementType::Variant,
        22 => U32,
        23 => U64,
        _ => return Err(invalid!("TensorFlow's data type {number} is not supported")),
    })
}

/// TensorFlow's type number, or 0 if TensorFlow lacks the type.
pub fn number_of(ty: ElementType) -> u64 {
    (1..24).find(|&number| element_type(number).is_ok_and(|of| of == ty)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::write::{Attribute, custom_options, node_def};
    use super::*;

    fn written() -> Vec<u8> {
        node_def(
            "Op",
            &[
                ("i", Attribute::Int(-3)),
                ("f", Attribute::Float(0.5)),
                ("b", Attribute::Bool(true)),
                ("s", Attribute::Text("ab")),
                ("t", Attribute::Type(C64)),
                ("list", Attribute::Ints(&[1, -2, 300])),
                ("shape", Attribute::Shape(&[2, -1])),
            ],
        )
    }

    #[test]
    fn attributes_by_name() {
        let bytes = written();
        let def = NodeDef::parse(&bytes).unwrap();
        assert_eq!(def.op, "Op");
        assert_eq!([def.int("i", 0).unwrap(), def.int("no", 7).unwrap()], [-3, 7]);
        assert!(def.float("f", 0.0).unwrap() == 0.5 && def.bool("b", false).unwrap());
        assert_eq!((def.text("s", "").unwrap(), def.ty("t").unwrap()), ("ab", Some(C64)));
        assert_eq!(def.ints("list").unwrap(), [1, -2, 300]);
        assert_eq!(def.shape("shape").unwrap(), Some(vec![2, -1]));
        assert_eq!(def.choice("s", &["x", "ab"]).unwrap(), 1);
    }

    #[test]
    fn refusals() {
        let bytes = written();
        let def = NodeDef::parse(&bytes).unwrap();
        let message = |e: Error| e.message().to_owned();
        assert_eq!(
            def.choice("s", &["VALID", "SAME"]).map_err(message),
            Err("attribute 's' is 'ab'; it may be VALID, SAME".into())
        );
        assert_eq!(
            def.int("s", 0).map_err(message),
            Err("attribute 's' is of kind 2, this op reads kind 3".into())
        );
        assert_eq!(
            def.ints_of::<2>("list").map_err(message),
            Err("attribute 'list' is [1, -2, 300]; 2 numbers are needed".into())
        );
        assert_eq!(
            NodeDef::parse(&[0x12, 9]).map(|_| ()).map_err(message),
            Err("NodeDef ends inside a field".into())
        );
    }

    #[test]
    fn random_bytes_do_not_panic() {
        let bytes = written();
        let read = |bytes: &[u8]| {
            let Ok(def) = NodeDef::parse(bytes) else { return };
            for name in ["i", "f", "b", "s", "t", "list", "shape"] {
                let _ = (def.int(name, 0), def.float(name, 0.0), def.bool(name, false), def.text(name, ""));
                let _ = (def.ty(name), def.ints(name), def.shape(name));
            }
        };
        for i in 0..bytes.len() {
            read(&bytes[..i]);
            for value in [0, 1, 0x7f, 0x80, 0xff, bytes[i] ^ 1, bytes[i] ^ 8] {
                let mut spoilt = bytes.clone();
                spoilt[i] = value;
                read(&spoilt);
            }
        }
    }

    #[test]
    fn types_round_trip() {
        let known: Vec<u64> = (0..40).filter(|&n| element_type(n).is_ok()).collect();
        assert_eq!(known.len(), 18);
        assert!(known.iter().all(|&n| number_of(element_type(n).unwrap()) == n));
        assert_eq!(number_of(I4), 0);
        assert!(!custom_options("Op", &[]).is_empty());
    }
}
