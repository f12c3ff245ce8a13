//! The framework for most ops. One function computes the output shapes: `prepare` calls it first, and `eval` calls it
//! again if the shapes depend on data that is not available before.

use core::cell::RefCell;

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::node;
use arenite_ops::kit::strings::{self, StringWriter, Strings};

use super::family::Family;
use super::node_def::NodeDef;
use super::text::text_output;

pub use arguments::{axis_of, expect_rank, expect_type, integer, integers, scalar, shape_of};

mod arguments;

/// An op that uses the framework.
pub trait Kernel: Sized + Send + Sync + 'static {
    /// The name of the custom op.
    const NAME: &'static str;
    /// Whether the result depends on anything besides the inputs.
    const STATEFUL: bool = false;

    /// Reads the attributes and checks the numbers of inputs and outputs.
    ///
    /// # Errors
    /// An attribute is invalid, or there are more or fewer tensors.
    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self>;

    /// The shape of an output, or `None` if it depends on data that `x` does not have. In `prepare` that is the data of
    /// inputs that are not constant. In `eval`, `None` means that `eval` itself resizes the output.
    ///
    /// # Errors
    /// The shapes or the data of the inputs are invalid.
    fn shape(&self, x: &Inputs<'_, '_>, output: usize) -> Result<Option<Dims>>;

    /// Computes the outputs.
    ///
    /// # Errors
    /// A type is not supported, or the data of an input is invalid.
    fn eval(&self, call: &Call<'_, '_>) -> Result<()>;
}

/// A prepared node of the op `K`.
pub struct Node<K> {
    kernel: K,
}

impl<K: Kernel> Op for Node<K> {
    const CODE: OpCode = OpCode::Custom(K::NAME);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = K::STATEFUL;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let kernel = K::new(node, &NodeDef::of(node)?)?;
        declare(node, cx, &|x, output| kernel.shape(x, output))?;
        Ok(Node { kernel })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        evaluate(cx, &|x, output| self.kernel.shape(x, output), &|call| self.kernel.eval(call))
    }
}

/// Like [`Kernel`], for a family of ops that differ only in the parameters of a table.
pub trait Program: Sized + Send + Sync + 'static {
    /// The parameters that distinguish the ops of this family.
    type Member: 'static;

    /// Reads the attributes and checks the numbers of inputs and outputs.
    ///
    /// # Errors
    /// An attribute is invalid, or there are more or fewer tensors.
    fn new(node: &NodeView<'_>, def: &NodeDef<'_>, of: &'static Self::Member) -> Result<Self>;

    /// The shape of an output, like [`Kernel::shape`].
    ///
    /// # Errors
    /// The shapes or the data of the inputs are invalid.
    fn shape(&self, x: &Inputs<'_, '_>, output: usize) -> Result<Option<Dims>>;

    /// Computes the outputs.
    ///
    /// # Errors
    /// A type is not supported, or the data of an input is invalid.
    fn eval(&self, call: &Call<'_, '_>) -> Result<()>;
}

/// A prepared node of the family `P`.
pub struct FamilyNode<P>(P);

impl<P: Program> Family for FamilyNode<P> {
    type Member = P::Member;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>, of: &'static P::Member) -> Result<Self> {
        let program = P::new(node, &NodeDef::of(node)?, of)?;
        declare(node, cx, &|x, output| program.shape(x, output))?;
        Ok(FamilyNode(program))
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        evaluate(cx, &|x, output| self.0.shape(x, output), &|call| self.0.eval(call))
    }
}

type ShapeOf<'c> = &'c dyn Fn(&Inputs<'_, '_>, usize) -> Result<Option<Dims>>;

fn declare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>, shape: ShapeOf<'_>) -> Result<()> {
    let inputs = Inputs::Described(*node);
    for (output, &tensor) in node.output_indices().iter().enumerate() {
        if tensor < 0 {
            continue;
        }
        match shape(&inputs, output)? {
            Some(shape) if node.output(output)?.ty.bits() != 0 => {
                cx.set_output_shape(output, shape.as_slice())?;
            }
            _ => cx.set_output_dynamic(output)?,
        }
    }
    Ok(())
}

/// Allocates the outputs whose shapes are known by now, within the host's limits, then evaluates.
fn evaluate(
    cx: &EvalContext<'_>,
    shape: ShapeOf<'_>,
    eval: &dyn Fn(&Call<'_, '_>) -> Result<()>,
) -> Result<()> {
    let inputs = Inputs::Present(cx);
    let mut late = Vec::new();
    for output in 0..cx.output_count() {
        if cx.node().output_indices()[output] < 0 {
            continue;
        }
        let y = cx.node().output(output)?;
        if y.is_dynamic()
            && y.ty.bits() != 0
            && let Some(shape) = shape(&inputs, output)?
        {
            late.resize_with(output + 1, || None);
            late[output] = Some(cx.resize_output(output, shape.as_slice())?);
        }
    }
    eval(&Call { cx, shape, late: RefCell::new(late) })
}

