//! `Interpreter` and `Turn`: models that can run.

use super::instance::{Instance, TensorInfo};
use crate::arena::{Arena, Recording, Sizes};
use crate::error::Result;
#[cfg(feature = "std")]
use crate::model::machine::Machine;
use crate::model::observer::NodeObserver;

/// A model that is ready to run.
///
/// Inputs and outputs are in the arena. Running the model overwrites the inputs; the outputs stay valid until the next
/// invocation.
pub struct Interpreter<'a> {
    pub(super) instance: Instance<'a>,
    pub(super) arena: Arena<'a>,
}

/// A model's turn at a [`SharedArena`](crate::SharedArena). Its inputs and outputs are valid until another model runs.
pub struct Turn<'t, 'a> {
    pub(super) instance: &'t mut Instance<'a>,
    pub(super) arena: &'t Arena<'a>,
}

impl<'a> Interpreter<'a> {
    /// How much arena the model needs.
    pub fn sizes(&self) -> Sizes {
        self.recording().sizes()
    }

    /// The model and its arena.
    #[cfg(feature = "std")]
    pub(crate) fn parts(&self) -> (&Machine<'a>, &Arena<'a>) {
        (self.instance.machine(), &self.arena)
    }

    #[cfg(feature = "alloc")]
    pub(crate) fn has_subgraphs(&self) -> bool {
        self.instance.has_subgraphs()
    }

    /// How much arena is in use, by category.
    pub fn recording(&self) -> Recording {
        self.arena.recording()
    }

    /// The model and its arena, as the turn of a model in a shared arena has them.
    pub fn turn(&mut self) -> Turn<'_, 'a> {
        Turn { instance: &mut self.instance, arena: &self.arena }
    }
}

macro_rules! runs {
    ($($model:ty),*) => {$(
        impl<'a> $model {
            /// Runs the model once.
            ///
            /// # Errors
            /// An op fails, or [`limit_calls`](Self::limit_calls) is exceeded.
            pub fn invoke(&mut self) -> Result<()> {
                self.instance.invoke(&self.arena)
            }

            /// Limits how many times nodes may call subgraphs in one invocation, which stops endless loops. The default
            /// is ten million.
            pub fn limit_calls(&mut self, most: u32) {
                self.instance.limit_calls(most);
            }

            /// Calls `observer` around each node from now on; `None` stops that.
            pub fn set_observer(&mut self, observer: Option<&'a dyn NodeObserver>) {
                self.instance.set_observer(observer);
            }

            /// Resets variables and the states of ops. Resources keep their values.
            pub fn reset(&mut self) {
                self.instance.reset();
            }

            /// The bytes of an input. Write them before each invocation.
            ///
            /// # Errors
            /// `index` is out of range, or the input is a constant of the model.
            pub fn input(&mut self, index: usize) -> Result<&mut [u8]> {
                self.instance.input(index)
            }

            /// The bytes of an output after the last invocation.
            ///
            /// # Errors
            /// `index` is out of range.
            pub fn output(&self, index: usize) -> Result<&[u8]> {
                self.instance.output(index)
            }

            /// Name, type, shape and quantization of an input.
            ///
            /// # Errors
            /// `index` is out of range.
            pub fn input_info(&self, index: usize) -> Result<TensorInfo<'_>> {
                self.instance.info(self.instance.inputs(), index)
            }

            /// Name, type, shape and quantization of an output.
            ///
            /// # Errors
            /// `index` is out of range.
            pub fn output_info(&self, index: usize) -> Result<TensorInfo<'_>> {
                self.instance.info(self.instance.outputs(), index)
            }

            /// Number of inputs.
            pub fn input_count(&self) -> usize {
                self.instance.inputs().len()
            }

            /// Number of outputs.
            pub fn output_count(&self) -> usize {
                self.instance.outputs().len()
            }
        }
    )*};
}
runs!(Interpreter<'a>, Turn<'_, 'a>);
