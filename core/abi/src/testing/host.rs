//! The host's side of the contract for one node: memory with guards, and the functions behind `ArPrepareV1` and
//! `ArEvalV1`. All unsafe code of the test harness is here.

use core::cell::RefCell;
use core::ffi::c_void;
use std::alloc::Layout;
use std::boxed::Box;
use std::string::{String, ToString};
use std::vec::Vec;

use super::{Node, Outcome, Role, Tensor};
use crate::raw::*;
use crate::tensor::element_count;
use crate::{ElementType, Error, Result, Status, invalid};

/// Whether outputs lie in the memory of inputs where the op allowed it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Sharing {
    Never,
    WherePossible,
}

/// Bytes before and after each buffer that nobody may write.
const GUARD: usize = 64;
const GUARD_BYTE: u8 = 0xe5;
/// What a test may ask for in one buffer.
const CAPACITY: usize = 1 << 31;

std::thread_local! {
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// One prepared instance of an op.
pub(super) struct Session<'n> {
    op: ArOpV1,
    node: &'n Node,
    /// What the op sees; written through this pointer alone, as the op holds copies of it. `node.tensors.len()` long.
    table: *mut ArTensorV1,
    outputs: Vec<Output>,
    shares: Vec<Share>,
    persistent: Vec<Memory>,
    scratch: Vec<usize>,
    /// Memory of each tensor, or the index of the tensor whose memory it shares.
    memory: Vec<Place>,
    poison: u8,
    state: Memory,
    /// Whatever the op was shown once stays where it is.
    quantizations: Vec<Option<Box<ArQuantizationV1>>>,
    shapes: Vec<Box<[i32]>>,
}

struct Output {
    /// Its tensor; −1 if it is absent.
    tensor: i32,
    shape: Option<Vec<i32>>,
    dynamic: bool,
    constant: Option<Vec<u8>>,
}

struct Share {
    output: usize,
    input: usize,
    kind: u32,
}

enum Place {
    Nowhere,
    Own(Memory),
    Of(usize),
}

