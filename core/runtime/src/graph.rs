//! Graph building: a subgraph of the model, each node bound to the registrations that can serve it.

use std::collections::HashMap;

use arenite_abi::ElementType;
use arenite_abi::raw::{ArBytes, ArHeader, ArNodeV1, ArQuantizationV1, ArStr, ArTable, BUILTIN_CUSTOM};
use arenite_model::{Operator, QuantizationDetails, RawTable, SparsityParameters, Tensor};

use crate::arena::Block;
use crate::error::{Error, Result, UnresolvedOp};
use crate::model::Model;
use crate::quota::Budget;
use crate::registry::{Candidate, OpKey, Registry};
use crate::sparse;
use crate::tensors::MAX_RANK;

/// One subgraph: the second stage, after the model. It does not change.
pub(crate) struct Graph {
    pub index: usize,
    pub tensors: Vec<TensorInfo>,
    pub nodes: Vec<NodeInfo>,
    pub inputs: Vec<i32>,
    pub outputs: Vec<i32>,
    pub variables: Vec<i32>,
    /// Ops that no registration serves; a delegate may still take them.
    pub unresolved: Vec<UnresolvedOp>,
    /// Keeps the constants alive.
    _model: Model,
    /// Constants that lie misaligned in the file.
    _copies: Vec<Block>,
}

pub(crate) struct TensorInfo {
    pub name: String,
    pub ty: ElementType,
    pub shape: Vec<i32>,
    /// `shape` with −1 for dimensions that the caller may choose; empty if the model does not say.
    pub shape_signature: Vec<i32>,
    pub quantization: Option<QuantizationInfo>,
    pub constant: Option<Constant>,
    pub variable: bool,
}

impl TensorInfo {
    /// Each byte of the tensor's first value if it is a variable: the zero point of i8 with one scale, else zero.
    pub fn zero_byte(&self) -> u8 {
        match &self.quantization {
            Some(q) if self.ty == ElementType::I8 && q.scales.len() == 1 => {
                q.zero_points.first().map_or(0, |&zero_point| zero_point as u8)
            }
            _ => 0,
        }
    }
}

/// Bytes that the model, or a copy that the graph holds, keeps alive.
#[derive(Clone, Copy)]
pub(crate) struct Constant {
    data: *const u8,
    length: usize,
}

// SAFETY: read-only bytes.
unsafe impl Send for Constant {}
// SAFETY: read-only bytes.
unsafe impl Sync for Constant {}

impl Constant {
    pub fn as_ptr(&self) -> *const u8 {
        self.data
    }

