//! Memory of a device: blocks, each with one buffer over all of it, and ranges of them.

use std::collections::HashMap;
use std::slice;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use arenite_abi::prelude::*;
use ash::vk;

use super::about::{Types, Use};
use super::logical::Logical;
use super::ranges::Ranges;
use crate::device::{self, Port};

/// Bytes of a block, unless one tensor needs more.
const BLOCK: u64 = 16 << 20;

/// What memory a device has, and what of it is in use.
pub struct Blocks {
    logical: Arc<Logical>,
    types: Types,
    /// What offsets of tensors are multiples of.
    align: u64,
    known: Mutex<Known>,
}

/// Blocks by type, and by whether the host sees them. They go with the last of their ranges.
type Known = HashMap<(u32, bool), Vec<Weak<Block>>>;

/// Memory under a buffer.
struct Block {
    logical: Arc<Logical>,
    memory: vk::DeviceMemory,
    buffer: vk::Buffer,
    /// Where the host sees it, null if it does not.
    mapped: *mut u8,
    free: Mutex<Ranges>,
}

// SAFETY: the pointer goes where the block is mapped, which stays so as long as it lives; a range of it is used by its `Memory` alone.
unsafe impl Send for Block {}
// SAFETY: `free` is behind a mutex and hands each range to one `Memory`; nothing else of a shared block is changed.
unsafe impl Sync for Block {}

/// Floats in a device's memory.
pub struct Memory {
    block: Arc<Block>,
    at: u64,
    /// Bytes that were taken.
    room: u64,
    len: usize,
    /// Held while the host copies.
    copying: Mutex<()>,
}

impl Blocks {
    /// None yet.
    pub fn new(logical: Arc<Logical>, types: Types, align: u64) -> Blocks {
        Blocks { logical, types, align, known: Mutex::default() }
    }

    /// Whether the host sees what is for tensors.
    pub fn unified(&self) -> bool {
        self.types.unified
    }

    /// Blocks that are in use.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.values().flatten().filter(|block| block.strong_count() > 0).count()
    }

    /// Room for so many floats, whose values are not known.
    pub fn take(&self, purpose: Use, floats: usize) -> Result<Memory> {
        let room = (floats.max(1) as u64 * 4).next_multiple_of(self.align);
        let ty = self.types.get(purpose);
        let seen = purpose != Use::Device || self.types.unified;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let blocks = known.entry((ty, seen)).or_default();
        blocks.retain(|block| block.strong_count() > 0);
        let memory = |block, at| Memory { block, at, room, len: floats, copying: Mutex::default() };
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

/// A buffer as those of blocks are.
pub fn buffer(logical: &Logical, bytes: u64) -> Result<vk::Buffer> {
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
        // SAFETY: the buffer is the device's.
        let needs = unsafe { raw.get_buffer_memory_requirements(block.buffer) };
        let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(ty);
        // SAFETY: the type is one of the device's; `info` lives until the call returns.
        let memory = unsafe { raw.allocate_memory(&info, None) };
        block.memory = memory.map_err(|error| {
            logical.failed(&format!("no memory of the device ({bytes} bytes are wanted)"), error)
        })?;
        // SAFETY: both are new; the memory is as large as the buffer needs, and of a type for buffers of this kind.
        let bound = unsafe { raw.bind_buffer_memory(block.buffer, block.memory, 0) };
        bound.map_err(|error| logical.failed("memory is not bound to a buffer", error))?;
        if seen {
            // SAFETY: the type is one that the host sees; nobody has mapped the memory.
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
        // SAFETY: whatever uses a range of it holds the block, and what does not end is never dropped. Null handles are ignored.
        unsafe {
            self.logical.raw.destroy_buffer(self.buffer, None);
            self.logical.raw.free_memory(self.memory, None);
        }
    }
}

impl device::Memory for Memory {
    fn len(&self) -> usize {
        self.len
    }
}

impl Memory {
    /// The buffer in which it lies, from which byte on, and how many bytes it has.
    pub(super) fn range(&self) -> (vk::Buffer, u64, u64) {
        (self.block.buffer, self.at, self.len.max(1) as u64 * 4)
    }

    /// Calls `copy` with the floats if the host sees them: whatever the device does with them meanwhile, they are numbers.
    fn with<R>(&self, copy: impl FnOnce(&mut [f32]) -> R) -> Result<R> {
        ensure!(!self.block.mapped.is_null(), "the host does not see this memory");
        let _alone = self.copying.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the block is mapped, and `len` floats from `at` on are in it; the offset is a multiple of 4, and the mapping
        // of 64, as Vulkan has it. The range is this memory's alone, and nobody else on the host has it while the lock is held.
        let floats =
            unsafe { slice::from_raw_parts_mut(self.block.mapped.add(self.at as usize).cast(), self.len) };
        Ok(copy(floats))
    }

    /// Copies floats to its beginning.
    pub fn write(&self, floats: &[f32]) -> Result<()> {
        ensure!(floats.len() <= self.len, "{} floats do not go into {}", floats.len(), self.len);
        self.with(|to| to[..floats.len()].copy_from_slice(floats))
    }

    /// Copies floats from its beginning.
    pub fn read(&self, floats: &mut [f32]) -> Result<()> {
        ensure!(floats.len() <= self.len, "{} floats are not in {}", floats.len(), self.len);
        self.with(|from| floats.copy_from_slice(&from[..floats.len()]))
    }

    /// Makes all of it zeros.
    pub fn clear(&self) -> Result<()> {
        self.with(|floats| floats.fill(0.0))
    }
}

/// Memory that the host writes or reads, through staging memory where it does not see it.
pub struct Staged {
    /// The memory.
    pub port: Port<Memory>,
    /// What the host sees in its place.
    pub staging: Option<Arc<Memory>>,
}

impl Staged {
    /// With staging memory for this use, where it is needed.
    pub fn new(blocks: &Blocks, purpose: Use, port: Port<Memory>) -> Result<Staged> {
        let staging = match blocks.unified() {
            true => None,
            false => Some(Arc::new(blocks.take(purpose, port.floats)?)),
        };
        Ok(Staged { port, staging })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.block.free().give(self.at, self.room);
    }
}
