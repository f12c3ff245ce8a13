//! Strings as TFLite packs them in a tensor's bytes: i32 count, count + 1 i32 offsets from the start, bytes.

/// The bytes of these strings; `None` beyond 2 GiB.
pub fn pack(strings: &[&[u8]]) -> Option<Vec<u8>> {
    let header = 4 * (strings.len().checked_add(2)?);
    let mut offset = i32::try_from(header).ok()?;
    let mut bytes = Vec::with_capacity(header);
    bytes.extend(i32::try_from(strings.len()).ok()?.to_le_bytes());
    bytes.extend(offset.to_le_bytes());
    for string in strings {
        offset = offset.checked_add(i32::try_from(string.len()).ok()?)?;
        bytes.extend(offset.to_le_bytes());
    }
    strings.iter().for_each(|string| bytes.extend_from_slice(string));
    Some(bytes)
}

/// The strings in these bytes; `None` if offsets are out of bounds or decrease.
pub fn unpack(bytes: &[u8]) -> Option<Vec<&[u8]>> {
    if bytes.is_empty() {
        return Some(Vec::new());
    }
    let word = |i: usize| {
        let word = bytes.get(4 * i..4 * i + 4)?;
        usize::try_from(i32::from_le_bytes(word.try_into().ok()?)).ok()
    };
    let count = word(0)?;
    if count > bytes.len() / 4 {
        return None;
    }
    (0..count).map(|i| bytes.get(word(i + 1)?..word(i + 2)?)).collect()
}