/// The inputs of a node, during `prepare` or `eval`.
pub enum Inputs<'c, 'a> {
    /// During `prepare`: only constants have data.
    Described(NodeView<'a>),
    /// During `eval`: all inputs have data.
    Present(&'c EvalContext<'a>),
}

impl<'a> Inputs<'_, 'a> {
    /// Returns input `i`.
    ///
    /// # Errors
    /// The input does not exist.
    pub fn get(&self, i: usize) -> Result<TensorView<'a>> {
        match self {
            Inputs::Described(node) => node.input(i),
            Inputs::Present(cx) => cx.input(i),
        }
    }

    /// Returns the shape of input `i`.
    ///
    /// # Errors
    /// The input does not exist, or its shape is invalid.
    pub fn dims(&self, i: usize) -> Result<Dims> {
        node::dims(&self.get(i)?)
    }

    /// The number of inputs.
    pub fn len(&self) -> usize {
        match self {
            Inputs::Described(node) => node.input_count(),
            Inputs::Present(cx) => cx.input_count(),
        }
    }

    /// Whether the node has no inputs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Input `i` if its data is known, else `None`.
    ///
    /// # Errors
    /// The input does not exist.
    pub fn data(&self, i: usize) -> Result<Option<TensorView<'a>>> {
        let x = self.get(i)?;
        Ok(if matches!(self, Inputs::Present(_)) || x.is_constant() { Some(x) } else { None })
    }

    /// The integers of input `i`, or `None` if they are not known yet.
    ///
    /// # Errors
    /// The input does not exist, or does not hold integers.
    pub fn integers(&self, i: usize) -> Result<Option<Vec<i64>>> {
        self.data(i)?.map(|x| integers(&x)).transpose()
    }

    /// The only integer of input `i`, or `None` if it is not known yet.
    ///
    /// # Errors
    /// The input does not exist, or is not a single integer.
    pub fn integer(&self, i: usize) -> Result<Option<i64>> {
        self.data(i)?.map(|x| integer(&x)).transpose()
    }

    /// The integers of input `i`, which must be a vector, or `None` if they are not known yet.
    ///
    /// # Errors
    /// The input does not exist, or is not a vector of integers.
    pub fn list(&self, i: usize) -> Result<Option<Vec<i64>>> {
        let x = self.get(i)?;
        ensure!(x.rank() == 1, "{x} is {:?}; a list is needed", x.shape);
        self.integers(i)
    }

    /// The integer of input `i`, which must be a scalar, or `None` if it is not known yet.
    ///
    /// # Errors
    /// The input does not exist, or is not an integer scalar.
    pub fn scalar(&self, i: usize) -> Result<Option<i64>> {
        let x = self.get(i)?;
        ensure!(x.rank() == 0, "{x} is {:?}; a scalar is needed", x.shape);
        self.integer(i)
    }

    /// The shape whose sizes input `i` lists, or `None` if they are not known yet.
    ///
    /// # Errors
    /// The input does not exist, or does not hold a valid shape.
    pub fn sizes(&self, i: usize) -> Result<Option<Dims>> {
        let x = self.get(i)?;
        ensure!(x.rank() <= 1, "{x} is {:?}; a list of sizes is needed", x.shape);
        let Some(sizes) = self.integers(i)? else { return Ok(None) };
        shape_of(sizes.iter().copied()).map(Some)
    }
}

/// The context of one evaluation of an op.
pub struct Call<'c, 'a> {
    /// The host's context.
    pub cx: &'c EvalContext<'a>,
    shape: ShapeOf<'c>,
    /// Outputs whose shapes were determined in `eval`.
    late: RefCell<Vec<Option<TensorViewMut<'a>>>>,
}

/// The maximum number of strings in an output.
const MOST_STRINGS: usize = 1 << 24;

/// The size in bytes of a tensor of `count` strings.
///
/// # Errors
/// There are too many strings or too many bytes of text.
pub fn string_bytes(count: usize, text_bytes: usize) -> Result<usize> {
    strings::packed_bytes(count, text_bytes).filter(|_| count <= MOST_STRINGS).ok_or_else(|| {
        invalid!(
            "{count} strings with {text_bytes} bytes of text; at most {MOST_STRINGS} strings and 2 GiB are supported"
        )
    })
}

impl<'c, 'a> Call<'c, 'a> {
    /// All inputs of the node.
    pub fn inputs(&self) -> Inputs<'c, 'a> {
        Inputs::Present(self.cx)
    }

