//! The frame of most ops: shapes by one function, which is asked in `prepare` and, where it needs data that
//! only `eval`
//! has, again there.

use core::cell::RefCell;

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::node;
use arenite_ops::kit::strings::{self, StringWriter, Strings};

use super::family::Family;
use super::node_def::NodeDef;
use super::text::text_output;

/// An op in the frame.
pub trait Kernel: Sized + Send + Sync + 'static {
    /// The custom op.
    const NAME: &'static str;
    /// Whether the result depends on more than the inputs.
    const STATEFUL: bool = false;

    /// Reads the attributes, checks the numbers of inputs and outputs.
    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self>;

    /// The shape of an output. `None` where it depends on data that `x` does not have: in `prepare` that of inputs
    /// which are not constant; in `eval` that of the outputs themselves, which `eval` resizes.
    fn shape(&self, x: &Inputs<'_, '_>, output: usize) -> Result<Option<Dims>>;

    /// Computes the outputs.
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

/// As [`Kernel`], of a family of ops that differ by what stands in a table only.
pub trait Program: Sized + Send + Sync + 'static {
    /// What tells one op from another.
    type Member: 'static;

    /// Reads the attributes, checks the numbers of inputs and outputs.
    fn new(node: &NodeView<'_>, def: &NodeDef<'_>, of: &'static Self::Member) -> Result<Self>;

    /// As [`Kernel::shape`].
    fn shape(&self, x: &Inputs<'_, '_>, output: usize) -> Result<Option<Dims>>;

    /// Computes the outputs.
    fn eval(&self, call: &Call<'_, '_>) -> Result<()>;
}

/// A prepared node of the family `P`.
pub struct Framed<P>(P);

impl<P: Program> Family for Framed<P> {
    type Member = P::Member;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>, of: &'static P::Member) -> Result<Self> {
        let program = P::new(node, &NodeDef::of(node)?, of)?;
        declare(node, cx, &|x, output| program.shape(x, output))?;
        Ok(Framed(program))
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

/// Outputs whose shapes are known now get their memory first, within the host's limits.
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

/// The inputs of a node, in `prepare` and in `eval`.
pub enum Inputs<'c, 'a> {
    /// Only constants have data.
    Described(NodeView<'a>),
    /// All have data.
    Present(&'c EvalContext<'a>),
}

impl<'a> Inputs<'_, 'a> {
    /// Input `i`.
    pub fn get(&self, i: usize) -> Result<TensorView<'a>> {
        match self {
            Inputs::Described(node) => node.input(i),
            Inputs::Present(cx) => cx.input(i),
        }
    }

    /// The shape of input `i`.
    pub fn dims(&self, i: usize) -> Result<Dims> {
        node::dims(&self.get(i)?)
    }

