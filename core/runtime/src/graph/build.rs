//! Builds a graph from a subgraph of the model. Composites are replaced by the nodes of their subgraphs:
//!
//! ```text
//! subgraph 0   x ─► COMPOSITE ─► y                    x ─► MUL ─► t ─► ADD ─► y
//!                       ┊                      =>
//! subgraph 1   a ─► MUL ─► t ─► ADD ─► b              a is x, b is y, t gets an entry of its own
//! ```
//!
//! so that their tensors share the arena and delegates see their nodes. A composite stays a node, which calls its
//! subgraph, if renaming tensors is not enough: its subgraph has variables, returns an input or a constant, or
//! disagrees with the node about ports, types or quantization (then the op reports that).

use std::collections::HashMap;

use arenite_abi::raw::{ArBytes, ArTable, BUILTIN_CUSTOM};
use arenite_abi::schema::{Field, OptionsTable, StableHLOCompositeOptions, op};
use arenite_abi::{ElementType, Options};
use arenite_model::{Operator, OperatorCode, RawTable, SubGraph};

use super::constants::{Copies, owned_bytes, tensor_info};
use super::load::{BuildLimits, Load};
use super::{Graph, NodeInfo, TensorInfo, Use};
use crate::error::{Error, ItemKind, Result, UnresolvedOp};
use crate::model::Model;
use crate::plugins::op_key::OpKey;
use crate::plugins::registry::Registry;
use crate::stack;
use crate::stages::step::Step;
use crate::stages::table::{MAX_RANK, TensorTable};

/// The tag of STABLEHLO_COMPOSITE's options, and its decomposition.
const COMPOSITE_OPTIONS: u32 = StableHLOCompositeOptions::INFO.tag;
const DECOMPOSITION: Field<StableHLOCompositeOptions, i32> =
    StableHLOCompositeOptions::DECOMPOSITION_SUBGRAPH_INDEX;

/// Bytes per tensor and per node, in the graph and in later stages. Memory that they own is counted separately.
const TENSOR_BYTES: usize = size_of::<TensorInfo>() + TensorTable::ENTRY_BYTES + size_of::<Use>();
const NODE_BYTES: usize = size_of::<NodeInfo>() + size_of::<Step>();

impl Graph {
    /// Builds subgraph `index` of the model and looks up its ops.
    ///
    /// # Errors
    /// A tensor that this runtime cannot represent (rank, type); more nodes, bytes or nested composites than the quota;
    /// the time limit. Ops that no plugin serves are not an error here: they are collected in `unresolved`.
    pub(crate) fn build(
        model: &Model,
        registry: &Registry,
        index: usize,
        limits: &BuildLimits<'_>,
    ) -> Result<Graph> {
        let _span = tracing::info_span!("graph", subgraph = index).entered();
        let view = model.view();
        let unknown = || Error::not_found(ItemKind::Subgraph, index, 0..view.subgraphs().len());
        let subgraph = view.subgraph(index).ok_or_else(unknown)?;
        let graph = Graph {
            index,
            tensors: Vec::with_capacity(subgraph.tensors().len()),
            nodes: Vec::with_capacity(subgraph.operators().len()),
            operators: Vec::with_capacity(subgraph.operators().len()),
            inputs: subgraph.inputs().iter().collect(),
            outputs: subgraph.outputs().iter().collect(),
            variables: Vec::new(),
            unresolved: Vec::new(),
            uses: Vec::new(),
            _model: model.clone(),
            _copies: Vec::new(),
        };
        let mut builder = Builder {
            view: &view,
            registry,
            load: Load::new(limits),
            copies: Copies { blocks: Vec::new(), budget: limits.budget.clone() },
            graph,
            traits: HashMap::new(),
            unresolved_at: HashMap::new(),
        };
        for t in 0..subgraph.tensors().len() {
            builder.add_tensor(index, &subgraph, t)?;
        }
        let numbered = (0..).zip(&builder.graph.tensors);
        builder.graph.variables = numbered.filter(|(_, t)| t.variable).map(|(i, _)| i).collect();
        builder.add_operators(&mut Scope { index, subgraph, names: None, outer: None })?;
        builder.load.settle()?;
        let Builder { mut graph, copies, .. } = builder;
        graph._copies = copies.blocks;
        super::updates::replace(&mut graph, registry);
        graph.find_uses();
        Ok(graph)
    }
}

