//! Registrations of ops, planners and delegates with arbitrary fields, and an op and a planner that make unusual
//! requests to the host.
//!
//! A word that is a pointer is null or valid: a host cannot detect an invalid pointer. Every other word may be any
//! number.

use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::ptr;

use arenite_abi::raw::*;
use arenite_c::*;
use arenite_tests::differential::random::Random;

use crate::models;

thread_local! {
    /// The bytes that decide the next actions of the functions below.
    static SCRIPT: RefCell<Random> = RefCell::new(Random::new(0));
}

fn next<T>(choose: impl FnOnce(&mut Random) -> T) -> T {
    SCRIPT.with_borrow_mut(choose)
}

/// A size that is likely to be at a limit.
fn size(random: &mut Random) -> u64 {
    match random.below(10) {
        0 => u64::MAX,
        1 => 1 << 62,
        2 => 1 << 33,
        3 => 3,
        4 => 0,
        _ => 1 << random.below(9),
    }
}

fn dims(random: &mut Random) -> Vec<i32> {
    (0..random.below(5)).map(|_| random.pick(&[2, 3, 1, 0, -1, i32::MAX, 1 << 20, 6])).collect()
}

unsafe extern "C" fn prepare(
    prepare: *const ArPrepareV1,
    node: *const ArNodeV1,
    state: *mut c_void,
) -> ArStatus {
    let (mut index, mut data) = (0, ptr::null_mut());
    // SAFETY: the structs are valid for the call; lists have the given lengths, and results have a valid pointer.
    unsafe {
        let (cx, node) = (&*prepare, &*node);
        std::hint::black_box((node.input_count, state));
        for _ in 0..next(|r| r.below(5)) {
            let (dims, output, bytes, alignment) = next(|r| (dims(r), r.below(3) as u32, size(r), size(r)));
            let status = match next(|r| r.below(9)) {
                0 => (cx.set_output_shape)(cx.context, output, ptr::null(), dims.len() as u32),
                1 | 2 => (cx.set_output_shape)(cx.context, output, dims.as_ptr(), dims.len() as u32),
                3 => (cx.set_output_dynamic)(cx.context, output),
                4 => {
                    let value = [0u8; 64];
                    (cx.set_output_constant)(cx.context, output, value.as_ptr().cast(), bytes.min(64))
                }
                5 => {
                    let status = (cx.request_persistent)(cx.context, bytes, alignment, &mut index, &mut data);
                    if status == 0 && !data.is_null() {
                        data.cast::<u8>().write_bytes(7, bytes.min(1 << 16) as usize);
                    }
                    status
                }
                6 => (cx.request_scratch)(cx.context, bytes, alignment, &mut index),
                7 => (cx.share_memory)(cx.context, output, bytes as u32, alignment as u32),
                _ => {
                    let interface = next(|r| r.below(24) as u64);
                    std::hint::black_box((cx.query)(cx.context, interface));
                    0
                }
            };
            std::hint::black_box(status);
        }
        if next(|r| r.below(4)) > 0 {
            let right = [2, 3];
            (cx.set_output_shape)(cx.context, 0, right.as_ptr(), 2);
        }
    }
    next(|r| r.pick(&[0, 0, 0, 0, 1, 2, 77, u32::MAX]))
}

unsafe extern "C" fn eval(eval: *const ArEvalV1, node: *const ArNodeV1, _: *mut c_void) -> ArStatus {
    // SAFETY: the structs are valid for the call; spans have the sizes they state.
    unsafe {
        let (cx, node) = (&*eval, &*node);
        for i in 0..cx.scratch_count {
            let span = &*cx.scratch.add(i);
            if !span.data.is_null() {
                span.data.cast::<u8>().write_bytes(9, span.bytes.min(1 << 16) as usize);
            }
        }
        for _ in 0..next(|r| r.below(3)) {
            let (dims, output, bytes) = next(|r| (dims(r), r.below(3) as u32, size(r)));
            std::hint::black_box((cx.resize_output)(
                cx.context,
                output,
                dims.as_ptr(),
                dims.len() as u32,
                bytes,
            ));
            std::hint::black_box((cx.is_cancelled)(cx.context));
        }
        // The output, with the length in the tensor's entry.
        let at = *node.outputs as usize * node.tensor_stride;
        let tensor = &*node.tensors.cast::<u8>().add(at).cast::<ArTensorV1>();
        if !tensor.data.is_null() {
            tensor.data.cast::<u8>().write_bytes(1, tensor.bytes.min(1 << 16) as usize);
        }
    }
    next(|r| r.pick(&[0, 0, 0, 0, 1, 77]))
}

unsafe extern "C" fn drop_state(_: *mut c_void) {}

unsafe extern "C" fn query(_: u64) -> *const c_void {
    ptr::null()
}