    pub fn len(&self) -> usize {
        self.length
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QuantizationInfo {
    pub scales: Vec<f32>,
    pub zero_points: Vec<i64>,
    pub dimension: i32,
    pub block_size: i32,
}

impl QuantizationInfo {
    pub fn to_raw(&self) -> ArQuantizationV1 {
        ArQuantizationV1 {
            header: ArHeader::of::<ArQuantizationV1>(),
            scales: self.scales.as_ptr(),
            scale_count: self.scales.len(),
            zero_points: self.zero_points.as_ptr(),
            zero_point_count: self.zero_points.len(),
            quantized_dimension: self.dimension,
            block_size: self.block_size,
        }
    }
}

pub(crate) struct NodeInfo {
    pub key: OpKey,
    pub version: i32,
    pub inputs: Box<[i32]>,
    pub outputs: Box<[i32]>,
    pub intermediates: Box<[i32]>,
    /// Best first. Empty for an unresolved op.
    pub candidates: Vec<Candidate>,
    options: ArTable,
    options_2: ArTable,
    custom_options: ArBytes,
}

// SAFETY: the pointers lead into the model's read-only bytes, which the graph keeps alive.
unsafe impl Send for NodeInfo {}

impl NodeInfo {
    /// The node as plugins get it; borrows this node and the tensor table.
    pub fn to_raw(
        &self,
        subgraph: usize,
        index: usize,
        tensors: *const arenite_abi::raw::ArTensorV1,
        count: usize,
    ) -> ArNodeV1 {
        let (builtin_code, custom_name) = match &self.key {
            OpKey::Builtin(code) => (*code, ArStr::new("")),
            OpKey::Custom(name) => (BUILTIN_CUSTOM, ArStr::borrowed(name)),
        };
        ArNodeV1 {
            header: ArHeader::of::<ArNodeV1>(),
            builtin_code,
            version: self.version,
            custom_name,
            index: index as u32,
            subgraph: subgraph as u32,
            tensors,
            tensor_stride: size_of::<arenite_abi::raw::ArTensorV1>(),
            tensor_count: count,
            inputs: self.inputs.as_ptr(),
            input_count: self.inputs.len(),
            outputs: self.outputs.as_ptr(),
            output_count: self.outputs.len(),
            intermediates: self.intermediates.as_ptr(),
            intermediate_count: self.intermediates.len(),
            options: self.options,
            options_2: self.options_2,
            custom_options: self.custom_options,
        }
    }
}

impl Graph {
    /// Builds subgraph `index` of the model: looks up every op.
    ///
    /// # Errors
    /// A tensor that this runtime cannot represent (rank, type); copies of constants beyond the budget. Ops that nobody serves are no error here: they are
    /// collected in `unresolved`.
    pub fn build(model: &Model, registry: &Registry, index: usize, budget: &mut Budget) -> Result<Graph> {
        let _span = tracing::info_span!("graph", subgraph = index).entered();
        let view = model.view();
        let known = (0..view.subgraphs().len()).map(|i| i.to_string()).collect();
        let subgraph = view.subgraph(index).ok_or_else(|| Error::NotFound {
            what: "subgraph",
            name: index.to_string(),
            known,
        })?;
        let written = written(&subgraph);
        let mut copies = Copies { blocks: Vec::new(), budget };
        let tensors = subgraph
            .tensors()
            .iter()
            .enumerate()
            .map(|(i, tensor)| {
                let constant = view.constant(&tensor).or_else(|| {
                    // A tensor without elements that nobody writes is a constant without data.
                    (tensor.element_count() == Some(0) && !written[i] && !tensor.is_variable())
                        .then_some(&[][..])
                });
                tensor_info(&view, &subgraph, i, &tensor, constant, &mut copies)
            })
            .collect::<Result<Vec<_>>>()?;
        let mut unresolved_at = HashMap::new();
        let mut graph = Graph {
            index,
            variables: (0..tensors.len() as i32).filter(|&i| tensors[i as usize].variable).collect(),
            tensors,
            nodes: Vec::with_capacity(subgraph.operators().len()),
            inputs: subgraph.inputs().iter().collect(),
            outputs: subgraph.outputs().iter().collect(),
            unresolved: Vec::new(),
            _model: model.clone(),
            _copies: copies.blocks,
        };
        for operator in subgraph.operators() {
            let code = view.operator_code(&operator).ok_or_else(|| {
                Error::State(format!(
                    "subgraph {index}: operator code {} is missing",
                    operator.opcode_index()
                ))
            })?;
            let key = match code.builtin_code() {
                BUILTIN_CUSTOM => OpKey::Custom(code.custom_code().unwrap_or("").to_owned()),
                builtin => OpKey::Builtin(builtin),
            };
            graph.add_node(registry, key, code.version(), &operator, &mut unresolved_at);
        }
        Ok(graph)
    }

    /// The tensor indices of `list` that are not −1, with bounds known from verification.
    pub fn present(list: &[i32]) -> impl Iterator<Item = usize> + '_ {
        list.iter().filter_map(|&t| usize::try_from(t).ok())
    }

    /// Name of the op at a node.
    pub fn op_name(&self, node: usize) -> String {
        self.nodes[node].key.name()
    }

    fn add_node(
        &mut self,
        registry: &Registry,
        key: OpKey,
        version: i32,
        operator: &Operator<'_>,
        unresolved_at: &mut UnresolvedAt,
    ) {
        let inputs: Box<[i32]> = operator.inputs().iter().collect();
        let outputs: Box<[i32]> = operator.outputs().iter().collect();
        let mut types: Vec<ElementType> =
            Self::present(&inputs).chain(Self::present(&outputs)).map(|t| self.tensors[t].ty).collect();
        types.sort();
        types.dedup();
        let candidates = registry.candidates(&key, version, &types);
        if candidates.is_empty() {
            self.note_unresolved(registry, &key, version, types, unresolved_at);
        }
        let custom = operator.custom_options();
        self.nodes.push(NodeInfo {
            key,
            version,
            inputs,
            outputs,
            intermediates: operator.intermediates().iter().collect(),
            candidates,
            options: table(operator.builtin_options()),
            options_2: table(operator.builtin_options_2()),
            custom_options: if custom.is_empty() { ArBytes::EMPTY } else { ArBytes::borrowed(custom) },
        });
    }

    fn note_unresolved(
        &mut self,
        registry: &Registry,
        key: &OpKey,
        version: i32,
        types: Vec<ElementType>,
        unresolved_at: &mut UnresolvedAt,
    ) {
        let node = self.nodes.len();
        let at = *unresolved_at.entry((key.clone(), version, types.clone())).or_insert(self.unresolved.len());
        if let Some(known) = self.unresolved.get_mut(at) {
            known.nodes.push(node);
            return;
        }
        self.unresolved.push(UnresolvedOp {
            op: key.name(),
            custom: matches!(key, OpKey::Custom(_)),
            version,
            element_types: types,
            nodes: vec![node],
            subgraph: self.index,
            candidates: registry.near_misses(key, version),
            searched: registry.searched().to_vec(),
        });
    }
}

/// Position in `Graph::unresolved` of what is asked for, and not served.
type UnresolvedAt = HashMap<(OpKey, i32, Vec<ElementType>), usize>;

/// Which tensors an operator or the caller writes.
fn written(subgraph: &arenite_model::SubGraph<'_>) -> Vec<bool> {
    let mut written = vec![false; subgraph.tensors().len()];
    let outputs = subgraph.operators().iter().flat_map(|operator| operator.outputs());
    for t in outputs.chain(subgraph.inputs()) {
        if let Some(flag) = usize::try_from(t).ok().and_then(|t| written.get_mut(t)) {
            *flag = true;
        }
    }
    written
}

fn tensor_info(
    view: &arenite_model::Model<'_>,
    subgraph: &arenite_model::SubGraph<'_>,
    index: usize,
    tensor: &Tensor<'_>,
    constant: Option<&[u8]>,
    copies: &mut Copies<'_>,
) -> Result<TensorInfo> {
    let name = tensor.name().unwrap_or("").to_owned();
    let refuse = |message| Err(Error::Tensor { name: format!("{name}' (index {index}"), message });
    let code = tensor.element_type();
    let Some(ty) = u32::try_from(code).ok().and_then(ElementType::from_raw) else {
        return refuse(format!("element type {code} is unknown; this version knows 0 to 22"));
    };
    let shape: Vec<i32> = tensor.shape().iter().collect();
    if shape.len() > MAX_RANK {
        return refuse(format!("it has rank {}, the highest is {MAX_RANK}", shape.len()));
    }
    let constant = match (constant, tensor.sparsity()) {
        (Some(stored), Some(sparsity)) => match expand_constant(stored, &sparsity, ty, &shape, copies)? {
            Some(constant) => Some(constant),
            None => {
                return refuse(format!("sparse constants of type {ty} and shape {shape:?} are not served"));
            }
        },
        (Some(bytes), None) => Some(place_constant(bytes, ty, &shape, copies)?),
        (None, _) => None,
    };
    Ok(TensorInfo {
        ty,
        shape,
        shape_signature: tensor.shape_signature().iter().collect(),
        quantization: quantization(view, subgraph, tensor),
        constant,
        variable: tensor.is_variable(),
        name,
    })
}

/// Constants that cannot be used where they lie; they count against the quota.
struct Copies<'a> {
    blocks: Vec<Block>,
    budget: &'a mut Budget,
}

