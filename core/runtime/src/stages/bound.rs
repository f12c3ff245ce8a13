//! Memory of the program on a delegate's device, in place of the host's memory of an input or output.
//!
//! ```text
//!  bound input ─► partition of the delegate        the delegate reads it on the device
//!             └─► host, other delegates            its value is copied to the host first
//!  partition of the delegate ─► bound output       copied on the device
//!  host, other delegates ─────► bound output       copied to the device
//! ```

use std::rc::Rc;

use super::delegate_device::BoundMemory;
use super::executor::Executor;
use super::memory::Memory;
use super::partition_kernel::DelegateInstance;
use super::prepared::StageError;
use super::site::Site;
use crate::error::{Error, Result};
use crate::graph::Graph;

impl Executor {
    /// The instance of a delegate in use.
    fn instance_of(&self, delegate: &str) -> Result<Rc<DelegateInstance>> {
        if !self.is_ready() {
            return Err(Error::State(format!(
                "delegate '{delegate}' has no device yet: call allocate() first"
            )));
        }
        if let Some(found) = self.delegates.named(delegate) {
            return Ok(found);
        }
        match self.delegates.left_out().find(|left_out| left_out.delegate == delegate) {
            Some(left_out) => Err(Error::State(format!("'{delegate}' was left out: {}", left_out.reason))),
            None => Err(Error::State(format!("no delegate '{delegate}' is set: add it when you build"))),
        }
    }

    /// An object of the API of a delegate's device.
    pub(crate) fn device_object(&self, delegate: &str, name: &str) -> Result<u64> {
        self.instance_of(delegate)?.object(name)
    }

    /// Binds memory on a delegate's device to tensor `t`.
    ///
    /// # Safety
    /// The object is one of the device's API, and lives until the memory is unbound or the executor is dropped.
    pub(crate) unsafe fn bind(
        &mut self,
        t: usize,
        delegate: &str,
        [object, offset, bytes]: [u64; 3],
    ) -> Result<()> {
        let instance = self.instance_of(delegate)?;
        self.check_bindable(t, bytes)?;
        // SAFETY: as the caller guarantees.
        let bound = unsafe { instance.bind(object, offset, bytes) }?;
        self.memory.table.set_handle(t, Some(bound.handle));
        self.memory.bound.insert(t, bound);
        Ok(())
    }

    /// Ends the binding of tensor `t`; false if it had none.
    pub(crate) fn unbind(&mut self, t: usize) -> bool {
        let bound = self.memory.bound.remove(&t);
        if bound.is_some() {
            self.memory.table.set_handle(t, None);
        }
        bound.is_some()
    }

    fn check_bindable(&self, t: usize, bytes: u64) -> Result<()> {
        let info = &self.graph.tensors[t];
        let refuse =
            |message: &str| Err(Error::Tensor { name: info.name.to_string(), message: message.into() });
        if info.constant.is_some() || self.memory.table.is_constant(t) {
            return refuse("it is constant, its memory is the model's");
        }
        if info.ty.bits() == 0 {
            return refuse("it has strings, which have no place in memory of a device");
        }
        if info.variable || !(self.graph.is_input(t) || self.graph.is_output(t)) {
            return refuse("memory of a device can be bound to inputs and outputs only");
        }
        check_size(&self.graph, t, self.memory.table.get(t).bytes, bytes)
    }
}

/// An error unless `bytes` bound bytes suffice for tensor `t`.
fn check_size(graph: &Graph, t: usize, needed: u64, bytes: u64) -> Result<()> {
    if needed <= bytes {
        return Ok(());
    }
    let name = graph.tensors[t].name.to_string();
    let message = format!("the device memory bound to it has {bytes} bytes, it needs {needed}: bind more");
    Err(Error::Tensor { name, message })
}

impl Site<'_> {
    /// Called before the first step: the values of bound inputs are on their device.
    pub(crate) fn begin_bound(&mut self) -> Result<()> {
        let Memory { table, bound, has_kept, .. } = &mut *self.memory;
        if bound.is_empty() {
            return Ok(());
        }
        *has_kept = true;
        for (&t, memory) in bound.iter().filter(|(t, _)| self.graph.is_input(**t)) {
            check_size(self.graph, t, table.get(t).bytes, memory.bytes)?;
            table.set_handle(t, Some(memory.handle));
        }
        Ok(())
    }

    /// Whether the value of `t` is in bound memory alone.
    fn is_in_bound(&self, t: usize) -> bool {
        let Memory { table, bound, .. } = &*self.memory;
        bound.get(&t).is_some_and(|memory| table.handle(t) == Some(memory.handle))
    }

    /// Copies a value from bound memory to the host, unless `reader` finds it on its device.
    pub(super) fn fetch_bound(
        &mut self,
        t: usize,
        reader: Option<&Rc<DelegateInstance>>,
    ) -> Result<(), StageError> {
        if !self.is_in_bound(t) {
            return Ok(());
        }
        let Memory { table, bound, .. } = &mut *self.memory;
        let memory = &bound[&t];
        if self.run.observer.is_none() && reader.is_some_and(|reader| Rc::ptr_eq(reader, &memory.owner)) {
            return Ok(());
        }
        memory.read(table.bytes_mut(t)).map_err(|error| blamed(error, memory))?;
        table.set_handle(t, None);
        Ok(())
    }

    /// Called after the last step: bound outputs get their values.
    pub(super) fn finish_bound(&mut self) -> Result<(), StageError> {
        let bound: Vec<usize> = self.memory.bound.keys().copied().collect();
        for t in bound {
            if self.graph.is_output(t) && !self.is_in_bound(t) {
                self.give_bound(t)?;
            }
            let Memory { table, bound, kept, .. } = &mut *self.memory;
            kept.remove(&t);
            table.set_handle(t, Some(bound[&t].handle));
        }
        Ok(())
    }

    fn give_bound(&mut self, t: usize) -> Result<(), StageError> {
        let Memory { table, bound, kept, .. } = &mut *self.memory;
        let (memory, bytes) = (&bound[&t], table.get(t).bytes);
        check_size(self.graph, t, bytes, memory.bytes)?;
        if let (Some(keeper), Some(handle)) = (kept.get(&t), table.handle(t))
            && Rc::ptr_eq(&keeper.owner, &memory.owner)
            && memory.take(handle, bytes).map_err(|error| blamed(error, memory))?
        {
            return Ok(());
        }
        self.memory.fetch(t)?;
        let Memory { table, bound, .. } = &mut *self.memory;
        bound[&t].write(table.bytes_mut(t)).map_err(|error| blamed(error, &bound[&t]))
    }
}

/// An error that is the delegate's.
fn blamed(error: Error, memory: &BoundMemory) -> StageError {
    let status = match &error {
        Error::Delegate { status, .. } => Some(*status),
        _ => None,
    };
    StageError { delegate: status.map(|status| (memory.owner.index, status)), ..StageError::from(error) }
}
