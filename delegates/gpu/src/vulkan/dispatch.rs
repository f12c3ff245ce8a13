//! Steps in a command buffer: pipelines, descriptor sets, push constants.

use std::sync::Arc;

use arenite_abi::prelude::*;
use ash::vk;

use super::commands::Writer;
use super::device::{Device, Variant};
use super::iterations;
use super::logical::Logical;
use super::memory::VulkanMemory;
use super::pipeline::Pipeline;
use crate::device::{self, Argument, Launch, Step};
use crate::store::tuner::{LaunchSize, Tuner, UntunedKernel};
use crate::work_groups::{Choice, Extent, WorkGroup};

/// A step on the device.
pub(super) enum Command {
    /// A kernel runs.
    Dispatch(Dispatch),
    /// Memory becomes zeros.
    Clear(Arc<VulkanMemory>),
}

/// A kernel with its arguments.
pub(super) struct Dispatch {
    pub(super) variant: Variant,
    pub(super) grid: Extent,
    /// Null until [`Sets::bind`].
    sets: [vk::DescriptorSet; 2],
    numbers: Vec<i32>,
    work: DispatchSize,
    /// The bound memory, kept while the kernel may run.
    memory: Vec<Arc<VulkanMemory>>,
}

/// The dispatch size of a kernel.
enum DispatchSize {
    /// A number of work-groups, whose size is the pipeline's.
    Groups(Arc<Pipeline>, Extent, Choice),
    /// The work-group is not tuned yet.
    Untuned(UntunedKernel),
}

/// The descriptor sets of all kernels.
pub(super) struct Sets {
    logical: Arc<Logical>,
    pool: vk::DescriptorPool,
}

impl Command {
    /// A step without descriptor sets.
    pub(super) fn new(device: &Device, tuner: &Tuner, step: Step<'_, VulkanMemory>) -> Result<Command> {
        match step {
            Step::Launch(launch) => Dispatch::new(device, tuner, launch).map(Command::Dispatch),
            Step::Clear(memory) => Ok(Command::Clear(memory)),
        }
    }

    /// Whether its work-group must be tuned before it can run.
    pub(super) fn is_untuned(&self) -> bool {
        matches!(self, Command::Dispatch(dispatch) if dispatch.untuned().is_some())
    }
}

impl Dispatch {
    /// Checks the arguments, and finds the pipeline if the work-group is known.
    fn new(device: &Device, tuner: &Tuner, launch: Launch<'_, VulkanMemory>) -> Result<Dispatch> {
        let Launch { kernel, arguments, grid, iterations } = launch;
        let (variant, grid) = (device.variant(kernel)?, grid.map(|n| n.max(1)));
        let (mut memory, mut numbers) = (Vec::new(), Vec::new());
        for argument in arguments {
            match argument {
                Argument::Memory(bound) => memory.push(bound),
                Argument::Number(number) => numbers.push(number),
            }
        }
        expect(&variant, memory.len(), &numbers)?;
        iterations::expect_declared(kernel.name, variant.layouts.text, iterations)?;
        device.expect_iterations(iterations, kernel.name)?;
        let (info, key) = (&device.about.limits, || device.key(&variant, None));
        let launch = LaunchSize { grid, kind: kernel.name.declaration().kind, limits: device.kernels };
        let (group, untuned) = tuner.size(&device.sizes, key, launch, info);
        let work = match untuned {
            Some(untuned) => DispatchSize::Untuned(untuned),
            None => groups(device, tuner, &variant, grid, group)?,
        };
        let sets = [vk::DescriptorSet::null(); 2];
        Ok(Dispatch { variant, grid, sets, numbers, work, memory })
    }

    /// The work-groups to time before it can run.
    pub(super) fn untuned(&self) -> Option<&UntunedKernel> {
        match &self.work {
            DispatchSize::Groups(..) => None,
            DispatchSize::Untuned(untuned) => Some(untuned),
        }
    }

    /// Sets the work-group.
    pub(super) fn resize(&mut self, device: &Device, tuner: &Tuner, group: WorkGroup) -> Result<()> {
        self.work = groups(device, tuner, &self.variant, self.grid, group)?;
        Ok(())
    }

    /// The dispatch as the driver runs it; `None` until its work-group is known.
    pub(super) fn described(&self) -> Option<device::Dispatch> {
        let DispatchSize::Groups(pipeline, _, choice) = &self.work else { return None };
        let group = WorkGroup { size: pipeline.group, choice: *choice };
        Some(device::Dispatch { kernel: self.variant.layouts.text.name, grid: self.grid, group })
    }

    /// Writes the dispatch into a command buffer.
    pub(super) fn write(&self, writer: &Writer<'_>) -> Result<()> {
        match &self.work {
            DispatchSize::Groups(pipeline, groups, _) => self.write_with(writer, pipeline, *groups),
            DispatchSize::Untuned(_) => return Err(invalid!("a kernel is recorded before it is tuned")),
        }
        Ok(())
    }

