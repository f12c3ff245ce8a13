//! Runs one op alone, on given tensors, in the way of the host: for the tests of plugin authors.
//!
//! ```
//! use arenite_abi::prelude::*;
//! use arenite_abi::schema::LeakyReluOptions;
//! use arenite_abi::testing::{OpTest, Spec, Tensor};
//!
//! /// `y = max(x, alpha · x)`.
//! struct LeakyRelu {
//!     alpha: f32,
//! }
//!
//! impl Op for LeakyRelu {
//!     const CODE: OpCode = OpCode::Builtin(op::LEAKY_RELU);
//!     const VERSIONS: RangeInclusive<i32> = 1..=1;
//!     const SHARING: Sharing = Sharing::InPlace;
//!
//!     fn prepare(node: &NodeView, cx: &mut PrepareContext) -> Result<Self> {
//!         let (x, _) = node.unary()?;
//!         cx.set_output_shape(0, x.shape)?;
//!         cx.allow_in_place(0, 0)?;
//!         let alpha = node.options()?.get(LeakyReluOptions::ALPHA)?;
//!         ensure!(alpha <= 1.0, "alpha is {alpha}; it must not be above 1");
//!         Ok(LeakyRelu { alpha })
//!     }
//!
//!     fn eval(&self, cx: &mut EvalContext) -> Result<()> {
//!         let (x, y) = (cx.input_cells::<f32>(0)?, cx.output_cells::<f32>(0)?);
//!         y.iter().zip(x.iter()).for_each(|(y, x)| y.set(x.max(self.alpha * x)));
//!         Ok(())
//!     }
//! }
//!
//! let test = OpTest::<LeakyRelu>::new().input(Tensor::f32(&[2], &[-1.0, 2.0])).output(Spec::f32());
//! let outputs = test.clone().options(|o| o.set(LeakyReluOptions::ALPHA, 0.5)).in_place().run().unwrap();
//! assert_eq!(outputs[0].as_f32(), [-0.5, 2.0]);
//!
//! let error = test.options(|o| o.set(LeakyReluOptions::ALPHA, 2.0)).run().unwrap_err();
//! assert_eq!(error.message(), "alpha is 2; it must not be above 1");
//! ```
//!
//! # What is checked
//!
//! [`OpTest::run`] prepares the node once and evaluates it two times or more: with two different fillings of all memory
//! whose contents are undefined (outputs, scratch), and with outputs and inputs over one another, in each way that the op
//! allowed: in place, as parts, and as near behind one another as it said.
//! It panics, with a message that says what the op did, if
//! - the results differ (an element that is not written, memory read before it is written, a wrong claim to work in place or
//!   behind an input);
//! - a byte outside of a buffer, an input that is not a variable, or a table of `prepare` was changed by `eval`.
//!
//! An op that is stateful is evaluated once, or once per step of [`OpTest::run_steps`], and may change what it keeps.
//!
//! What the op itself refuses comes back as an [`Error`](crate::Error). Tests of ops and an interpreter do not mix in one process: the
//! messages of errors go to the host that was set last.

mod calls;
mod flexbuffer;
mod host;
mod laid;
mod memory;
mod model;
mod node;
pub mod nodes;
mod options;
mod registered;
mod tensor;
mod tensors;

use core::marker::PhantomData;
use std::vec::Vec;

use crate::op::{self, Op, OpCode, Sharing};
use crate::raw::{ArOpV1, BUILTIN_CUSTOM, OP_STATEFUL};
use crate::schema::{self, OptionsTable, Union};
use crate::{ElementTypes, Result, unsupported};

pub use flexbuffer::FlexBuilder;
pub use model::Subgraph;
pub use options::{OptionsBuilder, Settable, Value};
pub use registered::host;
pub use tensor::{Quantized, Spec, Tensor};

use laid::Laid;
use node::{Node, NodeTensor, Role};

/// One node, described step by step, then [`run`](OpTest::run). Inputs and outputs are those of the node, in order.
pub struct OpTest<T> {
    op: ArOpV1,
    node: Node,
    /// Flags of the ways to share memory of which the op must allow one each.
    demanded: Vec<u32>,
    of: PhantomData<fn() -> T>,
}

/// What an evaluation gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The outputs that are not absent, in order.
    pub outputs: Vec<Tensor>,
    /// The variables as `eval` left them, in the order of the inputs.
    pub variables: Vec<Tensor>,
    /// Names and values of the resources that have a value.
    pub resources: Vec<(Vec<u8>, Tensor)>,
}

impl<T> Clone for OpTest<T> {
    fn clone(&self) -> Self {
        OpTest { op: self.op, node: self.node.clone(), demanded: self.demanded.clone(), of: PhantomData }
    }
}

impl<T: Op> Default for OpTest<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// What `T` registers.
struct OpOf<T>(PhantomData<T>);

