//! Rewrites loops. Computations that need no value from an earlier round move before the loop. The body is a net, and
//! is rewritten like any other.
//!
//! ```text
//! x ─► [row i] ─► FULLY_CONNECTED ─► …  in each round    =>    x ─► FULLY_CONNECTED of all rows ─► p    before the loop
//!                                                              p ─► [row i] ─► …                       in each round
//! ```
//! Each row is multiplied separately, and quantized separately if weights are bytes, so both have the same results.

use arenite_abi::prelude::*;
use arenite_base::{Binary, Dim};
use arenite_layers::layer::Elementwise;
use arenite_layers::layer::moves::BoxCopy;
use arenite_layers::{Common, EpilogueOp, Id, Value};

use crate::net::Scan;
use crate::net::{CpuLayer, Layer, Net, Node};
use crate::steps::scan::{Alias, Feed, RowSchedule};

/// Rewrites all loops of a net. `rewrite` runs the passes for every net.
pub(super) fn scan(net: &mut Net<'_>, rewrite: impl Fn(&mut Net<'_>) -> Result<()>) -> Result<()> {
    let mut at = 0;
    while at < net.nodes.len() {
        let mut node = net.take(at);
        if let Layer::Engine(CpuLayer::Scan(scan)) = &mut node.layer {
            drop_unread(net, scan, &mut node.outputs);
            let before = hoist(net, scan);
            rewrite_body(net, scan, &rewrite)?;
            node.inputs = scan.inputs();
            let count = before.len();
            net.nodes.splice(at..at, before);
            at += count;
        }
        net.nodes[at] = node;
        at += 1;
    }
    Ok(())
}

/// Removes outputs without a reader, except states.
fn drop_unread(net: &Net<'_>, scan: &mut Scan<'_>, outputs: &mut Vec<Id>) {
    let uses = net.uses();
    let is_state = |id: Id| scan.states.iter().any(|state| state.last == id);
    let first = outputs.first().copied();
    outputs.retain(|&id| uses[id] > 0 || is_state(id));
    outputs.extend(first.filter(|_| outputs.is_empty()));
    scan.kept.retain(|[_, to]| outputs.contains(to));
    scan.counters.retain(|(to, _)| outputs.contains(to));
    scan.lists.retain(|list| outputs.contains(&list.last));
}

/// Takes products of rows out of the body.
fn hoist<'a>(net: &mut Net<'a>, scan: &mut Scan<'a>) -> Vec<Node<'a>> {
    let mut before = Vec::new();
    let (mut i, uses) = (0, uses(scan, net.values.len()));
    while i < scan.nodes.len() {
        let Some((rows, from)) = repeats(net, scan, &scan.nodes[i]) else {
            i += 1;
            continue;
        };
        let mut node = scan.nodes.remove(i);
        let mut value = node.outputs[0];
        repeat(&mut node.layer, rows.count);
        if uses[value] == 1 {
            value = take_bias(net, scan, &mut node, value);
        }
        let row = &net.values[value];
        let bytes = row.bytes();
        let shape = vec![rows.count, row.len()];
        let all = Value { shape, tensor: None, ..row.clone() };
        net.values.push(all);
        (node.inputs, node.outputs) = (vec![from], vec![net.values.len() - 1]);
        let rows = RowSchedule { bytes, ..rows.rows };
        scan.feeds.push(Feed { value, from: net.values.len() - 1, rows });
        before.push(node);
    }
    let uses = self::uses(scan, net.values.len());
    scan.feeds.retain(|feed| uses[feed.value] > 0);
    before
}

/// The rows that a node reads, one per round.
struct RepeatedRows {
    rows: RowSchedule,
    count: usize,
}

/// The rows and their tensor, if the node is a product of them and most of them are wanted.
fn repeats(net: &Net<'_>, scan: &Scan<'_>, node: &Node<'_>) -> Option<(RepeatedRows, Id)> {
    let &[input] = &node.inputs[..] else { return None };
    let input = root(scan, input);
    let feed = scan.feeds.iter().find(|feed| feed.value == input && feed.rows.step != 0)?;
    let count = net.values[feed.from].bytes().checked_div(feed.rows.bytes)?;
    let wanted = is_product(&node.layer) && count <= 2 * scan.rounds;
    wanted.then_some((RepeatedRows { rows: feed.rows, count }, feed.from))
}

