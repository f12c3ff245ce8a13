//! Device memory: blocks with one buffer each, and ranges of blocks.

use std::collections::HashMap;
use std::slice;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use arenite_abi::prelude::*;
use ash::vk;

use super::logical::Logical;
use super::properties::{MemoryTypes, MemoryUse};
use super::ranges::Ranges;
use crate::device::{self, Port};

/// The size of a block in bytes, unless a tensor needs more.
const BLOCK: u64 = 16 << 20;

/// The memory types of a device and the blocks in use.
pub(super) struct Blocks {
    logical: Arc<Logical>,
    types: MemoryTypes,
    /// The alignment of tensors in bytes.
    align: u64,
    known: Mutex<BlockLists>,
}

/// Blocks by memory type and host visibility. A block is freed with its last range.
type BlockLists = HashMap<(u32, bool), Vec<Weak<Block>>>;

/// A block of memory and its buffer.
struct Block {
    logical: Arc<Logical>,
    memory: vk::DeviceMemory,
    buffer: vk::Buffer,
    /// The address on the host; null if it is not host-visible.
    mapped: *mut u8,
    free: Mutex<Ranges>,
}

// SAFETY: the block stays mapped at the pointer as long as it lives; each range is accessed only through its
// `VulkanMemory`.
unsafe impl Send for Block {}
// SAFETY: `free` is in a mutex and assigns each range to one `VulkanMemory`; no other field of a shared block changes.
unsafe impl Sync for Block {}

/// A range of floats in a block.
pub struct VulkanMemory {
    block: Arc<Block>,
    at: u64,
    /// The allocated range in bytes.
    room: u64,
    len: usize,
    /// Held while the host copies.
    copying: Mutex<()>,
}

impl Blocks {
    /// Starts without blocks.
    pub(super) fn new(logical: Arc<Logical>, types: MemoryTypes, align: u64) -> Blocks {
        Blocks { logical, types, align, known: Mutex::default() }
    }

    /// Whether memory for tensors is host-visible.
    pub(super) fn is_unified(&self) -> bool {
        self.types.unified
    }

    /// The number of blocks in use.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.values().flatten().filter(|block| block.strong_count() > 0).count()
    }

    /// Allocates `len` uninitialized floats.
    pub(super) fn take(&self, purpose: MemoryUse, floats: usize) -> Result<VulkanMemory> {
        let room = (floats.max(1) as u64 * 4).next_multiple_of(self.align);
        let ty = self.types.get(purpose);
        let seen = purpose != MemoryUse::Device || self.types.unified;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let blocks = known.entry((ty, seen)).or_default();
        blocks.retain(|block| block.strong_count() > 0);
        let memory = |block, at| VulkanMemory { block, at, room, len: floats, copying: Mutex::default() };
        for block in blocks.iter().filter_map(Weak::upgrade) {
            let at = block.free().take(room);
            if let Some(at) = at {
                return Ok(memory(block, at));
            }
        }
        let block = Arc::new(Block::new(&self.logical, ty, room.max(BLOCK), seen)?);
        blocks.push(Arc::downgrade(&block));
        let at = block.free().take(room).ok_or_else(|| invalid!("a new block has no room"))?;
        Ok(memory(block, at))
    }
}

/// Creates a buffer for a block.
pub(super) fn buffer(logical: &Logical, bytes: u64) -> Result<vk::Buffer> {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST;
    let info = vk::BufferCreateInfo::default().size(bytes).usage(usage);
    // SAFETY: the device lives; `info` lives until the call returns.
    let buffer = unsafe { logical.raw.create_buffer(&info, None) };
    buffer.map_err(|error| logical.failed("no buffer of the device", error))
}