impl<'n> Session<'n> {
    /// Runs the op's `prepare`.
    pub(super) fn prepare(op: ArOpV1, node: &'n Node) -> Result<Session<'n>> {
        // SAFETY: the host is static.
        unsafe { crate::host::set_host(&HOST) };
        let count = node.tensors.len();
        let output = |&tensor: &i32| Output { tensor, shape: None, dynamic: false, constant: None };
        let mut session = Session {
            op,
            node,
            table: core::ptr::null_mut(),
            outputs: node.outputs.iter().map(output).collect(),
            shares: Vec::new(),
            persistent: Vec::new(),
            scratch: Vec::new(),
            memory: (0..count).map(|_| Place::Nowhere).collect(),
            poison: 0,
            state: Memory::new(op.state_size as usize, 0),
            quantizations: node.tensors.iter().map(|t| quantization(&t.tensor)).collect(),
            shapes: Vec::new(),
        };
        let table: Box<[ArTensorV1]> = (0..count).map(|i| session.description(i)).collect();
        session.table = Box::into_raw(table).cast();
        session.place_constants();

        let context = &raw mut session;
        let prepare = ArPrepareV1 {
            header: ArHeader::of::<ArPrepareV1>(),
            context: context.cast(),
            set_output_shape,
            set_output_dynamic,
            set_output_constant,
            request_persistent,
            request_scratch,
            share_memory,
            plan,
            query,
        };
        let raw_node = session.raw_node();
        // SAFETY: both structs are valid for the call; the state has the op's size and is aligned to 64 bytes.
        let status = unsafe { (op.prepare)(&prepare, &raw_node, session.state.data().cast()) };
        if let Err(error) = session.check_memory("prepare").and(result(status)) {
            // Nothing to drop: the state is not initialised.
            session.op.drop = None;
            return Err(error);
        }
        session.check_outputs()?;
        Ok(session)
    }

    /// Whether the op let an output lie in the memory of an input that a host can give away.
    pub(super) fn can_share(&self) -> bool {
        self.shares.iter().any(|share| self.is_possible(share))
    }

    /// Runs the op's `eval` on fresh copies of the inputs; memory without defined contents is filled with `poison`.
    pub(super) fn eval(&mut self, poison: u8, sharing: Sharing) -> Result<Outcome> {
        if self.outputs.iter().all(|o| o.constant.is_some() || o.tensor < 0) {
            return Ok(self.outcome());
        }
        self.poison = poison;
        self.place_all(sharing)?;
        let tables: Vec<Vec<u8>> = self.persistent.iter().map(Memory::contents).collect();
        let persistent: Vec<ArSpan> = self.persistent.iter().map(Memory::span).collect();
        let scratch: Vec<Memory> = self.scratch.iter().map(|&bytes| Memory::new(bytes, poison)).collect();
        let spans: Vec<ArSpan> = scratch.iter().map(Memory::span).collect();

        let (op, state, raw_node) = (self.op, self.state.data(), self.raw_node());
        let eval = ArEvalV1 {
            header: ArHeader::of::<ArEvalV1>(),
            context: (&raw mut *self).cast(),
            threads: self.node.threads,
            persistent: persistent.as_ptr(),
            persistent_count: persistent.len(),
            scratch: spans.as_ptr(),
            scratch_count: spans.len(),
            resize_output,
            is_cancelled,
            query,
        };
        // SAFETY: the structs are valid for the call, and `prepare` initialised the state.
        let status = unsafe { (op.eval)(&eval, &raw_node, state.cast()) };
        let checked = self.check_memory("eval");
        scratch.iter().for_each(|memory| memory.check_guards("a scratch buffer", "eval"));
        for (before, memory) in tables.iter().zip(&self.persistent) {
            assert!(*before == memory.contents(), "eval changed a table");
        }
        result(status)?;
        checked?;
        self.check_resized()?;
        Ok(self.outcome())
    }

    fn outcome(&self) -> Outcome {
        let outputs = self.outputs.iter().filter(|o| o.tensor >= 0).map(|output| {
            let tensor = &self.node.tensors[output.tensor as usize].tensor;
            let bytes = output.constant.clone().unwrap_or_else(|| self.contents(output.tensor as usize));
            tensor.with_contents(output.shape.clone().unwrap_or_default(), bytes)
        });
        let variables = self.node.inputs.iter().filter(|&&i| self.has_role(i, Role::Variable)).map(|&i| {
            let tensor = &self.node.tensors[i as usize].tensor;
            tensor.with_contents(tensor.shape().to_vec(), self.contents(i as usize))
        });
        Outcome { outputs: outputs.collect(), variables: variables.collect() }
    }

    fn has_role(&self, tensor: i32, role: Role) -> bool {
        usize::try_from(tensor).is_ok_and(|i| self.node.tensors[i].role == role)
    }

    fn is_possible(&self, share: &Share) -> bool {
        let (output, input) = (&self.outputs[share.output], self.node.inputs[share.input]);
        let bytes =
            || self.output_bytes(output).ok() == Some(self.node.tensors[input as usize].tensor.bytes().len());
        output.tensor >= 0
            && !output.dynamic
            && output.constant.is_none()
            && self.has_role(input, Role::Input)
            && bytes()
    }

    fn output_bytes(&self, output: &Output) -> Result<usize> {
        let tensor = &self.node.tensors[output.tensor as usize].tensor;
        bytes_of(tensor.ty(), output.shape.as_deref().unwrap_or_default())
    }

    /// What `prepare` sees of tensor `i`: no data.
    fn description(&mut self, i: usize) -> ArTensorV1 {
        let node = self.node;
        let tensor = &node.tensors[i].tensor;
        ArTensorV1 {
            element_type: tensor.ty() as u32,
            rank: tensor.shape().len() as u32,
            dims: tensor.shape().as_ptr(),
            data: core::ptr::null_mut(),
            bytes: if matches!(node.tensors[i].role, Role::Output) { 0 } else { tensor.bytes().len() as u64 },
            quantization: self.quantizations[i].as_deref().map_or(core::ptr::null(), core::ptr::from_ref),
            flags: match node.tensors[i].role {
                Role::Constant => TENSOR_CONSTANT,
                Role::Variable => TENSOR_VARIABLE,
                _ => 0,
            },
            memory_kind: 0,
            handle: 0,
            name: ArStr::borrowed(tensor.name()),
        }
    }

    fn raw_node(&self) -> ArNodeV1 {
        let node = self.node;
        ArNodeV1 {
            header: ArHeader::of::<ArNodeV1>(),
            builtin_code: node.builtin_code,
            version: node.version,
            custom_name: ArStr::borrowed(node.custom_name),
            index: 0,
            subgraph: 0,
            tensors: self.table,
            tensor_stride: size_of::<ArTensorV1>(),
            tensor_count: node.tensors.len(),
            inputs: node.inputs.as_ptr(),
            input_count: node.inputs.len(),
            outputs: node.outputs.as_ptr(),
            output_count: node.outputs.len(),
            intermediates: node.intermediates.as_ptr(),
            intermediate_count: node.intermediates.len(),
            options: node.options.raw(),
            options_2: node.options_2.raw(),
            custom_options: ArBytes::borrowed(&node.custom_options),
        }
    }

    fn place_constants(&mut self) {
        for i in 0..self.node.tensors.len() {
            if self.node.tensors[i].role == Role::Constant {
                self.place(i, Memory::of(self.node.tensors[i].tensor.bytes()));
            }
        }
    }

    /// Gives every tensor memory: fresh copies of the inputs, poison for the outputs.
    fn place_all(&mut self, sharing: Sharing) -> Result<()> {
        for i in 0..self.node.tensors.len() {
            if matches!(self.node.tensors[i].role, Role::Input | Role::Variable) {
                self.place(i, Memory::of(self.node.tensors[i].tensor.bytes()));
            }
        }
        for o in 0..self.outputs.len() {
            let Ok(tensor) = usize::try_from(self.outputs[o].tensor) else { continue };
            if self.outputs[o].dynamic {
                self.unplace(tensor);
                continue;
            }
            if let Some(constant) = &self.outputs[o].constant {
                let memory = Memory::of(constant);
                self.place(tensor, memory);
            } else {
                let memory = Memory::new(self.output_bytes(&self.outputs[o])?, self.poison);
                self.place(tensor, memory);
            }
            let shape = self.outputs[o].shape.clone().unwrap_or_default();
            self.show_shape(tensor, &shape);
        }
        if sharing == Sharing::WherePossible {
            self.share();
        }
        Ok(())
    }

    fn share(&mut self) {
        let mut taken: Vec<i32> = Vec::new();
        for s in 0..self.shares.len() {
            let share = &self.shares[s];
            let (output, input) = (self.outputs[share.output].tensor, self.node.inputs[share.input]);
            if !self.is_possible(share) || taken.contains(&output) || taken.contains(&input) {
                continue;
            }
            taken.extend([output, input]);
            self.memory[output as usize] = Place::Of(input as usize);
            // SAFETY: both are in range of the table, which nobody borrows between calls of the op.
            unsafe { (*self.table.add(output as usize)).data = (*self.table.add(input as usize)).data };
        }
    }

    fn place(&mut self, tensor: usize, memory: Memory) {
        // SAFETY: in range of the table; the op holds copies of its elements.
        let entry = unsafe { &mut *self.table.add(tensor) };
        (entry.data, entry.bytes) = (memory.data().cast(), memory.bytes as u64);
        self.memory[tensor] = Place::Own(memory);
    }

    fn unplace(&mut self, tensor: usize) {
        // SAFETY: as in `place`.
        let entry = unsafe { &mut *self.table.add(tensor) };
        (entry.data, entry.bytes) = (core::ptr::null_mut(), 0);
        entry.flags |= TENSOR_DYNAMIC;
        self.memory[tensor] = Place::Nowhere;
    }

    fn show_shape(&mut self, tensor: usize, shape: &[i32]) {
        let shape: Box<[i32]> = shape.into();
        // SAFETY: as in `place`; the shape's heap memory lives as long as the session.
        let entry = unsafe { &mut *self.table.add(tensor) };
        (entry.dims, entry.rank) = (shape.as_ptr(), shape.len() as u32);
        self.shapes.push(shape);
    }

    fn contents(&self, tensor: usize) -> Vec<u8> {
        match &self.memory[tensor] {
            Place::Nowhere => Vec::new(),
            Place::Own(memory) => memory.contents(),
            Place::Of(other) => self.contents(*other),
        }
    }

    /// Guards, and inputs that must not change.
    fn check_memory(&self, during: &str) -> Result<()> {
        for (i, (place, node_tensor)) in self.memory.iter().zip(&self.node.tensors).enumerate() {
            let Place::Own(memory) = place else { continue };
            let name = node_tensor.tensor.name();
            memory.check_guards(name, during);
            let given_away = self.memory.iter().any(|p| matches!(p, Place::Of(other) if *other == i));
            let shared_in_place = given_away && !self.is_viewed(i);
            if matches!(node_tensor.role, Role::Input | Role::Constant) && !shared_in_place {
                assert!(
                    memory.contents() == node_tensor.tensor.bytes(),
                    "{during} changed the input '{name}'"
                );
            }
        }
        self.persistent.iter().for_each(|memory| memory.check_guards("a table", during));
        self.state.check_guards("the op's state", during);
        Ok(())
    }

    fn is_viewed(&self, input: usize) -> bool {
        self.shares.iter().any(|s| self.node.inputs[s.input] == input as i32 && s.kind == SHARE_VIEW)
    }

    fn check_outputs(&self) -> Result<()> {
        for (o, output) in self.outputs.iter().enumerate().filter(|(_, output)| output.tensor >= 0) {
            if output.shape.is_none() && !output.dynamic {
                return Err(internal(format_args!("prepare set no shape for output {o}")));
            }
            if !output.dynamic && output.constant.is_none() {
                self.output_bytes(output)?;
            }
        }
        Ok(())
    }

    fn check_resized(&self) -> Result<()> {
        for (o, output) in self.outputs.iter().enumerate().filter(|(_, output)| output.tensor >= 0) {
            if output.dynamic && matches!(self.memory[output.tensor as usize], Place::Nowhere) {
                return Err(internal(format_args!("eval gave the dynamic output {o} no shape")));
            }
        }
        Ok(())
    }

    fn output(&mut self, i: u32) -> Result<&mut Output> {
        let count = self.outputs.len();
        match self.outputs.get_mut(i as usize) {
            Some(output) if output.tensor >= 0 => Ok(output),
            Some(_) => Err(internal(format_args!("output {i} is absent"))),
            None => Err(internal(format_args!("the node has {count} outputs, there is no output {i}"))),
        }
    }

    fn resize(&mut self, output: u32, shape: &[i32], string_bytes: usize) -> Result<()> {
        let found = self.output(output)?;
        if !found.dynamic {
            return Err(internal(format_args!("output {output} is not dynamic, its shape cannot change")));
        }
        found.shape = Some(shape.to_vec());
        let tensor = found.tensor as usize;
        let ty = self.node.tensors[tensor].tensor.ty();
        let bytes = if ty == ElementType::String { string_bytes } else { bytes_of(ty, shape)? };
        self.place(tensor, Memory::new(bytes, self.poison));
        self.show_shape(tensor, shape);
        Ok(())
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if let Some(destroy) = self.op.drop {
            // SAFETY: `prepare` initialised the state, and it is not used again.
            unsafe { destroy(self.state.data().cast()) };
        }
        let table = core::ptr::slice_from_raw_parts_mut(self.table, self.node.tensors.len());
        if !self.table.is_null() {
            // SAFETY: it came from `Box::into_raw` of a slice of that length.
            drop(unsafe { Box::from_raw(table) });
        }
    }
}

fn quantization(tensor: &Tensor) -> Option<Box<ArQuantizationV1>> {
    let q = tensor.quantization()?;
    Some(Box::new(ArQuantizationV1 {
        header: ArHeader::of::<ArQuantizationV1>(),
        scales: q.scales.as_ptr(),
        scale_count: q.scales.len(),
        zero_points: q.zero_points.as_ptr(),
        zero_point_count: q.zero_points.len(),
        quantized_dimension: q.dimension,
        block_size: q.block_size,
    }))
}

fn bytes_of(ty: ElementType, shape: &[i32]) -> Result<usize> {
    if let Some(dim) = shape.iter().find(|&&dim| dim < 0) {
        return Err(invalid!("a dimension of the shape {shape:?} is {dim}"));
    }
    if ty.bits() == 0 {
        return Err(internal(format_args!("an output of {ty} must be dynamic")));
    }
    match ty.bytes_of(element_count(shape)) {
        Some(bytes) if bytes <= CAPACITY => Ok(bytes),
        _ => Err(Error::new(
            Status::OutOfMemory,
            format_args!("{ty}{shape:?} does not fit into {CAPACITY} bytes"),
        )),
    }
}

fn internal(message: core::fmt::Arguments<'_>) -> Error {
    Error::new(Status::Internal, message)
}

/// A status with the message that was reported for it.
fn result(status: ArStatus) -> Result<()> {
    let message = MESSAGE.take();
    match Status::from_raw(status) {
        Status::Ok => Ok(()),
        status => Err(Error::new(status, format_args!("{message}"))),
    }
}

/// A buffer, aligned to 64 bytes, between two guards.
struct Memory {
    base: *mut u8,
    bytes: usize,
}

impl Memory {
    fn new(bytes: usize, fill: u8) -> Self {
        let layout = Self::layout(bytes);
        // SAFETY: the layout is not empty.
        let base = unsafe { std::alloc::alloc(layout) };
        if base.is_null() {
            std::alloc::handle_alloc_error(layout);
        }
        // SAFETY: the allocation has `bytes + 2 * GUARD` bytes.
        unsafe {
            base.write_bytes(GUARD_BYTE, bytes + 2 * GUARD);
            base.add(GUARD).write_bytes(fill, bytes);
        }
        Memory { base, bytes }
    }

