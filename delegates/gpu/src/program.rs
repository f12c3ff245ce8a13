//! What was built, with memory: objects that records share, and kernels with their arguments.

use std::sync::Arc;
use std::time::Instant;

use arenite_abi::ObjectRecord;
use arenite_abi::prelude::*;

use crate::builder::{Argument, Buffer, Built, Item, Place, Task};
use crate::layout::Layout;
use crate::opencl::{self, Launch, Memory, Queue};

/// What the device does next.
enum Step {
    /// A kernel, with its name.
    Run(Launch, &'static str),
    /// An object becomes zeros.
    Clear(usize),
}

/// A partition, ready to run.
pub struct Program {
    // In front of what their arguments are.
    steps: Vec<Step>,
    objects: Vec<Memory>,
    constants: Vec<Arc<Memory>>,
    /// Per record its object.
    ids: Vec<u32>,
    /// As [`Built::inputs`], with objects.
    inputs: Vec<(usize, usize, Layout)>,
    outputs: Vec<Place>,
    /// For tensors whose rows are filled up.
    spread: Vec<f32>,
}

impl Program {
    /// Gets the records objects, by way of the planner of this name, and makes kernels ready.
    pub fn new(built: Built, queue: &Queue, planner: &str, cx: &mut PrepareContext<'_>) -> Result<Program> {
        let Built { items, records, constants, inputs, outputs } = built;
        let record = |r: &crate::builder::Record| {
            ObjectRecord::bytes(r.floats as u64 * 4, r.life.0 as u32, r.life.1 as u32)
        };
        let asked: Vec<ObjectRecord> = records.iter().map(record).collect();
        let (mut ids, mut sizes) = (vec![0; asked.len()], vec![[0; 3]; asked.len()]);
        let count = cx.assign_objects(planner, &ObjectRequest::new(1, &asked), &mut ids, &mut sizes)?;
        let objects = sizes[..count].iter().map(|&[bytes, ..]| queue.memory(bytes.div_ceil(4) as usize));
        let objects = objects.collect::<Result<Vec<_>>>()?;
        let inputs =
            inputs.into_iter().map(|(i, record, layout)| (i, ids[record] as usize, layout)).collect();
        let mut program =
            Program { steps: Vec::new(), objects, constants, ids, inputs, outputs, spread: Vec::new() };
        program.steps = items.iter().map(|item| program.step(item, queue)).collect::<Result<_>>()?;
        Ok(program)
    }

    fn memory(&self, buffer: Buffer) -> &Memory {
        match buffer {
            Buffer::Record(record) => &self.objects[self.ids[record] as usize],
            Buffer::Constant(constant) => &self.constants[constant],
        }
    }

    fn step(&self, item: &Item, queue: &Queue) -> Result<Step> {
        let Task { text, name, arguments, grid, kind } = match item {
            Item::Clear(record) => return Ok(Step::Clear(self.ids[*record] as usize)),
            Item::Task(task) => task,
        };
        let argument = |argument: &Argument| match *argument {
            Argument::Buffer(buffer) => opencl::Argument::Memory(self.memory(buffer)),
            Argument::Number(number) => opencl::Argument::Number(number),
        };
        let arguments: Vec<_> = arguments.iter().map(argument).collect();
        Ok(Step::Run(queue.launch(text, name, &arguments, *grid, *kind)?, name))
    }

    /// Bytes of the device, and of them those of constants.
    pub fn bytes(&self) -> [usize; 2] {
        let constants: usize = self.constants.iter().map(|memory| memory.len() * 4).sum();
        let objects: usize = self.objects.iter().map(|memory| memory.len() * 4).sum();
        [constants + objects, constants]
    }

    /// Kernels of an invocation.
    pub fn kernels(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step, Step::Run(..))).count()
    }

    /// Inputs go to the device, all kernels run, outputs come back.
    pub fn run(&mut self, queue: &Queue, cx: &EvalContext<'_>) -> Result<()> {
        for &(i, object, layout) in &self.inputs {
            let tensor = cx.input(i)?;
            let dense = tensor.as_slice::<f32>()?;
            if layout.is_padded() {
                layout.spread(dense, &mut self.spread);
                queue.write(&mut self.objects[object], &self.spread)?;
            } else {
                queue.write(&mut self.objects[object], dense)?;
            }
        }
        let times = cx.profile();
        for i in 0..self.steps.len() {
            let start = Instant::now();
            let name = match &self.steps[i] {
                Step::Run(launch, name) => queue.run(launch).map(|()| *name)?,
                Step::Clear(object) => queue.clear(&mut self.objects[*object]).map(|()| "clear")?,
            };
            if let Some(times) = &times {
                queue.finish()?;
                times.note(i, name, None, start.elapsed().as_nanos() as u64);
            }
        }
        queue.flush()?;
        self.read(queue, cx)
    }

    fn read(&mut self, queue: &Queue, cx: &EvalContext<'_>) -> Result<()> {
        let mut spread = std::mem::take(&mut self.spread);
        for (i, &Place { buffer, layout }) in self.outputs.iter().enumerate() {
            let tensor = cx.output(i)?;
            let dense = tensor.into_slice::<f32>()?;
            if layout.is_padded() {
                spread.resize(layout.floats(), 0.0);
                queue.read(self.memory(buffer), &mut spread)?;
                layout.gather(&spread, dense);
            } else {
                queue.read(self.memory(buffer), dense)?;
            }
        }
        self.spread = spread;
        queue.finish()
    }
}
