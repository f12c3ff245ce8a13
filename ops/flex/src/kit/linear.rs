//! Linear algebra ops on batches of matrices, with one or two inputs.

use core::marker::PhantomData;

use arenite_abi::prelude::*;
use arenite_ops::kit::broadcast::Broadcast;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::pace::Pace;

use super::complex::real;
use super::kernel::{Call, Inputs, Kernel, shape_of};
use super::matrix::{Matrix, stack};
use super::node_def::NodeDef;
use super::number::{complexes, put_complexes};

/// An op of this family.
pub trait Member: Sized + Send + Sync + 'static {
    /// The name of the custom op.
    const NAME: &'static str;
    /// The number of inputs.
    const INPUTS: usize;
    /// The number of outputs.
    const OUTPUTS: usize = 1;

    /// Whether the batch axes of two inputs broadcast; otherwise they must be equal.
    const BROADCASTS: bool = false;

    /// Reads the attributes.
    ///
    /// # Errors
    /// An attribute is invalid.
    fn new(_: &NodeDef<'_>) -> Result<Self>;

    /// Whether output `i` is not computed and is a scalar zero instead.
    fn is_left_out(&self, _output: usize) -> bool {
        false
    }

    /// The sizes of one matrix of output `i`, given the sizes of the input matrices; fewer than two sizes for vectors
    /// and scalars.
    ///
    /// # Errors
    /// The sizes do not fit the op.
    fn size(&self, inputs: &[(usize, usize)], output: usize) -> Result<Vec<usize>>;

    /// Computes one matrix of each output.
    ///
    /// # Errors
    /// The op is not defined for these matrices.
    fn compute(&self, inputs: Vec<Matrix>) -> Result<Vec<Vec<Complex64>>>;
}

/// A prepared node of the family.
pub struct Linear<M> {
    member: M,
    of: PhantomData<fn() -> M>,
}

/// The batch axes, and the size of the matrices of each input.
struct Stacks {
    ahead: Broadcast<2>,
    sizes: Vec<(usize, usize)>,
}

impl Stacks {
    fn of<M: Member>(x: &Inputs<'_, '_>) -> Result<Stacks> {
        let mut sizes = Vec::new();
        let mut ahead = [Dims::SCALAR; 2];
        for (i, ahead) in ahead.iter_mut().enumerate().take(M::INPUTS) {
            let dims = x.dims(i)?;
            let (_, rows, columns) = stack(&dims)?;
            *ahead = shape_of(dims.as_slice()[..dims.rank() - 2].iter().map(|&d| d.into()))?;
            sizes.push((rows, columns));
        }
        if M::INPUTS < 2 {
            ahead[1] = ahead[0];
        }
        let loops = Broadcast::new([&ahead[0], &ahead[1]]).filter(|_| M::BROADCASTS || ahead[0] == ahead[1]);
        let Some(loops) = loops else {
            return Err(invalid!(
                "inputs are {:?} and {:?}; the axes ahead of the matrices must {}",
                x.dims(0)?.as_slice(),
                x.dims(1)?.as_slice(),
                if M::BROADCASTS { "broadcast" } else { "agree" }
            ));
        };
        Ok(Stacks { ahead: loops, sizes })
    }
}

impl<M: Member> Kernel for Linear<M> {
    const NAME: &'static str = M::NAME;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(M::INPUTS..=M::INPUTS, M::OUTPUTS..=M::OUTPUTS)?;
        Ok(Linear { member: M::new(def)?, of: PhantomData })
    }

    fn shape(&self, x: &Inputs<'_, '_>, output: usize) -> Result<Option<Dims>> {
        let Stacks { ahead, sizes } = Stacks::of::<M>(x)?;
        if self.member.is_left_out(output) {
            return Ok(Some(Dims::SCALAR));
        }
        let own = self.member.size(&sizes, output)?;
        shape_of(ahead.output().as_slice().iter().map(|&d| d.into()).chain(own.iter().map(|&d| d as i64)))
            .map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let Stacks { ahead, sizes } = Stacks::of::<M>(&call.inputs())?;
        let data = (0..M::INPUTS).map(|i| complexes(&call.input(i)?)).collect::<Result<Vec<_>>>()?;
        let mut results = vec![Vec::new(); M::OUTPUTS];
        let mut pace = Pace::new(call.cx);
        let mut empty = true;
        for i in 0..M::OUTPUTS {
            empty &= call.output_dims(i)?.flat_size() == 0;
        }
        let mut places = Vec::new();
        if !empty {
            ahead.for_each2(|_, a, b| places.push([a, b]));
        }
        for place in places {
            let matrices: Vec<Matrix> = data
                .iter()
                .zip(&sizes)
                .zip(place)
                .map(|((data, &(rows, columns)), i)| {
                    Matrix::new(rows, columns, &data[i * rows * columns..][..rows * columns])
                })
                .collect();
            pace.ahead(
                sizes.iter().map(|&(a, b)| a.max(b).saturating_pow(3)).fold(0, usize::saturating_add),
            )?;
            for (result, matrix) in results.iter_mut().zip(self.member.compute(matrices)?) {
                result.extend(matrix);
            }
        }
        for (i, result) in results.into_iter().enumerate().filter(|&(i, _)| call.wants(i)) {
            let left_out = self.member.is_left_out(i);
            put_complexes(call.output(i)?, if left_out { vec![real(0.0)] } else { result })?;
        }
        Ok(())
    }
}

/// The size of the matrices of input 0, which must be square.
///
/// # Errors
/// They are not square.
pub fn square(inputs: &[(usize, usize)]) -> Result<usize> {
    let (rows, columns) = inputs[0];
    ensure!(rows == columns, "matrices are {rows} by {columns}; they must be square");
    Ok(rows)
}
