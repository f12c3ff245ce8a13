//! `libarenite_testing`: runs one op alone, in the way of the host. `arenite_testing.h` describes every function; what is checked is told
//! in `arenite_abi::testing`, which this hands out.
//!
//! Safety, for all functions: a pointer that a caller passes is null or fits its description in the header. Null is checked; a panic,
//! which is how the harness says that an op broke the contract, becomes a text.
#![deny(missing_docs)]
// The crate's documentation states the rule once for all.
#![allow(clippy::missing_safety_doc)]

mod tensor;

use std::any::Any;
use std::ffi::{CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use arenite_abi::UserData;
use arenite_abi::raw::{ABI_VERSION, ArEntryV1, ArHostV1, ArOpV1, slice};
use arenite_abi::schema::Union;
use arenite_abi::testing::{self, OpTest, Tensor, Value};

pub use tensor::ArTestTensor;
use tensor::{compare, given, spec};

type Result<T> = std::result::Result<T, String>;

/// One node of an op, described step by step, then run.
pub struct ArOpTest {
    test: OpTest<ArOpV1>,
    /// Fields of the builtin options, by tag of their table.
    options: Vec<(u32, usize, Vec<u8>)>,
    outputs: Vec<Tensor>,
    /// What was wrong in the last call.
    message: CString,
}

/// Runs `body`; what is wrong, or null.
fn guard(test: *mut ArOpTest, body: impl FnOnce(&mut ArOpTest) -> Result<()>) -> *const c_char {
    // SAFETY: `test` is null or points to a live value that nothing else uses, as `# Safety` requires.
    let Some(test) = (unsafe { test.as_mut() }) else { return c"argument 'test' is null".as_ptr() };
    let done = catch_unwind(AssertUnwindSafe(|| body(test)));
    match done.unwrap_or_else(|payload| Err(panic_text(&*payload))) {
        Ok(()) => ptr::null(),
        Err(message) => {
            test.message = CString::new(message.replace('\0', "\u{fffd}")).unwrap_or_default();
            test.message.as_ptr()
        }
    }
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "the op panicked".into())
}

/// Adds to the node.
fn describe(
    test: *mut ArOpTest,
    change: impl FnOnce(OpTest<ArOpV1>) -> Result<OpTest<ArOpV1>>,
) -> *const c_char {
    guard(test, |it| {
        it.test = change(it.test.clone())?;
        Ok(())
    })
}

/// What functions of an op tell errors with in a test.
#[unsafe(no_mangle)]
pub extern "C" fn ar_op_test_host() -> *const ArHostV1 {
    testing::host()
}

/// An op of a plugin, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_op(entry: Option<ArEntryV1>, index: usize) -> *const ArOpV1 {
    let Some(entry) = entry else { return ptr::null() };
    let mut version = ABI_VERSION;
    // SAFETY: the crate's rule: a plugin's entry. Its descriptor and ops live as long as the process.
    unsafe {
        let Some(plugin) = entry(testing::host(), &mut version).as_ref() else { return ptr::null() };
        if index >= plugin.op_count || plugin.op_stride != size_of::<ArOpV1>() {
            return ptr::null();
        }
        slice(plugin.ops, plugin.op_count).get(index).map_or(ptr::null(), ptr::from_ref)
    }
}

/// A node of an op, without inputs and outputs. Null for an op that cannot be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_new(op: *const ArOpV1, user_data: *mut c_void) -> *mut ArOpTest {
    // SAFETY: the crate's rule; the pointer is the caller's, who frees it.
    let test = unsafe {
        let Some(op) = op.as_ref() else { return ptr::null_mut() };
        OpTest::registered_as(op, Some(UserData::new(user_data, None)))
    };
    let Ok(test) = test else { return ptr::null_mut() };
    let made = ArOpTest { test, options: Vec::new(), outputs: Vec::new(), message: CString::default() };
    Box::into_raw(Box::new(made))
}

/// Frees a test.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_free(test: *mut ArOpTest) {
    if !test.is_null() {
        // SAFETY: a test that the caller owns, from `ar_op_test_new`.
        drop(unsafe { Box::from_raw(test) });
    }
}

/// The next input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_input(test: *mut ArOpTest, tensor: *const ArTestTensor) -> *const c_char {
    // SAFETY: `tensor` is null or a live handle, as `# Safety` requires.
    describe(test, |test| Ok(test.input(unsafe { given(tensor) }?)))
}

