//! Typed access to a TOML tree. Errors name the key, its position, and the expected and actual types.

use super::error::{ConfigError, Position};
use std::ops::{Range, RangeInclusive};
use std::path::Path;
use toml::Spanned;
use toml::de::{DeFloat, DeInteger, DeTable, DeValue};

/// The text of a config and its file.
pub(super) struct Document<'t> {
    text: &'t str,
    file: Option<&'t Path>,
}

/// One table of a document, with its full name (`delegate[0]`; empty for the top level).
pub(super) struct Table<'t> {
    document: &'t Document<'t>,
    name: String,
    span: Range<usize>,
    entries: &'t DeTable<'t>,
}

/// The value of a key that is a boolean or an array of strings.
pub(super) enum BooleanOrStrings {
    Boolean(bool),
    Strings(Vec<String>),
}

type Result<T> = std::result::Result<T, ConfigError>;

impl<'t> Document<'t> {
    pub(super) fn new(text: &'t str, file: Option<&'t Path>) -> Self {
        Document { text, file }
    }

    pub(super) fn parse(&self) -> Result<Spanned<DeTable<'t>>> {
        DeTable::parse(self.text).map_err(|error| ConfigError::Syntax {
            place: self.place(error.span().map_or(0, |span| span.start)),
            message: error.message().escape_debug().to_string(),
        })
    }

    /// Line and column of a byte position: both count from 1, the column in characters.
    fn place(&self, position: usize) -> Position {
        let before = self.text.as_bytes().get(..position).unwrap_or(self.text.as_bytes());
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        let is_char_start = |b: &&u8| **b & 0xC0 != 0x80;
        Position {
            file: self.file.map(Path::to_owned),
            line: 1 + before.iter().filter(|&&b| b == b'\n').count(),
            column: 1 + before.iter().skip(line_start).filter(is_char_start).count(),
        }
    }
}

impl<'t> Table<'t> {
    pub(super) fn root(document: &'t Document<'t>, tree: &'t Spanned<DeTable<'t>>) -> Self {
        Table { document, name: String::new(), span: tree.span(), entries: tree.get_ref() }
    }

