//! Runs a single op on given tensors as the host would, for the tests of plugin authors.
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
//! [`OpTest::run`] prepares the node once and evaluates it at least twice: with two different contents of all undefined
//! memory (outputs, scratch buffers), and with inputs and outputs that share memory in each way the op allows: in
//! place, as parts, and with the smallest allowed distance.
//! It panics with a message about the op if
//! - the results differ (an element is not written, memory is read before it is written, or the op wrongly allowed
//!   sharing);
//! - `eval` changed a byte outside a buffer, an input that is not a variable, or a table of `prepare`.
//!
//! A stateful op is evaluated once, or once per step of [`OpTest::run_steps`], and may change its state.
//!
//! If the op rejects the node, the result is an [`Error`](crate::Error). Do not run tests of ops and an interpreter in
//! the same process, because error messages go to the host that was set last.

mod calls;
mod flexbuffer;
mod host;
mod memory;
mod model;
mod node;
pub mod nodes;
mod options;
mod overlap;
mod registered;
mod tensor;
mod tensors;

use core::marker::PhantomData;
use std::vec::Vec;

use crate::op::{self, Op, OpCode, Sharing};
use crate::raw::{ArOpV1, BUILTIN_CUSTOM, OP_STATEFUL};
use crate::schema::{self, FieldInfo, OptionsTable, Union};
use crate::{ElementTypes, Result, unsupported};

pub use flexbuffer::{FlexBuilder, FlexItem};
pub use model::Subgraph;
pub use options::{EncodedField, OptionsBuilder, Settable};
pub use registered::host;
pub use tensor::{Outcome, Quantized, Spec, Tensor};

use self::host::Session;
use host::Overlap;
use node::{Node, NodeTensor, Role};

/// A node, described step by step and then [run](OpTest::run). Inputs and outputs are added in order.
pub struct OpTest<T> {
    op: ArOpV1,
    node: Node,
    /// Flags of the kinds of sharing; the op must allow at least one kind of each entry.
    demanded: Vec<u32>,
    of: PhantomData<fn() -> T>,
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

/// The registration of `T`.
struct OpOf<T>(PhantomData<T>);

impl<T: Op> OpOf<T> {
    const OP: &'static ArOpV1 = &op::registration::<T>().into_raw();
}

impl<T: Op> OpTest<T> {
    /// A node of `T`, with the lowest version that `T` supports, without inputs, outputs and options.
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

    /// Adds an input. Its shape is known in `prepare`, its data in `eval`.
    pub fn input(mut self, tensor: Tensor) -> Self {
        self.push_input(Role::Input, tensor);
        self
    }

    /// Adds an input whose data is already known in `prepare`.
    pub fn constant(mut self, tensor: Tensor) -> Self {
        self.push_input(Role::Constant, tensor);
        self
    }

    /// Adds an input that `eval` may write; see [`Outcome::variables`].
    pub fn variable(mut self, tensor: Tensor) -> Self {
        self.push_input(Role::Variable, tensor);
        self
    }

    /// Adds an input that is the same tensor as input `i`.
    ///
    /// # Panics
    /// There is no input `i` yet.
    pub fn same_input(mut self, i: usize) -> Self {
        self.node.inputs.push(self.node.inputs[i]);
        self
    }

    /// Adds an absent optional input.
    pub fn absent(mut self) -> Self {
        self.node.inputs.push(-1);
        self
    }

    /// Adds an output.
    pub fn output(mut self, spec: Spec) -> Self {
        let index = self.push(Role::Output, spec.into_tensor(), "out", self.node.outputs.len());
        self.node.outputs.push(index);
        self
    }

    /// Adds an absent optional output.
    pub fn absent_output(mut self) -> Self {
        self.node.outputs.push(-1);
        self
    }

    /// Adds an intermediate tensor, which only has quantization parameters.
    pub fn intermediate(mut self, spec: Spec) -> Self {
        let index =
            self.push(Role::Intermediate, spec.into_tensor(), "intermediate", self.node.intermediates.len());
        self.node.intermediates.push(index);
        self
    }

    /// Sets the version that the model requires.
    pub fn version(mut self, version: i32) -> Self {
        self.node.version = version;
        self
    }

    /// Sets builtin options of the op's table in the schema.
    pub fn options<O: OptionsTable>(
        mut self,
        fields: impl FnOnce(OptionsBuilder<O>) -> OptionsBuilder<O>,
    ) -> Self {
        let known = schema::OPERATORS
            .iter()
            .find(|known| known.code == self.op.builtin_code && known.code != BUILTIN_CUSTOM);
        let table = known.map_or(Some(O::INFO), |known| known.options);
        assert_eq!(
            table,
            Some(O::INFO),
            "operator {} has another options table in the schema",
            self.op.builtin_code
        );
        *self.node.options_in(O::INFO.union) = fields(OptionsBuilder::default()).encode();
        self
    }

    /// Sets builtin options as fields by slot, of the table with this tag.
    pub fn options_of(mut self, union: Union, tag: u32, fields: Vec<(usize, EncodedField)>) -> Self {
        *self.node.options_in(union) = options::Encoded::of(tag, fields);
        self
    }

