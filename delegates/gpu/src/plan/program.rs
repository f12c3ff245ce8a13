//! A built net with its memory: objects that records share, and a recording of its kernels.

use std::sync::Arc;

use arenite_abi::ObjectRecord;
use arenite_abi::prelude::*;

use crate::device::{self, Dispatch, Launch, Plan, Port, Queue, Step};
use crate::plan::builder::TaskList;
use crate::plan::crossing::{Form, Input, Output, indices};
use crate::plan::task::{Argument, Buffer, Item, Record, Task};
use crate::store::constants::{ProgramConstants, bytes};
use crate::store::precision::Precision;
use crate::store::shared::SharedState;

/// A partition that is ready to run.
pub(crate) struct Program<Q: Queue> {
    recording: Q::Recording,
    /// Names of the steps, for profiles.
    names: Vec<&'static str>,
    /// Bytes on the device, and the bytes of constants among them.
    bytes: [usize; 2],
    kernels: usize,
    /// Inputs, in the order of the recording.
    inputs: Vec<Input>,
    /// Outputs, in the order of the recording, and handles of outputs that may stay on the device.
    outputs: Vec<(Output, Option<u64>)>,
    /// Bytes that the last invocation copied to the device, and to the host.
    crossed: [u64; 2],
    /// How floats are stored.
    precision: Precision,
    /// Buffer for padded tensors.
    spread: Vec<f32>,
    /// Buffer for tensors that are quantized on the host.
    dense: Vec<f32>,
    /// Buffer for tensors in another precision.
    words: Vec<f32>,
    /// Whether the last run may still be in progress.
    under_way: bool,
}

/// Memory by buffer.
struct ProgramMemory<M> {
    objects: Vec<Arc<M>>,
    constants: Vec<Arc<M>>,
    /// The object of each record.
    ids: Vec<u32>,
}

/// The context of a program.
pub(crate) struct ProgramContext<'a, Q: Queue> {
    /// The queue, and outputs that stay on the device.
    pub shared: &'a SharedState<Q>,
    /// The planner that assigns objects.
    pub planner: &'a str,
    /// Whether outputs may stay on the device.
    pub keeps: bool,
}

impl<Q: Queue> Program<Q> {
    /// Assigns objects to records with a planner, and records all steps.
    pub(crate) fn new(
        built: TaskList,
        constants: ProgramConstants<Q::Memory>,
        context: &ProgramContext<'_, Q>,
        cx: &mut PrepareContext<'_>,
    ) -> Result<Program<Q>> {
        let TaskList { items, records, inputs, outputs, precision } = built;
        let queue = context.shared.queue();
        let held = ProgramMemory::new(&records, constants, &*queue, context.planner, cx)?;
        let stays = |output: &Output| context.keeps && output.stays;
        let port = |buffer, words, stays| Port { memory: held.memory(buffer), floats: words, stays };
        let input = |input: &Input| port(Buffer::Record(input.record), records[input.record].words, false);
        let output =
            |output: &Output| port(output.buffer, precision.words(output.layout.floats()), stays(output));
        let plan = Plan {
            inputs: inputs.iter().map(input).collect(),
            steps: items.iter().map(|item| held.step(item)).collect(),
            outputs: outputs.iter().map(output).collect(),
        };
        let recording = queue.record(plan)?;
        // Quantized outputs do not stay: only the copy to the host rounds them.
        let handle = |output: Output| {
            let keep = || context.shared.keep(held.memory(output.buffer), output.layout);
            (output, stays(&output).then(keep))
        };
        Ok(Program {
            recording,
            names: items.iter().map(name).collect(),
            bytes: held.bytes(),
            kernels: items.iter().filter(|item| matches!(item, Item::Task(_))).count(),
            inputs,
            outputs: outputs.into_iter().map(handle).collect(),
            crossed: [0; 2],
            precision,
            spread: Vec::new(),
            dense: Vec::new(),
            words: Vec::new(),
            under_way: false,
        })
    }

    /// Bytes on the device, and the bytes of constants among them.
    pub(crate) fn bytes(&self) -> [usize; 2] {
        self.bytes
    }

    /// Kernels of an invocation.
    pub(crate) fn kernels(&self) -> usize {
        self.kernels
    }