    /// Returns an error for the first key, in the order of the text, that is not in `known`.
    pub(super) fn only(&self, known: &'static [&'static str]) -> Result<()> {
        let unknown = |key: &&Spanned<_>| !known.contains(&AsRef::<str>::as_ref(key.get_ref()));
        let Some(key) = self.entries.keys().filter(unknown).min_by_key(|key| key.span().start) else {
            return Ok(());
        };
        Err(ConfigError::UnknownKey {
            place: self.document.place(key.span().start),
            table: self.name.clone(),
            key: shown(key.get_ref()),
            nearest: nearest(key.get_ref(), known),
            known,
        })
    }

    pub(super) fn string(&self, key: &str) -> Result<Option<String>> {
        self.value(key).map(|value| self.as_string(self.whole(key), value)).transpose()
    }

    pub(super) fn strings(&self, key: &str) -> Result<Option<Vec<String>>> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let DeValue::Array(items) = value.get_ref() else {
            return Err(self.wrong_type(self.whole(key), "an array of strings", value));
        };
        let item = |(i, value)| self.as_string(format!("{}[{i}]", self.whole(key)), value);
        items.iter().enumerate().map(item).collect::<Result<_>>().map(Some)
    }

    pub(super) fn boolean(&self, key: &str) -> Result<Option<bool>> {
        match self.value(key).map(|value| (value, value.get_ref())) {
            None => Ok(None),
            Some((_, DeValue::Boolean(flag))) => Ok(Some(*flag)),
            Some((value, _)) => Err(self.wrong_type(self.whole(key), "a boolean", value)),
        }
    }

    /// A boolean, or an array of strings, whichever the value is.
    pub(super) fn boolean_or_strings(&self, key: &str) -> Result<Option<BooleanOrStrings>> {
        match self.value(key).map(|value| (value, value.get_ref())) {
            None => Ok(None),
            Some((_, DeValue::Boolean(flag))) => Ok(Some(BooleanOrStrings::Boolean(*flag))),
            Some((_, DeValue::Array(_))) => Ok(self.strings(key)?.map(BooleanOrStrings::Strings)),
            Some((value, _)) => {
                Err(self.wrong_type(self.whole(key), "a boolean or an array of strings", value))
            }
        }
    }

    pub(super) fn integer(&self, key: &str, range: RangeInclusive<i64>) -> Result<Option<i64>> {
        self.value(key).map(|value| self.as_integer(self.whole(key), value, range)).transpose()
    }

    /// An integer of at least `least`.
    pub(super) fn count(&self, key: &str, least: i64) -> Result<Option<usize>> {
        let most = i64::try_from(usize::MAX).unwrap_or(i64::MAX);
        Ok(self.integer(key, least..=most)?.and_then(|n| usize::try_from(n).ok()))
    }

    /// A table with arbitrary keys and integer values; empty if the key is missing.
    pub(super) fn integers(&self, key: &str, range: RangeInclusive<i64>) -> Result<Vec<(String, i64)>> {
        let Some(table) = self.table(key)? else { return Ok(Vec::new()) };
        let entry = |(key, value): (&'t str, _)| {
            Ok((key.to_owned(), table.as_integer(table.whole(key), value, range.clone())?))
        };
        table.in_text_order().into_iter().map(entry).collect()
    }

    /// A string that must be one of the given ones.
    pub(super) fn choice<T: Copy>(&self, key: &str, choices: &[(&'static str, T)]) -> Result<Option<T>> {
        let Some(found) = self.string(key)? else { return Ok(None) };
        if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == found) {
            return Ok(Some(*choice));
        }
        let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
        let known = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(" or ");
        let message = format!(
            "must be {known}, found \"{}\"; did you mean \"{}\"?",
            shown(&found),
            nearest(&found, &names)
        );
        Err(self.bad(key, message))
    }

    /// A table with arbitrary keys and scalar values, which are returned as text.
    pub(super) fn options(&self, key: &str) -> Result<Vec<(String, String)>> {
        let Some(table) = self.table(key)? else { return Ok(Vec::new()) };
        let option =
            |(key, value): (&'t str, _)| Ok((key.to_owned(), table.as_text(table.whole(key), value)?));
        table.in_text_order().into_iter().map(option).collect()
    }

    pub(super) fn table(&self, key: &str) -> Result<Option<Table<'t>>> {
        self.table_like(key, "a table")
    }

    /// A table. If the value has another type, the error message shows `form` as the expected one.
    pub(super) fn table_like(&self, key: &str, form: &'static str) -> Result<Option<Table<'t>>> {
        self.value(key).map(|value| self.as_table(self.whole(key), value, form)).transpose()
    }

    /// An array of tables; empty if the key is missing.
    pub(super) fn tables(&self, key: &str) -> Result<Vec<Table<'t>>> {
        let Some(value) = self.value(key) else { return Ok(Vec::new()) };
        let DeValue::Array(items) = value.get_ref() else {
            return Err(self.wrong_type(self.whole(key), "an array of tables (`[[...]]`)", value));
        };
        let item = |(i, value)| self.as_table(format!("{}[{i}]", self.whole(key)), value, "a table");
        items.iter().enumerate().map(item).collect()
    }

    /// All entries of a table with arbitrary keys, whose values are tables.
    pub(super) fn each_table(&self) -> Result<Vec<(&'t str, Table<'t>)>> {
        let entry = |(key, value): (&'t str, _)| Ok((key, self.as_table(self.whole(key), value, "a table")?));
        self.in_text_order().into_iter().map(entry).collect()
    }

    pub(super) fn missing(&self, key: &str, advice: &'static str) -> ConfigError {
        ConfigError::MissingKey { place: self.document.place(self.span.start), key: self.whole(key), advice }
    }

    /// The error for a bad value of `key`.
    pub(super) fn bad(&self, key: &str, message: String) -> ConfigError {
        let start = self.value(key).map_or(self.span.start, |value| value.span().start);
        ConfigError::BadValue { place: self.document.place(start), key: self.whole(key), message }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.value(key).is_some()
    }

    fn value(&self, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.entries.get(key)
    }

    fn in_text_order(&self) -> Vec<(&'t str, &'t Spanned<DeValue<'t>>)> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries.into_iter().map(|(key, value)| (key.get_ref().as_ref(), value)).collect()
    }

    fn whole(&self, key: &str) -> String {
        match self.name.as_str() {
            "" => shown(key),
            table => format!("{table}.{}", shown(key)),
        }
    }

    fn as_string(&self, key: String, value: &Spanned<DeValue<'_>>) -> Result<String> {
        match value.get_ref() {
            DeValue::String(text) if text.is_empty() => Err(self.bad_value(key, value, "must not be empty")),
            DeValue::String(text) => Ok(text.clone().into_owned()),
            _ => Err(self.wrong_type(key, "a string", value)),
        }
    }

    fn as_integer(
        &self,
        key: String,
        value: &Spanned<DeValue<'_>>,
        range: RangeInclusive<i64>,
    ) -> Result<i64> {
        let DeValue::Integer(integer) = value.get_ref() else {
            return Err(self.wrong_type(key, "an integer", value));
        };
        match to_i64(integer) {
            Some(n) if range.contains(&n) => Ok(n),
            _ => {
                let (low, high) = range.into_inner();
                let message = format!("must be in {low}..={high}, found {}", shown(&integer.to_string()));
                Err(self.bad_value(key, value, &message))
            }
        }
    }

    fn as_table(
        &self,
        name: String,
        value: &'t Spanned<DeValue<'t>>,
        form: &'static str,
    ) -> Result<Table<'t>> {
        match value.get_ref() {
            DeValue::Table(entries) => {
                Ok(Table { document: self.document, name, span: value.span(), entries })
            }
            _ => Err(self.wrong_type(name, form, value)),
        }
    }

    fn as_text(&self, key: String, value: &Spanned<DeValue<'_>>) -> Result<String> {
        let text = match value.get_ref() {
            DeValue::String(text) => Some(text.clone().into_owned()),
            DeValue::Boolean(flag) => Some(flag.to_string()),
            DeValue::Integer(integer) => to_i64(integer).map(|n| n.to_string()),
            DeValue::Float(float) => to_f64(float).map(|x| format!("{x:?}")),
            _ => return Err(self.wrong_type(key, "a string, an integer, a float or a boolean", value)),
        };
        text.ok_or_else(|| self.bad_value(key, value, "the number does not fit in 64 bits"))
    }

    fn wrong_type(&self, key: String, expected: &'static str, value: &Spanned<DeValue<'_>>) -> ConfigError {
        let found = match value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a float",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        ConfigError::WrongType { place: self.document.place(value.span().start), key, expected, found }
    }

    fn bad_value(&self, key: String, value: &Spanned<DeValue<'_>>, message: &str) -> ConfigError {
        let place = self.document.place(value.span().start);
        ConfigError::BadValue { place, key, message: message.to_owned() }
    }
}

fn to_i64(integer: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// `None` for a number too large for `f64`; infinity must be written as `inf`.
fn to_f64(float: &DeFloat<'_>) -> Option<f64> {
    let x: f64 = float.as_str().parse().ok()?;
    (!x.is_infinite() || float.as_str().contains("inf")).then_some(x)
}

/// Shortens text of the file to one line of limited length, for a message.
fn shown(text: &str) -> String {
    const LONGEST: usize = 80;
    let mut line: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        line.push_str("...");
    }
    line
}

/// The known name with the smallest edit distance; the first one if several have it.
fn nearest(name: &str, known: &[&'static str]) -> &'static str {
    let start: String = name.chars().take(64).flat_map(char::to_lowercase).collect();
    known.iter().copied().min_by_key(|known| strsim::osa_distance(&start, known)).unwrap_or_default()
}
