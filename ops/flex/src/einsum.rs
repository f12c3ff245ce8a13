//! Einsum: sums of products over labelled axes, given by the attribute `equation`; one or two inputs, with `...` for
//! axes that broadcast. A label that occurs twice in a term walks along the diagonal. Reals, integers, complex numbers.
//! Defined by: tensorflow/core/kernels/linalg/einsum_op_impl.h, tensorflow/core/util/einsum_op_util.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::{Dims, MAX_RANK, Nest};
use arenite_ops::kit::pace::Pace;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::values::Values;

/// The `FlexEinsum` op.
pub type Einsum = Node<Definition>;

/// Attributes, shape function and kernel of `FlexEinsum`.
pub struct Definition {
    inputs: Vec<Vec<char>>,
    output: Vec<char>,
}

/// The label that represents the ellipsis in a term. The labels of its axes are the code points that follow, counted
/// from the last axis.
const ELLIPSIS: char = '\u{e000}';

/// Splits a term into labels; the ellipsis is one label.
fn labels(term: &str) -> Result<Vec<char>> {
    let labels: Vec<char> = term.replace("...", &ELLIPSIS.to_string()).chars().collect();
    let known = labels.iter().all(|c| !".,->".contains(*c));
    let once = labels.iter().filter(|c| **c == ELLIPSIS).count() <= 1;
    ensure!(known && once, "'{term}' is not a valid term of an equation");
    Ok(labels)
}

/// Replaces the ellipsis by one label for each of its `axes` axes.
fn spread(labels: &[char], axes: usize) -> Vec<char> {
    let own = (0..axes).rev().map(|i| char::from_u32(ELLIPSIS as u32 + 1 + i as u32).unwrap_or(ELLIPSIS));
    labels.iter().flat_map(|&c| if c == ELLIPSIS { own.clone().collect() } else { vec![c] }).collect()
}

struct Plan {
    output: Dims,
    /// The loops over the output and over the summed axes, with the strides of the output and of both inputs.
    nest: Nest<3>,
}

impl Definition {
    fn plan(&self, x: &Inputs<'_, '_>) -> Result<Plan> {
        let dims = (0..self.inputs.len()).map(|i| x.dims(i)).collect::<Result<Vec<_>>>()?;
        let mut axes = 0;
        let mut terms = Vec::new();
        for (labels, dims) in self.inputs.iter().zip(&dims) {
            let named = labels.iter().filter(|c| **c != ELLIPSIS).count();
            let more = dims.rank().checked_sub(named).filter(|&more| more == 0 || labels.contains(&ELLIPSIS));
            let more = more
                .ok_or_else(|| invalid!("an input is {:?}, its term has {named} labels", dims.as_slice()))?;
            axes = axes.max(more);
            terms.push(spread(labels, more));
        }
        ensure!(
            axes == 0 || self.output.contains(&ELLIPSIS),
            "the ellipsis of an input covers {axes} axes; the output of the equation has no ellipsis"
        );
        let output = spread(&self.output, if self.output.contains(&ELLIPSIS) { axes } else { 0 });
        // Every label once: first the output's, then the summed ones.
        let mut all = output.clone();
        all.extend(terms.iter().flatten().copied());
        let mut order: Vec<(char, usize)> = Vec::new();
        for label in all {
            if order.iter().all(|(known, _)| *known != label) {
                order.push((label, size(label, &terms, &dims)?));
            }
        }
        ensure!(
            order.len() <= MAX_RANK,
            "the equation has {} labels; at most {MAX_RANK} are supported",
            order.len()
        );
        let of =
            |label: char| order.iter().find(|(known, _)| *known == label).map_or(1, |(_, size)| *size as i64);
        let shape = shape_of(output.iter().map(|&label| of(label)))?;
        let loops = shape_of(order.iter().map(|(_, size)| *size as i64))?;
        let mut steps = [[0isize; MAX_RANK]; 3];
        let operands = core::iter::once((&output, &shape)).chain(terms.iter().zip(&dims));
        for (steps, (term, dims)) in steps.iter_mut().zip(operands) {
            for ((&label, stride), &size) in term.iter().zip(dims.strides()).zip(dims.as_slice()) {
                let axis = order.iter().position(|(known, _)| *known == label).unwrap_or_default();
                // A label that occurs twice walks along the diagonal: its strides add up.
                steps[axis] += if size == 1 { 0 } else { stride };
            }
        }
        Ok(Plan { output: shape, nest: Nest::new(&loops, steps) })
    }
}

fn size(label: char, terms: &[Vec<char>], dims: &[Dims]) -> Result<usize> {
    let broadcasts = label > ELLIPSIS;
    let mut found: Option<usize> = None;
    for (term, dims) in terms.iter().zip(dims) {
        for (axis, _) in term.iter().enumerate().filter(|(_, c)| **c == label) {
            let size = dims.size(axis);
            found = Some(match found {
                None => size,
                Some(other) if other == size || broadcasts && size == 1 => other,
                Some(1) if broadcasts => size,
                Some(other) => {
                    return Err(invalid!(
                        "the label '{label}' of the equation has the sizes {other} and {size}"
                    ));
                }
            });
        }
    }
    found.ok_or_else(|| invalid!("the label '{label}' of the equation's output occurs in none of its inputs"))
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexEinsum";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=2, 1..=1)?;
        let equation = def.text("equation", "")?;
        let (inputs, output) =
            equation.split_once("->").ok_or_else(|| invalid!("the equation '{equation}' has no arrow"))?;
        let inputs = inputs.split(',').map(labels).collect::<Result<Vec<_>>>()?;
        ensure!(
            inputs.len() == node.input_count(),
            "the equation '{equation}' has {} terms, the node {} inputs",
            inputs.len(),
            node.input_count()
        );
        let ty = node.input(0)?.ty;
        for i in 1..inputs.len() {
            ensure!(node.input(i)?.ty == ty, "inputs are {ty} and {}; they must agree", node.input(i)?.ty);
        }
        Ok(Definition { inputs, output: labels(output)? })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        self.plan(x).map(|plan| Some(plan.output))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let plan = self.plan(&call.inputs())?;
        let a = Values::of(&call.input(0)?)?;
        let b = match self.inputs.len() {
            2 => Values::of(&call.input(1)?)?,
            _ => a.one(),
        };
        let mut y = a.zeros(plan.output.flat_size());
        let [y_step, a_step, b_step] = plan.nest.run_steps();
        let (mut pace, mut result) = (Pace::new(call.cx), Ok(()));
        plan.nest.for_each_run(&mut |_, [to, i, j], length| {
            if result.is_ok() {
                result = pace.ahead(length);
            }
            if result.is_ok() {
                let at = |start: usize, step: isize, k: usize| start.wrapping_add_signed(step * k as isize);
                let mut places = (0..length).map(|k| (at(to, y_step, k), at(i, a_step, k), at(j, b_step, k)));
                y.add_products(&a, &b, &mut places);
            }
        });
        result?;
        y.put(call.output(0)?)
    }
}
