//! The options of a node, by the schema's names.

use arenite::ElementType;
use arenite::abi::flexbuffer::{FlexKind, FlexMap, FlexValue};
use arenite::abi::options::{OptionScalar, RawOptions};
use arenite::abi::schema::{self, FieldInfo, OPERATORS, TableInfo, Union};
use arenite::model_file::{CUSTOM, Model, Operator, RawTable};
use arenite_common::node_facts::OpOption;
use serde::Serialize;
use serde_json::{Value, json};

/// The most elements of a vector that are read.
const MAX_ELEMENTS: usize = 1024;

/// The options of an operator. Empty if it has none, or if they are damaged.
pub(super) fn read(model: &Model<'_>, operator: &Operator<'_>) -> Vec<OpOption> {
    let Some(code) = model.operator_code(operator) else { return Vec::new() };
    if code.builtin_code() == CUSTOM {
        return custom(operator.custom_options()).unwrap_or_default();
    }
    let Some(table) = OPERATORS.iter().find(|op| op.code == code.builtin_code()).and_then(|op| op.options)
    else {
        return Vec::new();
    };
    match raw_options(operator, &table) {
        Some(raw) => fields(&RawOptions::from_bytes(raw.buffer, raw.position), &table),
        None => Vec::new(),
    }
}

/// The operator's options, if they are of this table.
fn raw_options<'m>(operator: &Operator<'m>, table: &TableInfo) -> Option<RawTable<'m>> {
    let raw = match table.union {
        Union::BuiltinOptions => operator.builtin_options(),
        Union::BuiltinOptions2 => operator.builtin_options_2(),
    };
    raw.filter(|raw| u32::from(raw.tag) == table.tag)
}

fn fields(options: &RawOptions<'_>, table: &TableInfo) -> Vec<OpOption> {
    let read = |field: &FieldInfo| {
        let default = if field.vector { Value::Array(Vec::new()) } else { scalar_default(field, table) };
        let value = value(options, field, table)?;
        let name = field.name.to_ascii_lowercase();
        Some(OpOption { name, is_default: value == default, value })
    };
    table.fields.iter().filter_map(read).collect()
}

fn value(options: &RawOptions<'_>, field: &FieldInfo, table: &TableInfo) -> Option<Value> {
    use ElementType::*;
    if field.ty == String {
        return Some(json!(options.text(field.slot).ok()?));
    }
    if field.vector {
        return match field.ty {
            U8 => list::<u8>(options, field),
            U32 => list::<u32>(options, field),
            I32 => list::<i32>(options, field),
            I64 => list::<i64>(options, field),
            F32 => {
                let elements = options.vector::<f32>(field.slot).ok()?;
                Some(Value::Array(elements.iter().take(MAX_ELEMENTS).map(real).collect()))
            }
            Bool => list::<bool>(options, field),
            _ => None,
        };
    }
    let (slot, default) = (field.slot, field.default);
    Some(match field.ty {
        Bool => json!(options.get(slot, default != 0.0).ok()?),
        I8 => named(options.get(slot, default as i8).ok()?.into(), field, table),
        I32 => named(options.get(slot, default as i32).ok()?.into(), field, table),
        U32 => named(options.get(slot, default as u32).ok()?.into(), field, table),
        I64 => json!(options.get(slot, default as i64).ok()?),
        F32 => real(options.get(slot, default as f32).ok()?),
        _ => return None,
    })
}

fn scalar_default(field: &FieldInfo, table: &TableInfo) -> Value {
    use ElementType::*;
    match field.ty {
        Bool => json!(field.default != 0.0),
        String => json!(""),
        F32 => real(field.default as f32),
        I64 => json!(field.default as i64),
        _ => named(field.default as i64, field, table),
    }
}

/// A number with as few digits as identify it; infinities and NaN as text, because JSON has no numbers for them.
fn real(value: f32) -> Value {
    match value.to_string().parse::<f64>() {
        Ok(number) if number.is_finite() => json!(number),
        _ => json!(value.to_string()),
    }
}

fn list<T: OptionScalar + Serialize>(options: &RawOptions<'_>, field: &FieldInfo) -> Option<Value> {
    let elements = options.vector::<T>(field.slot).ok()?;
    Some(Value::Array(elements.iter().take(MAX_ELEMENTS).map(|element| json!(element)).collect()))
}

macro_rules! names {
    ($of:expr, $($module:ident: $($name:ident)*);*) => {
        match $of {
            $(Enumeration::$module => vec![$((stringify!($name), i64::from(schema::$module::$name))),*],)*
            Enumeration::element_type => {
                ElementType::ALL.iter().map(|&ty| (ty.name(), i64::from(ty as u32))).collect()
            }
        }
    };
}

