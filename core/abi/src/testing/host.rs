//! One prepared node and its memory, as the host sees them. All unsafe code of the test harness is here and in its
//! neighbours `calls` and `memory`.

use core::cell::RefCell;
use std::boxed::Box;
use std::string::String;
use std::vec::Vec;

use super::calls::*;
use super::memory::Memory;
use super::model::{Model, query};
use super::{Node, Outcome, Role, Tensor};
use crate::raw::*;
use crate::tensor::element_count;
use crate::{ElementType, Error, Result, Status, invalid};

/// How outputs lie in the memory of inputs, where the op allowed it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Laid {
    /// All apart.
    Apart,
    /// In place, and as views.
    Whole,
    /// Parts of inputs there, and inputs as parts of outputs.
    Parts,
    /// An output so far in front of an input that all uses of that tensor allow it, rounded up to a multiple of `unit`.
    Behind { output: usize, input: usize, unit: usize },
}

/// What a test may ask for in one buffer.
pub(super) const CAPACITY: usize = 1 << 31;

std::thread_local! {
    /// The message of the call in progress.
    pub(super) static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// One prepared instance of an op.
pub(super) struct Session<'n> {
    op: ArOpV1,
    pub(super) node: &'n Node,
    /// What the op sees; written through this pointer alone, as the op holds copies of it. `node.tensors.len()` long.
    table: *mut ArTensorV1,
    pub(super) outputs: Vec<Output>,
    pub(super) shares: Vec<Share>,
    pub(super) persistent: Vec<Memory>,
    pub(super) scratch: Vec<usize>,
    /// Memory of each tensor.
    memory: Vec<Place>,
    /// The inputs that an output overwrites in the evaluation in progress.
    overwritten: Vec<i32>,
    poison: u8,
    /// What stands in for the inputs that are fed.
    fed: Vec<(usize, Vec<u8>)>,
    state: Memory,
    pub(super) model: Model,
    /// Whatever the op was shown once stays where it is.
    quantizations: Vec<Option<Box<ArQuantizationV1>>>,
    shapes: Vec<Box<[i32]>>,
}

pub(super) struct Output {
    /// Its tensor; −1 if it is absent.
    tensor: i32,
    pub(super) shape: Option<Vec<i32>>,
    pub(super) dynamic: bool,
    pub(super) constant: Option<Vec<u8>>,
}

pub(super) struct Share {
    pub(super) output: usize,
    pub(super) input: usize,
    pub(super) kind: u32,
    pub(super) bytes: usize,
}

enum Place {
    Nowhere,
    /// From its beginning on; it may be larger.
    Own(Memory),
    /// In the memory of another tensor.
    Within {
        owner: usize,
        offset: usize,
    },
}

