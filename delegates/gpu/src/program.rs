//! What was built, with memory: objects that records share, and a recording of kernels with their arguments.

use std::sync::Arc;

use arenite_abi::ObjectRecord;
use arenite_abi::prelude::*;

use crate::builder::{Argument, Buffer, Built, Item, Task};
use crate::crossing::{Form, Input, Output, indices};
use crate::device::{self, Launch, Plan, Port, Queue, Step};
use crate::layout::Layout;

/// A partition, ready to run.
pub struct Program<Q: Queue> {
    recording: Q::Recording,
    /// Of the steps, for profiles.
    names: Vec<&'static str>,
    /// Bytes of the device, and of them those of constants.
    bytes: [usize; 2],
    kernels: usize,
    /// In the order of the recording's.
    inputs: Vec<Input>,
    /// In the order of the recording's.
    outputs: Vec<Output>,
    /// For tensors whose rows are filled up.
    spread: Vec<f32>,
    /// For those that are bytes on the host.
    dense: Vec<f32>,
}

/// Memory by what names it.
struct Held<M> {
    objects: Vec<Arc<M>>,
    constants: Vec<Arc<M>>,
    /// Per record its object.
    ids: Vec<u32>,
}

impl<Q: Queue> Program<Q> {
    /// Gets the records objects, by way of the planner of this name, and records all steps.
    pub fn new(
        built: Built,
        constants: Vec<Arc<Q::Memory>>,
        queue: &Q,
        planner: &str,
        cx: &mut PrepareContext<'_>,
    ) -> Result<Program<Q>> {
        let Built { items, records, inputs, outputs } = built;
        let record = |r: &crate::builder::Record| {
            ObjectRecord::bytes(r.floats as u64 * 4, r.life.0 as u32, r.life.1 as u32)
        };
        let asked: Vec<ObjectRecord> = records.iter().map(record).collect();
        let (mut ids, mut sizes) = (vec![0; asked.len()], vec![[0; 3]; asked.len()]);
        let count = cx.assign_objects(planner, &ObjectRequest::new(1, &asked), &mut ids, &mut sizes)?;
        let object = |&[bytes, ..]: &[u64; 3]| queue.memory(bytes.div_ceil(4) as usize).map(Arc::new);
        let objects = sizes[..count].iter().map(object).collect::<Result<_>>()?;
        let held = Held { objects, constants, ids };
        let port = |buffer, layout: Layout| Port { memory: held.memory(buffer), floats: layout.floats() };
        let plan = Plan {
            inputs: inputs.iter().map(|input| port(Buffer::Record(input.record), input.layout)).collect(),
            steps: items.iter().map(|item| held.step(item)).collect(),
            outputs: outputs.iter().map(|output| port(output.buffer, output.layout)).collect(),
        };
        Ok(Program {
            recording: queue.record(plan)?,
            names: items.iter().map(name).collect(),
            bytes: held.bytes(),
            kernels: items.iter().filter(|item| matches!(item, Item::Task(_))).count(),
            inputs,
            outputs,
            spread: Vec::new(),
            dense: Vec::new(),
        })
    }

    /// Bytes of the device, and of them those of constants.
    pub fn bytes(&self) -> [usize; 2] {
        self.bytes
    }

    /// Kernels of an invocation.
    pub fn kernels(&self) -> usize {
        self.kernels
    }

    /// Inputs go to the device, all kernels run, outputs come back.
    pub fn run(&mut self, queue: &Q, cx: &EvalContext<'_>) -> Result<()> {
        self.write(queue, cx)?;
        match cx.profile() {
            None => queue.run(&mut self.recording, None)?,
            Some(times) => {
                let names = &self.names;
                let mut note = |i: usize, time| times.note(i, names[i], None, time);
                queue.run(&mut self.recording, Some(&mut note))?;
            }
        }
        self.read(queue, cx)
    }

    fn write(&mut self, queue: &Q, cx: &EvalContext<'_>) -> Result<()> {
        for (port, &Input { position, layout, form, .. }) in self.inputs.iter().enumerate() {
            let tensor = cx.input(position)?;
            let dense = match form {
                Form::Indices(axis) => {
                    self.dense = indices(tensor.ty, tensor.bytes(), axis)?;
                    &self.dense
                }
                Form::Bytes(grid) => {
                    self.dense.clear();
                    self.dense.extend(tensor.bytes().iter().map(|&byte| grid.real(byte)));
                    &self.dense
                }
                Form::Floats => tensor.as_slice::<f32>()?,
            };
            if layout.is_padded() {
                layout.spread(dense, &mut self.spread);
                queue.write(&mut self.recording, port, &self.spread)?;
            } else {
                queue.write(&mut self.recording, port, dense)?;
            }
        }
        Ok(())
    }

    fn read(&mut self, queue: &Q, cx: &EvalContext<'_>) -> Result<()> {
        for (i, &Output { layout, grid, .. }) in self.outputs.iter().enumerate() {
            let tensor = cx.output(i)?;
            let Some(grid) = grid else {
                let dense = tensor.into_slice::<f32>()?;
                read(queue, &mut self.recording, i, layout, &mut self.spread, dense)?;
                continue;
            };
            self.dense.resize(layout.len(), 0.0);
            read(queue, &mut self.recording, i, layout, &mut self.spread, &mut self.dense)?;
            let bytes = tensor.into_bytes().iter_mut().zip(&self.dense);
            bytes.for_each(|(byte, &real)| *byte = grid.byte(real));
        }
        Ok(())
    }
}

/// Copies output `port`, without what fills its rows up; `spread` is room for it with that.
fn read<Q: Queue>(
    queue: &Q,
    recording: &mut Q::Recording,
    port: usize,
    layout: Layout,
    spread: &mut Vec<f32>,
    dense: &mut [f32],
) -> Result<()> {
    if !layout.is_padded() {
        return queue.read(recording, port, dense);
    }
    spread.resize(layout.floats(), 0.0);
    queue.read(recording, port, spread)?;
    layout.gather(spread, dense);
    Ok(())
}

/// For profiles.
fn name(item: &Item) -> &'static str {
    match item {
        Item::Task(task) => task.kernel.name,
        Item::Clear(_) => "clear",
    }
}

impl<M: device::Memory> Held<M> {
    fn memory(&self, buffer: Buffer) -> Arc<M> {
        Arc::clone(match buffer {
            Buffer::Record(record) => &self.objects[self.ids[record] as usize],
            Buffer::Constant(constant) => &self.constants[constant],
        })
    }

    fn step<'p>(&self, item: &'p Item) -> Step<'p, M> {
        let Task { kernel, arguments, grid, kind } = match item {
            Item::Clear(record) => return Step::Clear(self.memory(Buffer::Record(*record))),
            Item::Task(task) => task,
        };
        let argument = |argument: &Argument| match *argument {
            Argument::Buffer(buffer) => device::Argument::Memory(self.memory(buffer)),
            Argument::Number(number) => device::Argument::Number(number),
        };
        let arguments = arguments.iter().map(argument).collect();
        Step::Launch(Launch { kernel, arguments, grid: *grid, kind: *kind })
    }

    fn bytes(&self) -> [usize; 2] {
        let bytes = |list: &[Arc<M>]| list.iter().map(|memory| memory.len() * 4).sum::<usize>();
        let constants = bytes(&self.constants);
        [constants + bytes(&self.objects), constants]
    }
}
