//! Corrupts models.

/// A file with `entries` offsets that all refer to the same subgraph, which has as many offsets to the same operator.
pub(crate) fn shared_tables(entries: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut put = |words: &[u32]| {
        let position = bytes.len() as u32;
        words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        position
    };
    let halves = |low: u32, high: u32| low | high << 16;
    // header: root at 32; vtable of the model (subgraphs in slot 2) at 8; of a subgraph (operators in slot 3) at 20
    put(&[32, u32::from_le_bytes(*b"TFL3"), halves(10, 8), 0, halves(4, 0)]);
    put(&[halves(12, 8), 0, halves(0, 4)]);
    // model: its vtable 24 bytes back, then the offset to the list of subgraphs
    put(&[24, 4, entries]);
    let list = 40u32;
    let subgraph = list + 4 + 4 * entries;
    for index in 0..entries {
        put(&[subgraph - (list + 4 + 4 * index)]);
    }
    put(&[subgraph - 20, 4, entries]);
    let list = subgraph + 8;
    let operator = list + 4 + 4 * entries;
    for index in 0..entries {
        put(&[operator - (list + 4 + 4 * index)]);
    }
    // operator: a table with an empty vtable behind it
    put(&[(-4i32) as u32, halves(4, 4)]);
    bytes
}

/// The file, without data after the flatbuffer, moved by four bytes: numbers of eight bytes lie at 4 modulo 8.
#[allow(dead_code, reason = "not every test that uses this module moves files")]
pub(crate) fn moved_by_four(file: &[u8]) -> Vec<u8> {
    let mut moved = file.to_vec();
    moved[0] += 4;
    moved.splice(8..8, [0; 4]);
    moved
}

/// Pseudorandom numbers, the same in every run.
pub(crate) fn random() -> impl FnMut() -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    }
}