/// The next input, whose data is known in `prepare`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_constant(
    test: *mut ArOpTest,
    tensor: *const ArTestTensor,
) -> *const c_char {
    // SAFETY: `tensor` is null or a live handle, as `# Safety` requires.
    describe(test, |test| Ok(test.constant(unsafe { given(tensor) }?)))
}

/// The next input, which `eval` may write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_variable(
    test: *mut ArOpTest,
    tensor: *const ArTestTensor,
) -> *const c_char {
    // SAFETY: `tensor` is null or a live handle, as `# Safety` requires.
    describe(test, |test| Ok(test.variable(unsafe { given(tensor) }?)))
}

/// The next input is left out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_absent(test: *mut ArOpTest) -> *const c_char {
    describe(test, |test| Ok(test.absent()))
}

/// The next output.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_output(
    test: *mut ArOpTest,
    tensor: *const ArTestTensor,
) -> *const c_char {
    // SAFETY: the crate's rule.
    describe(test, |test| Ok(test.output(unsafe { spec(tensor) }?)))
}

/// The version that the model asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_version(test: *mut ArOpTest, version: i32) -> *const c_char {
    describe(test, |test| Ok(test.version(version)))
}

/// Demands that an output may share the memory of an input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_in_place(test: *mut ArOpTest) -> *const c_char {
    describe(test, |test| Ok(test.in_place()))
}

/// The bytes of a custom op's options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_custom_options(
    test: *mut ArOpTest,
    data: *const c_void,
    size: usize,
) -> *const c_char {
    // SAFETY: `data` has as many elements as its count says, as `# Safety` requires.
    describe(test, |test| Ok(test.custom_options(unsafe { tensor::bytes(data, size, "data") }?)))
}

/// A field of a builtin op's options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_option(
    test: *mut ArOpTest,
    tag: u32,
    slot: usize,
    value: *const c_void,
    size: usize,
) -> *const c_char {
    guard(test, |it| {
        // SAFETY: `value` has as many elements as its count says, as `# Safety` requires.
        let value = unsafe { tensor::bytes(value, size, "value") }?.to_vec();
        if !matches!(size, 1 | 2 | 4 | 8) {
            return Err(format!("argument 'size' is {size}; a field has 1, 2, 4 or 8 bytes"));
        }
        if it.options.iter().any(|(known, other, _)| *known != tag || *other == slot) {
            return Err(format!("slot {slot} of table {tag} is set twice, or another table is in use"));
        }
        it.options.push((tag, slot, value));
        let fields = it.options.iter().map(|(_, slot, bytes)| (*slot, Value::Scalar(bytes.clone())));
        it.test = it.test.clone().options_of(Union::BuiltinOptions, tag, fields.collect());
        Ok(())
    })
}

/// Prepares and evaluates the node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_run(test: *mut ArOpTest) -> *const c_char {
    guard(test, |it| {
        it.outputs.clear();
        it.outputs = it.test.run().map_err(|error| error.message().to_owned())?;
        Ok(())
    })
}

/// Number of outputs of the last run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_output_count(test: *const ArOpTest) -> usize {
    // SAFETY: `test` is null or points to a live value, as `# Safety` requires.
    unsafe { test.as_ref() }.map_or(0, |test| test.outputs.len())
}

/// An output of the last run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_result(
    test: *mut ArOpTest,
    index: usize,
    tensor: *mut ArTestTensor,
) -> *const c_char {
    guard(test, |it| {
        let view = ArTestTensor::of(found(&it.outputs, index)?);
        if tensor.is_null() {
            return Err("argument 'tensor' is null".into());
        }
        // SAFETY: `tensor` is writable, as `# Safety` requires.
        unsafe { tensor.write(view) };
        Ok(())
    })
}

/// Compares an output of the last run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_expect(
    test: *mut ArOpTest,
    index: usize,
    expected: *const ArTestTensor,
    tolerance: f32,
) -> *const c_char {
    guard(test, |it| {
        // SAFETY: `expected` is null or a live handle, as `# Safety` requires.
        let expected = unsafe { given(expected) }?;
        compare(found(&it.outputs, index)?, &expected, tolerance)
            .map_err(|message| format!("output {index}: {message}"))
    })
}

fn found(outputs: &[Tensor], index: usize) -> Result<&Tensor> {
    let count = outputs.len();
    outputs.get(index).ok_or_else(|| {
        format!("there is no output {index}; the last run gave {count}: ar_op_test_run comes first")
    })
}