    /// Sets builtin options as text: `name=value` for each field, with the schema's names, and `()` for a table without
    /// fields. A value is a number, `true`, a list such as `(1,2)`, or `'text'`.
    ///
    /// # Panics
    /// The op has no options table in the schema, or the table has no such field.
    pub fn options_text(self, text: &str) -> Self {
        let known = schema::OPERATORS.iter().find(|known| known.code == self.op.builtin_code);
        let table = known.and_then(|known| known.options).expect("the op has an options table");
        let field = |(field, text): (&FieldInfo, &str)| (field.slot.into(), EncodedField::parse(field, text));
        let fields = nodes::fields(table, text).map(field).collect();
        self.options_of(table.union, table.tag, fields)
    }

    /// Sets options of the first union as a flatbuffer, whose table with tag `tag` is at `position`.
    pub fn options_table(mut self, tag: u32, flatbuffer: &[u8], position: usize) -> Self {
        self.node.options = options::Encoded::new(tag, flatbuffer.to_vec(), position);
        self
    }

    /// Sets the options of a custom op as bytes.
    pub fn custom_options(mut self, bytes: &[u8]) -> Self {
        self.node.custom_options = bytes.to_vec();
        self
    }

    /// Sets the options of a custom op as the map of a flexbuffer.
    pub fn flexbuffer(self, entries: impl FnOnce(FlexBuilder) -> FlexBuilder) -> Self {
        self.custom_options(&entries(FlexBuilder::default()).finish())
    }

    /// Sets the number of threads that the op may use. Its parallel loops run on the calling thread, with the last
    /// range first.
    pub fn threads(mut self, threads: u32) -> Self {
        self.node.threads = threads;
        self
    }

    /// Adds a subgraph of the model; the first one has number 0.
    pub fn subgraph(mut self, subgraph: Subgraph) -> Self {
        self.node.subgraphs.push(subgraph);
        self
    }

    /// Adds a resource with a value. Its handle is the number of resources added before.
    pub fn resource(mut self, name: &[u8], value: Tensor) -> Self {
        self.node.resources.push((name.to_vec(), value));
        self
    }

    /// Requires that the op allows an output to overwrite an input; otherwise [`run`](Self::run) panics.
    pub fn in_place(mut self) -> Self {
        self.demanded.push(crate::raw::OP_IN_PLACE | crate::raw::OP_VIEW);
        self
    }

    /// Requires that the op allows each of these kinds of sharing; otherwise [`run`](Self::run) panics.
    pub fn shares(mut self, ways: &[Sharing]) -> Self {
        self.demanded.extend(ways.iter().map(|way| way.flags()));
        self
    }

    /// Prepares and evaluates the node; returns the outputs that are not absent.
    ///
    /// # Errors
    /// The op's error, or the host's error for an invalid request of the op; [`Status::Unsupported`](crate::Status) for
    /// a version or an element type that the op does not register.
    ///
    /// # Panics
    /// The op violates the ABI's rules, see [the module](self).
    pub fn run(&self) -> Result<Vec<Tensor>> {
        self.run_with_variables().map(|outcome| outcome.outputs)
    }

    /// Like [`run`](Self::run), but also returns the variables and resources.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn run_with_variables(&self) -> Result<Outcome> {
        self.check_registration()?;
        let mut session = Session::prepare(&self.op, &self.node)?;
        for &flags in &self.demanded {
            assert!(
                session.ways() & flags != 0,
                "the op did not allow an output to share memory with an input in a required way"
            );
        }
        let outcome = session.eval(0xa7, Overlap::None)?;
        if self.op.flags & OP_STATEFUL != 0 {
            return Ok(outcome);
        }
        let again = session.eval(0x1e, Overlap::None)?;
        assert_same(&outcome, &again, "a second evaluation, with other contents of undefined memory,");
        for overlap in session.layouts() {
            let shared = session.eval(0x73, overlap)?;
            let what = match overlap {
                Overlap::Behind { unit, .. } => {
                    std::format!("an evaluation at the smallest allowed distance in units of {unit},")
                }
                Overlap::Parts => "an evaluation of parts in their place".into(),
                _ => "an evaluation in the input's memory".into(),
            };
            assert_same(&outcome, &shared, &what);
        }
        Ok(outcome)
    }

    /// Prepares the node once and evaluates it once per step. In each step, these tensors replace the inputs that are
    /// not constant, in order.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    ///
    /// # Panics
    /// A step has a wrong number of inputs, or the op violates the ABI's rules, see [the module](self).
    pub fn run_steps(&self, steps: &[&[Tensor]]) -> Result<Vec<Vec<Tensor>>> {
        self.check_registration()?;
        let mut session = Session::prepare(&self.op, &self.node)?;
        let run = |inputs: &&[Tensor]| {
            session.feed(inputs);
            session.eval(0xa7, Overlap::None).map(|outcome| outcome.outputs)
        };
        steps.iter().map(run).collect()
    }

    fn check_registration(&self) -> Result<()> {
        let version = self.node.version;
        let (least, most) = (self.op.min_version, self.op.max_version);
        if !(least..=most).contains(&version) {
            return Err(unsupported!(
                "the node has version {version}, but the op supports {least} to {most}"
            ));
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
    assert_eq!(a.outputs, b.outputs, "{what} gives different outputs");
    assert_eq!(a.variables, b.variables, "{what} gives different variables");
}

#[cfg(test)]
mod rules;
#[cfg(test)]
mod tests;
