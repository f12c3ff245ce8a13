//! `libarenite_testing`: runs a single op as the runtime does. `arenite_testing.h` documents every function; the checks
//! are documented in `arenite_abi::testing`, on which this crate is built.
//!
//! Safety, for all functions: the caller must pass pointers that are null or meet the description in the header. This
//! crate checks for null. The harness panics if an op violates the contract; this crate returns the message of the
//! panic.
#![deny(missing_docs)]
// The crate's documentation states the requirements of all exported functions.
#![allow(clippy::missing_safety_doc)]

mod tensor;

use std::any::Any;
use std::ffi::{CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use arenite_abi::UserData;
use arenite_abi::raw::{ABI_VERSION, ArEntryV1, ArHostV1, ArOpV1, slice};
use arenite_abi::schema::Union;
use arenite_abi::testing::{self, EncodedField, OpTest, Tensor};

pub use tensor::ArTestTensor;
use tensor::{compare, given, spec};

type Result<T> = std::result::Result<T, String>;

/// A test of one node: the node is described step by step, then run.
pub struct ArOpTest {
    test: OpTest<ArOpV1>,
    /// Fields of the builtin options: tag of the table, slot and bytes.
    options: Vec<(u32, usize, Vec<u8>)>,
    outputs: Vec<Tensor>,
    /// The error of the last call.
    message: CString,
}

/// Runs `body`. Returns its error, or null on success.
fn guard(test: *mut ArOpTest, body: impl FnOnce(&mut ArOpTest) -> Result<()>) -> *const c_char {
    // SAFETY: `test` is null or a live handle that no other thread uses, as the header requires.
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

/// Changes the description of the node.
fn describe(
    test: *mut ArOpTest,
    change: impl FnOnce(OpTest<ArOpV1>) -> Result<OpTest<ArOpV1>>,
) -> *const c_char {
    guard(test, |it| {
        it.test = change(it.test.clone())?;
        Ok(())
    })
}

/// The table of functions with which ops report errors in a test.
#[unsafe(no_mangle)]
pub extern "C" fn ar_op_test_host() -> *const ArHostV1 {
    testing::host()
}

/// An op of a plugin; null if the index is out of range or the plugin was built for another version of the contract.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_op(entry: Option<ArEntryV1>, index: usize) -> *const ArOpV1 {
    let Some(entry) = entry else { return ptr::null() };
    let mut version = ABI_VERSION;
    // SAFETY: `entry` is a plugin's entry function, as the header requires. Its descriptor and ops exist as long as the
    // process.
    unsafe {
        let Some(plugin) = entry(testing::host(), &mut version).as_ref() else { return ptr::null() };
        if index >= plugin.op_count || plugin.op_stride != size_of::<ArOpV1>() {
            return ptr::null();
        }
        slice(plugin.ops, plugin.op_count).get(index).map_or(ptr::null(), ptr::from_ref)
    }
}

/// Creates a test of an op, without inputs and outputs. Returns null if the op's struct is not valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_new(op: *const ArOpV1, user_data: *mut c_void) -> *mut ArOpTest {
    // SAFETY: `op` is null or a live struct whose functions accept `user_data`, which the caller frees after the test,
    // as the header requires.
    let test = unsafe {
        let Some(op) = op.as_ref() else { return ptr::null_mut() };
        OpTest::registered_as(op, Some(UserData::new(user_data, None)))
    };
    let Ok(test) = test else { return ptr::null_mut() };
    let made = ArOpTest { test, options: Vec::new(), outputs: Vec::new(), message: CString::default() };
    Box::into_raw(Box::new(made))
}

/// Frees a test. Does nothing for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_free(test: *mut ArOpTest) {
    if !test.is_null() {
        // SAFETY: not null, as checked, so it comes from `ar_op_test_new`, as the header requires.
        drop(unsafe { Box::from_raw(test) });
    }
}

