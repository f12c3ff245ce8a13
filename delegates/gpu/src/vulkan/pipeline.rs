//! Kernels that are compiled for a device.

use std::sync::Arc;

use arenite_abi::prelude::*;
use ash::vk;

use super::kernels::Text;
use super::logical::Logical;
use crate::work_groups::Extent;

/// A kernel with its constants, for work-groups of one size.
pub struct Pipeline {
    logical: Arc<Logical>,
    /// What of the kernel it is.
    pub text: &'static Text,
    /// Layouts of the kernel's buffers, and of its operands.
    pub(super) sets: [vk::DescriptorSetLayout; 2],
    pub(super) layout: vk::PipelineLayout,
    pub(super) raw: vk::Pipeline,
}

impl Pipeline {
    /// Compiles it, unless the cache has it.
    pub fn new(
        logical: &Arc<Logical>,
        cache: vk::PipelineCache,
        text: &'static Text,
        constants: &[u32],
        group: Extent,
    ) -> Result<Pipeline> {
        let mut pipeline = Pipeline {
            logical: Arc::clone(logical),
            text,
            sets: [vk::DescriptorSetLayout::null(); 2],
            layout: vk::PipelineLayout::null(),
            raw: vk::Pipeline::null(),
        };
        pipeline.lay_out()?;
        pipeline.compile(cache, constants, group)?;
        Ok(pipeline)
    }

    fn failed(&self, error: vk::Result) -> Error {
        self.logical.failed(&format!("the device's compiler, for '{}'", self.text.name), error)
    }

    fn lay_out(&mut self) -> Result<()> {
        let raw = &self.logical.raw;
        for (i, count) in [self.text.buffers, self.text.operands].into_iter().enumerate() {
            let binding = |number| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(number)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            };
            let bindings: Vec<_> = (0..count).map(binding).collect();
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            // SAFETY: the device lives; `info` and what it points at live until the call returns.
            let set = unsafe { raw.create_descriptor_set_layout(&info, None) };
            self.sets[i] = set.map_err(|error| self.failed(error))?;
        }
        let range = vk::PushConstantRange {
            stage_flags: vk::ShaderStageFlags::COMPUTE,
            offset: 0,
            size: self.text.numbers * 4,
        };
        let ranges = [range];
        let info =
            vk::PipelineLayoutCreateInfo::default().set_layouts(&self.sets).push_constant_ranges(&ranges);
        // SAFETY: as above; the sets are the device's.
        let layout = unsafe { raw.create_pipeline_layout(&info, None) };
        self.layout = layout.map_err(|error| self.failed(error))?;
        Ok(())
    }

    fn compile(&mut self, cache: vk::PipelineCache, constants: &[u32], group: Extent) -> Result<()> {
        let raw = &self.logical.raw;
        let words = self.text.words(group)?;
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        // SAFETY: the words are SPIR-V that naga made and that its validator has seen, with another work-group, which is within the device's limits.
        let module = unsafe { raw.create_shader_module(&info, None) }.map_err(|error| self.failed(error))?;
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
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.layout);
        // SAFETY: all that `info` names is the device's or lives until the call returns; the layout has what the module declares. Drivers lock
        // the cache. The module is no longer needed behind it.
        let made = unsafe {
            let made = raw.create_compute_pipelines(cache, &[info], None);
            raw.destroy_shader_module(module, None);
            made
        };
        let made = made.map_err(|(_, error)| self.failed(error))?;
        self.raw = made[0];
        Ok(())
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        let raw = &self.logical.raw;
        // SAFETY: recordings hold the pipelines that they use, and what does not end is never dropped. Null handles are ignored.
        unsafe {
            raw.destroy_pipeline(self.raw, None);
            raw.destroy_pipeline_layout(self.layout, None);
            self.sets.into_iter().for_each(|set| raw.destroy_descriptor_set_layout(set, None));
        }
    }
}