    fn of(contents: &[u8]) -> Self {
        let memory = Memory::new(contents.len(), 0);
        // SAFETY: it has as many bytes, and is new.
        unsafe { memory.data().copy_from_nonoverlapping(contents.as_ptr(), contents.len()) };
        memory
    }

    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(bytes + 2 * GUARD, 64).expect("sizes are below CAPACITY")
    }

    fn data(&self) -> *mut u8 {
        // SAFETY: within the allocation.
        unsafe { self.base.add(GUARD) }
    }

    fn span(&self) -> ArSpan {
        ArSpan { data: self.data().cast(), bytes: self.bytes as u64 }
    }

    fn contents(&self) -> Vec<u8> {
        // SAFETY: initialised in `new`; the op has returned, so nobody writes.
        unsafe { slice(self.data().cast_const(), self.bytes) }.to_vec()
    }

    fn check_guards(&self, what: &str, during: &str) {
        // SAFETY: the allocation has `bytes + 2 * GUARD` bytes, all initialised.
        let whole = unsafe { slice(self.base.cast_const(), self.bytes + 2 * GUARD) };
        let intact = |guard: &[u8]| guard.iter().all(|&byte| byte == GUARD_BYTE);
        assert!(intact(&whole[..GUARD]), "{during} wrote before the start of {what}");
        assert!(intact(&whole[GUARD + self.bytes..]), "{during} wrote past the end of {what}");
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { std::alloc::dealloc(self.base, Self::layout(self.bytes)) };
    }
}

