//! Sequences of calls of `libtensorflowlite_c`.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::Once;

use arenite_tests::differential::random::Random;
use tensorflowlite_c as _;

use crate::models;

/// Handles are passed as in `c_api.h`, opaque.
macro_rules! opaque {
    ($($name:ident)*) => {$(
        #[repr(C)]
        struct $name([u8; 0]);
    )*};
}
opaque! { Model Options Interpreter Tensor Runner }

#[repr(C)]
struct QuantizationParams {
    scale: f32,
    zero_point: i32,
}

unsafe extern "C" {
    fn TfLiteModelCreate(data: *const c_void, size: usize) -> *mut Model;
    fn TfLiteModelDelete(model: *mut Model);
    fn TfLiteInterpreterOptionsCreate() -> *mut Options;
    fn TfLiteInterpreterOptionsCopy(from: *const Options) -> *mut Options;
    fn TfLiteInterpreterOptionsDelete(options: *mut Options);
    fn TfLiteInterpreterOptionsSetNumThreads(options: *mut Options, threads: i32);
    fn TfLiteInterpreterOptionsEnableCancellation(options: *mut Options, enable: bool) -> c_int;
    fn TfLiteInterpreterOptionsSetEnableDelegateFallback(options: *mut Options, enable: bool);
    fn TfLiteInterpreterCreate(model: *const Model, options: *const Options) -> *mut Interpreter;
    fn TfLiteInterpreterDelete(interpreter: *mut Interpreter);
    fn TfLiteInterpreterGetInputTensorCount(interpreter: *const Interpreter) -> i32;
    fn TfLiteInterpreterGetOutputTensorCount(interpreter: *const Interpreter) -> i32;
    fn TfLiteInterpreterGetInputTensor(interpreter: *const Interpreter, index: i32) -> *mut Tensor;
    fn TfLiteInterpreterGetOutputTensor(interpreter: *const Interpreter, index: i32) -> *const Tensor;
    fn TfLiteInterpreterGetTensor(interpreter: *const Interpreter, index: c_int) -> *mut Tensor;
    fn TfLiteInterpreterResizeInputTensor(
        interpreter: *mut Interpreter,
        index: i32,
        dims: *const c_int,
        count: i32,
    ) -> c_int;
    fn TfLiteInterpreterAllocateTensors(interpreter: *mut Interpreter) -> c_int;
    fn TfLiteInterpreterInvoke(interpreter: *mut Interpreter) -> c_int;
    fn TfLiteInterpreterCancel(interpreter: *const Interpreter) -> c_int;
    fn TfLiteInterpreterResetVariableTensors(interpreter: *mut Interpreter) -> c_int;
    fn TfLiteInterpreterGetVariableTensorCount(interpreter: *const Interpreter) -> i32;
    fn TfLiteInterpreterGetVariableTensor(interpreter: *const Interpreter, index: i32) -> *mut Tensor;
    fn TfLiteInterpreterGetInputTensorIndex(interpreter: *const Interpreter, index: i32) -> i32;
    fn TfLiteInterpreterGetOutputTensorIndex(interpreter: *const Interpreter, index: i32) -> i32;
    fn TfLiteInterpreterEnsureTensorDataIsReadable(interpreter: *mut Interpreter, index: c_int) -> c_int;
    fn TfLiteInterpreterGetSignatureCount(interpreter: *const Interpreter) -> i32;
    fn TfLiteInterpreterGetSignatureKey(interpreter: *const Interpreter, index: i32) -> *const c_char;
    fn TfLiteInterpreterGetSignatureRunner(
        interpreter: *const Interpreter,
        key: *const c_char,
    ) -> *mut Runner;
    fn TfLiteSignatureRunnerDelete(runner: *mut Runner);
    fn TfLiteSignatureRunnerGetInputCount(runner: *const Runner) -> usize;
    fn TfLiteSignatureRunnerGetInputName(runner: *const Runner, index: i32) -> *const c_char;
    fn TfLiteSignatureRunnerGetOutputName(runner: *const Runner, index: i32) -> *const c_char;
    fn TfLiteSignatureRunnerResizeInputTensor(
        runner: *mut Runner,
        name: *const c_char,
        dims: *const c_int,
        count: i32,
    ) -> c_int;
    fn TfLiteSignatureRunnerAllocateTensors(runner: *mut Runner) -> c_int;
    fn TfLiteSignatureRunnerGetInputTensor(runner: *mut Runner, name: *const c_char) -> *mut Tensor;
    fn TfLiteSignatureRunnerGetOutputTensor(runner: *const Runner, name: *const c_char) -> *const Tensor;
    fn TfLiteSignatureRunnerInvoke(runner: *mut Runner) -> c_int;
    fn TfLiteTensorType(tensor: *const Tensor) -> c_int;
    fn TfLiteTensorNumDims(tensor: *const Tensor) -> i32;
    fn TfLiteTensorDim(tensor: *const Tensor, index: i32) -> i32;
    fn TfLiteTensorByteSize(tensor: *const Tensor) -> usize;
    fn TfLiteTensorData(tensor: *const Tensor) -> *mut c_void;
    fn TfLiteTensorName(tensor: *const Tensor) -> *const c_char;
    fn TfLiteTensorQuantizationParams(tensor: *const Tensor) -> QuantizationParams;
    fn TfLiteTensorCopyFromBuffer(tensor: *mut Tensor, data: *const c_void, bytes: usize) -> c_int;
    fn TfLiteTensorCopyToBuffer(tensor: *const Tensor, data: *mut c_void, bytes: usize) -> c_int;
}

