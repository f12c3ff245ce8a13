//! WHILE loops with a known number of rounds, over rows of tensors and states.
//!
//! ```text
//! condition   i < 50 and j < 50                  counters start at constants and grow by constants
//! body        x[i]                               a row: GATHER of a tensor that stays the same
//!             h' = f(x[i], h)                    states: round r + 1 reads what round r wrote
//!             list[i] = g(h')                    rows of a list: DYNAMIC_UPDATE_SLICE
//!             i' = i + 1
//! ```
//! The other nodes of the body form an inner net; its ids follow the ids of the outer net. All results, including
//! counters, are the same as when the loop runs node by node, even if it has no rounds.

mod build;
mod counting;
mod ports;

use arenite_abi::prelude::*;
use arenite_abi::schema::{GatherOptions, WhileOptions};
use arenite_layers::{Id, Limits, Source, Value, Values};

use counting::{Affine, RoundCounts};
use ports::Port;

use crate::net::{Node, Scan};
use crate::steps::scan::{Feed, List, RowSchedule, State};

/// Lowers the node if it is a WHILE; `None` leaves it to others.
pub(crate) fn lower<'a>(x: &Source<'_, 'a>) -> Option<Result<arenite_layers::Node<Scan<'a>>>> {
    (x.node.builtin_code() == op::WHILE).then(|| lower_loop(x))
}

fn lower_loop<'a>(x: &Source<'_, 'a>) -> Result<arenite_layers::Node<Scan<'a>>> {
    let options = x.node.options()?;
    let condition = x.values.subgraph(options.get(WhileOptions::COND_SUBGRAPH_INDEX)?)?;
    let body = x.values.subgraph(options.get(WhileOptions::BODY_SUBGRAPH_INDEX)?)?;
    let mut ports = ports::read(x, &body)?;
    ports::find_counters(&body, &mut ports);
    let rounds = ports::rounds(&condition, &ports)?;
    let (scan, outputs) = Lowering::new(x, body, ports, rounds)?.finish()?;
    let inputs = scan.inputs();
    Ok(arenite_layers::Node::new(scan, inputs, outputs))
}

/// A loop on its way to layers.
struct Lowering<'v, 'a> {
    ports: Vec<Port<'v, 'a>>,
    body: GraphView<'a>,
    values: Values<'a>,
    limits: &'v Limits,
    counting: RoundCounts<'a>,
    scan: Scan<'a>,
    /// Tensors that a round has when it begins, or that were written since.
    written: Vec<i32>,
    /// For each node of the body, whether it only dequantizes weights.
    weights: Vec<bool>,
}

impl<'v, 'a> Lowering<'v, 'a> {
    fn new(
        x: &'v Source<'_, 'a>,
        body: GraphView<'a>,
        ports: Vec<Port<'v, 'a>>,
        rounds: usize,
    ) -> Result<Self> {
        let mut values = x.values.inner(body);
        let weights = body.nodes().map(|node| values.add_node(&node)).collect::<Result<Vec<bool>>>()?;
        let mut counting = RoundCounts::of(body, rounds);
        for port in &ports {
            port.tensors.iter().try_for_each(|&tensor| values.add(tensor).map(drop))?;
            let [before, after] = port.tensors;
            let (outside, mut inside) = (port.ends[0].1, port.tensors.iter().filter_map(|&t| values.get(t)));
            if inside.any(|(_, value)| (value.ty, value.bytes()) != (outside.ty, outside.bytes())) {
                return Err(unsupported!("{outside} changes its size in the loop"));
            }
            match port.counter {
                Some(counter) => counting.set(before, vec![counter]),
                None if before == after => values.set_constant(before, port.ends[0].1.constant),
                None => {}
            }
        }
        let written = ports.iter().map(|port| port.tensors[0]).collect();
        let scan = Scan {
            rounds,
            values: Vec::new(),
            nodes: Vec::new(),
            aliases: Vec::new(),
            feeds: Vec::new(),
            states: Vec::new(),
            lists: Vec::new(),
            kept: Vec::new(),
            counters: Vec::new(),
        };
        Ok(Lowering { ports, body, values, limits: x.limits, counting, scan, written, weights })
    }