    /// Returns input `i`.
    ///
    /// # Errors
    /// The input does not exist.
    pub fn input(&self, i: usize) -> Result<TensorView<'a>> {
        self.cx.input(i)
    }

    /// Returns the elements of input `i`.
    ///
    /// # Errors
    /// The input does not exist, or has another type.
    pub fn slice<T: Element>(&self, i: usize) -> Result<&'a [T]> {
        self.input(i)?.as_slice()
    }

    /// Returns the shape of input `i`.
    ///
    /// # Errors
    /// The input does not exist, or its shape is invalid.
    pub fn dims(&self, i: usize) -> Result<Dims> {
        node::dims(&self.input(i)?)
    }

    /// Returns the shape of output `i`, which must not depend on its own data.
    ///
    /// # Errors
    /// The shape is unknown or invalid.
    pub fn output_dims(&self, i: usize) -> Result<Dims> {
        (self.shape)(&self.inputs(), i)?.ok_or_else(|| invalid!("the shape of output {i} is not known"))
    }

    /// Returns output `i` with its final shape, whether `prepare` knew it or not. Not for strings.
    ///
    /// # Errors
    /// The shape is unknown, or exceeds the host's limits.
    pub fn output(&self, i: usize) -> Result<TensorViewMut<'a>> {
        match self.late.borrow_mut().get_mut(i).and_then(Option::take) {
            Some(output) => Ok(output),
            None => self.cx.output(i),
        }
    }

    /// Returns the elements of output `i`.
    ///
    /// # Errors
    /// The shape is unknown or exceeds the host's limits, or the type differs.
    pub fn output_slice<T: Element>(&self, i: usize) -> Result<&'a mut [T]> {
        self.output(i)?.into_slice()
    }

    /// Sets the shape of output `i`, which is known only now, and returns its elements.
    ///
    /// # Errors
    /// The shape is invalid or exceeds the host's limits, or the type differs.
    pub fn resized<T: Element>(&self, i: usize, shape: &[i32]) -> Result<&'a mut [T]> {
        self.cx.resize_output(i, shape)?.into_slice()
    }

    /// Whether the node has output `i`.
    pub fn wants(&self, i: usize) -> bool {
        self.cx.node().output_indices().get(i).is_some_and(|&tensor| tensor >= 0)
    }

    /// Returns the strings of input `i`.
    ///
    /// # Errors
    /// The input does not exist, or does not hold strings.
    pub fn strings(&self, i: usize) -> Result<Strings<'a>> {
        Strings::of(&self.input(i)?)
    }

    /// The number of strings in a tensor of this shape.
    ///
    /// # Errors
    /// There are too many strings or too many bytes of text.
    pub fn string_count(&self, shape: &Dims, text_bytes: usize) -> Result<usize> {
        string_bytes(shape.flat_size(), text_bytes).map(|_| shape.flat_size())
    }

    /// Sets the shape and the elements of string output `i`.
    ///
    /// # Errors
    /// The number of strings does not match the shape, or the strings exceed 2 GiB.
    pub fn put_strings<S: AsRef<[u8]>>(&self, i: usize, shape: &Dims, strings: &[S]) -> Result<()> {
        text_output(&self.cx.node().output(i)?)?;
        let count = strings.len();
        ensure!(shape.flat_size() == count, "{count} strings for the shape {:?}", shape.as_slice());
        let text = strings.iter().map(|s| s.as_ref().len()).try_fold(0usize, usize::checked_add);
        let bytes = text
            .and_then(|text| strings::packed_bytes(count, text))
            .ok_or_else(|| invalid!("{count} strings do not fit 2 GiB"))?;
        let room = self.cx.resize_string_output(i, shape.as_slice(), bytes)?.into_bytes();
        let mut writer = StringWriter::new(room, count)?;
        strings.iter().try_for_each(|s| writer.push(s.as_ref()))?;
        writer.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::testing::{one, refusal};
    use crate::kit::write::custom_options;
    use arenite_abi::testing::Tensor;

    #[test]
    fn constant_and_late_shapes() {
        let (x, shape) = (Tensor::f32(&[2, 3], &[1.0; 6]), Tensor::i64(&[2], &[3, -1]));
        assert_eq!(one::<crate::reshape::Reshape>(&[], &[x, shape], F32).shape(), [3, 2]);
    }

    #[test]
    fn refusals() {
        let other = arenite_abi::testing::OpTest::<crate::elementwise::special::Erf>::new()
            .custom_options(&custom_options("Exp", &[]));
        assert_eq!(
            other.run().unwrap_err().message(),
            "the custom op is 'FlexErf', its options name 'Exp'; they must agree"
        );
        let none = arenite_abi::testing::OpTest::<crate::elementwise::special::Erf>::new();
        assert_eq!(
            none.run().unwrap_err().message(),
            "custom options have 0 bytes, which is too few for a flexbuffer"
        );
        let (x, shape) = (Tensor::f32(&[2], &[1.0; 2]), Tensor::i32(&[1], &[3]));
        assert_eq!(
            refusal::<crate::reshape::Reshape>(&[], &[x, shape], &[F32]),
            "[2] has 2 elements, which do not fit [3]"
        );
        assert_eq!(axis_of(-3, 2).unwrap_err().message(), "axis -3 does not exist in a tensor of rank 2");
        assert!(shape_of([1, -1]).is_err() && shape_of([i64::MAX]).is_err());
    }
}