    /// Number of inputs.
    pub fn len(&self) -> usize {
        match self {
            Inputs::Described(node) => node.input_count(),
            Inputs::Present(cx) => cx.input_count(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Input `i` with its data; `None` if that is not known yet.
    pub fn data(&self, i: usize) -> Result<Option<TensorView<'a>>> {
        let x = self.get(i)?;
        Ok(if matches!(self, Inputs::Present(_)) || x.is_constant() { Some(x) } else { None })
    }

    /// The integers of input `i`; `None` if they are not known yet.
    pub fn integers(&self, i: usize) -> Result<Option<Vec<i64>>> {
        self.data(i)?.map(|x| integers(&x)).transpose()
    }

    /// The one integer of input `i`; `None` if it is not known yet.
    pub fn integer(&self, i: usize) -> Result<Option<i64>> {
        self.data(i)?.map(|x| integer(&x)).transpose()
    }

    /// The integers of input `i`, which is a list; `None` if they are not known yet.
    pub fn list(&self, i: usize) -> Result<Option<Vec<i64>>> {
        let x = self.get(i)?;
        ensure!(x.rank() == 1, "'{}' is {:?}; a list is needed", x.name, x.shape);
        self.integers(i)
    }

    /// The integer of input `i`, which is a scalar; `None` if it is not known yet.
    pub fn scalar(&self, i: usize) -> Result<Option<i64>> {
        let x = self.get(i)?;
        ensure!(x.rank() == 0, "'{}' is {:?}; a scalar is needed", x.name, x.shape);
        self.integer(i)
    }

    /// The sizes that input `i` lists, as a shape; `None` if they are not known yet.
    pub fn sizes(&self, i: usize) -> Result<Option<Dims>> {
        let x = self.get(i)?;
        ensure!(x.rank() <= 1, "'{}' is {:?}; a list of sizes is needed", x.name, x.shape);
        let Some(sizes) = self.integers(i)? else { return Ok(None) };
        shape_of(sizes.iter().copied()).map(Some)
    }
}

/// The elements of an integer tensor.
pub fn integers(x: &TensorView<'_>) -> Result<Vec<i64>> {
    Ok(match x.ty {
        I8 => x.as_slice::<i8>()?.iter().map(|&i| i.into()).collect(),
        U8 => x.as_slice::<u8>()?.iter().map(|&i| i.into()).collect(),
        I16 => x.as_slice::<i16>()?.iter().map(|&i| i.into()).collect(),
        U16 => x.as_slice::<u16>()?.iter().map(|&i| i.into()).collect(),
        I32 => x.as_slice::<i32>()?.iter().map(|&i| i.into()).collect(),
        U32 => x.as_slice::<u32>()?.iter().map(|&i| i.into()).collect(),
        I64 => x.as_slice::<i64>()?.to_vec(),
        U64 => x.as_slice::<u64>()?.iter().map(|&i| i64::try_from(i).unwrap_or(i64::MAX)).collect(),
        ty => return Err(invalid!("'{}' is {ty}; integers are needed", x.name)),
    })
}

/// The one element of an integer tensor.
pub fn integer(x: &TensorView<'_>) -> Result<i64> {
    ensure!(x.len() == 1, "'{}' is {:?}; one element is needed", x.name, x.shape);
    Ok(integers(x)?.first().copied().unwrap_or_default())
}

/// The one element of an integer tensor without axes.
pub fn scalar(x: &TensorView<'_>) -> Result<i64> {
    ensure!(x.rank() == 0, "'{}' is {:?}; a scalar is needed", x.name, x.shape);
    integer(x)
}

/// The elements of `x` are of one of these types.
pub fn expect_type(x: &TensorView<'_>, types: &[ElementType]) -> Result<()> {
    ensure!(types.contains(&x.ty), "input '{}' is {}, which this op does not serve", x.name, x.ty);
    Ok(())
}

/// `x` has this number of axes.
pub fn expect_rank(x: &TensorView<'_>, rank: usize) -> Result<()> {
    ensure!(x.rank() == rank, "'{}' is {:?}; it must have {rank} axes", x.name, x.shape);
    Ok(())
}

/// A shape from sizes one by one.
pub fn shape_of(sizes: impl IntoIterator<Item = i64>) -> Result<Dims> {
    shape_of_sizes(&mut sizes.into_iter())
}

fn shape_of_sizes(sizes: &mut dyn Iterator<Item = i64>) -> Result<Dims> {
    let sizes: Vec<i64> = sizes.collect();
    let narrow = sizes.iter().map(|&size| i32::try_from(size).unwrap_or(-1));
    Dims::from_sizes(narrow).ok_or_else(|| {
        let sizes = &sizes[..sizes.len().min(16)];
        invalid!("{sizes:?} is no shape; sizes must not be negative, and at most 8 axes are served")
    })
}

/// Counts a negative axis from the end.
pub fn axis_of(axis: i64, rank: usize) -> Result<usize> {
    let positive = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
    usize::try_from(positive)
        .ok()
        .filter(|&axis| axis < rank)
        .ok_or_else(|| invalid!("axis {axis} does not exist in a tensor of rank {rank}"))
}

/// What an op is called with.
pub struct Call<'c, 'a> {
    /// The host's context.
    pub cx: &'c EvalContext<'a>,
    shape: ShapeOf<'c>,
    /// Dynamic outputs that have their shapes.
    late: RefCell<Vec<Option<TensorViewMut<'a>>>>,
}

/// As many strings as an op makes at most.
const MOST_STRINGS: usize = 1 << 24;

/// The bytes of a tensor of `count` strings; an error if there are too many to make, or too much text.
pub fn string_bytes(count: usize, text_bytes: usize) -> Result<usize> {
    strings::packed_bytes(count, text_bytes).filter(|_| count <= MOST_STRINGS).ok_or_else(|| {
        invalid!(
            "{count} strings with {text_bytes} bytes of text; at most {MOST_STRINGS} strings and 2 GiB are served"
        )
    })
}

impl<'c, 'a> Call<'c, 'a> {
    /// All inputs.
    pub fn inputs(&self) -> Inputs<'c, 'a> {
        Inputs::Present(self.cx)
    }

    /// Input `i`.
    pub fn input(&self, i: usize) -> Result<TensorView<'a>> {
        self.cx.input(i)
    }

    /// The elements of input `i`.
    pub fn slice<T: Element>(&self, i: usize) -> Result<&'a [T]> {
        self.input(i)?.as_slice()
    }

