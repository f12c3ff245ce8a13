//! Products of batches of matrices.

use arenite_abi::prelude::*;
use arenite_ops::kit::broadcast::Broadcast;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::pace::Pace;

use super::kernel::{Call, Inputs, Program, expect_rank, expect_type, shape_of};
use super::matrix::stack;
use super::node_def::NodeDef;
use super::values::Values;

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// The names of the attributes that transpose the matrices of each input.
    pub turned: [&'static str; 2],
    /// Whether a transposed matrix is also conjugated.
    pub adjoint: bool,
    /// The batch axes that the op allows.
    pub ahead: BatchAxes,
    /// Whether the types of the two inputs and of the output may differ.
    pub mixed: bool,
}

/// The batch axes ahead of the matrices.
#[derive(Clone, Copy, PartialEq)]
pub enum BatchAxes {
    /// No batch axes.
    None,
    /// Batch axes that must be equal.
    Equal,
    /// Batch axes that broadcast.
    Broadcast,
}

/// The element types of TensorFlow's matrix products; the last two only where types may differ.
const TYPES: &[ElementType] = &[F16, BF16, F32, F64, I16, I32, I64, C64, C128, I8, U8];

/// A prepared node of the family.
pub struct MatMul {
    turned: [bool; 2],
    of: &'static Member,
}

struct Plan {
    outer: Broadcast<2>,
    rows: usize,
    inner: usize,
    columns: usize,
}

fn plan(x: &Inputs<'_, '_>, turned: [bool; 2], ahead: BatchAxes) -> Result<Plan> {
    let dims = [x.dims(0)?, x.dims(1)?];
    for i in 0..if ahead == BatchAxes::None { 2 } else { 0 } {
        expect_rank(&x.get(i)?, 2)?;
    }
    let mut sizes = [(0, 0); 2];
    let mut outer = [Dims::SCALAR; 2];
    for i in 0..2 {
        let (_, rows, columns) = stack(&dims[i])?;
        sizes[i] = if turned[i] { (columns, rows) } else { (rows, columns) };
        outer[i] = shape_of(dims[i].as_slice()[..dims[i].rank() - 2].iter().map(|&d| d.into()))?;
    }
    ensure!(
        ahead == BatchAxes::Broadcast || outer[0] == outer[1],
        "inputs are {:?} and {:?}; the axes ahead of the matrices must agree",
        dims[0].as_slice(),
        dims[1].as_slice()
    );
    match Broadcast::new([&outer[0], &outer[1]]) {
        Some(outer) if sizes[0].1 == sizes[1].0 => {
            Ok(Plan { outer, rows: sizes[0].0, inner: sizes[0].1, columns: sizes[1].1 })
        }
        _ => Err(invalid!(
            "matrices {:?} and {:?} cannot be multiplied",
            dims[0].as_slice(),
            dims[1].as_slice()
        )),
    }
}

impl Program for MatMul {
    type Member = Member;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        let (a, b, _) = node.binary()?;
        let types = if of.mixed { TYPES } else { &TYPES[..TYPES.len() - 2] };
        expect_type(&a, types)?;
        expect_type(&b, types)?;
        let kind = |ty| (matches!(ty, F16 | BF16 | F32 | F64), matches!(ty, C64 | C128));
        let agree = if of.mixed { kind(a.ty) == kind(b.ty) } else { a.ty == b.ty };
        ensure!(agree, "{a} is {}, {b} is {}; they must agree", a.ty, b.ty);
        let [a, b] = of.turned;
        Ok(MatMul { turned: [def.bool(a, false)?, def.bool(b, false)?], of })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let plan = plan(x, self.turned, self.of.ahead)?;
        let inner = [plan.rows as i64, plan.columns as i64];
        shape_of(plan.outer.output().as_slice().iter().map(|&d| d.into()).chain(inner)).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        multiply(call, self.turned, self.of.adjoint, self.of.ahead)
    }
}

fn multiply(call: &Call<'_, '_>, turned: [bool; 2], adjoint: bool, ahead: BatchAxes) -> Result<()> {
    let plan = plan(&call.inputs(), turned, ahead)?;
    let (rows, inner, columns) = (plan.rows, plan.inner, plan.columns);
    let load = |i: usize| -> Result<Values> {
        let values = Values::of(&call.input(i)?)?;
        Ok(if adjoint && turned[i] { values.conjugated() } else { values })
    };
    let (a, b) = (load(0)?, load(1)?);
    if call.output_dims(0)?.flat_size() == 0 {
        return call.output(0).map(|_| ());
    }
    let mut y = a.zeros(plan.outer.output().flat_size() * rows * columns);
    let mut pace = Pace::new(call.cx);
    let mut result = Ok(());
    plan.outer.for_each2(|matrix, of_a, of_b| {
        for row in 0..rows {
            if result.is_ok() {
                result = pace.ahead(inner * columns);
            }
            if result.is_err() {
                return;
            }
            let mut places = (0..inner).flat_map(|k| {
                let at = if turned[0] { k * rows + row } else { row * inner + k };
                (0..columns).map(move |column| {
                    let from = if turned[1] { column * inner + k } else { k * columns + column };
                    (
                        (matrix * rows + row) * columns + column,
                        of_a * rows * inner + at,
                        of_b * inner * columns + from,
                    )
                })
            });
            y.add_products(&a, &b, &mut places);
        }
    });
    result?;
    y.put(call.output(0)?)
}
