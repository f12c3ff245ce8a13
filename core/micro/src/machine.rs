//! `Machine`: a model and its bookkeeping, subgraphs and resources included; and `Site`, a subgraph of it at work.

use core::cell::Cell;

use arenite_abi::host;
use arenite_abi::host_side::eval_struct;
use arenite_abi::raw::{ArNodeV1, ArQuantizationV1};
use arenite_model::Model;

use crate::arena::Arena;
use crate::error::{Error, Result};
use crate::graph::{Graph, Prepared, Stage};
use crate::host::EvalHost;
use crate::message;
use crate::ops::{OpRegistration, Ops};
use crate::prepare;
use crate::resources::Resources;
use crate::sizes::Category;
use crate::work::{Kept, Work};
use crate::{build, called};

/// How many subgraphs may be at work at once, each called by a node of the one before.
pub(crate) const MOST_NESTED: u8 = 8;

/// How often nodes may call subgraphs in one invocation, unless the caller says otherwise: a loop without end is refused then.
pub(crate) const MOST_CALLS: u32 = 10_000_000;

/// The scales of a tensor that is quantized by blocks, one of a list.
#[derive(Clone, Copy)]
pub(crate) struct Scales<'a> {
    pub subgraph: usize,
    pub tensor: usize,
    pub scales: &'a [f32],
    pub block_size: i32,
    pub next: Option<&'a Scales<'a>>,
}

/// A model, its subgraphs and its resources.
pub(crate) struct Machine<'a> {
    pub model: Model<'a>,
    pub ops: Ops<'a>,
    main: Graph<'a>,
    /// The subgraphs behind the first one.
    others: &'a [Graph<'a>],
    pub resources: Resources<'a>,
    pub scales: Cell<Option<&'a Scales<'a>>>,
    /// Of each subgraph, the nodes that stay expanded.
    kept: Cell<&'a [&'a [Option<Kept<'a>>]]>,
    /// How often nodes asked for the model around them while they were prepared.
    pub asked: Cell<u32>,
    pub most_calls: u32,
    /// Calls that this invocation may still make.
    pub calls_left: Cell<u32>,
}

impl<'a> Machine<'a> {
    /// The subgraphs are built when somebody asks for them, the first one at once.
    pub fn new(model: Model<'a>, ops: Ops<'a>, arena: &Arena<'a>) -> Result<Self> {
        let subgraphs = model.subgraphs();
        let main = Graph::new(0, subgraphs.get(0).ok_or(Error::Index { index: 0, count: 0 })?);
        let mut rest = subgraphs.iter().enumerate().skip(1);
        let first = main.subgraph;
        let others = arena.persistent(subgraphs.len() - 1, Category::Subgraphs, |_| {
            let (index, subgraph) = rest.next().unwrap_or((0, first));
            Graph::new(index, subgraph)
        })?;
        let machine = Machine {
            model,
            ops,
            main,
            others,
            resources: Resources::default(),
            scales: Cell::new(None),
            kept: Cell::new(&[]),
            asked: Cell::new(0),
            most_calls: MOST_CALLS,
            calls_left: Cell::new(0),
        };
        build::build(&machine, &machine.main, arena)?;
        Ok(machine)
    }

    pub fn main(&self) -> &Graph<'a> {
        &self.main
    }

    /// All subgraphs.
    pub fn graphs(&self) -> impl Iterator<Item = &Graph<'a>> {
        core::iter::once(&self.main).chain(self.others)
    }

    /// Those whose nodes are prepared, the first one included.
    pub fn ready(&self) -> impl Iterator<Item = &Graph<'a>> {
        self.graphs().filter(|graph| graph.is_ready())
    }

    pub fn graph(&self, index: usize) -> Option<&Graph<'a>> {
        if index == 0 { Some(&self.main) } else { self.others.get(index - 1) }
    }

    pub fn count(&self) -> usize {
        1 + self.others.len()
    }

    /// Quantization by blocks of a tensor, if it has that.
    pub fn blocks(&self, subgraph: usize, tensor: usize) -> Option<&'a Scales<'a>> {
        let list = core::iter::successors(self.scales.get(), |scales| scales.next);
        list.into_iter().find(|scales| (scales.subgraph, scales.tensor) == (subgraph, tensor))
    }

    /// Gives variables and the states of ops their first values.
    pub fn reset(&self) {
        for graph in self.ready() {
            build::reset_variables(self.model, graph);
            graph.nodes.get().iter().for_each(|node| prepare::reset(&node.get()));
        }
    }
}

impl Drop for Machine<'_> {
    fn drop(&mut self) {
        self.graphs().for_each(prepare::unprepare);
    }
}

/// A subgraph at work.
#[derive(Clone, Copy)]
pub(crate) struct Site<'h, 'a> {
    pub machine: &'h Machine<'a>,
    pub arena: &'h Arena<'a>,
    pub graph: &'h Graph<'a>,
    /// How many subgraphs are at work around it.
    pub depth: u8,
}