/// An interpreter and its signature runners, which are freed before it.
struct Machine {
    raw: *mut Interpreter,
    runners: Vec<*mut Runner>,
}

struct Calls {
    random: Random,
    models: Vec<*mut Model>,
    options: Vec<*mut Options>,
    machines: Vec<Machine>,
}

const NAMES: [&CStr; 6] = [c"x", c"y", c"double", c"sum", c"", c"\xff"];

/// Limits every interpreter to 4 MiB and 1,000 calls of subgraphs, because by default large tensors and loops take many
/// seconds. This C interface has no function for quotas, so a configuration file sets them.
fn limit() {
    static LIMITED: Once = Once::new();
    LIMITED.call_once(|| {
        let path = std::env::temp_dir().join(format!("arenite-fuzz-quota-{}.toml", std::process::id()));
        std::fs::write(&path, "schema = 1\n[quota]\nbytes = 4194304\ncalls = 1000\n")
            .expect("the folder can be written to");
        // SAFETY: `Once` lets one thread in, and no other thread reads the environment at this point: the library does
        // so only in the calls below, on the target's thread; the watchdog thread of `fuzz_many` only sleeps and
        // counts.
        unsafe { std::env::set_var("ARENITE_TFLITE_CONFIG", path) };
    });
}

/// Makes as many calls as the bytes describe, at most 60.
pub fn calls(bytes: &[u8]) {
    limit();
    let mut calls = Calls {
        random: Random::of_bytes(bytes),
        models: Vec::new(),
        options: Vec::new(),
        machines: Vec::new(),
    };
    calls.add_model();
    calls.add_options();
    calls.add_machine();
    for _ in 0..60 {
        if !calls.random.has_bytes() {
            break;
        }
        calls.one();
    }
    while calls.free_machine() {}
    // SAFETY: each comes from the library and is freed once.
    unsafe {
        calls.models.iter().for_each(|&model| TfLiteModelDelete(model));
        calls.options.iter().for_each(|&options| TfLiteInterpreterOptionsDelete(options));
    }
}

fn read(text: *const c_char) {
    if !text.is_null() {
        // SAFETY: a zero-terminated text of a live handle.
        std::hint::black_box(unsafe { CStr::from_ptr(text) }.to_bytes().len());
    }
}

/// Accepts any status.
fn ignore(_: c_int) {}

impl Calls {
    fn one_of<T>(&mut self, list: &[*mut T]) -> *mut T {
        match list.len() {
            0 => ptr::null_mut(),
            _ if self.random.below(24) == 0 => ptr::null_mut(),
            n => list[self.random.below(n)],
        }
    }

    fn index(&mut self) -> i32 {
        match self.random.below(8) {
            0 => i32::MAX,
            1 => -1,
            2 => i32::MIN,
            _ => self.random.below(4) as i32,
        }
    }

    fn name(&mut self) -> *const c_char {
        if self.random.below(16) == 0 { ptr::null() } else { self.random.pick(&NAMES).as_ptr() }
    }