static HOST: ArHostV1 =
    ArHostV1 { header: ArHeader::of::<ArHostV1>(), set_error, log, parallel_for, query: host_query };

unsafe extern "C" fn set_error(message: ArStr) {
    // SAFETY: the plugin's promise: the text is readable for the call.
    let message = unsafe { message.as_str() }.to_string();
    MESSAGE.set(message);
}

unsafe extern "C" fn log(level: u32, target: ArStr, message: ArStr) {
    // SAFETY: the plugin's promise: both texts are readable for the call.
    let (target, message) = unsafe { (target.as_str(), message.as_str()) };
    std::eprintln!("log level {level}, {target}: {message}");
}

unsafe extern "C" fn parallel_for(
    count: usize,
    grain: usize,
    _threads: u32,
    body: ArRangeFn,
    argument: *mut c_void,
) -> ArStatus {
    let grain = grain.max(1);
    for begin in (0..count).step_by(grain).rev() {
        // SAFETY: the plugin's promise: `body` takes `argument` and any range.
        unsafe { (body.call)(argument, begin, count.min(begin.saturating_add(grain))) };
    }
    Status::Ok as ArStatus
}

unsafe extern "C" fn host_query(_interface: u64) -> *const c_void {
    core::ptr::null()
}

unsafe extern "C" fn query(_context: *mut c_void, _interface: u64) -> *const c_void {
    core::ptr::null()
}