/// Writes arbitrary offsets or objects.
unsafe extern "C" fn plan(request: *const ArPlanRequestV1, assignment: *mut ArAssignmentV1) -> ArStatus {
    // SAFETY: the structs are valid for the call, and each array has one element per record.
    unsafe {
        let (request, answer) = (&*request, &mut *assignment);
        answer.kind =
            next(|r| r.pick(&[ASSIGNMENT_OFFSETS, ASSIGNMENT_OFFSETS, ASSIGNMENT_OBJECTS, 2, u32::MAX]));
        answer.object_count = next(|r| r.pick(&[0, 1, 2, request.record_count as u32, u32::MAX]));
        for i in 0..request.record_count {
            let value = next(|r| r.pick(&[0, 0, 64, 128, 1, 1 << 12, u64::MAX, u64::MAX - 63]));
            answer.offsets.add(i).write(value);
            answer.object_ids.add(i).write(value as u32 / 64);
            answer.object_sizes.add(i).write(value);
        }
        answer.optimal = next(|r| r.below(3)) as u8;
    }
    next(|r| r.pick(&[0, 0, 0, 1]))
}

unsafe extern "C" fn create(_: *const ArPair, _: usize, delegate: *mut *mut c_void) -> ArStatus {
    // SAFETY: the result pointer is valid.
    unsafe { *delegate = ptr::null_mut() };
    next(|r| r.pick(&[0, 0, 1]))
}

unsafe extern "C" fn claim(_: *mut c_void, graph: *const ArGraphV1, claims: *const ArClaimsV1) -> ArStatus {
    // SAFETY: the structs are valid for the call.
    unsafe {
        let (graph, claims) = (&*graph, &*claims);
        let reason = ArStr { data: c"no".as_ptr().cast(), length: 2 };
        for node in 0..graph.node_count + 2 {
            match next(|r| r.below(4)) {
                0 => (claims.refuse)(claims.context, node, reason),
                1 => {}
                _ => (claims.accept)(claims.context, node),
            }
        }
    }
    next(|r| r.pick(&[0, 0, 0, 1]))
}

unsafe extern "C" fn compile(_: *mut c_void, _: *const ArPartitionV1, kernel: *mut *mut c_void) -> ArStatus {
    // SAFETY: the result pointer is valid.
    unsafe { *kernel = ptr::null_mut() };
    next(|r| r.pick(&[0, 0, 0, 1]))
}

unsafe extern "C" fn prepare_kernel(
    _: *mut c_void,
    cx: *const ArPrepareV1,
    partition: *const ArPartitionV1,
) -> ArStatus {
    // SAFETY: the structs are valid for the call, and the partition's lists have the lengths it states.
    unsafe {
        let (cx, partition) = (&*cx, &*partition);
        for output in 0..next(|r| partition.output_count + r.below(2)) {
            let shape = next(|r| if r.below(3) > 0 { vec![2, 3] } else { dims(r) });
            (cx.set_output_shape)(cx.context, output as u32, shape.as_ptr(), shape.len() as u32);
        }
        let (mut index, bytes, alignment) = (0, next(size), next(size));
        (cx.request_scratch)(cx.context, bytes, alignment, &mut index);
    }
    next(|r| r.pick(&[0, 0, 0, 1]))
}

unsafe extern "C" fn invoke(
    _: *mut c_void,
    cx: *const ArEvalV1,
    _: *const ArPartitionV1,
    node: *const ArNodeV1,
) -> ArStatus {
    // SAFETY: as for `eval`, which uses no state.
    unsafe { eval(cx, node, ptr::null_mut()) }
}

unsafe extern "C" fn destroy(_: *mut c_void) {}

/// The words of a registration that are pointers.
struct Form {
    words: Vec<u64>,
    pointers: &'static [usize],
}

impl Form {
    /// The words of a struct without significant padding.
    fn of<T: Copy>(value: T, pointers: &'static [usize]) -> Form {
        let mut words = vec![0u64; size_of::<T>().div_ceil(8)];
        // SAFETY: the slice has exactly that many bytes.
        unsafe { words.as_mut_ptr().cast::<T>().write_unaligned(value) };
        Form { words, pointers }
    }

    fn spoil(&mut self, random: &mut Random) {
        const NUMBERS: [u64; 10] = [0, 1, 32, 51, 4096, 1 << 31, 1 << 32, u32::MAX as u64, 1 << 60, u64::MAX];
        for _ in 0..random.below(4) {
            let i = random.below(self.words.len());
            match self.pointers.contains(&i) {
                true => self.words[i] = 0,
                false if random.chance(50) => self.words[i] = random.pick(&NUMBERS),
                false => {
                    let half = 32 * random.below(2);
                    let number = random.pick(&NUMBERS) & 0xffff_ffff;
                    self.words[i] = self.words[i] & !(0xffff_ffff << half) | number << half;
                }
            }
        }
    }

    fn pointer<T>(&self) -> *const T {
        self.words.as_ptr().cast()
    }
}

