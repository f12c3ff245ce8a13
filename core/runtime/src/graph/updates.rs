//! Replaces the update of one row of a list, as converters write it inside loops, by one op of static shape:
//!
//! ```text
//! i ─────► RESHAPE ─► CONCATENATION(·, −1…) ─► SLICE(x, 0…, ·) ──┐
//! r ─────► RESHAPE(1, …) ─► row ─────────────────────────────────┼─► CONCATENATION ─► y
//! i + 1 ─► RESHAPE ─► CONCATENATION(·, 0…) ──► SLICE(x, ·, −1…) ─┘
//!
//! i ─────► RESHAPE ─► CONCATENATION(·, 0…) ─► DYNAMIC_UPDATE_SLICE(x, row, ·) ─► y
//! ```
//! The shapes of the slices depend on `i`, so a loop around them would be planned again in each round. For `i` inside
//! the list both results are the same. Outside, slicing is an error, but the op writes the nearest row.
//!
//! If the batch size is dynamic, EXPAND_DIMS at axis 0 takes the place of RESHAPE. A list of the last result alone has
//! one row, with constants for its positions: `SLICE(x, 0…, [0, −1…])`, `SLICE(x, [1, 0…], −1…)`.

use arenite_abi::schema::op::{ADD, CONCATENATION, DYNAMIC_UPDATE_SLICE, EXPAND_DIMS, RESHAPE, SLICE};
use arenite_abi::schema::{ConcatenationOptions, Field, OptionsTable};
use arenite_abi::{ElementType, Options};

use super::{Graph, NodeInfo, TensorInfo};
use crate::plugins::op_key::OpKey;
use crate::plugins::registry::Registry;

/// The tag of CONCATENATION's options, and its axis and activation.
const CONCATENATION_OPTIONS: u32 = ConcatenationOptions::INFO.tag;
const AXIS: Field<ConcatenationOptions, i32> = ConcatenationOptions::AXIS;
const ACTIVATION: Field<ConcatenationOptions, i8> = ConcatenationOptions::FUSED_ACTIVATION_FUNCTION;

/// The parts of an update.
struct Update {
    /// The last CONCATENATION.
    last: usize,
    /// Both SLICE nodes.
    slices: [usize; 2],
    list: i32,
    row: i32,
    position: Position,
}

/// Where an update begins.
enum Position {
    /// At `[i, zeros…]`: the CONCATENATION that computes the size of the first slice gets these zeros.
    Joined { size: usize, zeros: i32 },
    /// At the elements of a tensor.
    Constant(i32),
}

/// Replaces all updates of rows, if a plugin has the op.
pub(super) fn replace(graph: &mut Graph, registry: &Registry) {
    if !graph.nodes.iter().any(|node| node.key == OpKey::Builtin(SLICE)) {
        return;
    }
    let found: Vec<Update> = {
        let uses = Uses::of(graph);
        (0..graph.nodes.len()).filter_map(|node| uses.update(node)).collect()
    };
    let mut gone = vec![false; graph.nodes.len()];
    for update in found {
        let types = [graph.tensors[update.list as usize].ty, ElementType::I32];
        let key = OpKey::Builtin(DYNAMIC_UPDATE_SLICE);
        let candidates = registry.candidates(&key, 1, &types);
        if candidates.is_empty() {
            continue;
        }
        let position = match update.position {
            Position::Joined { size, zeros } => {
                graph.nodes[size].inputs[1] = zeros;
                graph.nodes[size].outputs[0]
            }
            Position::Constant(tensor) => tensor,
        };
        let last = &mut graph.nodes[update.last];
        (last.key, last.version, last.candidates) = (key, 1, candidates);
        last.inputs = [update.list, update.row, position].into();
        last.options = arenite_abi::raw::ArTable::NONE;
        update.slices.iter().for_each(|&slice| gone[slice] = true);
    }
    remove(graph, &gone);
}

/// Removes nodes, also from the node ranges of their operators.
fn remove(graph: &mut Graph, gone: &[bool]) {
    let mut before = vec![0; gone.len() + 1];
    for (i, &gone) in gone.iter().enumerate() {
        before[i + 1] = before[i] + usize::from(!gone);
    }
    for range in &mut graph.operators {
        *range = before[range.start]..before[range.end];
    }
    let mut position = 0;
    graph.nodes.retain(|_| {
        position += 1;
        !gone[position - 1]
    });
}

/// For each tensor, its writer and the number of its readers.
struct Uses<'a> {
    graph: &'a Graph,
    producer: Vec<Option<usize>>,
    readers: Vec<usize>,
}

impl<'a> Uses<'a> {
    fn of(graph: &'a Graph) -> Self {
        let mut uses =
            Uses { graph, producer: vec![None; graph.tensors.len()], readers: vec![0; graph.tensors.len()] };
        for (i, node) in graph.nodes.iter().enumerate() {
            // The value of a variable depends on when it is read.
            let own = Graph::present(&node.outputs).filter(|&t| !graph.tensors[t].variable);
            own.for_each(|t| uses.producer[t] = Some(i));
            Graph::present(&node.inputs).for_each(|t| uses.readers[t] += 1);
        }
        Graph::present(&graph.outputs).for_each(|t| uses.readers[t] += 1);
        uses
    }