unsafe extern "C" fn is_cancelled(_context: *mut c_void) -> u8 {
    0
}

/// Runs `f` on the session behind `context`; the message of an error is kept.
///
/// # Safety
/// `context` is that of a call in progress.
unsafe fn with_session(context: *mut c_void, f: impl FnOnce(&mut Session<'_>) -> Result<()>) -> ArStatus {
    // SAFETY: the session outlives the call, and nothing else uses it while the op runs.
    let session = unsafe { &mut *context.cast::<Session<'_>>() };
    match f(session) {
        Ok(()) => Status::Ok as ArStatus,
        Err(error) => {
            MESSAGE.set(error.message().to_string());
            error.status() as ArStatus
        }
    }
}

unsafe extern "C" fn set_output_shape(
    context: *mut c_void,
    output: u32,
    dims: *const i32,
    rank: u32,
) -> ArStatus {
    // SAFETY: the op's promise: `dims` has `rank` elements; the context is this call's.
    unsafe {
        let shape = slice(dims, rank as usize);
        with_session(context, |session| {
            let found = session.output(output)?;
            found.shape = Some(shape.to_vec());
            found.dynamic = false;
            if let Some(dim) = shape.iter().find(|&&dim| dim < 0) {
                return Err(invalid!(
                    "output {output} would have the shape {shape:?}, where {dim} is negative"
                ));
            }
            Ok(())
        })
    }
}

unsafe extern "C" fn set_output_dynamic(context: *mut c_void, output: u32) -> ArStatus {
    // SAFETY: the context is this call's.
    unsafe {
        with_session(context, |session| {
            session.output(output)?.dynamic = true;
            Ok(())
        })
    }
}

unsafe extern "C" fn set_output_constant(
    context: *mut c_void,
    output: u32,
    data: *const c_void,
    bytes: u64,
) -> ArStatus {
    // SAFETY: the op's promise: `data` has `bytes` bytes; the context is this call's.
    unsafe {
        let data = slice(data.cast::<u8>(), bytes as usize);
        with_session(context, |session| {
            let found = session.output(output)?;
            if found.shape.is_none() {
                return Err(internal(format_args!(
                    "the shape of output {output} must be set before its value"
                )));
            }
            found.constant = Some(data.to_vec());
            let index = output as usize;
            let expected = session.output_bytes(&session.outputs[index])?;
            if expected != data.len() {
                return Err(internal(format_args!(
                    "output {output} has {expected} bytes, its value {bytes}"
                )));
            }
            Ok(())
        })
    }
}

unsafe extern "C" fn request_persistent(
    context: *mut c_void,
    bytes: u64,
    alignment: u64,
    index: *mut u32,
    data: *mut *mut c_void,
) -> ArStatus {
    // SAFETY: the op's promise: both results are writable; the context is this call's.
    unsafe {
        with_session(context, |session| {
            let memory = Memory::new(checked_request(bytes, alignment)?, 0);
            *index = session.persistent.len() as u32;
            *data = memory.data().cast();
            session.persistent.push(memory);
            Ok(())
        })
    }
}

unsafe extern "C" fn request_scratch(
    context: *mut c_void,
    bytes: u64,
    alignment: u64,
    index: *mut u32,
) -> ArStatus {
    // SAFETY: the op's promise: the result is writable; the context is this call's.
    unsafe {
        with_session(context, |session| {
            let bytes = checked_request(bytes, alignment)?;
            *index = session.scratch.len() as u32;
            session.scratch.push(bytes);
            Ok(())
        })
    }
}

fn checked_request(bytes: u64, alignment: u64) -> Result<usize> {
    if !alignment.is_power_of_two() || alignment > 64 {
        return Err(internal(format_args!("an alignment of {alignment} is not a power of two up to 64")));
    }
    match usize::try_from(bytes) {
        Ok(bytes) if bytes <= CAPACITY => Ok(bytes),
        _ => Err(Error::new(Status::OutOfMemory, format_args!("{bytes} bytes were asked for"))),
    }
}

unsafe extern "C" fn share_memory(context: *mut c_void, output: u32, input: u32, kind: u32) -> ArStatus {
    // SAFETY: the context is this call's.
    unsafe {
        with_session(context, |session| {
            session.output(output)?;
            if session.node.inputs.get(input as usize).copied().unwrap_or(-1) < 0 {
                return Err(internal(format_args!(
                    "output {output} cannot share with input {input}: it is absent"
                )));
            }
            session.shares.push(Share { output: output as usize, input: input as usize, kind });
            Ok(())
        })
    }
}

/// One buffer behind the other, nothing shared.
unsafe extern "C" fn plan(
    _context: *mut c_void,
    request: *const ArPlanRequestV1,
    assignment: *mut ArAssignmentV1,
) -> ArStatus {
    // SAFETY: the op's promise: both structs and their arrays are valid for the call.
    let (request, assignment) = unsafe { (&*request, &mut *assignment) };
    (assignment.kind, assignment.object_count) = (ASSIGNMENT_OFFSETS, 0);
    let mut end = 0u64;
    for i in 0..request.record_count {
        // SAFETY: `i` is below the count.
        let record = unsafe { strided(request.records, request.record_stride, i) };
        let offset = end.checked_next_multiple_of(record.alignment.max(1));
        let Some((offset, next)) = offset.and_then(|at| Some((at, at.checked_add(record.size)?))) else {
            return Status::OutOfMemory as ArStatus;
        };
        end = next;
        // SAFETY: `offsets` has a place for each record.
        unsafe { assignment.offsets.add(i).write(offset) };
    }
    Status::Ok as ArStatus
}

unsafe extern "C" fn resize_output(
    context: *mut c_void,
    output: u32,
    dims: *const i32,
    rank: u32,
    bytes: u64,
) -> ArStatus {
    // SAFETY: the op's promise: `dims` has `rank` elements; the context is this call's.
    unsafe {
        let shape = slice(dims, rank as usize);
        with_session(context, |session| session.resize(output, shape, bytes as usize))
    }
}

#[cfg(test)]
mod guard_tests {
    use super::*;
    use std::panic::catch_unwind;

    #[test]
    fn a_write_outside_of_a_buffer_is_seen() {
        for (at, side) in [(GUARD - 1, "before the start"), (GUARD + 5, "past the end")] {
            let memory = Memory::new(5, 1);
            memory.check_guards("it", "eval");
            // SAFETY: within the allocation.
            unsafe { memory.base.add(at).write(0) };
            let message = catch_unwind(move || memory.check_guards("it", "eval")).expect_err("not seen");
            assert_eq!(*message.downcast_ref::<String>().expect("text"), format!("eval wrote {side} of it"));
        }
    }
}