/// The value that renamings make this one of.
fn root(scan: &Scan<'_>, id: Id) -> Id {
    let renamed = scan.nodes.iter().find(|node| node.layer.is_rename() && node.outputs[0] == id);
    renamed.map_or(id, |node| root(scan, node.inputs[0]))
}

/// How often values are read in a round.
fn uses(scan: &Scan<'_>, count: usize) -> Vec<usize> {
    let mut uses = vec![0; count];
    let nodes = scan.nodes.iter().flat_map(|node| &node.inputs);
    let states = scan.states.iter().map(|state| &state.source);
    let lists = scan.lists.iter().map(|list| &list.row);
    nodes.chain(states).chain(lists).for_each(|&id| uses[id] += 1);
    uses
}

/// Makes constants that are added to a product's only result its bias. Returns the value that they were added to.
fn take_bias<'a>(net: &Net<'a>, scan: &mut Scan<'a>, node: &mut Node<'a>, value: Id) -> Id {
    let reader = scan.nodes.iter().position(|reader| reader.inputs.contains(&value));
    let Some((at, other)) = reader.and_then(|at| {
        let reader = &scan.nodes[at];
        let [a, b] = reader.inputs[..] else { return None };
        let is_sum = match &reader.layer {
            Layer::Common(Common::Elementwise(Elementwise::Chain(functions))) => {
                matches!(functions[..], [EpilogueOp::Binary(Binary::Add, _)])
            }
            Layer::Common(Common::Elementwise(Elementwise::Two(Binary::Add, clamp, epilogue))) => {
                epilogue.is_empty() && !clamp.is_needed()
            }
            _ => false,
        };
        is_sum.then_some((at, if b == value { a } else { b }))
    }) else {
        return value;
    };
    let Ok(Some(constants)) = net.values[other].elements::<f32>() else { return value };
    match free_bias(&mut node.layer, constants.len()) {
        Some(bias) => *bias = Some(constants),
        None => return value,
    }
    node.packed.push(other);
    scan.nodes.remove(at).outputs[0]
}

/// Rewrites the body as a separate net that shares the values of the outer net.
fn rewrite_body<'a>(
    net: &mut Net<'a>,
    scan: &mut Scan<'a>,
    rewrite: &impl Fn(&mut Net<'_>) -> Result<()>,
) -> Result<()> {
    let feeds = scan.feeds.iter().map(|feed| feed.value);
    let inputs = feeds.chain(scan.states.iter().map(|state| state.value)).collect();
    let rows = scan.lists.iter().map(|list| list.row);
    let outputs = rows.chain(scan.states.iter().map(|state| state.source)).collect();
    let mut body = Net {
        values: std::mem::take(&mut net.values),
        nodes: std::mem::take(&mut scan.nodes),
        constants: std::mem::take(&mut net.constants),
        inputs,
        outputs,
    };
    read_through_names(&mut body);
    let rewritten = rewrite(&mut body);
    add_biases(&mut body);
    let done = rewritten.and(hold_constants(&mut body));
    alias(&mut body, scan);
    (net.values, net.constants, scan.nodes) = (body.values, body.constants, body.nodes);
    done
}

/// Layers that do not look at shapes read what renamings rename.
fn read_through_names(net: &mut Net<'_>) {
    let mut name: Vec<Id> = (0..net.values.len()).collect();
    for node in &mut net.nodes {
        match &mut node.layer {
            Layer::Common(Common::Rename) if !net.outputs.contains(&node.outputs[0]) => {
                name[node.outputs[0]] = name[node.inputs[0]];
            }
            Layer::Common(Common::Conv2d(_) | Common::Elementwise(Elementwise::Chain(_)))
            | Layer::Engine(CpuLayer::Hybrid(_)) => {
                let epilogue = node.layer.parts_mut().epilogue.into_iter().flatten();
                let operands = epilogue.filter_map(EpilogueOp::operand_mut);
                node.inputs.iter_mut().chain(operands).for_each(|id| *id = name[*id]);
            }
            _ => {}
        }
    }
    net.drop_unread();
}

