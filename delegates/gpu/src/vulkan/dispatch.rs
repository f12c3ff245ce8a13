//! Steps as a command buffer has them: pipelines, descriptor sets, numbers.

use std::sync::Arc;

use arenite_abi::prelude::*;
use ash::vk;

use super::commands::Writer;
use super::device::Device;
use super::logical::Logical;
use super::memory::Memory;
use super::pipeline::Pipeline;
use crate::device::{Argument, Launch, Step};
use crate::work_groups::{Extent, Tuning, candidates};

/// What the device does next.
pub enum Command {
    /// A kernel runs.
    Dispatch(Dispatch),
    /// Memory becomes zeros.
    Clear(Arc<Memory>),
}

/// A kernel with its arguments.
pub struct Dispatch {
    pipeline: Arc<Pipeline>,
    sets: [vk::DescriptorSet; 2],
    numbers: Vec<i32>,
    groups: Extent,
    /// What is bound, for as long as it may run.
    _memory: Vec<Arc<Memory>>,
}

/// Descriptor sets of all kernels.
pub struct Sets {
    logical: Arc<Logical>,
    pool: vk::DescriptorPool,
}

/// A step whose sets are not there yet.
pub enum Prepared {
    /// A kernel with its arguments.
    Dispatch { pipeline: Arc<Pipeline>, memory: Vec<Arc<Memory>>, numbers: Vec<i32>, groups: Extent },
    /// Memory becomes zeros.
    Clear(Arc<Memory>),
}

impl Prepared {
    /// Finds its pipeline, and looks at its arguments.
    pub fn new(device: &Device, step: Step<'_, Memory>) -> Result<Prepared> {
        let launch = match step {
            Step::Launch(launch) => launch,
            Step::Clear(memory) => return Ok(Prepared::Clear(memory)),
        };
        let Launch { kernel, arguments, grid, kind } = launch;
        let limits = &device.about.limits;
        let grid = grid.map(|n| n.max(1));
        let group = candidates(Tuning::Fast, kind, limits, limits.total, grid)[0];
        let groups = [0, 1, 2].map(|axis| grid[axis].div_ceil(group[axis]));
        if groups.iter().zip(device.groups).any(|(&groups, most)| groups > most) {
            return Err(unsupported!("a grid of {grid:?} is too large for '{}'", kernel.name));
        }
        let pipeline = device.pipeline(kernel, group)?;
        let (mut memory, mut numbers) = (Vec::new(), Vec::new());
        for argument in arguments {
            match argument {
                Argument::Memory(bound) => memory.push(bound),
                Argument::Number(number) => numbers.push(number),
            }
        }
        let text = pipeline.text;
        let fits = (text.buffers..=text.buffers + text.operands).contains(&(memory.len() as u32));
        ensure!(
            fits && numbers.len() == text.numbers as usize,
            "the kernel '{}' has {} buffers and {} numbers, given are {} and {}",
            text.name,
            text.buffers,
            text.numbers,
            memory.len(),
            numbers.len()
        );
        Ok(Prepared::Dispatch { pipeline, memory, numbers, groups })
    }

    /// Buffers that are bound.
    fn bindings(&self) -> u32 {
        match self {
            Prepared::Dispatch { pipeline, .. } => pipeline.text.buffers + pipeline.text.operands,
            Prepared::Clear(_) => 0,
        }
    }

    /// With its sets.
    pub fn bind(self, sets: &Sets) -> Result<Command> {
        let (pipeline, memory, numbers, groups) = match self {
            Prepared::Dispatch { pipeline, memory, numbers, groups } => (pipeline, memory, numbers, groups),
            Prepared::Clear(memory) => return Ok(Command::Clear(memory)),
        };
        let sets = sets.bind(&pipeline, &memory)?;
        Ok(Command::Dispatch(Dispatch { pipeline, sets, numbers, groups, _memory: memory }))
    }
}

impl Dispatch {
    /// Into a command buffer.
    pub fn write(&self, writer: &Writer<'_>) {
        let (raw, buffer, point) = (writer.raw(), writer.buffer, vk::PipelineBindPoint::COMPUTE);
        let Pipeline { layout, raw: pipeline, .. } = *self.pipeline;
        let numbers = bytemuck::cast_slice(&self.numbers);
        let [x, y, z] = self.groups;
        // SAFETY: the buffer is being recorded. Sets and numbers are those of the layout, as was checked; the groups are within
        // the device's limits.
        unsafe {
            raw.cmd_bind_pipeline(buffer, point, pipeline);
            raw.cmd_bind_descriptor_sets(buffer, point, layout, 0, &self.sets, &[]);
            raw.cmd_push_constants(buffer, layout, vk::ShaderStageFlags::COMPUTE, 0, numbers);
            raw.cmd_dispatch(buffer, x, y, z);
        }
    }
}

impl Sets {
    /// Room for those of all steps.
    pub fn new(logical: &Arc<Logical>, steps: &[Prepared]) -> Result<Sets> {
        let bindings: u32 = steps.iter().map(Prepared::bindings).sum();
        let sizes = [vk::DescriptorPoolSize {
            ty: vk::DescriptorType::STORAGE_BUFFER,
            descriptor_count: bindings.max(1),
        }];
        let most = steps.len().max(1) as u32 * 2;
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(most).pool_sizes(&sizes);
        // SAFETY: the device lives; `info` and what it points at live until the call returns.
        let pool = unsafe { logical.raw.create_descriptor_pool(&info, None) };
        let pool = pool.map_err(|error| logical.failed("no descriptors of the device", error))?;
        Ok(Sets { logical: Arc::clone(logical), pool })
    }

    /// The sets of a kernel with these buffers. Operands that it does not read are bound, too, to something.
    fn bind(&self, pipeline: &Pipeline, memory: &[Arc<Memory>]) -> Result<[vk::DescriptorSet; 2]> {
        let raw = &self.logical.raw;
        let info =
            vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.pool).set_layouts(&pipeline.sets);
        // SAFETY: the pool has room for two sets of each step, and is used here alone.
        let sets = unsafe { raw.allocate_descriptor_sets(&info) };
        let sets = sets.map_err(|error| self.logical.failed("no descriptors of the device", error))?;
        let (buffers, operands) = memory.split_at(pipeline.text.buffers as usize);
        let unread = (operands.len()..pipeline.text.operands as usize).map(|_| &buffers[0]);
        let operands: Vec<_> = operands.iter().chain(unread).map(|memory| describe(memory)).collect();
        let buffers: Vec<_> = buffers.iter().map(|memory| describe(memory)).collect();
        let write = |set, infos| {
            vk::WriteDescriptorSet::default()
                .dst_set(set)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .buffer_info(infos)
        };
        let writes = [(sets[0], &buffers), (sets[1], &operands)];
        let writes: Vec<_> = writes
            .iter()
            .filter(|(_, infos)| !infos.is_empty())
            .map(|(set, infos)| write(*set, infos))
            .collect();
        // SAFETY: the sets are new; the infos live until the call returns, and the buffers as long as the recording.
        unsafe { raw.update_descriptor_sets(&writes, &[]) };
        Ok([sets[0], sets[1]])
    }
}

fn describe(memory: &Memory) -> vk::DescriptorBufferInfo {
    let (buffer, offset, range) = memory.range();
    vk::DescriptorBufferInfo { buffer, offset, range }
}

impl Drop for Sets {
    fn drop(&mut self) {
        // SAFETY: commands that use the sets are not under way, or this is not dropped.
        unsafe { self.logical.raw.destroy_descriptor_pool(self.pool, None) };
    }
}
