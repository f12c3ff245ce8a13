//! The options of custom ops: a flexbuffer map, or the bytes of a C struct.

use arenite_abi::flexbuffer::{FlexMap, FlexValue, FlexVector};
use arenite_abi::prelude::*;

/// Options by name. Every error names the option.
#[derive(Clone, Copy)]
pub struct CustomOptions<'a>(&'a [u8]);

impl<'a> CustomOptions<'a> {
    /// The options of `node`.
    pub fn of(node: &NodeView<'a>) -> Self {
        CustomOptions(node.custom_options())
    }

    /// The option `key`, or `None` if it is missing.
    ///
    /// # Errors
    /// The options are not a valid flexbuffer map.
    pub fn optional(&self, key: &str) -> Result<Option<FlexValue<'a>>> {
        if self.0.is_empty() {
            return Ok(None);
        }
        FlexMap::from_bytes(self.0).and_then(|map| map.get(key)).map_err(|e| about(key, &e))
    }

    /// The option `key` as a 32-bit integer.
    ///
    /// # Errors
    /// It is missing, or has another type.
    pub fn i32(&self, key: &str) -> Result<i32> {
        self.required(key)?.as_i32().map_err(|e| about(key, &e))
    }

    /// The option `key` as a 32-bit integer, or `default` if it is missing.
    ///
    /// # Errors
    /// It has another type.
    pub fn i32_or(&self, key: &str, default: i32) -> Result<i32> {
        self.optional(key)?.map_or(Ok(default), |value| value.as_i32()).map_err(|e| about(key, &e))
    }

    /// The option `key` as a 64-bit integer.
    ///
    /// # Errors
    /// It is missing, or has another type.
    pub fn i64(&self, key: &str) -> Result<i64> {
        self.required(key)?.as_i64().map_err(|e| about(key, &e))
    }

    /// The option `key` as a float.
    ///
    /// # Errors
    /// It is missing, or has another type.
    pub fn f32(&self, key: &str) -> Result<f32> {
        self.required(key)?.as_f32().map_err(|e| about(key, &e))
    }

    /// The option `key` as a float, or `default` if it is missing.
    ///
    /// # Errors
    /// It has another type.
    pub fn f32_or(&self, key: &str, default: f32) -> Result<f32> {
        self.optional(key)?.map_or(Ok(default), |value| value.as_f32()).map_err(|e| about(key, &e))
    }

    /// The option `key` as a boolean, or false if it is missing.
    ///
    /// # Errors
    /// It has another type.
    pub fn flag(&self, key: &str) -> Result<bool> {
        self.optional(key)?.map_or(Ok(false), |value| value.as_bool()).map_err(|e| about(key, &e))
    }

    /// The option `key` as text.
    ///
    /// # Errors
    /// It is missing, or has another type.
    pub fn str(&self, key: &str) -> Result<&'a str> {
        self.required(key)?.as_str().map_err(|e| about(key, &e))
    }

    /// The option `key` as a list.
    ///
    /// # Errors
    /// It is missing, or has another type.
    pub fn list(&self, key: &str) -> Result<FlexVector<'a>> {
        self.required(key)?.as_vector().map_err(|e| about(key, &e))
    }

    /// The option `key` as a list of `N` integers.
    ///
    /// # Errors
    /// It is missing, has another type, or another length.
    pub fn integers<const N: usize>(&self, key: &str) -> Result<[i32; N]> {
        let list = self.list(key)?;
        ensure!(list.len() == N, "option '{key}' has {} elements; it must have {N}", list.len());
        let mut integers = [0; N];
        for (i, to) in integers.iter_mut().enumerate() {
            *to = list.get(i).and_then(|value| value.as_i32()).map_err(|e| about(key, &e))?;
        }
        Ok(integers)
    }

    fn required(&self, key: &str) -> Result<FlexValue<'a>> {
        self.optional(key)?.ok_or_else(|| invalid!("the custom options lack '{key}'"))
    }
}

/// The 32-bit fields at the start of a C struct in the custom options; there may be more.
///
/// # Errors
/// The options are too short; the message names the first missing field.
pub fn words<const N: usize>(node: &NodeView<'_>, names: [&str; N]) -> Result<[i32; N]> {
    let (words, _) = node.custom_options().as_chunks::<4>();
    let mut fields = [0; N];
    for (i, (field, name)) in fields.iter_mut().zip(names).enumerate() {
        let bytes = words.get(i).ok_or_else(|| {
            invalid!("the custom options have {} bytes, they lack '{name}'", node.custom_options().len())
        })?;
        *field = i32::from_le_bytes(*bytes);
    }
    Ok(fields)
}

fn about(key: &str, error: &Error) -> Error {
    invalid!("option '{key}': {}", error.message())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::FlexBuilder;

    #[test]
    fn options_by_name() {
        let map = FlexBuilder::default().int("n", -7).float("x", 1.5).bool("on", true).text("text", "SAME");
        let bytes = map.ints("list", &[1, 300, -2]).finish();
        let options = CustomOptions(&bytes);
        assert_eq!(options.i32("n").unwrap(), -7);
        assert_eq!(options.f32("x").unwrap(), 1.5);
        assert!(options.flag("on").unwrap() && !options.flag("off").unwrap());
        assert_eq!(options.str("text").unwrap(), "SAME");
        assert_eq!(options.integers("list").unwrap(), [1, 300, -2]);
        assert_eq!((options.i32_or("n", 1).unwrap(), options.i32_or("m", 1).unwrap()), (-7, 1));
        assert_eq!(options.f32_or("y", 0.5).unwrap(), 0.5);
    }

    #[test]
    fn errors_name_the_option() {
        let bytes = FlexBuilder::default().text("text", "SAME").ints("list", &[1, 300, -2]).finish();
        let options = CustomOptions(&bytes);
        let message = |e: Error| e.message().to_owned();
        assert_eq!(options.i32("m").map_err(message), Err("the custom options lack 'm'".into()));
        assert_eq!(
            options.i32("text").map_err(message),
            Err("option 'text': custom options: expected a number, found String".into())
        );
        assert_eq!(
            options.integers::<4>("list").map_err(message),
            Err("option 'list' has 3 elements; it must have 4".into())
        );
        assert_eq!(CustomOptions(&[]).f32("x").map_err(message), Err("the custom options lack 'x'".into()));
        assert_eq!(
            CustomOptions(&[1, 2]).f32("x").map_err(message),
            Err("option 'x': custom options end inside a value, or an offset points out of them".into())
        );
    }
}
