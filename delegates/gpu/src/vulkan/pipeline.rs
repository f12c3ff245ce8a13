//! Compiled kernels.

use std::sync::Arc;

use arenite_abi::prelude::*;
use ash::vk;

use super::kernels::Text;
use super::logical::Logical;
use crate::work_groups::Extent;

/// The layouts of a kernel's arguments: buffers, operands and numbers.
pub(super) struct Layouts {
    logical: Arc<Logical>,
    /// The kernel.
    pub text: &'static Text,
    /// The layouts of buffers and operands.
    pub(super) sets: [vk::DescriptorSetLayout; 2],
    pub(super) all: vk::PipelineLayout,
}

impl Layouts {
    /// Creates the layouts of a kernel.
    pub(super) fn new(logical: &Arc<Logical>, text: &'static Text) -> Result<Layouts> {
        let (sets, all) = ([vk::DescriptorSetLayout::null(); 2], vk::PipelineLayout::null());
        let mut layouts = Layouts { logical: Arc::clone(logical), text, sets, all };
        for (i, count) in [text.buffers, text.operands].into_iter().enumerate() {
            layouts.sets[i] = layouts.set(count)?;
        }
        let size = 4 * text.numbers;
        let ranges = [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::COMPUTE, offset: 0, size }];
        let info =
            vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts.sets).push_constant_ranges(&ranges);
        // SAFETY: the device lives; `info` and its pointers live until the call returns; the sets belong to the device.
        let all = unsafe { logical.raw.create_pipeline_layout(&info, None) };
        layouts.all = all.map_err(|error| failed(logical, text, error))?;
        Ok(layouts)
    }

    fn set(&self, count: u32) -> Result<vk::DescriptorSetLayout> {
        let binding = |number| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(number)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        };
        let bindings: Vec<_> = (0..count).map(binding).collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: the device lives; `info` and its pointers live until the call returns.
        let set = unsafe { self.logical.raw.create_descriptor_set_layout(&info, None) };
        set.map_err(|error| failed(&self.logical, self.text, error))
    }
}

impl Drop for Layouts {
    fn drop(&mut self) {
        let raw = &self.logical.raw;
        // SAFETY: pipelines and recordings hold references to their layouts. Null handles are ignored.
        unsafe {
            raw.destroy_pipeline_layout(self.all, None);
            self.sets.into_iter().for_each(|set| raw.destroy_descriptor_set_layout(set, None));
        }
    }
}

fn failed(logical: &Logical, text: &Text, error: vk::Result) -> Error {
    logical.failed(&format!("the device's compiler, for '{}'", text.name), error)
}

/// A kernel with its constants and work-group.
pub(super) struct Pipeline {
    layouts: Arc<Layouts>,
    pub(super) raw: vk::Pipeline,
    /// The size of its work-groups.
    pub(super) group: Extent,
}

impl Pipeline {
    /// Compiles a kernel, or loads it from the cache, which may be null.
    pub(super) fn new(
        layouts: &Arc<Layouts>,
        cache: vk::PipelineCache,
        constants: &[u32],
        group: Extent,
    ) -> Result<Pipeline> {
        let (logical, text) = (&layouts.logical, layouts.text);
        let failed = |error| failed(logical, text, error);
        let words = text.words(group)?;
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        // SAFETY: the words are SPIR-V that naga validated and wrote; only the work-group was replaced, by one within
        // the device's limits.
        let module = unsafe { logical.raw.create_shader_module(&info, None) }.map_err(failed)?;
        let entry =
            |i: usize| vk::SpecializationMapEntry { constant_id: i as u32, offset: i as u32 * 4, size: 4 };
        let entries: Vec<_> = (0..constants.len()).map(entry).collect();
        let values =
            vk::SpecializationInfo::default().map_entries(&entries).data(bytemuck::cast_slice(constants));
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main")
            .specialization_info(&values);
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layouts.all);
        // SAFETY: the objects in `info` belong to the device or live until the call returns; the layout matches the
        // module's declarations. The cache belongs to the device or is null. The module may be destroyed afterwards.
        let made = unsafe {
            let made = logical.raw.create_compute_pipelines(cache, &[info], None);
            logical.raw.destroy_shader_module(module, None);
            made
        };
        let made = made.map_err(|(_, error)| failed(error))?;
        Ok(Pipeline { layouts: Arc::clone(layouts), raw: made[0], group })
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        // SAFETY: recordings hold references to their pipelines, and recordings that may still run are leaked.
        unsafe { self.layouts.logical.raw.destroy_pipeline(self.raw, None) };
    }
}
