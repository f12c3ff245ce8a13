//! Accesses outside of a source or target panic, however its elements are numbered.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;

/// The message of the panic of a call.
pub(super) fn refused<R>(call: impl FnOnce() -> R) -> String {
    let payload = catch_unwind(AssertUnwindSafe(call)).err().expect("the call is served");
    payload.downcast_ref::<String>().cloned().unwrap_or_else(|| "a panic without a text".into())
}

#[test]
fn elements_of_another_type_are_whole() {
    let words = [0x0102_0304u32, 0x0506_0708];
    let bytes = Source::of(&words).cast::<u8>();
    assert_eq!(bytes.cast::<u32>().iter().collect::<Vec<_>>(), words);
    assert_eq!(bytes.part(0, 7).cast::<u32>().len(), 1);
    // Bytes 4 to 8 of a tensor are its word 1.
    assert_eq!(bytes.part(4, 4).within(4).cast::<u32>().get(1), words[1]);
    // Byte 3 is inside of a word.
    let said = refused(|| bytes.part(3, 5).within(3).cast::<u32>().get(0));
    assert_eq!(said, "elements 3..8 of 1 bytes as elements of 4 bytes");
    let mut more = words;
    let mut bytes = Target::of(&mut more).cast::<u8>();
    let said = refused(|| bytes.part(3, 5).share().within(3).cast::<u32>().at(0, 1));
    assert_eq!(said, "elements 3..8 of 1 bytes as elements of 4 bytes");
}

#[test]
fn no_element_has_a_number_beyond_those_of_usize() {
    let x = [1u8, 2, 3];
    let said = refused(|| Source::of(&x).within(usize::MAX - 1).len());
    assert!(said.starts_with("3 elements from"), "{said}");
    assert_eq!(Source::of(&x).within(usize::MAX - 3).get(usize::MAX - 2), 2);
    let said = refused(|| Target::of(&mut [0u8; 64]).take::<u64>(usize::MAX / 4).0.len());
    assert!(said.ends_with("elements from 0 on, of 0..64"), "{said}");
}

#[test]
fn a_place_is_cut_inside_of_itself() {
    let mut memory = [0u32; 4];
    let place = Target::of(bytemuck::cast_slice_mut::<u32, u8>(&mut memory)).place();
    let part = place.part(4, 8);
    // SAFETY: the array outlives `part`, and no other code uses it until `part` was written.
    unsafe { part.target::<u32>() }.fill(7);
    assert_eq!((part.bytes(), memory), (8, [0, 7, 7, 0]));
    assert_eq!(refused(|| part.part(4, 5).bytes()), "5 elements from 4 on, of 0..8");
    // SAFETY: no bytes.
    let nothing = unsafe { Place::NOWHERE.target::<u64>() };
    assert!(nothing.as_slice().is_empty());
}

#[test]
fn parts_of_scratch_memory_begin_at_lines() {
    #[repr(align(64))]
    struct Lines([u8; 192]);
    let mut lines = Lines([0; 192]);
    let (mut floats, rest) = Target::of(&mut lines.0).take::<f32>(3);
    let (mut bytes, rest) = rest.take::<u8>(100);
    assert_eq!((floats.len(), bytes.len(), rest.len()), (3, 100, 0));
    floats.fill(1.0);
    bytes.fill(2);
    assert_eq!(floats.into_source().iter().sum::<f32>(), 3.0);
    assert_eq!(lines.0.iter().filter(|&&byte| byte == 2).count(), 100);
}