    /// The kernels and their work-groups, as far as these are known.
    pub(crate) fn dispatches(&self, shared: &SharedState<Q>) -> Vec<Dispatch> {
        shared.queue().dispatches(&self.recording)
    }

    /// Bytes that the last invocation copied to the device and back.
    pub(crate) fn crossed(&self) -> [u64; 2] {
        self.crossed
    }

    /// Handles of outputs that may stay on the device.
    pub(crate) fn handles(&self) -> impl Iterator<Item = u64> {
        self.outputs.iter().filter_map(|&(_, handle)| handle)
    }

    /// Copies inputs to the device, runs all kernels, and copies the outputs that the host needs.
    pub(crate) fn run(&mut self, shared: &SharedState<Q>, cx: &EvalContext<'_>) -> Result<()> {
        let (queue, stop) = (shared.queue(), || cx.is_cancelled());
        if self.under_way {
            queue.wait(&mut self.recording, &stop)?;
        }
        queue.tune(&mut self.recording, &stop)?;
        self.crossed = [0; 2];
        self.write(&queue, shared, cx)?;
        self.under_way = true;
        match cx.profile() {
            None => queue.run(&mut self.recording)?,
            Some(times) => {
                let names = &self.names;
                let mut note = |i: usize, time| times.note(i, names[i], None, time);
                queue.run_timed(&mut self.recording, &stop, &mut note)?;
            }
        }
        queue.wait(&mut self.recording, &stop)?;
        self.under_way = false;
        let keeps = cx.keeps();
        for i in 0..self.outputs.len() {
            match self.outputs[i].1.filter(|_| keeps) {
                Some(handle) => cx.keep_output(i, handle)?,
                None => self.read(&queue, i, cx.output(i)?)?,
            }
        }
        Ok(())
    }

    fn write(&mut self, queue: &Q, shared: &SharedState<Q>, cx: &EvalContext<'_>) -> Result<()> {
        for port in 0..self.inputs.len() {
            let Input { position, layout, .. } = self.inputs[port];
            let Some(handle) = cx.kept_input(position)? else {
                self.write_from_host(queue, port, cx.input(position)?.bytes())?;
                continue;
            };
            match shared.bound(handle) {
                Some(bound) => self.write_from_bound(queue, port, &bound)?,
                None => queue.copy(&mut self.recording, port, &shared.find(handle, layout)?)?,
            }
        }
        Ok(())
    }

    /// Copies an input from memory of the program: on the device, if it is stored there in the tensor's type.
    fn write_from_bound(&mut self, queue: &Q, port: usize, bound: &Arc<Q::Bound>) -> Result<()> {
        let input = self.inputs[port];
        if let (Form::Floats, Precision::F32) = (input.form, input.precision) {
            return queue.load(&mut self.recording, port, bound, input.layout.padded_rows());
        }
        // Words, so that floats are aligned.
        let mut words = vec![0u32; input.bytes().div_ceil(4)];
        let bytes = &mut bytemuck::cast_slice_mut(&mut words)[..input.bytes()];
        queue.read_bound(bound, bytes)?;
        self.write_from_host(queue, port, bytes)
    }

    fn write_from_host(&mut self, queue: &Q, port: usize, bytes: &[u8]) -> Result<()> {
        let Input { layout, precision, form, ty, .. } = self.inputs[port];
        let dense: &[f32] = match form {
            Form::Indices(axis) => {
                self.dense = indices(ty, bytes, axis)?;
                &self.dense
            }
            Form::Bytes(grid) => {
                self.dense.clear();
                self.dense.extend(bytes.iter().map(|&byte| grid.real(byte)));
                &self.dense
            }
            Form::Floats => {
                bytemuck::try_cast_slice(bytes).map_err(|error| invalid!("an input of floats: {error}"))?
            }
        };
        self.crossed[0] += (dense.len() * precision.bytes()) as u64;
        let floats = match layout.is_padded() {
            true => {
                layout.spread(dense, &mut self.spread);
                &self.spread
            }
            false => dense,
        };
        queue.write(&mut self.recording, port, precision.store(floats, &mut self.words))
    }

