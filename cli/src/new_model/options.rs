//! Options of a node: JSON or bytes, as a flexbuffer or as a table of the schema.

use arenite::ElementType;
use arenite::abi::schema::{FieldInfo, OPERATORS, TableInfo, Union};
use arenite::model_file::writer;
use arenite_abi::testing::{FlexBuilder, FlexItem};
use serde_json::{Map, Value};

use crate::node_facts::value_named;
use crate::text;

/// The options in a node's text.
#[derive(Debug, PartialEq)]
pub(super) enum Options<'a> {
    None,
    Json(Map<String, Value>),
    Hex(&'a str, Vec<u8>),
}

impl<'a> Options<'a> {
    /// Reads the text after a node's inputs.
    pub(super) fn parse(text: &'a str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Options::None);
        }
        if let Some(digits) = text.strip_prefix("hex:") {
            return Ok(Options::Hex(digits, bytes(digits)?));
        }
        if !text.starts_with('{') {
            let given = text::shorten(text, 40);
            return Err(format!("options are '{given}'; expected JSON such as {{\"n\": 2}}, or hex:00ff"));
        }
        serde_json::from_str(text).map(Options::Json).map_err(|error| format!("options: {error}"))
    }

    /// The bytes of a custom op's options.
    pub(super) fn custom(&self) -> Result<Vec<u8>, String> {
        match self {
            Options::None => Ok(Vec::new()),
            Options::Hex(_, bytes) => Ok(bytes.clone()),
            Options::Json(map) => Ok(flex_map(map)?.finish()),
        }
    }

    /// Adds the options to an operator that runs the builtin op with this code.
    pub(super) fn add_builtin(
        &self,
        operator: writer::Operator,
        code: i32,
    ) -> Result<writer::Operator, String> {
        let info = OPERATORS.iter().find(|op| op.code == code);
        let (name, table) = info.map_or(("the op", None), |op| (op.name, op.options));
        match (self, table) {
            (Options::Hex(..), _) => Err(format!("{name} is a builtin op; give its options as JSON")),
            (Options::None, None) => Ok(operator),
            (Options::Json(map), None) if map.is_empty() => Ok(operator),
            (Options::Json(_), None) => Err(format!("{name} has no options")),
            (Options::None, Some(table)) => add(operator, &table, &Map::new()),
            (Options::Json(map), Some(table)) => add(operator, &table, map),
        }
    }
}

fn bytes(digits: &str) -> Result<Vec<u8>, String> {
    let fail = || {
        let digits = text::shorten(digits, 40);
        format!("options are 'hex:{digits}'; expected two hexadecimal digits per byte")
    };
    let pairs = digits.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2 && !pair.starts_with('+'))?;
        u8::from_str_radix(pair, 16).ok()
    });
    pairs.collect::<Option<_>>().ok_or_else(fail)
}

fn flex_map(map: &Map<String, Value>) -> Result<FlexBuilder, String> {
    map.iter().try_fold(FlexBuilder::default(), |builder, (key, value)| {
        let fail = |message: String| format!("option '{}': {message}", text::shorten(key, 40));
        if key.contains('\0') {
            return Err(fail("a key of a flexbuffer has no zero byte".to_owned()));
        }
        Ok(builder.item(key, flex(value).map_err(fail)?))
    })
}

/// A JSON value as an item of a flexbuffer. Lists of integers and of numbers have one type for all elements.
fn flex(value: &Value) -> Result<FlexItem, String> {
    Ok(match value {
        Value::Null => FlexItem::Null,
        Value::Bool(value) => FlexItem::Bool(*value),
        Value::String(text) => FlexItem::Text(text.clone()),
        Value::Object(map) => FlexItem::Map(flex_map(map)?),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(value), _) => FlexItem::Int(value),
            (None, _) if number.is_u64() => return Err(format!("{number} does not fit 64 signed bits")),
            (None, Some(value)) => FlexItem::Float(value),
            (None, None) => return Err(format!("{number} is not a number of 64 bits")),
        },
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_i64) => {
            FlexItem::Ints(items.iter().filter_map(Value::as_i64).collect())
        }
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_number) => {
            FlexItem::Floats(items.iter().filter_map(Value::as_f64).collect())
        }
        Value::Array(items) => FlexItem::List(items.iter().map(flex).collect::<Result<_, _>>()?),
    })
}

/// Adds a table of the schema.
fn add(
    mut operator: writer::Operator,
    table: &TableInfo,
    map: &Map<String, Value>,
) -> Result<writer::Operator, String> {
    let mut options = writer::Options::default();
    for (name, value) in map {
        let field =
            table.fields.iter().find(|field| field.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
                let names: Vec<String> =
                    table.fields.iter().map(|field| field.name.to_ascii_lowercase()).collect();
                let (name, known) = (text::shorten(name, 40), names.join(", "));
                let known = if known.is_empty() { "no options" } else { known.as_str() };
                format!("option '{name}' is unknown; the op has {known}")
            })?;
        let value = encoded(field, table, value).ok_or_else(|| {
            let list = if field.vector { "a list of " } else { "" };
            format!("option '{name}' is {value}; expected {list}{}", field.ty)
        })?;
        options.slots.push((field.slot, value));
    }
    let tag = u8::try_from(table.tag).map_err(|_| format!("table {} has no tag of one byte", table.name))?;
    match table.union {
        Union::BuiltinOptions => operator.options = Some((tag, options)),
        Union::BuiltinOptions2 => operator.options_2 = Some((tag, options)),
    }
    Ok(operator)
}

/// The value of a field; `None` if it has another type.
fn encoded(field: &FieldInfo, table: &TableInfo, value: &Value) -> Option<writer::Value> {
    use writer::Value as Encoded;
    if field.ty == ElementType::String {
        return value.as_str().map(|text| Encoded::Text(text.to_owned()));
    }
    if field.vector {
        let items = value.as_array()?;
        let whole = |item: &Value| item.as_i64();
        return Some(match field.ty {
            ElementType::I32 => Encoded::I32s(each(items, |item| i32::try_from(whole(item)?).ok())?),
            ElementType::U32 => {
                Encoded::I32s(each(items, |item| Some(u32::try_from(whole(item)?).ok()? as i32))?)
            }
            ElementType::I64 => Encoded::I64s(each(items, whole)?),
            ElementType::F32 => Encoded::F32s(each(items, |item| Some(item.as_f64()? as f32))?),
            ElementType::U8 => Encoded::Bytes(each(items, |item| u8::try_from(whole(item)?).ok())?),
            ElementType::Bool => Encoded::Bytes(each(items, |item| item.as_bool().map(u8::from))?),
            _ => return None,
        });
    }
    let number = || value.as_i64().or_else(|| value_named(value.as_str()?, field, table));
    Some(match field.ty {
        ElementType::Bool => Encoded::Bool(value.as_bool()?),
        ElementType::I8 => Encoded::I8(i8::try_from(number()?).ok()?),
        ElementType::I32 => Encoded::I32(i32::try_from(number()?).ok()?),
        ElementType::U32 => Encoded::I32(u32::try_from(number()?).ok()? as i32),
        ElementType::I64 => Encoded::I64(number()?),
        ElementType::F32 => Encoded::F32(value.as_f64()? as f32),
        _ => return None,
    })
}

fn each<T>(items: &[Value], of: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    items.iter().map(of).collect()
}