    fn finish(mut self) -> Result<(Scan<'a>, Vec<Id>)> {
        let outputs = self.ports.iter().map(|port| port.ends[1].0).collect();
        if self.scan.rounds == 0 {
            self.scan.kept = self.ports.iter().map(|port| port.ends.map(|(id, _)| id)).collect();
            self.scan.values = self.values.into_list();
            return Ok((self.scan, outputs));
        }
        for (i, node) in self.body.nodes().enumerate() {
            if self.weights[i] || self.is_folded(&node)? {
                continue;
            }
            if !self.counting.follow(&node) && !self.take_row(&node)? && !self.take_update(&node)? {
                self.take_node(&node)?;
            }
        }
        self.carry()?;
        self.feed_whole()?;
        self.expect_no_counters()?;
        self.scan.values = self.values.into_list();
        Ok((self.scan, outputs))
    }

    /// Whether all that the node writes is constant already.
    fn is_folded(&self, node: &NodeView<'a>) -> Result<bool> {
        for &tensor in node.output_indices() {
            if self.id(tensor)?.1.constant.is_none() {
                return Ok(false);
            }
        }
        Ok(node.output_count() > 0)
    }

    fn id(&self, tensor: i32) -> Result<(Id, &Value<'a>)> {
        self.values.get(tensor).ok_or_else(|| invalid!("its body has no tensor {tensor}"))
    }

    /// The port of `tensor`, if the body does not change it.
    fn kept(&self, tensor: i32) -> Option<&Port<'v, 'a>> {
        self.ports.iter().find(|port| port.tensors == [tensor, tensor])
    }

    /// Takes GATHER of a row that depends on the round alone.
    fn take_row(&mut self, node: &NodeView<'a>) -> Result<bool> {
        let (op::GATHER, &[from, at], &[to]) =
            (node.builtin_code(), node.input_indices(), node.output_indices())
        else {
            return Ok(false);
        };
        let options = node.options()?;
        let (axis, batch) = (options.get(GatherOptions::AXIS)?, options.get(GatherOptions::BATCH_DIMS)?);
        let (Some(port), Some(index)) = (self.kept(from), self.counting.number(at)) else { return Ok(false) };
        let ((from, table), (to, row)) = (port.ends[0], self.id(to)?);
        let rows = table.shape.first().copied().unwrap_or(0);
        if (axis, batch) != (0, 0) || row.bytes() * rows != table.bytes() {
            return Ok(false);
        }
        let feed = Feed { value: to, from, rows: self.rows(index, rows, row, table)? };
        self.scan.feeds.push(feed);
        self.written.push(node.output_indices()[0]);
        Ok(true)
    }

    /// Takes DYNAMIC_UPDATE_SLICE of a carried list, at a row that depends on the round alone.
    fn take_update(&mut self, node: &NodeView<'a>) -> Result<bool> {
        let (op::DYNAMIC_UPDATE_SLICE, &[list, row, at], &[to]) =
            (node.builtin_code(), node.input_indices(), node.output_indices())
        else {
            return Ok(false);
        };
        let Some(port) = self.ports.iter().find(|port| port.tensors == [list, to]) else { return Ok(false) };
        let Some(at) = self.counting.numbers(at) else { return Ok(false) };
        let (initial, last, table) = (port.ends[0].0, port.ends[1].0, port.ends[0].1);
        let others = at.get(1..).unwrap_or(&[]);
        let (id, value) = self.id(row)?;
        let rows = table.shape.first().copied().unwrap_or(0);
        let whole = at.len() == table.shape.len() && others.iter().all(|&x| x == Affine::constant(0));
        if !whole || value.bytes() * rows != table.bytes() || !self.written.contains(&row) {
            return Ok(false);
        }
        let rows = self.rows(at[0], rows, value, table)?;
        self.scan.lists.push(List { row: id, initial, last, bytes: table.bytes(), rows });
        Ok(true)
    }

