//! Constants that all callers of a subgraph pass as the same input.
//!
//! Converters give the branches of IF their weights as inputs:
//!
//! ```text
//! subgraph 0   x, W ─► IF ─► y            subgraph 1 (then)   a, b ─► FULLY_CONNECTED ─► c      b is W
//! ```
//! If only IF calls a subgraph, and always with the same constant, the input is that constant. Then no call copies it,
//! and delegates can pack it.

use std::collections::HashMap;

use arenite_abi::Options;
use arenite_abi::schema::{Field, IfOptions, OptionsTable, op};
use arenite_model::{Operator, Tensor};

/// A tensor of a subgraph.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
struct TensorOf {
    /// The index of the subgraph.
    subgraph: usize,
    /// The index of the tensor in it.
    tensor: i32,
}

/// The constant tensor that all callers pass, by input.
#[derive(Debug, Default)]
pub(crate) struct PassedConstants(HashMap<TensorOf, TensorOf>);

/// The values that callers pass as an input: one constant, or others.
#[derive(Clone, Copy)]
enum Passed {
    Constant(TensorOf),
    Different,
}

/// The other ops that call subgraphs which have inputs.
const CALLERS: &[i32] = &[
    op::WHILE,
    op::STABLEHLO_CASE,
    op::STABLEHLO_COMPOSITE,
    op::STABLEHLO_CUSTOM_CALL,
    op::STABLEHLO_REDUCE,
    op::STABLEHLO_REDUCE_WINDOW,
    op::STABLEHLO_SCATTER,
    op::STABLEHLO_SORT,
    op::STABLEHLO_WHILE,
];

impl PassedConstants {
    /// Of all subgraphs of a model. Empty if other ops call subgraphs, too.
    pub(crate) fn of(model: &arenite_model::Model<'_>) -> Self {
        let has =
            |codes: &[i32]| model.operator_codes().iter().any(|code| codes.contains(&code.builtin_code()));
        if !has(&[op::IF]) || has(CALLERS) {
            return PassedConstants::default();
        }
        let mut passed = HashMap::new();
        for (caller, subgraph) in model.subgraphs().iter().enumerate() {
            for operator in subgraph.operators().iter() {
                if model.operator_code(&operator).is_some_and(|code| code.builtin_code() == op::IF) {
                    let branches = [IfOptions::THEN_SUBGRAPH_INDEX, IfOptions::ELSE_SUBGRAPH_INDEX];
                    for branch in branches.into_iter().filter_map(|field| branch(&operator, field)) {
                        note(model, caller, &operator, branch, &mut passed);
                    }
                }
            }
        }
        let called_otherwise = |subgraph: usize| {
            subgraph == 0 || model.signatures().iter().any(|s| s.subgraph_index() as usize == subgraph)
        };
        let constants = passed.into_iter().filter_map(|(input, passed)| match passed {
            Passed::Constant(constant) if !called_otherwise(input.subgraph) => Some((input, constant)),
            _ => None,
        });
        PassedConstants(constants.collect())
    }

    /// The data of the constant that all callers pass as this tensor of a subgraph, if it is such an input.
    pub(crate) fn get<'a>(
        &self,
        model: &arenite_model::Model<'a>,
        subgraph: usize,
        tensor: i32,
    ) -> Option<&'a [u8]> {
        model.constant(&find(model, *self.0.get(&TensorOf { subgraph, tensor })?)?)
    }
}

/// The index of a subgraph that an IF calls.
struct Branch(usize);

fn branch(operator: &Operator<'_>, field: Field<IfOptions, i32>) -> Option<Branch> {
    let options =
        operator.builtin_options().filter(|options| u32::from(options.tag) == IfOptions::INFO.tag)?;
    usize::try_from(Options::from_bytes(options.buffer, options.position).get(field).ok()?).ok().map(Branch)
}

/// Notes the values that an IF in subgraph `caller` passes to subgraph `branch`.
fn note(
    model: &arenite_model::Model<'_>,
    caller: usize,
    operator: &Operator<'_>,
    branch: Branch,
    passed: &mut HashMap<TensorOf, Passed>,
) {
    let Some(callee) = model.subgraph(branch.0) else { return };
    // The first input of IF is the condition.
    for (inner, outer) in callee.inputs().iter().zip(operator.inputs().iter().skip(1)) {
        let inner = TensorOf { subgraph: branch.0, tensor: inner };
        let outer = TensorOf { subgraph: caller, tensor: outer };
        let buffer = |at: TensorOf| find(model, at).map(|tensor| tensor.buffer());
        let agrees = match passed.get(&inner) {
            None => true,
            Some(Passed::Different) => false,
            Some(&Passed::Constant(known)) => buffer(known) == buffer(outer),
        };
        let can_be =
            agrees && find(model, inner).zip(find(model, outer)).is_some_and(|(a, b)| can_be(model, &a, &b));
        passed.insert(inner, if can_be { Passed::Constant(outer) } else { Passed::Different });
    }
}

fn find<'a>(model: &arenite_model::Model<'a>, at: TensorOf) -> Option<Tensor<'a>> {
    model.subgraph(at.subgraph)?.tensors().get(usize::try_from(at.tensor).ok()?)
}

/// Whether input `inner` of a branch can be constant `outer`.
fn can_be(model: &arenite_model::Model<'_>, inner: &Tensor<'_>, outer: &Tensor<'_>) -> bool {
    let is_plain = |tensor: &Tensor<'_>| !tensor.is_variable() && tensor.sparsity().is_none();
    model.constant(outer).is_some_and(|data| !data.is_empty())
        && model.constant(inner).is_none()
        && is_plain(inner)
        && is_plain(outer)
        && inner.element_type() == outer.element_type()
        && inner.shape().iter().eq(outer.shape().iter())
}