/// Adds an input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_input(test: *mut ArOpTest, tensor: *const ArTestTensor) -> *const c_char {
    // SAFETY: `tensor` is null or a live handle, as the header requires.
    describe(test, |test| Ok(test.input(unsafe { given(tensor) }?)))
}

/// Adds an input whose data is available in `prepare`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_constant(
    test: *mut ArOpTest,
    tensor: *const ArTestTensor,
) -> *const c_char {
    // SAFETY: `tensor` is null or a live handle, as the header requires.
    describe(test, |test| Ok(test.constant(unsafe { given(tensor) }?)))
}

/// Adds an input that `eval` may write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_variable(
    test: *mut ArOpTest,
    tensor: *const ArTestTensor,
) -> *const c_char {
    // SAFETY: `tensor` is null or a live handle, as the header requires.
    describe(test, |test| Ok(test.variable(unsafe { given(tensor) }?)))
}

/// Adds an absent input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_absent(test: *mut ArOpTest) -> *const c_char {
    describe(test, |test| Ok(test.absent()))
}

/// Adds an output.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_output(
    test: *mut ArOpTest,
    tensor: *const ArTestTensor,
) -> *const c_char {
    // SAFETY: `tensor` is null or valid, as the header requires.
    describe(test, |test| Ok(test.output(unsafe { spec(tensor) }?)))
}

/// Sets the op version that the model uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_version(test: *mut ArOpTest, version: i32) -> *const c_char {
    describe(test, |test| Ok(test.version(version)))
}

/// Makes the test fail unless the op permits an output to share the memory of an input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_in_place(test: *mut ArOpTest) -> *const c_char {
    describe(test, |test| Ok(test.in_place()))
}

/// Sets the options of a custom op.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_custom_options(
    test: *mut ArOpTest,
    data: *const c_void,
    size: usize,
) -> *const c_char {
    // SAFETY: `data` is null or has the given number of elements, as the header requires.
    describe(test, |test| Ok(test.custom_options(unsafe { tensor::bytes(data, size, "data") }?)))
}

/// Sets a field of the options of a builtin op.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_option(
    test: *mut ArOpTest,
    tag: u32,
    slot: usize,
    value: *const c_void,
    size: usize,
) -> *const c_char {
    guard(test, |it| {
        // SAFETY: `value` is null or has the given number of elements, as the header requires.
        let value = unsafe { tensor::bytes(value, size, "value") }?.to_vec();
        if !matches!(size, 1 | 2 | 4 | 8) {
            return Err(format!("argument 'size' is {size}; it must be 1, 2, 4 or 8"));
        }
        if it.options.iter().any(|(known, other, _)| *known != tag || *other == slot) {
            return Err(format!(
                "slot {slot} of table {tag} is set twice, or fields of another table were set before"
            ));
        }
        it.options.push((tag, slot, value));
        let fields = it.options.iter().map(|(_, slot, bytes)| (*slot, EncodedField::Scalar(bytes.clone())));
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

/// The number of outputs of the last run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_output_count(test: *const ArOpTest) -> usize {
    // SAFETY: `test` is null or points to a live value, as the header requires.
    unsafe { test.as_ref() }.map_or(0, |test| test.outputs.len())
}

/// Describes an output of the last run.
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
        // SAFETY: `tensor` is writable, as the header requires.
        unsafe { tensor.write(view) };
        Ok(())
    })
}

/// Compares an output of the last run with the expected tensor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_op_test_expect(
    test: *mut ArOpTest,
    index: usize,
    expected: *const ArTestTensor,
    tolerance: f32,
) -> *const c_char {
    guard(test, |it| {
        // SAFETY: `expected` is null or a live handle, as the header requires.
        let expected = unsafe { given(expected) }?;
        compare(found(&it.outputs, index)?, &expected, tolerance)
            .map_err(|message| format!("output {index}: {message}"))
    })
}

fn found(outputs: &[Tensor], index: usize) -> Result<&Tensor> {
    let count = outputs.len();
    outputs.get(index).ok_or_else(|| {
        format!("output {index} does not exist; the last run had {count}. Call ar_op_test_run first")
    })
}