    fn add_model(&mut self) {
        let files = models::files();
        let file = &files[self.random.below(files.len())];
        let size = if self.random.below(16) == 0 { file.len() / 2 } else { file.len() };
        // SAFETY: the file's bytes are static.
        let model = unsafe { TfLiteModelCreate(file.as_ptr().cast(), size) };
        self.models.extend(Some(model).filter(|model| !model.is_null()));
    }

    fn add_options(&mut self) {
        // SAFETY: the options come from the library.
        unsafe {
            let options = TfLiteInterpreterOptionsCreate();
            TfLiteInterpreterOptionsSetNumThreads(options, 1);
            TfLiteInterpreterOptionsEnableCancellation(options, true);
            self.options.push(options);
        }
    }

    fn add_machine(&mut self) {
        let (model, options) = (self.one_of(&self.models.clone()), self.one_of(&self.options.clone()));
        // SAFETY: the handles come from the library or are null.
        let raw = unsafe { TfLiteInterpreterCreate(model, options) };
        if !raw.is_null() {
            self.machines.push(Machine { raw, runners: Vec::new() });
        }
    }

    fn free_machine(&mut self) -> bool {
        let Some(machine) = self.machines.pop() else { return false };
        // SAFETY: each is freed once, runners before their interpreter.
        unsafe {
            machine.runners.iter().for_each(|&runner| TfLiteSignatureRunnerDelete(runner));
            TfLiteInterpreterDelete(machine.raw);
        }
        true
    }

    fn one(&mut self) {
        crate::STEPS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        match self.random.below(16) {
            0 if self.models.len() < 4 => self.add_model(),
            1 if self.machines.len() < 3 => self.add_machine(),
            2 => drop(self.free_machine()),
            3 => self.of_options(),
            // SAFETY: freed once; interpreters made from it stay valid.
            4 => unsafe { TfLiteModelDelete(self.models.pop().unwrap_or(ptr::null_mut())) },
            _ if self.machines.is_empty() => self.add_machine(),
            kind => {
                let at = self.random.below(self.machines.len());
                let mut machine = self.machines.swap_remove(at);
                if kind < 9 {
                    self.of_runners(&mut machine)
                } else {
                    self.of_interpreter(&machine)
                }
                self.machines.push(machine);
            }
        }
    }

    fn of_options(&mut self) {
        let (options, index) = (self.one_of(&self.options.clone()), self.index());
        // SAFETY: the options come from the library or are null.
        unsafe {
            match self.random.below(5) {
                0 => TfLiteInterpreterOptionsSetNumThreads(options, index.min(2)),
                1 => drop(TfLiteInterpreterOptionsEnableCancellation(options, index & 1 == 0)),
                2 => TfLiteInterpreterOptionsSetEnableDelegateFallback(options, index & 1 == 0),
                3 if self.options.len() < 4 => {
                    let copy = TfLiteInterpreterOptionsCopy(options);
                    self.options.extend(Some(copy).filter(|copy| !copy.is_null()));
                }
                _ => TfLiteInterpreterOptionsDelete(self.options.pop().unwrap_or(ptr::null_mut())),
            }
        }
    }

    fn dims(&mut self) -> Vec<c_int> {
        const DIMS: [c_int; 9] = [1, 2, 3, 4, 0, -1, 7, c_int::MAX, 4096];
        let rank = if self.random.below(8) == 0 { 9 } else { self.random.below(5) };
        (0..rank).map(|_| self.random.pick(&DIMS)).collect()
    }