impl Copies<'_> {
    fn zeroed(&mut self, bytes: usize) -> Result<Block> {
        self.budget.take(bytes as u64, "constants that are sparse or lie misaligned in the file")?;
        Block::zeroed(bytes)
    }
}

/// A constant where it lies in the file, or a copy if it lies misaligned for its type.
fn place_constant(bytes: &[u8], ty: ElementType, shape: &[i32], copies: &mut Copies<'_>) -> Result<Constant> {
    // A dense constant has as many bytes as its shape needs; the file may hold more.
    let needed = ty.bytes_of(arenite_abi::tensor::element_count(shape));
    let length = needed.filter(|&n| n <= bytes.len()).unwrap_or(bytes.len());
    let align = (ty.bits() as usize / 8).clamp(1, 8);
    if bytes.as_ptr().addr().is_multiple_of(align) {
        return Ok(Constant { data: bytes.as_ptr(), length });
    }
    let block = copies.zeroed(length)?;
    // SAFETY: the block has `length` bytes, and is a new allocation.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), block.as_ptr(), length) };
    let data = block.as_ptr().cast_const();
    copies.blocks.push(block);
    Ok(Constant { data, length })
}

/// All elements of a sparse constant. `None` if its elements are not whole bytes.
fn expand_constant(
    stored: &[u8],
    sparsity: &SparsityParameters<'_>,
    ty: ElementType,
    shape: &[i32],
    copies: &mut Copies<'_>,
) -> Result<Option<Constant>> {
    let size = ty.bits() as usize / 8;
    let (0, 1.., Some(length)) =
        (ty.bits() % 8, size, ty.bytes_of(arenite_abi::tensor::element_count(shape)))
    else {
        return Ok(None);
    };
    let block = copies.zeroed(length)?;
    // SAFETY: the block has `length` zero bytes, and is a new allocation.
    let dense = unsafe { std::slice::from_raw_parts_mut(block.as_ptr(), length) };
    if sparse::expand(sparsity, shape, size, stored, dense).is_none() {
        return Ok(None);
    }
    let data = block.as_ptr().cast_const();
    copies.blocks.push(block);
    Ok(Some(Constant { data, length }))
}

