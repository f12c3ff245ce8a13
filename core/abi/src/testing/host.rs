//! The host of one prepared node. It applies the rules of [`host_side`](crate::host_side), like the runtime.

use core::ffi::c_void;
use std::string::ToString;
use std::vec::Vec;

use super::calls::{HOST, MESSAGE};
use super::memory::GuardedMemory;
use super::model::Model;
use super::tensor::{Outcome, Tensor};
use super::tensors::Tensors;
use super::{Node, Role};
use crate::host_side::*;
use crate::raw::*;
use crate::{
    AssignmentMut, ElementType, Error, ObjectAssignment, ObjectRequest, Result, Status, UsageRecord,
};

/// Maximum size of a buffer in a test.
pub(super) const CAPACITY: usize = 1 << 31;

/// Which tensors share memory while the op runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Overlap {
    /// No tensors share memory.
    None,
    /// Outputs in place of inputs, and as views of them.
    Whole,
    /// Outputs that are parts of inputs, and inputs that are parts of outputs.
    Parts,
    /// An output in front of an input, at a distance that all uses of that tensor allow, rounded up to a multiple of
    /// `unit`.
    Behind { share: Share, unit: usize },
}

/// A prepared instance of an op.
pub(super) struct Session<'n> {
    pub(super) op: ArOpV1,
    pub(super) node: &'n Node,
    pub(super) tensors: Tensors<'n>,
    /// The declarations about each output.
    pub(super) said: Vec<Declaration>,
    pub(super) shares: Vec<Share>,
    persistent: Vec<GuardedMemory>,
    scratch: Vec<usize>,
    /// Whether all outputs are constants, so that the op does not run.
    constant: bool,
    /// Inputs that an output overwrites in the current evaluation.
    pub(super) overwritten: Vec<i32>,
    pub(super) poison: u8,
    /// Data that replaces inputs in steps.
    fed: Vec<(usize, Vec<u8>)>,
    state: GuardedMemory,
    model: Model,
}