    fn of_interpreter(&mut self, machine: &Machine) {
        let raw = if self.random.below(32) == 0 { ptr::null_mut() } else { machine.raw };
        let (index, dims) = (self.index(), self.dims());
        // SAFETY: the interpreter comes from the library or is null, and the list has its length.
        let tensor = unsafe {
            match self.random.below(14) {
                0..=2 => return ignore(TfLiteInterpreterAllocateTensors(raw)),
                3..=5 => return ignore(TfLiteInterpreterInvoke(raw)),
                6 => {
                    let count = if self.random.below(16) == 0 { -1 } else { dims.len() as i32 };
                    TfLiteInterpreterResizeInputTensor(raw, index, dims.as_ptr(), count);
                    return;
                }
                7 => {
                    TfLiteInterpreterCancel(raw);
                    TfLiteInterpreterResetVariableTensors(raw);
                    return;
                }
                8 => {
                    let counts = (
                        TfLiteInterpreterGetInputTensorCount(raw),
                        TfLiteInterpreterGetOutputTensorCount(raw),
                    );
                    let places = (
                        TfLiteInterpreterGetInputTensorIndex(raw, index),
                        TfLiteInterpreterGetOutputTensorIndex(raw, index),
                    );
                    std::hint::black_box((counts, places, TfLiteInterpreterGetVariableTensorCount(raw)));
                    TfLiteInterpreterEnsureTensorDataIsReadable(raw, index);
                    return;
                }
                9 | 10 => TfLiteInterpreterGetInputTensor(raw, index),
                11 => TfLiteInterpreterGetOutputTensor(raw, index).cast_mut(),
                12 => TfLiteInterpreterGetVariableTensor(raw, index),
                _ => TfLiteInterpreterGetTensor(raw, index),
            }
        };
        self.of_tensor(tensor);
    }

    fn of_tensor(&mut self, tensor: *mut Tensor) {
        // SAFETY: the tensor is of a live interpreter or null; buffers have the sizes that are passed; data is used
        // immediately.
        unsafe {
            let size = TfLiteTensorByteSize(tensor).min(1 << 14);
            match self.random.below(6) {
                0 => {
                    let data = TfLiteTensorData(tensor);
                    if !data.is_null() {
                        std::hint::black_box(std::slice::from_raw_parts(data.cast::<u8>(), size).last());
                    }
                }
                1 | 2 => {
                    let buffer = vec![7u8; size + 1];
                    TfLiteTensorCopyFromBuffer(
                        tensor,
                        buffer.as_ptr().cast(),
                        size + self.random.below(8) / 7,
                    );
                }
                3 | 4 => {
                    let mut buffer = vec![0u8; size + 1];
                    TfLiteTensorCopyToBuffer(
                        tensor,
                        buffer.as_mut_ptr().cast(),
                        size + self.random.below(8) / 7,
                    );
                }
                _ => {
                    read(TfLiteTensorName(tensor));
                    let QuantizationParams { scale, zero_point } = TfLiteTensorQuantizationParams(tensor);
                    let index = self.index();
                    let form = (
                        TfLiteTensorType(tensor),
                        TfLiteTensorNumDims(tensor),
                        TfLiteTensorDim(tensor, index),
                    );
                    std::hint::black_box((scale, zero_point, form));
                }
            }
        }
    }

    fn of_runners(&mut self, machine: &mut Machine) {
        let (runner, name, index, dims) =
            (self.one_of(&machine.runners), self.name(), self.index(), self.dims());
        // SAFETY: the runner is of a live interpreter or null, the name lives long enough, and the list has its length.
        let tensor = unsafe {
            match self.random.below(9) {
                0 | 1 if machine.runners.len() < 4 => {
                    let runner = TfLiteInterpreterGetSignatureRunner(machine.raw, name);
                    machine.runners.extend(Some(runner).filter(|runner| !runner.is_null()));
                    return;
                }
                2 => return ignore(TfLiteSignatureRunnerAllocateTensors(runner)),
                3 => return ignore(TfLiteSignatureRunnerInvoke(runner)),
                4 => {
                    TfLiteSignatureRunnerResizeInputTensor(runner, name, dims.as_ptr(), dims.len() as i32);
                    return;
                }
                5 => TfLiteSignatureRunnerGetInputTensor(runner, name),
                6 => TfLiteSignatureRunnerGetOutputTensor(runner, name).cast_mut(),
                7 => {
                    // Only the last runner is used from here.
                    TfLiteSignatureRunnerDelete(machine.runners.pop().unwrap_or(ptr::null_mut()));
                    return;
                }
                _ => {
                    std::hint::black_box((
                        TfLiteInterpreterGetSignatureCount(machine.raw),
                        TfLiteSignatureRunnerGetInputCount(runner),
                    ));
                    read(TfLiteInterpreterGetSignatureKey(machine.raw, index));
                    read(TfLiteSignatureRunnerGetInputName(runner, index));
                    read(TfLiteSignatureRunnerGetOutputName(runner, index));
                    return;
                }
            }
        };
        self.of_tensor(tensor);
    }
}
