//! `Machine`: a model and its bookkeeping, subgraphs and resources included; and `Site`, a subgraph of it at work.

use core::cell::Cell;

use arenite_abi::host;
use arenite_abi::host_side::eval_struct;
use arenite_model::Model;

use crate::arena::Arena;
use crate::entry::{Purpose, spelled};
use crate::error::{Error, Result};
use crate::graph::{Graph, Stage};
use crate::host::EvalHost;
use crate::message;
use crate::node::{Prepared, Spec};
use crate::ops::{OpRegistration, Ops};
use crate::prepare;
use crate::resources::Resources;
use crate::sizes::Category;
use crate::work::{Room, Work};
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
            build::reset_variables(graph);
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
        // SAFETY: the functions of `message::HOST` keep the contract: its loops run on this thread, and it lends no interface.
        unsafe { host::offer_host(&message::HOST) };
        self.graph.stage.set(Stage::Busy);
        (0..self.graph.nodes.get().len()).try_for_each(|node| prepare::node(self, node))?;
        self.graph.stage.set(Stage::Ready);
        Ok(())
    }

    /// Runs every node, in order. As deep as calls are nested, which `prepare` has bounded.
    pub fn run(self) -> Result<()> {
        for (node, place) in self.graph.nodes.get().iter().enumerate() {
            let prepared = place.get();
            match prepared.op() {
                Some(op) => self.eval(node, op, &prepared)?,
                None if prepared.persistent_count() == 0 => {}
                None => prepare::write_values(self.graph, self.spec(node)?.lists[1], &prepared),
            }
        }
        Ok(())
    }

    fn eval(self, node: usize, op: &OpRegistration, prepared: &Prepared<'a>) -> Result<()> {
        match prepared.is_noted() {
            true => self.eval_as(node, op, prepared, &prepared.recall(self.machine.model, op)),
            false => self.eval_as(node, op, prepared, &self.spec(node)?),
        }
    }

    #[inline(never)]
    fn eval_as(
        self,
        node: usize,
        op: &OpRegistration,
        prepared: &Prepared<'a>,
        spec: &Spec<'a>,
    ) -> Result<()> {
        let pieces = prepared.pieces();
        let room = Room::new(self, spec, pieces.len())?;
        // SAFETY: the room was made for them.
        let work = unsafe { Work::new(&room, self, spec, Purpose::Run, pieces) };
        let raw = work.node((self.graph.index, node), spec);
        let mut host = EvalHost::new(self, node, &work);
        let (persistent, scratch) = work.spans().split_at(prepared.persistent_count());
        let eval = eval_struct(&mut host, 1, persistent, scratch);
        // SAFETY: the structs are valid for the call, `prepare` initialised the state, and the plan keeps apart what lives at once.
        let status = unsafe { (op.eval)(&eval, &raw, prepared.state) };
        let done = message::check(status);
        if done.is_ok() && host.failed.is_none() {
            return Ok(());
        }
        match (host.failed, done) {
            // What a subgraph failed with: the op's words for it are of no use.
            (Some(failed), _) => Err(failed),
            (None, done) => done.map_err(|error| {
                let (subgraph, code) = (self.graph.index, op.builtin_code);
                Error::Node { subgraph, node, code, error: spelled(error) }
            }),
        }
    }

    /// A node as the model has it.
    pub fn spec(self, node: usize) -> Result<Spec<'a>> {
        let operator = self.graph.operator(node)?;
        let code = self.machine.model.operator_code(&operator);
        Ok(Spec::new(&operator, &code.ok_or(Error::Index { index: node, count: 0 })?))
    }

    /// Claims what the nodes will take while they run: they will not fail then.
    pub fn rehearse(self) -> Result<()> {
        for (node, prepared) in self.graph.nodes.get().iter().map(Cell::get).enumerate() {
            let room = Room::new(self, &self.spec(node)?, prepared.pieces().len())?;
            let nested = self.temporaries_of_callees(node);
            if nested > 0 {
                self.arena.rehearse(nested, Room::ALIGNMENT)?;
            }
            drop(room);
        }
        Ok(())
    }

    fn temporaries_of_callees(self, node: usize) -> usize {
        let graphs = self.graph.callees(node).filter_map(|callee| self.machine.graph(callee));
        graphs.map(|graph| self.within(graph).temporaries()).max().unwrap_or(0)
    }

    /// Most bytes of temporaries while this subgraph, which a node calls, is at work. They begin where a node in work may, as they end.
    fn temporaries(self) -> usize {
        let known = self.graph.temporaries.get();
        if known != 0 {
            return known;
        }
        let nodes = self.graph.nodes.get().iter().map(Cell::get).enumerate().map(|(node, prepared)| {
            let spec = self.spec(node).ok();
            let own = spec.map_or(0, |spec| Room::bytes(self.graph, &spec, prepared.pieces().len()));
            own.saturating_add(self.temporaries_of_callees(node))
        });
        let most = nodes.chain([called::forwarded_bytes(self)]).max().unwrap_or(0);
        self.graph.temporaries.set(most);
        most
    }
}