struct Builder<'a> {
    view: &'a arenite_model::Model<'a>,
    registry: &'a Registry,
    load: Load<'a>,
    copies: Copies,
    graph: Graph,
    /// For each subgraph that was analysed.
    traits: HashMap<usize, Traits>,
    /// Position in `Graph::unresolved`, by op, version, types and subgraph.
    unresolved_at: HashMap<(OpKey, i32, Vec<ElementType>, usize), usize>,
}

/// A subgraph whose operators are being added.
struct Scope<'a, 'o> {
    index: usize,
    subgraph: SubGraph<'a>,
    /// For each tensor of the subgraph, its index in the graph; `None` if they are the same.
    names: Option<HashMap<i32, i32>>,
    /// The node of the composite.
    outer: Option<&'o Scope<'a, 'o>>,
}

impl Scope<'_, '_> {
    fn depth(&self) -> u32 {
        self.outer.map_or(0, |outer| outer.depth() + 1)
    }

    fn is_open(&self, index: usize) -> bool {
        self.index == index || self.outer.is_some_and(|outer| outer.is_open(index))
    }
}

/// Properties of a subgraph that are used more than once.
struct Traits {
    /// The tensors that an operator or the caller writes.
    written: Vec<bool>,
    /// Whether its operators can be moved into another graph.
    plain: bool,
}

impl Traits {
    fn of(subgraph: &SubGraph<'_>) -> Self {
        let count = subgraph.tensors().len();
        let mark = |written: &mut Vec<bool>, t: i32| {
            usize::try_from(t).ok().and_then(|t| written.get_mut(t)).map(|flag| std::mem::replace(flag, true))
        };
        let mut written = vec![false; count];
        let mut plain = subgraph.inputs().iter().all(|t| mark(&mut written, t) == Some(false));
        let inputs = written.clone();
        for t in subgraph.operators().iter().flat_map(|operator| operator.outputs()) {
            mark(&mut written, t);
            plain &= usize::try_from(t).map_or(true, |t| inputs.get(t) == Some(&false));
        }
        let mut given = vec![false; count];
        plain &= subgraph.outputs().iter().all(|t| {
            let own = usize::try_from(t).is_ok_and(|t| written.get(t) == Some(&true) && !inputs[t]);
            own && mark(&mut given, t) == Some(false)
        });
        plain &= subgraph.tensors().iter().all(|tensor| !tensor.is_variable());
        Traits { written, plain }
    }
}

impl<'a> Builder<'a> {
    fn traits(&mut self, index: usize, subgraph: &SubGraph<'a>) -> &Traits {
        self.traits.entry(index).or_insert_with(|| Traits::of(subgraph))
    }

    /// Adds a tensor of a subgraph; returns its index.
    fn add_tensor(&mut self, index: usize, subgraph: &SubGraph<'a>, t: usize) -> Result<i32> {
        let Some(tensor) = subgraph.tensors().get(t) else {
            return Err(Error::State(format!("subgraph {index} has no tensor {t}")));
        };
        self.load.add(1, TENSOR_BYTES + owned_bytes(self.view, subgraph, &tensor))?;
        let is_written = self.traits(index, subgraph).written[t];
        let constant = match self.view.constant(&tensor) {
            // A tensor without elements that is never written is a constant without data.
            None if tensor.element_count() == Some(0) && !is_written && !tensor.is_variable() => {
                Some(&[][..])
            }
            None => self.graph._model.passed_constants().get(self.view, index, t as i32),
            data => data,
        };
        let info = tensor_info(self.view, subgraph, t, &tensor, constant, &mut self.copies)?;
        self.graph.tensors.push(info);
        Ok((self.graph.tensors.len() - 1) as i32)
    }

    fn add_operators(&mut self, scope: &mut Scope<'a, '_>) -> Result<()> {
        for (position, operator) in scope.subgraph.operators().iter().enumerate() {
            let first = self.graph.nodes.len();
            let code = self.view.operator_code(&operator).ok_or_else(|| {
                let (subgraph, code) = (scope.index, operator.opcode_index());
                Error::State(format!("subgraph {subgraph}: operator code {code} is missing"))
            })?;
            match self.decomposition(scope, &code, &operator)? {
                Some(mut inner) => stack::with_room(|| self.add_operators(&mut inner))?,
                None => self.add_node(scope, position, &code, &operator)?,
            }
            if scope.outer.is_none() {
                self.graph.operators.push(first..self.graph.nodes.len());
            }
        }
        Ok(())
    }

