//! Memory of the program.

use std::sync::{Mutex, MutexGuard, PoisonError};

use arenite_abi::DeviceObject;
use arenite_abi::prelude::*;
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::memory::{Buffer, CL_MEM_OBJECT_BUFFER, ClMem as _, retain_mem_object};
use opencl3::types::{CL_BLOCKING, cl_mem};

use super::failed;
use super::memory::OpenClMemory;
use crate::bound::{PaddedRows, expect_inside, expect_room};
use crate::device::Memory as _;

/// Bytes of a buffer of the program, which this retains.
pub struct OpenClBound {
    /// Held while a command that changes the buffer is enqueued.
    buffer: Mutex<Buffer<u8>>,
    /// The same for copies of floats.
    floats: Mutex<Buffer<f32>>,
    offset: usize,
    bytes: u64,
}

impl OpenClBound {
    /// Retains `bytes` bytes at `offset` of a buffer.
    ///
    /// # Errors
    /// The buffer is smaller, or belongs to another context.
    pub(super) fn new(context: &Context, object: DeviceObject, offset: u64, bytes: u64) -> Result<Self> {
        let raw = object.raw() as cl_mem;
        ensure!(!raw.is_null(), "the cl_mem is null");
        let buffer: Buffer<u8> = retained(raw)?;
        let read = |error| failed("a cl_mem does not describe itself", error);
        if buffer.mem_type().map_err(read)? != CL_MEM_OBJECT_BUFFER {
            return Err(invalid!("the cl_mem is no buffer"));
        }
        if buffer.context().map_err(read)? != context.get() {
            return Err(invalid!(
                "the cl_mem belongs to another context: create it in the delegate's, its object 'context'"
            ));
        }
        expect_inside("cl_mem", buffer.size().map_err(read)? as u64, offset, bytes)?;
        let floats = Mutex::new(retained(raw)?);
        Ok(OpenClBound { buffer: Mutex::new(buffer), floats, offset: offset as usize, bytes })
    }

    fn buffer(&self) -> MutexGuard<'_, Buffer<u8>> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn floats(&self) -> MutexGuard<'_, Buffer<f32>> {
        self.floats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enqueues a copy of its rows to memory of the device.
    pub(super) fn load(&self, queue: &CommandQueue, to: &OpenClMemory, rows: PaddedRows) -> Result<()> {
        let (from, mut to) = (self.floats(), self.expect(to, rows)?);
        let (origins, pitches) = ([self.offset, 0], [rows.floats * 4, rows.pitch * 4]);
        copy(queue, &from, &mut to, origins, rows, pitches)
    }

    /// Enqueues a copy of rows from memory of the device.
    pub(super) fn store(&self, queue: &CommandQueue, from: &OpenClMemory, rows: PaddedRows) -> Result<()> {
        let (from, mut to) = (self.expect(from, rows)?, self.floats());
        let (origins, pitches) = ([0, self.offset], [rows.pitch * 4, rows.floats * 4]);
        copy(queue, &from, &mut to, origins, rows, pitches)
    }

    /// The buffer of the device. An error unless both have these rows.
    fn expect<'m>(&self, memory: &'m OpenClMemory, rows: PaddedRows) -> Result<MutexGuard<'m, Buffer<f32>>> {
        expect_room(rows.dense_bytes(), self.bytes)?;
        let (needed, floats) = (rows.padded_floats(), memory.len());
        ensure!(needed <= floats, "{needed} floats do not go into {floats}");
        Ok(memory.buffer())
    }

    /// Copies from its start.
    pub(super) fn read(&self, queue: &CommandQueue, data: &mut [u8]) -> Result<()> {
        expect_room(data.len() as u64, self.bytes)?;
        if data.is_empty() {
            return Ok(());
        }
        // SAFETY: the length was checked above; the call blocks until the bytes are written.
        let event = unsafe { queue.enqueue_read_buffer(&self.buffer(), CL_BLOCKING, self.offset, data, &[]) };
        event.map(drop).map_err(|error| failed("bound memory is not read", error))
    }

    /// Copies to its start.
    pub(super) fn write(&self, queue: &CommandQueue, data: &[u8]) -> Result<()> {
        expect_room(data.len() as u64, self.bytes)?;
        if data.is_empty() {
            return Ok(());
        }
        let buffer = &mut self.buffer();
        // SAFETY: the length was checked above; the call blocks until the bytes are read.
        let event = unsafe { queue.enqueue_write_buffer(buffer, CL_BLOCKING, self.offset, data, &[]) };
        event.map(drop).map_err(|error| failed("bound memory is not written", error))
    }
}

/// A buffer that releases one reference when it is dropped.
fn retained<T>(raw: cl_mem) -> Result<Buffer<T>> {
    // SAFETY: `DeviceObject` is an object of the API, and not null.
    let done = unsafe { retain_mem_object(raw) };
    done.map_err(|code| invalid!("the object is no cl_mem: OpenCL says {code}"))?;
    Ok(Buffer::new(raw))
}

/// Enqueues a copy of rows. The caller checked that both buffers contain them.
fn copy(
    queue: &CommandQueue,
    from: &Buffer<f32>,
    to: &mut Buffer<f32>,
    [from_at, to_at]: [usize; 2],
    rows: PaddedRows,
    [from_pitch, to_pitch]: [usize; 2],
) -> Result<()> {
    if rows.rows * rows.floats == 0 {
        return Ok(());
    }
    let joined = rows.joined();
    // SAFETY: the caller checked the sizes. The buffers differ: one is the program's, one the device's. All arrays have
    // three sizes, which the call reads.
    let event = unsafe {
        if joined.rows == 1 {
            queue.enqueue_copy_buffer(from, to, from_at, to_at, joined.floats * 4, &[])
        } else {
            let (from_origin, to_origin) = ([from_at, 0, 0], [to_at, 0, 0]);
            let region = [rows.floats * 4, rows.rows, 1];
            let (from_origin, to_origin) = (from_origin.as_ptr(), to_origin.as_ptr());
            let (from_slice, to_slice) = (0, 0);
            queue.enqueue_copy_buffer_rect(
                from,
                to,
                from_origin,
                to_origin,
                region.as_ptr(),
                from_pitch,
                from_slice,
                to_pitch,
                to_slice,
                &[],
            )
        }
    };
    event.map(drop).map_err(|error| failed("a tensor does not move on the device", error))
}
