//! Steps as a command buffer has them: pipelines, descriptor sets, numbers.

use std::sync::Arc;

use arenite_abi::prelude::*;
use ash::vk;

use super::commands::Writer;
use super::device::{Device, Variant};
use super::logical::Logical;
use super::memory::Memory;
use super::pipeline::Pipeline;
use super::turns;
use crate::device::{Argument, Launch, Step};
use crate::tuner::{Tuner, Untimed};
use crate::work_groups::Extent;

/// What the device does next.
pub enum Command {
    /// A kernel runs.
    Dispatch(Dispatch),
    /// Memory becomes zeros.
    Clear(Arc<Memory>),
}

/// A kernel with its arguments.
pub struct Dispatch {
    pub(super) variant: Variant,
    pub(super) grid: Extent,
    /// Null until they are [bound](Sets::bind).
    sets: [vk::DescriptorSet; 2],
    numbers: Vec<i32>,
    work: Work,
    /// What is bound, for as long as it may run.
    memory: Vec<Arc<Memory>>,
}

/// How a kernel is dispatched.
enum Work {
    /// In so many work-groups of the pipeline's size.
    Groups(Arc<Pipeline>, Extent),
    /// The size is not known yet.
    Untimed(Untimed),
}

/// Descriptor sets of all kernels.
pub struct Sets {
    logical: Arc<Logical>,
    pool: vk::DescriptorPool,
}

impl Command {
    /// A step without its sets.
    pub fn new(device: &Device, tuner: &Tuner, step: Step<'_, Memory>) -> Result<Command> {
        match step {
            Step::Launch(launch) => Dispatch::new(device, tuner, launch).map(Command::Dispatch),
            Step::Clear(memory) => Ok(Command::Clear(memory)),
        }
    }

    /// Whether it has to be timed before it can run.
    pub fn is_untimed(&self) -> bool {
        matches!(self, Command::Dispatch(dispatch) if dispatch.untimed().is_some())
    }
}

impl Dispatch {
    /// Finds its pipeline, where the size is known, and looks at its arguments.
    fn new(device: &Device, tuner: &Tuner, launch: Launch<'_, Memory>) -> Result<Dispatch> {
        let Launch { kernel, arguments, grid, kind } = launch;
        let (variant, grid) = (device.variant(kernel)?, grid.map(|n| n.max(1)));
        let (mut memory, mut numbers) = (Vec::new(), Vec::new());
        for argument in arguments {
            match argument {
                Argument::Memory(bound) => memory.push(bound),
                Argument::Number(number) => numbers.push(number),
            }
        }
        expect(&variant, memory.len(), &numbers)?;
        device.expect_turns(turns::of(kernel.name, variant.layouts.text, &numbers)?, kernel.name)?;
        let (info, key) = (&device.about.limits, || device.key(&variant, None));
        let (size, untimed) = tuner.size(&device.sizes, key, (grid, kind), (info, info.total));
        let work = match untimed {
            Some(untimed) => Work::Untimed(untimed),
            None => groups(device, tuner, &variant, grid, size)?,
        };
        let sets = [vk::DescriptorSet::null(); 2];
        Ok(Dispatch { variant, grid, sets, numbers, work, memory })
    }

    /// What has to be timed before it can run.
    pub fn untimed(&self) -> Option<&Untimed> {
        match &self.work {
            Work::Groups(..) => None,
            Work::Untimed(untimed) => Some(untimed),
        }
    }

    /// From now on it runs in work-groups of this size.
    pub fn resize(&mut self, device: &Device, tuner: &Tuner, size: Extent) -> Result<()> {
        self.work = groups(device, tuner, &self.variant, self.grid, size)?;
        Ok(())
    }

    /// Into a command buffer.
    pub fn write(&self, writer: &Writer<'_>) -> Result<()> {
        match &self.work {
            Work::Groups(pipeline, groups) => self.write_with(writer, pipeline, *groups),
            Work::Untimed(_) => return Err(invalid!("a kernel is recorded before it is tuned")),
        }
        Ok(())
    }

    /// The same, with a pipeline of its variant, and so many work-groups, which are within the device's limits.
    pub(super) fn write_with(&self, writer: &Writer<'_>, pipeline: &Pipeline, [x, y, z]: Extent) {
        let (raw, buffer, point) = (writer.raw(), writer.buffer, vk::PipelineBindPoint::COMPUTE);
        let (layout, numbers) = (self.variant.layouts.all, bytemuck::cast_slice(&self.numbers));
        // SAFETY: the buffer is being recorded. Sets and numbers are those of the layout, as was checked; the groups are within
        // the device's limits.
        unsafe {
            raw.cmd_bind_pipeline(buffer, point, pipeline.raw);
            raw.cmd_bind_descriptor_sets(buffer, point, layout, 0, &self.sets, &[]);
            raw.cmd_push_constants(buffer, layout, vk::ShaderStageFlags::COMPUTE, 0, numbers);
            raw.cmd_dispatch(buffer, x, y, z);
        }
    }
}

/// An error unless these are the kernel's arguments.
fn expect(variant: &Variant, memory: usize, numbers: &[i32]) -> Result<()> {
    let text = variant.layouts.text;
    let fits = (text.buffers..=text.buffers + text.operands).contains(&(memory as u32));
    ensure!(
        fits && numbers.len() == text.numbers.len(),
        "the kernel '{}' has {} buffers and {} numbers, given are {memory} and {}",
        text.name,
        text.buffers,
        text.numbers.len(),
        numbers.len()
    );
    Ok(())
}

/// Work-groups of this size over a grid, with their pipeline.
fn groups(device: &Device, tuner: &Tuner, variant: &Variant, grid: Extent, size: Extent) -> Result<Work> {
    let name = variant.layouts.text.name;
    let groups = device.groups(grid, size);
    let groups = groups.ok_or_else(|| unsupported!("a grid of {grid:?} is too large for '{name}'"))?;
    Ok(Work::Groups(device.pipeline(variant, size, tuner)?, groups))
}

impl Sets {
    /// Those of all commands.
    pub fn bind(logical: &Arc<Logical>, commands: &mut [Command]) -> Result<Sets> {
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
        // SAFETY: the device lives; `info` and what it points at live until the call returns.
        let pool = unsafe { logical.raw.create_descriptor_pool(&info, None) };
        let pool = pool.map_err(|error| logical.failed("no descriptors of the device", error))?;
        let sets = Sets { logical: Arc::clone(logical), pool };
        for dispatch in &mut dispatches {
            dispatch.sets = sets.of(dispatch)?;
        }
        Ok(sets)
    }

    /// The sets of a kernel. Operands that it does not read are bound, too, to something.
    fn of(&self, dispatch: &Dispatch) -> Result<[vk::DescriptorSet; 2]> {
        let (raw, layouts) = (&self.logical.raw, &dispatch.variant.layouts);
        let info =
            vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.pool).set_layouts(&layouts.sets);
        // SAFETY: the pool has room for two sets of each step, and is used here alone.
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