impl<'n> Session<'n> {
    /// Runs the op's `prepare`.
    pub(super) fn prepare(op: &ArOpV1, node: &'n Node) -> Result<Session<'n>> {
        // SAFETY: the host is static.
        unsafe { crate::host::set_host(&HOST) };
        let count = node.tensors.len();
        let output = |&tensor: &i32| Output { tensor, shape: None, dynamic: false, constant: None };
        let mut session = Session {
            op: *op,
            node,
            table: core::ptr::null_mut(),
            outputs: node.outputs.iter().map(output).collect(),
            shares: Vec::new(),
            persistent: Vec::new(),
            scratch: Vec::new(),
            memory: (0..count).map(|_| Place::Nowhere).collect(),
            overwritten: Vec::new(),
            poison: 0,
            fed: Vec::new(),
            state: Memory::new(op.state_size as usize, 0),
            model: Model::new(&node.subgraphs, &node.resources),
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
            query: query_in_prepare,
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
        session.check_declared_sharing();
        Ok(session)
    }

    /// What `prepare` shares, the registration declares.
    fn check_declared_sharing(&self) {
        for share in &self.shares {
            let (flag, wanted) = match share.kind {
                SHARE_VIEW => (OP_VIEW, "View"),
                SHARE_PART_OF_INPUT => (OP_PART_OF_INPUT, "PartOfInput"),
                SHARE_PART_OF_OUTPUT => (OP_PART_OF_OUTPUT, "PartOfOutput"),
                SHARE_BEHIND => (OP_BEHIND, "Behind"),
                _ => (OP_IN_PLACE, "InPlace"),
            };
            assert!(
                self.op.flags & flag != 0,
                "prepare shares memory, so SHARING must be or contain Sharing::{wanted}"
            );
        }
    }

    /// Notes what the op allows.
    pub(super) fn allow(&mut self, share: Share) -> Result<()> {
        let Share { output, input, .. } = share;
        self.output(output as u32)?;
        if self.node.inputs.get(input).copied().unwrap_or(-1) < 0 {
            return Err(internal(format_args!(
                "output {output} cannot share with input {input}: it is absent"
            )));
        }
        self.shares.push(share);
        Ok(())
    }

    /// Flags of the ways in which the op let an output lie in the memory of an input that a host can give away.
    pub(super) fn ways(&self) -> u32 {
        let flag = |share: &Share| match share.kind {
            SHARE_IN_PLACE => OP_IN_PLACE,
            SHARE_VIEW => OP_VIEW,
            SHARE_PART_OF_INPUT => OP_PART_OF_INPUT,
            SHARE_PART_OF_OUTPUT => OP_PART_OF_OUTPUT,
            _ => OP_BEHIND,
        };
        self.shares.iter().filter(|share| self.is_possible(share)).map(flag).fold(0, |all, flag| all | flag)
    }

    /// The ways to lay outputs that the op must bear.
    pub(super) fn layouts(&self) -> Vec<Laid> {
        let ways = self.ways();
        let mut layouts = Vec::new();
        if ways & (OP_IN_PLACE | OP_VIEW) != 0 {
            layouts.push(Laid::Whole);
        }
        if ways & (OP_PART_OF_INPUT | OP_PART_OF_OUTPUT) != 0 {
            layouts.push(Laid::Parts);
        }
        let behind = |share: &&Share| share.kind == SHARE_BEHIND && self.is_possible(share);
        for &Share { output, input, .. } in self.shares.iter().filter(behind) {
            let element = self.node.tensors[self.node.inputs[input] as usize].tensor.ty().bits() as usize / 8;
            for unit in [element.max(1), 64] {
                layouts.push(Laid::Behind { output, input, unit });
            }
        }
        layouts
    }

    /// Runs the op's `eval` on fresh copies of the inputs; memory without defined contents is filled with `poison`.
    pub(super) fn eval(&mut self, poison: u8, laid: Laid) -> Result<Outcome> {
        if !self.outputs.is_empty() && self.outputs.iter().all(|o| o.constant.is_some() || o.tensor < 0) {
            return Ok(self.outcome());
        }
        self.poison = poison;
        self.place_all(laid)?;
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
            let kept = self.op.flags & OP_STATEFUL != 0 || *before == memory.contents();
            assert!(kept, "eval changed a table");
        }
        result(status)?;
        checked?;
        self.check_resized()?;
        Ok(self.outcome())
    }

    /// Feeds these inputs from now on.
    pub(super) fn feed(&mut self, inputs: &[Tensor]) {
        let places: Vec<usize> =
            (0..self.node.tensors.len()).filter(|&i| self.node.tensors[i].role == Role::Input).collect();
        assert_eq!(places.len(), inputs.len(), "inputs that are fed");
        self.fed = places
            .into_iter()
            .zip(inputs)
            .map(|(i, tensor)| {
                let usual = &self.node.tensors[i].tensor;
                assert_eq!(
                    (usual.ty(), usual.shape()),
                    (tensor.ty(), tensor.shape()),
                    "of '{}'",
                    usual.name()
                );
                (i, tensor.bytes().to_vec())
            })
            .collect();
    }

    /// What tensor `i` holds before `eval`.
    fn given(&self, i: usize) -> &[u8] {
        let fed = self.fed.iter().find(|(tensor, _)| *tensor == i);
        fed.map_or(self.node.tensors[i].tensor.bytes(), |(_, bytes)| bytes)
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
        Outcome { outputs: outputs.collect(), variables: variables.collect(), resources: self.model.values() }
    }

    fn has_role(&self, tensor: i32, role: Role) -> bool {
        usize::try_from(tensor).is_ok_and(|i| self.node.tensors[i].role == role)
    }

    /// Whether a host can lay the tensors so. Parts must fit.
    fn is_possible(&self, share: &Share) -> bool {
        let (output, input) = (&self.outputs[share.output], self.node.inputs[share.input]);
        if output.tensor < 0
            || output.dynamic
            || output.constant.is_some()
            || !self.has_role(input, Role::Input)
        {
            return false;
        }
        let Ok(output_bytes) = self.output_bytes(output) else { return false };
        let input_bytes = self.node.tensors[input as usize].tensor.bytes().len();
        let (part, whole) = match share.kind {
            SHARE_PART_OF_INPUT => (output_bytes, input_bytes),
            SHARE_PART_OF_OUTPUT => (input_bytes, output_bytes),
            SHARE_BEHIND => return self.distance(share.output, share.input).is_some(),
            _ => return output_bytes == input_bytes,
        };
        assert!(
            share.bytes.checked_add(part).is_some_and(|end| end <= whole),
            "{part} bytes from {} on are no part of {whole}",
            share.bytes
        );
        true
    }

    /// How far behind the output the input must begin, for all uses of that tensor.
    fn distance(&self, output: usize, input: usize) -> Option<usize> {
        let tensor = self.node.inputs[input];
        let uses = (0..self.node.inputs.len()).filter(|&i| self.node.inputs[i] == tensor);
        let shared = |i| {
            let is_it = |s: &&Share| (s.output, s.input, s.kind) == (output, i, SHARE_BEHIND);
            self.shares.iter().find(is_it).map(|share| share.bytes)
        };
        uses.map(shared).try_fold(0, |most, bytes| Some(bytes?.max(most)))
    }

    pub(super) fn output_bytes(&self, output: &Output) -> Result<usize> {
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
    fn place_all(&mut self, laid: Laid) -> Result<()> {
        self.overwritten.clear();
        for i in 0..self.node.tensors.len() {
            if matches!(self.node.tensors[i].role, Role::Input | Role::Variable) {
                self.place(i, Memory::of(self.given(i)));
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
        match laid {
            Laid::Apart => {}
            Laid::Whole => self.share(&[SHARE_IN_PLACE, SHARE_VIEW]),
            Laid::Parts => self.share(&[SHARE_PART_OF_INPUT, SHARE_PART_OF_OUTPUT]),
            Laid::Behind { output, input, unit } => self.lay_behind(output, input, unit)?,
        }
        Ok(())
    }

    /// Lays each tensor over another at most once. Of parts the whole may have many.
    fn share(&mut self, kinds: &[u32]) {
        let mut taken: Vec<i32> = Vec::new();
        for s in 0..self.shares.len() {
            let Share { output, input, kind, bytes } = self.shares[s];
            let (output, input) = (self.outputs[output].tensor, self.node.inputs[input]);
            let (part, whole) = if kind == SHARE_PART_OF_OUTPUT { (input, output) } else { (output, input) };
            let whole_is_taken = matches!(kind, SHARE_IN_PLACE | SHARE_VIEW) && taken.contains(&whole);
            if !kinds.contains(&kind)
                || !self.is_possible(&self.shares[s])
                || taken.contains(&part)
                || whole_is_taken
                || !matches!(self.memory[whole as usize], Place::Own(_))
            {
                continue;
            }
            taken.push(part);
            if matches!(kind, SHARE_IN_PLACE | SHARE_VIEW) {
                taken.push(whole);
            }
            if kind == SHARE_IN_PLACE {
                self.overwritten.push(input);
            }
            self.lay(part as usize, whole as usize, bytes);
        }
    }

    /// Moves a tensor into the memory of another.
    fn lay(&mut self, tensor: usize, owner: usize, offset: usize) {
        let contents = self.contents(tensor);
        self.memory[tensor] = Place::Within { owner, offset };
        let Place::Own(memory) = &self.memory[owner] else { unreachable!("the owner has memory of its own") };
        // SAFETY: the part lies in the owner's memory, as checked.
        let data = unsafe { memory.data().add(offset) };
        if self.node.tensors[tensor].role == Role::Input {
            // SAFETY: as above; the bytes are a copy.
            unsafe { data.copy_from_nonoverlapping(contents.as_ptr(), contents.len()) };
        }
        // SAFETY: in range of the table, which nobody borrows between calls of the op.
        unsafe { (*self.table.add(tensor)).data = data.cast() };
    }

    /// One buffer for both: the output from its beginning on, the input up to its end.
    fn lay_behind(&mut self, output: usize, input: usize, unit: usize) -> Result<()> {
        let output_bytes = self.output_bytes(&self.outputs[output])?;
        let distance = self.distance(output, input).unwrap_or(output_bytes).next_multiple_of(unit);
        let (output, input) = (self.outputs[output].tensor as usize, self.node.inputs[input] as usize);
        let both = output_bytes.max(distance.saturating_add(self.given(input).len()));
        if both > CAPACITY {
            return Ok(());
        }
        self.place(output, Memory::new(both, self.poison));
        // SAFETY: in range of the table; the op holds copies of its elements.
        unsafe { (*self.table.add(output)).bytes = output_bytes as u64 };
        self.lay(input, output, distance);
        self.overwritten.push(input as i32);
        Ok(())
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
            Place::Own(memory) => self.first_bytes(tensor, memory, 0),
            Place::Within { owner, offset } => match &self.memory[*owner] {
                Place::Own(memory) => self.first_bytes(tensor, memory, *offset),
                _ => Vec::new(),
            },
        }
    }

    fn first_bytes(&self, tensor: usize, memory: &Memory, offset: usize) -> Vec<u8> {
        // SAFETY: in range of the table, which the op does not write to.
        let bytes = unsafe { (*self.table.add(tensor)).bytes } as usize;
        memory.contents()[offset..offset + bytes].to_vec()
    }

    /// Guards, and inputs that must not change.
    fn check_memory(&self, during: &str) -> Result<()> {
        for (i, (place, node_tensor)) in self.memory.iter().zip(&self.node.tensors).enumerate() {
            let name = node_tensor.tensor.name();
            if let Place::Own(memory) = place {
                memory.check_guards(name, during);
            }
            if matches!(node_tensor.role, Role::Input | Role::Constant) && !matches!(place, Place::Nowhere) {
                let kept = self.overwritten.contains(&(i as i32)) || self.contents(i) == self.given(i);
                assert!(kept, "{during} changed the input '{name}'");
            }
        }
        self.check_tail(during);
        self.persistent.iter().for_each(|memory| memory.check_guards("a table", during));
        self.state.check_guards("the op's state", during);
        Ok(())
    }

    /// Of an input that lies behind an output, what is past the output's end must not change.
    fn check_tail(&self, during: &str) {
        for &input in &self.overwritten {
            let Place::Within { owner, offset } = self.memory[input as usize] else { continue };
            let written = self.contents(owner).len().saturating_sub(offset);
            let tail = |bytes: &[u8]| bytes.get(written..).map(<[u8]>::to_vec);
            assert!(
                tail(&self.contents(input as usize)) == tail(self.given(input as usize)),
                "{during} wrote past the end of its output"
            );
        }
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

    pub(super) fn output(&mut self, i: u32) -> Result<&mut Output> {
        let count = self.outputs.len();
        match self.outputs.get_mut(i as usize) {
            Some(output) if output.tensor >= 0 => Ok(output),
            Some(_) => Err(internal(format_args!("output {i} is absent"))),
            None => Err(internal(format_args!("the node has {count} outputs, there is no output {i}"))),
        }
    }

    pub(super) fn resize(&mut self, output: u32, shape: &[i32], string_bytes: usize) -> Result<()> {
        let found = self.output(output)?;
        if !found.dynamic {
            return Err(internal(format_args!("output {output} is not dynamic, its shape cannot change")));
        }
        found.shape = Some(shape.to_vec());
        let tensor = found.tensor as usize;
        let ty = self.node.tensors[tensor].tensor.ty();
        let bytes = if ty.bits() == 0 { string_bytes } else { bytes_of(ty, shape)? };
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

pub(super) fn internal(message: core::fmt::Arguments<'_>) -> Error {
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