impl<'h, 'a> Site<'h, 'a> {
    /// The first subgraph.
    pub fn main(machine: &'h Machine<'a>, arena: &'h Arena<'a>) -> Self {
        Site { machine, arena, graph: &machine.main, depth: 0 }
    }

    /// A subgraph that a node of this one calls.
    pub fn within(self, graph: &'h Graph<'a>) -> Self {
        Site { graph, depth: self.depth + 1, ..self }
    }

    /// Prepares every node, in order.
    pub fn prepare(self) -> Result<()> {
        host::offer_host(&message::HOST);
        self.graph.stage.set(Stage::Busy);
        (0..self.graph.nodes.get().len()).try_for_each(|node| prepare::node(self, node))?;
        self.graph.stage.set(Stage::Ready);
        Ok(())
    }

    /// Runs every node, in order. As deep as calls are nested, which `prepare` has bounded.
    pub fn run(self) -> Result<()> {
        (0..self.graph.nodes.get().len()).try_for_each(|node| self.eval(node))
    }

    fn eval(self, node: usize) -> Result<()> {
        let Some(prepared) = self.graph.nodes.get().get(node) else { return Ok(()) };
        let prepared = prepared.get();
        let Some(op) = prepared.op else { return Ok(()) };
        let kept = self.machine.kept.get().get(self.graph.index).and_then(|list| list.get(node));
        if let Some(Some(kept)) = kept {
            return self.call(op, &prepared, &kept.node, kept.work());
        }
        let operator = self.graph.operator(node)?;
        let code = self.machine.model.operator_code(&operator);
        let code = code.ok_or(Error::Index { index: node, count: 0 })?;
        let work = Work::new(self, &operator, false)?;
        let raw = work.node(self.graph.index, node, &code, &operator);
        self.call(op, &prepared, &raw, work)
    }

    fn call(
        self,
        op: &OpRegistration,
        prepared: &Prepared<'a>,
        raw: &ArNodeV1,
        work: Work<'h>,
    ) -> Result<()> {
        let node = raw.index as usize;
        let mut host = EvalHost::new(self, node, work);
        let eval = eval_struct(&mut host, 1, prepared.persistent, prepared.scratch());
        // SAFETY: the structs are valid for the call, `prepare` initialised the state, and the plan keeps apart what lives at once.
        let status = unsafe { (op.eval)(&eval, raw, prepared.state) };
        let done = message::check(status);
        match host.failed.take() {
            // What a subgraph failed with: the op's words for it are of no use.
            Some(failed) => Err(failed),
            None => done.map_err(|error| Error::Node {
                subgraph: self.graph.index,
                node,
                code: raw.builtin_code,
                error,
            }),
        }
    }

    /// Keeps nodes expanded as far as there is memory to spare, so that they are not read from the model each time.
    pub fn keep(self) -> Result<()> {
        let none: &'a [Option<Kept<'a>>] = &[];
        let Some(lists) = self.arena.spare(self.machine.count(), none) else { return Ok(()) };
        for graph in self.machine.ready() {
            let Some(list) = self.arena.spare(graph.nodes.get().len(), None) else { break };
            for (node, place) in list.iter_mut().enumerate() {
                *place = Kept::new(Site { graph, ..self }, node)?;
            }
            lists[graph.index] = list;
        }
        self.machine.kept.set(lists);
        Ok(())
    }

    /// Claims what the nodes will take while they run: they will not fail then.
    pub fn rehearse(self) -> Result<()> {
        for node in 0..self.graph.nodes.get().len() {
            let work = Work::new(self, &self.graph.operator(node)?, false)?;
            self.arena.rehearse(self.temporaries_of_callees(node))?;
            drop(work);
        }
        Ok(())
    }

    fn temporaries_of_callees(self, node: usize) -> usize {
        let graphs = self.graph.callees(node).filter_map(|callee| self.machine.graph(callee));
        graphs.map(|graph| self.within(graph).temporaries()).max().unwrap_or(0)
    }

    /// Most bytes of temporaries while this subgraph, which a node calls, is at work. They begin at a multiple of 8, as they end.
    fn temporaries(self) -> usize {
        if let Some(known) = self.graph.temporaries.get() {
            return known;
        }
        let operators = self.graph.subgraph.operators().iter().enumerate();
        let nodes = operators
            .map(|(node, operator)| Work::bytes(&operator).saturating_add(self.temporaries_of_callees(node)));
        let most = nodes.chain([called::forwarded_bytes(self)]).max().unwrap_or(0);
        self.graph.temporaries.set(Some(most));
        most
    }
}

/// Quantization of a tensor by blocks.
pub(crate) fn blockwise(scales: &Scales<'_>, dimension: i32, plain: ArQuantizationV1) -> ArQuantizationV1 {
    ArQuantizationV1 {
        scales: scales.scales.as_ptr(),
        scale_count: scales.scales.len(),
        zero_points: &ZERO,
        zero_point_count: 1,
        quantized_dimension: dimension,
        block_size: scales.block_size,
        ..plain
    }
}

static ZERO: i64 = 0;
