//! Checked reading of protocol buffers, field by field. Format: <https://protobuf.dev/programming-guides/encoding>.

use arenite_abi::prelude::*;

/// One field of a message.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// The number of the field.
    pub number: u32,
    /// The value of the field.
    pub value: FieldValue<'a>,
}

/// The value of a field, by wire type.
#[derive(Clone, Copy, Debug)]
pub enum FieldValue<'a> {
    /// A varint, or the bits of a fixed-size number.
    Number(u64),
    /// Bytes, text, a message, or packed numbers.
    Bytes(&'a [u8]),
}

impl<'a> FieldValue<'a> {
    /// The number; 0 if the value is bytes.
    pub fn as_u64(&self) -> u64 {
        match self {
            FieldValue::Number(number) => *number,
            FieldValue::Bytes(_) => 0,
        }
    }

    /// The bytes; empty if the value is a number.
    pub fn as_bytes(&self) -> &'a [u8] {
        match self {
            FieldValue::Number(_) => &[],
            FieldValue::Bytes(bytes) => bytes,
        }
    }

    /// Whether the value is bytes.
    pub fn is_bytes(&self) -> bool {
        matches!(self, FieldValue::Bytes(_))
    }
}

/// Iterates over the fields of a message in order, and stops after an error.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// Starts at the first field of `message`.
    pub fn new(message: &'a [u8]) -> Self {
        Fields { rest: message }
    }

    /// Reads the next varint of packed numbers; `None` at the end.
    ///
    /// # Errors
    /// The bytes end inside a number, or it has more than ten bytes.
    pub fn varint(&mut self) -> Result<Option<u64>> {
        if self.rest.is_empty() { Ok(None) } else { self.number().map(Some) }
    }

    fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = *self.take(1)? else { return Err(truncated()) };
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(invalid!("NodeDef: a number has more than ten bytes"))
    }

    fn take(&mut self, bytes: u64) -> Result<&'a [u8]> {
        let split = usize::try_from(bytes).ok().and_then(|bytes| self.rest.split_at_checked(bytes));
        let (taken, rest) = split.ok_or_else(truncated)?;
        self.rest = rest;
        Ok(taken)
    }

    fn fixed(&mut self, bytes: u64) -> Result<FieldValue<'a>> {
        Ok(FieldValue::Number(
            self.take(bytes)?.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)),
        ))
    }

    fn field(&mut self) -> Result<Field<'a>> {
        let tag = self.number()?;
        let number = u32::try_from(tag >> 3).map_err(|_| invalid!("NodeDef: field {}", tag >> 3))?;
        let value = match tag & 7 {
            0 => FieldValue::Number(self.number()?),
            1 => self.fixed(8)?,
            2 => {
                let bytes = self.number()?;
                FieldValue::Bytes(self.take(bytes)?)
            }
            5 => self.fixed(4)?,
            form => return Err(invalid!("NodeDef: field {number} has the unknown form {form}")),
        };
        Ok(Field { number, value })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

fn truncated() -> Error {
    invalid!("NodeDef ends inside a field")
}