    fn read(&mut self, queue: &Q, port: usize, tensor: TensorViewMut<'_>) -> Result<()> {
        let Some(grid) = self.outputs[port].0.grid else {
            return self.read_floats(queue, port, tensor.into_slice::<f32>()?);
        };
        let mut dense = std::mem::take(&mut self.dense);
        dense.resize(self.outputs[port].0.layout.len(), 0.0);
        let done = self.read_floats(queue, port, &mut dense);
        let bytes = tensor.into_bytes().iter_mut().zip(&dense);
        bytes.for_each(|(byte, &real)| *byte = grid.byte(real));
        self.dense = dense;
        done
    }

    /// Copies the float output with this handle.
    pub(crate) fn fetch(&mut self, shared: &SharedState<Q>, handle: u64, data: &mut [u8]) -> Result<()> {
        let port = self.outputs.iter().position(|&(_, known)| known == Some(handle));
        let port = port.ok_or_else(|| invalid!("the partition keeps no such value"))?;
        let floats = bytemuck::try_cast_slice_mut(data).map_err(|error| invalid!("floats: {error}"))?;
        self.read_floats(&shared.queue(), port, floats)
    }

    /// Copies an output without its padding.
    fn read_floats(&mut self, queue: &Q, port: usize, dense: &mut [f32]) -> Result<()> {
        let (layout, precision) = (self.outputs[port].0.layout, self.precision);
        self.crossed[1] += (dense.len() * precision.bytes()) as u64;
        let read = |words: &mut [f32]| queue.read(&mut self.recording, port, words);
        if !layout.is_padded() {
            return precision.load(dense, &mut self.words, read);
        }
        self.spread.resize(layout.floats(), 0.0);
        precision.load(&mut self.spread, &mut self.words, read)?;
        layout.gather(&self.spread, dense);
        Ok(())
    }
}

/// The name of an item, for profiles.
fn name(item: &Item) -> &'static str {
    match item {
        Item::Task(task) => task.kernel.name.declaration().name,
        Item::Clear(_) => "clear",
    }
}

impl<M: device::Memory> ProgramMemory<M> {
    /// Allocates the objects of records, within the quota.
    fn new<Q: Queue<Memory = M>>(
        records: &[Record],
        constants: ProgramConstants<M>,
        queue: &Q,
        planner: &str,
        cx: &mut PrepareContext<'_>,
    ) -> Result<Self> {
        let record =
            |r: &Record| ObjectRecord::bytes(r.words as u64 * 4, r.life.first as u32, r.life.last as u32);
        let asked: Vec<ObjectRecord> = records.iter().map(record).collect();
        let (mut ids, mut sizes) = (vec![0; asked.len()], vec![[0; 3]; asked.len()]);
        let count = cx.assign_objects(planner, &ObjectRequest::new(1, &asked), &mut ids, &mut sizes)?;
        let sizes = &sizes[..count];
        let objects = sizes.iter().map(|&[bytes, ..]| bytes.next_multiple_of(4)).sum::<u64>();
        cx.held_on_device().hold(constants.bytes + objects)?;
        let object = |&[bytes, ..]: &[u64; 3]| queue.memory(bytes.div_ceil(4) as usize).map(Arc::new);
        let objects = sizes.iter().map(object).collect::<Result<_>>()?;
        Ok(ProgramMemory { objects, constants: constants.used, ids })
    }

    fn memory(&self, buffer: Buffer) -> Arc<M> {
        Arc::clone(match buffer {
            Buffer::Record(record) => &self.objects[self.ids[record] as usize],
            Buffer::Constant(constant) => &self.constants[constant],
        })
    }

    fn step<'p>(&self, item: &'p Item) -> Step<'p, M> {
        let Task { kernel, arguments, grid, iterations } = match item {
            Item::Clear(record) => return Step::Clear(self.memory(Buffer::Record(*record))),
            Item::Task(task) => task,
        };
        let argument = |argument: &Argument| match *argument {
            Argument::Buffer(buffer) => device::Argument::Memory(self.memory(buffer)),
            Argument::Number(number) => device::Argument::Number(number),
        };
        let arguments = arguments.iter().map(argument).collect();
        Step::Launch(Launch { kernel, arguments, grid: *grid, iterations: *iterations })
    }

    fn bytes(&self) -> [usize; 2] {
        let constants = bytes(&self.constants) as usize;
        [constants + bytes(&self.objects) as usize, constants]
    }
}