    fn rows(&self, at: Affine, count: usize, row: &Value<'_>, table: &Value<'_>) -> Result<RowSchedule> {
        if !at.stays_in(0..count as i64, self.scan.rounds) {
            return Err(unsupported!("it reads or writes rows outside of {table}"));
        }
        Ok(RowSchedule { first: at.base as usize, step: at.step as isize, bytes: row.bytes() })
    }

    fn take_node(&mut self, node: &NodeView<'a>) -> Result<()> {
        let mut lowered: Node<'a> = arenite_layers::lower_node(node, &self.values, self.limits)
            .map_err(|error| unsupported!("node {} of its body: {}", node.index(), error.message()))?;
        if lowered.layer.accesses_variable() {
            return Err(unsupported!("node {} of its body accesses a variable", node.index()));
        }
        lowered.packed = self.values.packed(node, &lowered.inputs).collect();
        for &tensor in node.input_indices().iter().filter(|&&tensor| tensor >= 0) {
            let (id, value) = self.id(tensor)?;
            if value.source(id).is_none() && !self.written.contains(&tensor) {
                return Err(unsupported!("{value} in its body is read, and not written before"));
            }
        }
        self.written.extend(node.output_indices());
        self.scan.nodes.push(lowered);
        Ok(())
    }

    /// Connects the values that a round writes to the values that the next one reads.
    fn carry(&mut self) -> Result<()> {
        for port in &self.ports {
            let [(initial, value), (last, _)] = port.ends;
            let [before, after] = port.tensors;
            if let Some(counter) = port.counter {
                let number = i32::try_from(counter.at(self.scan.rounds));
                let number = number.map_err(|_| unsupported!("{value} does not fit 32 bits"))?;
                self.scan.counters.push((last, number));
            } else if before == after {
                self.scan.kept.push([initial, last]);
            } else if !self.scan.lists.iter().any(|list| list.last == last) {
                let (source, _) = self.id(after)?;
                if !self.written.contains(&after) {
                    return Err(unsupported!(
                        "{value} is carried from a tensor that the body does not write"
                    ));
                }
                let (value, bytes) = (self.id(before)?.0, value.bytes());
                self.scan.states.push(State { value, source, initial, last, bytes });
            }
        }
        Ok(())
    }

    /// Values that stay, and are read as a whole.
    fn feed_whole(&mut self) -> Result<()> {
        for port in &self.ports {
            let [(from, whole), _] = port.ends;
            let (value, inside) = self.id(port.tensors[0])?;
            if inside.constant.is_some() {
                continue;
            }
            if port.counter.is_none() && port.tensors[0] == port.tensors[1] && self.is_read(value) {
                let rows = RowSchedule { first: 0, step: 0, bytes: whole.bytes() };
                self.scan.feeds.push(Feed { value, from, rows });
            }
        }
        Ok(())
    }

    fn is_read(&self, id: Id) -> bool {
        self.scan.nodes.iter().any(|node| node.inputs.contains(&id))
            || self.scan.lists.iter().any(|list| list.row == id)
            || self.scan.states.iter().any(|state| state.source == id)
    }

    /// Nothing reads a counter, or a list, as a tensor.
    fn expect_no_counters(&self) -> Result<()> {
        for port in &self.ports {
            let (id, value) = self.id(port.tensors[0])?;
            let known = value.constant.is_some()
                || self.scan.feeds.iter().any(|feed| feed.value == id)
                || self.scan.states.iter().any(|state| state.value == id);
            if !known && self.is_read(id) {
                return Err(unsupported!("{value} is read in the body as a tensor"));
            }
        }
        Ok(())
    }
}
