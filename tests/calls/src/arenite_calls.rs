//! Sequences of calls of `libarenite`.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;

use arenite_c::*;
use arenite_tests::differential::random::Random;

use crate::conversation;
use crate::models;

/// The mirror of `ArOption`.
#[repr(C)]
struct Pair(*const c_char, *const c_char);

/// The mirror of `ArString`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Text(*const c_char, usize);

/// A buffer for any struct that a call fills in.
type Room = [u64; 16];

/// Memory that is lent to an interpreter; the library must release it exactly once.
struct Loan {
    released: Cell<u32>,
    memory: Vec<u8>,
}

/// An interpreter and its handles, which are freed with it.
struct Machine {
    raw: *mut ArInterpreter,
    tensors: Vec<*mut ArTensor>,
    signatures: Vec<*mut ArSignature>,
    loans: Vec<*mut Loan>,
}

/// The state between calls.
struct Calls {
    random: Random,
    options: Vec<*mut ArOptions>,
    models: Vec<*mut ArModel>,
    machines: Vec<Machine>,
    profiles: Vec<*mut ArProfile>,
    /// Texts that are passed to calls. They are kept until the end, because the library borrows some.
    texts: Vec<CString>,
}

/// Makes as many calls as the bytes describe, at most 60.
pub fn calls(bytes: &[u8]) {
    let mut calls = Calls {
        random: Random::of_bytes(bytes),
        options: Vec::new(),
        models: Vec::new(),
        machines: Vec::new(),
        profiles: Vec::new(),
        texts: Vec::new(),
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
    calls.end();
}

/// A registry of all linked-in plugins, shared by all interpreters: discovery takes most of the time otherwise.
fn registry() -> *const ArRegistry {
    static REGISTRY: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    let make = || {
        let mut registry = ptr::null_mut();
        // SAFETY: no options, and a valid pointer for the result. The registry is never freed.
        check(unsafe { ar_registry_new(ptr::null(), &mut registry) });
        registry as usize
    };
    *REGISTRY.get_or_init(make) as *const ArRegistry
}

/// Reads an error and frees it. Returns whether there was one. A panic is a bug.
pub(crate) fn check(error: *mut ArError) -> bool {
    // SAFETY: the error comes from the library and is freed once, after its text was read.
    unsafe {
        let text = ar_error_message(error);
        if error.is_null() {
            return false;
        }
        assert!(!text.is_null(), "an error without text");
        let text = CStr::from_ptr(text).to_string_lossy();
        assert!(!text.is_empty() && !text.contains("panicked"), "{text}");
        ar_error_free(error);
        true
    }
}

/// Reads a text from the library.
fn read(text: *const c_char) {
    if !text.is_null() {
        // SAFETY: a zero-terminated text of a live handle.
        std::hint::black_box(unsafe { CStr::from_ptr(text) }.to_bytes().len());
    }
}

unsafe extern "C" fn released(loan: *mut c_void) {
    if !loan.is_null() {
        // SAFETY: the `Loan` that was passed along, which lives until the end of the sequence.
        let loan = unsafe { &*loan.cast::<Loan>() };
        loan.released.set(loan.released.get() + 1);
    }
}

/// Queries everything about a node, and calls the interpreter from inside, which must fail.
unsafe extern "C" fn observer(observed: *const ArObserved<'_>, interpreter: *mut c_void) {
    let (mut count, mut room) = (0, Room::default());
    // SAFETY: the observation is valid until this returns; the interpreter is the one that runs.
    unsafe {
        std::hint::black_box((ar_observed_moment(observed), ar_observed_subgraph(observed)));
        read(ar_observed_op(observed));
        read(ar_observed_delegate(observed));
        ar_observed_nodes(observed, &mut count);
        for list in [ar_observed_inputs(observed, &mut count), ar_observed_outputs(observed, ptr::null_mut())]
        {
            if !list.is_null() && count > 0 {
                check(ar_observed_tensor(observed, *list, room.as_mut_ptr().cast()));
            }
        }
        check(ar_observed_tensor(observed, i32::MAX, room.as_mut_ptr().cast()));
        check(ar_observed_tensor(observed, 0, ptr::null_mut()));
        assert!(check(ar_interpreter_invoke(interpreter.cast())), "an invocation from inside must fail");
    }
}

impl Calls {
    /// A number that is likely to be at a limit.
    fn number(&mut self) -> usize {
        match self.random.below(8) {
            0 => usize::MAX,
            1 => 1 << 40,
            2 => 9,
            _ => self.random.below(4),
        }
    }

    fn text(&mut self) -> *const c_char {
        const TEXTS: [&[u8]; 16] = [
            b"x",
            b"y",
            b"double",
            b"sum",
            b"cpu",
            b"none",
            b"greedy-by-size",
            b"",
            b"\xff\xfe",
            b"threads",
            b"ADD",
            b"[quota]\nnodes = 3\n",
            b"[[delegate]]\nuse = \"cpu\"\noptions = { isa = \"avx2\" }\n",
            b"/does/not/exist",
            b"reorder",
            b"*",
        ];
        if self.random.below(16) == 0 {
            return ptr::null();
        }
        let text = CString::new(TEXTS[self.random.below(TEXTS.len())]).unwrap_or_default();
        self.texts.push(text);
        self.texts[self.texts.len() - 1].as_ptr()
    }

    /// One item of the list, or null.
    fn one_of<T>(&mut self, list: &[*mut T]) -> *mut T {
        match list.len() {
            0 => ptr::null_mut(),
            _ if self.random.below(24) == 0 => ptr::null_mut(),
            n => list[self.random.below(n)],
        }
    }

    fn add_model(&mut self) {
        let files = models::files();
        let file = &files[self.random.below(files.len())];
        let mut model = ptr::null_mut();
        let (data, size, user_data) = (file.as_ptr().cast(), file.len(), ptr::null_mut());
        // SAFETY: the file's bytes; borrowed ones are static.
        check(unsafe {
            match self.random.below(3) {
                0 => ar_model_from_memory(data, size, &mut model),
                1 => ar_model_from_borrowed(data, size, Some(released), user_data, &mut model),
                _ => ar_model_with_groups(data, size, Some(released), user_data, ptr::null(), 0, &mut model),
            }
        });
        if !model.is_null() {
            self.models.push(model);
        }
    }

    fn add_options(&mut self) {
        let options = ar_options_new();
        // SAFETY: the options come from the library; the registry is never freed.
        unsafe {
            check(ar_options_set_registry(options, registry()));
            check(ar_options_set_threads(options, 1));
            check(ar_options_set_quota_bytes(options, 4 << 20));
            check(ar_options_set_quota_calls(options, 1000));
        }
        self.options.push(options);
    }

    fn add_machine(&mut self) {
        let (model, options) = (self.one_of(&self.models.clone()), self.one_of(&self.options.clone()));
        // Without a registry, plugins are discovered.
        let Some(&first) = self.options.first() else { return };
        let options = if options.is_null() { first } else { options };
        let mut raw = ptr::null_mut();
        // SAFETY: the handles come from the library, and the result pointer is valid.
        check(unsafe { ar_interpreter_new(model, options, &mut raw) });
        if !raw.is_null() {
            self.machines.push(Machine {
                raw,
                tensors: Vec::new(),
                signatures: Vec::new(),
                loans: Vec::new(),
            });
        }
    }

    fn one(&mut self) {
        crate::STEPS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        match self.random.below(16) {
            0 if self.models.len() < 4 => self.add_model(),
            1 if self.options.len() < 4 => self.add_options(),
            2 if self.machines.len() < 3 => self.add_machine(),
            0..=2 => self.of_options(),
            3 => self.of_models(),
            4 => self.free(),
            5 => self.of_registry(),
            _ => {
                if self.machines.is_empty() {
                    return self.add_machine();
                }
                let at = self.random.below(self.machines.len());
                let mut machine = self.machines.swap_remove(at);
                match self.random.below(16) {
                    0..=4 => self.of_interpreter(&mut machine),
                    5 => self.of_subgraphs(&mut machine),
                    6 | 7 => self.of_signatures(&mut machine),
                    8 => self.of_profiles(&machine),
                    9 | 10 => self.lend(&mut machine),
                    _ => self.of_tensors(&machine),
                }
                self.machines.push(machine);
            }
        }
    }

    fn of_options(&mut self) {
        let options = self.one_of(&self.options.clone());
        let (a, b, number) = (self.text(), self.text(), self.number());
        let pairs = [Pair(a, b), Pair(b, a)];
        let (pairs, count, flag) = (pairs.as_ptr().cast::<ArOption>(), self.random.below(3), number & 1 == 1);
        // SAFETY: the options come from the library or are null, the texts live long enough, the list has two pairs.
        check(unsafe {
            match self.random.below(22) {
                0 => ar_options_add_delegate(options, a, number as u32, pairs, count),
                1 => ar_options_exclude_op(options, a, b),
                2 => ar_options_set_min_nodes(options, a, number),
                3 => ar_options_set_max_partitions(options, a, number),
                4 => ar_options_set_on_failure(options, a, number as u32),
                5 => ar_options_set_default_delegate(options, flag),
                6 => ar_options_set_quota_bytes(options, (number as u64).min(4 << 20)),
                7 => ar_options_set_quota_device_bytes(options, number as u64),
                8 => ar_options_set_quota_nodes(options, number as u64),
                9 => ar_options_set_quota_depth(options, (number as u32).min(16)),
                10 => ar_options_set_quota_calls(options, (number as u64).min(1000)),
                11 => ar_options_set_time_limit(options, number as u64),
                12 => ar_options_set_planner(options, a, pairs, count),
                13 => ar_options_set_planning_time(options, number as u64),
                14 => ar_options_set_technique(options, a, flag),
                15 => ar_options_set_preserve_all(options, flag),
                16 => ar_options_set_outputs_from_start(options, flag),
                17 => ar_options_prefer_plugin(options, a, b),
                18 => ar_options_set_config_text(options, a),
                19 => ar_options_set_config_file(options, c"/does/not/exist".as_ptr()),
                20 => ar_options_require_delegate(options, a, if flag { b } else { ptr::null() }),
                _ => ar_options_set_threads(options, (number as u32).min(2)),
            }
        });
    }

    fn of_models(&mut self) {
        let (model, index) = (self.one_of(&self.models.clone()), self.number());
        let mut other = ptr::null_mut();
        // SAFETY: the model comes from the library or is null, and the result pointers are valid.
        unsafe {
            std::hint::black_box(ar_model_signature_count(model));
            read(ar_model_signature_key(model, index));
            check(ar_model_from_memory(ptr::null(), index, &mut other));
            check(ar_model_from_memory(b"TFL3".as_ptr().cast(), index.min(4), ptr::null_mut()));
            check(ar_model_from_file(self.text(), &mut other));
            ar_model_free(other);
            std::hint::black_box((ar_type_bits(index as u32), ar_version()));
            read(ar_type_name(index as u32));
        }
        if index % 8 == 0 {
            conversation::talk(model, index);
        }
    }

    /// Frees a model, options or an interpreter. Objects that depend on it stay valid.
    fn free(&mut self) {
        // SAFETY: each comes from the library, is freed once, and is not used afterwards.
        unsafe {
            match self.random.below(3) {
                0 => ar_model_free(self.models.pop().unwrap_or(ptr::null_mut())),
                1 => ar_options_free(self.options.pop().unwrap_or(ptr::null_mut())),
                _ => {
                    if let Some(machine) = self.machines.pop() {
                        self.free_machine(machine);
                    }
                }
            }
        }
    }

    fn free_machine(&mut self, machine: Machine) {
        // SAFETY: freed once; its handles are dropped with `machine`.
        unsafe { ar_interpreter_free(machine.raw) };
        for loan in machine.loans {
            // SAFETY: made by `Box::into_raw`, and already released by the library.
            let loan = unsafe { Box::from_raw(loan) };
            assert_eq!(loan.released.get(), 1, "a loan must be released exactly once");
        }
    }

    fn of_registry(&mut self) {
        let (registry, index) =
            (if self.random.below(16) == 0 { ptr::null() } else { registry() }, self.number());
        let mut room = Room::default();
        // SAFETY: the registry is live or null, and the buffer fits the struct.
        unsafe {
            std::hint::black_box((ar_registry_plugin_count(registry), ar_registry_failure_count(registry)));
            read(ar_registry_failure(registry, index));
            let plugin = ar_registry_plugin(registry, index);
            read(ar_plugin_id(plugin));
            read(ar_plugin_version(plugin));
            read(ar_plugin_description(plugin));
            read(ar_plugin_origin(plugin));
            check(ar_plugin_op(plugin, self.number(), room.as_mut_ptr().cast()));
            read(ar_plugin_planner(plugin, self.number()));
            read(ar_plugin_delegate(plugin, self.number()));
            let counts = (ar_plugin_op_count(plugin), ar_plugin_planner_count(plugin));
            std::hint::black_box((counts, ar_plugin_delegate_count(plugin)));
        }
    }

    fn shape(&mut self) -> (Vec<i32>, usize) {
        const DIMS: [i32; 10] = [1, 2, 3, 4, 0, -1, 7, i32::MAX, i32::MIN, 65536];
        let rank = if self.random.below(8) == 0 { 9 } else { self.random.below(5) };
        let dims: Vec<i32> = (0..rank).map(|_| self.random.pick(&DIMS)).collect();
        (dims, rank)
    }

    fn of_interpreter(&mut self, machine: &mut Machine) {
        let raw = if self.random.below(32) == 0 { ptr::null_mut() } else { machine.raw };
        let (index, name, (dims, rank)) = (self.number(), self.text(), self.shape());
        let (mut tensor, mut fixed) = (ptr::null_mut(), ptr::null());
        // SAFETY: the interpreter comes from the library or is null, the name lives long enough, the list has its
        // length, and the result pointers are valid.
        unsafe {
            match self.random.below(19) {
                0..=3 => drop(check(ar_interpreter_allocate(raw))),
                4..=6 => drop(check(ar_interpreter_invoke(raw))),
                7 => ar_interpreter_cancel(raw),
                8 => drop(check(ar_interpreter_reset_variables(raw))),
                9 => drop(check(ar_interpreter_resize_input(raw, index, dims.as_ptr(), rank))),
                10 => drop(check(ar_interpreter_input(raw, index, &mut tensor))),
                11 => drop(check(ar_interpreter_input_by_name(raw, name, &mut tensor))),
                12 => drop(check(ar_interpreter_output(raw, index, &mut fixed))),
                13 => drop(check(ar_interpreter_output_by_name(raw, name, &mut fixed))),
                14 => drop(check(ar_interpreter_tensor(raw, index, &mut fixed))),
                15 => drop(check(ar_interpreter_release_memory(raw))),
                17 => drop(check(ar_interpreter_tie_caches(raw, ptr::null_mut()))),
                16 => {
                    let user = machine.raw.cast();
                    let observer = if self.random.chance(70) { Some(observer as _) } else { None };
                    check(ar_interpreter_set_observer(raw, observer, user, None));
                }
                _ => self.told(machine, index),
            }
        }
        machine.tensors.extend([tensor, fixed.cast_mut()].into_iter().filter(|tensor| !tensor.is_null()));
    }

    /// Queries everything about an interpreter.
    fn told(&mut self, machine: &Machine, index: usize) {
        let (raw, mut json) = (machine.raw, ptr::null());
        // SAFETY: the interpreter comes from the library, and the result pointer is valid.
        unsafe {
            let counts = (ar_interpreter_input_count(raw), ar_interpreter_output_count(raw));
            let bytes = (ar_interpreter_arena_bytes(raw), ar_interpreter_persistent_bytes(raw));
            let more = (ar_interpreter_delegate_bytes(raw), ar_interpreter_dynamic_bytes(raw));
            std::hint::black_box((counts, bytes, more, ar_interpreter_arena_lower_bound(raw)));
            std::hint::black_box((ar_interpreter_tensor_count(raw), ar_interpreter_plugin_count(raw)));
            read(ar_plugin_id(ar_interpreter_plugin(raw, index)));
            read(ar_interpreter_failure(raw, index));
            read(ar_interpreter_left_out(raw, index));
            check(ar_interpreter_preview_delegates(raw, index, &mut json));
            check(ar_interpreter_inspect(raw, &mut json));
            read(json);
        }
    }

    fn of_subgraphs(&mut self, machine: &mut Machine) {
        let (raw, subgraph, index) = (machine.raw, self.number(), self.number());
        let (mut list, mut count, mut tensor) = (ptr::null(), 0, ptr::null_mut());
        // SAFETY: the interpreter comes from the library, and the result pointers are valid.
        unsafe {
            let error = match self.random.below(8) {
                0 => ar_interpreter_tensor_count_of(raw, subgraph, &mut count),
                1 | 2 => ar_interpreter_tensor_of(raw, subgraph, index, &mut tensor),
                3 => ar_interpreter_inputs_of(raw, subgraph, &mut list, &mut count),
                4 => ar_interpreter_outputs_of(raw, subgraph, &mut list, &mut count),
                5 => ar_interpreter_variables_of(raw, subgraph, &mut list, &mut count),
                6 => ar_interpreter_allocate_subgraph(raw, subgraph),
                _ => ar_interpreter_invoke_subgraph(raw, subgraph),
            };
            if !check(error) && !list.is_null() {
                std::hint::black_box(std::slice::from_raw_parts(list, count).iter().fold(0, |a, &b| a ^ b));
            }
            std::hint::black_box((
                ar_interpreter_generation(raw, subgraph),
                ar_interpreter_subgraph_count(raw),
            ));
        }
        machine.tensors.extend(Some(tensor).filter(|tensor| !tensor.is_null()));
    }

    fn of_signatures(&mut self, machine: &mut Machine) {
        let (mut found, mut tensor, mut fixed) = (ptr::null_mut(), ptr::null_mut(), ptr::null());
        let (key, index, (dims, rank)) = (self.text(), self.number(), self.shape());
        let signature = self.one_of(&machine.signatures);
        // SAFETY: the signature is of a live interpreter or null, the name lives long enough, the list has its length,
        // and the result pointers are valid.
        unsafe {
            match self.random.below(10) {
                0 | 1 => drop(check(ar_interpreter_signature(machine.raw, key, &mut found))),
                2 => drop(check(ar_signature_allocate(signature))),
                3 => drop(check(ar_signature_invoke(signature))),
                4 => drop(check(ar_signature_input(signature, key, &mut tensor))),
                5 => drop(check(ar_signature_output(signature, key, &mut fixed))),
                6 => drop(check(ar_signature_input_at(signature, index, &mut tensor))),
                7 => drop(check(ar_signature_resize_input(signature, key, dims.as_ptr(), rank))),
                8 => drop(check(ar_signature_tie(signature, key, self.text()))),
                _ => {
                    read(ar_signature_key(signature));
                    read(ar_signature_input_name(signature, index));
                    read(ar_signature_output_name(signature, index));
                    std::hint::black_box(ar_signature_subgraph(signature));
                    std::hint::black_box(ar_signature_input_count(signature));
                }
            }
        }
        machine.signatures.extend(Some(found).filter(|found| !found.is_null()));
        machine.tensors.extend([tensor, fixed.cast_mut()].into_iter().filter(|tensor| !tensor.is_null()));
    }

    fn of_profiles(&mut self, machine: &Machine) {
        let (mut profile, mut json, mut room) = (ptr::null_mut(), ptr::null(), Room::default());
        let index = self.number();
        // SAFETY: the handles come from the library or are null, and the buffer fits the struct.
        unsafe {
            match self.random.below(4) {
                0 => drop(check(ar_interpreter_start_profile(machine.raw))),
                1 => drop(check(ar_interpreter_profile(machine.raw, index, &mut profile))),
                2 => {
                    if !check(ar_interpreter_profile_json(machine.raw, index, &mut json)) {
                        read(json);
                    }
                }
                _ => {
                    let profile = self.one_of(&self.profiles.clone());
                    std::hint::black_box(ar_profile_row_count(profile));
                    check(ar_profile_row(profile, index, room.as_mut_ptr().cast()));
                }
            }
        }
        self.profiles.extend(Some(profile).filter(|profile| !profile.is_null()));
    }

    fn lend(&mut self, machine: &mut Machine) {
        let tensor = self.one_of(&machine.tensors);
        // SAFETY: the handle is of a live interpreter or null. The memory lives until the interpreter is freed, and
        // nothing else accesses it.
        unsafe {
            if self.random.below(4) == 0 {
                check(ar_tensor_take_back(tensor));
                return;
            }
            let size = ar_tensor_byte_size(tensor).min(1 << 16);
            let loan = Box::new(Loan { released: Cell::new(0), memory: vec![0; size + 192] });
            let loan = Box::into_raw(loan);
            machine.loans.push(loan);
            let memory = (*loan).memory.as_mut_ptr();
            let aligned = memory.add(memory.align_offset(64));
            let (memory, size) = match self.random.below(8) {
                0 => (aligned.add(1), size),
                1 => (aligned, size.saturating_sub(1)),
                2 => (ptr::null_mut(), size),
                3 => {
                    // Memory that is lent to another tensor already.
                    let other = machine.loans[self.random.below(machine.loans.len())];
                    let memory = (*other).memory.as_mut_ptr();
                    (memory.add(memory.align_offset(64)), size.min((*other).memory.len() - 192))
                }
                _ => (aligned, size + 64),
            };
            check(ar_tensor_lend(tensor, memory.cast(), size, Some(released), loan.cast()));
        }
    }

    fn of_tensors(&mut self, machine: &Machine) {
        let tensor = self.one_of(&machine.tensors);
        let ((dims, rank), number) = (self.shape(), self.number());
        let (mut data, mut writable, mut room) = (ptr::null(), ptr::null_mut(), Room::default());
        // SAFETY: the handle is of a live interpreter or null; buffers have the sizes that are passed with them; data
        // is used immediately.
        unsafe {
            let (count, size) = (ar_tensor_element_count(tensor).min(1 << 12), ar_tensor_byte_size(tensor));
            let size = size.min(1 << 14);
            match self.random.below(12) {
                0 => drop(check(ar_tensor_resize(tensor, dims.as_ptr(), rank))),
                1 => {
                    if !check(ar_tensor_data(tensor, &mut data)) && !data.is_null() {
                        std::hint::black_box(std::slice::from_raw_parts(data.cast::<u8>(), size).last());
                    }
                }
                2 | 3 => {
                    if !check(ar_tensor_data_mut(tensor, &mut writable)) && !writable.is_null() {
                        writable.cast::<u8>().write_bytes(number as u8, size);
                    }
                }
                4 => {
                    let buffer = vec![number as u8; size + 1];
                    check(ar_tensor_copy_from(tensor, buffer.as_ptr().cast(), size + (number & 1)));
                }
                5 => {
                    let mut buffer = vec![0u8; size + 1];
                    check(ar_tensor_copy_to(tensor, buffer.as_mut_ptr().cast(), size + (number & 1)));
                }
                6 => {
                    let values = vec![number as f32; count + 1];
                    check(ar_tensor_quantize(tensor, values.as_ptr(), count + (number & 1)));
                }
                7 => {
                    let mut values = vec![0f32; count + 1];
                    check(ar_tensor_dequantize(tensor, values.as_mut_ptr(), count + (number & 1)));
                }
                8 => {
                    let texts = vec![Text(c"word".as_ptr(), number.min(4)); count + 1];
                    check(ar_tensor_set_strings(tensor, texts.as_ptr().cast(), count + (number & 1)));
                }
                9 => {
                    let mut texts = vec![Text(ptr::null(), 0); count + 1];
                    if !check(ar_tensor_strings(tensor, texts.as_mut_ptr().cast(), count)) {
                        for Text(data, length) in &texts[..count] {
                            let bytes: &[u8] = match data.is_null() {
                                true => &[],
                                false => std::slice::from_raw_parts(data.cast(), *length),
                            };
                            std::hint::black_box(bytes.last());
                        }
                    }
                }
                10 => drop(check(ar_tensor_quantization(tensor, room.as_mut_ptr().cast()))),
                _ => {
                    read(ar_tensor_name(tensor));
                    let mut rank = 0;
                    let form =
                        (ar_tensor_type(tensor), ar_tensor_rank(tensor), ar_tensor_dim(tensor, number));
                    let kind = (ar_tensor_is_variable(tensor), ar_tensor_is_constant(tensor));
                    let place = (ar_tensor_subgraph(tensor), ar_tensor_index(tensor));
                    let quant = (ar_tensor_scale(tensor), ar_tensor_zero_point(tensor));
                    std::hint::black_box((form, kind, place, quant));
                    std::hint::black_box(ar_tensor_shape_signature(tensor, &mut rank));
                }
            }
        }
    }

    fn end(mut self) {
        // SAFETY: each comes from the library and is freed once.
        unsafe {
            self.profiles.drain(..).for_each(|profile| ar_profile_free(profile));
            self.models.drain(..).for_each(|model| ar_model_free(model));
            self.options.drain(..).for_each(|options| ar_options_free(options));
        }
        for machine in std::mem::take(&mut self.machines) {
            self.free_machine(machine);
        }
    }
}