impl<'n> Session<'n> {
    pub(super) fn prepare(op: &ArOpV1, node: &'n Node) -> Result<Session<'n>> {
        // SAFETY: `HOST` is static, and its functions follow the ABI's rules.
        unsafe { crate::host::set_host(&HOST) };
        let mut session = Session {
            op: *op,
            node,
            tensors: Tensors::new(node),
            said: node.outputs.iter().map(|_| Declaration::Nothing).collect(),
            shares: Vec::new(),
            persistent: Vec::new(),
            scratch: Vec::new(),
            constant: false,
            overwritten: Vec::new(),
            poison: 0,
            fed: Vec::new(),
            state: GuardedMemory::new(op.state_size as usize, 0),
            model: Model::new(&node.subgraphs, &node.resources),
        };
        let (raw_node, state) = (session.raw_node(), session.state.data());
        if let Some(user_data) = &node.user_data {
            // SAFETY: the state is aligned to 64 bytes and large enough, as `OpTest::registered_as` checked.
            unsafe { state.cast::<*mut c_void>().write(user_data.pointer()) };
        }
        let prepare = prepare_struct(&mut session);
        // SAFETY: both structs are valid during the call; the state has the op's size and is aligned to 64 bytes.
        let status = unsafe { (op.prepare)(&prepare, &raw_node, state.cast()) };
        session.check_memory("prepare");
        if let Err(error) = result(status) {
            // The state was not initialized, so it must not be dropped.
            session.op.drop = None;
            return Err(error);
        }
        session.constant = declarations::<Error>(&node.outputs, &session.said)?.constant;
        session.check_declared_sharing();
        Ok(session)
    }

    /// Runs the op's `eval` on fresh copies of the inputs. Memory with undefined contents is filled with `poison`.
    pub(super) fn eval(&mut self, poison: u8, overlap: Overlap) -> Result<Outcome> {
        if self.constant {
            return Ok(self.outcome());
        }
        self.poison = poison;
        self.place_all();
        self.overlap_all(overlap);
        let tables: Vec<Vec<u8>> = self.persistent.iter().map(GuardedMemory::contents).collect();
        let persistent: Vec<ArSpan> = self.persistent.iter().map(GuardedMemory::span).collect();
        let scratch: Vec<GuardedMemory> =
            self.scratch.iter().map(|&bytes| GuardedMemory::new(bytes, poison)).collect();
        let spans: Vec<ArSpan> = scratch.iter().map(GuardedMemory::span).collect();

        let (op, state, raw_node) = (self.op, self.state.data(), self.raw_node());
        let eval = eval_struct(self, self.node.threads, &persistent, &spans);
        // SAFETY: the structs are valid during the call, and `prepare` initialized the state.
        let status = unsafe { (op.eval)(&eval, &raw_node, state.cast()) };
        self.check_memory("eval");
        scratch.iter().for_each(|memory| memory.check_guards("a scratch buffer", "eval"));
        for (before, memory) in tables.iter().zip(&self.persistent) {
            let kept = self.op.flags & OP_STATEFUL != 0 || *before == memory.contents();
            assert!(kept, "eval changed a table");
        }
        result(status)?;
        self.check_resized()?;
        Ok(self.outcome())
    }

    /// Replaces the data of inputs in the following evaluations.
    pub(super) fn feed(&mut self, inputs: &[Tensor]) {
        let places: Vec<usize> =
            (0..self.node.tensors.len()).filter(|&i| self.node.tensors[i].role == Role::Input).collect();
        assert_eq!(places.len(), inputs.len(), "number of inputs in a step");
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

    /// The contents of tensor `i` before `eval`.
    pub(super) fn given(&self, i: usize) -> &[u8] {
        let fed = self.fed.iter().find(|(tensor, _)| *tensor == i);
        fed.map_or(self.node.tensors[i].tensor.bytes(), |(_, bytes)| bytes)
    }

    pub(super) fn has_role(&self, tensor: i32, role: Role) -> bool {
        usize::try_from(tensor).is_ok_and(|i| self.node.tensors[i].role == role)
    }

    fn outcome(&self) -> Outcome {
        let present = self.node.outputs.iter().filter_map(|&t| usize::try_from(t).ok());
        let variables = self.node.inputs.iter().filter(|&&i| self.has_role(i, Role::Variable));
        let value = |t: usize| {
            let tensor = &self.node.tensors[t].tensor;
            tensor.with_contents(self.tensors.shape(t).to_vec(), self.tensors.contents(t))
        };
        Outcome {
            outputs: present.map(value).collect(),
            variables: variables.map(|&t| value(t as usize)).collect(),
            resources: self.model.values(),
        }
    }

    fn raw_node(&self) -> ArNodeV1 {
        let node = self.node;
        ArNodeV1 {
            header: ArHeader::of::<ArNodeV1>(),
            builtin_code: node.builtin_code,
            version: node.version,
            custom_name: ArStr::borrowed(&node.custom_name),
            index: 0,
            subgraph: 0,
            tensors: self.tensors.as_ptr(),
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

    /// Gives every tensor its own memory: fresh copies of the inputs, poison for the outputs.
    fn place_all(&mut self) {
        self.overwritten.clear();
        for (i, tensor) in self.node.tensors.iter().enumerate() {
            if matches!(tensor.role, Role::Input | Role::Variable) {
                let copy = GuardedMemory::of(self.given(i));
                self.tensors.place(i, copy);
            }
        }
        for (&t, said) in self.node.outputs.iter().zip(&self.said) {
            let Ok(t) = usize::try_from(t) else { continue };
            match said {
                Declaration::Dynamic => self.tensors.unplace(t),
                Declaration::Constant | Declaration::Value => {}
                _ => {
                    self.tensors.place(t, GuardedMemory::new(self.tensors.get(t).bytes as usize, self.poison))
                }
            }
        }
    }

    /// Checks the guards, and that constant inputs did not change.
    fn check_memory(&self, during: &str) {
        self.tensors.check_guards(during);
        for (i, tensor) in self.node.tensors.iter().enumerate() {
            if matches!(tensor.role, Role::Input | Role::Constant) && self.tensors.is_placed(i) {
                let kept =
                    self.overwritten.contains(&(i as i32)) || self.tensors.contents(i) == self.given(i);
                assert!(kept, "{during} changed the input '{}'", tensor.tensor.name());
            }
        }
        self.check_tail(during);
        self.persistent.iter().for_each(|memory| memory.check_guards("a table", during));
        self.state.check_guards("the op's state", during);
    }

    fn check_resized(&self) -> Result<()> {
        let outputs = self.node.outputs.iter().zip(&self.said);
        let unset = |(&t, &said): (&i32, &Declaration)| {
            said == Declaration::Dynamic && !self.tensors.is_placed(t as usize)
        };
        match outputs.into_iter().position(unset) {
            Some(o) => {
                Err(Error::new(Status::Internal, format_args!("eval gave the dynamic output {o} no shape")))
            }
            None => Ok(()),
        }
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if let Some(destroy) = self.op.drop {
            // SAFETY: `prepare` initialized the state, and it is not used again.
            unsafe { destroy(self.state.data().cast()) };
        }
    }
}

impl HostSide for Session<'_> {
    type Refused = Error;

    fn report(refused: Error) -> ArStatus {
        MESSAGE.set(refused.message().to_string());
        refused.status() as ArStatus
    }
}

impl NodeSide for Session<'_> {
    fn outputs(&self) -> &[i32] {
        &self.node.outputs
    }

    fn tensor(&self, t: usize) -> ArTensorV1 {
        self.tensors.get(t)
    }

    fn shape(&self, t: usize) -> &[i32] {
        self.tensors.shape(t)
    }

    fn limit(&self) -> u64 {
        CAPACITY as u64
    }
}

impl PrepareSide for Session<'_> {
    fn input_count(&self) -> usize {
        self.node.inputs.len()
    }

    fn declaration(&mut self, output: usize) -> &mut Declaration {
        &mut self.said[output]
    }

    fn set_shape(&mut self, t: usize, dims: &[i32], ty: ElementType) {
        self.tensors.set_shape(t, dims);
        self.tensors.set_bytes(t, ty.bytes_of(crate::tensor::element_count(dims)).unwrap_or(0));
    }

    fn set_dynamic(&mut self, t: usize) {
        self.tensors.set_flag(t, TENSOR_DYNAMIC);
        self.tensors.unplace(t);
    }

    fn set_constant(&mut self, t: usize, value: &[u8]) -> Result<()> {
        self.tensors.place(t, GuardedMemory::of(value));
        self.tensors.set_flag(t, TENSOR_CONSTANT);
        Ok(())
    }

    fn set_value(&mut self, t: usize, value: &[u8]) -> Result<()> {
        self.tensors.place(t, GuardedMemory::of(value));
        Ok(())
    }

    fn take_persistent(&mut self, bytes: usize, _alignment: usize) -> Result<(u32, *mut c_void)> {
        if bytes > CAPACITY {
            let message = format_args!("{bytes} bytes of persistent memory exceed a test's {CAPACITY}");
            return Err(Error::new(Status::OutOfMemory, message));
        }
        let memory = GuardedMemory::new(bytes, 0);
        let data = memory.data().cast();
        self.persistent.push(memory);
        Ok((self.persistent.len() as u32 - 1, data))
    }

    fn note_scratch(&mut self, bytes: usize, _alignment: usize) -> Result<u32> {
        self.scratch.push(bytes);
        Ok(self.scratch.len() as u32 - 1)
    }

    fn note_share(&mut self, share: Share) -> Result<()> {
        self.shares.push(share);
        Ok(())
    }

    fn plan(&self, records: &[UsageRecord], mut plan: AssignmentMut<'_>) -> Result<()> {
        let mut end = 0u64;
        for (record, to) in records.iter().zip(plan.offsets()) {
            let offset = end.checked_next_multiple_of(record.alignment.max(1));
            let next = offset.and_then(|at| Some((at, at.checked_add(record.size)?)));
            (*to, end) = next.ok_or_else(|| {
                Error::new(Status::OutOfMemory, format_args!("the records' sizes overflow"))
            })?;
        }
        Ok(())
    }

    fn assign(&self, _: &str, request: &ObjectRequest<'_>, mut objects: ObjectAssignment<'_>) -> Result<()> {
        let (ids, sizes) = objects.objects(request.records.len())?;
        for (i, record) in request.records.iter().enumerate() {
            (ids[i], sizes[i]) = (i as u32, record.extents);
        }
        Ok(())
    }
}

impl ConstantsSide for Session<'_> {
    fn release(&mut self, tensor: usize) -> bool {
        tensor < self.node.tensors.len() && self.tensors.get(tensor).flags & TENSOR_CONSTANT != 0
    }
}

impl MemorySide for Session<'_> {
    fn room(&self) -> u64 {
        0
    }

    fn hold(&mut self, bytes: u64) -> Result<()> {
        Err(Error::new(Status::Invalid, format_args!("{bytes} bytes are held by an op")))
    }
}

impl EvalSide for Session<'_> {
    fn resize(&mut self, _output: u32, t: usize, dims: &[i32], _ty: ElementType, bytes: usize) -> Result<()> {
        self.tensors.set_shape(t, dims);
        self.tensors.place(t, GuardedMemory::new(bytes, self.poison));
        Ok(())
    }

    fn is_cancelled(&self) -> bool {
        false
    }
}

impl CallerSide for Session<'_> {
    type Model<'a>
        = &'a mut Model
    where
        Self: 'a;

    fn model(&mut self) -> &mut Model {
        &mut self.model
    }
}

fn result(status: ArStatus) -> Result<()> {
    let message = MESSAGE.take();
    match Status::from_raw(status) {
        Status::Ok => Ok(()),
        status => Err(Error::new(status, format_args!("{message}"))),
    }
}
