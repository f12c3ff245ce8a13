//! SparseTensorDenseMatMul: the product of a sparse and a dense matrix. F16, BF16, F32, F64, I32, complex numbers.
//! Inputs: indices `[n, 2]`, values `[n]`, shape `[2]`, dense matrix.
//! Defined by: tensorflow/core/kernels/sparse_tensor_dense_matmul_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::pace::Pace;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, expect_rank, expect_type, integers, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::values::Values;

/// The `FlexSparseTensorDenseMatMul` op.
pub type SparseTensorDenseMatMul = Node<Definition>;

/// Attributes, shape function and kernel of `FlexSparseTensorDenseMatMul`.
pub struct Definition {
    adjoint_a: bool,
    adjoint_b: bool,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexSparseTensorDenseMatMul";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(4..=4, 1..=1)?;
        for (i, rank) in [2, 1, 1, 2].into_iter().enumerate() {
            expect_rank(&node.input(i)?, rank)?;
        }
        let (indices, values, dense) = (node.input(0)?, node.input(1)?, node.input(3)?);
        ensure!(
            indices.shape == [values.shape[0], 2],
            "indices are {:?}, values {:?}; each value needs two indices",
            indices.shape,
            values.shape
        );
        expect_type(&values, &[F16, BF16, F32, F64, I32, C64, C128])?;
        expect_type(&dense, &[values.ty])?;
        Ok(Definition { adjoint_a: def.bool("adjoint_a", false)?, adjoint_b: def.bool("adjoint_b", false)? })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let Some(a) = x.list(2)? else { return Ok(None) };
        let b = x.get(3)?.shape;
        ensure!(a.len() == 2, "the sparse matrix has the shape {a:?}; two sizes are needed");
        let [a_rows, a_columns] = turned([a[0], a[1]], self.adjoint_a);
        let [b_rows, b_columns] = turned([b[0].into(), b[1].into()], self.adjoint_b);
        ensure!(
            a_columns == b_rows,
            "the matrices are {a:?} and {b:?}, with adjoints {} and {}; they cannot be multiplied",
            self.adjoint_a,
            self.adjoint_b
        );
        shape_of([a_rows, b_columns]).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (indices, shape) = (integers(&call.input(0)?)?, integers(&call.input(2)?)?);
        let outside = |at: &&[i64]| !(0..shape[0]).contains(&at[0]) || !(0..shape[1]).contains(&at[1]);
        if let Some(wrong) = indices.chunks_exact(2).find(outside) {
            return Err(invalid!("the element {wrong:?} is not in a matrix of shape {shape:?}"));
        }
        let (mut a, mut b) = (Values::of(&call.input(1)?)?, Values::of(&call.input(3)?)?);
        let dense = call.dims(3)?;
        a = if self.adjoint_a { a.conjugated() } else { a };
        b = if self.adjoint_b { b.conjugated() } else { b };
        let columns = dense.size(usize::from(!self.adjoint_b));
        let mut y = a.zeros(call.output_dims(0)?.flat_size());
        let mut pace = Pace::new(call.cx);
        for (i, at) in indices.chunks_exact(2).enumerate() {
            pace.ahead(columns)?;
            let [row, depth] = turned([at[0] as usize, at[1] as usize], self.adjoint_a);
            let of_b = |c| if self.adjoint_b { c * dense.size(1) + depth } else { depth * dense.size(1) + c };
            y.add_products(&a, &b, &mut (0..columns).map(|c| (row * columns + c, i, of_b(c))));
        }
        y.put(call.output(0)?)
    }
}

/// Swaps both numbers if the matrix is transposed.
fn turned<T>([a, b]: [T; 2], transposed: bool) -> [T; 2] {
    if transposed { [b, a] } else { [a, b] }
}
