//! The host's side of a delegate's `compile`, and the report on a kernel's scratch memory.

use std::ffi::c_void;

use arenite_abi::UsageRecord;
use arenite_abi::host_side::{ConstantsSide, HostSide, MemorySide, constants, device_memory, memory};
use arenite_abi::raw::{
    ArCompileHostV1, ArDescribeV1, ArHeader, ArPartitionV1, ArPlanNotesV1, ArStatus, ArStr, ArTensorV1,
    INTERFACE_CONSTANTS, INTERFACE_DEVICE_MEMORY, INTERFACE_MEMORY, TENSOR_CONSTANT, slice,
};

use super::message::Refused;
use crate::call::run::Run;
use crate::quota::Holding;

/// The context of `compile`.
pub(crate) struct CompileHost<'a> {
    pub partition: &'a ArPartitionV1,
    /// The index of the subgraph.
    pub subgraph: usize,
    /// Bytes that the kernel holds.
    pub held: &'a Holding,
    /// Bytes of device memory that the kernel holds.
    pub on_device: &'a Holding,
    /// The delegate's name.
    pub name: &'a str,
    pub run: &'a Run<'a>,
}

impl CompileHost<'_> {
    /// The struct for the plugin; it borrows this value.
    pub(crate) fn as_raw(&mut self, subgraphs: &ArDescribeV1) -> ArCompileHostV1 {
        ArCompileHostV1 {
            header: ArHeader::of::<ArCompileHostV1>(),
            context: std::ptr::from_mut(self).cast(),
            threads: self.run.settings.threads,
            subgraphs,
            query,
        }
    }

    /// The bytes of constant `tensor`.
    fn constant(&self, tensor: usize) -> Option<&[u8]> {
        // SAFETY: the graph outlives the partition, and its tensor table has `tensor_count` entries.
        let tensors = unsafe {
            let graph = &*self.partition.graph;
            slice(graph.tensors, graph.tensor_count)
        };
        let tensor: &ArTensorV1 = tensors.get(tensor)?;
        // SAFETY: a constant's bytes are readable for as long as the interpreter lives.
        (tensor.flags & TENSOR_CONSTANT != 0)
            .then(|| unsafe { slice(tensor.data.cast::<u8>().cast_const(), tensor.bytes as usize) })
    }
}

impl HostSide for CompileHost<'_> {
    type Refused = Refused;

    fn report(refused: Refused) -> ArStatus {
        refused.report()
    }
}

impl ConstantsSide for CompileHost<'_> {
    fn release(&mut self, tensor: usize) -> bool {
        let bytes = self.constant(tensor);
        bytes.map(|bytes| self.run.release(bytes)).is_some()
    }

    fn origin(&self) -> [u64; 4] {
        self.run.origin(self.subgraph)
    }
}

impl MemorySide for CompileHost<'_> {
    fn room(&self) -> u64 {
        self.held.room()
    }

    fn hold(&mut self, bytes: u64) -> Result<(), Refused> {
        Ok(self.held.set(bytes, &held_by(self.name))?)
    }

    fn device_room(&self) -> u64 {
        self.on_device.room()
    }

    fn hold_on_device(&mut self, bytes: u64) -> Result<(), Refused> {
        Ok(self.on_device.set(bytes, &held_on_device_by(self.name))?)
    }
}

/// The purpose of a kernel's bytes, for errors.
pub(crate) fn held_by(delegate: &str) -> String {
    format!("what delegate '{delegate}' holds")
}

/// The purpose of a kernel's device memory, for errors.
pub(crate) fn held_on_device_by(delegate: &str) -> String {
    format!("what delegate '{delegate}' holds on its device")
}

unsafe extern "C" fn query(_context: *mut c_void, interface: u64) -> *const c_void {
    match interface {
        INTERFACE_CONSTANTS => (&raw const *constants::<CompileHost<'static>>()).cast(),
        INTERFACE_MEMORY => (&raw const *memory::<CompileHost<'static>>()).cast(),
        INTERFACE_DEVICE_MEMORY => (&raw const *device_memory::<CompileHost<'static>>()).cast(),
        _ => std::ptr::null(),
    }
}

/// A buffer inside a kernel's scratch memory.
#[derive(Clone, Debug)]
pub(crate) struct InnerBuffer {
    /// The number of the scratch memory, in the order of the kernel's requests.
    pub scratch: u32,
    /// Size, and lifetime in the kernel's own steps.
    pub record: UsageRecord,
    /// Its offset in the scratch memory.
    pub offset: u64,
    pub name: String,
}

/// Collects the buffers that a kernel reports. The struct borrows `buffers`.
pub(crate) fn plan_notes(buffers: &mut Vec<InnerBuffer>) -> ArPlanNotesV1 {
    ArPlanNotesV1 {
        header: ArHeader::of::<ArPlanNotesV1>(),
        context: std::ptr::from_mut(buffers).cast(),
        note,
    }
}

unsafe extern "C" fn note(
    context: *mut c_void,
    scratch: u32,
    record: *const UsageRecord,
    offset: u64,
    name: ArStr,
) {
    // SAFETY: the context is the buffers of the call in progress; record and name are readable for it.
    unsafe {
        let buffers = &mut *context.cast::<Vec<InnerBuffer>>();
        buffers.push(InnerBuffer { scratch, record: *record, offset, name: name.as_str().to_owned() });
    }
}