    /// Like [`write`](Self::write), with a pipeline of its variant and a number of work-groups within the device's
    /// limits.
    pub(super) fn write_with(&self, writer: &Writer<'_>, pipeline: &Pipeline, [x, y, z]: Extent) {
        let (raw, buffer, point) = (writer.raw(), writer.buffer, vk::PipelineBindPoint::COMPUTE);
        let (layout, numbers) = (self.variant.layouts.all, bytemuck::cast_slice(&self.numbers));
        // SAFETY: the buffer is being recorded. `expect` checked that sets and numbers match the layout;
        // `Device::groups` checked that the work-groups are within the device's limits.
        unsafe {
            raw.cmd_bind_pipeline(buffer, point, pipeline.raw);
            raw.cmd_bind_descriptor_sets(buffer, point, layout, 0, &self.sets, &[]);
            raw.cmd_push_constants(buffer, layout, vk::ShaderStageFlags::COMPUTE, 0, numbers);
            raw.cmd_dispatch(buffer, x, y, z);
        }
    }
}

/// An error unless the arguments match the kernel's declaration.
fn expect(variant: &Variant, memory: usize, numbers: &[i32]) -> Result<()> {
    let text = variant.layouts.text;
    let fits = (text.buffers..=text.buffers + text.operands).contains(&(memory as u32));
    ensure!(
        fits && numbers.len() == text.numbers as usize,
        "the kernel '{}' has {} buffers and {} numbers, given are {memory} and {}",
        text.name,
        text.buffers,
        text.numbers as usize,
        numbers.len()
    );
    Ok(())
}

/// The work-groups that cover a grid, and their pipeline.
fn groups(
    device: &Device,
    tuner: &Tuner,
    variant: &Variant,
    grid: Extent,
    WorkGroup { size, choice }: WorkGroup,
) -> Result<DispatchSize> {
    let name = variant.layouts.text.name;
    let groups = device.groups(grid, size);
    let groups = groups.ok_or_else(|| unsupported!("a grid of {grid:?} is too large for '{name}'"))?;
    Ok(DispatchSize::Groups(device.pipeline(variant, size, tuner)?, groups, choice))
}

impl Sets {
    /// A pool with room for the sets of all commands.
    pub(super) fn bind(logical: &Arc<Logical>, commands: &mut [Command]) -> Result<Sets> {
        let mut dispatches: Vec<&mut Dispatch> = commands
            .iter_mut()
            .filter_map(|command| match command {
                Command::Dispatch(dispatch) => Some(dispatch),
                Command::Clear(_) => None,
            })
            .collect();
        let text = |dispatch: &&mut Dispatch| dispatch.variant.layouts.text;
        let bindings: u32 = dispatches.iter().map(text).map(|text| text.buffers + text.operands).sum();
        let sizes = [vk::DescriptorPoolSize {
            ty: vk::DescriptorType::STORAGE_BUFFER,
            descriptor_count: bindings.max(1),
        }];
        let most = dispatches.len().max(1) as u32 * 2;
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(most).pool_sizes(&sizes);
        // SAFETY: the device lives; `info` and its pointers live until the call returns.
        let pool = unsafe { logical.raw.create_descriptor_pool(&info, None) };
        let pool = pool.map_err(|error| logical.failed("no descriptors of the device", error))?;
        let sets = Sets { logical: Arc::clone(logical), pool };
        for dispatch in &mut dispatches {
            dispatch.sets = sets.of(dispatch)?;
        }
        Ok(sets)
    }

    /// Creates and fills the sets of a kernel. Operands that it does not read are bound to one of its buffers.
    fn of(&self, dispatch: &Dispatch) -> Result<[vk::DescriptorSet; 2]> {
        let (raw, layouts) = (&self.logical.raw, &dispatch.variant.layouts);
        let info =
            vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.pool).set_layouts(&layouts.sets);
        // SAFETY: the pool has room for two sets per step, and no other thread uses it: `self` is borrowed mutably.
        let sets = unsafe { raw.allocate_descriptor_sets(&info) };
        let sets = sets.map_err(|error| self.logical.failed("no descriptors of the device", error))?;
        let (buffers, operands) = dispatch.memory.split_at(layouts.text.buffers as usize);
        let unread = (operands.len()..layouts.text.operands as usize).map(|_| &buffers[0]);
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

fn describe(memory: &VulkanMemory) -> vk::DescriptorBufferInfo {
    let (buffer, offset, range) = memory.range();
    vk::DescriptorBufferInfo { buffer, offset, range }
}

impl Drop for Sets {
    fn drop(&mut self) {
        // SAFETY: no running commands use the sets: a recording that may still run is leaked together with them.
        unsafe { self.logical.raw.destroy_descriptor_pool(self.pool, None) };
    }
}
