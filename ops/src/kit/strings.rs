//! String tensors, which are checked when read and written in two passes, lengths first.
//!
//! ```text
//! i32 count │ i32 offset of each string, count + 1 of them, the last one the end │ bytes
//! ```
//! Offsets count from the first byte of the tensor; all numbers are little-endian.
//! Defined by: tflite/string_util.h.

use arenite_abi::prelude::*;

/// The strings of a tensor. All offsets were checked by [`Strings::new`].
#[derive(Clone, Copy, Debug)]
pub struct Strings<'a> {
    bytes: &'a [u8],
    count: usize,
}

impl<'a> Strings<'a> {
    /// Reads the strings of `x`; their number must match its shape.
    ///
    /// # Errors
    /// The tensor does not hold strings, or its bytes are malformed.
    pub fn of(x: &TensorView<'a>) -> Result<Strings<'a>> {
        ensure!(x.ty == ElementType::String, "{x} is {}, not STRING", x.ty);
        Strings::new(x.bytes(), x.len()).map_err(|e| invalid!("{x}: {e}"))
    }

    /// Checks a packed tensor that must hold `count` strings. An empty tensor holds no strings.
    ///
    /// # Errors
    /// The count differs, or an offset is out of range or decreases.
    pub fn new(bytes: &'a [u8], count: usize) -> Result<Strings<'a>> {
        if bytes.is_empty() && count == 0 {
            return Ok(Strings { bytes, count });
        }
        let stored = number(bytes, 0).ok_or_else(|| invalid!("{} bytes hold no strings", bytes.len()))?;
        ensure!(usize::try_from(stored) == Ok(count), "the data holds {stored} strings, the shape {count}");
        let head = header_bytes(count).filter(|&head| head <= bytes.len()).ok_or_else(|| {
            invalid!("{} bytes are too few for the offsets of {count} strings", bytes.len())
        })?;
        let mut previous = head as i64;
        for i in 0..=count {
            let offset = i64::from(number(bytes, i + 1).unwrap_or(-1));
            ensure!(
                (previous..=bytes.len() as i64).contains(&offset),
                "offset {i} of its strings is {offset}; it must be in {previous}..={}",
                bytes.len()
            );
            previous = offset;
        }
        Ok(Strings { bytes, count })
    }

    /// The number of strings.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no strings.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns string `i`, or `None` past the end.
    pub fn get(&self, i: usize) -> Option<&'a [u8]> {
        let offset = |i| usize::try_from(number(self.bytes, i)?).ok();
        if i >= self.count { None } else { self.bytes.get(offset(i + 1)?..offset(i + 2)?) }
    }

    /// Iterates over all strings in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [u8]> + use<'a> {
        let strings = *self;
        (0..self.count).map(move |i| strings.get(i).unwrap_or_default())
    }
}

/// The size of a packed tensor of `count` strings with `text_bytes` bytes in all, or `None` if offsets would overflow.
pub fn packed_bytes(count: usize, text_bytes: usize) -> Option<usize> {
    header_bytes(count)?.checked_add(text_bytes).filter(|&bytes| i32::try_from(bytes).is_ok())
}

/// Writes the strings of a tensor in order.
pub struct StringWriter<'a> {
    bytes: &'a mut [u8],
    count: usize,
    written: usize,
    end: usize,
}

impl<'a> StringWriter<'a> {
    /// Starts writing `count` strings into a buffer of [`packed_bytes`].
    ///
    /// # Errors
    /// The buffer is too small.
    pub fn new(bytes: &'a mut [u8], count: usize) -> Result<StringWriter<'a>> {
        let end = header_bytes(count)
            .filter(|&head| head <= bytes.len() && i32::try_from(bytes.len()).is_ok())
            .ok_or_else(|| invalid!("{count} strings do not fit {} bytes", bytes.len()))?;
        let mut writer = StringWriter { bytes, count, written: 0, end };
        writer.put(0, count);
        writer.put(1, end);
        Ok(writer)
    }

    /// Writes the next string.
    ///
    /// # Errors
    /// There are more than `count` strings, or the text does not fit.
    pub fn push(&mut self, text: &[u8]) -> Result<()> {
        self.push_parts([text])
    }

    /// Writes the concatenation of these parts as the next string.
    ///
    /// # Errors
    /// There are more than `count` strings, or the text does not fit.
    pub fn push_parts<'p>(&mut self, parts: impl IntoIterator<Item = &'p [u8]>) -> Result<()> {
        ensure!(self.written < self.count, "more than {} strings", self.count);
        for part in parts {
            let room = self.bytes.get_mut(self.end..).and_then(|rest| rest.get_mut(..part.len()));
            let Some(room) = room else {
                return Err(invalid!("string {} does not fit the output's memory", self.written));
            };
            room.copy_from_slice(part);
            self.end += part.len();
        }
        self.written += 1;
        self.put(self.written + 1, self.end);
        Ok(())
    }

    /// Completes the tensor.
    ///
    /// # Errors
    /// Fewer than `count` strings were written.
    pub fn finish(self) -> Result<()> {
        ensure!(self.written == self.count, "{} of {} strings were written", self.written, self.count);
        Ok(())
    }

    /// `value` fits i32, because it is at most the length of `bytes`.
    fn put(&mut self, position: usize, value: usize) {
        if let Some(room) = self.bytes.get_mut(4 * position..4 * position + 4) {
            room.copy_from_slice(&(value as i32).to_le_bytes());
        }
    }
}

