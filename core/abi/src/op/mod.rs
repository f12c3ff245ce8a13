//! Operators: the [`Op`] trait, the node it serves, and what the host offers during `prepare` and `eval`.

mod eval;
mod node;
mod prepare;
mod registration;

use core::cell::Cell;
use core::ops::RangeInclusive;

use crate::Result;
use crate::handed_out::internal;
use crate::raw;
use crate::tensor::ElementTypes;

pub use eval::{EvalContext, StepTimes};
pub use node::NodeView;
pub use prepare::PrepareContext;
pub use registration::{Registration, registration};

/// Which op a registration serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpCode {
    /// A builtin op, by its code: one of [`op`](crate::schema::op).
    Builtin(i32),
    /// A custom op, by name.
    Custom(&'static str),
}

/// An operator. The value is what `prepare` computed for one node; the host places it and drops it.
///
/// `prepare` runs when the node's input shapes are known, and again when they change. `eval` runs once per inference,
/// allocates nothing, and must not assume that two calls come from one thread.
pub trait Op: Sized + Send + Sync + 'static {
    /// The op.
    const CODE: OpCode;
    /// The versions of it.
    const VERSIONS: RangeInclusive<i32>;
    /// The element types that its tensors may have.
    const TYPES: ElementTypes = ElementTypes::ANY;
    /// Whether the result depends on more than the inputs (randomness, resources).
    const STATEFUL: bool = false;
    /// The memory that `prepare` lets outputs share with inputs, for some nodes at least: what listings show.
    const SHARING: Sharing = Sharing::None;

    /// Checks the node, sets the shapes of its outputs, and computes all that does not depend on data.
    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self>;

    /// Computes the outputs.
    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()>;
}

/// How an op's outputs may lie in the memory of its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// They do not.
    None,
    /// [`PrepareContext::allow_in_place`]: the output overwrites the input.
    InPlace,
    /// [`PrepareContext::allow_view`]: the output has the input's bytes.
    View,
    /// [`PrepareContext::allow_part_of_input`]: the output is a part of the input.
    PartOfInput,
    /// [`PrepareContext::allow_part_of_output`]: the input becomes a part of the output.
    PartOfOutput,
    /// [`PrepareContext::allow_behind`]: the output begins in front of the input, and overwrites it from its beginning on.
    Behind,
    /// Each of these, for one node or another.
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
