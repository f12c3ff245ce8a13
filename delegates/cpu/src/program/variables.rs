//! Variables of the model as further inputs and outputs of a partition.
//!
//! ```text
//! READ_VARIABLE      the variable's memory is an input
//! ASSIGN_VARIABLE    the value is an output in scratch memory; the variable gets a copy after the last step
//! ```
//! The addresses of variables are looked up again only after the host's version of its resources changed.
//!
//! A read after an assignment in the same partition reads the assigned value. So all variables keep their values until
//! the last step has run, and a partition that fails assigns none.

use std::collections::BTreeMap;

use arenite_abi::prelude::*;
use arenite_layers::{Common, Id, Value};

use super::lent::resource;
use crate::kernels::u8_map::ByteMap;
use crate::memory::Place;
use crate::net::{CpuLayer, Layer, Net, Node};
use crate::ops::variable::VariableAccess;
use crate::rewrite::join::trace;

/// A variable that a partition reads or assigns, and the tensor that has its value.
pub(crate) struct VariablePort {
    handle: i32,
    name: String,
    ty: ElementType,
    shape: Vec<i32>,
    bytes: u64,
}

/// The bytes of a value that are assigned to a variable.
struct Part {
    /// All bytes of the value.
    of: u64,
    /// The first of the variable's bytes.
    first: usize,
    /// The kernels that flip their signs, if these are flipped.
    flip: Option<&'static ByteMap>,
}

/// The variables of a partition.
#[derive(Default)]
pub(crate) struct VariablePorts {
    /// The last inputs of the net.
    reads: Vec<VariablePort>,
    /// The last outputs of the net.
    assigns: Vec<VariablePort>,
    /// Of each of these outputs.
    parts: Vec<Part>,
}

impl VariablePorts {
    /// Replaces the nodes that access variables by inputs and outputs of the net.
    ///
    /// # Errors
    /// A node reads a variable as a tensor of another type or shape than a node before assigned.
    pub(crate) fn take(net: &mut Net<'_>) -> Result<VariablePorts> {
        let mut ports = VariablePorts::default();
        let mut assigned: BTreeMap<i32, Id> = BTreeMap::new();
        for mut node in std::mem::take(&mut net.nodes) {
            match node.layer {
                Layer::Engine(CpuLayer::Variable(VariableAccess::Read(handle))) => {
                    let to = node.outputs[0];
                    let from = match assigned.get(&handle) {
                        Some(&value) => value,
                        None => ports.read(handle, net, to),
                    };
                    expect_same(&net.values[from], &net.values[to])?;
                    node = rename(from, to);
                }
                Layer::Engine(CpuLayer::Variable(VariableAccess::Assign(handle))) => {
                    assigned.insert(handle, node.inputs[0]);
                    continue;
                }
                _ => {}
            }
            net.nodes.push(node);
        }
        for (handle, from) in assigned {
            ports.assigns.push(VariablePort::new(handle, net, from));
            let outside = net.add_value(from);
            net.nodes.push(rename(from, outside));
            net.outputs.push(outside);
        }
        Ok(ports)
    }

    /// A new input of the net: the value of a variable, which `to` will be.
    fn read(&mut self, handle: i32, net: &mut Net<'_>, to: Id) -> Id {
        self.reads.push(VariablePort::new(handle, net, to));
        let outside = net.add_value(to);
        net.inputs.push(outside);
        outside
    }

    /// Lets outputs that are parts of values, or whose signs are flipped, be these values: the bytes are converted when
    /// they are assigned. All passes have run.
    pub(crate) fn take_parts(&mut self, net: &mut Net<'_>, map: &'static ByteMap) {
        let own = net.outputs.len() - self.assigns.len();
        for o in own..net.outputs.len() {
            let (id, first, is_flipped) = trace(net, net.outputs[o]);
            net.outputs[o] = id;
            self.parts.push(Part {
                of: net.values[id].bytes() as u64,
                first,
                flip: is_flipped.then_some(map),
            });
        }
    }