impl Block {
    fn new(logical: &Arc<Logical>, ty: u32, bytes: u64, seen: bool) -> Result<Block> {
        let mut block = Block {
            logical: Arc::clone(logical),
            memory: vk::DeviceMemory::null(),
            buffer: buffer(logical, bytes)?,
            mapped: std::ptr::null_mut(),
            free: Mutex::new(Ranges::new(bytes)),
        };
        let raw = &logical.raw;
        // SAFETY: the buffer belongs to the device.
        let needs = unsafe { raw.get_buffer_memory_requirements(block.buffer) };
        let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(ty);
        // SAFETY: the memory type belongs to the device; `info` lives until the call returns.
        let memory = unsafe { raw.allocate_memory(&info, None) };
        block.memory = memory.map_err(|error| {
            logical.failed(&format!("no memory of the device ({bytes} bytes are wanted)"), error)
        })?;
        // SAFETY: both are new; size and type of the memory meet the buffer's requirements.
        let bound = unsafe { raw.bind_buffer_memory(block.buffer, block.memory, 0) };
        bound.map_err(|error| logical.failed("memory is not bound to a buffer", error))?;
        if seen {
            // SAFETY: the memory type is host-visible, and the memory is not mapped yet.
            let mapped =
                unsafe { raw.map_memory(block.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()) };
            let mapped = mapped.map_err(|error| logical.failed("memory is not mapped", error))?;
            block.mapped = mapped.cast();
        }
        Ok(block)
    }

    fn free(&self) -> std::sync::MutexGuard<'_, Ranges> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: each range holds a reference to the block, and ranges that running commands use are leaked. Null
        // handles are ignored.
        unsafe {
            self.logical.raw.destroy_buffer(self.buffer, None);
            self.logical.raw.free_memory(self.memory, None);
        }
    }
}

impl device::Memory for VulkanMemory {
    fn len(&self) -> usize {
        self.len
    }
}

impl VulkanMemory {
    /// The block's buffer, and the offset and size of the range in bytes.
    pub(super) fn range(&self) -> (vk::Buffer, u64, u64) {
        (self.block.buffer, self.at, self.len.max(1) as u64 * 4)
    }

    /// Calls `copy` with the floats if they are host-visible. Any bits are valid floats, so a concurrent write of the
    /// device is harmless.
    fn with<R>(&self, copy: impl FnOnce(&mut [f32]) -> R) -> Result<R> {
        ensure!(!self.block.mapped.is_null(), "this memory is not host-visible");
        let _alone = self.copying.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the block is mapped and contains `len` floats at offset `at`; the offset is a multiple of 4, and
        // Vulkan aligns mappings to at least 64. The range belongs to this memory, and the lock excludes other accesses
        // from the host.
        let floats =
            unsafe { slice::from_raw_parts_mut(self.block.mapped.add(self.at as usize).cast(), self.len) };
        Ok(copy(floats))
    }

    /// Copies floats to its start.
    ///
    /// # Errors
    /// The floats do not fit, or the memory is not host-visible.
    pub fn write(&self, floats: &[f32]) -> Result<()> {
        ensure!(floats.len() <= self.len, "{} floats do not go into {}", floats.len(), self.len);
        self.with(|to| to[..floats.len()].copy_from_slice(floats))
    }

    /// Copies floats from its start.
    ///
    /// # Errors
    /// There are fewer floats, or the memory is not host-visible.
    pub fn read(&self, floats: &mut [f32]) -> Result<()> {
        ensure!(floats.len() <= self.len, "{} floats are not in {}", floats.len(), self.len);
        self.with(|from| floats.copy_from_slice(&from[..floats.len()]))
    }

    /// Fills it with zeros.
    ///
    /// # Errors
    /// The memory is not host-visible.
    pub fn clear(&self) -> Result<()> {
        self.with(|floats| floats.fill(0.0))
    }
}

/// Memory that the host writes or reads, with staging memory if it is not host-visible.
pub(super) struct StagedMemory {
    /// The memory.
    pub port: Port<VulkanMemory>,
    /// The staging memory.
    pub staging: Option<Arc<VulkanMemory>>,
}

impl StagedMemory {
    /// Adds staging memory for a use, if it is needed.
    pub(super) fn new(blocks: &Blocks, purpose: MemoryUse, port: Port<VulkanMemory>) -> Result<StagedMemory> {
        let staging = match blocks.is_unified() {
            true => None,
            false => Some(Arc::new(blocks.take(purpose, port.floats)?)),
        };
        Ok(StagedMemory { port, staging })
    }
}

impl Drop for VulkanMemory {
    fn drop(&mut self) {
        self.block.free().give(self.at, self.room);
    }
}