    /// The shape of input `i`.
    pub fn dims(&self, i: usize) -> Result<Dims> {
        node::dims(&self.input(i)?)
    }

    /// The shape of output `i`, which does not depend on its own data.
    pub fn output_dims(&self, i: usize) -> Result<Dims> {
        (self.shape)(&self.inputs(), i)?.ok_or_else(|| invalid!("the shape of output {i} is not known"))
    }

    /// Output `i` in its shape, whether `prepare` knew it or not. Not for strings.
    pub fn output(&self, i: usize) -> Result<TensorViewMut<'a>> {
        match self.late.borrow_mut().get_mut(i).and_then(Option::take) {
            Some(output) => Ok(output),
            None => self.cx.output(i),
        }
    }

    /// The elements of output `i`.
    pub fn output_slice<T: Element>(&self, i: usize) -> Result<&'a mut [T]> {
        self.output(i)?.into_slice()
    }

    /// The elements of output `i`, whose shape is known only now.
    pub fn resized<T: Element>(&self, i: usize, shape: &[i32]) -> Result<&'a mut [T]> {
        self.cx.resize_output(i, shape)?.into_slice()
    }

    /// Whether output `i` is there.
    pub fn wants(&self, i: usize) -> bool {
        self.cx.node().output_indices().get(i).is_some_and(|&tensor| tensor >= 0)
    }

    /// The strings of input `i`.
    pub fn strings(&self, i: usize) -> Result<Strings<'a>> {
        Strings::of(&self.input(i)?)
    }

    /// How many strings a shape has; an error if there are too many to make, or too much text.
    pub fn string_count(&self, shape: &Dims, text_bytes: usize) -> Result<usize> {
        string_bytes(shape.flat_size(), text_bytes).map(|_| shape.flat_size())
    }

    /// Gives string output `i` its shape and elements.
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
    fn shapes_by_constants_and_late() {
        let (x, shape) = (Tensor::f32(&[2, 3], &[1.0; 6]), Tensor::i64(&[2], &[3, -1]));
        assert_eq!(one::<crate::reshape::Reshape>(&[], &[x, shape], F32).shape(), [3, 2]);
    }

    #[test]
    fn refusals() {
        let other = arenite_abi::testing::OpTest::<crate::elementwise::special::Erf>::new()
            .custom_options(&custom_options("Exp", &[]));
        assert_eq!(
            other.run().unwrap_err().message(),
            "the custom op is 'FlexErf', its NodeDef is of 'Exp'; they must agree"
        );
        let none = arenite_abi::testing::OpTest::<crate::elementwise::special::Erf>::new();
        assert_eq!(none.run().unwrap_err().message(), "custom options have 0 bytes, which is no flexbuffer");
        let (x, shape) = (Tensor::f32(&[2], &[1.0; 2]), Tensor::i32(&[1], &[3]));
        assert_eq!(
            refusal::<crate::reshape::Reshape>(&[], &[x, shape], &[F32]),
            "[2] has 2 elements, which do not fit [3]"
        );
        assert_eq!(axis_of(-3, 2).unwrap_err().message(), "axis -3 does not exist in a tensor of rank 2");
        assert!(shape_of([1, -1]).is_err() && shape_of([i64::MAX]).is_err());
    }
}
