//! Binds memory of the program on a delegate's device to inputs and outputs.

use super::Interpreter;
use crate::error::Result;

/// Memory of the program on a delegate's device: for `opencl` a `cl_mem` of the context that
/// [`Interpreter::device_object`] names, for `vulkan` a `VkBuffer` of its device. It contains the tensor's elements in
/// their order, without padding, in the tensor's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceMemory {
    /// The delegate's name.
    pub delegate: String,
    /// The object's pointer or number.
    pub object: u64,
    /// Where the tensor begins in it, in bytes; a multiple of 4.
    pub offset: u64,
    /// Bytes from there; at least the tensor's.
    pub bytes: u64,
}

impl Interpreter {
    /// An object of the API of a delegate's device, on which a program creates [`DeviceMemory`], as a pointer or
    /// number. `opencl` has `context`, `device` and `queue`; `vulkan` has `instance`, `physical_device`, `device`,
    /// `queue` and `queue_family`. All interpreters of a process share them, except the `queue` of `opencl`. A program
    /// that submits to the `queue` of `vulkan` does so while no interpreter with that delegate runs.
    ///
    /// # Errors
    /// The interpreter is not allocated, or the delegate is missing, has no device memory, or has no such object; the
    /// message has the known names.
    pub fn device_object(&mut self, delegate: &str, name: &str) -> Result<u64> {
        self.executor_mut(0)?.device_object(delegate, name)
    }

    /// Binds device memory to an input or an output until [`unbind_device_memory`](Self::unbind_device_memory) or the
    /// next binding. Invocations read the input from it, or write the output to it, and
    /// [`Tensor::bytes`](crate::Tensor::bytes) is an error. Partitions of the delegate copy a FLOAT32 tensor on the
    /// device; other types, other delegates and nodes on the host use a copy on the host. Several interpreters can bind
    /// the same memory, one as an output and the next as an input.
    ///
    /// When an invocation starts, the program's own commands on the memory must have completed; when it returns, the
    /// delegate's have.
    ///
    /// # Errors
    /// The interpreter is not allocated; the delegate is missing or has no device memory; a tensor of another kind; a
    /// tied tensor; too few bytes, with both sizes; an object of another context. The earlier binding stays then. An
    /// invocation after a resize fails if the memory is too small for the new shape.
    ///
    /// # Safety
    /// The object is a `cl_mem` or `VkBuffer` of the device, with the usage `TRANSFER_SRC` and `TRANSFER_DST` for
    /// Vulkan. It lives until it is unbound or the interpreter is dropped, and nothing else uses these bytes during an
    /// invocation.
    pub unsafe fn bind_device_memory(
        &mut self,
        subgraph: usize,
        tensor: usize,
        memory: &DeviceMemory,
    ) -> Result<()> {
        self.check_tensor(subgraph, tensor)?;
        self.check_untied(subgraph, tensor)?;
        let DeviceMemory { delegate, object, offset, bytes } = memory;
        // SAFETY: as the caller guarantees.
        unsafe { self.executor_mut(subgraph)?.bind(tensor, delegate, [*object, *offset, *bytes]) }
    }

    /// Ends a binding; false if the tensor had none. An output's value stays in the device memory.
    ///
    /// # Errors
    /// An index is out of range.
    pub fn unbind_device_memory(&mut self, subgraph: usize, tensor: usize) -> Result<bool> {
        self.check_tensor(subgraph, tensor)?;
        Ok(self.executor_mut(subgraph)?.unbind(tensor))
    }
}
