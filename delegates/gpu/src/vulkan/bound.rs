//! Memory of the program.

use std::sync::Arc;

use arenite_abi::DeviceObject;
use arenite_abi::prelude::*;
use ash::vk;
use ash::vk::Handle as _;

use super::commands::RowCopy;
use super::device::Device;
use super::memory::VulkanMemory;
use super::properties::MemoryUse;
use crate::bound::{PaddedRows, expect_inside, expect_room};
use crate::device::Memory as _;

/// Bytes of a buffer of the program.
pub struct VulkanBound {
    buffer: vk::Buffer,
    offset: u64,
    bytes: u64,
}

impl VulkanBound {
    /// `bytes` bytes at `offset` of a buffer of the device.
    ///
    /// # Errors
    /// The buffer is smaller.
    pub(super) fn new(device: &Device, object: DeviceObject, offset: u64, bytes: u64) -> Result<Self> {
        let buffer = vk::Buffer::from_raw(object.raw());
        ensure!(buffer != vk::Buffer::null(), "the VkBuffer is null");
        // SAFETY: `DeviceObject` is a buffer of this device.
        let needs = unsafe { device.logical.raw.get_buffer_memory_requirements(buffer) };
        expect_inside("VkBuffer", needs.size, offset, bytes)?;
        Ok(VulkanBound { buffer, offset, bytes })
    }

    /// Copies its rows to memory of the device.
    pub(super) fn load(
        self: &Arc<Self>,
        device: &Device,
        to: &Arc<VulkanMemory>,
        rows: PaddedRows,
    ) -> Result<()> {
        self.expect(to, rows)?;
        let copied = device.once((Arc::clone(self), Arc::clone(to)), |writer, (from, to)| {
            writer.barrier();
            if rows.floats < rows.pitch {
                writer.clear(to);
                writer.barrier();
            }
            let (buffer, at, _) = to.range();
            let [rows, bytes, dense, padded] = numbers(rows);
            let (from, pitches) = ((from.buffer, from.offset), [dense, padded]);
            writer.copy_rows(RowCopy { from, to: (buffer, at), rows, bytes, pitches });
            writer.barrier();
        });
        copied.map(drop)
    }

    /// Copies rows from memory of the device.
    pub(super) fn store(
        self: &Arc<Self>,
        device: &Device,
        from: &Arc<VulkanMemory>,
        rows: PaddedRows,
    ) -> Result<()> {
        self.expect(from, rows)?;
        let copied = device.once((Arc::clone(from), Arc::clone(self)), |writer, (from, to)| {
            writer.barrier();
            let (buffer, at, _) = from.range();
            let [rows, bytes, dense, padded] = numbers(rows);
            let (to, pitches) = ((to.buffer, to.offset), [padded, dense]);
            writer.copy_rows(RowCopy { from: (buffer, at), to, rows, bytes, pitches });
            writer.barrier();
            writer.show_host();
        });
        copied.map(drop)
    }

    /// An error unless both have these rows.
    fn expect(&self, memory: &VulkanMemory, rows: PaddedRows) -> Result<()> {
        expect_room(rows.dense_bytes(), self.bytes)?;
        let (needed, floats) = (rows.padded_floats(), memory.len());
        ensure!(needed <= floats, "{needed} floats do not go into {floats}");
        Ok(())
    }

    /// Copies from its start.
    pub(super) fn read(self: &Arc<Self>, device: &Device, data: &mut [u8]) -> Result<()> {
        expect_room(data.len() as u64, self.bytes)?;
        let (staging, bytes) = (staging(device, MemoryUse::Down, data.len())?, data.len() as u64);
        let used = (Arc::clone(self), staging);
        let (_, staging) = device.once(used, |writer, (from, to)| {
            writer.barrier();
            let (buffer, at, _) = to.range();
            let (from, to) = ((from.buffer, from.offset), (buffer, at));
            writer.copy_rows(RowCopy { from, to, rows: 1, bytes, pitches: [0; 2] });
            writer.show_host();
        })?;
        let mut words = vec![0.0; staging.len()];
        staging.read(&mut words)?;
        data.copy_from_slice(&bytemuck::cast_slice(&words)[..data.len()]);
        Ok(())
    }

    /// Copies to its start.
    pub(super) fn write(self: &Arc<Self>, device: &Device, data: &[u8]) -> Result<()> {
        expect_room(data.len() as u64, self.bytes)?;
        let (staging, bytes) = (staging(device, MemoryUse::Up, data.len())?, data.len() as u64);
        let mut words = vec![0.0f32; staging.len()];
        bytemuck::cast_slice_mut(&mut words)[..data.len()].copy_from_slice(data);
        staging.write(&words)?;
        let copied = device.once((staging, Arc::clone(self)), |writer, (from, to)| {
            let (buffer, at, _) = from.range();
            let (from, to) = ((buffer, at), (to.buffer, to.offset));
            writer.copy_rows(RowCopy { from, to, rows: 1, bytes, pitches: [0; 2] });
            writer.barrier();
            writer.show_host();
        });
        copied.map(drop)
    }
}

/// Memory that the host sees, for `bytes` bytes.
fn staging(device: &Device, purpose: MemoryUse, bytes: usize) -> Result<Arc<VulkanMemory>> {
    device.blocks.take(purpose, bytes.div_ceil(4)).map(Arc::new)
}

/// The number of rows, and in bytes the size of a row and its distances in dense and in padded memory.
fn numbers(rows: PaddedRows) -> [u64; 4] {
    let PaddedRows { rows, floats, pitch } = rows.joined();
    [rows as u64, floats as u64 * 4, floats as u64 * 4, pitch as u64 * 4]
}
