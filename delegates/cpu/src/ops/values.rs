//! The values that a step is built for: a net and a node without their layers.

use std::sync::Arc;

use arenite_base::Aligned;
use arenite_layers::{Id, Value};

use crate::reach::bordered::{Border, Bordered};
use crate::step::StepValues;

/// The values of the node that a step is built for.
pub(crate) struct NodeValues<'n> {
    /// The values that the step reads.
    pub inputs: &'n [Id],
    /// The values that it writes.
    pub outputs: &'n [Id],
    /// Constants that it packs, and does not read where they are.
    pub packed: &'n [Id],
}

impl<'n> NodeValues<'n> {
    /// The values of a node with any layer.
    pub(crate) fn of<L>(node: &'n arenite_layers::Node<L>) -> Self {
        NodeValues { inputs: &node.inputs, outputs: &node.outputs, packed: &node.packed }
    }

    /// The first input and the first output.
    pub(crate) fn ends(&self) -> StepValues {
        StepValues { input: self.inputs[0], output: self.outputs[0] }
    }

    /// The last output, which is an image with this border.
    pub(crate) fn bordered(&self, border: Option<Border>, net: &NetValues<'_, '_>) -> Option<Bordered> {
        let (border, &id) = border.zip(self.outputs.last())?;
        let [.., width, pixel] = net.values[id].shape[..] else { return None };
        Some(Bordered { id, pixel, row: width * pixel - border.before - border.after, border })
    }
}

/// The values of a net, whatever its layers are.
pub(crate) struct NetValues<'n, 'a> {
    /// By id.
    pub values: &'n [Value<'a>],
    constants: &'n [(Id, Arc<Aligned<u8>>)],
}

impl<'n, 'a> NetValues<'n, 'a> {
    /// The values of a net with any layers.
    pub(crate) fn of<X>(net: &'n arenite_layers::Net<'a, X>) -> Self {
        NetValues { values: &net.values, constants: &net.constants }
    }

    /// The bytes of a constant.
    pub(crate) fn bytes_of(&self, id: Id) -> Option<&'n [u8]> {
        let computed = self.constants.iter().find(|(constant, _)| *constant == id);
        computed.map(|(_, bytes)| &bytes[..]).or_else(|| self.values[id].data())
    }
}