    /// The subgraph that can replace a composite.
    fn decomposition<'o>(
        &mut self,
        scope: &'o mut Scope<'a, '_>,
        code: &OperatorCode<'_>,
        operator: &Operator<'a>,
    ) -> Result<Option<Scope<'a, 'o>>> {
        let Some((index, subgraph)) = self.decomposed(code, operator) else { return Ok(None) };
        // A recursive composite stays a node; calling it fails.
        if scope.is_open(index) || !self.traits(index, &subgraph).plain {
            return Ok(None);
        }
        self.load.check_depth(index, scope.depth() + 1)?;
        let (inputs, outputs) = (operator.inputs(), operator.outputs());
        if (inputs.len(), outputs.len()) != (subgraph.inputs().len(), subgraph.outputs().len()) {
            return Ok(None);
        }
        self.load.add_node(inputs.len() + outputs.len(), 0)?;
        let count = inputs.len();
        let ports = subgraph.inputs().iter().chain(subgraph.outputs());
        let (mut names, mut results) = (HashMap::new(), Vec::new());
        for (inner, t) in ports.zip(inputs.iter().chain(outputs)) {
            let t = self.tensor(scope, t)?;
            if !self.agrees(&subgraph, inner, t) {
                return Ok(None);
            }
            names.insert(inner, t);
            results.extend((names.len() > count).then_some((inner, t)));
        }
        let inner = Scope { index, subgraph, names: Some(names), outer: Some(scope) };
        Ok(self.declare(&subgraph, &results).then_some(inner))
    }

    /// Sets the shapes of a composite's results to those in its decomposition, because some ops read the declared shape
    /// of their output. Returns false if a result cannot have another shape.
    fn declare(&mut self, subgraph: &SubGraph<'a>, results: &[(i32, i32)]) -> bool {
        let declared: Option<Vec<_>> = results
            .iter()
            .map(|&(inner, t)| {
                let (tensor, t) = (subgraph.tensors().get(inner as usize)?, t as usize);
                let shape: Vec<i32> = tensor.shape().iter().collect();
                let outer = &self.graph.tensors[t];
                let fits = outer.shape == shape || shape.len() <= MAX_RANK && !outer.variable;
                fits.then(|| (t, shape, tensor.shape_signature().iter().collect()))
            })
            .collect();
        let fits = declared.is_some();
        for (t, shape, signature) in declared.into_iter().flatten() {
            self.graph.tensors[t].shape = shape;
            self.graph.tensors[t].shape_signature = signature;
        }
        fits
    }

    fn decomposed(&self, code: &OperatorCode<'_>, operator: &Operator<'a>) -> Option<(usize, SubGraph<'a>)> {
        let is_composite = code.builtin_code() == op::STABLEHLO_COMPOSITE;
        let options = operator.builtin_options_2().filter(|_| is_composite)?;
        let options = (u32::from(options.tag) == COMPOSITE_OPTIONS).then_some(options)?;
        let options = Options::from_bytes(options.buffer, options.position);
        let index = usize::try_from(options.get(DECOMPOSITION).ok()?).ok()?;
        Some((index, self.view.subgraph(index)?))
    }

    /// Whether tensor `inner` of a decomposition can be tensor `t` of the graph.
    fn agrees(&mut self, subgraph: &SubGraph<'a>, inner: i32, t: i32) -> bool {
        let tensors = subgraph.tensors();
        let (Ok(at), Ok(t)) = (usize::try_from(inner), usize::try_from(t)) else { return false };
        let Some(tensor) = tensors.get(at) else { return false };
        let outer = &self.graph.tensors[t];
        let ty = u32::try_from(tensor.element_type()).ok().and_then(ElementType::from_raw);
        ty == Some(outer.ty)
            && self.view.constant(&tensor).is_none()
            && super::constants::quantization(self.view, subgraph, &tensor) == outer.quantization
    }

    /// The graph's index for tensor `t` of a subgraph; −1 for an absent one.
    fn tensor(&mut self, scope: &mut Scope<'a, '_>, t: i32) -> Result<i32> {
        let Scope { index, subgraph, names: Some(names), .. } = scope else { return Ok(t) };
        let Ok(at) = usize::try_from(t) else { return Ok(t) };
        if let Some(&known) = names.get(&t) {
            return Ok(known);
        }
        let new = self.add_tensor(*index, subgraph, at)?;
        names.insert(t, new);
        Ok(new)
    }

    fn tensors(
        &mut self,
        scope: &mut Scope<'a, '_>,
        list: impl IntoIterator<Item = i32>,
    ) -> Result<Box<[i32]>> {
        list.into_iter().map(|t| self.tensor(scope, t)).collect()
    }

    fn add_node(
        &mut self,
        scope: &mut Scope<'a, '_>,
        position: usize,
        code: &OperatorCode<'_>,
        operator: &Operator<'a>,
    ) -> Result<()> {
        let key = match code.builtin_code() {
            BUILTIN_CUSTOM => OpKey::Custom(code.custom_code().unwrap_or("").to_owned()),
            builtin => OpKey::Builtin(builtin),
        };
        let version = code.version();
        let operands = operator.inputs().len() + operator.outputs().len() + operator.intermediates().len();
        self.load.add_node(operands, NODE_BYTES + operands * size_of::<i32>())?;
        let inputs = self.tensors(scope, operator.inputs())?;
        let outputs = self.tensors(scope, operator.outputs())?;
        let intermediates = self.tensors(scope, operator.intermediates())?;
        let types = self.settled_types(&key, version, operator, &inputs, &outputs);
        let candidates = self.registry.candidates(&key, version, &types);
        let unresolved =
            candidates.is_empty().then(|| self.note_unresolved(&key, version, types, scope.index, position));
        let custom = operator.custom_options();
        self.graph.nodes.push(NodeInfo {
            origin: (scope.index, position),
            key,
            version,
            inputs,
            outputs,
            intermediates,
            candidates,
            unresolved,
            options: table(operator.builtin_options()),
            options_2: table(operator.builtin_options_2()),
            custom_options: if custom.is_empty() { ArBytes::EMPTY } else { ArBytes::borrowed(custom) },
        });
        Ok(())
    }

    /// Gives the node's outputs the element type that its op determines, and returns the types of all its tensors.
    /// Variables and constants keep theirs, because they have values.
    fn settled_types(
        &mut self,
        key: &OpKey,
        version: i32,
        operator: &Operator<'a>,
        inputs: &[i32],
        outputs: &[i32],
    ) -> Vec<ElementType> {
        let tensors = &mut self.graph.tensors;
        let input = |i: usize| Some(tensors[usize::try_from(*inputs.get(i)?).ok()?].ty);
        let options = operator.builtin_options().map(|table| (table.buffer, table.position));
        if let Some(ty) = self.registry.output_type(key, version).of_node(input, options) {
            for t in Graph::present(outputs) {
                if !tensors[t].variable && tensors[t].constant.is_none() {
                    tensors[t].ty = ty;
                }
            }
        }
        let all = Graph::present(inputs).chain(Graph::present(outputs));
        let mut types: Vec<ElementType> = all.map(|t| tensors[t].ty).collect();
        types.sort();
        types.dedup();
        types
    }

    fn note_unresolved(
        &mut self,
        key: &OpKey,
        version: i32,
        types: Vec<ElementType>,
        subgraph: usize,
        node: usize,
    ) -> usize {
        let unresolved = &mut self.graph.unresolved;
        let at = *self
            .unresolved_at
            .entry((key.clone(), version, types.clone(), subgraph))
            .or_insert(unresolved.len());
        match unresolved.get_mut(at) {
            // Operators are added in order, recursively for each composite.
            Some(known) if known.nodes.last() >= Some(&node) => {}
            Some(known) => known.nodes.push(node),
            None => unresolved.push(UnresolvedOp {
                op: key.name(),
                custom: matches!(key, OpKey::Custom(_)),
                version,
                element_types: types,
                nodes: vec![node],
                subgraph,
                candidates: self.registry.near_misses(key, version),
            }),
        }
        at
    }
}

fn table(table: Option<RawTable<'_>>) -> ArTable {
    match table {
        None => ArTable::NONE,
        Some(table) => ArTable {
            buffer: ArBytes::borrowed(table.buffer),
            position: table.position as u64,
            tag: u32::from(table.tag),
        },
    }
}