    fn tensor(&self, t: i32) -> Option<&'a TensorInfo> {
        self.graph.tensors.get(usize::try_from(t).ok()?)
    }

    /// The node that writes `t`, if it has this op and this many inputs.
    fn made_by(&self, t: i32, op: i32, inputs: usize) -> Option<(usize, &'a NodeInfo)> {
        let at = (*self.producer.get(usize::try_from(t).ok()?)?)?;
        let node = &self.graph.nodes[at];
        (node.key == OpKey::Builtin(op) && node.inputs.len() == inputs).then_some((at, node))
    }

    /// Whether exactly one node reads `t`, and the caller does not.
    fn is_read_once(&self, t: i32) -> bool {
        usize::try_from(t).is_ok_and(|t| self.readers.get(t) == Some(&1))
    }

    /// The value of a constant of `i32` elements.
    fn integers(&self, t: i32) -> Option<Vec<i32>> {
        let tensor = self.tensor(t)?;
        let constant = tensor.constant.as_ref().filter(|_| tensor.ty == ElementType::I32)?;
        // SAFETY: a constant's bytes are readable for as long as the graph lives.
        let bytes = unsafe { std::slice::from_raw_parts(constant.as_ptr(), constant.len()) };
        Some(bytes.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
    }

    fn all_equal(&self, t: i32, value: i32) -> bool {
        self.integers(t).is_some_and(|list| list.iter().all(|&x| x == value))
    }

    /// The node that makes `t` of its first input: RESHAPE or EXPAND_DIMS.
    fn expanded(&self, t: i32) -> Option<&'a NodeInfo> {
        let made = self.made_by(t, RESHAPE, 2).or_else(|| self.made_by(t, EXPAND_DIMS, 2));
        made.map(|(_, node)| node)
    }

    /// Matches `scalar ─► RESHAPE ─► CONCATENATION(·, rest) ─► t`: returns the node, the scalar and the rest.
    fn position(&self, t: i32) -> Option<(usize, i32, i32)> {
        let (at, node) = self.made_by(t, CONCATENATION, 2)?;
        let scalar = self.expanded(node.inputs[0])?.inputs[0];
        (concatenation(node)? == (0, 0)).then_some((at, scalar, node.inputs[1]))
    }

    /// The position of a row that follows `upper` and is followed by `lower`.
    fn between(&self, upper: &NodeInfo, lower: &NodeInfo) -> Option<Position> {
        let whole = self.all_equal(upper.inputs[1], 0) && self.all_equal(lower.inputs[2], -1);
        if let (Some(size), Some(begin)) = (self.integers(upper.inputs[2]), self.integers(lower.inputs[1])) {
            let is = |list: &[i32], first, rest| {
                list.split_first()
                    .is_some_and(|(&head, tail)| head == first && tail.iter().all(|&x| x == rest))
            };
            return (whole && is(&size, 0, -1) && is(&begin, 1, 0))
                .then_some(Position::Constant(upper.inputs[1]));
        }
        let (size, i, rest) = self.position(upper.inputs[2])?;
        let (_, next, zeros) = self.position(lower.inputs[1])?;
        let (_, sum) = self.made_by(next, ADD, 2)?;
        let counts = sum.inputs[0] == i && self.all_equal(sum.inputs[1], 1);
        let rests = self.all_equal(rest, -1)
            && self.all_equal(zeros, 0)
            && self.integers(rest)?.len() == self.integers(zeros)?.len();
        (whole && counts && rests && self.is_read_once(upper.inputs[2]))
            .then_some(Position::Joined { size, zeros })
    }

    fn update(&self, last: usize) -> Option<Update> {
        let node = &self.graph.nodes[last];
        let &[above, row, below] = &node.inputs[..] else { return None };
        if node.key != OpKey::Builtin(CONCATENATION) || concatenation(node)? != (0, 0) {
            return None;
        }
        let (first, upper) = self.made_by(above, SLICE, 3)?;
        let (second, lower) = self.made_by(below, SLICE, 3)?;
        let list = upper.inputs[0];
        let position = self.between(upper, lower)?;
        // Input shapes may change, but the row stays one row.
        let one = self.expanded(row)?;
        let first_size = if one.key == OpKey::Builtin(RESHAPE) { 1 } else { 0 };
        let one = self.integers(one.inputs[1])?.first() == Some(&first_size);
        let ours = [above, below].iter().all(|&t| self.is_read_once(t));
        let (x, r, y) = (self.tensor(list)?, self.tensor(row)?, self.tensor(*node.outputs.first()?)?);
        let shapes = x.shape.len() > 1
            && x.shape == y.shape
            && x.shape.iter().all(|&d| d > 0)
            && r.shape.first() == Some(&1)
            && r.shape[1..] == x.shape[1..]
            && (x.ty, r.ty) == (y.ty, y.ty)
            && !x.variable
            && !y.variable;
        let slices = [first, second];
        (one && ours && shapes && lower.inputs[0] == list).then_some(Update {
            last,
            slices,
            list,
            row,
            position,
        })
    }
}

/// The axis and activation of a CONCATENATION.
fn concatenation(node: &NodeInfo) -> Option<(i32, i8)> {
    if node.options.tag != CONCATENATION_OPTIONS {
        return None;
    }
    // SAFETY: the options point into the model's bytes, which the graph keeps alive.
    let bytes = unsafe { node.options.buffer.as_slice() };
    let options = Options::from_bytes(bytes, usize::try_from(node.options.position).ok()?);
    Some((options.get(AXIS).ok()?, options.get(ACTIVATION).ok()?))
}