impl<T: Op> OpOf<T> {
    const OP: &'static ArOpV1 = &op::registration::<T>().into_raw();
}

impl<T: Op> OpTest<T> {
    /// A node of `T`, of the lowest version that `T` serves, without inputs, outputs and options.
    pub fn new() -> Self {
        let custom_name = match T::CODE {
            OpCode::Builtin(_) => "",
            OpCode::Custom(name) => name,
        };
        Self::of(OpOf::<T>::OP, custom_name)
    }
}

impl<T> OpTest<T> {
    fn of(op: &ArOpV1, custom_name: &str) -> Self {
        let node = Node {
            builtin_code: op.builtin_code,
            custom_name: custom_name.into(),
            user_data: None,
            version: op.min_version,
            tensors: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            intermediates: Vec::new(),
            options: options::Encoded::default(),
            options_2: options::Encoded::default(),
            custom_options: Vec::new(),
            threads: 1,
            subgraphs: Vec::new(),
            resources: Vec::new(),
        };
        OpTest { op: *op, node, demanded: Vec::new(), of: PhantomData }
    }

    /// The next input: its shape is known in `prepare`, its data in `eval`.
    pub fn input(mut self, tensor: Tensor) -> Self {
        self.push_input(Role::Input, tensor);
        self
    }

    /// The next input, whose data is known in `prepare` already.
    pub fn constant(mut self, tensor: Tensor) -> Self {
        self.push_input(Role::Constant, tensor);
        self
    }

    /// The next input, which `eval` may write; see [`Outcome::variables`].
    pub fn variable(mut self, tensor: Tensor) -> Self {
        self.push_input(Role::Variable, tensor);
        self
    }

    /// The next input is the same tensor as input `i`.
    ///
    /// # Panics
    /// If there is no input `i` yet.
    pub fn same_input(mut self, i: usize) -> Self {
        self.node.inputs.push(self.node.inputs[i]);
        self
    }

    /// The next input is an optional one that is left out.
    pub fn absent(mut self) -> Self {
        self.node.inputs.push(-1);
        self
    }

    /// The next output.
    pub fn output(mut self, spec: Spec) -> Self {
        let index = self.push(Role::Output, spec.into_tensor(), "out", self.node.outputs.len());
        self.node.outputs.push(index);
        self
    }

    /// The next output is an optional one that is left out.
    pub fn absent_output(mut self) -> Self {
        self.node.outputs.push(-1);
        self
    }

    /// The next intermediate, which carries quantization only.
    pub fn intermediate(mut self, spec: Spec) -> Self {
        let index =
            self.push(Role::Intermediate, spec.into_tensor(), "intermediate", self.node.intermediates.len());
        self.node.intermediates.push(index);
        self
    }

    /// The version that the model asks for.
    pub fn version(mut self, version: i32) -> Self {
        self.node.version = version;
        self
    }

    /// Builtin options: the table that the schema gives to the op.
    pub fn options<O: OptionsTable>(
        mut self,
        fields: impl FnOnce(OptionsBuilder<O>) -> OptionsBuilder<O>,
    ) -> Self {
        let known = schema::OPERATORS
            .iter()
            .find(|known| known.code == self.op.builtin_code && known.code != BUILTIN_CUSTOM);
        let table = known.map_or(Some(O::INFO), |known| known.options);
        assert_eq!(table, Some(O::INFO), "the schema gives operator {} another table", self.op.builtin_code);
        *self.node.options_in(O::INFO.union) = fields(OptionsBuilder::default()).encode();
        self
    }

    /// Builtin options as fields by slot, of the table with this tag.
    pub fn options_of(mut self, union: Union, tag: u32, fields: Vec<(usize, Value)>) -> Self {
        *self.node.options_in(union) = options::Encoded::of(tag, fields);
        self
    }

    /// Options of the first union as they stand in a flatbuffer, whose table of type `tag` lies at `position`.
    pub fn options_table(mut self, tag: u32, flatbuffer: &[u8], position: usize) -> Self {
        self.node.options = options::Encoded::new(tag, flatbuffer.to_vec(), position);
        self
    }

    /// The bytes that the converter attaches to a custom op.
    pub fn custom_options(mut self, bytes: &[u8]) -> Self {
        self.node.custom_options = bytes.to_vec();
        self
    }

    /// Custom options that are a flexbuffer's map.
    pub fn flexbuffer(self, entries: impl FnOnce(FlexBuilder) -> FlexBuilder) -> Self {
        self.custom_options(&entries(FlexBuilder::default()).finish())
    }

    /// How many threads the op is told it may use; its parallel loops run on the calling thread, last range first.
    pub fn threads(mut self, threads: u32) -> Self {
        self.node.threads = threads;
        self
    }