/// The enumerations of the schema, by the names of their modules.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy)]
enum Enumeration {
    padding,
    activation,
    lsh_projection,
    weights_format,
    lstm_kernel,
    combiner,
    mirror_pad,
    reduce_window,
    rng_algorithm,
    comparison_direction,
    comparison_type,
    element_type,
}

/// The enumeration that a field of a table is of; `None` for a number.
fn enumeration(field: &FieldInfo, table: &TableInfo) -> Option<Enumeration> {
    Some(match (table.name, field.name) {
        (_, "PADDING") => Enumeration::padding,
        (_, "FUSED_ACTIVATION_FUNCTION") => Enumeration::activation,
        ("LSHProjectionOptions", "TYPE") => Enumeration::lsh_projection,
        (_, "WEIGHTS_FORMAT") => Enumeration::weights_format,
        (_, "KERNEL_TYPE") => Enumeration::lstm_kernel,
        (_, "COMBINER") => Enumeration::combiner,
        ("MirrorPadOptions", "MODE") => Enumeration::mirror_pad,
        (_, "REDUCE_FUNCTION") => Enumeration::reduce_window,
        (_, "ALGORITHM") => Enumeration::rng_algorithm,
        (_, "COMPARISON_DIRECTION") => Enumeration::comparison_direction,
        (_, "COMPARE_TYPE") => Enumeration::comparison_type,
        (_, "IN_DATA_TYPE" | "OUT_DATA_TYPE" | "OUTPUT_TYPE" | "OUT_TYPE" | "IDX_OUT_TYPE")
        | (_, "KEY_DTYPE" | "VALUE_DTYPE" | "QUANTIZED_BIAS_TYPE") => Enumeration::element_type,
        _ => return None,
    })
}

/// Names and values of an enumeration.
fn names_of(of: Enumeration) -> Vec<(&'static str, i64)> {
    names! { of,
        padding: SAME VALID;
        activation: NONE RELU RELU_N1_TO_1 RELU6 TANH SIGN_BIT;
        lsh_projection: UNKNOWN SPARSE DENSE;
        weights_format: DEFAULT SHUFFLED_4X16_INT8;
        lstm_kernel: FULL BASIC;
        combiner: SUM MEAN SQRTN;
        mirror_pad: REFLECT SYMMETRIC;
        reduce_window: UNSUPPORTED ADD MUL MINIMUM MAXIMUM ALL ANY;
        rng_algorithm: DEFAULT PHILOX THREEFRY;
        comparison_direction: EQ NE GE GT LE LT;
        comparison_type: NOTYPE FLOAT FLOAT_TOTAL_ORDER SIGNED UNSIGNED
    }
}

/// The name of an enumeration's value; the number for other fields and for unknown values.
fn named(value: i64, field: &FieldInfo, table: &TableInfo) -> Value {
    let names = enumeration(field, table).map(names_of).unwrap_or_default();
    names.iter().find(|(_, known)| *known == value).map_or_else(|| json!(value), |(name, _)| json!(name))
}

/// The value with this name of a field's enumeration.
pub(crate) fn value_named(name: &str, field: &FieldInfo, table: &TableInfo) -> Option<i64> {
    let names = enumeration(field, table).map(names_of)?;
    names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// The entries of a custom op's map; `None` if its options are not a map.
fn custom(bytes: &[u8]) -> Option<Vec<OpOption>> {
    let map = FlexMap::from_bytes(bytes).ok()?;
    let entries = (0..map.len().min(MAX_ELEMENTS)).map(|i| map.entry(i).ok());
    entries
        .map(|entry| {
            let (name, value) = entry?;
            Some(OpOption { name: name.to_owned(), value: flex(&value)?, is_default: false })
        })
        .collect()
}

/// A value of a custom op's map; the kind of a value that has no short form.
fn flex(value: &FlexValue<'_>) -> Option<Value> {
    Some(match value.kind() {
        FlexKind::Null => Value::Null,
        FlexKind::Int => json!(value.as_i64().ok()?),
        FlexKind::UInt => json!(value.as_u64().ok()?),
        FlexKind::Float => real(value.as_f32().ok()?),
        FlexKind::Bool => json!(value.as_bool().ok()?),
        FlexKind::Key | FlexKind::String => json!(value.as_str().ok()?),
        FlexKind::Vector => {
            let items = value.as_vector().ok()?;
            let scalar = |item: FlexValue<'_>| match item.kind() {
                FlexKind::Vector | FlexKind::Map => Some(json!("…")),
                _ => flex(&item),
            };
            let items = items.iter().take(MAX_ELEMENTS).map(|item| scalar(item.ok()?));
            Value::Array(items.collect::<Option<_>>()?)
        }
        FlexKind::Map => json!("a map"),
        FlexKind::Blob => json!(format!("{} bytes", value.as_bytes().ok()?.len())),
    })
}
