//! A delegate and the memory of its device that a program shares.

use std::rc::Rc;

use arenite_abi::Status;
use arenite_abi::raw::{ArBindV1, ArStatus, ArStr, INTERFACE_BIND};

use super::partition_kernel::{DelegateInstance, fail};
use crate::error::{Error, Result};
use crate::host::message;
use crate::plugins::foreign::interface;

/// Memory of the program that is bound to a tensor.
pub(crate) struct BoundMemory {
    pub owner: Rc<DelegateInstance>,
    /// The delegate's name for it.
    pub handle: u64,
    /// Its size.
    pub bytes: u64,
}

impl DelegateInstance {
    fn binding(&self) -> Result<ArBindV1> {
        // SAFETY: `query` answers with null or the struct of that id.
        let found = unsafe { interface::<ArBindV1>(self.raw.query, INTERFACE_BIND) };
        found.ok_or_else(|| Error::Delegate {
            delegate: self.name.clone(),
            status: Status::Unsupported,
            message: "it has no device memory that a program can bind to tensors".into(),
        })
    }

    /// Calls a function of the interface, which reports a status.
    fn bound_call(&self, otherwise: &str, call: impl FnOnce(&ArBindV1) -> ArStatus) -> Result<()> {
        let binding = self.binding()?;
        message::clear_message();
        match call(&binding) {
            status if status == Status::Ok as u32 => Ok(()),
            status => Err(fail(&self.name, status, otherwise)),
        }
    }

    /// An object of the device's API.
    pub(crate) fn object(&self, name: &str) -> Result<u64> {
        let mut object = 0;
        // SAFETY: the instance came from `create`; the name is readable and the result writable.
        self.bound_call("it has no such object", |binding| unsafe {
            (binding.object)(self.instance(), ArStr::borrowed(name), &mut object)
        })?;
        Ok(object)
    }

    /// Binds memory of the program.
    ///
    /// # Safety
    /// The object is one of the device's API and lives as long as the bound memory.
    pub(crate) unsafe fn bind(self: &Rc<Self>, object: u64, offset: u64, bytes: u64) -> Result<BoundMemory> {
        let mut handle = 0;
        // SAFETY: the instance came from `create`; the caller vouches for the object; the result is writable.
        self.bound_call("it does not bind the memory", |binding| unsafe {
            (binding.bind)(self.instance(), object, offset, bytes, &mut handle)
        })?;
        Ok(BoundMemory { owner: Rc::clone(self), handle, bytes })
    }
}

impl BoundMemory {
    /// Copies from its start.
    pub(crate) fn read(&self, data: &mut [u8]) -> Result<()> {
        let (owner, bytes) = (&self.owner, data.len() as u64);
        // SAFETY: the instance came from `create`, and the handle from its `bind`; the bytes are borrowed for the call.
        owner.bound_call("bound memory is not read", |binding| unsafe {
            (binding.read)(owner.instance(), self.handle, data.as_mut_ptr().cast(), bytes)
        })
    }

    /// Copies to its start.
    pub(crate) fn write(&self, data: &[u8]) -> Result<()> {
        let (owner, bytes) = (&self.owner, data.len() as u64);
        // SAFETY: as in `read`.
        owner.bound_call("bound memory is not written", |binding| unsafe {
            (binding.write)(owner.instance(), self.handle, data.as_ptr().cast(), bytes)
        })
    }

    /// Copies `bytes` bytes that a kernel of the same delegate keeps. False if the device stores them in another type.
    pub(crate) fn take(&self, kept: u64, bytes: u64) -> Result<bool> {
        let owner = &self.owner;
        // SAFETY: the instance came from `create`, and the handle from its `bind`.
        let done = owner.bound_call("a value is not copied to bound memory", |binding| unsafe {
            (binding.copy)(owner.instance(), kept, self.handle, bytes)
        });
        match done {
            Err(Error::Delegate { status: Status::Unsupported, .. }) => Ok(false),
            done => done.map(|()| true),
        }
    }
}

impl Drop for BoundMemory {
    fn drop(&mut self) {
        if let Ok(binding) = self.owner.binding() {
            // SAFETY: the instance came from `create`, and the handle from its `bind`; it is not used again.
            unsafe { (binding.unbind)(self.owner.instance(), self.handle) };
        }
    }
}
