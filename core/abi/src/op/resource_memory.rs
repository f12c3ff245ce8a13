//! Resources whose addresses a node keeps from one call to the next.

use super::EvalContext;
use crate::raw::{ArResourceMemoryV1, INTERFACE_RESOURCE_MEMORY};

impl EvalContext<'_> {
    /// A number that changes whenever the type, the shape or the address of a resource's value does; `None` if the host
    /// lacks the interface.
    ///
    /// While it stays the same, the addresses that [`ModelContext::resource`](crate::ModelContext::resource) returned
    /// remain valid in later calls, and the node may write to them.
    pub fn resource_version(&self) -> Option<u64> {
        let interface = self.query(INTERFACE_RESOURCE_MEMORY).cast::<ArResourceMemoryV1>();
        // SAFETY: the pointer is null or the struct of the id, valid during the call, as the ABI requires of `query`.
        let interface = unsafe { interface.as_ref() }?;
        // SAFETY: the interface accepts the context of `eval`.
        Some(unsafe { (interface.version)(self.raw.context) })
    }
}