fn quantization(
    view: &arenite_model::Model<'_>,
    subgraph: &arenite_model::SubGraph<'_>,
    tensor: &Tensor<'_>,
) -> Option<QuantizationInfo> {
    let q = tensor.quantization()?;
    let dimension = tensor.quantized_dimension();
    let (scales, zero_points, block_size) = match q.details() {
        Some(QuantizationDetails::Blockwise(blocks)) => {
            let scales = numbers(view, subgraph, blocks.scales());
            (scales, vec![0], blocks.block_size())
        }
        _ => (q.scale().iter().collect(), q.zero_point().iter().collect(), 0),
    };
    (!scales.is_empty()).then_some(QuantizationInfo { scales, zero_points, dimension, block_size })
}

/// The constant tensor that holds blockwise scales, as f32.
fn numbers(view: &arenite_model::Model<'_>, subgraph: &arenite_model::SubGraph<'_>, index: i32) -> Vec<f32> {
    let tensor = usize::try_from(index).ok().and_then(|i| subgraph.tensors().get(i));
    let Some((tensor, bytes)) = tensor.and_then(|t| Some((t, view.constant(&t)?))) else { return Vec::new() };
    match u32::try_from(tensor.element_type()).ok().and_then(ElementType::from_raw) {
        Some(ElementType::F16) => {
            bytes.chunks_exact(2).map(|b| half::f16::from_le_bytes([b[0], b[1]]).to_f32()).collect()
        }
        Some(ElementType::F32) => {
            bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
        }
        _ => Vec::new(),
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