    /// The model's next subgraph, the first one being number 0.
    pub fn subgraph(mut self, subgraph: Subgraph) -> Self {
        self.node.subgraphs.push(subgraph);
        self
    }

    /// A resource with this name has a value. Its handle is the number of resources given before it.
    pub fn resource(mut self, name: &[u8], value: Tensor) -> Self {
        self.node.resources.push((name.to_vec(), value));
        self
    }

    /// Demands that the op let an output share the memory of an input; [`run`](Self::run) panics otherwise.
    pub fn in_place(mut self) -> Self {
        self.demanded.push(crate::raw::OP_IN_PLACE | crate::raw::OP_VIEW);
        self
    }

    /// Demands that the op let an output and an input share memory in each of these ways; [`run`](Self::run) panics
    /// otherwise.
    pub fn shares(mut self, ways: &[Sharing]) -> Self {
        self.demanded.extend(ways.iter().map(|way| way.flags()));
        self
    }

    /// Prepares and evaluates the node; gives the outputs that are not absent.
    ///
    /// # Errors
    /// What the op refuses, in its own words, and what the host refuses it; [`Status::Unsupported`](crate::Status) for a
    /// version or an element type outside of those that the op registers.
    ///
    /// # Panics
    /// If the op breaks the contract, see [the module](self).
    pub fn run(&self) -> Result<Vec<Tensor>> {
        self.run_with_variables().map(|outcome| outcome.outputs)
    }

    /// As [`run`](Self::run), and also gives the variables.
    pub fn run_with_variables(&self) -> Result<Outcome> {
        self.check_registration()?;
        let mut session = host::Session::prepare(&self.op, &self.node)?;
        for &flags in &self.demanded {
            assert!(session.ways() & flags != 0, "the op let no output share the memory of an input");
        }
        let outcome = session.eval(0xa7, Laid::Apart)?;
        if self.op.flags & OP_STATEFUL != 0 {
            return Ok(outcome);
        }
        let again = session.eval(0x1e, Laid::Apart)?;
        assert_same(&outcome, &again, "a second evaluation, with other leftovers in memory,");
        for laid in session.layouts() {
            let shared = session.eval(0x73, laid)?;
            let what = match laid {
                Laid::Behind { unit, .. } => {
                    std::format!("an evaluation behind the input, as near as allowed in units of {unit},")
                }
                Laid::Parts => "an evaluation of parts in their place".into(),
                _ => "an evaluation in the input's memory".into(),
            };
            assert_same(&outcome, &shared, &what);
        }
        Ok(outcome)
    }

    /// Prepares the node once, and evaluates it once per step, with these inputs in place of those that are fed, in order.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// # Panics
    /// If a step has other inputs than the node is fed, or if the op breaks the contract, see [the module](self).
    pub fn run_steps(&self, steps: &[&[Tensor]]) -> Result<Vec<Vec<Tensor>>> {
        self.check_registration()?;
        let mut session = host::Session::prepare(&self.op, &self.node)?;
        let run = |inputs: &&[Tensor]| {
            session.feed(inputs);
            session.eval(0xa7, Laid::Apart).map(|outcome| outcome.outputs)
        };
        steps.iter().map(run).collect()
    }

    fn check_registration(&self) -> Result<()> {
        let version = self.node.version;
        let (least, most) = (self.op.min_version, self.op.max_version);
        if !(least..=most).contains(&version) {
            return Err(unsupported!("the node has version {version}, the op serves {least} to {most}"));
        }
        let types = ElementTypes::from_bits(self.op.element_types);
        for &index in self.node.inputs.iter().chain(&self.node.outputs).filter(|&&index| index >= 0) {
            let tensor = &self.node.tensors[index as usize].tensor;
            if !types.contains(tensor.ty()) {
                return Err(unsupported!(
                    "'{}' is {}, which the op does not register",
                    tensor.name(),
                    tensor.ty()
                ));
            }
        }
        Ok(())
    }

    fn push_input(&mut self, role: Role, tensor: Tensor) {
        let index = self.push(role, tensor, "in", self.node.inputs.len());
        self.node.inputs.push(index);
    }

    fn push(&mut self, role: Role, tensor: Tensor, kind: &str, position: usize) -> i32 {
        let tensor =
            if tensor.name().is_empty() { tensor.named(&std::format!("{kind}{position}")) } else { tensor };
        self.node.tensors.push(NodeTensor { role, tensor });
        self.node.tensors.len() as i32 - 1
    }
}

fn assert_same(a: &Outcome, b: &Outcome, what: &str) {
    assert_eq!(a.outputs, b.outputs, "{what} gives other outputs");
    assert_eq!(a.variables, b.variables, "{what} leaves other variables");
}

#[cfg(test)]
mod rules;
#[cfg(test)]
mod tests;