    /// Whether the partition accesses no variable.
    pub(super) fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.assigns.is_empty()
    }

    /// The number of variables that it reads.
    pub(super) fn reads(&self) -> usize {
        self.reads.len()
    }

    /// The name and the bytes of each value that it assigns, or a part of which it assigns.
    pub(crate) fn assigned(&self) -> impl Iterator<Item = (&str, u64)> {
        self.assigns.iter().zip(&self.parts).map(|(port, part)| (&port.name[..], part.of))
    }

    /// Looks up the places of all variables.
    ///
    /// # Errors
    /// A variable that is read has no value, or one of another type or shape.
    pub(super) fn find(&self, model: &ModelContext<'_>, places: &mut VariablePlaces) -> Result<()> {
        places.read.clear();
        for port in &self.reads {
            let VariablePort { handle, name, ty, shape, .. } = port;
            let value = model.resource(*handle)?.ok_or_else(|| {
                invalid!("READ_VARIABLE: the variable is read before it was assigned (ASSIGN_VARIABLE), into '{name}'")
            })?;
            ensure!(
                port.fits(&value),
                "READ_VARIABLE: the variable holds {}{:?}, '{name}' is {ty}{shape:?}; they must agree",
                value.ty,
                value.shape
            );
            places.read.push(resource(&value)?);
        }
        places.assigned.clear();
        for port in &self.assigns {
            let value = model.resource(port.handle)?.filter(|value| port.fits(value));
            places.assigned.push(value.map(|value| resource(&value)).transpose()?);
        }
        Ok(())
    }

    /// Assigns the values in `places` to the variables. `targets` has the places of variables that may be written.
    ///
    /// # Safety
    /// The places must be readable and writable, and only this call may access them; so must the targets be. No place
    /// may overlap a target.
    pub(super) unsafe fn assign(
        &self,
        places: &[Place],
        targets: &[Option<Place>],
        host: &mut HostVariables<'_>,
    ) -> Result<()> {
        let parts = self.assigns.iter().zip(&self.parts);
        for (k, ((port, part), place)) in parts.zip(places).enumerate() {
            let place = place.part(part.first, port.bytes as usize);
            // SAFETY: only this call accesses the place, as the caller guarantees, and it is not written any more,
            // except below, byte by byte by the kernel that reads it.
            let value = unsafe { place.source::<u8>() };
            let target = targets.get(k).copied().flatten();
            match (part.flip, target) {
                // SAFETY: only this call accesses the target, which does not overlap the place, as the caller
                // guarantees.
                (None, Some(target)) => unsafe { target.target().copy_from(value) },
                // SAFETY: only this call accesses both, as the caller guarantees. The kernel reads each byte before it
                // writes it.
                (Some(map), _) => unsafe { map.flipped(value, &mut target.unwrap_or(place).target()) },
                (None, None) => {}
            }
            if target.is_none() {
                // SAFETY: `at` checks that the source has these bytes; they are not written, as the caller guarantees.
                let bytes = unsafe { std::slice::from_raw_parts(value.at(0, value.len()), value.len()) };
                host.model()?.assign_resource_bytes(port.handle, port.ty, &port.shape, bytes)?;
            }
        }
        Ok(())
    }
}

/// The places of a partition's variables.
#[derive(Default)]
pub(super) struct VariablePlaces {
    /// The host's version of its resources when these were looked up.
    version: Option<u64>,
    /// Of the variables that are read.
    pub read: Vec<Place>,
    /// Of the variables that are assigned, if these have a value of the same type and shape.
    assigned: Vec<Option<Place>>,
}

impl VariablePlaces {
    /// Looks up the places unless they are known. Returns whether it did.
    pub(super) fn update(&mut self, ports: &VariablePorts, host: &mut HostVariables<'_>) -> Result<bool> {
        let version = host.eval.resource_version();
        if version.is_some() && version == self.version {
            return Ok(false);
        }
        self.version = None;
        ports.find(host.model()?, self)?;
        self.version = version;
        Ok(true)
    }

    /// The places of the variables that are assigned, if a node may write there.
    pub(super) fn targets(&self) -> &[Option<Place>] {
        if self.version.is_some() { &self.assigned } else { &[] }
    }
}

/// The host's variables in a call, looked up on first use.
pub(super) struct HostVariables<'a> {
    eval: &'a EvalContext<'a>,
    model: Option<ModelContext<'a>>,
}

impl<'a> HostVariables<'a> {
    pub(super) fn new(eval: &'a EvalContext<'a>) -> Self {
        HostVariables { eval, model: None }
    }

    fn model(&mut self) -> Result<&mut ModelContext<'a>> {
        match &mut self.model {
            Some(model) => Ok(model),
            none => Ok(none.insert(self.eval.model()?)),
        }
    }
}

impl VariablePort {
    /// Whether a variable with this value needs no other memory for a value of the port.
    fn fits(&self, value: &TensorView<'_>) -> bool {
        value.ty == self.ty && value.shape == self.shape
    }

    fn new(handle: i32, net: &Net<'_>, id: Id) -> Self {
        let value = &net.values[id];
        let shape = value.shape.iter().map(|&size| size as i32).collect();
        VariablePort { handle, name: value.name.to_owned(), ty: value.ty, shape, bytes: value.bytes() as u64 }
    }
}

/// An error unless a variable that holds `value` can be read as `wanted`.
fn expect_same(value: &Value<'_>, wanted: &Value<'_>) -> Result<()> {
    ensure!(
        (value.ty, &value.shape) == (wanted.ty, &wanted.shape),
        "the variable holds {}{:?}, {wanted} is {}{:?}; they must agree",
        value.ty,
        value.shape,
        wanted.ty,
        wanted.shape
    );
    Ok(())
}

fn rename<'a>(from: Id, to: Id) -> Node<'a> {
    Node::new(Layer::Common(Common::Rename), vec![from], vec![to])
}