/// Constants that are added to rows of products, first or behind other sums, become their bias.
fn add_biases(net: &mut Net<'_>) {
    for node in &mut net.nodes {
        let Some(epilogue) = node.layer.parts_mut().epilogue.cloned() else { continue };
        let is_sum = |op: &&EpilogueOp| {
            matches!(op, EpilogueOp::Binary(Binary::Add, _) | EpilogueOp::Row(Binary::Add, ..))
        };
        let sums = epilogue.iter().take_while(is_sum);
        let found = sums.enumerate().find_map(|(at, op)| {
            let id = op.operand()?;
            Some((at, id, net.values[id].elements::<f32>().ok()??))
        });
        let Some((at, id, constants)) = found else { continue };
        let over_and_over = matches!(epilogue[at], EpilogueOp::Row(..));
        let one_row = net.values[node.outputs[0]].len() == constants.len();
        let bias = free_bias(&mut node.layer, constants.len()).filter(|_| one_row || over_and_over);
        let Some(bias) = bias else { continue };
        *bias = Some(constants);
        if let Some(epilogue) = node.layer.parts_mut().epilogue {
            epilogue.remove(at);
        }
        if epilogue.iter().filter(|op| op.operand() == Some(id)).count() == 1 {
            node.inputs.retain(|&input| input != id);
        }
        node.packed.push(id);
    }
}

/// Whether it is a product of rows, each on its own.
fn is_product(layer: &Layer<'_>) -> bool {
    match layer {
        Layer::Common(Common::Conv2d(layer)) => {
            layer.window.is_line() && layer.groups == 1 && layer.epilogue.is_empty()
        }
        Layer::Engine(CpuLayer::Hybrid(layer)) => layer.is_product() && layer.epilogue().is_empty(),
        _ => false,
    }
}

/// Makes such a product `times` as many rows.
fn repeat(layer: &mut Layer<'_>, times: usize) {
    match layer {
        Layer::Common(Common::Conv2d(layer)) => layer.window.repeat(times),
        Layer::Engine(CpuLayer::Hybrid(layer)) => layer.repeat(times),
        _ => {}
    }
}

/// The slot of the bias, if it is empty and `len` constants that are added to the results can be the bias.
fn free_bias<'l, 'a>(layer: &'l mut Layer<'a>, len: usize) -> Option<&'l mut Option<&'a [f32]>> {
    match layer {
        Layer::Common(Common::Conv2d(layer)) if layer.filters == len && !layer.clamp.is_needed() => {
            Some(&mut layer.bias).filter(|bias| bias.is_none())
        }
        Layer::Engine(CpuLayer::Hybrid(layer)) => layer.free_bias(len),
        _ => None,
    }
}

/// Copies constants of the body that are read where they are: the net around has no place for them.
fn hold_constants(net: &mut Net<'_>) -> Result<()> {
    let mut read: Vec<Id> = net.nodes.iter().flat_map(|node| node.inputs.iter().copied()).collect();
    read.sort_unstable();
    read.dedup();
    for id in read {
        let Some(constant) = net.values[id].constant else { continue };
        net.set_bytes(id, constant.bytes().iter().copied())?;
    }
    Ok(())
}

/// Values that are parts of others, in order, have no node.
fn alias(net: &mut Net<'_>, scan: &mut Scan<'_>) {
    net.nodes.retain(|node| match part(node) {
        Some(parts) => {
            scan.aliases.extend(parts);
            false
        }
        None => true,
    });
}

fn part(node: &Node<'_>) -> Option<Vec<Alias>> {
    let moves = match &node.layer {
        Layer::Common(Common::Rename) => {
            return Some(vec![Alias { to: node.outputs[0], from: node.inputs[0], offset: 0 }]);
        }
        Layer::Common(Common::Moves(moves)) if moves.boxes.len() == node.outputs.len() => moves,
        _ => return None,
    };
    let parts = moves.boxes.iter().enumerate().map(|(i, BoxCopy { input: from, output: to, nest })| {
        let in_order = matches!(nest.dims[..], [] | [Dim { from: 1, to: 1, .. }]);
        let alias =
            Alias { to: node.outputs[*to], from: node.inputs[(*from)?], offset: nest.from * moves.width };
        (in_order && nest.to == 0 && *to == i).then_some(alias)
    });
    parts.collect()
}