/// A name, with a length of at most the readable bytes.
fn name(random: &mut Random) -> ArStr {
    const NAMES: [&[u8]; 6] = [b"Fuzz", b"", b"a\x1b[2J", b"\xff\xff", b"Fuzz\0Fuzz", b"cpu"];
    let name = if random.chance(70) { NAMES[0] } else { NAMES[random.below(NAMES.len())] };
    ArStr { data: name.as_ptr(), length: name.len() }
}

/// The host reads a name's length, so it is only ever changed to zero, together with its pointer.
const NAME_OF_OP: [usize; 2] = [3, 4];

fn op(random: &mut Random) -> Form {
    let op = ArOpV1 {
        header: ArHeader::of::<ArOpV1>(),
        builtin_code: BUILTIN_CUSTOM,
        min_version: 1,
        max_version: 1,
        flags: 0,
        custom_name: name(random),
        element_types: 0,
        state_size: random.below(40) as u64,
        state_align: 8,
        prepare,
        eval,
        drop: Some(drop_state),
        query: Some(query),
    };
    debug_assert_eq!(std::mem::offset_of!(ArOpV1, custom_name), NAME_OF_OP[0] * 8);
    Form::of(op, &[3, 4, 8, 9, 10, 11])
}

fn planner(random: &mut Random) -> Form {
    let planner =
        ArPlannerV1 { header: ArHeader::of::<ArPlannerV1>(), name: name(random), plan, query: Some(query) };
    Form::of(planner, &[1, 2, 3, 4])
}

fn delegate(random: &mut Random) -> Form {
    let delegate = ArDelegateV1 {
        header: ArHeader::of::<ArDelegateV1>(),
        name: name(random),
        create,
        claim,
        compile,
        prepare: prepare_kernel,
        invoke,
        destroy_kernel: destroy,
        destroy,
        query: Some(query),
    };
    Form::of(delegate, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
}

/// Frees an error, and returns whether there was one. A panic is a bug in the host, because the functions above do not
/// panic.
fn check(error: *mut ArError) -> bool {
    if error.is_null() {
        return false;
    }
    // SAFETY: the error comes from the library and is freed once, after its text was read.
    unsafe {
        let text = CStr::from_ptr(ar_error_message(error)).to_string_lossy().into_owned();
        ar_error_free(error);
        assert!(!text.is_empty() && !text.contains("panicked"), "{text}");
    }
    true
}

/// Makes registrations from the bytes, and runs a model with it if it was accepted.
pub fn descriptors(bytes: &[u8]) {
    let mut random = Random::of_bytes(bytes);
    let mut forms = [op(&mut random), planner(&mut random), delegate(&mut random)];
    let used = [true, random.chance(50), random.chance(50)];
    let spoilt = random.below(4);
    if let Some(form) = forms.get_mut(spoilt) {
        form.spoil(&mut random);
    }
    SCRIPT.set(random);
    let mut interpreter = ptr::null_mut();
    let mut model = ptr::null_mut();
    let file = models::custom();
    // SAFETY: the handles come from the library, and the pointers of registrations are null or valid.
    unsafe {
        let options = ar_options_new();
        check(ar_options_set_builtin_plugins(options, false));
        check(ar_options_set_threads(options, 1));
        check(ar_options_set_quota_bytes(options, 1 << 20));
        check(ar_options_set_default_delegate(options, false));
        let none = ptr::null_mut();
        let mut accepted = true;
        accepted &= !check(ar_options_register_op(options, forms[0].pointer(), none, None));
        if used[1] {
            accepted &= !check(ar_options_register_planner(options, forms[1].pointer(), none, None));
            check(ar_options_set_planner(options, c"Fuzz".as_ptr(), ptr::null(), 0));
        }
        if used[2] {
            accepted &= !check(ar_options_register_delegate(options, forms[2].pointer(), none, None));
            check(ar_options_add_delegate(options, c"Fuzz".as_ptr(), 0, ptr::null(), 0));
        }
        std::hint::black_box(accepted);
        check(ar_model_from_memory(file.as_ptr().cast(), file.len(), &mut model));
        if !check(ar_interpreter_new(model, options, &mut interpreter))
            && !check(ar_interpreter_allocate(interpreter))
        {
            for _ in 0..2 {
                check(ar_interpreter_invoke(interpreter));
                let (mut tensor, mut data) = (ptr::null(), ptr::null());
                if !check(ar_interpreter_output(interpreter, 0, &mut tensor))
                    && !check(ar_tensor_data(tensor, &mut data))
                    && !data.is_null()
                {
                    let bytes = std::slice::from_raw_parts(
                        data.cast::<u8>(),
                        ar_tensor_byte_size(tensor).min(1 << 16),
                    );
                    std::hint::black_box(bytes.iter().fold(0u8, |sum, &byte| sum.wrapping_add(byte)));
                }
                check(ar_interpreter_allocate(interpreter));
            }
        }
        ar_interpreter_free(interpreter);
        ar_model_free(model);
        ar_options_free(options);
    }
}
