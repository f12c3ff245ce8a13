//! Operators: the [`Op`] trait, the node, and the host's services during `prepare` and `eval`.

mod apart;
mod embed;
mod embedded;
mod eval;
mod form;
mod memory;
mod node;
mod output_type;
mod ports;
mod prepare;
mod registration;
mod resource_memory;
mod slices;

use core::cell::Cell;
use core::ops::RangeInclusive;

use crate::Result;
use crate::embedding::Embed;
use crate::handed_out::internal;
use crate::raw;
use crate::tensor::ElementTypes;

pub use embed::{EmbeddedState, embed_state, state_signature};
pub use embedded::eval_embedded;
pub use eval::{EvalContext, StepTimes};
pub use form::{Form, registration_of_form};
pub use node::NodeView;
pub use output_type::OutputType;
pub use ports::{EmbeddedNode, EmbeddedPort};
pub use prepare::PrepareContext;
pub use registration::{Registration, registration, registration_with};

/// The op that a registration implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpCode {
    /// A builtin op, by its code: one of [`op`](crate::schema::op).
    Builtin(i32),
    /// A custom op with this name.
    Custom(&'static str),
}

/// An operator. The value holds what `prepare` computed for one node; the host stores and drops it.
///
/// `prepare` runs when the shapes of the node's inputs are known, and again when they change. `eval` runs once per
/// inference, allocates nothing, and must not assume that all calls come from the same thread.
pub trait Op: Sized + Send + Sync + 'static {
    /// The op that this type implements.
    const CODE: OpCode;
    /// The supported versions of the op.
    const VERSIONS: RangeInclusive<i32>;
    /// The element types that the op's tensors may have.
    const TYPES: ElementTypes = ElementTypes::ANY;
    /// Where the element type of the outputs comes from.
    const OUTPUT_TYPE: OutputType = OutputType::File;
    /// Whether the result depends on more than the inputs (randomness, resources).
    const STATEFUL: bool = false;
    /// How `prepare` lets outputs share memory with inputs, for some nodes at least. Only for listings.
    const SHARING: Sharing = Sharing::None;
    /// How the state of a prepared node becomes part of a program for another machine; `None` if it cannot.
    const EMBED: Option<Embed<Self>> = None;

    /// Checks the node, sets the shapes of its outputs, and computes everything that does not depend on data.
    ///
    /// # Errors
    /// [`Status::Unsupported`](crate::Status::Unsupported) makes the host try the next candidate; any other error means
    /// that the node is invalid.
    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self>;

    /// Computes the outputs.
    ///
    /// # Errors
    /// The data is invalid, or a service of the host failed.
    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()>;

    /// The C name of the form of `eval` that suffices for this node: a [`Form`] of the op, which programs can link
    /// alone. Empty if only `eval` runs the node.
    fn form(&self) -> &'static str {
        ""
    }
}

/// How an op's outputs may share memory with its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// No sharing.
    None,
    /// [`PrepareContext::allow_in_place`]: the output may overwrite the input.
    InPlace,
    /// [`PrepareContext::allow_view`]: the output has the same bytes as the input.
    View,
    /// [`PrepareContext::allow_part_of_input`]: the output is a part of the input.
    PartOfInput,
    /// [`PrepareContext::allow_part_of_output`]: the input becomes a part of the output.
    PartOfOutput,
    /// [`PrepareContext::allow_behind`]: the output starts before the input, and overwrites it from its start.
    Behind,
    /// Several kinds, for different nodes.
    AnyOf(&'static [Sharing]),
}

impl Sharing {
    pub(crate) const fn flags(self) -> u32 {
        match self {
            Sharing::None => 0,
            Sharing::InPlace => raw::OP_IN_PLACE,
            Sharing::View => raw::OP_VIEW,
            Sharing::PartOfInput => raw::OP_PART_OF_INPUT,
            Sharing::PartOfOutput => raw::OP_PART_OF_OUTPUT,
            Sharing::Behind => raw::OP_BEHIND,
            Sharing::AnyOf(ways) => {
                let (mut flags, mut i) = (0, 0);
                while i < ways.len() {
                    flags |= ways[i].flags();
                    i += 1;
                }
                flags
            }
        }
    }
}

fn lend(lent: &Cell<bool>) -> Result<()> {
    if lent.replace(true) {
        return Err(internal(format_args!("the model was handed out already")));
    }
    Ok(())
}