/// Sets the shape of string output `output`, and fills it with the strings of `from` whose indices `visit` passes to
/// its argument, in that order. `visit` must make one call per element of `shape`, and the same calls each time.
///
/// # Errors
/// An index is out of range, or the output does not fit the host's limits.
pub fn select(
    cx: &EvalContext<'_>,
    output: usize,
    shape: &[i32],
    from: &Strings<'_>,
    visit: impl Fn(&mut dyn FnMut(usize)),
) -> Result<()> {
    let (mut count, mut text_bytes, mut outside) = (0, Some(0usize), None);
    visit(&mut |i| {
        count += 1;
        match from.get(i) {
            Some(text) => text_bytes = text_bytes.and_then(|sum| sum.checked_add(text.len())),
            None => outside = Some(i),
        }
    });
    if let Some(i) = outside {
        return Err(invalid!("string {i} of {} does not exist", from.len()));
    }
    write(cx, output, shape, from, (count, text_bytes), visit)
}

/// Like [`select`], if `visit` passes each string of `from` exactly `copies` times. The output's size is then known and
/// its memory allocated before anything is visited, because a few strings can be repeated very often.
///
/// # Errors
/// The errors of [`select`].
pub fn repeat(
    cx: &EvalContext<'_>,
    output: usize,
    shape: &[i32],
    from: &Strings<'_>,
    copies: usize,
    visit: impl Fn(&mut dyn FnMut(usize)),
) -> Result<()> {
    let count = from.len().saturating_mul(copies);
    let text_bytes = from.iter().map(<[u8]>::len).sum::<usize>().checked_mul(copies);
    write(cx, output, shape, from, (count, text_bytes), visit)
}

fn write(
    cx: &EvalContext<'_>,
    output: usize,
    shape: &[i32],
    from: &Strings<'_>,
    (count, text_bytes): (usize, Option<usize>),
    visit: impl Fn(&mut dyn FnMut(usize)),
) -> Result<()> {
    let bytes = text_bytes
        .and_then(|text_bytes| packed_bytes(count, text_bytes))
        .ok_or_else(|| invalid!("{count} strings do not fit 2 GiB"))?;
    let mut writer = StringWriter::new(cx.resize_string_output(output, shape, bytes)?.into_bytes(), count)?;
    let mut result = Ok(());
    visit(&mut |i| {
        if result.is_ok() {
            result = writer.push(from.get(i).unwrap_or_default());
        }
    });
    result.and_then(|()| writer.finish())
}

/// The size of the count and the offsets.
fn header_bytes(count: usize) -> Option<usize> {
    count.checked_add(2)?.checked_mul(4)
}

fn number(bytes: &[u8], position: usize) -> Option<i32> {
    let at = position.checked_mul(4)?;
    Some(i32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(numbers: &[i32], text: &[u8]) -> Vec<u8> {
        numbers.iter().flat_map(|n| n.to_le_bytes()).chain(text.iter().copied()).collect()
    }

    #[test]
    fn round_trip() {
        let texts: [&[u8]; 3] = [b"ab", b"", b"\xffc"];
        let mut bytes = vec![0xee; packed_bytes(3, 4).unwrap()];
        let mut writer = StringWriter::new(&mut bytes, 3).unwrap();
        texts.iter().for_each(|text| writer.push(text).unwrap());
        assert!(writer.push(b"").is_err());
        writer.finish().unwrap();
        assert_eq!(bytes, packed(&[3, 20, 22, 22, 24], b"ab\xffc"));
        let strings = Strings::new(&bytes, 3).unwrap();
        assert_eq!(strings.iter().collect::<Vec<_>>(), texts);
        assert_eq!((strings.len(), strings.is_empty(), strings.get(3)), (3, false, None));
    }

    #[test]
    fn no_strings() {
        assert!(Strings::new(&[], 0).unwrap().is_empty());
        assert!(Strings::new(&packed(&[0, 8], b""), 0).unwrap().is_empty());
        let mut bytes = [0; 8];
        StringWriter::new(&mut bytes, 0).unwrap().finish().unwrap();
        assert_eq!(bytes[..], packed(&[0, 8], b""));
    }

    #[test]
    fn malformed_data_is_rejected() {
        for (bytes, count, message) in [
            (packed(&[], b""), 1, "0 bytes hold no strings"),
            (packed(&[1, 12, 12], b""), 2, "the data holds 1 strings, the shape 2"),
            (packed(&[-1, 12, 12], b""), 1, "the data holds -1 strings, the shape 1"),
            (
                packed(&[i32::MAX], b""),
                i32::MAX as usize,
                "4 bytes are too few for the offsets of 2147483647 strings",
            ),
            (packed(&[1, 12], b""), 1, "8 bytes are too few for the offsets of 1 strings"),
            (packed(&[1, 8, 12], b""), 1, "offset 0 of its strings is 8; it must be in 12..=12"),
            (packed(&[1, 12, 14], b"a"), 1, "offset 1 of its strings is 14; it must be in 12..=13"),
            (packed(&[2, 18, 17, 18], b"abc"), 2, "offset 1 of its strings is 17; it must be in 18..=19"),
            (packed(&[1, 12, -5], b"a"), 1, "offset 1 of its strings is -5; it must be in 12..=13"),
        ] {
            assert_eq!(Strings::new(&bytes, count).unwrap_err().message(), message);
        }
        let good = packed(&[2, 16, 17, 19], b"abc");
        for end in 0..good.len() {
            assert!(Strings::new(&good[..end], 2).is_err(), "{end}");
        }
    }

    #[test]
    fn writes_that_do_not_fit_are_rejected() {
        assert!(StringWriter::new(&mut [0; 8], 1).is_err());
        assert!(StringWriter::new(&mut [0; 8], usize::MAX).is_err());
        let mut bytes = [0; 13];
        let mut writer = StringWriter::new(&mut bytes, 1).unwrap();
        assert!(writer.push(b"ab").is_err());
        assert!(writer.finish().is_err());
        assert_eq!(packed_bytes(1, i32::MAX as usize), None);
    }
}
